"""A device's link to a broker: an MQTT 3.1.1 client with one topic to publish on and one to listen to.

Only what a small device needs: clean session, quality of service 0 or 1, no will. What cannot be sent is lost, as on
a real one; it comes back by itself when the broker was away.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from hw_sim.adapter import BACKLOG, Port

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ = 1, 2, 3, 4, 8, 9, 12
KEEP_ALIVE_S = 10
RETRY_S = 0.5
MAX_PACKET = 64 * 1024


class Broker(NamedTuple):
    """Where a broker listens."""

    host: str
    port: int


class BrokerRefused(ConnectionError):  # noqa: N818
    """The broker does not take this client."""


def broker_of(url: str) -> Broker:
    """From ``mqtt://HOST:PORT``. Raises ``ValueError``."""
    parts = urlsplit(url)
    if parts.scheme != "mqtt" or not parts.hostname or parts.path.strip("/") or parts.username:
        raise ValueError(f"{url!r} is no broker; write it as mqtt://HOST:PORT")
    return Broker(parts.hostname, parts.port or 1883)


def packet(kind: int, flags: int, body: bytes) -> bytes:
    """A control packet."""
    length, size = b"", len(body)
    while True:
        size, digit = divmod(size, 128)
        length += bytes([digit | (0x80 if size else 0)])
        if not size:
            return bytes([kind << 4 | flags]) + length + body


def text(value: str) -> bytes:
    """A string with its length."""
    data = value.encode("utf-8")
    return struct.pack("!H", len(data)) + data


class MqttPort(Port):
    """The link. ``write`` publishes each piece as one message on ``{base}/state``; each message on ``{base}/command``
    is given to ``received`` as one piece; ``attached`` is called whenever the broker has taken the subscription."""

    def __init__(
        self,
        received: Callable[[bytes], None],
        attached: Callable[[], None],
        *,
        broker: Broker,
        base: str,
        client: str,
        qos: int = 1,
        retain: bool = False,
    ) -> None:
        super().__init__(received, attached)
        self.connections = 0
        """How often the broker took the subscription so far."""
        self._broker, self._base, self._client = broker, base, client
        self._qos, self._retain = qos, retain
        self._mid = 0
        self._task: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        """To the broker, while subscribed."""

    @property
    def address(self) -> str:
        """``mqtt://HOST:PORT/BASE``."""
        return f"mqtt://{self._broker.host}:{self._broker.port}/{self._base}"

    @property
    def plugged(self) -> bool:
        """Whether the device is on the network, or tries to be."""
        return self._task is not None

    async def plug(self) -> None:
        """Begins to connect; a broker that is not there yet is tried again and again."""
        if self._task is None:
            self._task = asyncio.create_task(self._keep_connected(), name=f"mqtt-{self._client}")

    def unplug(self) -> None:
        """The link is cut without a word."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._writer is not None:
            self._writer.transport.abort()
            self._writer = None

    def write(self, data: bytes) -> None:
        """Publishes, if the broker is there."""
        if self._writer is None:
            self.unheard += len(data)
        elif self._writer.transport.get_write_buffer_size() > BACKLOG:
            self.dropped += len(data)
        else:
            flags = self._qos << 1 | self._retain
            number = struct.pack("!H", self._next_mid()) if self._qos else b""
            self._writer.write(packet(PUBLISH, flags, text(f"{self._base}/state") + number + data))

    def _next_mid(self) -> int:
        self._mid = self._mid % 65535 + 1
        return self._mid

    async def _keep_connected(self) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await self._connection()
            await asyncio.sleep(RETRY_S)

    async def _connection(self) -> None:
        """One connection, from its begin to its end."""
        reader, writer = await asyncio.open_connection(*self._broker)
        ping: asyncio.Task[None] | None = None
        try:
            writer.write(
                packet(CONNECT, 0, text("MQTT") + bytes([4, 2]) + struct.pack("!H", KEEP_ALIVE_S) + text(self._client))
            )
            async with asyncio.timeout(KEEP_ALIVE_S):
                kind, _, body = await _read(reader)
            if kind != CONNACK or body[1:2] != b"\0":
                raise BrokerRefused(f"{self._broker} answered {body.hex()}")
            topic = text(f"{self._base}/command")
            writer.write(packet(SUBSCRIBE, 2, struct.pack("!H", self._next_mid()) + topic + bytes([self._qos])))
            ping = asyncio.create_task(_keep_alive(writer))
            while True:
                async with asyncio.timeout(2 * KEEP_ALIVE_S):
                    kind, flags, body = await _read(reader)
                if kind == SUBACK:
                    self._writer = writer
                    self.connections += 1
                    self._attached()
                elif kind == PUBLISH:
                    self._message(writer, flags, body)
        finally:
            self._writer = None
            if ping is not None:
                ping.cancel()
            writer.close()

    def _message(self, writer: asyncio.StreamWriter, flags: int, body: bytes) -> None:
        (length,) = struct.unpack_from("!H", body)
        at = 2 + length
        if flags & 6:
            writer.write(packet(PUBACK, 0, body[at : at + 2]))
            at += 2
        self._received(body[at:])


async def _keep_alive(writer: asyncio.StreamWriter) -> None:
    while True:
        await asyncio.sleep(KEEP_ALIVE_S / 2)
        writer.write(packet(PINGREQ, 0, b""))


async def _read(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    """The next packet: kind, flags, body. Raises ``IncompleteReadError`` at the end, ``BrokerRefused`` at nonsense."""
    first = (await reader.readexactly(1))[0]
    size = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        size |= (digit & 0x7F) << shift
        shift += 7
        if not digit & 0x80:
            break
        if shift > 21:
            raise BrokerRefused("a length of more than four bytes")
    if size > MAX_PACKET:
        raise BrokerRefused(f"a packet of {size} bytes")
    return first >> 4, first & 0x0F, await reader.readexactly(size)
