"""A client against a scripted broker, and what it told its owner."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.messages import Outgoing, Will
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from support.mqtt_wire import Peer, Script, scripted_broker

WILL = Will("t/presence", b"gone")


class Seen:
    """What a client told its owner."""

    def __init__(self, client: MqttClient) -> None:
        self.connected: list[tuple[bool, MqttVersion]] = []
        self.disconnected: list[str] = []
        self.problems: list[str | None] = []
        client.on_connected(lambda present, version: self.connected.append((present, version)))
        client.on_disconnected(self.disconnected.append)
        client.on_problem(lambda problem: self.problems.append(problem and problem.code))


def settings(port: int, **changes: Any) -> BrokerSettings:
    fast = {"connack_timeout_s": 0.2, "ack_timeout_s": 0.4, "backoff_min_s": 0.02, "backoff_max_s": 0.05}
    return BrokerSettings(host="127.0.0.1", port=port, client_id="studio-1-r1", **{**fast, **changes})


@asynccontextmanager
async def client_of(
    script: Script, before: Callable[[MqttClient], None] | None = None, **changes: Any
) -> AsyncIterator[tuple[MqttClient, Seen]]:
    async with scripted_broker(script) as port:
        client = MqttClient(settings(port, **changes), WILL)
        seen = Seen(client)
        if before is not None:
            before(client)
        client.start()
        try:
            yield client, seen
        finally:
            await client.stop()


def message(n: int = 0, **more: Any) -> Outgoing:
    return Outgoing("t/events", b"%d" % n, **more)


async def serve(peer: Peer) -> None:
    """A broker that acknowledges everything."""
    while True:
        peer.acknowledge(await peer.next_publish())
