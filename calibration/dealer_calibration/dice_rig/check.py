"""Whether a rig is still what it was when it was calibrated: by pictures of the empty plate, and by one shake. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.figures import Bgr, edge_px
from dealer_calibration.cameras.ground import Ground, ground_findings
from dealer_calibration.dice_rig.shakes import Typed, shown
from dealer_drivers.calibration.drift import QUANTITIES, Expected
from dealer_drivers.camera.scene import Looked
from dealer_drivers.dice.camera_reader import faces_of
from dealer_drivers.dice.faces import Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.rig_reader import RigReader

LIGHT = 0.6
"""Part of the exposure that the reader allows, which may be used up before it is said."""
MOVED_PX, MOVED_PART = 1.5, 0.015
"""How far any corner of the picture may have moved, in pixels and in edges of a die; the larger counts."""
DIRT_PART, THING_PART = 0.004, 0.4
"""Areas in faces: a spot a fifteenth of an edge across is said, where the reader takes for nothing what is below 0.01;
and what is too large for dirt is something that lies there."""


def plate_of(profile: RigProfile) -> Ground:
    """The empty plate of a rig, and how much it may differ from that."""
    content = profile.content
    area = content.die_px**2
    return Ground(
        word="plate",
        picture=profile.plate,
        noise=content.noise,
        region=profile.region(),
        moved_px=max(MOVED_PX, MOVED_PART * content.die_px),
        exposure=LIGHT * content.tolerances.exposure,
        dirt_px=DIRT_PART * area,
        thing_px=THING_PART * area,
    )


def plate_findings(profile: RigProfile, pictures: Sequence[Bgr]) -> list[Finding]:
    """What pictures of the empty plate say."""
    return ground_findings(plate_of(profile), pictures)


def shake_findings(
    reader: RigReader, looked: Looked, typed: Typed | str, expect: Mapping[str, Expected]
) -> list[Finding]:
    """What one shake says. ``typed`` is what a person saw, or ``"unasked"``."""
    faces = None if looked.value is None else faces_of(looked.value, reader.count)
    if faces is None:
        reason = looked.reasons[0] if looked.reasons else "unclear"
        return [
            Finding(
                code="shake_read",
                ok=False,
                said=f"the shake was not read: {reason}: {looked.detail}",
                do_next="where the dice lie flat and apart, mend that; else shake again",
                figures={"reasons": list(looked.reasons)},
            )
        ]
    read = tuple(sorted(face.value for face in faces))
    found = [_read(read, typed)]
    frame = reader.plate.frame(looked.pixels)
    if not isinstance(frame, Doubts):
        pip = reader.pip_first.read(looked.pixels)
        pitches = [one.face.pitch_px for one in pip.faces if one.face.value != 1]
        figures = {
            "die_px": float(np.mean([face.size_px for face in faces])),
            "pip_pitch_px": float(np.mean(pitches)) if pitches else float("nan"),
            "edge_px": edge_px(looked.pixels),
            "brightness": float(np.mean(frame.gain)),
        }
        found += [_drift(name, value, expect[name]) for name, value in figures.items() if name in expect]
    return found


def _read(read: tuple[int, ...], typed: Typed | str) -> Finding:
    figures = {"read": list(read)}
    if isinstance(typed, str):
        return Finding(code="shake_read", ok=True, said=f"the shake was read as {shown(read)}", figures=figures)
    if typed == read:
        return Finding(code="shake_read", ok=True, said=f"the shake was read rightly: {shown(read)}", figures=figures)
    what = "do not all lie flat" if typed is None else f"show {shown(typed)}"
    return Finding(
        code="read_wrong",
        ok=False,
        said=f"the dice {what} and were read as {shown(read)}",
        do_next="take the table out of play and calibrate anew",
        figures=figures,
    )


SINGLE = 4.0
"""A tolerance is of the mean of many readings; one shake of three dice strays so many times farther."""


def _drift(name: str, value: float, expected: Expected) -> Finding:
    quantity = QUANTITIES[name]
    figures = {name: round(value, 3), "expected": expected.value, "tolerance": expected.tolerance}
    if np.isnan(value):
        said = f"{name} is not told by dice that all show a one"
        return Finding(code=f"drift_{name}", ok=None, said=said, do_next="shake again", figures=figures)
    many = 1.0 if name in ("edge_px", "brightness") else SINGLE
    said = f"{name} is {value:.4g} {quantity.unit}, calibrated were {expected.value:.4g}"
    # Outlines that are sharper than they were do no harm.
    off = value - expected.value if name == "edge_px" else abs(value - expected.value)
    if off <= many * expected.tolerance:
        return Finding(code=f"drift_{name}", ok=True, said=said, figures=figures)
    return Finding(code=f"drift_{name}", ok=False, said=said, do_next=quantity.remedy, figures=figures)
