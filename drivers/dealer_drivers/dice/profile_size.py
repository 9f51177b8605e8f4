"""How large the dice are in a rig's pictures, and how high its camera is, from single dice on the plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.rig_frame import SHADE, Floats, Mask, without_shade
from dealer_drivers.dice.rig_outline import Pose

LEAST_DIE_PX = 60.0
SMALLEST_PX = 25.0
"""Dice are looked for from that width on, to say of those under the least that they are too small."""
LEAST_RISE = 0.005
"""As measured, which rounded edges make less than it is. Seen from far above, a die on another is hardly larger."""
RISES = np.arange(0.0, 0.121, 0.001)
SPREAD = 0.02
"""Part by which sizes of the same dice may differ from picture to picture."""


class ProfileMakeError(ValueError):
    """No profile can be made. Each of ``problems`` says what to photograph or change."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class SingleDie:
    """A die that touches nothing. ``extents``: width of its outline along its own x and y."""

    picture: int
    pose: Pose
    extents: tuple[float, float]
    contour: Floats


@dataclass(frozen=True, slots=True)
class Sized:
    """See ``Profile``."""

    die_px: float
    rise: float
    axis: tuple[float, float]


def isolated(change: Mask, even: Bgr, plate: Bgr, picture: int, count: int, noise: float) -> list[SingleDie]:
    """The single dice of a picture; none where they are not ``count``."""
    level, _ = cv2.threshold(change, 0, 255, cv2.THRESH_OTSU)
    strong = change[change > max(level, 4 * noise)]
    if strong.size < SMALLEST_PX**2:
        return []
    half = float(np.median(strong)) / 2
    mask = cv2.threshold(change, half, 255, cv2.THRESH_BINARY)[1]
    without_shade(np.asarray(mask, np.uint8), even, plate, noise)
    parts, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    large = [part for part in parts if cv2.contourArea(part) > SMALLEST_PX**2 * 0.8]
    out = []
    for part in large:
        x, y, w, h = cv2.boundingRect(part)
        (cx, cy), (long, short), angle = cv2.minAreaRect(part)
        if min(x, y) < 2 or x + w > change.shape[1] - 2 or y + h > change.shape[0] - 2:
            continue
        if max(long, short) > 1.35 * min(long, short) or cv2.contourArea(part) < 0.8 * long * short:
            continue
        contour = part.reshape(-1, 2).astype(np.float64)
        pose = _straightened(contour, Pose(cx, cy, angle % 90.0, (long + short) / 2))
        extents = []
        own = pose.to_own(contour)
        for axis in (0, 1):
            near = np.abs(own[:, 1 - axis]) < 0.3 * pose.size_px
            high, low = near & (own[:, axis] > 0), near & (own[:, axis] < 0)
            extents.append(float(np.median(own[high, axis]) - np.median(own[low, axis])))
        out.append(SingleDie(picture, pose, (extents[0], extents[1]), contour))
    return out if len(out) == count == len(large) else []


def _straightened(contour: Floats, pose: Pose) -> Pose:
    """Turned to the straight parts of the sides, and centred between them."""
    for _ in range(3):
        own = pose.to_own(contour)
        slopes, middles = [], [[0.0, 0.0], [0.0, 0.0]]
        for axis in (0, 1):
            for n, sign in enumerate((1, -1)):
                on = (np.abs(own[:, 1 - axis]) < 0.3 * pose.size_px) & (sign * own[:, axis] > 0)
                slope, at = np.polyfit(own[on, 1 - axis], own[on, axis], 1)
                slopes.append(slope if axis == 1 else -slope)
                middles[axis][n] = float(at)
        shift = pose.to_picture(np.array([[sum(middles[0]) / 2, sum(middles[1]) / 2]]))[0]
        turned = (pose.turn_deg + float(np.degrees(np.median(slopes)))) % 90.0
        pose = Pose(float(shift[0]), float(shift[1]), turned, pose.size_px)
    return pose


def size_of(
    found: Sequence[SingleDie], even: Sequence[Bgr], plate: Bgr, axis: tuple[float, float], noise: float
) -> Sized:
    """Edge of the top face, and how much smaller the base is seen. Raises ``ProfileMakeError``.

    The edge is that of dice near the axis, whose sides are hidden below the top. How high the camera is shows in dice
    away from it: the side that looks towards the axis is seen, the wider the farther away.
    """
    away, extents = [], []
    for one in found:
        u, v = one.pose.axes()
        offset = np.array([one.pose.x - axis[0], one.pose.y - axis[1]])
        away += [abs(float(offset @ u)), abs(float(offset @ v))]
        extents += list(one.extents)
    far, seen = np.array(away), np.array(extents)
    near = seen[far < 0.6 * np.median(seen)]
    size = float(np.median(near)) if near.size >= 4 else float(np.percentile(seen, 30))
    if size < LEAST_DIE_PX:
        raise ProfileMakeError(
            f"bring the camera nearer: the dice are {size:.0f} pixels wide, at least {LEAST_DIE_PX:.0f} are needed"
        )
    if near.size >= 4 and float(np.std(near)) > SPREAD * size:
        raise ProfileMakeError("the dice are not all of one size, or not all lie flat")
    if far.max() < 1.2 * size:
        raise ProfileMakeError("lay some dice near the rim: only there it is seen how high the camera is")
    widths = [_widths(one, even[one.picture], plate, axis, noise, size) for one in found]
    measured = np.array([width for both in widths for width in both]).reshape(-1, 2)
    hidden = measured[measured[:, 0] < size / 2, 1]
    if hidden.size < 4:
        raise ProfileMakeError("lay some dice near the middle of the picture, where their sides are not seen")
    shown = measured - np.array([size / 2, float(np.median(hidden))])
    best = min((float(np.abs(shown[:, 1] - np.maximum(0.0, rise * shown[:, 0])).mean()), float(rise)) for rise in RISES)
    if best[1] < LEAST_RISE:
        raise ProfileMakeError(
            "the camera is too high above the plate to see that a die lies on another: bring it nearer"
        )
    return Sized(size, best[1], axis)


def _widths(
    one: SingleDie, even: Bgr, plate: Bgr, axis: tuple[float, float], noise: float, size: float
) -> list[tuple[float, float]]:
    """Along each of a die's own axes: how far away the camera's axis lies, and how wide the die is seen with its
    sides."""
    u, v = one.pose.axes()
    offset = np.array([axis[0] - one.pose.x, axis[1] - one.pose.y])
    along = np.linspace(-0.3, 0.3, 25) * size
    out = np.arange(0.35 * size, 0.5 * size + 0.3 * size, 0.5)
    reaches = []
    for normal, side in ((u, v), (-u, v), (v, u), (-v, u)):
        at = np.array([one.pose.x, one.pose.y]) + out[:, None, None] * normal + along[None, :, None] * side
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        seen = cv2.remap(even, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        ground = cv2.remap(plate, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        light = seen.sum(axis=2) / np.maximum(ground.sum(axis=2), 1)
        hue = np.abs(seen - light[:, :, None] * ground).max(axis=2)
        shade = (light < 1.02) & (light > SHADE) & (hue < 4 * noise + 6)
        thing = (np.abs(seen - ground).max(axis=2) > 5 * noise + 6) & ~shade
        part = thing.mean(axis=1) > 0.5
        reaches.append(float(out[int(np.argmin(part))]) if part[0] and not part.all() else float("nan"))
    both = [(abs(float(offset @ u)), reaches[0] + reaches[1]), (abs(float(offset @ v)), reaches[2] + reaches[3])]
    return [pair for pair in both if not np.isnan(pair[1])]
