"""A newcomer commissions a house of simulated tables with the tutorial's own commands, and faults are told by name."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hw_sim.telling import ask
from support.uart_line import uart_line
from support.walkthrough import Command, Done, Walker, not_said, sections

ROOT = Path(__file__).parents[2]
SECTIONS = sections((ROOT / "docs/tutorial/commission-a-table.md").read_text(encoding="utf-8"))
TABLES = {title.partition("`")[2].partition("`")[0]: title for title in SECTIONS if "`" in title}
SCENARIO = ROOT / "hw-sim/hw_sim/scenarios/commissioning.toml"
PAGES_SPEED = 4.0
"""Pictures are not faster than life: cameras have room at this speed and no faster."""


@asynccontextmanager
async def house(folder: Path, speed: float, scenario: str = "") -> AsyncIterator[Walker]:
    """The simulation as the page starts it, and who works there. ``scenario`` in the place of the page's."""
    walker = Walker(folder, speed)
    (run,) = (command.words for command in commands("1.") if command.words[:2] == ["hw-sim", "run"])
    if scenario:
        run = [scenario if word == "commissioning" else word for word in run]
    async with walker.started(run) as process:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            while b'"config"' not in (line := await process.stdout.readline()):
                assert line, "the simulation did not start"
        yield walker


def commands(begin: str) -> list[Command]:
    (title,) = (title for title in SECTIONS if title.startswith(begin))
    return SECTIONS[title]


def of_table(table: str, *words: str) -> Command:
    """The command of a table's section that begins with these words."""
    (found,) = (one for one in SECTIONS[TABLES[table]] if one.words[1 : 1 + len(words)] == list(words))
    return found


def more(command: Command, *words: str) -> Command:
    """The same with more words."""
    return Command([*command.words, *words], [], command.rows)


def result_of(folder: Path, table: str, device: str, command: str) -> dict[str, bool | None]:
    """What was kept: findings by code."""
    kept = json.loads((folder / "bench/state/bench" / table / device / f"{command}.json").read_text())
    return {finding["code"]: finding["ok"] for finding in kept["findings"]}


def good(command: Command, done: Done) -> None:
    assert done.code == 0, (command.words, done.said)
    assert not not_said(command, done), done.said


async def commission(walker: Walker, folder: Path, table: str, within_s: float) -> None:
    """The whole section; the page's ``check`` passes and its report is signed."""
    for command in SECTIONS[TABLES[table]]:
        good(command, await walker.do(command, within_s))
    assert json.loads((folder / f"bench/state/bench/{table}/check.json").read_text())["passed"] is True
    assert "A. Technician" in (folder / f"bench/{table}.html").read_text(encoding="utf-8")
    assert (folder / f"bench/{table}.pdf").read_bytes().startswith(b"%PDF")


def test_the_page_has_every_table_of_the_house() -> None:
    (text,) = (line for line in SCENARIO.read_text().split("'''")[1:2])
    tables = {line[8:-1] for line in text.splitlines() if line.startswith("[tables.") and line.count(".") == 1}
    assert tables == TABLES.keys()
    for title in TABLES.values():
        ends = [command.words[1] for command in SECTIONS[title]][-2:]
        assert ends == ["check", "report"], title


async def test_what_is_attached_is_found_and_probed(tmp_path: Path) -> None:
    async with house(tmp_path, PAGES_SPEED) as walker:
        for command in [*commands("1.")[1:], *commands("2.")]:
            good(command, await walker.do(command))


@pytest.mark.parametrize(("table", "speed"), [("c1", 25.0), ("r1", 25.0)])
async def test_a_table_is_commissioned_as_the_page_says(table: str, speed: float, tmp_path: Path) -> None:
    async with house(tmp_path, speed) as walker:
        await commission(walker, tmp_path, table, within_s=100)


@pytest.mark.soak
@pytest.mark.parametrize("table", list(TABLES))
async def test_every_table_is_commissioned_as_the_page_says(table: str, tmp_path: Path) -> None:
    async with house(tmp_path, PAGES_SPEED) as walker:
        await commission(walker, tmp_path, table, within_s=900)


