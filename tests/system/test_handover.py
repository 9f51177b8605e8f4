"""A technician's bench takes a device from a running station, in real processes: nothing is taken without asking, and
however the bench or the station ends, the device is the station's again and the table says why it stands."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dealer_daemon.demo.tables import Plugged, station_toml
from dealer_daemon.station.control import ask_daemon
from hw_sim.scenario import parse_scenario
from hw_sim.simulation import running
from support.checker import committed
from support.game_server import Server
from support.handover import bench, up_again
from support.live import Child, Live, live, until
from support.scanner_station import configure_scanner

SPEED = 25.0


@contextlib.asynccontextmanager
async def roulette(folder: Path) -> AsyncIterator[Live]:
    async with live(folder) as here, running("roulette", speed=SPEED, seed=6, run_dir=folder / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: outcomes(here), "an outcome")
        yield here


def outcomes(here: Live) -> list[dict[str, Any]]:
    return [event for event in here.events() if event["type"] == "round.outcome"]


def kinds(here: Live) -> list[str]:
    """The table's own words of the hand-over, in order."""
    told = ("table.paused", "table.resumed", "device.lent", "device.returned")
    return [
        f"{event['type']}:{event['data'].get('reason', event['data'].get('by'))}"
        for event in here.events()
        if event["type"] in told
    ]


WHEEL = ("r1", "wheel", "--speed", f"{SPEED:g}")


@contextlib.asynccontextmanager
async def no_wheel(folder: Path) -> AsyncIterator[Live]:
    """A server's table whose wheel is not plugged in: a round stays open until somebody ends it."""
    async with live(folder) as here:
        here.configure(str(folder / "no-wheel"), source="server", speed=SPEED)
        await here.daemon_up()
        await until(here.events, "the table's first event")
        yield here


async def test_it_waits_for_the_end_of_the_round(tmp_path: Path) -> None:
    async with no_wheel(tmp_path) as here:
        server = Server(here.port)
        assert (await server.ask("s-1", "round.open"))["ok"]
        async with bench(here, *WHEEL, name="hurried") as hurried:
            assert "round r1-1 is open: wait for its end (--wait S)" in await hurried.says("error")
            assert await hurried.ended() == 1
        async with bench(here, *WHEEL, "--wait", "60") as patient:
            assert "round r1-1 is open" in await patient.says("said")
            assert not kinds(here)
            assert (await server.ask("m-1", "round.void", role="manager", reason="maintenance"))["ok"]
            wanted = ["table.paused:maintenance", "device.lent:Li"]
            await until(lambda: kinds(here) == wanted, "it is said")
            refused = await server.ask("s-2", "round.open")
            assert (refused["ok"], "paused (maintenance)" in refused["message"]) == (False, True)
        server.close()


async def test_who_waits_and_goes_away_leaves_nothing(tmp_path: Path) -> None:
    async with no_wheel(tmp_path) as here:
        server = Server(here.port)
        assert (await server.ask("s-1", "round.open"))["ok"]
        async with bench(here, *WHEEL, "--wait", "60") as one:
            await one.says("said")
            async with bench(here, *WHEEL, "--wait", "60", name="second") as second:
                assert "another bench (Li) waits for wheel" in await second.says("error")
        reasons = ""
        while "is open" not in reasons:  # until the station knows that it is gone
            async with bench(here, *WHEEL, name="third") as third:
                reasons = await third.says("error")
        assert (await server.ask("m-1", "round.void", role="manager", reason="x"))["ok"]
        assert (await server.ask("s-2", "round.open"))["ok"], "nobody waits any more"
        assert not kinds(here)
        server.close()


