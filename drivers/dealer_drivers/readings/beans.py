"""What a camera over a fan-tan cloth saw. Movement and doubt are as at every such camera (``camera/readings.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.camera.readings import Look, LookUnclear


class BeansDoubt(StrEnum):
    """Why a picture gives no count. Words of the documented list of reasons."""

    NO_BEANS = "no_beans"
    """Nothing lies on the cloth."""
    TOO_MANY_BEANS = "too_many_beans"
    """More than 200."""
    BEANS_TOUCH = "beans_touch"
    """Beans touch, lie on each other, or are not laid out yet."""
    GROUPS_UNCLEAR = "groups_unclear"
    """The distance between two beans is neither that within a group nor that between groups."""
    GROUPS_NOT_FOUR = "groups_not_four"
    """A group that is not the last one has not exactly four."""
    ROWS_CROOKED = "rows_crooked"
    """A group is no straight line, or the groups do not stand in columns in which the last one is told."""
    LEFT_OVER = "left_over"
    """Something small lies there that is neither bean nor cloth."""
    COVERED = "covered"
    """The bowl stands on the cloth, or something round like it, and not one bean is in sight."""
    OCCLUDED = "occluded"
    """Something lies over the cloth: a hand, the stick, the bowl beside beans."""
    CUT_BY_FRAME = "cut_by_frame"
    """Beans lie so near to the edge of the picture that more may lie beyond it."""
    COUNTS_DIFFER = "counts_differ"
    """The two readings do not find the same beans."""
    BLURRED = "blurred"
    """Out of focus, or moving while the picture was taken."""
    GLARE = "glare"
    """Light is reflected so strongly that nothing can be told there."""
    TOO_DARK = "too_dark"
    """No contrast to read by."""
    CAMERA_FAULT = "camera_fault"
    """The picture itself cannot be used: it is empty, or has another size than calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeansSeen(Look):
    """The same layout in all of the look's pictures: ``groups`` of four, the last of ``remainder`` (1 to 4) among
    them, ``beans`` in all."""

    beans: int
    groups: int
    remainder: int

    def impossible(self) -> str | None:
        """See ``Reading``."""
        whole = self.groups >= 1 and self.remainder in range(1, 5)
        if whole and self.beans == 4 * (self.groups - 1) + self.remainder:
            return None
        return f"{self.beans} beans in {self.groups} groups, the last of {self.remainder}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeansUnclear(LookUnclear):
    """The layout cannot be read."""
