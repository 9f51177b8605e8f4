"""A whole station at a scanner whose dealer deals on while nobody looks: nothing is published that did not lie there.

The station, its broker and the consumer are real processes; the scanner and its dealer are simulated.
"""

from __future__ import annotations

import asyncio
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
from support.live import Live, live, until
from support.scanner_station import configure_scanner

CARDS = ["8S", "5C", "KD", "2H", "9C", "3D", "TD", "4S", "7H", "6C"]
"""The first of the shoe: no two in a row look alike, so that nothing else is asked."""
SPEED = 8.0
"""How fast the dealer clears the table: a scanner does nothing by the clock."""
SCENARIO = f"""
title = "t"
[[devices]]
name = "scanner"
model = "scanner"
game = "dragon-tiger"
codes = "rank-suit"
starts = "card_by_card"
between_s = [0.01, 0.01]
card_s = [{0.4 * SPEED}, {0.4 * SPEED}]
top = {CARDS}
"""
"""Longer from card to card than what two readings that were held up have between them."""


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

    def reply(self, command: str) -> dict[str, Any] | None:
        """What the station answered to a command, if it did."""
        self.server.listen()
        data = (reply["data"] for reply in self.server.replies)
        return next((one for one in data if one["command"] == command), None)

    async def say(self, name: str, role: str) -> None:
        await self.ask(name, role, reason="by the video")

    def dealt(self) -> int:
        """Cards that lie there or did, whoever saw them."""
        return sum(len(hand["cards"]) for hand in self.sim.truth(in_play=True))

    async def card(self) -> None:
        """The dealer passes the next card over the scanner."""
        before = self.dealt()
        await self.sim.tell("scanner", "deal")
        await until(lambda: self.dealt() > before, "a card")

    async def card_counts(self) -> None:
        """The same, and the station heard it."""
        drawn = self.drawn()
        await self.card()
        await until(lambda: self.drawn() > drawn, "the card counts")

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Those of a kind, each once: a station that was killed may send one again."""
        found = {event["sequence"]: event for event in self.here.events() if event["type"].endswith(kind)}
        return [found[sequence] for sequence in sorted(found)]

    def drawn(self) -> int:
        return len(self.events("card.drawn"))

    async def heard(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The newest event of a kind, once there are so many."""

        await until(lambda: len(self.events(kind)) >= count, f"{count} {kind}")
        found = self.events(kind)
        assert len(found) == count
        return found[-1]["data"]  # type: ignore[no-any-return]

    async def next_hand_counts(self, outcomes: int) -> None:
        """A whole hand, and its outcome is the newest and right."""
        await self.card_counts()
        await self.card_counts()
        facts = (await self.heard("round.outcome", outcomes))["facts"]
        lies = [hand["cards"] for hand in self.sim.truth(in_play=True) if hand["cards"]][-1]
        assert [facts["dragon"], facts["tiger"]] == list(lies.values())


@contextlib.asynccontextmanager
async def at_table(folder: Path, source: str = "device") -> AsyncIterator[Table]:
    """The simulation runs, the station does not yet."""
    scenario, run_dir = parse_scenario(SCENARIO, "t.toml"), folder / "dev"
    async with live(folder) as here, running(scenario, seed=1, speed=SPEED, run_dir=run_dir) as sim:
        configure_scanner(here, sim.ports["scanner"], source=source)
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
    async with at_table(tmp_path) as table:
        await up(table)
        assert "first_card_begins_a_hand" in table.here.daemon.said()
        await table.card_counts()
        await table.here.daemon.kill()
        await table.card()
        await up(table)
        assert (await table.heard("table.paused", 1))["reason"] == "unseen_in_hand"
        await table.say("round.void", "manager")
        await table.say("table.resume", "manager")
        await table.next_hand_counts(1)
        await table.here.daemon.kill()
        await table.card()
        await table.card()
        await up(table)
        assert (await table.heard("table.paused", 2))["reason"] == "unseen_between_hands"
        await table.say("table.resume", "dealer")
        await table.next_hand_counts(2)


@pytest.mark.parametrize("source", ["device", "server"])
async def test_unplugged_in_mid_hand_while_its_second_card_passes(source: str, tmp_path: Path) -> None:
    async with at_table(tmp_path, source) as table:
        await up(table)
        if source == "server":
            await table.ask("round.open", "server")
            await table.ask("betting.close", "server")
        await table.card_counts()
        await table.sim.unplug("scanner")
        await table.card()
        await table.sim.replug("scanner")
        assert (await table.heard("table.paused"))["reason"] == "unseen_in_hand"
        await table.say("round.void", "manager")
        await table.say("table.resume", "manager")
        if source == "server":
            await table.ask("round.open", "server")
            await table.ask("betting.close", "server")
        await table.next_hand_counts(1)


async def test_an_answer_that_the_broker_kept_over_a_restart_is_none(tmp_path: Path) -> None:
    """The manager looked, and said so; the station was killed before it heard that, and a card passed."""
    async with at_table(tmp_path) as table:
        await up(table)
        await table.card_counts()
        await table.here.daemon.kill()
        await up(table)
        await table.heard("table.paused", 1)
        pause = table.events("table.paused")[-1]["sequence"]
        await table.here.daemon.kill()
        table.server.say("kept", "table.resume", "manager", reason="by the video", pause=pause)
        await table.card()
        await up(table)
        await table.heard("table.paused", 2)
        await until(lambda: table.reply("kept") is not None, "an answer to what was kept")
        assert (table.reply("kept") or {})["error"] == "not_now"
        await table.say("round.void", "manager")
        await table.say("table.resume", "manager")
        await table.next_hand_counts(1)


async def test_started_again_while_a_dealer_deals_on(tmp_path: Path) -> None:
    """A dealer whom nobody tells anything."""
    async with at_table(tmp_path) as table:
        await up(table)
        await table.card_counts()
        await table.here.daemon.end()
        dealing = asyncio.create_task(deal_on(table))
        await up(table)
        seen = table.dealt()
        await until(lambda: table.dealt() > seen + 3, "more cards")
        dealing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await dealing
        assert await table.here.daemon.end() == 0
        events = committed(table.here.state)
        paused = [event for event in events if event["type"] == "table.paused"]
        assert [event["data"]["reason"] for event in paused] == ["unseen_in_hand"]
        later = [event for event in events if event["sequence"] > paused[0]["sequence"]]
        assert {event["type"] for event in later} == {"violation"}


async def deal_on(table: Table) -> None:
    """Until somebody ends it."""
    while True:
        await table.card()


@pytest.mark.parametrize("scenario", ["dragon-tiger", "baccarat-scanner"])
def test_the_dealer_of_a_shipped_scanner_waits_for_the_station(scenario: str) -> None:
    (device,) = load_scenario(scenario).devices
    assert device.wait_for_host, "its first card would otherwise not be the first that is read"
