"""A rig is checked beside its running station: camera and shaker are lent, and are the station's again after."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from dealer_daemon.station.control import ask_daemon
from hw_sim.simulation import running
from support.dice_station import NETWORKED, DiceTable
from support.handover import up_again
from support.live import live

SPEED = 2


async def test_a_rig_is_checked_beside_its_running_station(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        broker = f"mqtt://127.0.0.1:{here.port}"
        async with running("sicbo", speed=SPEED, seed=3, broker=broker, run_dir=tmp_path / "dev") as sim:
            table = DiceTable(here, SPEED)
            table.configure(sim.ports, source="server", shake='start = "station"', shaker=NETWORKED, rig=7)
            await here.daemon_up()
            for device in ("camera", "shaker"):
                await up_again(here, device=device)
            await sim.tell("shaker", "empty")
            which = ("--config", str(here.config), "--table", "r1", "--device", "camera", "--shaker", "shaker")
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "dealer_calibration", "dice", "check", *which),
                *("--yes", "--json", "--resume", "--speed", str(SPEED)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(90):
                told, said = await process.communicate()
            assert process.returncode == 0, said.decode() + told.decode()
            result = json.loads(told.splitlines()[-1])
            codes = {finding["code"]: finding["ok"] for finding in result["findings"]}
            assert codes["shake_read"] is True
            assert codes["plate_clean"] is True
            assert "the station lent camera" in " ".join(said.decode().split())
            assert "the station lent shaker" in " ".join(said.decode().split())
            for device in ("camera", "shaker"):
                await up_again(here, device=device)
            answer = await ask_daemon(here.state, "status")
            assert answer["tables"]["r1"]["state"]["paused"] is None
            assert await here.daemon.end() == 0
