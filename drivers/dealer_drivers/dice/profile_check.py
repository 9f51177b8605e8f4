"""What makes a rig unreadable, found while it is calibrated, in words that say what to change.

A profile that only says what was measured would be taken for a good one; dice that are white beyond what the camera
can tell, or pips of a few pixels, show later as readings refused, or worse, as light on a pip that nobody sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.faces import Bgr, Doubts
from dealer_drivers.dice.profile import Profile, RigProfile
from dealer_drivers.dice.rig_frame import Floats
from dealer_drivers.dice.rig_outline import Pose
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.dice.rig_spots import Spot

WHITE, WHITEST = 235, 247
"""Grey levels: where the brightest channel of a white die should be, and where the brightest places may have it. Above,
light on a die cannot be told from the die."""
UNEVEN = (0.72, 1.35)
"""How bright a die may be at one place, as a multiple of what dice are elsewhere: beyond, its pips are not found."""
SOFT_RIM = 0.45
"""Over how much of its radius a pip's rim may rise from a fifth to four fifths."""
RIM_STEP_PX = 0.25
READ = 0.85
"""Part of the pictures that the new profile must read: all of them show dice that lie well."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture of dice of the calibration: where they are, what their pips say without a profile, and good pips."""

    picture: Bgr
    poses: tuple[Pose, ...]
    values: tuple[int, ...] | None
    spots: tuple[Spot, ...]


def seen_badly(profile: Profile, shown: Sequence[Shown]) -> list[str]:
    """Sentences, each with what to change; none for a rig whose pictures are good."""
    return [*_white(shown), *_uneven(profile, shown), *_soft(shown)]


def _white(shown: Sequence[Shown]) -> list[str]:
    levels = [level for one in shown for pose in one.poses if (level := _body(one.picture, pose)) is not None]
    top = float(np.percentile(levels, 95))
    if top <= WHITEST:
        return []
    return [
        f"lower the exposure: the dice's white is at {top:.0f} of 255 where it is brightest, so light on a pip could "
        f"not be seen; {WHITE} is good"
    ]


def _body(picture: Bgr, pose: Pose) -> float | None:
    """The brightest channel of a die's colour, as the camera gave it."""
    grid = np.linspace(-0.38, 0.38, 40) * pose.size_px
    u, v = pose.axes()
    at = np.array([pose.x, pose.y]) + grid[:, None, None] * u + grid[None, :, None] * v
    columns, rows = np.round(at[..., 0]).astype(int), np.round(at[..., 1]).astype(int)
    inside = (columns >= 0) & (rows >= 0) & (columns < picture.shape[1]) & (rows < picture.shape[0])
    if not inside.all():
        return None
    return float(np.median(picture[rows, columns].reshape(-1, 3), axis=0).max())


def _uneven(profile: Profile, shown: Sequence[Shown]) -> list[str]:
    if len(profile.bodies) > 1:  # which die should be how bright is not known
        return []
    levels = {pose: level for one in shown for pose in one.poses if (level := _body(one.picture, pose)) is not None}
    usual = max(float(np.median(list(levels.values()))), 1.0)
    for pose, level in levels.items():
        if not UNEVEN[0] < level / usual < UNEVEN[1]:
            return [
                f"spread the light: a die at {pose.x:.0f}, {pose.y:.0f} is {level / usual:.2f} times as bright as dice "
                "are elsewhere"
            ]
    return []


def _soft(shown: Sequence[Shown]) -> list[str]:
    """Pips whose rim is a slope rather than a step."""
    widths = [_rim(one.picture, spot) / spot.pip.radius_px for one in shown for spot in one.spots]
    soft = float(np.median(widths)) if widths else 0.0
    if soft <= SOFT_RIM:
        return []
    return [f"focus the camera: the rims of pips are {soft:.0%} of their radius wide, {SOFT_RIM:.0%} may be"]


def _rim(picture: Bgr, spot: Spot) -> float:
    """Over how many pixels a pip's rim rises from a fifth to four fifths."""
    turn = np.arange(24)[:, None] * (np.pi / 12)
    out = np.arange(0, 1.7 * spot.pip.radius_px, RIM_STEP_PX)
    x, y = spot.pip.x + np.cos(turn) * out, spot.pip.y + np.sin(turn) * out
    seen = cv2.remap(picture, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
    mean: Floats = seen.astype(np.float64).mean(axis=0)
    inner, outer = mean[:4].mean(axis=0), mean[-4:].mean(axis=0)
    channel = int(np.abs(outer - inner).argmax())
    part = (mean[:, channel] - inner[channel]) / (outer[channel] - inner[channel] or 1.0)
    return float(np.argmax(part > 0.8) - np.argmax(part > 0.2)) * RIM_STEP_PX


def unread(profile: RigProfile, shown: Sequence[Shown], count: int) -> list[str]:
    """The profile must read what it was made from, and as the pips say without it; sentences where it does not."""
    reader = RigReader(profile, count)
    why: Counter[str] = Counter()
    for one in shown:
        answer = reader.read(one.picture)
        if isinstance(answer, Doubts):
            why[f"{answer.reasons[0]}: {answer.detail}"] += 1
        elif one.values is not None and answer.values != one.values:
            return [f"dice that show {one.values} are read as {answer.values} with this profile: photograph them anew"]
    if sum(why.values()) <= (1 - READ) * len(shown):
        return []
    return [
        f"of {len(shown)} pictures of dice that lie well {len(shown) - sum(why.values())} are read with this profile; "
        f"the others: {why.most_common(1)[0][0]}"
    ]
