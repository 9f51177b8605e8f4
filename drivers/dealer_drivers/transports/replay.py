"""A recording as a transport: its chunks come at the pace they were recorded."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.clock import Clock
from dealer_drivers.errors import LinkLost, RecordingEnded
from dealer_drivers.instant import Instant
from dealer_drivers.recording import Entry, read_recording


class ReplayTransport:
    """The recording at ``path``, whose chunks come at their recorded times on ``clock``, counted from the first open.

    Where the recorded link was closed, the channel is lost, and the next open goes on behind it.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self.name = f"recording:{path}"
        self.hint = "was it recorded from this device, at the right speed?"
        self.warning: str | None = None
        self._path = path
        self._clock = clock
        self._start: Instant | None = None
        self._entries: list[Entry] = []

    async def open(self) -> ReplayChannel:
        """Waits for the recorded open. Raises ``RecordingError`` for no recording, ``RecordingEnded`` behind the last
        byte."""
        if self._start is None:
            self._entries = list(reversed(read_recording(self._path).entries))
            self._start = self._clock.now()
        while self._entries:
            entry = self._entries[-1]
            if entry.event == "open":
                await self._until(entry)
                self._entries.pop()
                break
            if entry.kind == "rx":
                break  # recorded without its open, or cut out of a longer recording
            self._entries.pop()
        else:
            raise RecordingEnded(f"{self.name} has no more bytes")
        return ReplayChannel(self)

    async def next(self) -> bytes:
        """The next chunk from the device. Raises ``LinkLost`` where it was lost, ``RecordingEnded`` at the end."""
        while self._entries:
            entry = self._entries[-1]
            await self._until(entry)
            if entry.event == "open":  # the recorder was killed before it could write the close
                raise LinkLost(f"{self.name}: opened anew at line {entry.line}")
            self._entries.pop()
            if entry.kind == "ev":
                raise LinkLost(f"{self.name}: lost at line {entry.line}{_because(entry)}")
            if entry.kind == "rx" and entry.data:
                return entry.data
        raise RecordingEnded(f"{self.name} has no more bytes")

    async def _until(self, entry: Entry) -> None:
        assert self._start is not None
        await self._clock.sleep_until(self._start.plus_s(entry.t_s).mono_ns)


class ReplayChannel:
    """One recorded connection. What is written to it goes nowhere: the device has already answered."""

    def __init__(self, transport: ReplayTransport) -> None:
        self._transport = transport
        self._ended: str | None = None

    async def read(self) -> bytes:
        """The next chunk at its time. Raises ``LinkLost`` or ``RecordingEnded``."""
        if self._ended is not None:
            raise LinkLost(self._ended)
        try:
            return await self._transport.next()
        except LinkLost as error:
            self._ended = str(error)
            raise

    async def write(self, data: bytes) -> None:  # noqa: ARG002
        """Does nothing. Raises ``LinkLost`` once the channel has ended."""
        if self._ended is not None:
            raise LinkLost(self._ended)

    async def close(self) -> None:
        """Idempotent."""
        self._ended = self._ended or f"{self._transport.name}: closed by the station"


def _because(entry: Entry) -> str:
    return f" ({entry.reason})" if entry.reason else ""
