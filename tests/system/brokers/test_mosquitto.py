"""mosquitto as Debian configures it, and with its database written often: killed, it comes back with less than it had
acknowledged, or with a state from some time ago."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.mqtt_brokers import mosquitto
from support.mqtt_link import until
from support.mqtt_uplink import TOPICS, running
from support.mqtt_wire import Witness
from support.studio import Settler, studio

DEFAULT: Sequence[str] = ()
"""Debian's: the database is written every 30 minutes and at an orderly end."""
SECONDS = ("autosave_interval 1",)
CHANGES = ("autosave_interval 5", "autosave_on_changes true")


@pytest.mark.parametrize("persistence", [DEFAULT, SECONDS, CHANGES], ids=["default", "seconds", "changes"])
async def test_killed_again_and_again_nothing_is_lost(persistence: Sequence[str], tmp_path: Path) -> None:
    broker = mosquitto(tmp_path, persistence=persistence)
    async with running(broker), studio([broker.port], Settler([broker.port])) as here:
        for _ in range(3):
            await here.handled_more(60)
            broker.kill()
            await until(lambda: not here.uplink.status.connected)
            await broker.start()
        await here.handled_more(20)
        figures = await here.finish()
    assert figures["events"] >= 200
    print(figures)


async def test_stopped_in_order_it_keeps_what_a_consumer_that_is_away_was_sent(tmp_path: Path) -> None:
    broker = mosquitto(tmp_path, persistence=DEFAULT)
    async with running(broker):
        async with Witness.connected(broker.port, "away", clean=False) as away:
            await away.subscribe(f"{TOPICS.base}/events/+")
        async with studio([broker.port], Settler([broker.port])) as here:
            await here.handled_more(40)
            broker.stop()
            await broker.start()
            await here.handled_more(20)
            await here.finish()
            async with Witness.connected(broker.port, "away", clean=False) as away:
                assert away.session_present
                wanted = len(here.outbox.stored)
                await away.until(lambda seen: len({m.payload for m in seen}) == wanted)


async def test_a_database_from_some_time_ago_hides_the_loss_and_the_consumer_asks(tmp_path: Path) -> None:
    """It still knows our session, so the station sees no reason to repeat; what the consumer was owed is gone."""
    broker = mosquitto(tmp_path, persistence=DEFAULT)
    async with running(broker), studio([broker.port], Settler([broker.port])) as here:
        sessions: list[bool] = []
        here.uplink._client.on_connected(lambda present, _version: sessions.append(present))
        await here.handled_more(10)
        here.settler.away = True
        await until(lambda: not here.settler.connected)
        broker.signal(signal.SIGUSR1)  # it writes its database now, and then no more
        await until(lambda: (tmp_path / "mosquitto.db").exists())
        owed = here.uplink.published + 100
        await until(lambda: here.uplink.published >= owed)
        here.stop_playing()
        await until(lambda: here.uplink.published == len(here.outbox.stored))
        broker.kill()
        await broker.start()
        await until(lambda: here.uplink.status.connected and bool(sessions))
        here.settler.away = False
        figures = await here.finish()
    assert sessions[-1] is True
    assert figures["asked"] >= 1
