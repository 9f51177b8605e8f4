"""Looks into the station's connections to its broker: what was published, acknowledged and answered, and when."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from chaos.history import Acknowledged, History, Published, RefusedEvent, Replied
from support.mqtt_wire import CONNECT, PUBACK, PUBLISH, V5, Connect, Packet, puback_packet

QUOTA_EXCEEDED = 0x97
MOST_VARINT = 4


class Cutter:
    """Bytes in, whole MQTT packets out, each with its own bytes."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Packet, bytes]]:
        """What is whole by now."""
        self._rest += data
        while (whole := self._whole()) is not None:
            head, size = whole
            raw = bytes(self._rest[: head + size])
            del self._rest[: head + size]
            yield Packet(raw[0] >> 4, raw[0] & 0xF, raw[head:]), raw

    def _whole(self) -> tuple[int, int] | None:
        """Bytes of the first packet's header and of its body, when all of it is there."""
        size = 0
        for n in range(1, MOST_VARINT + 1):
            if len(self._rest) <= n:
                return None
            size |= (self._rest[n] & 0x7F) << 7 * (n - 1)
            if not self._rest[n] & 0x80:
                return (1 + n, size) if len(self._rest) >= 1 + n + size else None
        raise ValueError("no MQTT: the length of a packet does not end")


class JournalFile:
    """The journal as its file stands, read beside the daemon."""

    def __init__(self, path: Path) -> None:
        self.left_alone = False
        """Nothing is read: SQLite opens its index for writing even to read, and a file system in use stays writable."""
        self._path = path
        self._db: sqlite3.Connection | None = None

    def has_event(self, table: str, sequence: int) -> bool | None:
        """Whether an event is committed; ``None`` when the file cannot be read now."""
        return self._there("sequence = ? AND dealer_table = ?", (sequence, table))

    def has_command(self, table: str, client: str, command: str) -> bool | None:
        """Whether a command and its answer are."""
        return self._there("dealer_table = ? AND client = ? AND command_id = ?", (table, client, command))

    def head(self) -> tuple[int, str] | None:
        """The last row and its hash."""
        rows = self._read("SELECT id, hash FROM entries ORDER BY id DESC LIMIT 1", ())
        return (rows[0][0], rows[0][1].hex()) if rows else None

    def cursors(self) -> dict[str, int]:
        """How far each table's events are published."""
        rows = self._read("SELECT dealer_table, sequence FROM cursors WHERE name = 'published'", ())
        return {} if rows is None else dict(rows)

    def last_sequences(self) -> dict[str, int]:
        """How many events each table has."""
        where = "sequence IS NOT NULL GROUP BY dealer_table"
        rows = self._read(f"SELECT dealer_table, max(sequence) FROM entries WHERE {where}", ())
        return {} if rows is None else dict(rows)

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _there(self, where: str, arguments: tuple[str | int, ...]) -> bool | None:
        rows = self._read(f"SELECT 1 FROM entries WHERE {where}", arguments)
        return None if rows is None else bool(rows)

    def _read(self, sql: str, arguments: tuple[str | int, ...]) -> list[Any] | None:
        if self.left_alone:
            return None
        try:
            if self._db is None:
                self._db = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, isolation_level=None)
            return self._db.execute(sql, arguments).fetchall()
        except sqlite3.Error:
            self.close()
            return None


@dataclass
class Observer:
    """What all taps share."""

    history: History
    journal: JournalFile
    base: str
    """Prefix and site: ``dealer/v1/studio-1``."""
    refusing: bool = False
    """The broker refuses every event, as one whose quota is used up."""
    refused: int = 0

    def __post_init__(self) -> None:
        self._connections = count(1)
        self._taken: dict[str, set[int]] = {}
        self._upto: dict[str, int] = {}

    def tap(self) -> StationTap:
        """For one more connection."""
        return StationTap(self, next(self._connections))

    def acknowledged(self, table: str, sequence: int) -> None:
        """The broker took an event."""
        self.history.acknowledged.append(Acknowledged(table, sequence, time.monotonic_ns()))
        taken = self._taken.setdefault(table, set())
        taken.add(sequence)
        upto = self._upto.get(table, 0)
        while upto + 1 in taken:
            upto += 1
            taken.remove(upto)
        self._upto[table] = upto

    def taken_upto(self, table: str) -> int:
        """Up to which sequence the broker took everything."""
        return self._upto.get(table, 0)


class StationTap:
    """One connection of the station; a ``proxy.Tap``."""

    def __init__(self, observer: Observer, connection: int) -> None:
        self._observer, self._connection = observer, connection
        self._up, self._down = Cutter(), Cutter()
        self._version = V5
        self._waiting: dict[int, tuple[str, int]] = {}

    def up(self, data: bytes) -> tuple[bytes, bytes]:
        """From the station."""
        forward, answer = bytearray(), bytearray()
        for packet, raw in self._up.feed(data):
            if packet.kind == CONNECT:
                self._version = Connect.of(packet).version
            if packet.kind == PUBLISH and (refusal := self._published(packet)):
                answer += refusal
            else:
                forward += raw
        return bytes(forward), bytes(answer)

    def down(self, data: bytes) -> bytes:
        """From the broker, in whole packets: an answer of ours may stand between two."""
        forward = bytearray()
        for packet, raw in self._down.feed(data):
            forward += raw
            if packet.kind == PUBACK and packet.mid in self._waiting:
                table, sequence = self._waiting.pop(packet.mid)
                if len(packet.body) < 3 or packet.body[2] < 0x80:
                    self._observer.acknowledged(table, sequence)
        return bytes(forward)

    def _published(self, packet: Packet) -> bytes:
        observer, message = self._observer, packet.publish(self._version)
        self._waiting.pop(message.mid, None)
        if not message.topic.startswith(f"{observer.base}/"):
            return b""
        table, kind, *leaf = message.topic.removeprefix(f"{observer.base}/").split("/")
        if kind == "replies" and leaf:
            self._replied(table, leaf[0], message.payload)
        if kind != "events":
            return b""
        sequence = json.loads(message.payload)["sequence"]
        there = observer.journal.has_event(table, sequence)
        observer.history.published.append(
            Published(table, sequence, message.payload, self._connection, time.monotonic_ns(), there)
        )
        if observer.refusing and self._version == V5:
            observer.refused += 1
            observer.history.refused.append(RefusedEvent(table, sequence, time.monotonic_ns()))
            return puback_packet(V5, message.mid, QUOTA_EXCEEDED)
        self._waiting[message.mid] = (table, sequence)
        return b""

    def _replied(self, table: str, client: str, body: bytes) -> None:
        data = json.loads(body)["data"]
        there = self._observer.journal.has_command(table, client, data["command"]) if data["ok"] else None
        self._observer.history.replied.append(
            Replied(table, client, data["command"], data["ok"], data.get("error"), body, there)
        )
