"""A game server: commands to a station over MQTT, and its answers."""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from support.live import BASE, until

AGAIN_S = 3.0


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
        self._send(self._command(command_id, name, role, args), retain=retain)

    def _command(self, command_id: str, name: str, role: str, args: dict[str, Any]) -> str:
        data = {"by": "the-boss" if role == "manager" else "lobby", "role": role, **args}
        body = {
            "specversion": "1.0",
            "id": command_id,
            "source": "/server-1",
            "type": name,
            "time": dt.datetime.now(dt.UTC).isoformat(),
            "data": data,
        }
        return json.dumps(body)

    def _send(self, body: str, *, retain: bool = False) -> None:
        sent = self._client.publish(f"{BASE}/commands", body, qos=1, retain=retain)
        while not sent.is_published():
            self._client.loop(0.01)

    async def ask(self, command_id: str, name: str, role: str = "server", **args: Any) -> dict[str, Any]:
        """Send, and wait for the answer; again as it was where none comes, for the station may not listen yet."""
        before, body, again_s = len(self.replies), self._command(command_id, name, role, args), 0.0

        def answered() -> dict[str, Any] | None:
            nonlocal again_s
            if time.monotonic() >= again_s:
                self._send(body)
                again_s = time.monotonic() + AGAIN_S
            self._client.loop(0.01)
            # An answer to an earlier one that was sent twice may still come.
            return next((one["data"] for one in self.replies[before:] if one["data"]["command"] == command_id), None)

        return await until(answered, f"an answer to {name}")  # type: ignore[no-any-return]

    def listen(self) -> None:
        """Takes what came meanwhile."""
        self._client.loop(0.01)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop(0.05)
