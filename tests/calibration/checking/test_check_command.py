"""``dealer-calibrate check`` and ``report`` on simulated tables."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.bench import Finding, Result, device_of, keep_result
from dealer_calibration.cli import main
from hw_sim.simulation import running

SPEED = 25.0
CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[tables.r1]
game = "roulette"
round_source = "device"
[[tables.r1.devices]]
name = "wheel"
driver = "{driver}"
port = "{port}"
"""
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def station(folder: Path, port: str, driver: str = "cammegh-ss2") -> Path:
    path = folder / "station.toml"
    (folder / "state").mkdir(exist_ok=True)
    path.write_text(CONFIG.format(state=folder / "state", port=port, driver=driver))
    return path


def prove(config: Path, *, ok: bool = True) -> None:
    found = [
        Finding(code="pockets", ok=ok, said="every pocket came <b>", do_next="" if ok else "look", figures={"n": 37})
    ]
    result = Result(
        command="roulette",
        table="r1",
        device="wheel",
        figures={"steps": ["spins"], "spins": 10},
        findings=found,
        by="陈大文",
    )
    keep_result(device_of(config, "r1", "wheel"), result, {"laps.png": PIXEL})


async def checked(config: Path, *more: str) -> tuple[int, dict[str, Any], str]:
    place = ["check", "--config", str(config), "--table", "r1", "--speed", f"{SPEED:g}", "--json", "--by", "Li"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dealer_calibration", *place, *more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await process.communicate()
    assert process.returncode is not None
    result = json.loads(out.splitlines()[-1]) if out else {"findings": []}
    return process.returncode, {one["code"]: one for one in result["findings"]}, said.decode()


async def test_a_table_that_may_open(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as sim:
        config = station(tmp_path, sim.ports["wheel"])
        code, found, said = await checked(config)
        assert (code, found["wheel.proved"]["ok"]) == (1, False)
        assert "dealer-calibrate roulette --table r1 --device wheel" in found["wheel.proved"]["do_next"]
        prove(config)
        code, found, said = await checked(config)
    assert code == 0, said
    assert {name: one["ok"] for name, one in found.items()} == {
        "wheel.link": True,
        "wheel.frames": True,
        "wheel.proved": True,
    }


async def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    config = station(tmp_path, str(tmp_path / "no-wheel"))
    prove(config)
    code, found, _ = await checked(config)
    assert (code, found["wheel.link"]["ok"]) == (1, False)
    assert "is not there" in found["wheel.link"]["said"]
    assert "dealer-calibrate probe cammegh-ss2" in found["wheel.link"]["do_next"]


async def test_a_device_that_is_another(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as sim:
        config = station(tmp_path, sim.ports["wheel"], "angel-eye")
        config.write_text(config.read_text().replace('"roulette"', '"baccarat"'))
        code, found, _ = await checked(config)
    assert (code, found["wheel.frames"]["ok"]) == (1, False)
    assert "no valid frame" in found["wheel.frames"]["said"]


async def test_a_configuration_that_is_wrong_is_no_table(tmp_path: Path) -> None:
    config = station(tmp_path, "/dev/dealer/wheel", "no-such-driver")
    code, _, said = await checked(config)
    assert (code, "no driver 'no-such-driver'" in said) == (2, True)
    config = station(tmp_path, "/dev/dealer/wheel")
    config.write_text(config.read_text().replace("tables.r1", "tables.r9"))
    code, _, said = await checked(config)
    assert (code, "no table 'r1'; there are: r9" in said) == (2, True)


def reported(config: Path, out: Path, *more: str) -> int:
    return main(["report", "--config", str(config), "--table", "r1", "--by", "陈大文", "--out", str(out), *more])


async def test_the_report_holds_everything_and_is_signed_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as sim:
        config = station(tmp_path, sim.ports["wheel"])
        prove(config)
        assert (await checked(config))[0] == 0
    out = tmp_path / "r1.2026"
    assert reported(config, out, "--note", "levelled & cleaned", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    html = (tmp_path / "r1.2026.html").read_text()
    for words in (
        "陈大文",
        "levelled &amp; cleaned",
        "every pocket came &lt;b&gt;",
        "data:image/png;base64,",
        said["digest"],
    ):
        assert words in html
    assert not re.search(r"(src|href)=\"(?!data:)", html)
    pdf = (tmp_path / "r1.2026.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert b"STSong-Light" in pdf
    assert b"/Subtype /Image" in pdf
    assert reported(config, out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["digest"] == said["digest"]
    prove(config, ok=False)
    assert reported(config, out, "--json") == 1
    assert json.loads(capsys.readouterr().out)["digest"] != said["digest"]
    assert "Not passed" in (tmp_path / "r1.2026.html").read_text()


def test_a_report_of_nothing_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = station(tmp_path, "/dev/dealer/wheel")
    assert reported(config, tmp_path / "r1") == 2
    assert "nothing was found of table r1 yet" in capsys.readouterr().err
    prove(config)
    assert reported(config, tmp_path / "no" / "r1") == 2
    assert "cannot be written" in capsys.readouterr().err
    # Without a check of the whole table it is not passed.
    assert reported(config, tmp_path / "r1") == 1
    (tmp_path / "state/bench/r1/wheel/roulette/laps.png").unlink()
    assert reported(config, tmp_path / "r1") == 2
    assert "run roulette again" in capsys.readouterr().err
    assert main(["report", "--config", str(config), "--table", "r1", "--by", " ", "--out", "x"]) == 2