async def test_a_dead_sensor_is_named(tmp_path: Path) -> None:
    async with house(tmp_path, 25.0) as walker:
        ask(str(tmp_path / "bench"), {"do": "inject", "device": "wheel", "fault": "sensor_fault"})
        done = await walker.do(more(of_table("r1", "roulette"), "--step", "direction"), 60)
    assert done.code == 1, done.said
    assert result_of(tmp_path, "r1", "wheel", "roulette")["dead_sensor"] is False


async def test_codes_exchanged_in_the_code_book_are_named(tmp_path: Path) -> None:
    scenario = tmp_path / "exchanged.toml"
    written = 'codes = "rank-suit-book"\n'
    text = SCENARIO.read_text()
    assert text.count(written) == 1
    scenario.write_text(text.replace(written, f'{written}exchanged = ["8S", "9H"]\n'))
    async with house(tmp_path, 50.0, str(scenario)) as walker:
        done = await walker.do(of_table("c1", "card", "check"), 60)
        assert done.code == 1, done.said
        assert result_of(tmp_path, "c1", "scanner", "card-check")["swapped_in_book"] is False
        assert "8S and 9H" in " ".join(done.said.split())
        assert (await walker.do(of_table("c1", "check"), 60)).code == 1, "a table with a wrong code book does not open"


async def test_an_encoder_that_slips_is_named(tmp_path: Path) -> None:
    async with house(tmp_path, 12.0) as walker:
        ask(str(tmp_path / "bench"), {"do": "inject", "device": "encoder", "fault": "encoder_slip"})
        done = await walker.do(more(of_table("w1", "wheel"), "--step", "friction"), 100)
    assert done.code == 1, done.said
    assert result_of(tmp_path, "w1", "encoder", "wheel")["encoder_slips"] is False


async def test_a_wrong_speed_is_named(tmp_path: Path) -> None:
    heard = b"*X;1;001;  ;0;140;0\r\n"
    with uart_line(tmp_path / "wheel", heard, 19200) as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dealer_calibration", "probe", "cammegh-m360", port, "--json"),
            *("--speed", "4", "--seconds", "2"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, said = await process.communicate()
    assert process.returncode == 1, said
    found: list[dict[str, Any]] = json.loads(out.splitlines()[-1])["findings"]
    assert [one["code"] for one in found if one["ok"] is False] == ["wrong_speed"]


@pytest.mark.soak
async def test_a_wrong_segment_map_is_named(tmp_path: Path) -> None:
    """Somebody types two colours in each other's place on a wheel whose map is known."""
    async with house(tmp_path, PAGES_SPEED) as walker:
        wheel = of_table("w1", "wheel")
        assert (await walker.do(wheel, 900)).code == 0
        sheet = tmp_path / "bench/encoder.answers.txt"
        colors = [line.partition("=")[2] for line in sheet.read_text().splitlines()]
        other = next(number for number, color in enumerate(colors) if color != colors[0])
        colors[0], colors[other] = colors[other], colors[0]
        sheet.write_text("".join(f"segment.{number}={color}\n" for number, color in enumerate(colors)))
        done = await walker.do(wheel, 900)
        assert done.code == 1, done.said
        assert result_of(tmp_path, "w1", "encoder", "wheel")["wrong_map"] is False


@pytest.mark.soak
async def test_a_shifted_camera_and_a_blurred_lens_are_named_and_fail_the_table(tmp_path: Path) -> None:
    async with house(tmp_path, PAGES_SPEED) as walker:
        for command in SECTIONS[TABLES["s1"]]:
            good(command, await walker.do(command, 900))
        look = more(of_table("s1", "dice", "check"), "--no-shake")
        check = of_table("s1", "check")
        for word, code in (("bump", "camera_moved"), ("blur", "focus")):
            await walker.output(["hw-sim", "tell", "bench", "camera", word])
            assert (await walker.do(look, 100)).code == 1
            assert result_of(tmp_path, "s1", "camera", "dice-check")[code] is False
            assert (await walker.do(check, 100)).code == 1
            kept = json.loads((tmp_path / "bench/state/bench/s1/check.json").read_text())
            (quick,) = (one for one in kept["findings"] if one["code"] == "camera.quick_look")
            assert (quick["ok"], code in quick["said"]) == (False, True)
        await walker.output(["hw-sim", "tell", "bench", "camera", "right"])
        assert (await walker.do(look, 100)).code == 0
        assert (await walker.do(check, 100)).code == 0, "a good look after a bad one opens the table again"
