"""The live view of a card window: a lens that is turned shows in its figures, and what is read is what lies there."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import zxingcpp

from dealer_calibration.bench import device_of
from dealer_calibration.bench.keeping import with_own_options
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.live import in_a_line
from dealer_calibration.cards.window import LAST, Window
from dealer_drivers.shoe.barcode_camera import BarcodeCameraOptions
from hw_sim.scenario import parse_scenario
from hw_sim.simulation import running

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[tables.d1]
game = "dragon-tiger"
burn = false
round_source = "device"
[tables.d1.shoe]
decks = 8
require_verified = false
[[tables.d1.devices]]
name = "window"
driver = "barcode-camera"
port = "camera:{port}"
codebook = "rank-suit"
symbology = "qrcode"
second_reader = false
"""
SCENARIO = """
title = "a window"
[[devices]]
name = "window"
model = "card-window"
game = "dragon-tiger"
codes = "rank-suit"
symbology = "qrcode"
"""


def configured(folder: Path, port: str) -> Path:
    path = folder / "station.toml"
    path.write_text(CONFIG.format(port=port))
    return path


@pytest.fixture
def window(tmp_path: Path) -> Window:
    device = with_own_options(device_of(configured(tmp_path, "/dev/video0"), "d1", "window", calibrated=False))
    options = device.ready_options()
    assert isinstance(options, BarcodeCameraOptions)
    return Window(options, None)


def lying(code: str | None, blur_px: float = 0.0) -> Bgr:
    picture = np.full((480, 640), 70, np.uint8)
    if code is not None:
        pixels = np.array(zxingcpp.create_barcode(code, zxingcpp.BarcodeFormat.QRCode).to_image(scale=7), np.uint8)
        picture[120 : 120 + pixels.shape[0], 220 : 220 + pixels.shape[1]] = np.clip(pixels, 20, 235)
    if blur_px:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.uint8)
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)


def test_a_lens_that_is_turned_out_of_focus_shows_in_the_figures(window: Window) -> None:
    sharp = window.drawn(lying("8S"))
    assert (sharp.code, sharp.card, sharp.reasons, sharp.read_share) == ("8S", "8S", (), 1.0)
    widths = [window.drawn(lying("8S", blur)).figures.edge_px for blur in (1.0, 2.0, 4.0)]
    assert [sharp.figures.edge_px, *widths] == sorted([sharp.figures.edge_px, *widths])
    lost = window.drawn(lying("8S", 12.0))
    assert (lost.code, lost.card) == (None, None)
    assert lost.reasons
    assert lost.read_share < 1.0
    for _ in range(LAST):
        again = window.drawn(lying("8S"))
    assert (again.read_share, again.of) == (1.0, LAST), "what was before the newest pictures does not count"


def test_a_code_that_is_no_card_and_an_empty_window_are_told_apart(window: Window) -> None:
    foreign = window.drawn(lying("JOKER"))
    assert (foreign.code, foreign.card) == ("JOKER", None)
    empty = window.drawn(lying(None))
    assert (empty.code, empty.reasons, empty.as_json()["edge_px"]) == (None, ("no_code",), None)
    assert in_a_line(empty.as_json()).startswith("reasons no_code   read_share 0.5   of 2   level ")


async def test_the_command_looks_through_the_window_itself(tmp_path: Path) -> None:
    file = tmp_path / "now.png"
    async with running(parse_scenario(SCENARIO, "w.toml"), seed=3, run_dir=tmp_path / "dev") as sim:
        command = ["card", "live", "--config", str(configured(tmp_path, sim.ports["window"])), "--table", "d1"]
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "dealer_calibration",
                *command,
                "--device",
                "window",
                "--once",
                str(file),
                "--json",
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, said = await process.communicate()
    assert process.returncode == 0, said
    figures = json.loads(out.splitlines()[-1])["figures"]
    assert figures["of"] == 1
    assert (figures["code"] is None) is bool(figures["reasons"])
    assert b"turn the lens until" in said
    assert cv2.imread(str(file)) is not None


def test_another_device_is_told_so(tmp_path: Path) -> None:
    from support.bench import wheel_config

    config = wheel_config(tmp_path, "/dev/dealer/wheel")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dealer_calibration", "card", "live", "--config", str(config)),
            *("--table", "r1", "--device", "wheel"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "no camera over a card window: its driver is cammegh-ss2" in done.stderr
