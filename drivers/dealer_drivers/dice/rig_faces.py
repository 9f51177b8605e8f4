"""The value on a rectified face: compared with all six at all turns, and every place of the grid looked at by
itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.profile import VALUES, Profile
from dealer_drivers.dice.rig_frame import Floats
from dealer_drivers.dice.rig_outline import Pose

Patch: TypeAlias = npt.NDArray[np.float32]

SIDE = 52
"""Pixels of a face's edge in the templates."""
MARGIN = 4
"""By which the rectified face is larger on every side."""
CUT = 5
"""What is compared is so much smaller than the face on every side: its rounded edges say nothing."""
SHIFT = 3
"""By which the face may be shifted, in template pixels: 6 % of an edge."""
LEAST_MATCH = 0.70
LEAST_LEAD = 0.05
"""By which the best value must match better than any other."""
GHOST = 1.3
"""How many times more that may be where the pips of the face below shine through."""
NO_SPOT = 0.24
"""Contrast that no spot, however small, may have where a pip might be."""
PIP, NO_PIP = 0.60, 0.20
"""Contrast at a place of the grid, as part of the calibrated: at least, at most. Between is neither."""
FULL = 1.5
"""More contrast than that part of the calibrated is no pip of these dice."""
UNEVEN = 0.24
"""How much the contrasts of a face's pips may differ, as parts of the calibrated: light that hides one pip veils
others."""
FLAT = 0.36
"""Half of the part of a face that is looked at for light, in edges: rounded edges may shine."""
BRIGHTER = 22.0
"""Grey levels above the body from which on a spot is light."""
ALL_FULL = 0.8
"""Saturated part of a place from which on it may hide a pip."""
LEAST_ROOM = 5.0
"""Grey levels the body itself must stay below saturation for that to say anything."""
NEARLY_FULL = 14.0
"""A body nearer to saturation than that shows no light on it: only that the contrast of its pips is uneven."""
SLIM = 3.0
LIGHT = 0.4
"""Area of light that may hide something, in pips."""
COLOUR = 0.45
"""How far a pip's colour may be off, as part of its contrast to the body."""


@dataclass(frozen=True, slots=True)
class Template:
    """A face as it should look: ``grey`` 0 to 1, ``places`` of its pips in edges from the centre."""

    value: int
    grey: Patch
    places: tuple[tuple[float, float], ...]
    empty: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``value`` is None where nothing is certain, and ``why`` says why."""

    value: int | None
    score: float
    dark: bool
    why: str
    light: bool = False
    """Whether light lies on the face that may hide a pip."""
    fits_none: bool = False
    """Whether nothing like the pips of a flat face is on it."""


def templates(profile: Profile) -> tuple[Template, ...]:
    """All faces at all turns of the profile's dice. Which way twos, threes and sixes lie depends on the make."""
    step = profile.pitch_px / profile.die_px
    narrow = step * profile.six_aspect
    first, second = ((-step, -step), (step, step)), ((-step, step), (step, -step))
    sixes = tuple((sign * narrow, at * step) for sign in (-1, 1) for at in (-1, 0, 1))
    layouts: list[tuple[int, tuple[tuple[float, float], ...]]] = [
        (1, ((0.0, 0.0),)),
        (2, first),
        (2, second),
        (3, (*first, (0.0, 0.0))),
        (3, (*second, (0.0, 0.0))),
        (4, first + second),
        (5, (*first, *second, (0.0, 0.0))),
        (6, sixes),
        (6, tuple((y, x) for x, y in sixes)),
    ]
    grid = [(x * step, y * step) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    made = []
    for value, places in layouts:
        radius = profile.look(value).pip_radius_px / profile.die_px
        grey = np.zeros((SIDE * 4, SIDE * 4), np.float32)
        for x, y in places:
            at = (round(((x + 0.5) * SIDE * 4 - 0.5) * 16), round(((y + 0.5) * SIDE * 4 - 0.5) * 16))
            cv2.circle(grey, at, round(radius * SIDE * 4 * 16), 1.0, -1, cv2.LINE_AA, 4)
        small = cv2.GaussianBlur(cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA), (0, 0), 0.8)
        empty = tuple(
            place for place in grid if all(np.hypot(place[0] - x, place[1] - y) > 0.6 * step for x, y in places)
        )
        made.append(Template(value, np.ascontiguousarray(small[CUT:-CUT, CUT:-CUT], np.float32), places, empty))
    return tuple(made)


