"""Each rule of the checker on histories made by hand: what is whole passes, what is broken is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chaos.checker import Rule, check, matched
from chaos.history import Acknowledged, Committed, History, Play, Position, Published, Received, RefusedEvent, Replied

FIRST = "bank"


def body_of(event: Committed) -> bytes:
    return json.dumps(
        {"id": f"s/{event.table}/{event.sequence}", "type": event.type, "subject": event.subject, "data": event.sent}
    ).encode()


def event(sequence: int, type_: str, subject: str | None = None, **data: Any) -> Committed:
    return Committed("r1", sequence, type_, subject, data, data)


def whole(rounds: int = 3) -> History:
    """Rounds that were played, committed, published, acknowledged and received, each once."""
    history = History(consumers=(FIRST,), complete=True)
    for number in range(rounds):
        subject, at = f"r1-{number + 1}", 2 * number
        facts = {"number": str(number), "spin": number}
        history.committed += [
            event(at + 1, "round.opened", subject),
            event(at + 2, "round.outcome", subject, facts=facts),
        ]
        history.plays.append(Play("r1", facts, may=True, must=True))
    for moment, each in enumerate(history.committed):
        at_ns = 10 * moment
        history.published.append(Published("r1", each.sequence, body_of(each), 1, at_ns, True))
        history.acknowledged.append(Acknowledged("r1", each.sequence, at_ns + 1))
        history.received.append(Received(FIRST, "r1", each.sequence, body_of(each), 1, at_ns + 2))
        history.positions.append(Position("r1", each.sequence, each.sequence))
        history.rows[each.sequence] = history.rows_seen[each.sequence] = f"hash-{each.sequence}"
    history.replied.append(Replied("r1", "server", "c-1", True, None, b"yes", True))
    return history


def broken(history: History) -> set[Rule]:
    return {violation.rule for violation in check(history)}


def test_a_whole_history_breaks_nothing() -> None:
    assert check(whole()) == []


def test_a_history_with_repeats_and_a_new_connection_breaks_nothing() -> None:
    history = whole()
    again = [replace(sent, connection=2, at_ns=sent.at_ns + 1000) for sent in history.published[2:]]
    history.published += again
    history.acknowledged += [Acknowledged("r1", sent.sequence, sent.at_ns) for sent in again]
    history.received += [replace(got, connection=2, at_ns=got.at_ns + 1000) for got in history.received[3:]]
    history.replied.append(replace(history.replied[0], ok=False, error="unavailable", body=b"not now"))
    assert check(history) == []


def overtaken(history: History) -> None:
    """The broker refused the third event, its answer was lost, and it took the fourth; then all came again in order."""
    third, fourth = history.received[2:4]
    history.received[2:3] = [replace(fourth, at_ns=third.at_ns), replace(third, at_ns=fourth.at_ns)]
    history.acknowledged = [replace(word, at_ns=1000 + word.at_ns) for word in history.acknowledged]


def test_what_the_broker_refused_before_may_be_overtaken_and_nothing_else() -> None:
    history = whole()
    overtaken(history)
    third = next(sent for sent in history.published if sent.sequence == history.received[3].sequence)
    assert broken(history) == {Rule.ORDER}
    history.refused.append(RefusedEvent(third.table, third.sequence, history.received[2].at_ns))
    assert broken(history) == {Rule.ORDER}, "refused too late to have been overtaken"
    history.refused[:] = [replace(history.refused[0], at_ns=third.at_ns)]
    assert broken(history) == set()


def never_came(history: History) -> None:
    history.received.pop(1)


def never_came_to_one_of_two(history: History) -> None:
    history.received += [replace(got, consumer="ledger") for got in history.received[:-1]]
    history.consumers = (FIRST, "ledger")


def never_committed(history: History) -> None:
    del history.committed[-2:]
    history.rows.clear()


def never_happened(history: History) -> None:
    del history.plays[1]


def happened_otherwise(history: History) -> None:
    history.plays[1] = replace(history.plays[1], facts={"number": "36", "spin": 1})


def happened_in_another_order(history: History) -> None:
    history.plays[:2] = reversed(history.plays[:2])


def against_the_rules(history: History) -> None:
    history.plays[1] = replace(history.plays[1], may=False, must=False)


def nothing_was_said(history: History) -> None:
    history.plays.insert(1, Play("r1", {"number": "9", "spin": 99}, may=True, must=True))


def another_body_again(history: History) -> None:
    history.received.append(replace(history.received[-1], body=history.received[-1].body + b" "))


def another_body_on_the_wire(history: History) -> None:
    history.published.append(replace(history.published[-1], body=history.published[-1].body + b" "))


def another_body_than_committed(history: History) -> None:
    last = history.committed[-1]
    history.committed[-1] = replace(last, sent={"facts": {"number": "0"}})


def sent_too_early(history: History) -> None:
    history.published[2] = replace(history.published[2], committed=False)


def answered_too_early(history: History) -> None:
    history.replied[0] = replace(history.replied[0], committed=False)


def cursor_ahead(history: History) -> None:
    history.positions.append(Position("r1", 6, 5))


def left_out_on_the_wire(history: History) -> None:
    del history.published[2]
    del history.acknowledged[2]


def left_out_on_a_new_connection(history: History) -> None:
    del history.acknowledged[3:]
    history.published[4:] = [replace(sent, connection=2) for sent in history.published[4:]]


def swapped_on_the_wire(history: History) -> None:
    first, second = history.published[2:4]
    history.published[2:4] = [replace(second, at_ns=first.at_ns), replace(first, at_ns=second.at_ns)]
    history.acknowledged = [replace(word, at_ns=1000) for word in history.acknowledged]


def swapped_at_a_consumer(history: History) -> None:
    first, second = history.received[2:4]
    history.received[2:4] = [replace(second, at_ns=first.at_ns), replace(first, at_ns=second.at_ns)]
    history.acknowledged = [replace(word, at_ns=1000 + word.at_ns) for word in history.acknowledged]


def two_ends(history: History) -> None:
    history.committed[3] = replace(history.committed[3], subject="r1-1")


def no_end(history: History) -> None:
    del history.committed[1]


def a_row_changed(history: History) -> None:
    history.rows[2] = "another"


def a_row_gone(history: History) -> None:
    del history.rows[2]


def a_gap(history: History) -> None:
    del history.committed[2:4]


def two_answers(history: History) -> None:
    history.replied.append(replace(history.replied[0], body=b"no"))


def forged(history: History) -> None:
    history.forged = frozenset({"c-1"})


def unsigned(history: History) -> None:
    last = history.committed[-1].sequence
    history.signed = lambda body: f"/{last}".encode() not in body


BREAKS: list[tuple[Callable[[History], None], Rule]] = [
    (never_came, Rule.LOST),
    (never_came_to_one_of_two, Rule.LOST),
    (never_committed, Rule.INVENTED),
    (never_happened, Rule.INVENTED),
    (happened_otherwise, Rule.INVENTED),
    (happened_in_another_order, Rule.INVENTED),
    (against_the_rules, Rule.INVENTED),
    (nothing_was_said, Rule.UNHEARD),
    (another_body_again, Rule.BODIES),
    (another_body_on_the_wire, Rule.BODIES),
    (another_body_than_committed, Rule.BODIES),
    (sent_too_early, Rule.TOO_EARLY),
    (answered_too_early, Rule.TOO_EARLY),
    (cursor_ahead, Rule.AHEAD),
    (left_out_on_the_wire, Rule.WIRE_ORDER),
    (left_out_on_a_new_connection, Rule.WIRE_ORDER),
    (swapped_on_the_wire, Rule.WIRE_ORDER),
    (swapped_at_a_consumer, Rule.ORDER),
    (two_ends, Rule.ENDS),
    (no_end, Rule.ENDS),
    (a_row_changed, Rule.JOURNAL),
    (a_row_gone, Rule.JOURNAL),
    (a_gap, Rule.JOURNAL),
    (two_answers, Rule.REPLIES),
    (forged, Rule.REPLIES),
    (unsigned, Rule.SIGNATURE),
]


@pytest.mark.parametrize(("spoil", "rule"), BREAKS, ids=[spoil.__name__ for spoil, _ in BREAKS])
def test_what_is_broken_is_said(spoil: Callable[[History], None], rule: Rule) -> None:
    history = whole()
    spoil(history)
    found = check(history)
    assert rule in {violation.rule for violation in found}
    assert all(str(violation).startswith(f"{violation.rule}: ") for violation in found)


def test_every_rule_can_be_broken() -> None:
    assert {rule for _, rule in BREAKS} == set(Rule)


@pytest.mark.parametrize(
    ("said", "silent_plays", "heard"),
    [
        (["attempt.refused"], 1, True),
        (["attempt.held", "round.voided"], 1, True),
        (["round.voided"], 1, True),
        (["attempt.held", "round.voided"], 2, False),
        (["attempt.refused", "attempt.held"], 2, True),
        (["device.fault"], 5, True),
        (["table.started"], 5, True),
        (["device.recovered"], 1, False),
    ],
)
def test_each_play_without_an_outcome_needs_an_explanation(said: list[str], silent_plays: int, heard: bool) -> None:
    history = whole()
    for _ in range(silent_plays):
        nothing_was_said(history)
    words = [Committed("r1", 3 + n, word, "r1-x", {}, {}) for n, word in enumerate(said)]
    history.committed[2:2] = words
    history.committed[2 + len(said) :] = [
        replace(each, sequence=each.sequence + len(said)) for each in history.committed[2 + len(said) :]
    ]
    assert (Rule.UNHEARD not in broken(history)) is heard


def test_nothing_is_asked_of_the_end_before_it_came() -> None:
    history = whole()
    never_came(history)
    nothing_was_said(history)
    history.complete = False
    assert check(history) == []


def test_outcomes_are_matched_in_order_each_play_once() -> None:
    plays = [Play("r1", {"hand.cards": ["8S"]}, may=True, must=True) for _ in range(2)]
    outcomes = [event(n, "round.outcome", facts={"hand": {"cards": ["8S"]}}) for n in (1, 2, 3)]
    assert [index for _, index in matched(outcomes, plays)] == [0, 1, None]


def test_what_is_measured_may_be_a_little_off_and_what_is_settled_on_may_not() -> None:
    plays = [Play("r1", {"segment": 8, "turns": 7.4363}, may=True, must=True)]
    for facts, fits in (({"segment": 8, "turns": 7.43}, True), ({"segment": 8, "turns": 7.0}, False)):
        assert [index is not None for _, index in matched([event(1, "round.outcome", facts=facts)], plays)] == [fits]
    assert [index for _, index in matched([event(1, "round.outcome", facts={"segment": 9, "turns": 7.43})], plays)] == [
        None
    ]
