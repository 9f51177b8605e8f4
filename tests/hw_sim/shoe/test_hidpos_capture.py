"""A HID-POS scanner of a scenario, through umockdev and the real libusb, to the station's driver."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_drivers.shoe.codebook_file import load_codebook
from hw_sim.scenario import parse_scenario
from hw_sim.shoe.hidpos import PORT, TRIGGER_ON, reports
from hw_sim.simulation import running

TESTS = Path(__file__).parents[2]
SCENARIO = """
title = "t"
[[devices]]
name = "scanner"
model = "scanner-hidpos"
game = "baccarat"
count = 6
hands = ["good", "unreadable@2", "foreign@3"]
"""


def test_a_text_of_more_than_one_report() -> None:
    one, two = reports(b"x" * 57, b"]C0")
    assert (one[1], one[63], two[1], two[63]) == (56, 1, 1, 0)
    assert one[2:5] == b"]C0"
    assert len(one) == len(two) == 64


async def test_what_the_scanner_gives_is_what_was_dealt(tmp_path: Path) -> None:
    if shutil.which("umockdev-run") is None:
        pytest.fail("umockdev-run is missing: sudo apt-get install umockdev libusb-1.0-0")
    async with running(parse_scenario(SCENARIO, "t.toml"), seed=7, run_dir=tmp_path) as sim:
        (told,) = sim.describe()
        truth = sim.truth()
    assert told["port"] == PORT
    book = tmp_path / "scanner.codebook.toml"
    assert len(load_codebook(book).cards) == 416
    options = {"codebook": str(book), "aim_ids": ["]C"], "trigger_on": TRIGGER_ON.hex()}
    host = [sys.executable, "-m", "support.scan_host", told["driver"], PORT, json.dumps(options), "999"]
    done = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
        [*shlex.split(told["run"]), *host],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry["card"] for entry in said if "card" in entry] == [
        card for record in truth for card in record["cards"].values()
    ]
    troubles = [entry["reading"] for entry in said if entry.get("reading") in ("CardUnreadable", "CardForeign")]
    assert len(truth) == 6
    assert len(troubles) == 2
