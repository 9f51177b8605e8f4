"""Whether a rig is still what it was when it was calibrated: by pictures of the empty plate, and by one shake. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.compared import Compared, Patch, compare
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.light import steady
from dealer_calibration.dice_rig.shakes import Typed, shown
from dealer_drivers.calibration.drift import QUANTITIES, Expected
from dealer_drivers.camera.scene import Looked
from dealer_drivers.dice.camera_reader import faces_of
from dealer_drivers.dice.faces import Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.rig_reader import RigReader

PICTURES = 12
"""Of the empty plate: their mean has a quarter of the noise."""
MOVED_PX, MOVED_PART = 1.5, 0.015
"""How far any corner of the picture may have moved, in pixels and in edges of a die; the larger counts."""
BLURRED_PX = 1.1
"""Standard deviation of the softness that was added: a lens that rises over three pixels then rises over four."""
COLOUR = 0.08
"""Part by which the three channels may differ; the reader refuses from 0.12 on."""
LIGHT = 0.6
"""Part of the exposure that the reader allows, which may be used up before it is said."""
UNEVEN = 0.1
DIRT_PART = 0.004
"""Area of a spot, in faces: a fifteenth of an edge across. The reader takes such for nothing up to 0.01."""
THING_PART = 0.4
"""From that area on it is no dirt, but something that lies there."""


def plate_findings(profile: RigProfile, pictures: Sequence[Bgr]) -> list[Finding]:
    """What pictures of the empty plate say."""
    content = profile.content
    sizes = {picture.shape for picture in pictures}
    if sizes != {profile.plate.shape}:
        height, width = pictures[0].shape[:2]
        return [
            Finding(
                code="picture_size",
                ok=False,
                said=f"the camera gives {width} x {height} pixels, it was calibrated at {content.width} x "
                f"{content.height}",
                do_next="set width and height of the device as they were, or calibrate anew",
            )
        ]
    seen = compare(profile.plate, pictures, content.noise)
    found = [steady(pictures), _moved(seen, content.die_px)]
    moved = found[-1].ok is not True
    found += [_brightness(seen, content.tolerances.exposure), _colour(seen), _focus(seen, moved=moved)]
    clean = _clean(seen.patches, content.die_px, profile.region(), moved=moved)
    # What lies there is taken for light or shadow.
    return [*found, clean] if clean.code == "plate_empty" else [*found, _even(seen), clean]


def _moved(seen: Compared, die_px: float) -> Finding:
    anew = "put the camera back where it was, or calibrate anew"
    if seen.shift is None:
        return Finding(
            code="camera_moved",
            ok=False,
            said="the picture does not look like that of the calibrated plate",
            do_next=f"take away what lies there; look whether it is the right camera; {anew}",
        )
    shift = seen.shift
    figures = {
        "right_px": round(shift.right_px, 2),
        "down_px": round(shift.down_px, 2),
        "turn_deg": round(shift.turn_deg, 3),
        "larger": round(shift.larger, 4),
        "farthest_px": round(shift.farthest_px, 2),
    }
    limit = max(MOVED_PX, MOVED_PART * die_px)
    if shift.farthest_px <= limit:
        said = f"the plate lies where it lay, within {shift.farthest_px:.1f} px"
        return Finding(code="camera_moved", ok=True, said=said, figures=figures)
    parts = [f"{abs(shift.right_px):.1f} px to the {'right' if shift.right_px > 0 else 'left'}"]
    parts.append(f"{abs(shift.down_px):.1f} px {'down' if shift.down_px > 0 else 'up'}")
    parts.append(f"turned by {shift.turn_deg:+.2f}°")
    parts.append(f"{abs(shift.larger):.1%} {'larger' if shift.larger > 0 else 'smaller'}")
    return Finding(
        code="camera_moved",
        ok=False,
        said=f"camera or plate moved: the plate is seen {', '.join(parts)}, its corners up to {shift.farthest_px:.1f} "
        f"px away ({limit:.1f} are allowed)",
        do_next=anew,
        figures=figures,
    )


def _brightness(seen: Compared, allowed: float) -> Finding:
    figures = {"brightness": round(seen.brighter, 3)}
    said = f"the plate is {seen.brighter:.2f} times as bright as calibrated"
    if abs(seen.brighter - 1) <= LIGHT * allowed:
        return Finding(code="brightness", ok=True, said=said, figures=figures)
    return Finding(
        code="brightness",
        ok=False,
        said=f"{said}; from {1 - allowed:.2f} to {1 + allowed:.2f} is read",
        do_next="look at lamps and exposure; clean dome and lens; calibrate anew where the light was changed",
        figures=figures,
    )


def _colour(seen: Compared) -> Finding:
    apart = float(np.ptp(seen.channels))
    names = ("blue", "green", "red")
    figures = {name: round(factor, 3) for name, factor in zip(names, seen.channels, strict=True)}
    if apart <= COLOUR:
        return Finding(code="colour", ok=True, said=f"the plate's colour holds within {apart:.1%}", figures=figures)
    most = names[int(np.argmax(seen.channels))]
    return Finding(
        code="colour",
        ok=False,
        said=f"the plate's colour changed by {apart:.1%}, towards {most}",
        do_next="lock the white balance, put back the lamps of that day, or calibrate anew",
        figures=figures,
    )


def _even(seen: Compared) -> Finding:
    figures = {"uneven": round(seen.uneven, 3)}
    if seen.uneven <= UNEVEN:
        said = f"the light comes as it came, within {seen.uneven:.1%} from place to place"
        return Finding(code="light_even", ok=True, said=said, figures=figures)
    return Finding(
        code="light_even",
        ok=False,
        said=f"the light changed by {seen.uneven:.0%} more in some places than in others",
        do_next="look for a lamp that failed or was turned, or something that throws a shadow",
        figures=figures,
    )


def _focus(seen: Compared, *, moved: bool) -> Finding:
    if moved:
        said = "not compared: the pictures do not lie on each other"
        return Finding(code="focus", ok=None, said=said, do_next="see camera_moved first")
    figures = {"blur_px": round(seen.blur_px, 2)}
    if seen.blur_px <= BLURRED_PX:
        return Finding(code="focus", ok=True, said="the plate is as sharp as calibrated", figures=figures)
    return Finding(
        code="focus",
        ok=False,
        said=f"the lens is blurred: the calibrated plate looks the same blurred by {seen.blur_px:.1f} px",
        do_next="wipe lens and dome, then focus the camera with dice live",
        figures=figures,
    )


def _clean(patches: Sequence[Patch], die_px: float, region: Bgr, *, moved: bool) -> Finding:
    if moved:
        said = "not compared: the pictures do not lie on each other"
        return Finding(code="plate_clean", ok=None, said=said, do_next="see camera_moved first")
    area = die_px**2
    inside = [one for one in patches if region[round(one.y), round(one.x)] and one.area_px > DIRT_PART * area]
    places = ", ".join(f"{one.x:.0f}, {one.y:.0f} ({one.area_px / area:.3f} of a face)" for one in inside[:5])
    figures = {"spots": len(inside), "largest": round(max((one.area_px for one in inside), default=0.0) / area, 4)}
    if not inside:
        return Finding(code="plate_clean", ok=True, said="nothing lies on the plate", figures=figures)
    if figures["largest"] > THING_PART:
        said, do = f"something lies on the plate at {places}", "take dice and hands away, and check again"
        return Finding(code="plate_empty", ok=False, said=said, do_next=do, figures=figures)
    return Finding(
        code="plate_clean",
        ok=False,
        said=f"there is dirt or a scratch on plate or dome at {places}",
        do_next="clean the plate and the dome inside and out; a scratch that stays asks for a new calibration",
        figures=figures,
    )


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
            "edge_width_px": reader.die_first.read(frame).edge_width_px,
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
    many = 1.0 if name in ("edge_width_px", "brightness") else SINGLE
    said = f"{name} is {value:.4g} {quantity.unit}, calibrated were {expected.value:.4g}"
    # Outlines that are sharper than they were do no harm.
    off = value - expected.value if name == "edge_width_px" else abs(value - expected.value)
    if off <= many * expected.tolerance:
        return Finding(code=f"drift_{name}", ok=True, said=said, figures=figures)
    return Finding(code=f"drift_{name}", ok=False, said=said, do_next=quantity.remedy, figures=figures)
