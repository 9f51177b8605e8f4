"""What a camera over dice saw. Movement and doubt are words of every such camera (``camera/readings.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.camera.readings import Look, LookUnclear


class Doubt(StrEnum):
    """Why a picture gives no dice. Words of the documented list of reasons."""

    WRONG_COUNT = "wrong_count"
    """More or fewer dice than the game has, or something that may be one more."""
    STACKED = "stacked"
    """A die lies on another."""
    LEANING = "leaning"
    """A die does not rest flat: its face is seen from aslant."""
    MOVING = "moving"
    """The dice were not at the same places in all pictures."""
    OCCLUDED = "occluded"
    """Something lies over the plate or the dice: a hand, a cable."""
    GLARE = "glare"
    """Light is reflected so strongly that nothing can be told there."""
    CUT_BY_FRAME = "cut_by_frame"
    """A die, or something that may be one, reaches over the edge of the picture."""
    DETECTORS_DISAGREE = "detectors_disagree"
    """The two readers do not say the same of the same die."""
    BLURRED = "blurred"
    """Out of focus or moving while the picture was taken."""
    TOO_DARK = "too_dark"
    """No contrast to read by."""
    LEFT_OVER = "left_over"
    """Pips, or parts of a die, that belong to no die that was read."""
    UNCLEAR = "unclear"
    """A face was found and its value is not certain."""
    CAMERA_FAULT = "camera_fault"
    """The picture itself cannot be used: it stands still, is empty, or has another size than calibrated."""


@dataclass(frozen=True, slots=True)
class Face:
    """A top face as the die-first reader saw it: centre, edge length, turn in 0 to 90 degrees."""

    value: int
    x: float
    y: float
    size_px: float
    turn_deg: float
    dark_pips: bool
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceSeen(Look):
    """The same dice at the same places in all of the look's pictures. In the order of their
    values, then from left to right."""

    faces: tuple[Face, ...]

    def impossible(self) -> str | None:
        """See ``Reading``."""
        wrong = [face.value for face in self.faces if face.value not in range(1, 7)]
        return f"a die that shows {wrong[0]}" if wrong else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceUnclear(LookUnclear):
    """The dice cannot be read; the reasons are those of ``Doubt``."""
