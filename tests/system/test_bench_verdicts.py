"""What the bench found, beside a running station: a table goes on by itself only when that was nothing wrong, and only
with the measures that the station has."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from dealer_daemon.station.control import ask_daemon
from dealer_drivers.calibration import CalibrationStore, Draft
from hw_sim.simulation import running
from support.game_server import Server
from support.handover import bench
from support.live import Live, live, until

SPEED = 25.0
DRAFT = Draft(
    kind="lap-curve",
    table="r1",
    device="wheel",
    driver="cammegh-ss2",
    serial=None,
    by="technician",
    tool="test 1",
    values={"points": [[5.0, 8.0], [12.0, 15.0]], "margin_laps": 1.0},
)


@contextlib.asynccontextmanager
async def station(folder: Path, options: str = "") -> AsyncIterator[Live]:
    async with live(folder) as here, running("roulette", speed=SPEED, seed=6, run_dir=folder / "dev") as wheel:
        here.configure(wheel.ports["wheel"], options=options, speed=SPEED)
        if options:
            CalibrationStore(here.state / "calibration").save(DRAFT, dt.datetime.now(dt.UTC))
        await here.daemon_up()
        yield here


async def called(*words: str) -> tuple[int | None, str]:
    """A command of the bench to its end: its exit code, and all that it said."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dealer_calibration",
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(90):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    return process.returncode, " ".join(said.decode().split())


async def paused(here: Live) -> str | None:
    found: str | None = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]["paused"]
    return found


async def test_a_check_that_fails_lets_no_table_go_on(tmp_path: Path) -> None:
    async with station(tmp_path) as here:
        which = ("--config", str(here.config), "--table", "r1", "--speed", f"{SPEED:g}", "--wait", "60", "--resume")
        code, said = await called("check", *which)
        assert code == 1, said
        assert "it was never proved at the bench" in said
        assert "--resume: the table does not go on by itself" in said
        assert await paused(here) == "maintenance"
        code, said = await called("probe", *which, "--device", "wheel", "--seconds", "2")
        assert (code, await paused(here)) == (0, None), said


async def test_nobody_plays_on_with_measures_that_the_bench_has_replaced(tmp_path: Path) -> None:
    async with station(tmp_path, 'calibration = "current"') as here:
        options = ("r1", "wheel", "--speed", f"{SPEED:g}", "--wait", "60", "--resume")
        async with bench(here, *options) as one:
            await one.says("heard")
            kept = CalibrationStore(here.state / "calibration").save(DRAFT, dt.datetime.now(dt.UTC))
            assert await one.done() == 0
            assert f"has not taken up calibration {kept.id} of wheel: start it again first" in one.said("said")[-1]
        assert await paused(here) == "maintenance"
        assert await here.daemon.end() == 0
        await here.daemon_up()
        await until(lambda: here.events(), "it speaks")
        async with bench(here, *options, name="again") as again:
            await again.says("heard")
            assert await again.done() == 0
        assert await paused(here) is None
        async with bench(here, *options, name="withdrawn") as last:
            await last.says("heard")
            CalibrationStore(here.state / "calibration").withdraw("r1", "wheel")
            assert await last.done() == 0
            assert "calibration of wheel with which the station works was withdrawn" in last.said("said")[-1]
        assert await paused(here) == "calibration_withdrawn"
        CalibrationStore(here.state / "calibration").save(DRAFT, dt.datetime.now(dt.UTC))
        with contextlib.closing(Server(here.port)) as server:
            refused = await server.ask("m-1", "table.resume", role="manager", reason="go on")
            assert not refused["ok"]
            assert "restart the station" in refused["message"]
            device = (await ask_daemon(here.state, "status"))["tables"]["r1"]["devices"]["wheel"]
            assert "calibration_withdrawn" in device["faults"]
            assert await here.daemon.end() == 0
            await here.daemon_up()
            device = (await ask_daemon(here.state, "status"))["tables"]["r1"]["devices"]["wheel"]
            assert "calibration_withdrawn" not in device["faults"]
            assert (await server.ask("m-2", "table.resume", role="manager", reason="go on"))["ok"]


async def test_a_table_that_plays_stands_when_its_calibration_is_withdrawn(tmp_path: Path) -> None:
    """And goes on by a manager's word alone when it was not changed after all."""
    async with station(tmp_path, 'calibration = "current"') as here:
        with contextlib.closing(Server(here.port)) as server:
            store = CalibrationStore(here.state / "calibration")
            await until(lambda: here.events(), "it speaks")
            used = store.withdraw("r1", "wheel")
            assert used is not None
            await until(
                lambda: [e for e in here.events() if e["data"].get("reason") == "calibration_withdrawn"], "a pause"
            )
            assert not (await server.ask("m-1", "table.resume", role="manager", reason="go on"))["ok"]
            store.choose("r1", "wheel", used)
            assert (await server.ask("m-2", "table.resume", role="manager", reason="go on"))["ok"]
