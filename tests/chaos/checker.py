"""The promise as rules over a history. Pure: a history in, violations out, each a sentence.

What is promised: an accepted result is never lost, never published twice with different bodies, never out of order
within a table, never invented (``docs/reference/mqtt.md``).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from chaos.history import Committed, History, Key, Play

PLAIN = frozenset(
    {"round.opened", "betting.closed", "attempt.started", "card.drawn", "round.outcome", "gate.waiting", "gate.opened"}
    | {"shoe.started", "shoe.cut_card", "shoe.ended", "device.recovered", "table.resumed"}
)
"""Events of a plain course. Any other says that something was not plain, and explains why one play has no outcome."""
BLIND = frozenset({"table.started", "table.paused", "device.fault"})
"""Events that explain why any number of plays have none: nobody looked, or nobody asked for them."""
MEASURED_WITHIN = 0.05
"""Turns of a wheel that its encoder and the simulator may differ by; what is settled on is no float."""
NOT_FINAL = frozenset({"unavailable", "id_reused"})
"""Replies after which the same command may be answered otherwise."""


class Rule(StrEnum):
    """What can be broken."""

    LOST = "lost"
    """Committed, and not at every consumer in the end."""
    UNHEARD = "unheard"
    """A play happened before a station that was well, and it never said anything of it."""
    INVENTED = "invented"
    """Published or received, and never committed; or an outcome that never happened."""
    BODIES = "bodies"
    """One event with two bodies, or with one that is not what was committed."""
    WIRE_ORDER = "wire order"
    """Published out of order, or with one left out."""
    ORDER = "order"
    """Received out of order on one connection of a consumer."""
    ENDS = "ends"
    """A round with two ends, or with none though others followed."""
    TOO_EARLY = "too early"
    """On the wire, or answered, before it was committed."""
    AHEAD = "ahead"
    """The journal says that the broker took what it has not taken."""
    JOURNAL = "journal"
    """A row that was there is gone or another one; a gap in a table's sequence."""
    SIGNATURE = "signature"
    """An event that the station did not sign, or that was changed."""
    REPLIES = "replies"
    """One command with two answers, or a forged one carried out."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule broken once."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


def check(history: History) -> list[Violation]:
    """All that is broken. What must be there *in the end* is asked only of a history that is ``complete``."""
    rules: Iterable[Callable[[History], Iterator[Violation]]] = (
        journal_whole,
        one_end_a_round,
        nothing_too_early,
        nothing_ahead,
        one_body,
        all_signed,
        in_order_on_the_wire,
        in_order_at_consumers,
        one_answer,
        *((nothing_lost, nothing_invented, nothing_unheard) if history.complete else ()),
    )
    return [violation for rule in rules for violation in rule(history)]


def journal_whole(history: History) -> Iterator[Violation]:
    """Sequences have no gap, and what was once in the journal stays as it was."""
    last: Counter[str] = Counter()
    for event in history.committed:
        if event.sequence != last[event.table] + 1:
            yield Violation(Rule.JOURNAL, f"{event.table}: event {event.sequence} follows event {last[event.table]}")
        last[event.table] = event.sequence
    if history.rows:
        for row, hash_ in history.rows_seen.items():
            if history.rows.get(row) != hash_:
                now = history.rows.get(row, "gone")
                yield Violation(Rule.JOURNAL, f"row {row} was {hash_[:12]} once and is {now[:12]} at the end")


def one_end_a_round(history: History) -> Iterator[Violation]:
    """A round that began ends once, the last one of a table perhaps not yet."""
    opened: dict[str, list[str]] = defaultdict(list)
    ends: Counter[tuple[str, str]] = Counter()
    for event in history.committed:
        if event.subject is None:
            continue
        if event.type == "round.opened":
            opened[event.table].append(event.subject)
        elif event.type in ("round.outcome", "round.voided"):
            ends[event.table, event.subject] += 1
    for (table, subject), count in ends.items():
        if count != 1:
            yield Violation(Rule.ENDS, f"{table}: round {subject} ended {count} times")
    for table, subjects in opened.items():
        for subject in subjects[:-1]:
            if (table, subject) not in ends:
                yield Violation(Rule.ENDS, f"{table}: round {subject} never ended, and others followed")


def nothing_too_early(history: History) -> Iterator[Violation]:
    """An event exists once it is committed; only then is it sent. So with a command and its answer."""
    for sent in history.published:
        if sent.committed is False:
            yield Violation(
                Rule.TOO_EARLY, f"{sent.table}: event {sent.sequence} left the station before it was committed"
            )
    for reply in history.replied:
        if reply.ok and reply.committed is False:
            yield Violation(
                Rule.TOO_EARLY, f"{reply.table}: command {reply.command} was answered before it was committed"
            )


def nothing_ahead(history: History) -> Iterator[Violation]:
    """The cursor never says more than the broker did."""
    for position in history.positions:
        if position.published > position.acknowledged:
            yield Violation(
                Rule.AHEAD,
                f"{position.table}: the journal has the broker's word for event {position.published}, "
                f"and the broker gave it up to {position.acknowledged}",
            )


def one_body(history: History) -> Iterator[Violation]:
    """A repeat is the same to the byte, and what was sent is what was committed."""
    committed = by_key(history.committed)
    bodies: dict[Key, bytes] = {}
    for table, sequence, body in everything_sent(history):
        first = bodies.setdefault((table, sequence), body)
        if first != body:
            yield Violation(
                Rule.BODIES, f"{table}: event {sequence} has two bodies: {first[:300]!r} and {body[:300]!r}"
            )
        elif first is body and (event := committed.get((table, sequence))) is not None:
            message = json.loads(body)
            said = (message["type"], message.get("subject"), message["data"])
            if said != (event.type, event.subject, event.sent):
                yield Violation(Rule.BODIES, f"{table}: event {sequence} was sent otherwise than it was committed")


def all_signed(history: History) -> Iterator[Violation]:
    """Where the station signs, whatever arrives is as it was signed."""
    if history.signed is not None:
        for table, sequence, body in sorted({(got.table, got.sequence, got.body) for got in history.received}):
            if not history.signed(body):
                yield Violation(Rule.SIGNATURE, f"{table}: event {sequence} came without a signature that holds")


def in_order_on_the_wire(history: History) -> Iterator[Violation]:
    """On each connection one after the other. What the broker had taken before may come again, from anywhere; nothing
    that is new may be left out."""
    taken = _Taken(history)
    last: dict[tuple[str, int], int] = {}
    for sent in history.published:
        key = (sent.table, sent.connection)
        before, upto = last.get(key, 0), taken.upto(sent.table, sent.at_ns)
        if sent.sequence > max(before, upto) + 1:
            after = f"after event {before}" if before else "first on its connection"
            yield Violation(
                Rule.WIRE_ORDER,
                f"{sent.table}: event {sent.sequence} was sent {after}; the broker had taken {upto}",
            )
        last[key] = sent.sequence


def in_order_at_consumers(history: History) -> Iterator[Violation]:
    """A broker keeps the order of what it was given, so on one connection nothing that is new may be left out, but what
    it refused while its answer had not yet reached the station."""
    taken = _Taken(history)
    refused: dict[Key, int] = {}
    for refusal in history.refused:
        refused.setdefault((refusal.table, refusal.sequence), refusal.at_ns)
    last: dict[tuple[str, str, int], int] = {}
    for got in history.received:
        key = (got.consumer, got.table, got.connection)
        before = last.get(key)
        upto = None if before is None else max(before, taken.upto(got.table, got.at_ns))
        if upto is not None and any(
            refused.get((got.table, missing), got.at_ns) >= got.at_ns for missing in range(upto + 1, got.sequence)
        ):
            yield Violation(
                Rule.ORDER, f"{got.table}: event {got.sequence} came after event {before} to {got.consumer}"
            )
        last[key] = got.sequence


class _Taken:
    """Up to which sequence the broker had taken all of a table's events, at any moment."""

    def __init__(self, history: History) -> None:
        self._steps: dict[str, tuple[list[int], list[int]]] = {}
        sets: dict[str, set[int]] = defaultdict(set)
        for word in history.acknowledged:
            times, marks = self._steps.setdefault(word.table, ([], []))
            upto = before = marks[-1] if marks else 0
            sets[word.table].add(word.sequence)
            while upto + 1 in sets[word.table]:
                upto += 1
            if upto > before:
                times.append(word.at_ns)
                marks.append(upto)

    def upto(self, table: str, at_ns: int) -> int:
        """As of then."""
        times, marks = self._steps.get(table, ([], []))
        index = bisect_right(times, at_ns)
        return marks[index - 1] if index else 0


