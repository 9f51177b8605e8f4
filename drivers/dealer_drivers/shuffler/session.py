"""The conversation with a shuffler: states and faults, told once each. Pure; the same for every make.

All that is ever sent is the question for the state. No reading holds bytes that are no frame: they may be a torn order
of cards.
"""

from __future__ import annotations

from dataclasses import replace

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.shuffler import (
    DeckReport,
    MachineState,
    OrderThrownAway,
    ShufflerFault,
    ShufflerLevel,
    ShufflerTampered,
)
from dealer_drivers.shuffler.codec import GenericFormat
from dealer_drivers.shuffler.frames import (
    QUESTION,
    Flag,
    Frame,
    Level,
    OrderOffered,
    Reenumerated,
    Status,
    Thrown,
    encode,
)

SILENT_AFTER_S = 3.0
"""A shuffler says its state every second (``docs/reference/generic-shuffler.md``)."""
LEVEL_STEP = 26
"""Cards; a level is told in steps of half a deck."""

ORDER_DETAIL = (
    "the shuffler sends the order of the cards, which was thrown away: switch that off at the machine, then shuffle the"
    " set again"
)
FLAG_FAULTS = {
    Flag.JAM: (ShufflerFault.JAM, "a card is jammed in the shuffler: take it out and shuffle the set again"),
    Flag.DOOR: (ShufflerFault.DOOR_OPEN, "a door of the shuffler stands open: close it and shuffle the set again"),
    Flag.MISREAD: (
        ShufflerFault.MISREAD,
        "the shuffler could not recognise a card: look for a damaged one and shuffle the set again",
    ),
}


