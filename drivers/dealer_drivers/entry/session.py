"""Entries made twice: lines from screens, to readings. Pure.

A line is a JSON object ``{"id": "...", "by": "...", "round": "r1-17", "result": {...}}``; each is answered with one,
``{"state": "again" | "entered" | "differ" | "expired" | "refused", "reason": "...", "id": "..."}``. The screen answers
for who ``by`` is. The first entry waits for the second; another result, another person, another round or too long a
time in between and both are forgotten.

Both lines may carry the same ``"id"``, a word of the screen's own for this result, and so do their answers. Several
screens may speak at one socket, and each hears all answers: the first line of one is completed by none of another.
(Lines without an id are told apart by the person alone.) Different results of one round make none: all who entered one
once are told. The same result is entered by whoever completes it first, and the others need not.

An id that was entered is answered ``entered`` again and enters nothing: a screen whose answer was lost sends both lines
once more.

A line may say which of the two it is, ``"nth": 1`` or ``2``. Without it the same line sent again, by a screen that lost
the first answer, would be taken for the second entry, which nobody made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.json_text import decode_json
from dealer_drivers.readings import DeviceFault, Reading, Unreadable
from dealer_drivers.readings.entry import EntryFault, ResultEntered

MAX_ID = 100
REMEMBERED = 64
"""Ids that were entered. A lost answer is asked for again within seconds."""
MOST_WAITING = 8
"""First entries that wait: one for each screen that may be connected."""
MAX_LINE = 4096
"""Bytes. The longest result there is, three dice, takes some forty."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line."""

    by: str
    round: str | None
    result: dict[str, Any]
    id: str | None = None
    nth: Literal[1, 2] | None = None

    def problem(self) -> str | None:
        """What is wrong with it."""
        if not self.by.strip() or len(self.by) > 100:
            return '"by" is the name of the person, 1 to 100 characters'
        if not self.result:
            return '"result" is empty'
        if self.id is not None and not 1 <= len(self.id) <= MAX_ID:
            return f'"id" is 1 to {MAX_ID} characters, or left out'
        return None

    def of(self) -> _Who:
        """Which lines it belongs to."""
        return (self.id, self.by if self.id is None else "")


_Who: TypeAlias = tuple[str | None, str]
"""A screen's own id of a result; where it says none, the person."""


@dataclass(frozen=True, slots=True)
class _First:
    entry: Entry
    line: bytes
    at: Instant


