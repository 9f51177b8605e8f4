"""Two devices for one result: both must agree within a set time, or the attempt is held (``games.md`` §2).

The main device's judge leads: its beginnings, refusals and doubts are the table's. Only what it accepts waits for the
witnesses, each of which has a judge of its own and has seen the same attempt in its own way. An attempt of which the
main device tells nothing before its result (a line with a number, an entry) may have been told by a witness before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.signals import (
    Ask,
    Contradicted,
    Judged,
    NeedsConfirmation,
    NotJudged,
    Signal,
    Started,
    Trouble,
    Unseen,
    Value,
    Withdrawn,
)
from dealer_daemon.verdicts import Held, Refused
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading


class WitnessReason(StrEnum):
    """Why two witnesses give no result."""

    WITNESSES_DIFFER = "witnesses_differ"
    """The second device says something else."""
    WITNESS_UNSURE = "witness_unsure"
    """The second device saw the attempt and does not accept it."""
    WITNESS_MISSING = "witness_missing"
    """The second device said nothing in time."""


Same = Callable[[Mapping[str, object], Mapping[str, object]], bool]
"""Whether two results' facts are the same result."""


@dataclass(frozen=True, slots=True)
class _Pending:
    signal: Judged | NeedsConfirmation
    until_ns: int


