"""Laws about what came before: what a frame says is of the frame, not of the spin, the card or the link before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from dealer_drivers.conformance.check import Broken, brief
from dealer_drivers.conformance.evidence import Key, content, key_of
from dealer_drivers.conformance.player import Mangle, Player
from dealer_drivers.conformance.subject import Subject

Known: TypeAlias = dict[Key, list[dict[str, object]]]


def earlier_frames_change_nothing(subject: Subject) -> None:
    """A frame says the same when it comes alone, a second time, after the link was lost, and when all before it is
    missing; but for the fields that the example names as counted and the readings that gather frames."""
    known = _alone(subject)
    for name, player in _histories(subject):
        for reading in player.values():
            if not reading.raw or isinstance(reading, subject.example.gathers):
                continue
            told = content(reading)
            before = known.setdefault(key_of(reading), [told])
            if not any(_agree(told, one, subject.example.counted) for one in before):
                raise Broken(
                    f"{name} {brief(reading)}; the same bytes said before: {before[0]}. What a frame says must be its "
                    "own; a field that counts what came before is named in Example.counted"
                )


def _histories(subject: Subject) -> Iterator[tuple[str, Player]]:
    yield "in the example it reads", subject.player().play()
    yield "the second time it reads", subject.player().play(2)
    again = subject.player().play()
    again.lose()
    yield "after the link was lost it reads", again.play()
    if len(subject.chunks) < 2:
        return
    for end in sorted({rng.randrange(1, len(subject.chunks)) for _, rng in subject.rngs("history")}):
        yield f"without the first {end} pieces it reads", subject.player(_without(range(end))).play()
        yield f"without piece {end} it reads", subject.player(_without(range(end, end + 1))).play()


def _without(left_out: range) -> Mangle:
    def mangle(n: int, data: bytes) -> tuple[bytes, ...]:
        return () if n in left_out else (data,)

    return mangle


def _alone(subject: Subject) -> Known:
    """What each thing that arrives says to a new session."""
    known: Known = {}
    for chunk in dict.fromkeys(subject.chunks):
        player = subject.player()
        player.open()
        player.feed(chunk)
        player.wait(1.0, answering=False)
        for reading in player.values():
            known.setdefault(key_of(reading), []).append(content(reading))
    return known


def _agree(one: dict[str, object], other: dict[str, object], counted: tuple[str, ...]) -> bool:
    """Whether they say the same, or one of them less: what is not known is ``None``."""
    return all(
        name in counted or value is None or other[name] is None or value == other[name] for name, value in one.items()
    )