class EntrySession:
    """Lines and time in; readings and answers out. The second entry must come within ``again_s`` of the first."""

    def __init__(self, again_s: float) -> None:
        self._again_s = again_s
        self._held = b""
        self._skipping = False
        self._firsts: dict[_Who, _First] = {}
        """First entries that wait for their second, the oldest first."""
        self._differed = False
        self._entered: dict[str, Entry] = {}

    def opened(self, at: Instant) -> Output:
        """A screen may speak."""
        return self.lost(at, "")

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """Nobody may speak any more: half an entry is none."""
        self._held, self._skipping = b"", False
        self._firsts.clear()
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        outputs = [self.tick(at)]
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            skipped, self._skipping = self._skipping, False
            outputs.append(Output(rejected=len(line) + 1) if skipped else self._line(line, at))
        if len(self._held) > MAX_LINE:
            # Said by its beginning, once: where it ends depends on how it was cut.
            size = len(self._held)
            outputs.append(Output(rejected=size) if self._skipping else self._garbage(self._held, at, size))
            self._held, self._skipping = b"", True
        return Output(
            tuple(reading for output in outputs for reading in output.readings),
            tuple(send for output in outputs for send in output.send),
            sum(output.frames for output in outputs),
            sum(output.rejected for output in outputs),
        )

    def tick(self, at: Instant) -> Output:
        """Time passed: a first entry that stays alone is forgotten."""
        late = [key for key, first in self._firsts.items() if at.since_s(first.at) >= self._again_s]
        for key in late:
            del self._firsts[key]
        detail = f"no second entry within {self._again_s:g} s: enter it twice"
        return Output(send=tuple(_answer("expired", detail, key) for key in late))

    def deadline_ns(self) -> int | None:
        """When the oldest first entry is forgotten."""
        return min((first.at.plus_s(self._again_s).mono_ns for first in self._firsts.values()), default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """People are asked on the screen."""
        return NOTHING

    def _line(self, line: bytes, at: Instant) -> Output:
        try:
            entry = decode_json(line, Entry) if len(line) <= MAX_LINE else None
        except (msgspec.DecodeError, msgspec.ValidationError):
            entry = None
        if entry is None:
            return self._garbage(line, at, len(line) + 1)
        problem = entry.problem()
        if problem is not None:
            return Output(send=(_answer("refused", problem, entry.of()),), frames=1)
        return self._entry(entry.of(), entry, line, at)

    def _entry(self, key: _Who, entry: Entry, line: bytes, at: Instant) -> Output:
        nth, entry = entry.nth, msgspec.structs.replace(entry, nth=None)
        if entry.id is not None and (known := self._entered.get(entry.id)) is not None:
            if known == entry:
                return Output(send=(_answer("entered", "it was entered before", key),), frames=1)
            return Output(send=(_answer("refused", '"id" was that of another result: take a new one', key),), frames=1)
        first = self._firsts.get(key)
        if nth == 1 and first is not None and first.entry == entry:
            return Output(send=(_answer("again", "enter the same once more", key),), frames=1)
        if nth == 2 and first is None:
            detail = "its first entry is not known any more: enter it twice"
            return Output(send=(_answer("refused", detail, key),), frames=1)
        if first is not None and first.entry != entry:
            del self._firsts[key]
            detail = "the two entries are not the same; look again and enter the result twice"
            return self._differ(_both(first.line, line), detail, [key], at)
        if others := self._against(key, entry):
            raw = _both(self._firsts[others[0]].line, line)
            for other in (*others, key):
                self._firsts.pop(other, None)
            detail = "another screen says another result of this round; look again, together, and enter it twice"
            return self._differ(raw, detail, [*others, key], at)
        if first is None:
            return self._wait(key, _First(entry, line, at))
        return self._agreed(key, first, line, at)

    def _against(self, key: _Who, entry: Entry) -> list[_Who]:
        """Other screens that have entered another result of the round once."""
        return [
            other
            for other, first in self._firsts.items()
            if other != key and first.entry.round == entry.round and first.entry.result != entry.result
        ]

    def _wait(self, key: _Who, first: _First) -> Output:
        self._firsts[key] = first
        answers = [_answer("again", "enter the same once more", key)]
        if len(self._firsts) > MOST_WAITING:
            oldest = next(iter(self._firsts))
            del self._firsts[oldest]
            answers.append(_answer("expired", "too many entries wait for their second: enter it twice", oldest))
        return Output(send=tuple(answers), frames=1)

    def _agreed(self, key: _Who, first: _First, line: bytes, at: Instant) -> Output:
        entry = first.entry
        done = [other for other, waiting in self._firsts.items() if waiting.entry.round == entry.round]
        for other in done:
            del self._firsts[other]
        if entry.id is not None:
            self._entered[entry.id] = entry
            if len(self._entered) > REMEMBERED:
                del self._entered[next(iter(self._entered))]
        raw = _both(first.line, line)
        entered = ResultEntered(at=at, raw=raw, by=entry.by, round=entry.round, result=entry.result)
        readings: tuple[Reading, ...] = (entered,)
        if self._differed:
            self._differed = False
            cleared = DeviceFault(at=at, raw=b"", fault=EntryFault.ENTRIES_DIFFER, detail="", cleared=True)
            readings = (cleared, entered)
        told = [_answer("expired", "the same was entered at another screen", other) for other in done if other != key]
        return Output(readings, (_answer("entered", "", key), *told), frames=1)

    def _differ(self, raw: bytes, detail: str, keys: list[_Who], at: Instant) -> Output:
        fault = DeviceFault(at=at, raw=raw, fault=EntryFault.ENTRIES_DIFFER, detail=detail)
        faults = () if self._differed else (fault,)
        self._differed = True
        return Output(faults, tuple(_answer("differ", detail, key) for key in keys), frames=1)

    def _garbage(self, line: bytes, at: Instant, size: int) -> Output:
        reading = Unreadable(at=at, raw=line[:256], reason="no entry of a result")
        return Output((reading,), (_answer("refused", "no entry of a result", None),), rejected=size)


def _both(first: bytes, second: bytes) -> bytes:
    return first + b"\n" + second + b"\n"


def _answer(state: str, reason: str, who: _Who | None) -> bytes:
    """With the id of the line that is answered, where it has one."""
    own = {} if who is None or who[0] is None else {"id": who[0]}
    return msgspec.json.encode({"state": state, "reason": reason, **own}) + b"\n"
