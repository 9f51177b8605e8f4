"""A USB HID point-of-sale scanner: reports to texts to cards, and the trigger where it has one (``devices.md`` §3).

The stream is reports of 64 bytes one behind the other, cut anywhere; each open begins with a whole one.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shoe import CardTrouble, CardUnreadable
from dealer_drivers.shoe.barcode_session import describe
from dealer_drivers.shoe.card_text import NS_PER_MS, CardText, TextRules
from dealer_drivers.shoe.hidpos_report import EVIDENCE, REPORT_BYTES, REPORT_ID, HidJunk, HidPosAssembler


@dataclass(frozen=True, slots=True)
class HidTrigger:
    """Output reports that start and stop scanning, their id first; empty where the scanner scans by itself."""

    on: bytes = b""
    off: bytes = b""


class HidPosSession:
    """Reports and time in; readings and trigger reports out. A scanner has no cadence: its silence means nothing.

    ``idle_gap_ms``: a text whose next part does not come for so long has broken off.
    """

    def __init__(self, rules: TextRules, idle_gap_ms: int, trigger: HidTrigger) -> None:
        self._book = rules.book
        self._idle_gap_ns = idle_gap_ms * NS_PER_MS
        self._trigger = trigger
        self._cards = CardText(rules)
        self._texts = HidPosAssembler()
        self._held = b""
        self._giving_up = False
        self._last_byte: Instant | None = None
        self._book_told = False
        self._scanning: bool | None = None

    def opened(self, at: Instant) -> Output:
        """The link is up: says once which code book is in use, and asks again for what was last asked."""
        self._reset()
        notices: tuple[Reading, ...] = ()
        if not self._book_told:
            self._book_told = True
            notices = (DeviceNotice(at=at, raw=b"", notice="code_book", detail=describe(self._book)),)
        return Output(notices, self._command())

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: a part of a text is thrown away."""
        self._reset()
        self._cards.interrupted()
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        rested = self._rested(at)
        if not data:
            return rested
        self._last_byte = at
        self._held += data
        readings = list(rested.readings)
        frames, rejected = 0, rested.rejected
        while len(self._held) >= REPORT_BYTES:
            report, self._held = self._held[:REPORT_BYTES], self._held[REPORT_BYTES:]
            answer = self._texts.take(report)
            if isinstance(answer, HidJunk):
                readings.append(self._junk(answer, at, told=self._giving_up))
                rejected += len(answer.raw)
            elif answer is not None:
                readings.append(self._cards.read(answer.data, at, answer.raw, aim=answer.aim))
                frames += 1
            self._giving_up = isinstance(answer, HidJunk) and self._texts.pending
        return Output(tuple(readings), (), frames, rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed: a text that waits for its next part may have broken off."""
        return self._rested(at)

    def deadline_ns(self) -> int | None:
        """When a rest ends what is held."""
        if self._last_byte is None or not (self._held or self._texts.pending):
            return None
        return self._last_byte.mono_ns + self._idle_gap_ns

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """Start or stop scanning, where the options give the report for it."""
        if action not in (DeviceAction.SCAN_ON, DeviceAction.SCAN_OFF):
            return NOTHING
        before, self._scanning = self._scanning, action is DeviceAction.SCAN_ON
        if self._scanning and not before:
            self._cards.interrupted()  # while it did not look, what it read last may have lain there
        return Output(send=self._command())

    def _command(self) -> tuple[bytes, ...]:
        if self._scanning is None:
            return ()
        command = self._trigger.on if self._scanning else self._trigger.off
        return (command,) if command else ()

    def _rested(self, at: Instant) -> Output:
        due = self.deadline_ns()
        if due is None or at.mono_ns < due:
            return NOTHING
        assert self._last_byte is not None
        torn, piece = self._texts.rest(), self._held
        self._reset()
        readings: list[Reading] = []
        rejected = len(piece)
        if torn is not None:
            readings.append(self._junk(torn, self._last_byte, told=False))
            rejected += len(torn.raw)
        if piece:
            reason = f"{len(piece)} bytes instead of a report of {REPORT_BYTES}"
            readings.append(self._junk(HidJunk(piece, reason), self._last_byte, told=torn is not None))
        return Output(tuple(readings), (), 0, rejected)

    def _junk(self, junk: HidJunk, at: Instant, *, told: bool) -> Reading:
        """A report of scanned data that is none means that a card passed; ``told`` when that was said already."""
        if told or junk.raw[0] != REPORT_ID:
            return Unreadable(at=at, raw=junk.raw[:EVIDENCE], reason=junk.reason)
        return CardUnreadable(at=at, raw=junk.raw[:EVIDENCE], reason=CardTrouble.TORN, detail=junk.reason)

    def _reset(self) -> None:
        self._texts.reset()
        self._held = b""
        self._giving_up = False