def one_answer(history: History) -> Iterator[Violation]:
    """The same command gets the same answer, however often it comes; a forged one is never carried out."""
    answers: dict[tuple[str, str, str], bytes] = {}
    for reply in history.replied:
        if reply.command in history.forged and reply.ok:
            yield Violation(Rule.REPLIES, f"{reply.table}: the forged command {reply.command} was carried out")
        if reply.error in NOT_FINAL:
            continue
        first = answers.setdefault((reply.table, reply.client, reply.command), reply.body)
        if first != reply.body:
            yield Violation(Rule.REPLIES, f"{reply.table}: command {reply.command} of {reply.client} had two answers")


def nothing_lost(history: History) -> Iterator[Violation]:
    """All that was committed is with every consumer."""
    wanted = {(event.table, event.sequence) for event in history.committed}
    for consumer in history.consumers:
        has = {(got.table, got.sequence) for got in history.received if got.consumer == consumer}
        for table, sequence in sorted(wanted - has):
            yield Violation(Rule.LOST, f"{table}: event {sequence} never came to {consumer}")


def nothing_invented(history: History) -> Iterator[Violation]:
    """All that was sent was committed, and every outcome happened: in order, each play once."""
    committed = {(event.table, event.sequence) for event in history.committed}
    for table, sequence in sorted({(table, sequence) for table, sequence, _ in everything_sent(history)} - committed):
        yield Violation(Rule.INVENTED, f"{table}: event {sequence} was sent and is not in the journal")
    for table, plays in _plays(history).items():
        for outcome, play in matched(_outcomes(history, table), plays):
            if play is None:
                yield Violation(
                    Rule.INVENTED,
                    f"{table}: outcome {outcome.sequence} never happened or breaks the rules: {outcome.data['facts']}",
                )


