"""A whole station's journal against what really happened at its simulated tables, play by play.

A *play* is one throw, turn, shake, layout or hand of the simulator's truth. What a station may answer to it:

- ``accept``: one outcome with these very facts;
- ``refuse``, ``hold``: a refusal, or a hold for a person, and no outcome;
- ``either`` (something odd went by that a station may or may not notice): as one of the two above, or nothing at all;
- a hand whose cards had to be drawn again: as many refusals before its outcome.

Any throw, turn, shake or layout that was made while the table stood paused may be answered by just that (``in a
pause``, and ``in a pause: good`` where it would have counted): a dealer need not wait for the manager.

Answers stand in the order of the plays, and there are no others. An ``accept`` that was held because the host was late
(a clock that runs twenty times faster makes 50 ms of a busy machine a second of silence) is counted apart as ``late``.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from support.card_audit import published
from support.checker import sent_of

Record = dict[str, Any]
Said = dict[str, Any]
LATE = frozenset({"samples_missing", "silence", "device_lost", "shaker_lost", "camera_fault", "never_still", "no_look"})
"""Reasons that say nothing but that a device was not heard, or its picture not read, in time."""
ANSWERS = {"round.outcome": "outcome", "attempt.refused": "refused", "attempt.held": "held"}
PAUSED = "spin_while_paused"


@dataclass(frozen=True, slots=True)
class Play:
    """One play: what may be answered, with which facts, after how many refusals."""

    expect: str
    facts: Mapping[str, Any]
    again: int
    record: Record


def _side(cards: Mapping[str, str], side: str) -> list[str]:
    return [card for at, card in sorted(cards.items()) if at.startswith(f"{side}.")]


def _throw(record: Record) -> Play:
    facts = {"number": record["number"], "laps": record["laps"], "spin": record["counter"]}
    return Play(record["expect"], facts, 0, record)


def _turn(record: Record) -> Play:
    return Play(record["expect"], {"segment": record["segment"], "color": record["color"]}, 0, record)


def _shake(record: Record) -> Play:
    return Play(record["expect"], {"dice": record["values"]}, 0, record)


def _layout(record: Record) -> Play:
    return Play(record["expect"], {key: record[key] for key in ("beans", "groups", "remainder")}, 0, record)


def _hand(record: Record) -> Play:
    """The shoe says nothing of a first card that it cannot read but that it is so: no round is open then."""
    first = next(iter(record["cards"]), None)
    again = [struck for struck in record["struck"] if struck["expect"] == "rescan" and struck["position"] != first]
    sides = ("player", "banker") if record["game"] == "baccarat" else ("first", "second")
    facts = {side: _side(record["cards"], side) for side in sides} | {"winner": record["winner"]}
    return Play("accept", facts, len(again), record)


def _hand_facts(facts: Said) -> Said:
    if "hands" in facts:
        hands = facts["hands"]
        return {side: hands[side]["cards"] for side in ("first", "second")} | {"winner": facts["winner"]}
    return published(facts)


PLAYS: Mapping[str, Callable[[Record], Play]] = {
    "roulette": _throw,
    "baccarat": _hand,
    "three-cards": _hand,
    "rainbow-wheel": _turn,
    "sic-bo": _shake,
    "fan-tan": _layout,
}


@dataclass(slots=True)
class TableAudit:
    """One table: ``wrong`` in sentences, the plays that were answered, and figures."""

    wrong: list[str]
    plays: list[Play]
    figures: Counter[str]

    @property
    def answered(self) -> int:
        """How many plays were."""
        return len(self.plays)


def audit(game: str, records: Sequence[Record], events: Sequence[Said]) -> TableAudit:
    """The table's committed events (all of them, in order) against its plays (in order, the last one perhaps not
    over)."""
    answers = [(word, event["data"]) for event in events if (word := _word(event)) is not None]
    figures: Counter[str] = Counter()
    wrong: list[str] = []
    answered: list[Play] = []
    at = 0
    before: Play | None = None
    for play in map(PLAYS[game], records):
        if game == "fan-tan" and before is not None and play.facts == before.facts and play.expect == "accept":
            play = replace(play, expect="either")  # as many beans as before: perhaps those, a person looks
        before = play
        if at == len(answers) or wrong:
            break
        taken = _answer(play, answers[at:], figures)
        if isinstance(taken, str):
            if play.record["finished"] or at < len(answers):
                wrong.append(f"{game}: {taken}: {play.record}")
            break
        at += taken
        answered.append(play)
    if at < len(answers) and not wrong:
        wrong.append(f"{game}: an answer to nothing: {answers[at]}")
    return TableAudit(wrong, answered, figures)


def _word(event: Said) -> str | None:
    """What the event says of a play; ``None`` for nothing."""
    if event["type"] == "violation" and event["data"]["reason"] == PAUSED:
        return PAUSED
    return ANSWERS.get(event["type"])


def _answer(play: Play, answers: Sequence[tuple[str, Said]], figures: Counter[str]) -> int | str:
    """How many answers this play had, or what is wrong."""
    for number in range(play.again):
        if len(answers) <= number or answers[number][0] != "refused":
            return f"refused {number} times, to be drawn again {play.again} times"
    if len(answers) == play.again:
        figures["under way"] += play.expect == "accept" and not play.record["finished"]
        return play.again  # its outcome is still to come
    word, data = answers[play.again]
    if word == PAUSED:
        figures["in a pause"] += 1
        figures["in a pause: good"] += play.expect == "accept"
        return play.again + 1
    if word == "outcome":
        facts = _hand_facts(data["facts"]) if play.record.get("cards") else data["facts"]
        seen = {key: facts[key] for key in play.facts}
        if seen != dict(play.facts):
            return f"another outcome, {seen}" if play.expect == "accept" else _nothing(play, figures)
        if play.expect not in ("accept", "either"):
            return f"published, and the play is to {play.expect}"
        figures["accepted" if play.expect == "accept" else "either: accepted"] += 1
    elif play.expect == "accept" and data["reason"] not in LATE:
        return f"{word}, {data['reason']}: {data['detail']}"
    elif play.expect == "accept":
        figures["late"] += 1
    else:
        figures[f"{play.expect}: {word}"] += 1
    figures[word] += 1
    figures["refused"] += play.again
    return play.again + 1


def _nothing(play: Play, figures: Counter[str]) -> int | str:
    """Nothing was said of this play; the next answer is another one's."""
    if play.expect != "either":
        return f"nothing was said of a play to {play.expect}"
    figures["either: nothing"] += 1
    return 0


