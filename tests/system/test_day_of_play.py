"""Every kind of table in one station for a day of play at speed: what was published is what really happened.

The station, its broker and its cameras are real processes; the devices are simulated and know the truth. What is
compared, and what "either" and "late" mean: ``support/play_audit.py``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from dealer_calibration.dice_profile import write_profile
from dealer_daemon.demo.lobby import Lobby
from dealer_daemon.demo.tables import TABLES, Plugged, present, station_toml
from hw_sim.simulation import Simulation, running
from support.checker import committed
from support.live import PREFIX, Live, until
from support.play_audit import TableAudit, audit, deck_sets, sent_as_committed
from support.rig_dice import calibrated

LINES = """
title = "a day of play, by lines"
[[devices]]
name = "wheel"
model = "m360"
table = "fast"
extended = true
spins = ["good", "weak_launch"]
wait_for_host = true
[devices.rates]
weak_launch = 0.15
same_direction = 0.05
[[devices]]
name = "shoe"
model = "angel-eye"
hands = ["good", "unreadable@2"]
wait_for_host = true
[devices.rates]
unreadable = 0.15
equal_cards = 0.1
repeated_telegram = 0.1
cut_card = 0.02
[[devices]]
name = "scanner"
model = "scanner"
game = "three-cards"
card_s = [2.0, 2.5]
between_s = [10.0, 12.0]
wait_for_host = true
[[devices]]
name = "shuffler"
model = "shuffler"
serves = "scanner"
decks = 1
shuffle_s = [14.0, 15.0]
put_in_s = [0.5, 1.0]
repair_s = [0.5, 1.0]
shuffles = ["good", "missing"]
wait_for_host = true
[[devices]]
name = "rainbow"
model = "wheel-counter"
script = ["good", "short_spin", "stopped_by_hand"]
wait_for_host = true
[devices.rates]
short_spin = 0.1
stopped_by_hand = 0.1
wound_up = 0.1
"""
HASTY = """
title = "a dealer who does not wait for the manager: many turns are too short, the next comes while the table stands"
[[devices]]
name = "rainbow"
model = "wheel-counter"
between_s = [1.0, 3.0]
turns = [3.6, 5.0]
wait_for_host = true
[devices.rates]
short_spin = 0.6
"""
PICTURES = """
[[devices]]
name = "shaker"
model = "shaker-networked"
rig = 7
shakes = ["good", "stacked"]
[devices.rates]
stacked = 0.15
leaning = 0.1
[[devices]]
name = "dome"
model = "dome-camera"
shaker = "shaker"
fps = 12.0
[[devices]]
name = "cloth"
model = "bean-table"
fps = 10.0
starts = "told"
beans = [11, 6, 17, 13, 9, 23]
layouts = ["good", "touching"]
[devices.rates]
touching = 0.1
"""
SITE = "demo"
SCREEN = {
    "round.opened": "lay_out",
    "attempt.refused": "rearrange",
    "attempt.held": "clear",
    "round.outcome": "clear",
}
"""What the dealer of the fan-tan table does when the screen shows it."""
MOST_LATE = 0.05
"""Of the plays that count (but three at least): so many may be held because the host was late, and for nothing else."""


@dataclass
class Servers:
    """A game server and a service manager, who hear everything: ``received`` is table and body, in order."""

    port: int
    speed: float
    received: list[tuple[str, bytes]] = field(default_factory=list)
    words: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    """For the dealer of the fan-tan table."""

    def __post_init__(self) -> None:
        self._lobby = Lobby({table.name for table in TABLES if '"server"' in table.settings}, "day")
        self._heard: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="servers")
        self._client.on_message = self._message
        self._client.connect("127.0.0.1", self.port)
        while not self._client.is_connected():
            self._client.loop(0.05)
        self._client.subscribe(f"{PREFIX}/{SITE}/+/events/+", qos=1)

    async def serve(self) -> None:
        """Until cancelled."""
        while True:
            while self._client.loop(0.0) == mqtt.MQTT_ERR_SUCCESS and self._client.want_write():
                pass
            for order in self._lobby.due(self._now_s()):
                topic = f"{PREFIX}/{SITE}/{order.table}/commands"
                self._client.publish(topic, json.dumps(order.body), qos=1)
            await asyncio.sleep(0.005)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop(0.05)

    def events(self, table: str) -> list[dict[str, Any]]:
        """Of one table, each once."""
        return self._heard[table]

    def _now_s(self) -> float:
        return time.monotonic() * self.speed

    def _message(self, _client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        table = message.topic.split("/")[-3]
        self.received.append((table, bytes(message.payload)))
        event = json.loads(message.payload)
        if event["sequence"] > len(self._heard[table]):
            self._heard[table].append(event)
            self._lobby.heard(table, event, self._now_s())
            if table == "f1" and event["type"] in SCREEN:
                self.words.put_nowait(SCREEN[event["type"]])


def configure(here: Live, sim: Simulation, speed: float) -> list[Plugged]:
    """The demonstration's own tables, on these devices."""
    devices = [Plugged.of(each) for each in sim.describe()]
    if any(each.name == "dome" for each in devices):
        profile = here.folder / "rig.json"
        write_profile(calibrated(7, "asian")[1], profile, replace=True)
        devices = [
            Plugged(each.name, each.driver, each.port, (str(profile),)) if each.name == "dome" else each
            for each in devices
        ]
    text = station_toml(devices, state_dir=str(here.state), port=here.port, prefix=PREFIX, speed=speed)
    here.config.write_text(text)
    command = [sys.executable, "-m", "dealer_daemon", "run", "--config", str(here.config)]
    here.daemon.command = (*command, "--speed", f"{speed:g}", "--log-format", "json")
    return devices


