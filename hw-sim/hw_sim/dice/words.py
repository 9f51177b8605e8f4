"""The words for how dice lie, and why they are not read. Pure."""

from __future__ import annotations

from enum import StrEnum


class Pose(StrEnum):
    """How the dice of one shake came to lie, and what else is in the picture."""

    FLAT = "flat"
    """All three lie flat, apart from each other."""
    TOUCHING = "touching"
    """Flat; two or three touch: side to side, corner to side, or in a row."""
    LEANING = "leaning"
    """One leans on the ridge at the rim."""
    COCKED = "cocked"
    """One is wedged aslant against another."""
    STACKED = "stacked"
    """One lies on another, or as a bridge on both."""
    ROLLING = "rolling"
    """At least one still rolls in every picture."""
    CREEPING = "creeping"
    """Flat, but at least one still slides, by about a pixel a picture."""
    CUT = "cut"
    """One reaches over the edge of the picture."""
    OUT_OF_VIEW = "out_of_view"
    """One is off the plate and out of the picture."""
    FOUR_DICE = "four_dice"
    TWO_DICE = "two_dice"
    HAND = "hand"
    """A hand is in the picture."""
    CABLE = "cable"
    """A cable lies across the picture."""
    GLARE = "glare"
    """Light on a die so strong that pips vanish."""
    FROZEN = "frozen"
    """The camera gives the very same picture again and again."""
    OUT_OF_FOCUS = "out_of_focus"
    """The lens has lost its focus."""


REASON: dict[Pose, str | None] = {
    Pose.FLAT: None,
    Pose.TOUCHING: None,
    Pose.LEANING: "leaning",
    Pose.COCKED: "leaning",
    Pose.STACKED: "stacked",
    Pose.ROLLING: "moving",
    Pose.CREEPING: "moving",
    Pose.CUT: "cut_by_frame",
    Pose.OUT_OF_VIEW: "wrong_count",
    Pose.FOUR_DICE: "wrong_count",
    Pose.TWO_DICE: "wrong_count",
    Pose.HAND: "occluded",
    Pose.CABLE: "occluded",
    Pose.GLARE: "glare",
    Pose.FROZEN: "camera_fault",
    Pose.OUT_OF_FOCUS: "blurred",
}
"""Why a reader should refuse each pose, in the station's words; ``None``: it should read it."""
