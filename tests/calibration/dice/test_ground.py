"""The empty plate against its picture of an earlier day: each thing that may be wrong is named, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.compared import compare
from dealer_calibration.cameras.figures import Bgr, figures_of
from dealer_calibration.dice_rig.check import plate_findings
from hw_sim.dice.poses import throw
from hw_sim.dice.render import render
from hw_sim.dice.rig import Rig
from hw_sim.dice.scene import Pose, Scene
from support.camera_bench import shifted
from support.rig_dice import calibrated

RIGS = [(1, "asian"), (2, "white"), (4, "black")]


def plates(rig: Rig, scene: Scene | None = None, change: Callable[[Bgr], Bgr] | None = None) -> list[Bgr]:
    pictures = [render(scene or Scene(), rig, 100 + n, 77) for n in range(12)]
    return pictures if change is None else [change(picture) for picture in pictures]


def wrong(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings if finding.ok is False}


def spotted(picture: Bgr) -> Bgr:
    dirty = picture.copy()
    cv2.circle(dirty, (300, 200), 6, (200, 200, 200), -1)
    return dirty


def one_lamp_less(picture: Bgr) -> Bgr:
    slope = np.linspace(0.75, 1.1, picture.shape[1])[None, :, None]
    return np.asarray(np.clip(picture * slope, 0, 255), np.uint8)


def warmer(picture: Bgr) -> Bgr:
    return np.asarray(np.clip(picture * np.array([0.9, 1.0, 1.05]), 0, 255), np.uint8)


@pytest.mark.parametrize(("seed", "kind"), RIGS)
def test_a_plate_that_is_as_it_was_passes(seed: int, kind: str) -> None:
    rig, profile, _ = calibrated(seed, kind)
    findings = plate_findings(profile, plates(rig))
    assert wrong(findings) == set()
    assert all(finding.ok for finding in findings)


@pytest.mark.parametrize(("seed", "kind"), RIGS)
@pytest.mark.parametrize(
    ("scene", "change", "named"),
    [
        (Scene(defocus_px=1.6), None, {"focus"}),
        (Scene(exposure=0.78), None, {"brightness"}),
        (Scene(), shifted(6.0, -3.0), {"camera_moved"}),
        (Scene(), spotted, {"plate_clean"}),
        (Scene(), one_lamp_less, {"light_even"}),
        (Scene(), warmer, {"colour"}),
    ],
    ids=["blurred lens", "darker", "pushed camera", "dirt", "lamp failed", "another lamp"],
)
def test_what_is_wrong_is_named_and_nothing_else(
    seed: int, kind: str, scene: Scene, change: Callable[[Bgr], Bgr] | None, named: set[str]
) -> None:
    rig, profile, _ = calibrated(seed, kind)
    findings = plate_findings(profile, plates(rig, scene, change))
    assert wrong(findings) == named
    assert all(finding.do_next for finding in findings if finding.ok is not True)


@pytest.mark.parametrize(("seed", "kind"), RIGS)
@pytest.mark.parametrize("what", ["tilted", "raised", "turned aside"])
def test_a_camera_that_hangs_otherwise_is_named_though_its_lamps_are_mirrored_where_they_were(
    seed: int, kind: str, what: str
) -> None:
    rig, profile, _ = calibrated(seed, kind)
    other = {
        "tilted": replace(rig, tilt_deg=(rig.tilt_deg[0] + 0.6, rig.tilt_deg[1])),
        "raised": replace(rig, camera_mm=rig.camera_mm * 1.03),
        "turned aside": replace(rig, middle_px=(rig.middle_px[0] + 7, rig.middle_px[1] - 4)),
    }[what]
    assert "camera_moved" in wrong(plate_findings(profile, plates(other)))


@pytest.mark.parametrize(("seed", "kind"), RIGS)
def test_dice_on_the_plate_are_no_dirt_and_no_camera_that_moved(seed: int, kind: str) -> None:
    rig, profile, _ = calibrated(seed, kind)
    assert wrong(plate_findings(profile, plates(rig, throw(rig, Pose.FLAT, random.Random(3))))) == {"plate_empty"}


def test_the_shift_is_measured() -> None:
    rig, profile, _ = calibrated(1, "asian")
    seen = compare(profile.plate, plates(rig, None, shifted(6.0, -3.0)), profile.content.noise)
    assert seen.shift is not None
    assert (seen.shift.right_px, seen.shift.down_px) == (pytest.approx(6.0, abs=0.3), pytest.approx(-3.0, abs=0.3))


def test_flicker_is_named() -> None:
    rig, profile, _ = calibrated(1, "asian")
    pictures = [render(Scene(exposure=1.0 + 0.1 * (n % 2)), rig, n, 7) for n in range(12)]
    assert "light_steady" in wrong(plate_findings(profile, pictures))


def test_another_size_is_named_with_both() -> None:
    _, profile, _ = calibrated(1, "asian")
    (finding,) = plate_findings(profile, [np.zeros((240, 320, 3), np.uint8)])
    assert finding.code == "picture_size"
    assert "320 x 240" in finding.said
    assert "640 x 480" in finding.said


def test_a_ground_without_structure_is_not_known_to_have_moved() -> None:
    noise = np.random.default_rng(1)
    grey = [np.asarray(90 + noise.normal(0, 2, (240, 320, 3)), np.uint8) for _ in range(12)]
    seen = compare(np.full((240, 320, 3), 90, np.uint8), grey, 2.0)
    assert seen.plain
    assert seen.patches == ()


def test_softer_edges_are_wider() -> None:
    rig, _, _ = calibrated(1, "asian")
    scene = throw(rig, Pose.FLAT, random.Random(3))
    widths = [figures_of(render(replace(scene, defocus_px=blur), rig, 0, 1)).edge_px for blur in (0.0, 1.0, 2.0, 4.0)]
    assert widths == sorted(widths)
    assert widths[-1] > 1.5 * widths[0]
    assert np.isnan(figures_of(np.full((240, 320, 3), 90, np.uint8)).edge_px)
