"""Die-first: what differs from the empty plate must be exactly the dice, each a square of the calibrated size.

Says what it saw, all of it: squares, the value on each, whatever of the foreground no die explains, and whatever
part of a face is not in the foreground. Uses no pip to find a die; what is decided from it is said elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_faces import MARGIN, Patch, body_of, read_face, rectified, templates
from dealer_drivers.dice.rig_frame import Floats, Frame, Mask, Plate
from dealer_drivers.dice.rig_outline import Pose, draw, outline, top
from dealer_drivers.dice.rig_squares import Square, find_squares
from dealer_drivers.readings.dice import Face

OFF_BODY = 40.0
"""Grey levels by which the body of a face may differ from the calibrated."""
LEAST_PART = 0.03
"""Parts of the foreground smaller than that, in areas of a face, are no dice. They still must be explained."""
LEAST_REST = 0.01
"""Smaller rests, in areas of a face, are noise and dust: a tenth of an edge across."""
DEEP = 0.25
"""Even what several dice take away together leaves more of the plate's light."""
ONES = np.ones(3, np.float32)
SHADOW = 2.2
"""How many times farther than that of a flat die a shadow may fall: that of a die on another."""
SIDE_DIM = (0.25, 1.2)
"""How bright a side of a die may be, as a multiple of its top."""
WINDOW = 15
"""Pixels to both sides of an outline in which its rise is measured."""
TOP_RIM, LEAST_SIDE = 2.5, 0.03
"""Pixels beside the top that say nothing of the side, and least area of what is seen of that, in faces."""
LEAST_CONTOUR = 24
"""Points of an outline inside the picture."""
GAP_SHADE, BESIDE = 0.02, 0.3
"""Area of the darkest place between two dice, in faces, and how far that is from both, in edges."""
GAP = 0.15
"""Between two dice, in edges: less is dark down there, and soft in the picture."""
LIKE = 24.0
"""Grey levels by which a rest may differ from the body's colour, dimmed, and still be of a die."""


@dataclass(frozen=True, slots=True)
class FoundFace:
    """One square of the foreground. ``face`` is None where the value is not certain: ``why``."""

    square: Square
    face: Face | None
    why: str
    light: bool
    """Whether light lies on it that may hide a pip."""
    fits_none: bool
    """Whether it shows nothing like the pips of a flat face."""
    of_body: bool
    """Whether its colour is that of the dice' tops."""
    like_die: float
    """Part of it that has the colour of a die's top or side, or of pips."""
    missing: float
    """Part of the face that is not in the foreground."""
    side: float
    """Part of the side towards the middle of the picture that is in the foreground, as that of a flat die must be; 1
    where too little of it would be seen to tell."""
    alone: bool
    """Whether no other die touches it or hides the plate beside it."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A part of the foreground that no die explains."""

    x: float
    y: float
    area: float
    """In areas of a face."""
    length: float
    """Longest side, in edges."""
    like_die: float
    """Part of it that has the colour of a die's top or side."""
    bright: float
    """Part of it that is saturated."""
    beside_die: bool
    at_frame: bool
    long: float
    slim: float
    """Of the smallest upright or turned rectangle around it: its long side in edges, and how many times its short
    side."""
    shade: float
    """Part of it that is only darker than the plate, evenly: a shadow deeper than those of flat dice."""


@dataclass(frozen=True, slots=True)
class DieFirst:
    """All that die-first says of a frame."""

    faces: tuple[FoundFace, ...]
    rests: tuple[Rest, ...]
    cut: bool
    """A square reaches over the edge of the picture."""
    largest: float
    """The largest connected part of the foreground, in areas of a face."""
    covered: float
    """Foreground of the dice's contrast, in areas of a face."""
    clipped: float
    """Saturated part of the faces, in areas of a face, where it is solid: a bright face with noise is not."""
    edge_width_px: float
    """Over how many pixels outlines rise where they are soft; NaN where there is none."""
    edge_narrow_px: float
    """The same where they are sharp: a lens out of focus leaves none sharp, a hand or light does."""


