"""Hard pictures of dice made from real ones: a fourth die cut by the frame, one pasted in, and honest changes of light.

The photographs alone do not show what a reader lets pass: pictures with four dice rarely have the fourth just over the
edge, or pale. Everything here is pure and takes its chance from a seeded generator given by the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import PipFace
from dealer_drivers.dice.still_pips import find_pip_faces

Picture = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]

CERTAIN_CONTRAST = 28.0
"""Pips of dice have more; grain that looks like a two or a one has less."""
CERTAIN_EDGE = 0.42
"""Least share of a die's outline that shows as an edge."""
NEARLY_BEST = 0.88


@dataclass(frozen=True, slots=True)
class DieBox:
    """Where a die is: its top face as a turned square, in pixels."""

    value: int
    x: float
    y: float
    side_px: float
    turn_deg: float

    def corners(self, grow: float = 1.0) -> Points:
        """Four rows of x, y."""
        return square(self.x, self.y, self.side_px * grow, self.turn_deg)

    def inside(self, count: int = 25) -> Points:
        """Points spread evenly over the face."""
        places = (np.arange(count) + 0.5) / count - 0.5
        turn = np.radians(self.turn_deg)
        u, v = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        grid = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2) * self.side_px
        return np.asarray(np.array([self.x, self.y]) + grid[:, :1] * u + grid[:, 1:] * v)


def square(x: float, y: float, side: float, turn_deg: float) -> Points:
    """Corners of a turned square."""
    turn = np.radians(turn_deg)
    u, v = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64) * side / 2
    return np.asarray(np.array([x, y]) + signs[:, :1] * u + signs[:, 1:] * v)


def grey_of(picture: Picture) -> Picture:
    """One channel."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


# Where the dice are ---------------------------------------------------------------------------------------------------


def die_boxes(picture: Picture, values: tuple[int, ...]) -> tuple[DieBox, ...] | None:
    """The dice of a picture whose values are known, or nothing where one of them is not certain."""
    faces = [face for face in find_pip_faces(grey_of(picture)).faces if _contrast(face) >= CERTAIN_CONTRAST]
    edges = _edges(picture)
    boxes: list[DieBox] = []
    for value, count in Counter(values).items():
        fits = [_outline(edges, face) for face in faces if face.value == value]
        certain = [box for box in fits if box is not None]
        if len(certain) != count:
            return None
        boxes += certain
    for one, other in ((a, b) for index, a in enumerate(boxes) for b in boxes[index + 1 :]):
        if np.hypot(one.x - other.x, one.y - other.y) < 0.8 * (one.side_px + other.side_px) / 2:
            return None
    return tuple(boxes)


def _contrast(face: PipFace) -> float:
    return float(np.mean([pip.contrast for pip in face.pips]))


def _edges(picture: Picture) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Gradient, saturated: a weak edge counts nearly as much as a strong one."""
    grey = cv2.GaussianBlur(grey_of(picture).astype(np.float32), (0, 0), 1.2)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=0.25), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=0.25)
    size = np.hypot(across, down) + 4.0
    return np.asarray(across / size, np.float32), np.asarray(down / size, np.float32)


def _outline(edges: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], face: PipFace) -> DieBox | None:
    """The square around a face whose sides show best as edges."""
    if face.value == 1:
        unit = face.pips[0].radius_px
        sides, turns, reach = np.arange(5.5, 14.0, 0.25) * unit, np.arange(0.0, 90.0, 6.0), 0.5 * unit
    else:
        unit = face.pitch_px
        sides, turns, reach = np.arange(2.9, 6.2, 0.1) * unit, np.array([face.turn_deg]), 0.25 * unit
    shifts = np.array([-reach, 0.0, reach])
    grid = np.stack(np.meshgrid(face.x + shifts, face.y + shifts, sides, turns, indexing="ij"), axis=-1).reshape(-1, 4)
    shares = _edge_shares(edges, grid)
    # The largest of those that fit nearly best: many dice have a disc or a ring within the face.
    good = np.nonzero(shares >= NEARLY_BEST * shares.max())[0]
    best = int(good[np.argmax(grid[good, 2])])
    x, y, side, turn = (float(each) for each in grid[best])
    return DieBox(face.value, x, y, side, turn) if shares[best] >= CERTAIN_EDGE else None


