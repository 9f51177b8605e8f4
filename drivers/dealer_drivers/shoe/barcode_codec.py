"""A text scanner's bytes to frames: a frame ends with the suffix, or when the line rests (``devices.md`` §3).

Waiting for a line feed alone would hang on a scanner that sends a carriage return only. How long a rest ends
a frame is the session's to time; it then calls ``rest``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_FRAME = 128
"""Bytes. A code has at most 48; with identifier and prefix there is room. Longer is noise or another device."""


class Suffix(StrEnum):
    """What the scanner is set to send after a code."""

    AUTO = "auto"
    """CR, LF, CR LF, or nothing but a rest."""
    LINE = "line"
    """CR, LF or CR LF; a frame that only rests is a torn one."""
    TAB = "tab"
    ETX = "etx"
    NONE = "none"
    """Nothing: only a rest ends a frame."""


ENDS = {Suffix.AUTO: b"\r\n", Suffix.LINE: b"\r\n", Suffix.TAB: b"\t", Suffix.ETX: b"\x03", Suffix.NONE: b""}


class FrameEnd(StrEnum):
    """How a frame ended."""

    SUFFIX = "suffix"
    REST = "rest"
    OVERFLOW = "overflow"


@dataclass(frozen=True, slots=True)
class ScanFrame:
    """``text`` is ``raw`` without its suffix. Empty where the scanner sent its suffix alone: some do when they read
    nothing."""

    raw: bytes
    text: bytes
    end: FrameEnd


class ScanFramer:
    """Frames out of bytes cut anywhere. Holds at most ``MAX_FRAME`` bytes."""

    def __init__(self, suffix: Suffix) -> None:
        self._ends = ENDS[suffix]
        self._held = bytearray()
        self._overflown = False
        self._ended = False
        """A frame just ended with its suffix, of which more may follow at once: CR LF, CR CR LF."""
        self._rested = False
        """It ended with a rest, and its suffix may still come."""

    @property
    def pending(self) -> bool:
        """A rest would end something."""
        return bool(self._held) or self._overflown or self._ended

    def feed(self, data: bytes) -> tuple[list[ScanFrame], int]:
        """The frames that ``data`` completes, and how many bytes were thrown away because they ran on for too long."""
        frames, rejected = [], 0
        for byte in data:
            if byte in self._ends:
                if not (self._ended or self._rested or self._overflown):
                    frames.append(ScanFrame(bytes(self._held) + bytes([byte]), bytes(self._held), FrameEnd.SUFFIX))
                self.reset()
                self._ended = True
                continue
            self._ended = self._rested = False
            if self._overflown:
                # The end of an endless text may look like a code: none of it may be used.
                rejected += 1
            else:
                self._held.append(byte)
                if len(self._held) > MAX_FRAME:
                    frames.append(ScanFrame(bytes(self._held), bytes(self._held), FrameEnd.OVERFLOW))
                    self._held.clear()
                    self._overflown = True
        return frames, rejected

    def rest(self) -> list[ScanFrame]:
        """The line rested: what is held is a frame, and an endless text is over."""
        held, rested = bytes(self._held), self._rested
        self.reset()
        self._rested = rested or bool(held)
        return [ScanFrame(held, held, FrameEnd.REST)] if held else []

    def reset(self) -> None:
        """The link is gone: what is held is thrown away."""
        self._held.clear()
        self._overflown = False
        self._ended = self._rested = False
