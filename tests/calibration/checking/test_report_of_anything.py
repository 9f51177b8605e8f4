"""Kept results that nobody meant to keep so: the report holds what they say, or says which file is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import main
from support.bench import wheel_config

FINDING = {"code": "link", "ok": True, "said": "100 frames came"}
RESULT = {
    "command": "roulette",
    "table": "r1",
    "device": "wheel",
    "findings": [FINDING],
    "made": "2026-03-01T00:00:00Z",
}


def reported(folder: Path, **over: Any) -> int:
    config = wheel_config(folder, "/dev/dealer/wheel")
    kept = folder / "state" / "bench" / "r1" / "wheel"
    kept.mkdir(parents=True, exist_ok=True)
    (kept / "roulette.json").write_text(json.dumps(RESULT | over))
    where = ["--config", str(config), "--table", "r1", "--out", str(folder / "r1")]
    return main(["report", *where, "--by", "<script>Li</script>"])


@pytest.mark.parametrize(
    "over",
    [
        {"findings": [FINDING | {"said": ", ".join(f"AS (card {n})" for n in range(416))}]},
        {"findings": [FINDING | {"said": "word " * 20_000, "do_next": "x" * 9_000}]},
        {"findings": [FINDING | {"code": "c" * 5_000}]},
        {"findings": [FINDING | {"said": "牌" * 9_000, "figures": {f"n{n}": "牌" * 300 for n in range(40)}}]},
        {"findings": [FINDING] * 1_000},
        {"figures": {"list": [[[["x"]]]] * 50, "<script>": "<script>"}},
        {"by": "a\x00b\x1b[31m", "made": "<script>", "calibration": "<b>"},
    ],
)
def test_whatever_a_result_says_is_written(over: dict[str, Any], tmp_path: Path) -> None:
    assert reported(tmp_path, **over) == 1, "the table as a whole was not checked"
    html = (tmp_path / "r1.html").read_text()
    assert "<script>" not in html
    assert (tmp_path / "r1.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("over", "why"),
    [
        ({"pictures": ["../../../../secret.png"]}, "is no picture of the bench's"),
        ({"pictures": ["/etc/hostname"]}, "is no picture of the bench's"),
        ({"pictures": ["roulette/../../secret.png"]}, "is no picture of the bench's"),
        ({"pictures": ["roulette/torn.png"]}, "torn.png: is no picture"),
        ({"table": "../..", "device": ".."}, "lies with those of r1/wheel"),
        ({"device": "camera"}, "is a result of r1/camera"),
    ],
)
def test_nothing_but_pictures_of_the_bench_comes_into_it(
    over: dict[str, Any], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = tmp_path / "state" / "bench" / "r1" / "wheel" / "roulette"
    pictures.mkdir(parents=True)
    (pictures / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    (tmp_path / "secret.png").write_bytes(b"secret")
    assert reported(tmp_path, **over) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "r1.html").exists()
