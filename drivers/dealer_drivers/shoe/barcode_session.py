"""A scanner that sends text: frames by suffix and rest, and the trigger where it has one (``devices.md`` §3)."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.readings.shoe import CardTrouble, CardUnreadable
from dealer_drivers.shoe.barcode_codec import MAX_FRAME, FrameEnd, ScanFrame, ScanFramer, Suffix
from dealer_drivers.shoe.card_text import NS_PER_MS, CardText, TextRules, unreadable
from dealer_drivers.shoe.codebook import BookKind, CodeBook


@dataclass(frozen=True, slots=True)
class ScanLine:
    """How the scanner frames its texts, and the bytes that start and stop it; empty where it scans by itself."""

    suffix: Suffix = Suffix.AUTO
    idle_gap_ms: int = 200
    trigger_on: bytes = b""
    trigger_off: bytes = b""


class BarcodeSession:
    """Text and time in; readings and trigger commands out. A scanner has no cadence: its silence means nothing."""

    def __init__(self, rules: TextRules, line: ScanLine) -> None:
        self._book = rules.book
        self._line = line
        self._framer = ScanFramer(line.suffix)
        self._cards = CardText(rules)
        self._last_byte: Instant | None = None
        self._book_told = False
        self._scanning: bool | None = None

    def opened(self, at: Instant) -> Output:
        """The link is up: says once which code book is in use, and asks again for what was last asked."""
        self._framer.reset()
        notices: tuple[Reading, ...] = ()
        if not self._book_told:
            self._book_told = True
            notices = (DeviceNotice(at=at, raw=b"", notice="code_book", detail=describe(self._book)),)
        return Output(notices, self._trigger())

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: half a code is thrown away."""
        self._framer.reset()
        self._cards.interrupted()
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        rested = self._rested(at)
        if not data:
            return rested
        self._last_byte = at
        found, rejected = self._framer.feed(data)
        now = self._told(found, rejected, at)
        return Output(rested.readings + now.readings, (), rested.frames + now.frames, rested.rejected + now.rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed: a rest may have ended a frame."""
        return self._rested(at)

    def deadline_ns(self) -> int | None:
        """When a rest ends what is held."""
        if self._last_byte is None or not self._framer.pending:
            return None
        return self._last_byte.mono_ns + self._line.idle_gap_ms * NS_PER_MS

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """Start or stop scanning, where the options give the bytes for it."""
        if action not in (DeviceAction.SCAN_ON, DeviceAction.SCAN_OFF):
            return NOTHING
        before, self._scanning = self._scanning, action is DeviceAction.SCAN_ON
        if self._scanning and not before:
            self._cards.interrupted()  # while it did not look, what it read last may have lain there
        return Output(send=self._trigger())

    def _trigger(self) -> tuple[bytes, ...]:
        if self._scanning is None:
            return ()
        command = self._line.trigger_on if self._scanning else self._line.trigger_off
        return (command,) if command else ()

    def _rested(self, at: Instant) -> Output:
        due = self.deadline_ns()
        if due is None or at.mono_ns < due:
            return NOTHING
        assert self._last_byte is not None
        return self._told(self._framer.rest(), 0, self._last_byte)

    def _told(self, found: list[ScanFrame], rejected: int, at: Instant) -> Output:
        readings = []
        frames = 0
        for frame in found:
            reading = self._torn(frame, at) or self._cards.read(frame.text, at, frame.raw)
            readings.append(reading)
            if _is_noise(reading):
                rejected += len(frame.raw)
            else:
                frames += 1
        return Output(tuple(readings), (), frames, rejected)

    def _torn(self, frame: ScanFrame, at: Instant) -> Reading | None:
        """The reading of a frame that did not end as it should."""
        if frame.end is FrameEnd.OVERFLOW:
            detail = f"more than {MAX_FRAME} characters without an end: noise, or not a scanner"
            return unreadable(at, frame.raw, CardTrouble.TOO_LONG, detail)
        if frame.end is FrameEnd.REST and self._line.suffix not in (Suffix.AUTO, Suffix.NONE):
            detail = f"a text without its end ({self._line.suffix}): torn, or the scanner sends another suffix"
            return unreadable(at, frame.raw, CardTrouble.TORN, detail)
        return None


def _is_noise(reading: Reading) -> bool:
    """Whether these bytes say nothing for the speed and framing being right."""
    noise = (CardTrouble.NOT_TEXT, CardTrouble.TOO_LONG, CardTrouble.TORN)
    return isinstance(reading, CardUnreadable) and reading.reason in noise


def describe(book: CodeBook) -> str:
    """The book in a sentence for a technician, with what it cannot do."""
    if book.kind is BookKind.RANK_SUIT:
        return (
            f"code book {book.deck_set} (rank-suit): two equal cards look alike; a repeat is told by the repeat"
            " window only, and a card put in twice by the count of its copies only"
        )
    return f"code book {book.deck_set} (unit-coded): {book.decks} decks, {len(book.cards)} cards, each known by itself"
