"""Brokers of others that speak MQTT 3.1.1: the same bodies, or a clear word."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.mqtt.reconnect import MqttVersion
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened
from support.mqtt_uplink import running, uplink_to
from support.mqtt_wire import V311
from support.nats import nats
from support.rabbitmq import rabbitmq
from support.studio import Settler, studio


@pytest.mark.soak
async def test_rabbitmq_killed_and_started_again_gives_the_same_bodies(tmp_path: Path) -> None:
    async with rabbitmq(tmp_path) as broker:
        # It takes the dot of an event's type for a level's end: `events/round/opened`.
        settler = Settler([broker.port], version=V311, filter_="events/#")
        async with studio([broker.port], settler, connack_timeout_s=3) as here:
            await here.handled_more(100)
            assert here.uplink.status.version is MqttVersion.V311
            broker.kill()
            await until(lambda: not here.uplink.status.connected)
            await broker.start()
            await here.handled_more(100)
            print(await here.finish(60))


async def test_a_broker_that_cannot_take_our_topics_is_named_and_nothing_is_passed_over(tmp_path: Path) -> None:
    """NATS before 2.10 knows no dots in a topic, and hangs up on whoever sends one."""
    broker, outbox = nats(tmp_path), MemoryOutbox()
    outbox.commit(opened())
    async with running(broker), uplink_to(broker.port, outbox) as uplink:
        await until(lambda: any("cannot take one of our messages" in problem.detail for problem in uplink.problems))
        assert uplink.published == 0
    assert "not supported for MQTT topics" in (tmp_path / "nats.log").read_text()
