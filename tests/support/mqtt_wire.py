"""MQTT 3.1.1 and 5 packets, written from the OASIS standards for the tests alone: an independent witness and a broker
that does what a script says. Only what the tests need, QoS 0 and 1."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 13, 14
V311, V5 = 4, 5

_STRING, _BINARY, _BYTE, _SHORT, _LONG, _PAIR = range(6)
_KINDS = {
    1: _BYTE, 2: _LONG, 3: _STRING, 8: _STRING, 9: _BINARY, 17: _LONG, 19: _SHORT, 31: _STRING, 33: _SHORT,
    34: _SHORT, 35: _SHORT, 36: _BYTE, 37: _BYTE, 38: _PAIR, 39: _LONG, 40: _BYTE, 41: _BYTE, 42: _BYTE, 18: _STRING,
}  # fmt: skip


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("!H", len(raw)) + raw


def varint(value: int) -> bytes:
    out = bytearray()
    while True:
        value, digit = divmod(value, 128)
        out.append(digit | (0x80 if value else 0))
        if not value:
            return bytes(out)


def properties(values: dict[int, object] | None) -> bytes:
    body = b""
    for key, value in (values or {}).items():
        kind = _KINDS[key]
        packed = {
            _STRING: lambda v: text(v),
            _BINARY: lambda v: text(v),
            _BYTE: lambda v: struct.pack("!B", v),
            _SHORT: lambda v: struct.pack("!H", v),
            _LONG: lambda v: struct.pack("!I", v),
        }[kind](value)
        body += bytes([key]) + packed
    return varint(len(body)) + body


def packet(kind: int, flags: int, body: bytes) -> bytes:
    return bytes([kind << 4 | flags]) + varint(len(body)) + body


@dataclass
class Cut:
    """Reads fields off the front of a body."""

    rest: bytes

    def take(self, size: int) -> bytes:
        assert len(self.rest) >= size, "packet too short"
        part, self.rest = self.rest[:size], self.rest[size:]
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def binary(self) -> bytes:
        return self.take(self.number(2))

    def varint(self) -> int:
        value = shift = 0
        while True:
            digit = self.number(1)
            value |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                return value

    def properties(self) -> dict[int, object]:
        inner = Cut(self.take(self.varint()))
        found: dict[int, object] = {}
        while inner.rest:
            key = inner.number(1)
            kind = _KINDS[key]
            if kind == _STRING:
                found[key] = inner.binary().decode()
            elif kind == _BINARY:
                found[key] = inner.binary()
            elif kind == _PAIR:
                found[key] = (inner.binary().decode(), inner.binary().decode())
            else:
                found[key] = inner.number({_BYTE: 1, _SHORT: 2, _LONG: 4}[kind])
        return found


@dataclass(frozen=True)
class Publish:
    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    dup: bool = False
    mid: int = 0
    properties: dict[int, object] = field(default_factory=dict, hash=False)

    def encode(self, version: int) -> bytes:
        body = text(self.topic)
        if self.qos:
            body += struct.pack("!H", self.mid)
        if version == V5:
            body += properties(self.properties)
        return packet(PUBLISH, self.dup << 3 | self.qos << 1 | self.retain, body + self.payload)


@dataclass(frozen=True)
class Packet:
    kind: int
    flags: int
    body: bytes

    def publish(self, version: int) -> Publish:
        assert self.kind == PUBLISH
        cut = Cut(self.body)
        topic = cut.binary().decode()
        qos = self.flags >> 1 & 3
        mid = cut.number(2) if qos else 0
        found = cut.properties() if version == V5 else {}
        return Publish(topic, cut.rest, qos, bool(self.flags & 1), bool(self.flags & 8), mid, found)

    @property
    def mid(self) -> int:
        return int.from_bytes(self.body[:2], "big")


async def read_packet(reader: asyncio.StreamReader) -> Packet:
    """The next packet. Raises ``IncompleteReadError`` at the end of the stream."""
    head = (await reader.readexactly(1))[0]
    size = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        size |= (digit & 0x7F) << shift
        shift += 7
        if not digit & 0x80:
            break
    return Packet(head >> 4, head & 0xF, await reader.readexactly(size))


def connect_packet(
    version: int, client_id: str, *, clean: bool = True, keepalive_s: int = 60, username: str = "", password: str = ""
) -> bytes:
    flags = (2 if clean else 0) | (0x80 if username else 0) | (0x40 if password else 0)
    body = text("MQTT") + struct.pack("!BBH", version, flags, keepalive_s)
    if version == V5:
        body += properties(None if clean else {17: 3600})
    body += text(client_id)
    if username:
        body += text(username)
    if password:
        body += text(password)
    return packet(CONNECT, 0, body)


@dataclass(frozen=True)
class Connect:
    """What a client said in CONNECT."""

    version: int
    clean: bool
    keepalive_s: int
    properties: dict[int, object]
    client_id: str
    will: Publish | None

    @classmethod
    def of(cls, packet_: Packet) -> Connect:
        assert packet_.kind == CONNECT
        cut = Cut(packet_.body)
        assert cut.binary() == b"MQTT"
        version, flags, keepalive_s = cut.number(1), cut.number(1), cut.number(2)
        found = cut.properties() if version == V5 else {}
        client_id = cut.binary().decode()
        will = None
        if flags & 4:
            if version == V5:
                cut.properties()
            topic, payload = cut.binary().decode(), cut.binary()
            will = Publish(topic, payload, qos=flags >> 3 & 3, retain=bool(flags & 0x20))
        return cls(version, bool(flags & 2), keepalive_s, found, client_id, will)


def connack_packet(
    version: int, code: int = 0, *, session_present: bool = False, values: dict[int, object] | None = None
) -> bytes:
    body = bytes([session_present, code])
    if version == V5:
        body += properties(values)
    return packet(CONNACK, 0, body)


def puback_packet(version: int, mid: int, code: int = 0) -> bytes:
    body = struct.pack("!H", mid)
    if version == V5 and code:
        body += bytes([code, 0])
    return packet(PUBACK, 0, body)


def suback_packet(version: int, subscribe: Packet, code: int | None = None) -> bytes:
    cut = Cut(subscribe.body)
    mid = cut.number(2)
    if version == V5:
        cut.properties()
    granted = b""
    while cut.rest:
        cut.binary()
        wanted = cut.number(1) & 3
        granted += bytes([wanted if code is None else code])
    return packet(SUBACK, 0, struct.pack("!H", mid) + (b"\x00" if version == V5 else b"") + granted)


class Witness:
    """A small client that writes down what it sees, in order, and acknowledges it. Not built on what it watches."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, version: int) -> None:
        self._reader, self._writer, self.version = reader, writer, version
        self.seen: list[Publish] = []
        self.session_present = False
        self.lost: BaseException | None = None
        self._answers: dict[int, int] = {}
        self._mid = 0
        self._news = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(
        cls,
        port: int,
        client_id: str = "witness",
        *,
        version: int = V311,
        clean: bool = True,
        username: str = "",
        password: str = "",
    ) -> AsyncIterator[Witness]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        self = cls(reader, writer, version)
        try:
            writer.write(connect_packet(version, client_id, clean=clean, username=username, password=password))
            answer = await asyncio.wait_for(read_packet(reader), 5)
            assert answer.kind == CONNACK
            assert answer.body[1] == 0, f"refused with {answer.body[1]}"
            self.session_present = bool(answer.body[0] & 1)
            self._task = asyncio.create_task(self._read())
            yield self
        finally:
            if self._task is not None:
                self._task.cancel()
                await asyncio.wait({self._task})
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _read(self) -> None:
        try:
            while True:
                got = await read_packet(self._reader)
                async with self._news:
                    if got.kind == PUBLISH:
                        message = got.publish(self.version)
                        if message.qos:
                            self._writer.write(puback_packet(self.version, message.mid))
                        self.seen.append(message)
                    elif got.kind in (SUBACK, PUBACK):
                        code = got.body[-1] if got.kind == SUBACK else (got.body[2] if len(got.body) > 2 else 0)
                        self._answers[got.mid] = code
                    self._news.notify_all()
        except (asyncio.IncompleteReadError, OSError) as error:
            async with self._news:
                self.lost = error
                self._news.notify_all()

    async def until(self, condition: Callable[[list[Publish]], bool], timeout_s: float = 10) -> list[Publish]:
        """Waits until what was seen meets the condition, and gives it."""
        async with asyncio.timeout(timeout_s), self._news:
            await self._news.wait_for(lambda: self.lost is not None or condition(self.seen))
        if not condition(self.seen):
            raise ConnectionError(f"the broker went away: {self.lost!r}")
        return list(self.seen)

    async def _answer(self, mid: int) -> int:
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: self.lost is not None or mid in self._answers)
        if mid not in self._answers:
            raise ConnectionError(f"the broker went away: {self.lost!r}")
        return self._answers.pop(mid)

    async def subscribe(self, topic_filter: str, qos: int = 1) -> None:
        self._mid += 1
        body = struct.pack("!H", self._mid) + (b"\x00" if self.version == V5 else b"")
        self._writer.write(packet(SUBSCRIBE, 2, body + text(topic_filter) + bytes([qos])))
        assert await self._answer(self._mid) <= 2

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, values: dict[int, object] | None = None
    ) -> int:
        """Publishes with QoS 1 and gives the broker's reason code."""
        self._mid += 1
        mid = self._mid
        self._writer.write(Publish(topic, payload, 1, retain, False, mid, values or {}).encode(self.version))
        return await self._answer(mid)

    def on(self, topic: str) -> list[Publish]:
        return [message for message in self.seen if message.topic == topic]


