"""A transport with a gate: while its device is lent to somebody else it is not opened, and what was open is closed.

To the link above it a device that is lent is one that was unplugged: the same fault begins, and the same ends when it
is back, so whatever follows from a gap follows from this one.
"""

from __future__ import annotations

import asyncio

from dealer_drivers.errors import DeviceError, Lent, LinkLost
from dealer_drivers.transports.base import Channel, Transport


class GatedTransport:
    """``inner``, which is open to this process as long as it is not lent."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._lent: str | None = None
        self._back = asyncio.Event()
        self._opening = asyncio.Lock()
        self._channel: _GatedChannel | None = None

    @property
    def name(self) -> str:
        """The port as configured."""
        return self._inner.name

    @property
    def hint(self) -> str:
        """As the port's own."""
        return self._inner.hint

    @property
    def warning(self) -> str | None:
        """As the port's own."""
        return self._inner.warning

    async def open(self) -> Channel:
        """Connects, once the device is not lent. Raises a ``DeviceError`` as the port does."""
        while True:
            if self._is_lent():
                await self._back.wait()
            async with self._opening:
                if self._is_lent():  # once more, in the same moment as it came back
                    continue
                channel = _GatedChannel(await self._inner.open())
                if not self._is_lent():
                    self._channel = channel
                    return channel
                await channel.close()

    async def lend(self, reason: str) -> None:
        """Closes the port and keeps it closed; when this returns somebody else may open it. ``reason`` is a sentence.

        Raises ``RuntimeError`` for a device that is lent already.
        """
        if self._lent is not None:
            raise RuntimeError(f"{self.name} is lent already: {self._lent}")
        self._lent = reason
        self._back.clear()
        async with self._opening:  # an attempt to open it that is under way ends first
            channel, self._channel = self._channel, None
            if channel is not None:
                await channel.take(reason)

    @property
    def lent(self) -> bool:
        """Whether somebody else has it now."""
        return self._is_lent()

    def _is_lent(self) -> bool:
        return self._lent is not None

    def give_back(self) -> None:
        """The port may be opened again. Idempotent."""
        self._lent = None
        self._back.set()


class _GatedChannel:
    def __init__(self, inner: Channel) -> None:
        self._inner = inner
        self._taken: str | None = None

    async def read(self) -> bytes:
        """As the port's channel; ``Lent`` once it was taken away."""
        try:
            return await self._inner.read()
        except DeviceError as error:
            raise self._loss(error) from error

    async def write(self, data: bytes) -> None:
        """As the port's channel; ``Lent`` once it was taken away."""
        if self._taken is not None:
            raise Lent(self._taken)
        try:
            await self._inner.write(data)
        except LinkLost as error:
            raise self._loss(error) from error

    async def close(self) -> None:
        """Ends the connection. Idempotent."""
        await self._inner.close()

    async def take(self, reason: str) -> None:
        """Closes it, and says why to whoever reads."""
        self._taken = reason
        await self._inner.close()

    def _loss(self, error: DeviceError) -> DeviceError:
        return error if self._taken is None else Lent(self._taken)
