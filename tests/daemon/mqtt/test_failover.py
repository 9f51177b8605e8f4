"""One client and several nodes of a broker: which is tried when, and whose word counts for the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from dealer_daemon.config.broker import BrokerAddress
from dealer_daemon.config.types import MqttConfig
from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import broker_settings
from support.mqtt_brokers import free_port
from support.mqtt_clients import WILL, Seen, message, serve, settings
from support.mqtt_link import until
from support.mqtt_wire import V5, Peer, Script, connack_packet, scripted_broker


@asynccontextmanager
async def client_of_nodes(*scripts: Script | None, **changes: Any) -> AsyncIterator[tuple[MqttClient, Seen]]:
    """A client and its nodes in order; ``None`` is a node that is down."""
    async with AsyncExitStack() as stack:
        ports = [
            await stack.enter_async_context(scripted_broker(script)) if script else free_port() for script in scripts
        ]
        fallbacks = tuple(BrokerAddress("127.0.0.1", port, tls=False) for port in ports[1:])
        client = MqttClient(settings(ports[0], fallbacks=fallbacks, **changes), WILL)
        seen = Seen(client)
        client.start()
        try:
            yield client, seen
        finally:
            await client.stop()


class Node:
    """A node that serves until it is told to go, and says that it knows every session."""

    def __init__(self) -> None:
        self.sessions = 0
        self.gone = asyncio.Event()

    async def script(self, peer: Peer, _number: int) -> None:
        await peer.accept(session_present=True)
        self.sessions += 1
        serving, going = asyncio.create_task(serve(peer)), asyncio.create_task(self.gone.wait())
        try:
            await asyncio.wait({serving, going}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            serving.cancel()
            going.cancel()
            await asyncio.wait({serving, going})
        self.gone.clear()


async def test_a_lost_node_is_left_for_the_next_one_and_the_last_for_the_first() -> None:
    first, second = Node(), Node()
    async with client_of_nodes(first.script, second.script) as (client, seen):
        await until(lambda: first.sessions == 1)
        await client.publish(message())
        first.gone.set()
        await until(lambda: second.sessions == 1 and len(seen.connected) == 2)
        await client.publish(message())
        second.gone.set()
        await until(lambda: first.sessions == 2 and client.status.connected)


async def test_a_node_that_is_down_is_passed_over_and_said() -> None:
    node = Node()
    async with client_of_nodes(None, None, node.script) as (client, seen):
        await until(lambda: client.status.connected)
        assert set(seen.problems) == {"mqtt_unreachable", None}


async def test_a_session_counts_as_kept_only_where_it_was_the_last() -> None:
    """What the lost node had acknowledged and not passed on is known to nobody: the publisher must repeat it."""
    first, second = Node(), Node()
    async with client_of_nodes(first.script, second.script) as (_, seen):
        await until(lambda: len(seen.connected) == 1)
        first.gone.set()
        await until(lambda: len(seen.connected) == 2)
        second.gone.set()
        await until(lambda: len(seen.connected) == 3)
    assert [present for present, _ in seen.connected] == [False, False, False]


async def test_a_single_node_is_believed() -> None:
    node = Node()
    async with client_of_nodes(node.script) as (_, seen):
        await until(lambda: len(seen.connected) == 1)
        node.gone.set()
        await until(lambda: len(seen.connected) == 2)
    assert [present for present, _ in seen.connected] == [True, True]


async def test_after_a_detour_to_a_node_that_is_down_the_same_session_counts_as_kept() -> None:
    node = Node()
    async with client_of_nodes(node.script, None) as (_, seen):
        await until(lambda: len(seen.connected) == 1)
        node.gone.set()
        await until(lambda: len(seen.connected) == 2)
    assert [present for present, _ in seen.connected] == [False, True]


async def test_an_older_version_is_tried_where_the_newer_was_refused() -> None:
    asked: list[tuple[str, int]] = []

    def node(name: str) -> Script:
        async def script(peer: Peer, _number: int) -> None:
            said = await peer.read_connect()
            asked.append((name, said.version))
            peer.send(connack_packet(said.version, 0x84 if said.version == V5 else 0))
            await serve(peer)

        return script

    async with client_of_nodes(node("first"), node("second")) as (client, _):
        await until(lambda: client.status.connected)
        assert client.status.version is MqttVersion.V311
    assert asked == [("first", 5), ("first", 4)]


def test_every_node_has_its_own_address_and_shares_the_rest() -> None:
    mqtt = MqttConfig(
        url="mqtts://a.example",
        fallback_urls=("mqtts://b.example:8884", "mqtt://127.0.0.1"),
        ca_file="/ca",
        username="u",
    )
    nodes = broker_settings(mqtt, "studio-1-r1").nodes()
    assert [(node.host, node.port, node.tls) for node in nodes] == [
        ("a.example", 8883, True),
        ("b.example", 8884, True),
        ("127.0.0.1", 1883, False),
    ]
    assert {(node.client_id, node.username, node.ca_file) for node in nodes} == {("studio-1-r1", "u", Path("/ca"))}
