"""``dealer-calibrate card check`` and ``shoe`` with simulated readers and everything that is wrong with them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.config import load_config
from dealer_drivers.calibration import CalibrationStore
from dealer_drivers.calibration.drift import Expected
from hw_sim.scenario import parse_scenario
from hw_sim.simulation import Simulation, running

SPEED = 50.0
SCENARIO = """
title = "a reader at the bench"
[[devices]]
name = "reader"
model = "{model}"
work = "bench"
{options}
"""
CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[tables.b1]
game = "baccarat"
round_source = "device"
[tables.b1.shoe]
decks = {decks}
[[tables.b1.devices]]
name = "reader"
driver = "{driver}"
port = "{port}"
{book}
"""


def config(folder: Path, sim: Simulation, driver: str, decks: int, *, book: bool = True) -> Path:
    file = folder / "dev" / "reader.codebook.toml"
    named = f'codebook = "{file if book else "rank-suit"}"' if driver != "angel-eye" else ""
    path = folder / "station.toml"
    text = CONFIG.format(state=folder / "state", driver=driver, port=sim.ports["reader"], book=named, decks=decks)
    (folder / "state").mkdir()
    path.write_text(text)
    return path


async def bench(sim: Simulation, path: Path, words: str, pile: str, *more: str) -> tuple[int, dict[str, Any]]:
    """Runs the command; the pile passes once it listens. Exit code and findings by code."""
    place = ["--config", str(path), "--table", "b1", "--device", "reader", "--speed", f"{SPEED:g}"]
    command = [sys.executable, "-m", "dealer_calibration", *words.split(), *place, "--json", "--yes", *more]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said = b""
    while b"listening" not in said:
        line = await process.stderr.readline()
        assert line, said
        said += line
    await sim.tell("reader", pile)
    out, more_said = await process.communicate()
    assert process.returncode in (0, 1), more_said
    result = json.loads(out.splitlines()[-1])
    return process.returncode, {one["code"]: one for one in result["findings"]}


@pytest.mark.parametrize(
    ("options", "pile", "code", "wrong"),
    [
        ("", "sorted", 0, {}),
        ('exchanged = ["8S", "9H"]', "sorted", 1, {"swapped_in_book": "8S and 9H"}),
        ('dirty = ["4C"]', "sorted", 1, {"read_rate": "4C"}),
        ('lost = ["QD"]', "sorted", 1, {"all_seen": "QD", "order": "QD (card 51)"}),
    ],
    ids=["well", "swapped", "dirty", "lost"],
)
async def test_a_deck_of_a_unit_coded_set(
    tmp_path: Path, options: str, pile: str, code: int, wrong: dict[str, str]
) -> None:
    coded = f'game = "baccarat"\ncodes = "unit"\ndecks = 1\n{options}'
    scenario = parse_scenario(SCENARIO.format(model="scanner", options=coded), "bench.toml")
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        path = config(tmp_path, sim, "barcode-serial", 1)
        got, found = await bench(sim, path, "card check", pile, "--sorted")
    assert got == code
    assert {name for name, one in found.items() if one["ok"] is not True} == wrong.keys()
    assert all(words in found[name]["said"] for name, words in wrong.items())
    stored = CalibrationStore(tmp_path / "state" / "calibration")
    if code == 0:
        path.write_text(path.read_text() + 'calibration = "current"\n')
        used = load_config(path).tables["b1"].devices[0].calibration
        assert used is not None
        assert used.stored is not None
        assert used.stored.id == stored.current("b1", "reader")
        assert used.expected["read_rate"] == Expected(value=1.0, tolerance=0.05)
    else:
        assert stored.current("b1", "reader") is None
    kept = json.loads((tmp_path / "state" / "bench" / "b1" / "reader" / "card-check.json").read_text())
    assert kept["findings"]


async def test_two_codes_exchanged_do_not_show_in_a_shuffled_deck_and_that_is_said(tmp_path: Path) -> None:
    coded = 'game = "baccarat"\ncodes = "rank-suit-book"\ndecks = 2\nexchanged = ["8S", "9H"]'
    scenario = parse_scenario(SCENARIO.format(model="scanner", options=coded), "bench.toml")
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        path = config(tmp_path, sim, "barcode-serial", 2)
        code, found = await bench(sim, path, "shoe", "shuffled")
    assert found["order"]["ok"] is None
    assert "card check --sorted" in found["order"]["do_next"]
    assert code == 0


async def test_a_whole_shoe_of_an_angel_eye(tmp_path: Path) -> None:
    scenario = parse_scenario(
        SCENARIO.format(model="angel-eye", options='dirty = ["8S"]\ncard_s = [0.5, 0.6]'), "bench.toml"
    )
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        path = config(tmp_path, sim, "angel-eye", 8)
        code, found = await bench(sim, path, "shoe", "shuffled")
    assert found["all_seen"]["ok"] is True
    assert found["all_seen"]["figures"]["read"] == 416
    assert found["read_rate"]["figures"]["cards_in_vain"] == {"8S": 1}
    assert code == 1


async def test_a_wheel_reads_no_cards(tmp_path: Path) -> None:
    from support.bench import wheel_config

    path = wheel_config(tmp_path, "/dev/dealer/wheel")
    command = [sys.executable, "-m", "dealer_calibration", "shoe", "--config", str(path), "--table", "r1"]
    process = await asyncio.create_subprocess_exec(
        *command, "--device", "wheel", "--decks", "1", stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 2
    assert b"reads no cards" in said


async def test_another_code_book_needs_another_proof(tmp_path: Path) -> None:
    """Nothing that a reader says shows that two rows of its code book were exchanged since it was proved."""
    scenario = parse_scenario(
        SCENARIO.format(model="scanner", options='game = "baccarat"\ncodes = "unit"\ndecks = 1'), "bench.toml"
    )
    async with running(scenario, speed=SPEED, seed=1, run_dir=tmp_path / "dev") as sim:
        path = config(tmp_path, sim, "barcode-serial", 1)
        assert (await bench(sim, path, "card check", "sorted", "--sorted"))[0] == 0
        assert await proved(path) is True
        book = tmp_path / "dev" / "reader.codebook.toml"
        text = book.read_text()
        book.write_text(text.replace('"8S"', '"8X"').replace('"9H"', '"8S"').replace('"8X"', '"9H"'))
        assert await proved(path) is False
        book.write_text(text)
        assert (await bench(sim, path, "card check", "shuffled"))[0] == 0
        assert await proved(path) is False, "in any order exchanged cards do not show"


async def proved(path: Path) -> bool | None:
    """What the check of the whole table says of the reader's proof."""
    words = ["check", "--config", str(path), "--table", "b1", "--speed", f"{SPEED:g}", "--json"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dealer_calibration", *words, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    found = {one["code"]: one["ok"] for one in json.loads(out.splitlines()[-1])["findings"]}
    return bool(found["reader.proved"])