async def deal(sim: Simulation, words: asyncio.Queue[str]) -> None:
    """The dealer of the fan-tan table does as he is told, until cancelled."""
    while True:
        await sim.tell("cloth", await words.get())


class Day:
    """What was played so far against what was said of it so far."""

    def __init__(self, sim: Simulation, devices: list[Plugged]) -> None:
        self.sim = sim
        self.tables = {table.name: table for table in present(devices)}

    def records(self, table: str, *, in_play: bool = False) -> list[dict[str, Any]]:
        """The truth of a table."""
        names = self.tables[table].devices.keys() - {"shuffler"}
        return [record for record in self.sim.truth(in_play=in_play) if record["device"] in names]

    def shuffles(self) -> list[dict[str, Any]]:
        return [record for record in self.sim.truth() if record["device"] == "shuffler"]

    def audit(self, events: Callable[[str], list[dict[str, Any]]]) -> dict[str, TableAudit]:
        """Every table; ``events`` gives those of one."""
        return {
            name: audit(table.game, self.records(name, in_play=True), events(name))
            for name, table in self.tables.items()
        }

    def answered(self, over: dict[str, int], events: Callable[[str], list[dict[str, Any]]]) -> bool:
        """Whether so many plays of each table are answered; or an answer is wrong, and there is nothing to wait for."""
        return all(found.wrong or found.answered >= over[name] for name, found in self.audit(events).items())