class ShufflerSession:
    """One shuffler. ``poll_s``: how often it is asked for its state, 0 for one that speaks by itself. ``low_level``:
    cards below which a continuous one is said to run low, 0 for never."""

    def __init__(self, *, poll_s: float = 0.0, low_level: int = 0) -> None:
        self._poll_ns = round(poll_s * NS_PER_S)
        self._low_level = low_level
        self._lines = GenericFormat(own_words=True)
        self._heard_ns: int | None = None
        self._ask_ns: int | None = None
        self._last: Frame | None = None
        self._status: Status | None = None
        """What was told last, without its sequence; ``None`` since the link was lost."""
        self._level: Level | None = None
        self._standing: dict[str, str] = {}
        """Faults that were told and not cleared, and their sentences. They outlive the link: nobody said otherwise."""
        self._order_job: int | None = None
        """The job in which an order of cards was offered."""

    def opened(self, at: Instant) -> Output:
        """The link is up."""
        self._forget()
        self._heard_ns = at.mono_ns
        return self._ask(at)

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: what was believed of the machine is asked anew."""
        self._forget()
        self._heard_ns = self._ask_ns = None
        return Output(self._end(Fault.SILENT, b"", at))

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived, as the guard lets them through or as a recording has them."""
        readings: list[Reading] = []
        frames = rejected = 0
        for frame in self._lines.feed(data):
            if isinstance(frame, Status | Level):
                frames += 1
            elif isinstance(frame, Thrown):
                rejected += frame.size
            readings += self._heard(frame, at)
        return Output(tuple(readings), frames=frames, rejected=rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed."""
        readings: tuple[Reading, ...] = ()
        silent_ns = self._silent_ns()
        if silent_ns is not None and at.mono_ns >= silent_ns:
            detail = "the shuffler says nothing new: check its power, the cable and the line's speed"
            readings = self._begin(Fault.SILENT, detail, b"", at)
        if self._ask_ns is not None and at.mono_ns >= self._ask_ns:
            return replace(self._ask(at), readings=readings)
        return Output(readings)

    def deadline_ns(self) -> int | None:
        """When silence is to be told, or the next question is due."""
        return min((ns for ns in (self._silent_ns(), self._ask_ns) if ns is not None), default=None)

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """A shuffler is watched; nothing can be asked of it."""
        return NOTHING

    def _forget(self) -> None:
        self._lines.reset()
        self._last = self._status = self._level = None

    def _ask(self, at: Instant) -> Output:
        if not self._poll_ns:
            return NOTHING
        self._ask_ns = at.mono_ns + self._poll_ns
        return Output(send=(QUESTION,))

    def _silent_ns(self) -> int | None:
        if self._heard_ns is None or Fault.SILENT in self._standing:
            return None
        return self._heard_ns + round(SILENT_AFTER_S * NS_PER_S)

    def _heard(self, frame: Frame, at: Instant) -> list[Reading]:
        raw = encode(frame)
        match frame:
            case Status() | Level():
                if frame == self._last:
                    return []  # a machine that hangs says the same frame for ever: no sign of life
                self._last = frame
                self._heard_ns = at.mono_ns
                told = self._told(frame, raw, at) if isinstance(frame, Status) else self._told_level(frame, raw, at)
                return [*self._end(Fault.SILENT, raw, at), *told]
            case OrderOffered():
                return self._ordered(raw, at)
            case Reenumerated():
                detail = (
                    f"the shuffler left the USB while in use and came back ({frame.times} so far): look who touched its"
                    " port and cable, then shuffle every set again"
                )
                return [ShufflerTampered(at=at, raw=raw, detail=detail)]
            case Thrown():
                return [Unreadable(at=at, raw=raw, reason=f"{frame.size} bytes that are no frame of a shuffler")]

    def _told(self, status: Status, raw: bytes, at: Instant) -> list[Reading]:
        readings: list[Reading] = []
        ordered = ShufflerFault.ORDER_OFFERED in self._standing
        first = ordered and self._order_job is None  # the first that is heard of it: the cards are still those
        if first:
            self._order_job = status.job
        elif ordered and status.job != self._order_job:
            readings += self._end(ShufflerFault.ORDER_OFFERED, raw, at)
        for flag, (fault, detail) in FLAG_FAULTS.items():
            stands = flag in status.flags
            readings += self._begin(fault, detail, raw, at) if stands else self._end(fault, raw, at)
        if status.state is MachineState.MISMATCH:
            readings += self._begin(ShufflerFault.COUNT_OFF, _count_off(status), raw, at)
        else:
            readings += self._end(ShufflerFault.COUNT_OFF, raw, at)
        news = replace(status, sequence=0)
        if news != self._status:
            self._status = news
            readings.append(_report(status, raw, at))
        if first:
            readings.append(OrderThrownAway(at=at, raw=raw, detail=ORDER_DETAIL))
        return readings

    def _ordered(self, raw: bytes, at: Instant) -> list[Reading]:
        """An order of cards came, and is gone."""
        job = None if self._status is None else self._status.job
        known = ShufflerFault.ORDER_OFFERED in self._standing and job == self._order_job
        self._order_job = job
        told = [] if known else [OrderThrownAway(at=at, raw=raw, detail=ORDER_DETAIL)]
        return [*self._begin(ShufflerFault.ORDER_OFFERED, ORDER_DETAIL, raw, at), *told]

    def _told_level(self, level: Level, raw: bytes, at: Instant) -> list[Reading]:
        readings: list[Reading] = []
        if level.inside < self._low_level:
            detail = (
                f"the shuffler holds {level.inside} cards, and {self._low_level} is the least: put the played ones in"
            )
            readings += self._begin(ShufflerFault.LEVEL_LOW, detail, raw, at)
        else:
            readings += self._end(ShufflerFault.LEVEL_LOW, raw, at)
        if self._level is None or _moved(self._level, level):
            self._level = level
            told = f"{level.inside} cards, {level.phase}"
            readings += [
                ShufflerLevel(at=at, raw=raw, inside=level.inside, phase=level.phase, changes=level.changes),
                DeviceNotice(at=at, raw=raw, notice="level", detail=told),
            ]
        return readings

    def _begin(self, fault: str, detail: str, raw: bytes, at: Instant) -> tuple[Reading, ...]:
        if fault in self._standing:
            return ()
        self._standing[fault] = detail
        return (DeviceFault(at=at, raw=raw, fault=fault, detail=detail),)

    def _end(self, fault: str, raw: bytes, at: Instant) -> tuple[Reading, ...]:
        detail = self._standing.pop(fault, None)
        return () if detail is None else (DeviceFault(at=at, raw=raw, fault=fault, detail=detail, cleared=True),)


def _moved(before: Level, now: Level) -> bool:
    """Worth telling: another phase or set of cards, half a deck more or less, the last card gone or the first back."""
    other = (before.phase, before.changes) != (now.phase, now.changes)
    return other or abs(now.inside - before.inside) >= LEVEL_STEP or (before.inside == 0) != (now.inside == 0)


def _count_off(status: Status) -> str:
    off = [
        f"{number} {word}"
        for number, word in ((status.missing, "missing"), (status.extra, "too many"), (status.foreign, "foreign"))
        if number
    ]
    return f"the shuffler's count is off ({', '.join(off)}): make the set whole and shuffle it again"


def _report(status: Status, raw: bytes, at: Instant) -> DeckReport:
    return DeckReport(
        at=at,
        raw=raw,
        state=status.state,
        job=status.job,
        deck_set=status.deck_set,
        faces=status.faces,
        counted=status.counted,
        missing=status.missing,
        extra=status.extra,
        foreign=status.foreign,
        jam=Flag.JAM in status.flags,
        door_open=Flag.DOOR in status.flags,
        misread=Flag.MISREAD in status.flags,
    )
