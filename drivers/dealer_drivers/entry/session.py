"""Entries made twice: lines from a screen, to readings. Pure.

A line is a JSON object ``{"by": "...", "round": "r1-17", "result": {...}}``; each is answered with one,
``{"state": "again" | "entered" | "differ" | "expired" | "refused", "reason": "..."}``. The screen answers for who
``by`` is. The first entry waits for the second; another result, another person, another round or too long a time in
between and both are forgotten.

Both lines may carry the same ``"id"``, a word of the screen's own for this result. An id that was entered is answered
``entered`` again and enters nothing: a screen whose answer was lost sends both lines once more.

A line may say which of the two it is, ``"nth": 1`` or ``2``. Without it the same line sent again, by a screen that lost
the first answer, would be taken for the second entry, which nobody made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.json_text import decode_json
from dealer_drivers.readings import DeviceFault, Reading, Unreadable
from dealer_drivers.readings.entry import EntryFault, ResultEntered

MAX_ID = 100
REMEMBERED = 64
"""Ids that were entered. A lost answer is asked for again within seconds."""
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
        self._first: _First | None = None
        self._differed = False
        self._entered: dict[str, Entry] = {}

    def opened(self, at: Instant) -> Output:
        """The screen is there."""
        return self.lost(at, "")

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The screen is gone: half an entry is none."""
        self._held, self._skipping, self._first = b"", False, None
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
        if self._first is None or at.since_s(self._first.at) < self._again_s:
            return NOTHING
        self._first = None
        return Output(send=(_answer("expired", f"no second entry within {self._again_s:g} s: enter it twice"),))

    def deadline_ns(self) -> int | None:
        """When the first entry is forgotten."""
        return None if self._first is None else self._first.at.plus_s(self._again_s).mono_ns

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
            return Output(send=(_answer("refused", problem),), frames=1)
        nth, entry = entry.nth, msgspec.structs.replace(entry, nth=None)
        if entry.id is not None and (known := self._entered.get(entry.id)) is not None:
            if known == entry:
                return Output(send=(_answer("entered", "it was entered before"),), frames=1)
            return Output(send=(_answer("refused", '"id" was that of another result: take a new one'),), frames=1)
        first = self._first
        if nth == 1 and first is not None and first.entry == entry:
            return Output(send=(_answer("again", "enter the same once more"),), frames=1)
        if nth == 2 and first is None:
            return Output(send=(_answer("refused", "its first entry is not known any more: enter it twice"),), frames=1)
        self._first = None
        if first is None:
            self._first = _First(entry, line, at)
            return Output(send=(_answer("again", "enter the same once more"),), frames=1)
        if first.entry != entry:
            detail = "the two entries are not the same; look again and enter the result twice"
            fault = DeviceFault(at=at, raw=_both(first.line, line), fault=EntryFault.ENTRIES_DIFFER, detail=detail)
            faults = () if self._differed else (fault,)
            self._differed = True
            return Output(faults, (_answer("differ", detail),), frames=1)
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
        return Output(readings, (_answer("entered", ""),), frames=1)

    def _garbage(self, line: bytes, at: Instant, size: int) -> Output:
        reading = Unreadable(at=at, raw=line[:256], reason="no entry of a result")
        return Output((reading,), (_answer("refused", "no entry of a result"),), rejected=size)


def _both(first: bytes, second: bytes) -> bytes:
    return first + b"\n" + second + b"\n"


def _answer(state: str, reason: str) -> bytes:
    return msgspec.json.encode({"state": state, "reason": reason}) + b"\n"
