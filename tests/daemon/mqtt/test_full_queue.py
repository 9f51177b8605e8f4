"""What the broker keeps is seen though the queue of the session is full, and the broker leaves it out there."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from dealer_daemon.mqtt import hearing
from support.mqtt_brokers import mosquitto
from support.mqtt_journal import codes, journal_in, station, write
from support.mqtt_link import until
from support.mqtt_outbox import opened, outcome
from support.mqtt_person import Person
from support.mqtt_uplink import EVERYTHING, TOPICS, running
from support.mqtt_wire import V311, connect_packet

QUEUE = ("allow_anonymous true", "max_queued_messages 10", "max_inflight_messages 5")


async def test_an_old_copy_is_found_out_over_a_queue_that_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The PC froze while commands came, and was set up again from a copy of its disk."""
    monkeypatch.setattr(hearing, "ECHO_EVERY_S", 1.5)
    state = tmp_path / "state"
    async with running(mosquitto(tmp_path, QUEUE)) as broker, Person(broker.port, EVERYTHING) as seen:
        with journal_in(state) as journal:
            write(journal, opened(), opened())
            async with station(broker, journal) as uplink:
                await until(lambda: uplink.published == 2)
        shutil.copytree(state, tmp_path / "copy")
        with journal_in(state) as journal:
            write(journal, opened(), outcome("17"))
            async with station(broker, journal) as uplink:
                await until(lambda: uplink.published == 4)
        reader, frozen = await asyncio.open_connection("127.0.0.1", broker.port)
        frozen.write(connect_packet(V311, "studio-1-r1", clean=False))
        await reader.readexactly(4)
        for _ in range(30):
            await seen.publish(TOPICS.commands, b"{}")
        frozen.close()
        await frozen.wait_closed()
        with journal_in(tmp_path / "copy", boot="boot-b") as journal:
            write(journal, opened(), boot="boot-b")
            async with station(broker, journal, boot="boot-b") as uplink:
                await until(lambda: uplink.status.connected)
                # An old will, say: with it the station knows that it hears, and asks for no new connection.
                await seen.publish(TOPICS.presence, json.dumps({"online": False, "boot": "boot-0"}).encode())
                await until(lambda: "journal_behind" in codes(uplink) or uplink.published > 2)
                assert "journal_behind" in codes(uplink)
        published = [json.loads(m.payload) for m in seen.messages if "/events/" in m.topic]
        assert [event["sequence"] for event in published] == [1, 2, 3, 4]
