"""What game servers see: an MQTT subscriber of its own that prints events as they arrive, and speaks to tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from rich.console import Console
from rich.table import Table

from dealer_daemon.demo.sayings import STYLES, describe, worth_showing

HEAD = "{time}  {table:<3} {game:<13} {round:<7} "


class Viewer:
    """Subscribes to every event of a station, prints and counts them. ``heard`` is called once with each, and its
    table."""

    def __init__(
        self, port: int, prefix: str, site: str, console: Console, heard: Callable[[str, dict[str, Any]], None]
    ) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        """Events by table and type."""
        self.games: dict[str, str] = {}
        """By table; known from its first event on."""
        self.links: dict[tuple[str, str], str] = {}
        """By table and device, how its link is."""
        self._console = console
        self._heard = heard
        self._seen: dict[str, int] = {}
        self._base = f"{prefix}/{site}"
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="demo-viewer")
        self._client.on_connect = self._connected
        self._client.on_message = self._message
        self._client.connect("127.0.0.1", port)

    def poll(self, timeout_s: float) -> None:
        """Handle what arrives within ``timeout_s``."""
        self._client.loop(timeout_s)

    def send(self, table: str, body: dict[str, Any]) -> None:
        """A command to a table."""
        self._client.publish(f"{self._base}/{table}/commands", json.dumps(body), qos=1)

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop(0.1)

    def _connected(self, client: mqtt.Client, _data: Any, _flags: Any, _code: Any, _properties: Any) -> None:
        client.subscribe([(f"{self._base}/+/events/+", 1), (f"{self._base}/+/devices/+", 1)])

    def _message(self, _client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        table, kind, what = message.topic.removeprefix(f"{self._base}/").split("/")
        body = json.loads(message.payload or b"{}")
        if kind == "devices":
            self.links[table, what] = body.get("link", "")
        elif body["sequence"] > self._seen.get(table, 0):  # a repeat is known by its sequence
            self._seen[table] = body["sequence"]
            self._event(table, body)

    def _event(self, table: str, event: dict[str, Any]) -> None:
        self.counts[table, event["type"]] += 1
        if "game" in event["data"]:  # a table may have been taken up before anybody looked
            self.games[table] = event["data"]["game"]
        game = self.games.get(table, "")
        if worth_showing(game, event):
            self._print(table, game, event)
        self._heard(table, event)

    def _print(self, table: str, game: str, event: dict[str, Any]) -> None:
        subject = event.get("subject", "")
        head = HEAD.format(time=event["time"][11:19], table=table, game=game, round=subject)
        line = Table.grid(padding=0)
        line.add_column(width=len(head), no_wrap=True)
        line.add_column(overflow="fold")
        style, said = STYLES[event["type"]], describe(game, event)
        if self._console.is_terminal:
            line.add_row(head, said)
            self._console.print(line, style=style, highlight=False, markup=False)
        else:  # one event a line, whoever reads it
            self._console.print(head + said, style=style, highlight=False, markup=False, soft_wrap=True)
