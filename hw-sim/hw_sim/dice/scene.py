"""What lies under the dome at a moment, with its ground truth. Pure; millimetres, seconds, radians unless named so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hw_sim.dice.kinds import DieKind, face_of, value_of
from hw_sim.dice.rig import Rig, project
from hw_sim.dice.words import REASON, Pose

Matrix: TypeAlias = npt.NDArray[np.float64]
__all__ = [
    "REASON",
    "Cable",
    "Die",
    "Glare",
    "Hand",
    "Pose",
    "Roll",
    "Scene",
    "Seen",
    "about",
    "die_at",
    "seen",
    "upright",
]

Nine: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]
"""A rotation, row by row, from the die's own axes to the world's."""


@dataclass(frozen=True, slots=True)
class Roll:
    """How a die moves before it rests: all that follows dies away towards ``rest_s``, and is over then."""

    rest_s: float
    begin_s: float = 0.0
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    turn_rad: float = 0.0
    dx_mm: float = 0.0
    dy_mm: float = 0.0
    hop_mm: float = 0.0
    steady: bool = False
    """At one speed to the end, rather than slower and slower."""

    def left(self, at_s: float) -> float:
        """The part of the way that is still to go."""
        part = min(1.0, max(0.0, (self.rest_s - at_s) / (self.rest_s - self.begin_s)))
        return part if self.steady else part * part


@dataclass(frozen=True, slots=True)
class Die:
    """One die. ``x_mm``, ``y_mm``, ``z_mm``: where its centre rests."""

    kind: DieKind
    edge_mm: float
    x_mm: float
    y_mm: float
    z_mm: float
    turn: Nine
    roll: Roll | None = None

    @property
    def value(self) -> int:
        """On the face that looks most upwards, at rest."""
        up = np.array(self.turn[6:])
        axis = int(np.argmax(np.abs(up)))
        return value_of(self.kind, axis, 1 if up[axis] > 0 else -1)

    @property
    def tilt_deg(self) -> float:
        """Between that face and the horizontal, at rest."""
        return math.degrees(math.acos(min(1.0, max(abs(part) for part in self.turn[6:]))))

    def placed(self, at_s: float = math.inf) -> tuple[Matrix, Matrix]:
        """Rotation (3 by 3) and centre (3) at a moment; at rest by default."""
        turn = np.array(self.turn).reshape(3, 3)
        centre = np.array([self.x_mm, self.y_mm, self.z_mm])
        left = 0.0 if self.roll is None else self.roll.left(at_s)
        if self.roll is None or left == 0:
            return turn, centre
        below = self.z_mm - _under(turn, self.edge_mm, self.kind.corner)
        turn = about(self.roll.axis, self.roll.turn_rad * left) @ turn
        lifted = below + _under(turn, self.edge_mm, self.kind.corner) + self.roll.hop_mm * left
        return turn, np.array([self.x_mm + self.roll.dx_mm * left, self.y_mm + self.roll.dy_mm * left, lifted])

    def moves(self, from_s: float, to_s: float) -> bool:
        """Whether it moves at all in between."""
        return self.roll is not None and self.roll.begin_s < to_s and from_s < self.roll.rest_s

    def corners_mm(self, at_s: float = math.inf) -> Matrix:
        """The eight corners, not rounded, 8 by 3."""
        turn, centre = self.placed(at_s)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], np.float64)
        corners: Matrix = centre + (signs * self.edge_mm / 2) @ turn.T
        return corners

    def top_mm(self, at_s: float = math.inf) -> Matrix:
        """The corners of the upper face, not rounded, in order round it, 4 by 3."""
        return self._on_face(self.value, [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], at_s)

    def pips_mm(self, value: int | None = None, at_s: float = math.inf) -> Matrix:
        """Centres of the pips on a face, the upper one by default, N by 3."""
        shown = self.value if value is None else value
        return self._on_face(shown, self.kind.places(shown), at_s)

    def _on_face(self, value: int, places: object, at_s: float) -> Matrix:
        axis, sign = face_of(self.kind, value)
        flat = np.array(places, np.float64)
        own = np.zeros((len(flat), 3))
        own[:, axis] = sign * 0.5
        own[:, (axis + 1) % 3], own[:, (axis + 2) % 3] = flat[:, 0], flat[:, 1]
        turn, centre = self.placed(at_s)
        points: Matrix = centre + (own * self.edge_mm) @ turn.T
        return points


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that reaches in from the edge to a place in the picture. ``seed`` shapes it."""

    x_px: float
    y_px: float
    from_deg: float
    """Whence the arm comes: 0 the right edge, 90 the top."""
    seed: int


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable from edge to edge over these places of the picture."""

    points_px: tuple[tuple[float, float], ...]
    width_px: float
    grey: float


@dataclass(frozen=True, slots=True)
class Glare:
    """Overexposed light."""

    x_px: float
    y_px: float
    radius_px: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything in front of the camera. No dice and nothing else: the empty plate."""

    dice: tuple[Die, ...] = ()
    pose: Pose = Pose.FLAT
    over: tuple[Hand | Cable | Glare, ...] = ()
    defocus_px: float = 0.0
    exposure: float = 1.0
    frozen: bool = False
    """Every picture is the very same."""

    @property
    def values(self) -> tuple[int, ...]:
        """What the dice show by their uppermost faces, ascending, whether or not anybody may read it so."""
        return tuple(sorted(die.value for die in self.dice))

    @property
    def reason(self) -> str | None:
        """Why a reader should refuse it; ``None``: it should read ``values``."""
        return REASON[self.pose]

    @property
    def rest_s(self) -> float:
        """When everything lies still."""
        return max((die.roll.rest_s for die in self.dice if die.roll is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a die's upper face is in the picture, at rest: what a reader should say of it."""

    value: int
    x_px: float
    y_px: float
    size_px: float
    """Mean of the four edges, corners not rounded."""
    turn_deg: float
    """Of an edge, 0 to under 90, from the picture's x axis towards its y axis (downwards)."""
    corners_px: Matrix
    pips_px: Matrix


def seen(die: Die, rig: Rig, at_s: float = math.inf) -> Seen:
    """The die's upper face in the picture."""
    corners = project(rig, die.top_mm(at_s))
    middle = project(rig, die.top_mm(at_s).mean(axis=0))[0]
    edges = np.roll(corners, -1, axis=0) - corners
    turn = math.degrees(math.atan2(edges[0, 1], edges[0, 0])) % 90.0
    size = float(np.linalg.norm(edges, axis=1).mean())
    pips = project(rig, die.pips_mm(at_s=at_s))
    return Seen(die.value, float(middle[0]), float(middle[1]), size, turn, corners, pips)


def about(axis: tuple[float, float, float], angle_rad: float) -> Matrix:
    """A turn about an axis, right-handed; the axis need not have unit length."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn: Matrix = c * np.eye(3) + s * cross + (1 - c) * np.outer((x, y, z), (x, y, z))
    return turn


def upright(kind: DieKind, value: int) -> Matrix:
    """A rotation with this value on top."""
    axis, sign = face_of(kind, value)
    turn = np.zeros((3, 3))
    turn[0, (axis + 1) % 3], turn[1, (axis + 2) % 3], turn[2, axis] = 1, sign, sign
    return turn


def _under(turn: Matrix, edge_mm: float, corner: float) -> float:
    """From the centre down to the lowest point of a die with rounded corners."""
    return float(np.abs(turn[2]).sum() * edge_mm * (0.5 - corner) + edge_mm * corner)


def die_at(
    kind: DieKind,
    edge_mm: float,
    x_mm: float,
    y_mm: float,
    turn: Matrix,
    *,
    on_mm: float = 0.0,
    roll: Roll | None = None,
) -> Die:
    """A die whose lowest point is ``on_mm`` above the plate."""
    z_mm = on_mm + _under(turn, edge_mm, kind.corner)
    a, b, c, d, e, f, g, h, i = (float(part) for part in turn.ravel())
    return Die(kind, edge_mm, x_mm, y_mm, z_mm, (a, b, c, d, e, f, g, h, i), roll)