class Peer:
    """The broker's side of one connection, in a script's hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.connect: Connect | None = None

    @property
    def version(self) -> int:
        assert self.connect is not None
        return self.connect.version

    async def read(self) -> Packet:
        return await read_packet(self._reader)

    async def read_connect(self) -> Connect:
        self.connect = Connect.of(await self.read())
        return self.connect

    async def accept(self, **arguments: object) -> Connect:
        """Reads CONNECT and accepts it."""
        said = await self.read_connect()
        self.send(connack_packet(said.version, **arguments))  # type: ignore[arg-type]
        return said

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def next_publish(self) -> Publish:
        """Answers what comes until a PUBLISH comes, which is left unanswered."""
        while True:
            got = await self.read()
            if got.kind == PUBLISH:
                return got.publish(self.version)
            if got.kind == SUBSCRIBE:
                self.send(suback_packet(self.version, got))
            elif got.kind == PINGREQ:
                self.send(packet(PINGRESP, 0, b""))
            elif got.kind == DISCONNECT:
                raise EOFError("the client disconnected")

    def acknowledge(self, message: Publish, code: int = 0) -> None:
        self.send(puback_packet(self.version, message.mid, code))


Script = Callable[[Peer, int], Awaitable[None]]


@contextlib.asynccontextmanager
async def scripted_broker(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A listener whose every connection is played by ``script(peer, number)``; gives the port.

    A script that fails fails the test; the end of the stream ends a script.
    """
    failures: list[BaseException] = []
    tasks: set[asyncio.Task[None]] = set()
    count = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        number, count = count, count + 1
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await script(Peer(reader, writer), number)
        except (asyncio.IncompleteReadError, EOFError, OSError, asyncio.CancelledError):
            pass
        except BaseException as error:  # noqa: BLE001 - told to the test below
            failures.append(error)
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(set(tasks))
        await server.wait_closed()
    if failures:
        raise failures[0]
