"""Whether the bare ground before a camera is what it was when the camera was calibrated. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.compared import Compared, Patch, compare
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.light import steady

PICTURES = 12
"""Of the empty ground: their mean has a quarter of the noise."""
BLURRED_PX = 1.1
"""Standard deviation of the softness that was added: a lens that rises over three pixels then rises over four."""
COLOUR = 0.08
"""Part by which the three channels may differ; the readers of dice refuse from 0.12 on."""
UNEVEN = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The empty plate or cloth as it was, and how much it may differ. ``word``: what it is called."""

    word: str
    picture: Bgr
    noise: float
    """Standard deviation of a pixel from picture to picture, grey levels."""
    region: npt.NDArray[np.uint8]
    """255 where it is looked at for dirt."""
    moved_px: float
    """How far any corner of the picture may have moved."""
    exposure: float
    """Part by which it may be brighter or darker."""
    dirt_px: float
    """Area from which on a spot is said."""
    thing_px: float
    """Area from which on it is no dirt, but something that lies there."""


def ground_findings(ground: Ground, pictures: Sequence[Bgr]) -> list[Finding]:
    """What pictures of the empty ground say of camera, lens, light and dirt."""
    was_height, was_width = ground.picture.shape[:2]
    if {picture.shape for picture in pictures} != {ground.picture.shape}:
        height, width = pictures[0].shape[:2]
        return [
            Finding(
                code="picture_size",
                ok=False,
                said=f"the camera gives {width} x {height} pixels, it was calibrated at {was_width} x {was_height}",
                do_next="set width and height of the device as they were, or calibrate anew",
            )
        ]
    seen = compare(ground.picture, pictures, ground.noise)
    moved = _moved(ground, seen)
    found = [steady(pictures), moved, _brightness(ground, seen), _colour(ground, seen)]
    if moved.ok is False:
        return [*found, *(_not_compared(code) for code in ("focus", "light_even", f"{ground.word}_clean"))]
    clean = _clean(ground, seen.patches)
    # What lies there is taken for light or shadow.
    even = [] if clean.code == f"{ground.word}_empty" else [_even(seen)]
    return [*found, _focus(ground, seen), *even, clean]


def _not_compared(code: str) -> Finding:
    said = "not compared: the pictures do not lie on each other"
    return Finding(code=code, ok=None, said=said, do_next="see camera_moved first")


def _moved(ground: Ground, seen: Compared) -> Finding:
    anew, word = "put the camera back where it was, or calibrate anew", ground.word
    if seen.plain:
        return Finding(
            code="camera_moved",
            ok=None,
            said=f"the {word} shows nothing by which its place could be told",
            do_next="compare the edges of the picture with those of the calibration by eye",
        )
    if seen.shift is None:
        return Finding(
            code="camera_moved",
            ok=False,
            said=f"the picture does not look like that of the calibrated {word}",
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
    if shift.farthest_px <= ground.moved_px:
        said = f"the {word} lies where it lay, within {shift.farthest_px:.1f} px"
        return Finding(code="camera_moved", ok=True, said=said, figures=figures)
    parts = [
        f"{abs(shift.right_px):.1f} px to the {'right' if shift.right_px > 0 else 'left'}",
        f"{abs(shift.down_px):.1f} px {'down' if shift.down_px > 0 else 'up'}",
        f"turned by {shift.turn_deg:+.2f}°",
        f"{abs(shift.larger):.1%} {'larger' if shift.larger > 0 else 'smaller'}",
    ]
    return Finding(
        code="camera_moved",
        ok=False,
        said=f"camera or {word} moved: the {word} is seen {', '.join(parts)}, its corners up to "
        f"{shift.farthest_px:.1f} px away ({ground.moved_px:.1f} are allowed)",
        do_next=anew,
        figures=figures,
    )


def _brightness(ground: Ground, seen: Compared) -> Finding:
    figures = {"brightness": round(seen.brighter, 3)}
    said = f"the {ground.word} is {seen.brighter:.2f} times as bright as calibrated"
    if abs(seen.brighter - 1) <= ground.exposure:
        return Finding(code="brightness", ok=True, said=said, figures=figures)
    return Finding(
        code="brightness",
        ok=False,
        said=f"{said}; from {1 - ground.exposure:.2f} to {1 + ground.exposure:.2f} is good",
        do_next="look at lamps and exposure; clean dome and lens; calibrate anew where the light was changed",
        figures=figures,
    )


def _colour(ground: Ground, seen: Compared) -> Finding:
    apart = float(np.ptp(seen.channels))
    names = ("blue", "green", "red")
    figures = {name: round(factor, 3) for name, factor in zip(names, seen.channels, strict=True)}
    if apart <= COLOUR:
        said = f"the colour of the {ground.word} holds within {apart:.1%}"
        return Finding(code="colour", ok=True, said=said, figures=figures)
    most = names[int(np.argmax(seen.channels))]
    return Finding(
        code="colour",
        ok=False,
        said=f"the colour of the {ground.word} changed by {apart:.1%}, towards {most}",
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


def _focus(ground: Ground, seen: Compared) -> Finding:
    if seen.plain:
        said = f"the {ground.word} shows no edge by which focus could be told"
        return Finding(code="focus", ok=None, said=said, do_next="see what is said of the picture with things on it")
    figures = {"blur_px": round(seen.blur_px, 2)}
    if seen.blur_px <= BLURRED_PX:
        said = f"the {ground.word} is as sharp as calibrated"
        return Finding(code="focus", ok=True, said=said, figures=figures)
    return Finding(
        code="focus",
        ok=False,
        said=f"the lens is blurred: the calibrated {ground.word} looks the same blurred by {seen.blur_px:.1f} px",
        do_next="wipe lens and dome, then focus the camera with the live view",
        figures=figures,
    )


def _clean(ground: Ground, patches: Sequence[Patch]) -> Finding:
    inside = [one for one in patches if ground.region[round(one.y), round(one.x)] and one.area_px > ground.dirt_px]
    places = ", ".join(f"{one.x:.0f}, {one.y:.0f} ({one.area_px:.0f} px²)" for one in inside[:5])
    largest = max((one.area_px for one in inside), default=0.0)
    figures = {"spots": len(inside), "largest_px2": round(largest)}
    clean = f"{ground.word}_clean"
    if not inside:
        return Finding(code=clean, ok=True, said=f"nothing lies on the {ground.word}", figures=figures)
    if largest > ground.thing_px:
        said, do = f"something lies on the {ground.word} at {places}", "take it away, hands too, and check again"
        return Finding(code=f"{ground.word}_empty", ok=False, said=said, do_next=do, figures=figures)
    return Finding(
        code=clean,
        ok=False,
        said=f"there is dirt or a scratch at {places}",
        do_next=f"clean the {ground.word}, and what is before the lens; what stays asks for a new calibration",
        figures=figures,
    )
