"""A consumer of all tables as a process that may be killed: ``python consumer.py NAME PORT OUT BASE``.

It does what the documentation asks: keeps its session, writes down before it acknowledges, acknowledges the highest
contiguous sequence, and asks for what it missed, of which a gap tells, or the table's state. Each event received is one
JSON line in OUT, from which it knows after a start what it has.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import IO, Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

KEEPALIVE_S = 2
ASK_EVERY_S = 1.0


class Consumer:
    """Receives, writes down, acknowledges, asks again."""

    def __init__(self, name: str, port: int, out: Path, base: str) -> None:
        self._name, self._port, self._base = name, port, base
        self._last: defaultdict[str, int] = defaultdict(int)
        self._ahead: defaultdict[str, set[int]] = defaultdict(set)
        self._contiguous: defaultdict[str, int] = defaultdict(int)
        self._asked_at: defaultdict[str, float] = defaultdict(float)
        self._connection = 0
        for line in _whole_lines(out):
            self._connection = max(self._connection, line["connection"])
            self._has(line["table"], line["sequence"])
        self._out: IO[str] = out.open("a", encoding="utf-8")
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
        self.client.on_connect = self._connected
        self.client.on_message = self._message

    def run(self) -> None:
        """For ever."""
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = 3600
        connected = False
        while True:
            if not connected:
                try:
                    self.client.connect("127.0.0.1", self._port, KEEPALIVE_S, clean_start=False, properties=properties)
                except OSError:
                    time.sleep(0.1)
                    continue
            connected = self.client.loop(0.25) == mqtt.MQTT_ERR_SUCCESS
            for table, last in list(self._last.items()):
                if last > self._contiguous[table] and time.monotonic() - self._asked_at[table] > ASK_EVERY_S:
                    self._resend(table)

    def _connected(self, client: mqtt.Client, _data: Any, flags: Any, _code: Any, _properties: Any) -> None:
        self._connection += 1
        client.subscribe([(f"{self._base}/+/events/+", 1), (f"{self._base}/+/state", 1)])
        if not flags.session_present:
            for table in self._contiguous:
                self._resend(table)

    def _message(self, client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        table, kind, *_ = message.topic.removeprefix(f"{self._base}/").split("/")
        if kind == "state":
            self._last[table] = max(self._last[table], json.loads(message.payload)["last_sequence"])
            return
        sequence = json.loads(message.payload)["sequence"]
        line = {
            "table": table,
            "sequence": sequence,
            "connection": self._connection,
            "at_ns": time.monotonic_ns(),
            "body": base64.b64encode(message.payload).decode(),
        }
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()
        before = self._contiguous[table]
        self._has(table, sequence)
        if (upto := self._contiguous[table]) > before:
            client.publish(f"{self._base}/{table}/acks/{self._name}", json.dumps({"sequence": upto}), 1, retain=True)

    def _has(self, table: str, sequence: int) -> None:
        self._last[table] = max(self._last[table], sequence)
        if sequence > self._contiguous[table]:
            self._ahead[table].add(sequence)
        while self._contiguous[table] + 1 in self._ahead[table]:
            self._contiguous[table] += 1
            self._ahead[table].remove(self._contiguous[table])

    def _resend(self, table: str) -> None:
        self._asked_at[table] = time.monotonic()
        request = {
            "specversion": "1.0",
            "id": f"{self._name}-{time.time_ns()}",
            "source": f"/{self._name}",
            "type": "events.resend",
            "data": {"by": self._name, "role": "server", "from": self._contiguous[table] + 1},
        }
        self.client.publish(f"{self._base}/{table}/commands", json.dumps(request), 1)


def _whole_lines(out: Path) -> list[dict[str, Any]]:
    """What an earlier life wrote down; a line that it was killed over is taken away, for it was not acknowledged."""
    if not out.exists():
        return []
    text = out.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        out.write_bytes(whole)
    return [json.loads(line) for line in whole.splitlines()]


if __name__ == "__main__":
    Consumer(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]).run()
