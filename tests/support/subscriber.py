"""A game server's consumer as a process of its own: ``python subscriber.py PORT OUT PREFIX SITE TABLE``.

It does what the documentation asks of a consumer: keeps its session, acknowledges the highest contiguous sequence,
and asks for what it missed with ``events.resend``. Every message received is one JSON line in OUT.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from typing import IO, Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

NAME = "game-server"
STALE_S = 1.0


class Consumer:
    """Receives, writes down, acknowledges, asks again."""

    def __init__(self, port: int, out: IO[str], base: str) -> None:
        self._port, self._out, self._base = port, out, base
        self._seen: set[int] = set()
        self._contiguous = 0
        self._asked_at = 0.0
        self._asks = 0
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=NAME, protocol=mqtt.MQTTv5)
        self.client.on_connect = self._connected
        self.client.on_message = self._message

    def run(self) -> None:
        """For ever."""
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 3600
        connected = False
        while True:
            if not connected:
                try:
                    self.client.connect("127.0.0.1", self._port, 10, clean_start=False, properties=properties)
                except OSError:
                    time.sleep(0.05)
                    continue
            connected = self.client.loop(0.1) == mqtt.MQTT_ERR_SUCCESS
            self._ask_for_gaps()

    def _connected(self, client: mqtt.Client, _data: Any, flags: Any, _code: Any, _properties: Any) -> None:
        client.subscribe(
            [(f"{self._base}/{leaf}", 1) for leaf in ("events/+", "outcome", "state", "board", "presence")]
        )
        if not flags.session_present:
            self._resend()

    def _message(self, client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        body = base64.b64encode(message.payload).decode()
        line = {"topic": message.topic, "retain": message.retain, "time": time.time(), "body": body}
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()
        if "/events/" not in message.topic:
            return
        self._seen.add(json.loads(message.payload)["sequence"])
        before = self._contiguous
        while self._contiguous + 1 in self._seen:
            self._contiguous += 1
        if self._contiguous > before:
            client.publish(f"{self._base}/acks/{NAME}", json.dumps({"sequence": self._contiguous}), qos=1, retain=True)

    def _ask_for_gaps(self) -> None:
        gap = bool(self._seen) and max(self._seen) > self._contiguous
        if gap and time.monotonic() - self._asked_at > STALE_S:
            self._resend()

    def _resend(self) -> None:
        self._asked_at = time.monotonic()
        self._asks += 1
        request = {
            "specversion": "1.0",
            "id": f"{NAME}-{time.time_ns()}",
            "source": f"/{NAME}",
            "type": "events.resend",
            "data": {"by": NAME, "role": "server", "from": self._contiguous + 1},
        }
        self.client.publish(f"{self._base}/commands", json.dumps(request), qos=1)


if __name__ == "__main__":
    with open(sys.argv[2], "a", encoding="utf-8") as out:  # noqa: PTH123
        Consumer(int(sys.argv[1]), out, sys.argv[3]).run()
