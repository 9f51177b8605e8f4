"""Die-first: squares that may be faces, each read by itself; the best that do not overlap are the faces.

Knows nothing of how the other reader finds pips; takes pixels only.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Grey
from dealer_drivers.dice.still_squares import WORK_SIDE_PX, Square, find_squares
from dealer_drivers.dice.still_templates import Reading, read_faces
from dealer_drivers.readings.dice import Face

LEAST_SQUARE = {1: 0.60, 2: 0.52, 3: 0.45, 4: 0.45, 5: 0.45, 6: 0.45}
"""How good the sides must be: the fewer pips speak for the face, the more its outline must (study §2)."""
LEAST_LIKENESS = 0.5
LEAST_READ = 0.43
"""Squares with worse sides are not even read."""
LIKENESS_WEIGHT = 0.6
"""Of the drawing, beside the sides, in which of two overlapping squares is the face (study §2)."""
SAME = 0.5
"""Two faces whose common area is more than this of the smaller one are one die."""
LONGEST_TO_SHORTEST = 1.6
"""Of the sides of a face: above, it is seen from so far aslant that it is no top face."""
SMALL_PX = 46.0
"""At working size: where enough faces above this are found, and where one is so large that smaller ones would be too
unlike it, no smaller ones are searched. That is the costliest search, and the dice of a game are alike."""
MOST_UNLIKE = 2.4
"""Largest over smallest face of one game."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A square and what it says."""

    square: Square
    reading: Reading

    @property
    def worth(self) -> float:
        """By which of two overlapping ones the face is chosen."""
        return self.square.score + (LIKENESS_WEIGHT * self.reading.likeness if self.reading.value else 0.0)

    @property
    def is_face(self) -> bool:
        """Good enough sides and every place certain."""
        value = self.reading.value
        return bool(
            value
            and self.square.score >= LEAST_SQUARE[value]
            and self.reading.likeness >= LEAST_LIKENESS
            and self.reading.certain >= 0
            and _is_squarish(self.square.corners)
        )

    def as_face(self) -> Face:
        """In the words of the other modules."""
        x, y = self.square.centre
        return Face(
            self.reading.value, x, y, self.square.size_px, self.square.turn_deg, self.reading.dark, self.square.score
        )


@dataclass(frozen=True, slots=True)
class DieSight:
    """Everything die-first has to say. ``faces`` do not overlap; ``all_seen`` holds every square read, best first."""

    faces: tuple[Seen, ...]
    all_seen: tuple[Seen, ...]


def _is_squarish(corners: npt.NDArray[np.float64]) -> bool:
    sides = np.linalg.norm(corners - corners[[3, 0, 1, 2]], axis=1)
    return bool(sides.max() <= LONGEST_TO_SHORTEST * sides.min())


def common_part(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    """The area two faces share, as a part of the smaller one."""
    one, two = first.astype(np.float32), second.astype(np.float32)
    area, _ = cv2.intersectConvexConvex(one, two)
    smaller = min(abs(cv2.contourArea(one)), abs(cv2.contourArea(two)))
    return float(area / smaller) if smaller > 0 else 1.0


def _read(grey: Grey, levels: tuple[int, ...]) -> list[Seen]:
    squares = [square for square in find_squares(grey, levels) if square.score >= LEAST_READ]
    readings = read_faces(grey, np.array([square.corners for square in squares]))
    return [Seen(square, reading) for square, reading in zip(squares, readings, strict=True)]


def _chosen(seen: list[Seen]) -> list[Seen]:
    faces: list[Seen] = []
    for each in sorted(seen, key=lambda one: -one.worth):
        if each.is_face and all(common_part(each.square.corners, face.square.corners) < SAME for face in faces):
            faces.append(each)
    return faces


def find_faces(grey: Grey, count: int = 3) -> DieSight:
    """The faces of a grey picture. ``count`` dice are expected: with fewer found, smaller ones are searched too."""
    seen = _read(grey, (8, 4))
    faces = _chosen(seen)
    small = SMALL_PX * max(1.0, max(grey.shape) / WORK_SIDE_PX)
    large = [face for face in faces if face.square.size_px >= small]
    if len(large) < count and all(face.square.size_px < MOST_UNLIKE * small for face in large):
        seen += _read(grey, (2,))
        faces = _chosen(seen)
    return DieSight(tuple(faces), tuple(sorted(seen, key=lambda one: -one.worth)))
