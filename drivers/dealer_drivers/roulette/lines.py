"""Bytes to lines: total, bounded, and the same lines however the stream was cut."""

from __future__ import annotations

from dataclasses import dataclass

CR = 0x0D
LF = 0x0A
LINE_LIMIT = 128
"""Bytes a line may have before its terminator. The longest known packet has 45 and an identity answer 71."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not empty.

    ``raw`` holds ``body`` and what ended it. Of a CR LF pair the CR ends the line and ``raw`` with it: nobody can
    know whether the LF will follow, and a line is given at once. ``first``: the first since the link opened,
    so perhaps only the end of one. ``too_long``: the head of something longer than a line may be.
    """

    body: bytes
    raw: bytes
    first: bool = False
    too_long: bool = False


class LineSplitter:
    """Cuts a stream at ``terminator``; empty means any of CR, LF and CR LF, and empty lines are nothing.

    A line of more than ``limit`` bytes is given once as ``too_long`` and skipped to the next terminator, or to
    ``resync``, the bytes that begin a packet. ``dropped`` counts the bytes skipped. At most ``limit`` bytes and a
    terminator are ever held.
    """

    def __init__(self, *, terminator: bytes = b"", resync: bytes = b"", limit: int = LINE_LIMIT) -> None:
        self.dropped = 0
        self._terminator = terminator
        self._resync = resync
        self._room = limit + max(len(terminator) - 1, 0)
        # While skipping, only what may still become a terminator or a packet's beginning is kept.
        self._window = max(len(resync), len(terminator), 1) - 1
        self._held = bytearray()
        self._first = True
        self._skipping = False
        self._after_cr = False

    @property
    def held(self) -> int:
        """How many bytes wait for the end of their line."""
        return len(self._held)

    def reset(self) -> int:
        """The link opened or went: the next line may begin in its middle. Returns how many bytes were thrown away."""
        thrown = len(self._held)
        self._held.clear()
        self._first = True
        self._skipping = False
        self._after_cr = False
        return thrown

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in ``data``, in order."""
        lines = []
        for byte in data:
            line = self._take(byte)
            if line is not None:
                lines.append(line)
        return lines

    def _take(self, byte: int) -> Line | None:
        held = self._held
        if self._terminator:
            held.append(byte)
            end = len(self._terminator) if held.endswith(self._terminator) else 0
        else:
            if byte == LF and self._after_cr:
                self._after_cr = False
                return None
            self._after_cr = byte == CR
            held.append(byte)
            end = 1 if byte in (CR, LF) else 0
        if self._skipping:
            self._skip(end > 0)
            return None
        if end:
            return self._complete(end)
        return self._overflow() if len(held) > self._room else None

    def _complete(self, end: int) -> Line | None:
        line = Line(body=bytes(self._held[:-end]), raw=bytes(self._held), first=self._first)
        self._held.clear()
        if not line.body:
            return None
        self._first = False
        return line

    def _overflow(self) -> Line:
        begin = self._held.rfind(self._resync) if self._resync else 0
        if begin <= 0:
            self._skipping = True
            begin = len(self._held) - self._window
        head = bytes(self._held[:begin])
        del self._held[:begin]
        line = Line(body=head, raw=head, first=self._first, too_long=True)
        self._first = False
        return line

    def _skip(self, ended: bool) -> None:
        held = self._held
        if ended:
            self.dropped += len(held)
            held.clear()
            self._skipping = False
        elif self._resync and held.endswith(self._resync):
            self.dropped += len(held) - len(self._resync)
            del held[: -len(self._resync)]
            self._skipping = False
        elif len(held) > self._window:
            self.dropped += 1
            del held[0]
