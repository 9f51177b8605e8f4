"""A whole station at a simulated USB scanner: the table asks it to scan, and publishes what was dealt."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hw_sim.scenario import parse_scenario
from hw_sim.simulation import running

SCENARIO = 'title = "t"\n[[devices]]\nname = "scanner"\nmodel = "scanner-hidpos"\ngame = "baccarat"\ncount = 5\n'
STATION = """
[station]
site = "s"
state_dir = "{folder}/state"
[mqtt]
url = "mqtt://127.0.0.1:1"
[tables.t]
game = "baccarat"
round_source = "device"
[tables.t.shoe]
require_verified = false
[[tables.t.devices]]
name = "scanner"
driver = "barcode-hidpos"
port = "{port}"
codebook = "{folder}/scanner.codebook.toml"
trigger_on = "0401"
"""


def sides(cards: dict[str, str]) -> list[list[str]]:
    return [[card for position, card in cards.items() if position.startswith(side)] for side in ("player", "banker")]


async def test_five_hands_over_a_scanner_that_waits_to_be_asked(tmp_path: Path) -> None:
    if shutil.which("umockdev-run") is None:
        pytest.fail("umockdev-run is missing: sudo apt-get install umockdev libusb-1.0-0")
    async with running(parse_scenario(SCENARIO, "t.toml"), seed=3, run_dir=tmp_path) as sim:
        (told,) = sim.describe()
        truth = sim.truth()
    config = tmp_path / "station.toml"
    config.write_text(STATION.format(folder=tmp_path, port=told["port"]))
    daemon = [sys.executable, "-m", "dealer_daemon"]
    station = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
        [*shlex.split(told["run"]), *daemon, "run", "--config", str(config)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with station:
        try:
            assert station.stdout is not None
            left = len(truth)
            for line in station.stdout:
                left -= '"round.outcome"' in line
                if left == 0:
                    break
        finally:
            os.killpg(station.pid, signal.SIGTERM)
            station.communicate(timeout=20)
    journal = tmp_path / "state" / "journal.sqlite3"
    exported = subprocess.run(  # noqa: ASYNC221
        [*daemon, "journal", "export", str(journal), "--json"], capture_output=True, text=True, check=True
    )
    events: list[dict[str, Any]] = [json.loads(line) for line in exported.stdout.splitlines()]
    facts = [event["data"]["facts"] for event in events if event.get("type") == "round.outcome"]
    assert [[each[side]["cards"] for side in ("player", "banker")] for each in facts] == [
        sides(record["cards"]) for record in truth
    ]
