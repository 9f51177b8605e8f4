"""A shadow beside another system, with real processes: what it says, where, and the report on it.

The other system is the simulated wheel's own truth, at the times at which the station spoke.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import main
from hw_sim.simulation import running
from support.live import BASE, Live, live, until

SPEED = 25.0


def outcomes(here: Live) -> list[dict[str, Any]]:
    journal = here.state / "journal.sqlite3"
    command = [sys.executable, "-m", "dealer_daemon", "journal", "export", "--json", str(journal)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line for line in map(json.loads, said.splitlines()) if line.get("type") == "round.outcome"]


async def test_a_shadow_is_heard_under_its_own_topics_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=11, run_dir=tmp_path / "dev") as wheel:
        # Its session at the broker has subscribed to the live topics, and keeps that; now to the shadow's, too.
        await here.consumer.kill()
        here.consumer.command = (*here.consumer.command[:-1], f"shadow/{BASE}")
        await here.consumer.start()
        here.configure(wheel.ports["wheel"], speed=SPEED)
        here.config.write_text(here.config.read_text().replace("[tables.r1]", "[tables.r1]\nshadow = true"))
        await here.daemon_up()
        await until(lambda: sum(event["type"] == "round.outcome" for event in here.events()) >= 5, "five outcomes", 60)
        assert await here.daemon.end() == 0
        said = outcomes(here)
        truth = [spin for spin in wheel.truth() if spin["expect"] == "accept"]
        assert all(one["topic"].startswith(f"shadow/{BASE}/") for one in here.messages())
    # A spin that was under way at the start is of nobody: the other system's list begins with ours.
    first = next(n for n in range(len(truth)) if truth[n]["number"] == said[0]["data"]["facts"]["number"])
    theirs = [spin["number"] for spin in truth[first : first + len(said)]]
    said = said[: len(theirs)]  # the truth of a spin is written when it is over
    assert len(said) >= 4
    csv, page = tmp_path / "theirs.csv", tmp_path / "report.html"
    report = ["shadow-report", "--config", str(here.config), "--table", "r1", "--html", str(page), str(csv)]

    def write(numbers: list[str]) -> None:
        rows = [f"{one['time']},{number}" for one, number in zip(said, numbers, strict=True)]
        csv.write_text("\n".join(["time,number", *rows]) + "\n")

    write(theirs)
    assert main(report) == 0
    assert f"{len(said)} agree, 0 differ" in capsys.readouterr().out
    wrong = str((int(theirs[2]) + 1) % 37)
    write([*theirs[:2], wrong, *theirs[3:]])
    assert main(report) == 1
    assert said[2]["data"]["evidence"][0] in page.read_text()
