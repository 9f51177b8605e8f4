"""When a layout of fan-tan beans counts: the settings of ``[tables.X.beans]``, and the list of reason words.

Sources: ``games.md`` §8, rule book 002 (the dealer lays the beans out in fours with a stick until four or fewer are
left; what the system cannot read is laid out again). The figures are ours.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from dealer_daemon.verdicts import Held, Refused, Remedy
from dealer_drivers.camera.settings import LOOK_S

LONGEST_S = 3600.0


class LayoutReason(StrEnum):
    """Why a layout was refused (lay it out again) or held (a person looks), beside the doubts of the pictures."""

    # Refused.
    COUNT_CHANGED = "count_changed"
    NEVER_LAID_OUT = "never_laid_out"
    NO_LOOK = "no_look"
    # Held.
    LAYOUT_CHANGED = "layout_changed"
    LAYOUT_NOT_NEW = "layout_not_new"
    IMPOSSIBLE_BEANS = "impossible_beans"
    CAMERA_FAULT = "camera_fault"


class BeansRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table's rules for a valid layout."""

    still_s: float = 3.0
    """So long nothing may move before the layout counts: a dealer who still lays out moves a hand sooner."""
    patience_s: float = 8.0
    """A still layout that cannot be read is refused after so long; until then the dealer may be at it."""
    max_layout_s: float = 300.0
    """Longest time from the first movement to a layout that can be read. Fifty groups take about two minutes."""
    look_s: float = 8.0
    """Longest time from the question what lies there to the answer, which takes up to four seconds."""
    confirm: Literal["never", "uncovered", "always"] = "always"
    """When the dealer must confirm that everything is laid out. ``uncovered``: where the camera had not seen the bowl
    alone on the cloth before, or beans came from out of its sight, so that a heap there cannot be ruled out."""

    def problems(self) -> list[tuple[str, str]]:
        """Every impossible setting as (key, reason)."""
        found = [
            (key, f"must be above 0 and at most {LONGEST_S:g}")
            for key in ("still_s", "patience_s", "max_layout_s", "look_s")
            if not 0 < getattr(self, key) <= LONGEST_S
        ]
        if self.patience_s < self.still_s:
            found.append(("patience_s", "must not be below still_s"))
        if self.max_layout_s <= self.patience_s:
            found.append(("max_layout_s", "must be above patience_s"))
        if 0 < self.look_s < LOOK_S:
            found.append(("look_s", f"must be {LOOK_S:g} at least: a camera's answer may take as long"))
        return found


def refused(reason: str, detail: str) -> Refused:
    """Lay out again."""
    return Refused(str(reason), Remedy.REARRANGE, detail)


def held(reason: str, detail: str, **seen: object) -> Held:
    """A person must look."""
    return Held(str(reason), detail, seen)
