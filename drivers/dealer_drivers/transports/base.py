"""What a transport is: something that opens a channel of bytes and knows no device.

One channel is one connection. A transport is opened again after each loss; what failed says how to react by its
type (``errors.py``).
"""

from __future__ import annotations

from typing import Protocol


class Channel(Protocol):
    """One open connection. One task reads and one writes; they need not be the same."""

    async def read(self) -> bytes:
        """What arrived since the last call, at least one byte; waits for it.

        May be cancelled without losing bytes. Bytes that came before a loss are still given, then every call raises
        ``LinkLost`` (or ``RecordingEnded`` for a recording that has no more).
        """
        ...

    async def write(self, data: bytes) -> None:
        """Sends all of ``data``.

        Raises ``LinkLost`` when it cannot; from then on ``read`` gives what had arrived and then raises as well.
        """
        ...

    async def close(self) -> None:
        """Ends the connection; a waiting ``read`` raises ``LinkLost``. Calling it again changes nothing."""
        ...


class Transport(Protocol):
    """Where a device is connected."""

    @property
    def name(self) -> str:
        """The port as configured, for messages."""
        ...

    @property
    def hint(self) -> str:
        """A question for a technician who sees bytes that are no frame: what may be set wrongly here."""
        ...

    @property
    def warning(self) -> str | None:
        """A sentence about what works today and may not tomorrow, or ``None``."""
        ...

    async def open(self) -> Channel:
        """Connects. Raises a ``DeviceError`` by reaction: retry, give up, or fix the configuration."""
        ...