def rectified(even: Bgr, pose: Pose) -> Patch:
    """The face upright, with a margin: ``SIDE + 2 MARGIN`` pixels square, three channels."""
    side = SIDE + 2 * MARGIN
    step = pose.size_px / SIDE
    u, v = pose.axes()
    start = np.array([pose.x, pose.y]) - (u + v) * step * (side - 1) / 2
    matrix = np.stack([u * step, v * step, start], axis=1)
    patch = cv2.warpAffine(
        even, matrix, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return patch.astype(np.float32)


def body_of(patch: Patch) -> Floats:
    """The colour of the die: pips cover less than half of a face."""
    inside = patch[MARGIN + 3 : -MARGIN - 3, MARGIN + 3 : -MARGIN - 3].reshape(-1, 3)
    return np.asarray(np.median(inside[::3], axis=0), np.float64)


def read_face(profile: Profile, known: tuple[Template, ...], patch: Patch, full: float) -> Verdict:
    """The value, only if one alone fits in every respect. ``full``: the grey level at which the picture is
    saturated."""
    body = body_of(patch)
    if _light(profile, patch, body, full):
        return Verdict(None, 0.0, profile.look(1).dark, "light hides a part of the face", True)
    off = np.abs(patch - body.astype(np.float32))
    differs = np.maximum(np.maximum(off[:, :, 0], off[:, :, 1]), off[:, :, 2])
    begin = MARGIN + CUT - SHIFT
    whole = differs
    differs = np.ascontiguousarray(whole[begin:-begin, begin:-begin])
    scores: list[float] = []
    places: list[tuple[int, int]] = []
    for template in known:
        _, score, _, at = cv2.minMaxLoc(cv2.matchTemplate(differs, template.grey, cv2.TM_CCOEFF_NORMED))
        scores.append(float(score))
        places.append((int(at[0]), int(at[1])))
    best = int(np.argmax(scores))
    found = known[best]
    others = max(score for score, template in zip(scores, known, strict=True) if template.value != found.value)
    look = profile.look(found.value)
    if scores[best] < LEAST_MATCH:
        return Verdict(None, scores[best], look.dark, f"no face fits better than {scores[best]:.2f}", fits_none=True)
    if scores[best] - others < LEAST_LEAD:
        return Verdict(None, scores[best], look.dark, f"a {found.value} fits hardly better than another face")
    pip = np.array(look.pip_bgr)
    contrast = float(np.abs(pip - body).max())
    shift = (places[best][0] - SHIFT, places[best][1] - SHIFT)
    smallest = min(profile.look(value).pip_radius_px for value in VALUES) / profile.die_px
    core = max(3, int(smallest * SIDE) | 1)
    mean = cv2.blur(patch, (core, core))
    # Where no pip should be nothing may differ, neither up nor down: light on a pip leaves bright and dark parts.
    unlike = cv2.blur(whole, (core, core)) / max(contrast, 1.0)
    # As far around a place as no pip of the face reaches.
    free = (profile.pitch_px * min(1.0, profile.six_aspect) - look.pip_radius_px) / profile.die_px - 0.03
    wide = max(3, int(2 * min(1.2 * smallest, free) * SIDE) | 1)
    worst = cv2.dilate(cv2.blur(whole, (3, 3)), np.ones((wide, wide), np.uint8)) / max(contrast, 1.0)
    darkest = np.minimum(np.minimum(patch[:, :, 0], patch[:, :, 1]), patch[:, :, 2])
    full_part = cv2.blur((darkest > full - 1).astype(np.float32), (core, core))
    more = GHOST if profile.translucent else 1.0
    strengths: list[float] = []
    for spots, wanted in ((found.places, True), (found.empty, False)):
        for x, y in spots:
            column = round((x + 0.5) * SIDE - 0.5 + MARGIN + shift[0])
            row = round((y + 0.5) * SIDE - 0.5 + MARGIN + shift[1])
            colour = mean[row, column]
            strength = float(np.abs(colour - body).max()) / max(contrast, 1.0)
            if wanted and not PIP <= strength <= FULL:
                return Verdict(None, scores[best], look.dark, f"a {found.value} with a pip of {strength:.2f} contrast")
            if wanted:
                strengths.append(strength)
            if wanted and float(np.abs(colour - pip).max()) > COLOUR * contrast:
                return Verdict(None, scores[best], look.dark, f"a {found.value} with a pip of another colour")
            if not wanted and (unlike[row, column] > NO_PIP * more or worst[row, column] > NO_SPOT * more):
                return Verdict(None, scores[best], look.dark, f"a {found.value} with something where no pip is")
            if not wanted and look.dark and full_part[row, column] > ALL_FULL and float(body.min()) < full - LEAST_ROOM:
                why = f"a {found.value} with light where a pip may be"
                return Verdict(None, scores[best], look.dark, why, light=True)
    if max(strengths) - min(strengths) > UNEVEN:
        return Verdict(None, scores[best], look.dark, f"the pips of the {found.value} are of uneven contrast")
    return Verdict(found.value, scores[best], look.dark, "")


def _light(profile: Profile, patch: Patch, body: Floats, full: float) -> bool:
    """Whether a spot is brighter than the die and no pip of light colour: enough of it to hide a pip."""
    begin = round(MARGIN + (0.5 - FLAT) * SIDE)
    inner = patch[begin:-begin, begin:-begin]
    darkest = np.minimum(np.minimum(inner[:, :, 0], inner[:, :, 1]), inner[:, :, 2])
    limit = float(body.min()) + BRIGHTER
    light_pips = [min(look.pip_bgr) for look in profile.faces.values() if not look.dark]
    if light_pips:  # only what is as bright as a pip can hide one
        limit = max(limit, float(body.min()) + 0.6 * (min(light_pips) - float(body.min())))
    if limit > full - 1:
        limit = full - 1 if float(body.min()) < full - NEARLY_FULL else np.inf
    light = (darkest > limit).astype(np.uint8)
    pip = np.pi * (min(look.pip_radius_px for look in profile.faces.values()) / profile.die_px * SIDE) ** 2
    allowed = LIGHT * pip
    light = np.asarray(cv2.erode(light, np.ones((3, 3), np.uint8)), np.uint8)
    if cv2.countNonZero(light) < allowed:
        return False
    _, (long, short), _ = cv2.minAreaRect(np.argwhere(light > 0).astype(np.float32))
    if max(long, short) > SLIM * (min(long, short) + 1):
        return False  # the rounded edge of a die that leans
    if not light_pips:
        return True
    # Light pips are as bright: only what is larger than a pip is light.
    wide = int(3.2 * max(look.pip_radius_px for look in profile.faces.values()) / profile.die_px * SIDE) | 1
    return cv2.countNonZero(cv2.erode(light, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide)))) > 0
