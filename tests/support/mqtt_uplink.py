"""A table's whole MQTT over a real broker, with waits short enough for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from dealer_daemon.commands import Command, Reply
from dealer_daemon.mqtt.outbox import Outbox
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.uplink import Uplink
from support.mqtt_brokers import Broker

TOPICS = Topics("dealer/v1", "studio-1", "r1")
EVERYTHING = f"{TOPICS.base}/#"


async def no_commands(_table: str, command: Command) -> Reply:
    return Reply(command=command.id, ok=True)


@asynccontextmanager
async def uplink_to(
    port: int,
    outbox: Outbox,
    *,
    boot: str = "boot-a",
    handler: Callable[..., Any] = no_commands,
    in_flight: int = 16,
    **changes: Any,
) -> AsyncIterator[Uplink]:
    fast = {"backoff_min_s": 0.02, "backoff_max_s": 0.2, "refused_wait_s": 0.2, "ack_timeout_s": 5}
    settings = BrokerSettings(**{"host": "127.0.0.1", "port": port, "client_id": "studio-1-r1", **fast, **changes})
    uplink = Uplink(
        settings,
        TOPICS,
        outbox,
        handler,
        boot=boot,
        version="test",
        since="2026-01-01T00:00:00.000000Z",
        in_flight=in_flight,
    )
    uplink.start()
    try:
        yield uplink
    finally:
        await uplink.stop(timeout_s=2)


@asynccontextmanager
async def running(broker: Broker) -> AsyncIterator[Broker]:
    await broker.start()
    try:
        yield broker
    finally:
        broker.stop()
