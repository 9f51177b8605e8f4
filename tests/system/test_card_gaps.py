"""A whole station at a scanner whose dealer deals on while nobody looks: nothing is published that did not lie there.

The station, its broker and the consumer are real processes; the scanner and its dealer are simulated.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hw_sim.scenario import load_scenario, parse_scenario
from hw_sim.simulation import Simulation, running
from support.checker import committed
from support.game_server import Server
from support.live import SITE, Live, live, until

CARDS = ["8S", "5C", "KD", "2H", "9C", "3D", "TD", "4S", "7H", "6C"]
"""The first of the shoe: no two in a row look alike, so that nothing else is asked."""
TOLD = f"""
title = "t"
[[devices]]
name = "scanner"
model = "scanner"
game = "dragon-tiger"
codes = "rank-suit"
starts = "told"
between_s = [0.1, 0.1]
card_s = [1.5, 1.5]
top = {CARDS}
"""
BY_ITSELF = TOLD.replace('"told"', '"by_itself"').replace("1.5", "0.3")
STATION = """
[station]
site = "{site}"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[tables.r1]
game = "dragon-tiger"
round_source = "{source}"
[tables.r1.shoe]
require_verified = false
[[tables.r1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "{scanner}"
codebook = "rank-suit"
suffix = "line"
"""


@dataclass
class Table:
    here: Live
    sim: Simulation
    server: Server
    asked: int = 0
    starts: int = 0

    async def ask(self, name: str, role: str, **args: Any) -> None:
        self.asked += 1
        reply = await self.server.ask(f"c{self.asked}", name, role, **args)
        assert reply["ok"], reply

    async def say(self, name: str, role: str) -> None:
        await self.ask(name, role, reason="by the video")

    async def deal(self) -> None:
        await self.sim.tell("scanner", "deal")

    async def heard(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The newest event of a kind, once there are so many."""

        def found() -> list[dict[str, Any]]:
            return [event for event in self.here.events() if event["type"].endswith(kind)]

        await until(lambda: len(found()) >= count, f"{count} {kind}")
        assert len(found()) == count
        return found()[-1]["data"]  # type: ignore[no-any-return]

    async def over(self, hands: int) -> None:
        """So many hands lie there whole, whoever saw them."""
        await self.sim.until_truth(hands)

    async def next_hand_counts(self, outcomes: int) -> None:
        """A whole hand, and its outcome is the newest and right."""
        hands = len(self.sim.truth())
        await self.deal()
        facts = (await self.heard("round.outcome", outcomes))["facts"]
        await self.over(hands + 1)
        assert [facts["dragon"], facts["tiger"]] == list(self.sim.truth()[-1]["cards"].values())


@contextlib.asynccontextmanager
async def at_table(folder: Path, scenario: str, source: str = "device") -> AsyncIterator[Table]:
    """The simulation runs, the station does not yet."""
    async with live(folder) as here, running(parse_scenario(scenario, "t.toml"), seed=1, run_dir=folder / "dev") as sim:
        text = STATION.format(site=SITE, state=here.state, port=here.port, source=source, scanner=sim.ports["scanner"])
        here.config.write_text(text)
        daemon = (sys.executable, "-m", "dealer_daemon", "run", "--config", str(here.config), "--log-format", "json")
        here.daemon.command = daemon
        server = Server(here.port)
        try:
            yield Table(here, sim, server)
        finally:
            server.close()


async def up(table: Table) -> None:
    """The station runs, its scanner is plugged in, and it listens to the broker."""
    said = len(table.here.daemon.said())
    table.starts += 1
    await table.here.daemon_up()
    await until(lambda: '"state": "up"' in table.here.daemon.said()[said:], "the scanner's link")
    await table.heard("table.started", table.starts)


async def test_killed_while_cards_pass(tmp_path: Path) -> None:
    async with at_table(tmp_path, TOLD) as table:
        await up(table)
        assert "first_card_begins_a_hand" in table.here.daemon.said()
        await table.deal()
        await table.heard("card.drawn")
        await table.here.daemon.kill()
        await table.over(1)
        await up(table)
        assert (await table.heard("table.paused", 1))["reason"] == "unseen_in_hand"
        await table.say("round.void", "manager")
        await table.say("table.resume", "manager")
        await table.next_hand_counts(1)
        await table.here.daemon.kill()
        await table.deal()
        await table.over(3)
        await up(table)
        assert (await table.heard("table.paused", 2))["reason"] == "unseen_between_hands"
        await table.say("table.resume", "dealer")
        await table.next_hand_counts(2)


@pytest.mark.parametrize("source", ["device", "server"])
async def test_unplugged_in_mid_hand_while_its_second_card_passes(source: str, tmp_path: Path) -> None:
    async with at_table(tmp_path, TOLD, source) as table:
        await up(table)
        if source == "server":
            await table.ask("round.open", "server")
            await table.ask("betting.close", "server")
        await table.deal()
        await table.heard("card.drawn")
        await table.sim.unplug("scanner")
        await table.over(1)
        await table.sim.replug("scanner")
        assert (await table.heard("table.paused"))["reason"] == "unseen_in_hand"
        await table.say("round.void", "manager")
        await table.say("table.resume", "manager")
        if source == "server":
            await table.ask("round.open", "server")
            await table.ask("betting.close", "server")
        await table.next_hand_counts(1)


async def test_started_again_while_a_dealer_deals_on(tmp_path: Path) -> None:
    """A dealer whom nobody tells anything."""
    async with at_table(tmp_path, BY_ITSELF) as table:
        await up(table)
        await table.here.daemon.end()
        await table.over(len(table.sim.truth()) + 2)
        await up(table)
        await table.over(len(table.sim.truth()) + 3)
        assert await table.here.daemon.end() == 0
        events = committed(table.here.state)
        paused = [event for event in events if event["type"] == "table.paused"]
        assert [event["data"]["reason"] for event in paused] in (["unseen_between_hands"], ["unseen_in_hand"])
        later = [event for event in events if event["sequence"] > paused[0]["sequence"]]
        assert {event["type"] for event in later} <= {"violation", "card.repeated"}


@pytest.mark.parametrize("scenario", ["dragon-tiger", "baccarat-scanner"])
def test_the_dealer_of_a_shipped_scanner_waits_for_the_station(scenario: str) -> None:
    (device,) = load_scenario(scenario).devices
    assert device.wait_for_host, "its first card would otherwise not be the first that is read"
