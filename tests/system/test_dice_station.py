"""Sic bo from the shaker's motor to the published dice, in real processes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.journal import FILE_NAME
from hw_sim.simulation import running
from support.dice_station import NETWORKED, RELAY, DiceTable, evidence_of, of_round, settled
from support.game_server import Server
from support.live import Live, live, until

SPEED = 3.0


def healthy(here: Live, *devices: str) -> bool:
    said = here.daemon.said()
    return all(f'"device": "{device}"' in said for device in devices) and said.count('"state": "up"') >= len(devices)


async def open_and_close(server: Server, number: int) -> str:
    opened = await server.ask(f"open-{number}", "round.open")
    assert opened["ok"], opened
    closed = await server.ask(f"close-{number}", "betting.close")
    assert closed["ok"], closed
    return str(opened["result"]["round"])


async def test_the_station_shakes_after_bets_and_publishes_the_dice(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        broker = f"mqtt://127.0.0.1:{here.port}"
        async with running("sicbo", speed=SPEED, seed=3, broker=broker, run_dir=tmp_path / "dev") as sim:
            DiceTable(here, SPEED).configure(
                sim.ports, source="server", shake='start = "station"', shaker=NETWORKED, rig=7
            )
            await here.daemon_up()
            await until(lambda: healthy(here, "camera", "shaker"), "both devices are up")
            server = Server(here.port)
            opened = await server.ask("first", "round.open")
            assert opened["ok"]
            assert not sim.truth(), "never before betting is closed"
            assert (await server.ask("first-close", "betting.close"))["ok"]
            end = await settled(here, opened["result"]["round"])
            assert end["type"] == "round.outcome", of_round(here, opened["result"]["round"])
            (shake,) = await sim.until_truth(1)
            assert end["data"]["facts"]["dice"] == shake["values"]
            assert shake["by"] == "host"
            # How they lay before the shake, where that was just looked at, and last of all how they lie now.
            kinds = list(evidence_of(here.state / FILE_NAME, end).values())
            assert kinds.count("image/jpeg") in (1, 2)
            assert evidence_of(here.state / FILE_NAME, end)[end["data"]["evidence"][-1]] == "image/jpeg"
            await sim.tell("shaker", "next stacked 1-2-3")
            round_id = await open_and_close(server, 2)
            end = await settled(here, round_id)
            events = of_round(here, round_id)
            refused = [event["data"]["reason"] for event in events if event["type"] == "attempt.refused"]
            assert (refused, end["data"]["facts"]["dice"]) == (["stacked"], sim.truth()[-1]["values"])
            assert end["data"]["attempts"] == 2
            server.close()


async def test_a_dealers_button_on_a_table_without_a_server(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("sicbo-relay", speed=SPEED, seed=4, run_dir=tmp_path / "dev") as sim:
        DiceTable(here, SPEED).configure(sim.ports, source="device", shake='start = "button"', shaker=RELAY)
        await here.daemon_up()

        def outcomes() -> list[dict[str, Any]]:
            return [event for event in here.events() if event["type"] == "round.outcome"]

        await until(lambda: len(outcomes()) >= 2, "two rounds", 90)
        published = [tuple(event["data"]["facts"]["dice"]) for event in outcomes()[:2]]
        shaken = [tuple(record["values"]) for record in sim.truth()]
        assert all(dice in shaken for dice in published)


@pytest.mark.soak
async def test_three_hundred_shakes_with_every_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[str] = Counter()
    async with live(tmp_path) as here:
        broker = f"mqtt://127.0.0.1:{here.port}"
        async with running("sicbo-faults", speed=SPEED, seed=11, broker=broker, run_dir=tmp_path / "dev") as sim:
            DiceTable(here, SPEED).configure(
                sim.ports, source="server", shake='start = "station"', shaker=NETWORKED, rig=7
            )
            await here.daemon_up()
            await until(lambda: healthy(here, "camera", "shaker"), "both devices are up")
            server = Server(here.port)
            number = 0

            def shaken() -> list[dict[str, Any]]:
                """Of this shaker; the scenario has another, with a button."""
                return [record for record in sim.truth() if record["device"] == "shaker"]

            while len(shaken()) < 300:
                number += 1
                round_id = await open_and_close(server, number)
                end = await settled(here, round_id)
                counts[end["type"]] += 1
                if end["type"] == "round.outcome":
                    dice = end["data"]["facts"]["dice"]
                    newest = shaken()[-1]
                    assert dice == newest["values"], (end, newest)
                    assert newest["expect"] != "refuse", (end, newest)
                else:
                    done = await server.ask(f"void-{number}", "round.void", "manager", reason="not readable")
                    assert done["ok"], done
                for event in of_round(here, round_id):
                    if event["type"] in ("attempt.refused", "attempt.held"):
                        counts[f"{event['type']}:{event['data']['reason']}"] += 1
            server.close()
            shakes = Counter(f"{record['expect']}:{record['reason']}" for record in shaken())
    with capsys.disabled():
        print(f"\n{number} rounds, {len(shaken())} shakes, seed 11: {dict(counts)}\n{dict(shakes)}")
    assert counts["round.outcome"] > 0
