"""The documented consumers before a station in the test's hand: what comes too early, twice, or never by itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dealer_daemon.events import Event, EventsLost
from dealer_daemon.mqtt.envelope import encode_event
from support.consumers import NodeConsumer, PythonConsumer, Settled
from support.live import BASE, SITE, TABLE, until
from support.mqtt_brokers import mosquitto
from support.mqtt_outbox import event, outcome
from support.mqtt_uplink import running
from support.mqtt_wire import Publish, Witness

MAKE = {"py-settler": PythonConsumer, "js-settler": NodeConsumer}
LOST = EventsLost(from_sequence=6, to_sequence=8, reason="journal_salvaged", by="service")
GIVEN_UP = EventsLost(from_sequence=1, to_sequence=19, reason="journal_adopted", by="service")


class Station:
    """What a consumer sees of a station."""

    def __init__(self, witness: Witness, name: str) -> None:
        self.witness, self.name = witness, name

    async def state(self, last: int) -> None:
        await self.witness.publish(f"{BASE}/state", json.dumps({"last_sequence": last}).encode(), retain=True)

    async def send(self, *events: int | Event) -> None:
        for each in events:
            made = event(each, outcome(str(each)), TABLE) if isinstance(each, int) else each
            await self.witness.publish(f"{BASE}/events/{made.data.type}", encode_event(SITE, made))

    async def asked(self, count: int) -> dict[str, Any]:
        """The ``count``-th command."""
        seen = await self.witness.until(lambda seen: len(of(seen, f"commands/consumer/{self.name}")) >= count, 20)
        return json.loads(of(seen, f"commands/consumer/{self.name}")[count - 1].payload)  # type: ignore[no-any-return]

    async def refuse(self, command: str, error: str, message: str) -> None:
        """An answer on the consumer's topic."""
        data = {"command": command, "ok": False, "error": error, "message": message, "result": {}}
        await self.witness.publish(f"{BASE}/replies/{self.name}", json.dumps({"data": data}).encode())

    async def told(self, sequence: int) -> None:
        """The consumer's acknowledgement of ``sequence``."""
        body = {"sequence": sequence}
        await self.witness.until(
            lambda seen: body in [json.loads(m.payload) for m in of(seen, f"acks/{self.name}")], 20
        )


def of(seen: list[Publish], leaf: str) -> list[Publish]:
    return [message for message in seen if message.topic == f"{BASE}/{leaf}"]


@contextlib.asynccontextmanager
async def station(folder: Path, name: str) -> AsyncIterator[tuple[Station, Settled]]:
    async with running(mosquitto(folder)) as broker, Witness.connected(broker.port, "station") as witness:
        await witness.subscribe(f"{BASE}/commands/consumer/+")
        await witness.subscribe(f"{BASE}/acks/+")
        consumer: Settled = MAKE[name](folder, broker.port)  # type: ignore[abstract]
        try:
            yield Station(witness, name), consumer
        finally:
            await consumer.child.kill()


async def test_what_is_missing_is_asked_for_and_each_event_is_settled_once(tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in MAKE}
    for folder in folders.values():
        folder.mkdir()
    await asyncio.gather(*(asks_and_settles_once(folder, name) for name, folder in folders.items()))


async def asks_and_settles_once(folder: Path, name: str) -> None:
    async with station(folder, name) as (here, consumer):
        await here.state(2)
        await consumer.child.start()
        await here.told(0)
        asked = await here.asked(1)
        assert (asked["type"], asked["data"]["from"], asked["source"]) == ("events.resend", 1, f"/{name}")
        await here.send(1, 2, 1, 2, 4, 5)  # a repeat, and two that are too early
        await here.told(2)
        assert (await here.asked(2))["data"]["from"] == 3
        log = (folder / "mosquitto.log").read_text()
        assert log.count(f"Received SUBSCRIBE from {name}") == 3, "with each ask, in case the broker lost it"
        await here.send(2, 3, 4, 5, event(9, LOST, TABLE), 10, event(20, GIVEN_UP, TABLE), 21)
        await here.told(21)
        assert [each["id"] for each in consumer.settled()] == [f"{SITE}/{TABLE}/{n}" for n in (1, 2, 3, 4, 5, 10, 21)]
        # Started again it knows where it was, and says so.
        await consumer.child.kill()
        acks = len(of(here.witness.seen, f"acks/{name}"))
        await consumer.child.start()
        await here.witness.until(lambda seen: len(of(seen, f"acks/{name}")) > acks, 20)
        assert json.loads(of(here.witness.seen, f"acks/{name}")[-1].payload) == {"sequence": 21}


async def test_what_is_no_longer_kept_stops_it_with_a_word(tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in MAKE}
    for folder in folders.values():
        folder.mkdir()
    await asyncio.gather(*(is_stopped_with_a_word(folder, name) for name, folder in folders.items()))


async def is_stopped_with_a_word(folder: Path, name: str) -> None:
    async with station(folder, name) as (here, consumer):
        await here.state(200)
        await consumer.child.start()
        await here.told(0)
        await here.refuse("c-17", "bad_argument", "this is for somebody else")
        await here.refuse("", "malformed", "and so is this")
        await here.asked(2)
        assert consumer.child.running
        own = (await here.asked(1))["id"]
        await here.refuse(own, "unavailable", "the station is stopping")
        await until(lambda: "the station is stopping" in consumer.child.said(), "it says so")
        await here.refuse(own, "bad_argument", "events before 150 are no longer kept")
        await until(lambda: not consumer.child.running, "it ends")
        assert consumer.child.process is not None
        assert await consumer.child.process.wait() == 1
        assert "events before 150 are no longer kept" in consumer.child.said()
        assert "for somebody else" not in consumer.child.said()


async def test_half_a_line_never_happened(tmp_path: Path) -> None:
    whole = json.dumps({"table": TABLE, "sequence": 1}) + "\n"
    (tmp_path / "settled.jsonl").write_text(whole + '{"table":"r1","sequence":2,"id":"studio')
    async with station(tmp_path, "js-settler") as (here, consumer):
        await here.state(1)
        await consumer.child.start()
        await here.told(1)
        await here.send(2)
        await here.told(2)
        assert [each["id"] for each in consumer.settled()] == [f"{SITE}/{TABLE}/2"]