async def play(folder: Path, scenario: str, speed: float, seed: int, enough: Callable[[Day], bool]) -> Counter[str]:
    """Plays until it is enough; then everything of then must be answered, and all that was said be true."""
    here = Live(folder)
    file = folder / "day.toml"
    file.write_text(scenario)
    started = time.monotonic()
    tasks: list[asyncio.Task[None]] = []
    try:
        await here.broker_up()
        broker = f"mqtt://127.0.0.1:{here.port}"
        servers = Servers(here.port, speed)
        tasks.append(asyncio.create_task(servers.serve()))
        async with running(file, speed=speed, seed=seed, broker=broker, run_dir=folder / "dev") as sim:
            day = Day(sim, configure(here, sim, speed))
            tasks.append(asyncio.create_task(deal(sim, servers.words)))
            await here.daemon_up()
            while not enough(day):
                await asyncio.sleep(0.1)
                assert here.daemon.running, here.daemon.said()[-3000:]
            over = {name: len(day.records(name)) for name in day.tables}

            async with asyncio.timeout(90):
                while not day.answered(over, servers.events):
                    await asyncio.sleep(0.25)
            assert await here.daemon.end() == 0
            shuffles, journal = day.shuffles(), committed(here.state)
            audits = day.audit(lambda name: [event for event in journal if event["table"] == name])

            def everything_arrived() -> bool:
                return len({(table, body) for table, body in servers.received}) >= len(journal)

            await until(everything_arrived, "everything was sent")
        servers.close()
    finally:
        for task in tasks:
            task.cancel()
        for child in (here.daemon, here.broker):
            await child.kill()
    figures: Counter[str] = Counter()
    for name, found in audits.items():
        print(json.dumps({"table": name, "plays": found.answered, **found.figures}))
        assert found.wrong == []
        assert found.answered >= over[name]
        counts = Counter(event["type"] for event in journal if event["table"] == name)
        good = sum(play.expect == "accept" for play in found.plays) + found.figures["either: accepted"]
        others = sum(found.figures[name] for name in ("late", "in a pause: good", "under way"))
        assert counts["round.outcome"] == good - others
        ends = counts["round.outcome"] + counts["round.voided"]
        assert ends <= counts["round.opened"] <= ends + 1, "rounds are as many as ends, and one under way"
        figures += found.figures
    assert deck_sets(shuffles, [event for event in journal if event["table"] == "c1"]) == []
    assert sent_as_committed(journal, servers.received) == []
    assert figures["late"] <= max(3, MOST_LATE * (figures["accepted"] + figures["late"])), figures
    print(json.dumps({"all": figures, "shuffles": len(shuffles), "took_s": round(time.monotonic() - started, 1)}))
    return figures


def plays(**wanted: int) -> Callable[[Day], bool]:
    """So many of each table at least."""
    return lambda day: all(len(day.records(name)) >= count for name, count in wanted.items())


def hours(number: float, speed: float) -> Callable[[Day], bool]:
    """So long at the tables."""
    end_s = time.monotonic() + number * 3600 / speed
    return lambda _: time.monotonic() >= end_s


async def test_minutes_of_play_at_wheels_and_shoes(tmp_path: Path) -> None:
    figures = await play(tmp_path, LINES, 20.0, 20260101, plays(r1=4, b1=8, c1=6, w1=7))
    assert figures["accepted"] >= 15


async def test_minutes_of_play_at_every_kind_of_table(tmp_path: Path) -> None:
    figures = await play(tmp_path, LINES + PICTURES, 4.0, 20260102, plays(r1=1, b1=2, c1=1, w1=2, s1=3, f1=1))
    assert figures["accepted"] >= 8


@pytest.mark.soak
async def test_a_day_of_play_at_wheels_and_shoes(tmp_path: Path) -> None:
    figures = await play(tmp_path, LINES, 20.0, 1, hours(24, 20))
    assert figures["accepted"] > 5000


@pytest.mark.soak
async def test_hours_of_play_at_every_kind_of_table(tmp_path: Path) -> None:
    figures = await play(tmp_path, LINES + PICTURES, 4.0, 2, hours(4, 4))
    assert figures["accepted"] > 1000


@pytest.mark.soak
async def test_turns_about_the_end_of_a_pause_are_each_told_their_end(tmp_path: Path) -> None:
    figures = await play(tmp_path, HASTY, 20.0, 20260103, plays(w1=40))
    assert figures["in a pause"] >= 1
    assert figures["refused"] >= 3