def _edge_shares(edges: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], squares: Points) -> Points:
    """For rows of x, y, side, turn: how much of the outline shows; half from all sides, half from the second worst."""
    height, width = edges[0].shape
    turn = np.radians(squares[:, 3])
    along = np.linspace(-0.3, 0.3, 14)
    shares = []
    for quarter in range(4):
        normal = np.stack([np.cos(turn + quarter * np.pi / 2), np.sin(turn + quarter * np.pi / 2)], axis=1)
        points = (
            squares[:, None, :2]
            + squares[:, None, 2:3] / 2 * normal[:, None]
            + along[None, :, None] * squares[:, None, 2:3] * np.stack([-normal[:, 1], normal[:, 0]], axis=1)[:, None]
        )
        xs, ys = np.rint(points[..., 0]).astype(int), np.rint(points[..., 1]).astype(int)
        out = (xs < 1) | (ys < 1) | (xs >= width - 1) | (ys >= height - 1)
        xs, ys = np.clip(xs, 0, width - 1), np.clip(ys, 0, height - 1)
        share = np.abs((edges[0][ys, xs] * normal[:, :1] + edges[1][ys, xs] * normal[:, 1:]).mean(axis=1))
        shares.append(np.where(out.any(axis=1), 0.0, share))
    ordered = np.sort(np.stack(shares, axis=1), axis=1)
    return np.asarray(0.5 * ordered.mean(axis=1) + 0.5 * ordered[:, 1])


# A fourth die over the edge -------------------------------------------------------------------------------------------

SIDES = ("left", "right", "top", "bottom")
MARGIN = 0.06
"""How far a whole die must stay within the picture, and one that is gone outside, in parts of its side."""


def cut_crops(
    picture: Picture, boxes: tuple[DieBox, ...], shares: tuple[float, ...], whole: int = 3
) -> Iterator[tuple[str, Picture]]:
    """Crops with ``whole`` dice untouched and one of which only a share of the face is left; with a name each."""
    for share in shares:
        for side in SIDES:
            for box in boxes:
                crop = _cut(picture, boxes, box, side, share, whole)
                if crop is not None:
                    yield f"{side} leaves {share:.0%} of the {box.value} at {box.x:.0f},{box.y:.0f}", crop


def _cut(
    picture: Picture, boxes: tuple[DieBox, ...], cut: DieBox, side: str, share: float, whole: int
) -> Picture | None:
    axis = 0 if side in ("left", "right") else 1
    keeps_high = side in ("left", "top")
    line = round(float(np.quantile(cut.inside()[:, axis], 1 - share if keeps_high else share)))
    left = 0
    for box in boxes:
        if box is cut:
            continue
        along = box.corners(1 + 2 * MARGIN)[:, axis]
        inner, outer = (along > line, along < line) if keeps_high else (along < line, along > line)
        if inner.all():
            left += 1
        elif not outer.all():
            return None  # a second die would be cut
    if left != whole:
        return None
    rows: list[slice] = [slice(None), slice(None)]
    rows[1 - axis] = slice(max(0, line), None) if keeps_high else slice(None, max(0, line))
    return np.ascontiguousarray(picture[rows[0], rows[1]])


# A fourth die pasted in -----------------------------------------------------------------------------------------------


PLAIN = 20.0
"""Largest standard deviation of the ground a die is pasted on, in grey levels: on wood or a grid, not across a cable,
which would show through a pale one."""
ROUND = 0.16
"""Radius of a die's corners, in parts of its side."""