def deck_sets(records: Sequence[Record], events: Sequence[Said]) -> list[str]:
    """What is wrong with the shuffles' verdicts: each one over is verified once or failed, by its own number."""
    verified = Counter(event["data"]["job"] for event in events if event["type"] == "deck.verified")
    failed = Counter(event["data"]["job"] for event in events if event["type"] == "deck.failed")
    found = []
    for record in records:
        job, good = record["job"], record["expect"] == "verify"
        if (verified[job], failed[job] > 0) != (int(good), not good):
            found.append(f"shuffle {record}: verified {verified[job]} times, failed {failed[job]} times")
    known = {record["job"] for record in records}
    strange = sorted(job for job in verified if job not in known)
    if len(strange) > 2:  # the set that was in the machine at the beginning, and the shuffle under way
        found.append(f"verified and never shuffled: {strange}")
    return found


def sent_as_committed(journal: Sequence[Said], received: Sequence[tuple[str, bytes]]) -> list[str]:
    """What is wrong with what arrived (table and body, in order) against the journal: gaps, losses, inventions, order,
    bodies."""
    found = []
    bodies: dict[str, dict[int, bytes]] = defaultdict(dict)
    for table, body in received:
        sequence = json.loads(body)["sequence"]
        if sequence not in bodies[table] and bodies[table] and sequence != max(bodies[table]) + 1:
            found.append(f"{table}: {sequence} after {max(bodies[table])}")
        if bodies[table].setdefault(sequence, body) != body:
            found.append(f"{table}: sequence {sequence} came with two bodies")
    for table in {event["table"] for event in journal} | bodies.keys():
        events = {event["sequence"]: event for event in journal if event["table"] == table}
        if list(events) != list(range(1, len(events) + 1)):
            found.append(f"{table}: the journal's sequence has gaps")
        if events.keys() != bodies[table].keys():
            found.append(f"{table}: committed and received differ: {sorted(events.keys() ^ bodies[table].keys())}")
        found += [
            f"{table}: sequence {sequence} was sent otherwise than it was committed"
            for sequence in events.keys() & bodies[table].keys()
            if json.loads(bodies[table][sequence])["data"] != sent_of(events[sequence])
        ]
    return found
