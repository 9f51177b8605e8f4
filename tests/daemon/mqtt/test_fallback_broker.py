"""A broker that speaks 3.1.1 only gets the same bodies."""

from __future__ import annotations

import json
from pathlib import Path

from dealer_daemon.commands import Command, Reply
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.uplink import Uplink
from support.mqtt_brokers import amqtt
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, event, outcome
from support.mqtt_wire import Witness

TOPICS = Topics("dealer/v1", "studio-1", "r1")


async def answer(_table: str, command: Command) -> Reply:
    return Reply(command=command.id, ok=True)


async def test_a_3_1_1_broker_is_found_out_and_sees_the_same_bodies(tmp_path: Path) -> None:
    broker = amqtt(tmp_path)
    await broker.start()
    outbox = MemoryOutbox()
    settings = BrokerSettings(host="127.0.0.1", port=broker.port, client_id="studio-1-r1", connack_timeout_s=1)
    uplink = Uplink(settings, TOPICS, outbox, answer, boot="b", version="v", since="2026-01-01T00:00:00.000000Z")
    try:
        async with Witness.connected(broker.port) as witness:
            await witness.subscribe(f"{TOPICS.base}/#")
            uplink.start()
            await until(lambda: uplink.status.version is MqttVersion.V311, timeout_s=15)
            outbox.commit(*[outcome(str(n)) for n in range(40)])
            await until(lambda: uplink.published == 40)
            command = {"id": "c", "type": "round.open", "source": "/lobby", "data": {"by": "x", "role": "server"}}
            await witness.publish(TOPICS.commands, json.dumps(command).encode())
            seen = await witness.until(lambda _: bool(witness.on(TOPICS.replies("lobby"))))
            events = [m.payload for m in seen if m.topic == TOPICS.events("round.outcome")]
            assert events == [encode_event("studio-1", event(n + 1, outcome(str(n)))) for n in range(40)]
            births = [json.loads(m.payload) for m in witness.on(TOPICS.presence) if json.loads(m.payload)["online"]]
            assert births[0]["protocol"] == "3.1.1"
            assert await uplink.stop(5) is True
            await witness.until(lambda _: not json.loads(witness.on(TOPICS.presence)[-1].payload)["online"])
    finally:
        await uplink.stop(1)
        broker.stop()