def paste(
    picture: Picture,
    boxes: tuple[DieBox, ...],
    donor: Picture,
    die: DieBox,
    opacity: float,
    chance: np.random.Generator,
    field: float = 0.42,
) -> Picture | None:
    """The picture with a die of another one put where there is room, or nothing where there is none.

    ``field``: how far from the middle of the picture its own middle may lie, in parts of the shorter side.
    """
    height, width = picture.shape[:2]
    reach = die.side_px * 0.78
    room = field * min(height, width)
    for _ in range(200):
        x, y = width / 2 + chance.uniform(-room, room), height / 2 + chance.uniform(-room, room)
        if np.hypot(x - width / 2, y - height / 2) > room:
            continue
        if not (reach < x < width - reach and reach < y < height - reach):
            continue
        if any(np.hypot(x - box.x, y - box.y) <= 0.74 * (box.side_px + die.side_px) for box in boxes):
            continue
        half = die.side_px / 2
        ground = picture[round(y - half) : round(y + half), round(x - half) : round(x + half)]
        if float(ground.std(axis=(0, 1)).max()) < PLAIN:
            break
    else:
        return None
    turn = float(chance.integers(0, 4)) * 90.0
    return laid(picture, donor, die, (x, y), turn, 1.0, opacity)


def laid(
    picture: Picture,
    donor: Picture,
    die: DieBox,
    at: tuple[float, float],
    turn_deg: float,
    scale: float,
    opacity: float,
) -> Picture:
    """The picture with the die of the donor laid on it, its middle at ``at``, turned counter-clockwise."""
    height, width = picture.shape[:2]
    move = cv2.getRotationMatrix2D((die.x, die.y), turn_deg, scale)
    move[:, 2] += np.array([at[0] - die.x, at[1] - die.y])
    moved = cv2.warpAffine(donor, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    share = opacity * cv2.warpAffine(_cut_out(donor, die), move, (width, height))[:, :, None]
    return np.asarray(np.rint(picture * (1 - share) + moved * share), np.uint8)


def _cut_out(donor: Picture, die: DieBox, grow: float = 1.04) -> npt.NDArray[np.float32]:
    """1 on the die and 0 around it, with soft edges."""
    mask = np.zeros(donor.shape[:2], np.float32)
    # Rounded at its corners: a square of less, grown by a round.
    round_px = max(1, round(ROUND * die.side_px))
    core = np.rint(die.corners(grow - 2 * ROUND) * 16).astype(np.int32)
    cv2.fillPoly(mask, [core], 1.0, shift=4)
    grown = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round_px + 1, 2 * round_px + 1)))
    return np.asarray(cv2.GaussianBlur(grown, (0, 0), max(1.5, die.side_px / 40)), np.float32)


# A die on another -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lean:
    """How one die lies on another: it hides a little of it, as one that leans on it does."""

    distance: float
    """Of their middles, in their mean side."""
    direction_deg: float
    turn_deg: float
    scale: float
    """The upper one is nearer to the camera."""


LEANS = tuple(
    Lean(distance, direction, turn, scale)
    for distance in (0.9, 0.95, 1.0, 1.1, 1.2)
    for direction in range(0, 360, 45)
    for turn in (0.0, 37.0)
    for scale in (1.0, 1.12)
)
HIDDEN = (0.04, 0.12)
"""Part of the lower die's top that is hidden. Less is within what outlines are off: hardly more than touching, which
dice that lie flat may do."""


