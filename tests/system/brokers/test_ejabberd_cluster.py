"""A cluster of two nodes that loses one, and then the other, while the table and its consumer go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.scout import CONTESTED
from support.ejabberd import cluster
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox
from support.mqtt_uplink import TOPICS, uplink_to
from support.mqtt_wire import V5, V311, Witness
from support.studio import Settler, studio

SLOW_S = 60
"""A node that comes back can lose subscriptions that were just made: the station finds out in half a minute."""


@pytest.mark.parametrize(("protocol", "version"), [("5", V5), ("3.1.1", V311)])
async def test_nodes_are_lost_and_no_event_is(tmp_path: Path, protocol: str, version: int) -> None:
    async with cluster(tmp_path) as (first, second):
        ports = [first.port, second.port]
        settler = Settler(ports[::-1], user="settler", version=version)
        async with studio(ports, settler, user="r1", folder=tmp_path, protocol=protocol) as here:
            await here.handled_more(100, SLOW_S)
            assert here.uplink.status.version == MqttVersion(protocol)

            # Another station of the same name, at the other node: it hears the first one from there.
            secret = {"username": "r1", "password_file": tmp_path / "password", "protocol": protocol}
            async with uplink_to(second.port, MemoryOutbox(), boot="another", **secret) as other:
                await until(lambda: other.held is not None)
                assert other.held is not None
                assert other.held.code == CONTESTED
            assert here.uplink.status.connected

            first.kill()  # the station's node: the consumer stays where it is
            await until(lambda: not here.uplink.status.connected)
            await here.handled_more(100, SLOW_S)

            await first.start()
            await here.handled_more(20, SLOW_S)
            # The node of the consumer, whichever: a node that comes back can end sessions at others.
            await until(lambda: here.settler.connected)
            lost, left = (second, first) if here.settler.port == second.port else (first, second)
            lost.kill()
            await until(lambda: not here.settler.connected or here.settler.port == left.port)
            await here.handled_more(100, SLOW_S)
            figures = await here.finish(SLOW_S)
            assert here.uplink.problems == []

            async with Witness.connected(left.port, "late", version=version, username="late", password="x") as late:
                await late.subscribe(f"{TOPICS.base}/#")
                found = await late.until(lambda seen: {m.topic for m in seen} >= {TOPICS.outcome, TOPICS.state})
            newest = {m.topic: json.loads(m.payload) for m in found}
            assert newest[TOPICS.state]["last_sequence"] == figures["events"]
            assert newest[TOPICS.presence]["online"] is True
    print(figures)


@pytest.mark.soak
async def test_nodes_are_lost_in_turn_for_long(tmp_path: Path) -> None:
    async with cluster(tmp_path) as nodes:
        settler = Settler([node.port for node in nodes][::-1], user="settler")
        async with studio([node.port for node in nodes], settler, user="r1", folder=tmp_path) as here:
            for turn in range(20):
                await here.handled_more(50, SLOW_S)
                nodes[turn % 2].kill()
                await here.handled_more(50, SLOW_S)
                await nodes[turn % 2].start()
            print(await here.finish(SLOW_S))
