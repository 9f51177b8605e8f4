"""Dice of known size in the foreground: which squares, where, explain its outline.

A component of the foreground may be one die or several that touch. Turns come from the directions of its outline,
places from where all sides of a die would stand; the dice are then fitted together to the points of the outline, to
a fraction of a pixel. Nothing is eroded to part dice: where two meet there is no outline, and the size alone says
where they do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.rig_frame import Floats, Mask
from dealer_drivers.dice.rig_outline import Box, Pose, draw, outline, reach

Small: TypeAlias = npt.NDArray[np.float32]

SMALL_PX = 24.0
"""Edge of a die in the reduced picture that is searched."""
TURNS = 6
"""How many turns one component may have at most."""
STRAIGHT = 0.36
"""Half of the part of a side that is used: what is nearer to the corners is rounded off."""
LEAST_POINTS = 0.05
"""Points of the outline, every other one, that a side needs, in edges."""
LEAST_COVER = 0.86
LEAST_SIDES = 1.5
"""Sum of four sides, each 0 to 1, for a square to be taken."""
FAR = 0.2
"""From how far points count for a die that none hold along one axis, in edges."""
ROW = 1.3
"""How far apart dice in a row are at most, in edges."""
MOST = 6
"""Dice in one component; whoever has more is refused anyway."""


@dataclass(frozen=True, slots=True)
class Square:
    """One die of the foreground. ``edges``: its size measured along its own x and y, NaN where a side is not seen;
    ``seen``: part of each side that the outline shows: right, bottom, left, top."""

    pose: Pose
    edges: tuple[float, float]
    seen: tuple[float, float, float, float]
    rms_px: float

    @property
    def size_px(self) -> float:
        """Mean of what was measured; NaN if nothing was."""
        known = [edge for edge in self.edges if not np.isnan(edge)]
        return float(np.mean(known)) if known else float("nan")


def find_squares(box: Box, mask: Mask, contour: Floats, corner: tuple[int, int]) -> list[Square]:
    """The dice in one component: ``mask`` is cut out around it and holds it alone, ``corner`` where that is in the
    picture; ``contour`` its outline in the picture, n by 2."""
    x0, y0 = corner
    scale = SMALL_PX / box.die_px
    small = cv2.resize(mask, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    left = small.astype(np.float32) / 255.0
    enough = 0.3 * SMALL_PX**2
    turns = _turns(contour, box.die_px)
    poses: list[Pose] = []
    while len(poses) < MOST and float(left.sum()) > enough:
        best, pose = 0.0, None
        for turn in turns:
            score, found = _best(box, left, turn, scale, (float(x0), float(y0)))
            if score > best:
                best, pose = score, found
        if pose is None or best < LEAST_SIDES:
            break
        pose = fit(box, [pose], contour, (7.0,))[0].pose
        poses.append(pose)
        taken = np.zeros(small.shape, np.uint8)
        corners = (outline(box, pose, 0.02 * box.die_px) - np.array([x0, y0]) + 0.5) * scale - 0.5
        draw(taken, corners, 1)
        left = np.where(taken > 0, np.float32(0), left)
    return _between(fit(box, poses, contour, (5.0, 4.0))) if poses else []


def _between(squares: list[Square]) -> list[Square]:
    """A die in the middle of a row shows no side along it: it lies midway between its neighbours."""
    found = []
    for square in squares:
        others = np.array([[one.pose.x, one.pose.y] for one in squares if one is not square])
        pose = square.pose
        for axis in (0, 1):
            if max(square.seen[axis], square.seen[axis + 2]) > 0 or len(others) < 2:
                continue
            own = pose.to_own(others)
            beside = own[(np.abs(own[:, 1 - axis]) < pose.size_px) & (np.abs(own[:, axis]) < ROW * pose.size_px)][
                :, axis
            ]
            if beside.size == 2 and beside.min() < 0 < beside.max():
                moved = np.zeros((1, 2))
                moved[0, axis] = float(beside.mean())
                x, y = pose.to_picture(moved)[0]
                pose = replace(pose, x=float(x), y=float(y))
        found.append(replace(square, pose=pose))
    return found


def _turns(contour: Floats, size: float) -> list[float]:
    """Directions of the straight parts of an outline, modulo 90 degrees, the longest first."""
    ahead = max(3, round(0.07 * size))
    step = np.roll(contour, -ahead, axis=0) - np.roll(contour, ahead, axis=0)
    angle = np.degrees(np.arctan2(step[:, 1], step[:, 0])) % 90.0
    bins = np.bincount(angle.astype(int) % 90, minlength=90).astype(np.float64)
    smooth = np.convolve(np.concatenate([bins[-3:], bins, bins[:3]]), [0.5, 0.8, 1, 1, 1, 0.8, 0.5], "valid")
    found: list[float] = []
    while len(found) < TURNS:
        peak = int(np.argmax(smooth))
        if smooth[peak] < 0.45 * size:
            break
        near = (np.arange(-3, 4) + peak) % 90
        weight = bins[near]
        found.append(float((peak + 0.5 + np.dot(weight, np.arange(-3, 4)) / max(weight.sum(), 1)) % 90))
        smooth[(np.arange(-6, 7) + peak) % 90] = 0
    return found


def _best(
    box: Box, small: Small, turn_deg: float, scale: float, origin: tuple[float, float]
) -> tuple[float, Pose | None]:
    """The best place of a die with this turn in the reduced foreground, and the sum of its sides."""
    rows, columns = small.shape
    side = int(np.ceil(np.hypot(rows, columns))) + 6
    turn = np.radians(turn_deg)
    u, v = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    middle = np.array([(columns - 1) / 2, (rows - 1) / 2])
    half_side = (side - 1) / 2
    # From the turned canvas to the reduced picture: p = middle + (q - half_side) turned.
    back = np.stack([u, v], axis=1)
    offset = middle - back @ np.array([half_side, half_side])
    matrix = np.hstack([back, offset[:, None]])
    turned = cv2.warpAffine(small, matrix, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    half = SMALL_PX / 2
    long = max(3, int(2 * STRAIGHT * SMALL_PX) | 1)
    gx = np.zeros_like(turned)
    gx[:, 1:-1] = (turned[:, 2:] - turned[:, :-2]) / 2
    gy = np.zeros_like(turned)
    gy[1:-1] = (turned[2:] - turned[:-2]) / 2
    # A step spreads over three pixels: their sum is its height.
    across_x, across_y = (3, long), (long, 3)
    step_x = cv2.boxFilter(gx, -1, across_x, normalize=False, borderType=cv2.BORDER_CONSTANT) / long
    step_y = cv2.boxFilter(gy, -1, across_y, normalize=False, borderType=cv2.BORDER_CONSTANT) / long
    columns_at, rows_at = np.meshgrid(np.arange(side, dtype=np.float32), np.arange(side, dtype=np.float32))
    # How far the base reaches out beyond the top, at every place (see ``base_shift``), in reduced pixels.
    at_axis = (np.array(box.axis) - np.array(origin) + 0.5) * scale - 0.5
    axis_own = back.T @ (at_axis - offset)
    base = half * (1 - box.rise)
    dx = box.rise * (np.float32(axis_own[0]) - columns_at)
    dy = box.rise * (np.float32(axis_own[1]) - rows_at)
    shown = np.zeros_like(turned)
    for out_x, out_y, steps, sign in (
        (np.maximum(half, base + dx), 0, step_x, -1),
        (-np.maximum(half, base - dx), 0, step_x, 1),
        (0, np.maximum(half, base + dy), step_y, -1),
        (0, -np.maximum(half, base - dy), step_y, 1),
    ):
        seen = cv2.remap(
            sign * steps,
            (columns_at + out_x).astype(np.float32),
            (rows_at + out_y).astype(np.float32),
            cv2.INTER_LINEAR,
        )
        shown += np.clip(seen, 0, 1)
    inner = max(3, int(0.84 * SMALL_PX) | 1)
    cover = cv2.blur(turned, (inner, inner), borderType=cv2.BORDER_CONSTANT)
    shown[cover < LEAST_COVER] = 0
    at = int(np.argmax(shown))
    row, column = divmod(at, side)
    x, y = offset + back @ np.array([column, row])
    x, y = (x + 0.5) / scale - 0.5 + origin[0], (y + 0.5) / scale - 0.5 + origin[1]
    return float(shown[row, column]), Pose(float(x), float(y), turn_deg, box.die_px)


def fit(box: Box, poses: list[Pose], contour: Floats, nears_px: tuple[float, ...]) -> list[Square]:
    """Move and turn each die to the outline's points near its sides, then measure its edges.

    ``nears_px``: from how far points count, round by round.
    """
    found = []
    contour = contour[::2]
    for pose in poses:
        square = Square(pose, (np.nan, np.nan), (0, 0, 0, 0), np.nan)
        for near in nears_px:
            square = _fitted(box, replace(square.pose, size_px=box.die_px), contour, near)
        if max(square.seen[::2]) == 0 or max(square.seen[1::2]) == 0:
            # Nothing holds it along one axis: in a row of dice it may be put too far along it.
            for near in (FAR * box.die_px, *nears_px):
                square = _fitted(box, replace(square.pose, size_px=box.die_px), contour, near)
        found.append(square)
    return found


def _fitted(box: Box, pose: Pose, contour: Floats, near: float) -> Square:
    size = pose.size_px
    half = size / 2
    own = pose.to_own(contour)
    reaches = reach(box, pose)
    points: list[tuple[Floats, Floats] | None] = []
    for index in range(4):
        axis, sign = index % 2, 1 if index < 2 else -1
        along, across = own[:, 1 - axis], sign * own[:, axis]
        on = (np.abs(along) < STRAIGHT * size) & (across > half - near) & (across < reaches[index] + near)
        points.append((along[on], across[on]) if int(on.sum()) >= LEAST_POINTS * size else None)
    rows, wanted, edges = [], [], [float("nan"), float("nan")]
    seen = [0.0] * 4
    for axis in (0, 1):
        targets, edges[axis] = _targets(half, (reaches[axis], reaches[axis + 2]), (points[axis], points[axis + 2]))
        for index, target in ((axis, targets[0]), (axis + 2, targets[1])):
            pair = points[index]
            if pair is None:
                continue
            sign = 1 if index < 2 else -1
            along, across = pair
            seen[index] = min(1.0, along.size / (STRAIGHT * size))
            close = np.abs(across - _middle(across)) < 2.5
            block = np.zeros((int(close.sum()), 3))
            block[:, axis] = sign
            # A small turn moves a side's point by what lies along the side.
            block[:, 2] = sign * (along[close] if axis == 1 else -along[close])
            rows.append(block)
            wanted.append(across[close] - target)
    if not rows:
        return Square(pose, (edges[0], edges[1]), (0.0, 0.0, 0.0, 0.0), float("nan"))
    block, aim = np.concatenate(rows), np.concatenate(wanted)
    held = block.T @ block + np.diag([1e-3, 1e-3, 1e-3 * half**2])
    move = np.linalg.solve(held, block.T @ aim)
    u, v = pose.axes()
    shift = np.clip(move[0], -near, near) * u + np.clip(move[1], -near, near) * v
    turn = float(np.degrees(np.clip(move[2], -0.15, 0.15)))
    moved = Pose(pose.x + float(shift[0]), pose.y + float(shift[1]), (pose.turn_deg + turn) % 90.0, size)
    rest = aim - block @ move
    return Square(moved, (edges[0], edges[1]), (seen[0], seen[1], seen[2], seen[3]), float(np.sqrt(np.mean(rest**2))))


def _targets(
    half: float, reaches: tuple[float, float], points: tuple[tuple[Floats, Floats] | None, tuple[Floats, Floats] | None]
) -> tuple[tuple[float, float], float]:
    """How far out the two opposite sides should be, and the edge's length measured; NaN if one side is not seen.

    The outline ends at the base where the side below stands out from the plate as much as the top does, else at the
    top; a length between the two is that of a flat die.
    """
    low, high = 2 * half, reaches[0] + reaches[1]
    first, second = points
    if first is None or second is None:
        one = first or second
        if one is None:
            return (half, half), float("nan")
        reached = reaches[0] if second is None else reaches[1]
        value = _middle(one[1])
        target = half if abs(value - half) <= abs(value - reached) else reached
        return (target, target), float("nan")
    width = _middle(first[1]) + _middle(second[1])
    edge = 2 * half + (width - low if width < low else max(0.0, width - high))
    return ((half, half) if abs(width - low) <= abs(width - high) else reaches), edge


def _middle(values: Floats) -> float:
    """The median, without numpy's overhead for so few."""
    at = values.size // 2
    return float(np.partition(values, at)[at])