def lean_on(picture: Picture, boxes: tuple[DieBox, ...], upper: int, lower: int, lean: Lean) -> Picture | None:
    """The picture with one of its dice laid on another, or nothing where the dice would not lie so.

    Where the upper one lay is filled from around it.
    """
    die, below = boxes[upper], boxes[lower]
    side = lean.scale * die.side_px
    away = lean.distance * (side + below.side_px) / 2
    direction = np.radians(lean.direction_deg + below.turn_deg)
    x, y = below.x + away * float(np.cos(direction)), below.y + away * float(np.sin(direction))
    # OpenCV turns counter-clockwise on the screen, a box clockwise.
    leaning = DieBox(die.value, x, y, side, die.turn_deg - lean.turn_deg)
    others = [box for index, box in enumerate(boxes) if index not in (upper, lower)]
    height, width = picture.shape[:2]
    corners = leaning.corners(1.1)
    if (
        any(np.hypot(x - box.x, y - box.y) <= 0.74 * (box.side_px + side) for box in others)
        or corners.min() < 0
        or (corners > (width - 1, height - 1)).any()
    ):
        return None
    top = _cut_out(picture, below, 1.0) > 0.5
    hidden = float((top & (_cut_out(picture, leaning) > 0.5)).sum()) / max(1.0, float(top.sum()))
    if not HIDDEN[0] <= hidden <= HIDDEN[1]:
        return None
    hole = (_cut_out(picture, die, 1.35) > 0.02).astype(np.uint8)
    plate = np.asarray(cv2.inpaint(picture, hole, 5, cv2.INPAINT_TELEA), np.uint8)
    return laid(plate, picture, die, (x, y), lean.turn_deg, lean.scale, 1.0)


# Honest changes -------------------------------------------------------------------------------------------------------


def _powered(picture: Picture, power: float) -> Picture:
    return np.asarray(np.rint(255 * (picture / 255.0) ** power), np.uint8)


def _noisy(picture: Picture, chance: np.random.Generator, sigma: float) -> Picture:
    noise = chance.normal(0.0, sigma, picture.shape)
    return np.asarray(np.clip(np.rint(picture + noise), 0, 255), np.uint8)


def _scaled(picture: Picture, scale: float) -> Picture:
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def _packed(picture: Picture, quality: int) -> Picture:
    _, data = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))
    unpacked = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert unpacked is not None
    return np.asarray(unpacked, np.uint8)


def turned(picture: Picture, turn_deg: float) -> Picture:
    """Turned about its middle on a canvas large enough for all of it."""
    height, width = picture.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0)
    cosine, sine = abs(move[0, 0]), abs(move[0, 1])
    wide, high = int(height * sine + width * cosine), int(height * cosine + width * sine)
    move[:, 2] += np.array([(wide - width) / 2, (high - height) / 2])
    return np.asarray(cv2.warpAffine(picture, move, (wide, high), borderMode=cv2.BORDER_REPLICATE), np.uint8)


CHANGES: dict[str, Callable[[Picture, np.random.Generator], Picture]] = {
    "flipped left to right": lambda picture, _: np.ascontiguousarray(picture[:, ::-1]),
    "flipped top to bottom": lambda picture, _: np.ascontiguousarray(picture[::-1]),
    "turned 90 degrees": lambda picture, _: np.ascontiguousarray(np.rot90(picture, 1)),
    "turned 180 degrees": lambda picture, _: np.ascontiguousarray(np.rot90(picture, 2)),
    "turned 270 degrees": lambda picture, _: np.ascontiguousarray(np.rot90(picture, 3)),
    "turned 17 degrees": lambda picture, _: turned(picture, 17.0),
    "turned 41 degrees": lambda picture, _: turned(picture, 41.0),
    "dimmed to 60 %": lambda picture, _: np.asarray(np.rint(picture * 0.6), np.uint8),
    "gamma 0.6": lambda picture, _: _powered(picture, 0.6),
    "gamma 1.6": lambda picture, _: _powered(picture, 1.6),
    "noise of 4": lambda picture, chance: _noisy(picture, chance, 4.0),
    "noise of 9": lambda picture, chance: _noisy(picture, chance, 9.0),
    "tinted": lambda picture, _: np.asarray(np.clip(np.rint(picture * (0.72, 0.92, 1.06)), 0, 255), np.uint8),
    "JPEG of 35 %": lambda picture, _: _packed(picture, 35),
    "scaled by 0.75": lambda picture, _: _scaled(picture, 0.75),
    "scaled by 1.3": lambda picture, _: _scaled(picture, 1.3),
}
"""The same scene otherwise seen: nothing is lost and nothing is added."""