def nothing_unheard(history: History) -> Iterator[Violation]:
    """A play has its outcome, or between its neighbours' outcomes the journal tells why not, of each such play once."""
    for table, plays in _plays(history).items():
        events = [event for event in history.committed if event.table == table]
        begin = first = 0
        for outcome, index in matched(_outcomes(history, table), plays):
            if index is None:
                continue
            unanswered = [dict(play.facts) for play in plays[first:index] if play.must]
            told = explained([event for event in events if begin < event.sequence < outcome.sequence])
            if told is not None and len(unanswered) > told:
                yield Violation(
                    Rule.UNHEARD,
                    f"{table}: between events {begin} and {outcome.sequence} {told} plays without an outcome are "
                    f"explained, and there were {len(unanswered)}: {unanswered}",
                )
            begin, first = outcome.sequence, index + 1


def explained(events: Iterable[Committed]) -> int | None:
    """Of how many plays these events say why they have no outcome; ``None``: of any number."""
    held: set[str | None] = set()
    told = 0
    for event in events:
        if event.sequence == 1:  # the table's first start: no play was before it
            continue
        if event.type in BLIND:
            return None
        if event.type == "attempt.held":
            held.add(event.subject)
        # A round that is voided because its attempt was held says nothing of another play.
        told += event.type not in PLAIN and not (event.type == "round.voided" and event.subject in held)
    return told


def matched(outcomes: Iterable[Committed], plays: list[Play]) -> Iterator[tuple[Committed, int | None]]:
    """Each outcome with the index of its play: the next one after the last that fits. ``None`` where none does."""
    at = 0
    for outcome in outcomes:
        fits = (i for i in range(at, len(plays)) if plays[i].may and _fits(outcome.data["facts"], plays[i].facts))
        found = next(fits, None)
        yield outcome, found
        if found is not None:
            at = found + 1


def _fits(said: Mapping[str, object], happened: Mapping[str, object]) -> bool:
    """Whether an outcome's facts say what happened; a fact may lie deeper, ``player.cards``. What is measured (a float)
    may be a little off."""
    for path, value in happened.items():
        at: object = said
        for key in path.split("."):
            at = at.get(key) if isinstance(at, Mapping) else None
        near = isinstance(value, float) and isinstance(at, float | int) and abs(at - value) <= MEASURED_WITHIN
        if at != value and not near:
            return False
    return True


def _outcomes(history: History, table: str) -> list[Committed]:
    return [event for event in history.committed if event.table == table and event.type == "round.outcome"]


def _plays(history: History) -> dict[str, list[Play]]:
    plays: dict[str, list[Play]] = {event.table: [] for event in history.committed if event.type == "round.outcome"}
    for play in history.plays:
        plays.setdefault(play.table, []).append(play)
    return plays


def by_key(committed: Iterable[Committed]) -> dict[Key, Committed]:
    """By table and sequence."""
    return {(event.table, event.sequence): event for event in committed}


def everything_sent(history: History) -> Iterator[tuple[str, int, bytes]]:
    """Table, sequence and body of all that left the station or arrived."""
    for sent in history.published:
        yield sent.table, sent.sequence, sent.body
    for got in history.received:
        yield got.table, got.sequence, got.body
