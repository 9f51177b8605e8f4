"""The daemon as a process with a calibrated wheel: what outcomes and the device's health say of the calibration."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import Any

from dealer_daemon.station.control import ask_daemon
from dealer_drivers.calibration import CalibrationStore, Draft
from hw_sim.simulation import running
from support.live import Live, live, until

SPEED = 25.0
LONG_AGO = dt.datetime(2020, 1, 14, 12, 0, tzinfo=dt.UTC)


async def health(here: Live) -> dict[str, Any]:
    body: dict[str, Any] = (await ask_daemon(here.state, "status"))["tables"]["r1"]["devices"]["wheel"]
    return body


async def test_outcomes_name_the_calibration_that_the_station_started_with(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        store = CalibrationStore(here.state / "calibration")
        draft = Draft(
            kind="lap-curve",
            table="r1",
            device="wheel",
            driver="cammegh-ss2",
            serial="S-77",
            by="technician",
            tool="test 1",
            values={"points": [[5.0, 8.0], [12.0, 15.0]], "margin_laps": 1.0},
        )
        first = store.save(draft, LONG_AGO)
        here.configure(wheel.ports["wheel"], options='calibration = "current"', speed=SPEED)
        await here.daemon_up()
        second = store.save(draft, LONG_AGO)
        outcome = await until(lambda: [one for one in here.events() if one["type"] == "round.outcome"], "an outcome")
        assert outcome[0]["data"]["calibrations"] == {"wheel": {"id": first.id, "sha256": first.sha256}}
        async with asyncio.timeout(30):
            while len((body := await health(here))["calibrated"]["warnings"]) < 2:
                await asyncio.sleep(0.05)
        assert body["calibration"] == first.id != second.id
        assert body["calibrated"]["fits"] == "unknown"
        assert [word in " ".join(body["calibrated"]["warnings"]) for word in ("days old", "device tells none")] == [
            True,
            True,
        ]
        assert (store.folder("r1", "wheel") / "in_use").read_text().strip() == first.id
        assert await here.daemon.end() == 0
        logged = [json.loads(line) for line in here.daemon.said().splitlines() if line.startswith("{")]
        assert sorted(line["name"] for line in logged if line["event"] == "calibration") == ["age", "serial"]
