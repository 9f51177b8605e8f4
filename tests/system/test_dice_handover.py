"""A sic bo table's camera and shaker in the technicians' bench's hands, in real processes."""

from __future__ import annotations

from pathlib import Path

from hw_sim.simulation import running
from support.dice_station import NETWORKED, DiceTable
from support.handover import bench, up_again
from support.live import live


async def test_a_camera_and_a_device_on_a_broker(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        broker = f"mqtt://127.0.0.1:{here.port}"
        async with running("sicbo", speed=2, seed=3, broker=broker, run_dir=tmp_path / "dev") as sim:
            table = DiceTable(here, 2)
            table.configure(sim.ports, source="server", shake='start = "station"', shaker=NETWORKED, rig=7)
            await here.daemon_up()
            for device in ("camera", "shaker"):
                await up_again(here, device=device)
            for device in ("camera", "shaker"):
                async with bench(here, "r1", device, "--speed", "2", "--resume", name=device) as one:
                    await one.says("up")
                    await one.says("heard")
                    assert await one.done() == 0
                await up_again(here, device=device)
            assert await here.daemon.end() == 0
