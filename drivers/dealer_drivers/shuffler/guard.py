"""Stands between a shuffler's port and everything that records: an order of cards gets no further than here.

What comes in are a make's bytes; what goes on are the lines of ``frames.py``, of frames that the format knows. The
flight recorder, evidence and ``dealer-daemon record`` see those alone. What was anything else is told as so many bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from dealer_drivers.shuffler.codec import ShufflerFormat
from dealer_drivers.shuffler.frames import Reenumerated, encode
from dealer_drivers.transports.base import Channel, Transport


@runtime_checkable
class Enumerated(Protocol):
    """A transport that knows when its device left the bus and came back."""

    @property
    def reenumerations(self) -> int:
        """How often that happened to this transport, so far."""
        ...


class GuardedTransport:
    """``transport`` with a shuffler of the format that ``make_format`` makes."""

    def __init__(self, transport: Transport, make_format: Callable[[], ShufflerFormat]) -> None:
        self._transport = transport
        self._make_format = make_format
        self._told = 0

    @property
    def name(self) -> str:
        """The port as configured."""
        return self._transport.name

    @property
    def hint(self) -> str:
        """What to look at when bytes come and mean nothing."""
        return self._transport.hint

    @property
    def warning(self) -> str | None:
        """See ``Transport``."""
        return self._transport.warning

    async def open(self) -> GuardedChannel:
        """Opens the port. Its first line says when the device was enumerated again since it was open last."""
        channel = await self._transport.open()
        first = b""
        if isinstance(self._transport, Enumerated) and self._transport.reenumerations > self._told:
            self._told = self._transport.reenumerations
            first = encode(Reenumerated(self._told))
        return GuardedChannel(channel, self._make_format(), first)


class GuardedChannel:
    """One connection; see the module. ``first`` is what the station has to say of it."""

    def __init__(self, channel: Channel, shuffler: ShufflerFormat, first: bytes) -> None:
        self._channel = channel
        self._format = shuffler
        self._first = first

    async def read(self) -> bytes:
        """Whole lines, at least one. Raises ``LinkLost``."""
        if self._first:
            first, self._first = self._first, b""
            return first
        while True:
            frames = self._format.feed(await self._channel.read())
            if frames:
                return b"".join(map(encode, frames))

    async def write(self, data: bytes) -> None:  # noqa: ARG002
        """Asks for the state, in the make's own way: there is nothing else that could be sent. Raises ``LinkLost``."""
        if self._format.question:
            await self._channel.write(self._format.question)

    async def close(self) -> None:
        """Ends the connection. Idempotent."""
        await self._channel.close()