async def test_the_wheel_is_read_while_the_table_stands(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60") as first:
        await first.says("heard")
        status = await ask_daemon(here.state, "status")
        state = status["tables"]["r1"]["state"]
        assert (state["paused"], state["maintenance"]) == ("maintenance", {"wheel": "Li"})
        body = status["tables"]["r1"]["devices"]["wheel"]
        assert (body["link"], body["maintenance"]) == ("waiting", "Li")
        assert "in the hands of the technicians' bench (Li)" in body["link_reason"]
        async with bench(here, *WHEEL, "--by", "Chan", name="second") as second:
            assert "another bench (Li)" in await second.says("error")
            assert await second.ended() == 1
        async with bench(here, *WHEEL, "--by", "Wong", "--wait", "60", name="third") as third:
            assert "another bench (Li)" in await third.says("error"), "there is no waiting for another bench"
            assert await third.ended() == 1
        server = Server(here.port)
        refused = await server.ask("m-1", "table.resume", role="manager", reason="go on")
        assert (refused["ok"], "bench (Li)" in refused["message"]) == (False, True)
        before = len(outcomes(here))
        assert await first.done() == 0
        assert "table.resume" in first.said("said")[-1]
        await up_again(here)
        assert len(outcomes(here)) == before, "it stands until it is resumed"
        assert (await server.ask("m-2", "table.resume", role="manager", reason="go on"))["ok"]
        await until(lambda: len(outcomes(here)) > before, "outcomes go on")
        server.close()
        assert kinds(here) == [
            "table.paused:maintenance",
            "device.lent:Li",
            "device.returned:given_back",
            "table.resumed:go on",
        ]


async def test_the_bench_lets_the_table_go_on(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60", "--resume") as one:
        await one.says("heard")
        before = len(outcomes(here))
        assert await one.done() == 0
        assert one.said("said")[-1] == "wheel is given back, and the table goes on"
        await until(lambda: len(outcomes(here)) > before, "outcomes go on")
        assert kinds(here)[-1] == "table.resumed:maintenance_over"


async def test_a_bench_that_is_killed_leaves_the_table_standing_and_the_wheel_connected(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60", "--resume") as one:
        await one.says("heard")
        await one.kill()
        await until(lambda: "device.returned:bench_gone" in kinds(here), "it is said")
        await up_again(here)
        state = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]
        assert (state["paused"], state["maintenance"]) == ("maintenance", {})
        async with bench(here, *WHEEL, "--resume", name="again") as again:
            await again.says("heard")
            assert await again.done() == 0
        before = len(outcomes(here))
        await until(lambda: len(outcomes(here)) > before, "outcomes go on")


async def test_ctrl_c_gives_the_wheel_back_and_lets_nothing_go_on(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60", "--resume") as one:
        await one.says("heard")
        one.process.send_signal(signal.SIGINT)
        await one.ended()
        await until(lambda: "device.returned:given_back" in kinds(here), "it is said")
        await up_again(here)
        state = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]
        assert (state["paused"], state["maintenance"]) == ("maintenance", {})


async def test_a_station_that_is_killed_while_it_lends_takes_the_wheel_back(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60", "--resume") as one:
        await one.says("heard")
        await here.daemon.kill()
        assert await one.ended() == 3
        assert "took the device back, or it ended" in one.said("error")[0]
        await here.daemon_up()
        await up_again(here)
        await until(lambda: "device.returned:restarted_while_lent" in kinds(here), "it is said")
        state = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]
        assert (state["paused"], state["maintenance"]) == ("maintenance", {})
        assert await here.daemon.end() == 0
        events = [event["type"] for event in committed(here.state)]
        assert "round.outcome" not in events[events.index("device.lent") :]


async def test_a_station_that_stops_while_it_lends(tmp_path: Path) -> None:
    async with roulette(tmp_path) as here, bench(here, *WHEEL, "--wait", "60") as one:
        await one.says("heard")
        assert await here.daemon.end() == 0
        assert await one.ended() == 3
        await here.daemon_up()
        await up_again(here)
        await until(lambda: "device.returned:restarted_while_lent" in kinds(here), "it is said")


CARDS = """
title = "t"
[[devices]]
name = "scanner"
model = "scanner"
game = "dragon-tiger"
codes = "rank-suit"
starts = "told"
between_s = [0.1, 0.1]
card_s = [0.5, 0.5]
top = ["8S", "5C", "KD", "2H", "9C", "3D", "TD", "4S"]
"""


async def test_at_a_card_table_a_person_says_where_it_goes_on(tmp_path: Path) -> None:
    scenario = parse_scenario(CARDS, "t.toml")
    async with live(tmp_path) as here, running(scenario, seed=1, run_dir=tmp_path / "dev") as sim:
        configure_scanner(here, sim.ports["scanner"])
        run = (sys.executable, "-m", "dealer_daemon", "run", "--config", str(here.config), "--log-format", "json")
        here.daemon.command = run
        await here.daemon_up()
        await up_again(here, device="scanner")
        await sim.tell("scanner", "deal")
        await until(lambda: outcomes(here), "the first hand")
        async with bench(here, "r1", "scanner", "--resume") as one:
            await one.says("up")
            await sim.tell("scanner", "deal")  # a hand that the station does not see
            await sim.until_truth(2)
            assert await one.done() == 0
        await until(lambda: "table.paused:unseen_between_hands" in kinds(here), "the gap is asked for")
        server = Server(here.port)
        await up_again(here, device="scanner")
        state = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]
        assert state["paused"] == "unseen_between_hands"
        assert (await server.ask("d-1", "table.resume", role="dealer", reason="first card next"))["ok"]
        await sim.tell("scanner", "deal")
        await until(lambda: len(outcomes(here)) == 2, "the next hand")
        await sim.until_truth(3)
        facts = outcomes(here)[-1]["data"]["facts"]
        assert [facts["dragon"], facts["tiger"]] == list(sim.truth()[-1]["cards"].values())
        server.close()


async def test_devices_of_every_family_on_a_line(tmp_path: Path) -> None:
    """One after another, each when its table's round is over; all are heard, and all come back."""
    async with live(tmp_path) as here, running("demo", speed=4, seed=2, run_dir=tmp_path / "dev") as sim:
        plugged = [Plugged.of(device) for device in sim.describe()]
        here.config.write_text(
            station_toml(plugged, state_dir=str(here.state), port=here.port, prefix="dealer/v1", speed=4)
        )
        run = (sys.executable, "-m", "dealer_daemon", "run", "--config", str(here.config), "--speed", "4")
        here.daemon = Child(*run, "--log-format", "json", log=here.folder / "daemon.log")
        await here.daemon_up()
        status = await ask_daemon(here.state, "status")
        pairs = [(table, device) for table, body in status["tables"].items() for device in body["devices"]]
        assert len(pairs) == 5
        for table, device in pairs:
            await up_again(here, table, device)
        for table, device in pairs:
            async with bench(here, table, device, "--wait", "60", "--speed", "4", "--resume", name=device) as one:
                await one.says("up")
                await one.says("heard")
                assert await one.done() == 0
            await up_again(here, table, device)
        assert await here.daemon.end() == 0
