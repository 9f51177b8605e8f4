"""Probes of what is no line: a camera without a profile; and of a device that a running station has."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from dealer_calibration.bench import kept_results
from dealer_daemon.station.control import ask_daemon
from hw_sim.simulation import running
from support.live import live, until


async def probe(*arguments: str) -> tuple[int, list[tuple[str, bool | None]], str]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dealer_calibration",
        "probe",
        *arguments,
        "--json",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await child.communicate()
    result = json.loads(out.splitlines()[-1]) if out else {"findings": []}
    assert child.returncode is not None
    return child.returncode, [(one["code"], one["ok"]) for one in result["findings"]], said.decode()


async def test_a_camera_whose_profile_is_not_made_yet(tmp_path: Path) -> None:
    async with running("sicbo-tower", seed=3, run_dir=tmp_path / "dev") as sim:
        code, found, said = await probe("sicbo-camera", sim.ports["camera"], "--seconds", "20")
    assert (code, found[:3]) == (0, [("link", True), ("bytes", True), ("frames", True)]), said
    assert "without one pictures are looked at" in said


async def test_a_camera_that_is_not_there() -> None:
    code, found, said = await probe("bean-camera", "camera:/dev/v4l/by-id/no-such-camera")
    assert (code, [word for word, _ in found]) == (3, ["port_absent"]), said


async def test_a_running_station_is_asked(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=10, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=10)
        await here.daemon_up()
        await until(lambda: any(event["type"] == "round.outcome" for event in here.events()), "an outcome")
        code, found, said = await probe("cammegh-ss2", wheel.ports["wheel"])
        assert (code, found) == (3, [("port_busy", False)]), said
        config = ("--config", str(here.config), "--table", "r1", "--device", "wheel", "--speed", "10")
        code, found, said = await probe(*config, "--wait", "60", "--resume")
        assert (code, [word for word, _ in found]) == (0, ["link", "bytes", "frames", "readings"]), said
        assert "the table goes on" in said
        state = (await ask_daemon(here.state, "status"))["tables"]["r1"]["state"]
        assert state["paused"] is None
        (kept,) = kept_results(here.state, "r1", "wheel")
        assert (kept.command, kept.passed) == ("probe", True)
