"""A game server: commands to a station over MQTT, and its answers."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from support.live import BASE, until


class Server:
    """A game server that asks and is answered."""

    def __init__(self, port: int) -> None:
        self.replies: list[dict[str, Any]] = []
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="server-1")
        self._client.on_message = lambda _c, _d, message: self.replies.append(json.loads(message.payload))
        self._client.connect("127.0.0.1", port)
        while not self._client.is_connected():
            self._client.loop(0.05)
        self._client.subscribe(f"{BASE}/replies/server-1", qos=1)

    def say(self, command_id: str, name: str, role: str = "server", *, retain: bool = False, **args: Any) -> None:
        """Send, and not wait; what was sent is with the broker when this returns."""
        data = {"by": "the-boss" if role == "manager" else "lobby", "role": role, **args}
        body = {
            "specversion": "1.0",
            "id": command_id,
            "source": "/server-1",
            "type": name,
            "time": dt.datetime.now(dt.UTC).isoformat(),
            "data": data,
        }
        sent = self._client.publish(f"{BASE}/commands", json.dumps(body), qos=1, retain=retain)
        while not sent.is_published():
            self._client.loop(0.01)

    async def ask(self, command_id: str, name: str, role: str = "server", **args: Any) -> dict[str, Any]:
        """Send, and wait for the answer."""
        before = len(self.replies)
        self.say(command_id, name, role, **args)

        def answered() -> bool:
            self._client.loop(0.01)
            return len(self.replies) > before

        await until(answered, f"an answer to {name}")
        return self.replies[-1]["data"]  # type: ignore[no-any-return]

    def listen(self) -> None:
        """Takes what came meanwhile."""
        self._client.loop(0.01)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop(0.05)
