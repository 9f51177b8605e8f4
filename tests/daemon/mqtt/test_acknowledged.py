"""How long the broker takes to acknowledge is told of what it acknowledged, and of nothing else."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.connection import Connection
from dealer_daemon.mqtt.errors import ConnectionDropped, PublishFailed
from dealer_daemon.mqtt.messages import Outgoing
from dealer_daemon.mqtt.settings import BrokerSettings


class Waiting:
    """A connection whose broker answers when the test says so."""

    def __init__(self) -> None:
        self.answers: list[asyncio.Future[None]] = []

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        del message
        self.answers.append(asyncio.get_running_loop().create_future())
        return self.answers[-1]


@pytest.fixture
async def told() -> tuple[Waiting, list[float]]:
    client = MqttClient(BrokerSettings(host="127.0.0.1", port=1, client_id="c"))
    connection, seconds = Waiting(), list[float]()
    client._connection = cast(Connection, connection)
    client.acknowledged = seconds.append
    for _ in range(4):
        client.publish(Outgoing("t", b"x"))
    return connection, seconds


async def test_only_what_was_acknowledged_has_taken_a_time(told: tuple[Waiting, list[float]]) -> None:
    connection, seconds = told
    kept, refused, dropped, gone = connection.answers
    kept.set_result(None)
    refused.set_exception(PublishFailed(0x87, "not authorized"))
    dropped.set_exception(ConnectionDropped("lost"))
    gone.cancel()
    await asyncio.sleep(0)
    assert len(seconds) == 1
    assert seconds[0] >= 0