class WitnessedJudge:
    """``witnesses`` by device; ``same`` compares results; each must be there ``wait_s`` after the main device's, or as
    long before it where that says nothing of an attempt before its result."""

    def __init__(self, main: Judge, witnesses: Mapping[str, Judge], same: Same, wait_s: float) -> None:
        self._main = main
        self._witnesses = dict(witnesses)
        self._same = same
        self._wait_s = wait_s
        self._pending: _Pending | None = None
        self._answers: dict[str, Value | Refused | Held] = {}
        self._answered_ns: dict[str, int] = {}
        self._late_ns: dict[str, int] = {}
        """Witnesses that were missing, and until when what they say is still of that attempt."""
        self._passed = True
        """The main device's newest value was passed on, or is of before this judge began: what it takes back is that.
        Of another the table would charge it to the round before."""
        self._agreed: frozenset[str] = frozenset()
        """Witnesses whose newest word is in the value that was passed on: what they take back is that."""

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading of the main devices, or of a witness."""
        witness = self._witnesses.get(device)
        if witness is None:
            return self._led(self._main.feed(device, reading), reading.at)
        return self._witnessed(device, witness.feed(device, reading), reading.at)

    def tick(self, at: Instant) -> list[Signal]:
        """Time passed: a witness that says nothing is missing."""
        signals = self._led(self._main.tick(at), at)
        for device, witness in self._witnesses.items():
            signals += self._witnessed(device, witness.tick(at), at)
        pending = self._pending
        if pending is not None and at.mono_ns >= pending.until_ns:
            absent = [device for device in self._witnesses if device not in self._answers]
            self._late_ns = dict.fromkeys(absent, at.plus_s(self._wait_s).mono_ns)
            detail = f"{', '.join(absent)} gave no result within {self._wait_s:g} s of the main device"
            signals += self._end(Held(WitnessReason.WITNESS_MISSING, detail, pending.signal.value.facts))
        return signals

    def deadline_ns(self) -> int | None:
        """The earliest of all that may matter."""
        times = [self._main.deadline_ns(), *(witness.deadline_ns() for witness in self._witnesses.values())]
        times.append(None if self._pending is None else self._pending.until_ns)
        return min((time for time in times if time is not None), default=None)

    def discard(self) -> None:
        """Nothing under way counts, for nobody."""
        self._forget()
        self._main.discard()
        for witness in self._witnesses.values():
            witness.discard()

    @property
    def decided(self) -> bool:
        """The main device gave a result, which waits for its witnesses."""
        return self._pending is not None

    def underway(self) -> bool:
        """An attempt runs, or its witnesses are awaited."""
        return self._pending is not None or self._main.underway()

    def waiting(self) -> bool:
        """As the main device."""
        return self._pending is None and self._main.waiting()

    def due(self, at: Instant) -> list[Signal]:
        """The main device may begin, and each witness is told that it may."""
        signals = self._led(self._main.due(at), at)
        for device, witness in self._witnesses.items():
            signals += self._witnessed(device, witness.due(at), at)
        return signals

    def _led(self, signals: list[Signal], at: Instant) -> list[Signal]:
        out: list[Signal] = []
        at_once = any(isinstance(signal, Judged | NeedsConfirmation) for signal in signals)
        for signal in signals:
            match signal:
                case Started():
                    if self._pending is not None:
                        detail = "the next attempt began before every witness had spoken"
                        held = Held(WitnessReason.WITNESS_MISSING, detail, self._pending.signal.value.facts)
                        out += self._end(held)
                    self._forget_before(at.mono_ns - round(self._wait_s * NS_PER_S) if at_once else at.mono_ns)
                    out.append(signal)
                case Judged() | NeedsConfirmation():
                    self._passed = False
                    self._pending = _Pending(signal, at.plus_s(self._wait_s).mono_ns)
                    out += self._compare()
                case Contradicted(reason=reason, detail=detail) if self._pending is not None:
                    out += self._end(Held(reason, detail, self._pending.signal.value.facts))
                case Contradicted() if not self._passed:
                    pass
                case Withdrawn(held=verdict) if self._pending is not None:
                    if verdict is None:
                        self._forget()
                    else:
                        out += self._end(verdict)
                case NotJudged() | Unseen() | Contradicted():
                    self._forget()
                    out.append(signal)
                case _:
                    out.append(signal)
        return out

    def _witnessed(self, device: str, signals: list[Signal], at: Instant) -> list[Signal]:
        out: list[Signal] = []
        for signal in signals:
            if isinstance(signal, Judged | NeedsConfirmation | NotJudged):
                self._agreed -= {device}
                if at.mono_ns <= self._late_ns.pop(device, at.mono_ns - 1):
                    continue
                self._answered_ns[device] = at.mono_ns
            match signal:
                case Started():
                    self._answers.pop(device, None)
                case Judged(value=value) | NeedsConfirmation(value=value):
                    self._answers[device] = value
                    out += self._compare()
                case NotJudged(verdict=verdict):
                    self._answers[device] = verdict
                    out += self._compare()
                case Withdrawn():
                    self._answers.pop(device, None)
                case Contradicted(reason=reason, detail=detail) if device in self._answers:
                    self._answers[device] = Held(reason, detail, {})
                    out += self._compare()
                case Contradicted() if device not in self._agreed:
                    pass  # of a word that was never used: the table would charge it to the round before
                case Contradicted() | Trouble() | Ask():
                    out.append(signal)
                case _:
                    pass
        return out

    def _compare(self) -> list[Signal]:
        pending = self._pending
        if pending is None:
            return []
        value = pending.signal.value
        for device, answer in self._answers.items():
            if isinstance(answer, Refused | Held):
                detail = f"{device} does not accept it: {answer.detail}"
                return self._end(Held(WitnessReason.WITNESS_UNSURE, detail, value.facts))
            if not self._same(value.facts, answer.facts):
                detail = f"{', '.join(value.witnesses)} and {device} do not say the same"
                seen: dict[str, Any] = {"main": dict(value.facts), device: dict(answer.facts)}
                return self._end(Held(WitnessReason.WITNESSES_DIFFER, detail, seen))
        if len(self._answers) < len(self._witnesses):
            return []
        self._passed, self._agreed = True, frozenset(self._answers)
        agreed = replace(value, witnesses=(*value.witnesses, *sorted(self._answers)))
        self._forget()
        return [replace(pending.signal, value=agreed)]

    def _end(self, held: Held) -> list[Signal]:
        self._forget()
        return [NotJudged(held)]

    def _forget(self) -> None:
        self._pending = None
        self._answers.clear()

    def _forget_before(self, mono_ns: int) -> None:
        """An attempt began: what witnesses said up to then is of another."""
        self._pending = None
        self._late_ns.clear()
        self._answers = {name: said for name, said in self._answers.items() if self._answered_ns[name] > mono_ns}
