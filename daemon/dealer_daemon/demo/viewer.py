"""What a game server sees: an MQTT subscriber of its own that prints events as they arrive."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from rich.console import Console

from dealer_daemon.words import text

SHOWN = {
    "round.opened": "dim",
    "betting.closed": "dim",
    "attempt.started": "dim",
    "attempt.refused": "yellow",
    "attempt.held": "bold yellow",
    "attempt.unconfirmed": "yellow",
    "round.outcome": "bold green",
    "round.voided": "red",
    "outcome.corrected": "magenta",
    "violation": "bold red",
    "table.paused": "bold red",
    "table.resumed": "green",
    "device.fault": "red",
    "device.recovered": "green",
}


class Viewer:
    """Subscribes to every event of a station and prints them; counts them by type."""

    def __init__(self, port: int, prefix: str, console: Console) -> None:
        self.counts: Counter[str] = Counter()
        self._console = console
        self._seen: dict[str, int] = {}
        self._topic = f"{prefix}/+/+/events/+"
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="demo-viewer")
        self._client.on_connect = self._connected
        self._client.on_message = self._message
        self._client.connect("127.0.0.1", port)

    def poll(self, timeout_s: float) -> None:
        """Handle what arrives within ``timeout_s``."""
        self._client.loop(timeout_s)

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop(0.1)

    def _connected(self, client: mqtt.Client, _data: Any, _flags: Any, _code: Any, _properties: Any) -> None:
        client.subscribe(self._topic, qos=1)

    def _message(self, _client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        event = json.loads(message.payload)
        source, sequence = event["source"], event["sequence"]
        if sequence <= self._seen.get(source, 0):
            return  # a repeat: known by its sequence
        self._seen[source] = sequence
        self.counts[event["type"]] += 1
        style = SHOWN.get(event["type"])
        if style is not None:
            line = f"{event['time'][11:19]}  {source:<14} {event.get('subject', ''):<7} {describe(event)}"
            self._console.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


def describe(event: dict[str, Any]) -> str:
    """An event in one line of English."""
    kind, data = event["type"], event["data"]
    match kind:
        case "round.opened":
            return "place your bets"
        case "betting.closed":
            return "no more bets"
        case "attempt.started":
            return f"the ball is on the track (attempt {data['attempt']})"
        case "attempt.refused":
            return f"REFUSED, {text(data['reason'], 'en')}: {data['detail']}. {text(data['remedy'], 'en')}"
        case "attempt.held":
            return f"HELD, {text(data['reason'], 'en')}: {data['detail']}. The service manager looks at the video"
        case "round.outcome":
            facts = data["facts"]
            laps = "laps not observed" if facts["laps"] is None else f"{facts['laps']} laps"
            tries = "" if data["attempts"] == 1 else f", attempt {data['attempts']}"
            return f"OUTCOME {facts['number']:>2} {facts['color']:<5} ({laps}{tries})"
        case "round.voided" | "table.paused" | "table.resumed" | "violation":
            return f"{kind}: {data['reason']} {data.get('detail', '')}".rstrip()
        case "device.fault":
            return f"{data['device']}: {data['fault']}: {data['detail']}"
        case "device.recovered":
            return f"{data['device']}: {data['fault']} is over"
        case _:
            return str(kind)