class DieFirstReader:
    """Holds what is worked out from the profile once."""

    def __init__(self, plate: Plate) -> None:
        self.plate = plate
        self.profile: Profile = plate.profile
        self.templates = templates(self.profile)
        self.area = self.profile.die_px**2

    def read(self, frame: Frame) -> DieFirst:
        """What is on the plate."""
        found, _ = cv2.findContours(frame.body, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        parts = [part for part in found if cv2.contourArea(part) > LEAST_PART * self.area]
        filled = np.zeros_like(frame.body)
        squares: list[Square] = []
        outlines: list[Floats] = []
        beyond: list[Square] = []
        single: list[Square] = []
        largest = 0.0
        for part in parts:
            x, y, w, h = cv2.boundingRect(part)
            alone = np.zeros((h, w), np.uint8)
            cv2.drawContours(alone, [part - np.array([x, y])], 0, 255, -1)
            view = filled[y : y + h, x : x + w]
            np.maximum(view, alone, out=view)
            contour = part.reshape(-1, 2).astype(np.float64)
            outlines.append(contour)
            at_frame = x <= 1 or y <= 1 or x + w >= filled.shape[1] - 1 or y + h >= filled.shape[0] - 1
            largest = max(largest, cv2.contourArea(part) / self.area)
            if at_frame:  # there the picture ends, and no die
                low, high = contour.min(axis=1) > 1, (contour < np.array(filled.shape[::-1]) - 2).all(axis=1)
                contour = contour[low & high]
            own = find_squares(self.profile, alone, contour, (x, y)) if len(contour) > LEAST_CONTOUR else []
            squares += own
            single += own if len(own) == 1 else []
            beyond += [square for square in own if at_frame and self._beyond(square)]
        faces = tuple(
            self._face(frame, filled, square, alone=square in single and not _crowded(square, squares))
            for square in squares
        )
        return DieFirst(
            faces,
            self._rests(frame, squares),
            any(found.like_die > 0.6 and found.of_body for found in faces if found.square in beyond),
            largest,
            cv2.countNonZero(filled) / self.area,
            self._clipped(frame, squares),
            *edge_widths(frame.change, outlines),
        )

    def _beyond(self, square: Square) -> bool:
        """Whether a square reaches over the edge of the picture."""
        corners = top(square.pose, self.profile.corner * 0.25 * square.pose.size_px)
        low, high = corners.min(axis=0), corners.max(axis=0)
        return bool(low.min() < 0 or high[0] > self.profile.width - 1 or high[1] > self.profile.height - 1)

    def _face(self, frame: Frame, filled: Mask, square: Square, *, alone: bool) -> FoundFace:
        patch: Patch = rectified(frame.even, square.pose)
        verdict = read_face(self.profile, self.templates, patch, 254.0 / max(frame.gain))
        body = body_of(patch)
        off = min(float(np.abs(body - np.array(known)).max()) for known in self.profile.bodies)
        corners = top(square.pose, 2.5 + self.profile.corner * 0.3 * square.pose.size_px)
        x, y, w, h = cv2.boundingRect(np.round(corners).astype(np.int32))
        x0, y0 = max(x, 0), max(y, 0)
        view = filled[y0 : y + h, x0 : x + w]
        mask = np.zeros((h, w), np.uint8)
        draw(mask, corners - np.array([x, y]), 255)
        whole = max(cv2.countNonZero(mask), 1)
        mask = mask[y0 - y : y0 - y + view.shape[0], x0 - x : x0 - x + view.shape[1]]
        missing = 1 - cv2.countNonZero(cv2.bitwise_and(mask, view)) / whole
        pose, face = square.pose, None
        if verdict.value is not None:
            size = square.size_px if not np.isnan(square.size_px) else pose.size_px
            face = Face(verdict.value, pose.x, pose.y, size, pose.turn_deg, verdict.dark, verdict.score)
        of_body = off < OFF_BODY
        like = self._like_die(patch[MARGIN:-MARGIN, MARGIN:-MARGIN].reshape(-1, 3)[::3])
        return FoundFace(
            square,
            face,
            verdict.why,
            verdict.light,
            verdict.fits_none,
            of_body,
            like,
            missing,
            self._side(frame, pose),
            alone,
        )

    def _side(self, frame: Frame, pose: Pose) -> float:
        strip = np.zeros_like(frame.any)
        draw(strip, outline(self.profile, pose, -1.0) / 2 - 0.25, 255)
        draw(strip, top(pose, -TOP_RIM) / 2 - 0.25, 0)
        size = cv2.countNonZero(strip)
        if 4 * size < LEAST_SIDE * self.area:
            return 1.0
        return cv2.countNonZero(cv2.bitwise_and(strip, frame.any)) / size

    def _rests(self, frame: Frame, squares: list[Square]) -> tuple[Rest, ...]:
        """What is left of the foreground when the dice and their shadows are taken away."""
        grow = 2.0 + 0.6 * self.profile.edge_width_px
        dice = np.zeros_like(frame.any)
        for square in squares:
            draw(dice, outline(self.profile, square.pose, grow) / 2 - 0.25, 255)
        near = dice
        if squares:
            quarter = cv2.resize(dice, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
            reach = int(SHADOW * self.profile.shadow_px / 8) * 2 + 3
            quarter = cv2.dilate(quarter, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
            shape = (dice.shape[1], dice.shape[0])
            near = np.asarray(cv2.resize(quarter, shape, interpolation=cv2.INTER_NEAREST), np.uint8)
        rest = cv2.subtract(frame.any, dice)
        rows, columns = np.nonzero(rest)
        if rows.size == 0:
            return ()
        seen = frame.small[rows, columns].astype(np.float32)
        plate = self.plate.small[rows, columns].astype(np.float32)
        light = seen @ ONES / np.maximum(plate @ ONES, 1)
        off = np.abs(seen - light[:, None] * plate)
        grey = np.maximum(np.maximum(off[:, 0], off[:, 1]), off[:, 2])
        shade = (light < 1) & (light > 1 - self.profile.shadow - 0.06) & (grey < 0.6 * self.plate.noise_level + 4)
        shade &= near[rows, columns] > 0
        rest[rows[shade], columns[shade]] = 0
        dark = np.zeros_like(rest)
        deep = (light < 1) & (light > DEEP) & (grey < 0.6 * self.plate.noise_level + 4)
        dark[rows[deep], columns[deep]] = 255
        rest = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        _, labels, stats, centres = cv2.connectedComponentsWithStats(rest, connectivity=8)
        out = []
        for label in np.flatnonzero(stats[:, cv2.CC_STAT_AREA] * 4 >= LEAST_REST * self.area):
            if label == 0:
                continue
            x, y, w, h, area = (int(number) for number in stats[label])
            view = (slice(y, y + h), slice(x, x + w))
            own = labels[view] == label
            shade_part = float((dark[view][own] > 0).mean())
            at = np.array([[2 * float(centres[label][0]) + 0.5, 2 * float(centres[label][1]) + 0.5]])
            if shade_part > 0.5 and 4 * area < GAP_SHADE * self.area and between_dice(squares, at):
                continue  # where two shadows fall it is darker than under one
            sides = cv2.minAreaRect(np.argwhere(own).astype(np.float32))[1]
            long, short = max(sides) + 1, min(sides) + 1
            out.append(
                Rest(
                    float(at[0, 0]),
                    float(at[0, 1]),
                    4 * area / self.area,
                    2 * max(w, h) / self.profile.die_px,
                    self._like_die(frame.small[view][own].astype(np.float32)),
                    float((frame.clipped[view][own] > 0).mean()),
                    bool((near[view][own] > 0).any()),
                    x == 0 or y == 0 or x + w == rest.shape[1] or y + h == rest.shape[0],
                    2 * long / self.profile.die_px,
                    long / short,
                    shade_part,
                )
            )
        return tuple(sorted(out, key=lambda one: -one.area))

    def _like_die(self, colours: Patch) -> float:
        like = np.zeros(len(colours), bool)
        for known in self.profile.bodies:
            body = np.array(known, np.float32)
            part = np.clip(colours @ body / float(body @ body), *SIDE_DIM)
            like |= np.abs(colours - part[:, None] * body).max(axis=1) < max(LIKE, 2.5 * self.profile.body_spread)
        for look in self.profile.faces.values():
            like |= np.abs(colours - np.array(look.pip_bgr, np.float32)).max(axis=1) < LIKE
        return float(like.mean()) if len(like) else 0.0

    def _clipped(self, frame: Frame, squares: list[Square]) -> float:
        dice = np.zeros_like(frame.any)
        for square in squares:
            draw(dice, top(square.pose, 0) / 2 - 0.25, 255)
        solid = cv2.morphologyEx(cv2.bitwise_and(dice, frame.clipped), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        return 4 * cv2.countNonZero(solid) / self.area


def between_dice(squares: list[Square], at: Floats) -> bool:
    """Whether this place (1 by 2) is right beside two dice."""
    away = [float(np.abs(square.pose.to_own(at)).max()) / square.pose.size_px for square in squares]
    return sum(one < 0.5 + BESIDE for one in away) > 1


def _crowded(square: Square, squares: list[Square]) -> bool:
    return any(near_each_other(square, other) for other in squares if other is not square)


def near_each_other(one: Square, two: Square) -> bool:
    """Whether the gap between two dice is so narrow that their outlines there are not those of single ones."""
    for own, other in ((one.pose, two.pose), (two.pose, one.pose)):
        turn = np.radians(other.turn_deg - own.turn_deg)
        half = own.size_px / 2 + other.size_px / 2 * float(abs(np.cos(turn)) + abs(np.sin(turn)))
        apart = np.abs(own.to_own(np.array([[other.x, other.y]]))[0])
        if float(apart.max()) > half + GAP * own.size_px:
            return False
    return True


def edge_widths(change: Mask, outlines: list[Floats]) -> tuple[float, float]:
    """Over how many pixels the foreground rises from a quarter to three quarters, doubled: mean of the wider half of
    outlines, and of their narrowest quarter."""
    points, normals = [], []
    for contour in outlines:
        step = np.roll(contour, -4, axis=0) - np.roll(contour, 4, axis=0)
        length = np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-6)
        points.append(contour[::4])
        normals.append((np.stack([step[:, 1], -step[:, 0]], axis=1) / length[:, None])[::4])
    if not points:
        return float("nan"), float("nan")
    at, out = np.concatenate(points), np.concatenate(normals)
    steps = np.arange(-WINDOW, WINDOW + 1, dtype=np.float64)
    x = (at[:, :1] + out[:, :1] * steps).astype(np.float32)
    y = (at[:, 1:] + out[:, 1:] * steps).astype(np.float32)
    rise = cv2.remap(change, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    # Contours run one way round, but which way is of no matter here: the higher end is the die's.
    ends = 6
    flip = rise[:, :ends].mean(axis=1) > rise[:, -ends:].mean(axis=1)
    rise[flip] = rise[flip, ::-1]
    low, high = rise[:, :ends].mean(axis=1), rise[:, -ends:].mean(axis=1)
    span = np.maximum(high - low, 1)
    part = (rise - low[:, None]) / span[:, None]
    between = np.sort(((part > 0.25) & (part < 0.75)).sum(axis=1)[span > 15])
    if between.size < 8:
        return float("nan"), float("nan")
    wide = between[between.size // 2 : -(between.size // 10) or None]
    return 2.0 * float(wide.mean()), 2.0 * float(between[between.size // 10 : between.size // 4 + 1].mean())
