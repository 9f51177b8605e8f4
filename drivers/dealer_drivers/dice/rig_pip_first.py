"""Pip-first: round pips only, put together so that each belongs to exactly one canonical layout.

Looks at the picture alone. It knows no empty plate and nothing of what die-first says, so an agreement of the two means
something. A layout must lie on the body's colour; a lone pip must have a die of the calibrated size around it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dealer_drivers.dice.faces import Bgr, Pip, PipFace
from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_layouts import Layout, exact_covers, layouts
from dealer_drivers.dice.rig_lone import Around, Surroundings
from dealer_drivers.dice.rig_spots import Spot, SpotFinder

GROUND = tuple((x, y) for x in (-1.25, -0.5, 0.5, 1.25) for y in (-1.25, -0.5, 0.5, 1.25) if abs(x) + abs(y) < 2.4)
"""Where no face has a pip, in pitches from its centre."""
GROUND_OFF = 0.2
"""How far these may differ from their median, as part of its brightness."""
LEAST_GROUND = 9
"""How many of the twelve must be of one colour, the body's."""
LONE = 1.6
"""How many times less exactly the roundness of a lone pip is known than that of several."""
ASPECT_OFF = 0.10
"""Root mean square in pitches above which pips stand on no grid."""


@dataclass(frozen=True, slots=True)
class FoundLayout:
    """A face, and how large its die is by the pips (of a one: by the die around it). ``unequal``: see ``Layout``."""

    face: PipFace
    scale: float
    """Size as a multiple of the calibrated."""
    unequal: float
    pip_stretch: complex
    """How much longer than wide its pips are, all the same way: see ``Spot``."""
    stretch: float
    """The same, beyond that of flat faces: a disc seen from aslant."""


@dataclass(frozen=True, slots=True)
class PipFirst:
    """All that pip-first says of a picture. ``left``: good pips that belong to no face. ``odd``: spots that are no good
    pips and lie on the body's colour outside the faces: side pips, damaged or half hidden ones. ``ambiguous``: there
    are several ways to put the pips together. ``unproved``: lone pips with no die of the right size around them."""

    faces: tuple[FoundLayout, ...]
    left: tuple[Pip, ...]
    odd: tuple[Pip, ...]
    ambiguous: bool
    unproved: tuple[Around, ...]


class PipFirstReader:
    """Holds what is worked out from the profile once."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.finder = SpotFinder(profile)
        self.surroundings = Surroundings(profile)

    def read(self, picture: Bgr) -> PipFirst:
        """What the pips say."""
        spots = self.finder.find(picture)
        found = [one for one in layouts(self.profile, spots) if self._on_body(picture, one)]
        grouped = grouped_in(found)
        pips = frozenset(n for n, spot in enumerate(spots) if spot.good)
        around = self._lone(picture, spots, pips - grouped)
        covers, lone = _covers(found, pips, grouped, around)
        if not covers and grouped:
            # A lone pip and one of another die may stand as a layout would.
            around |= self._lone(picture, spots, grouped)
            covers, lone = _covers(found, pips, grouped, around)
        chosen = covers[0] if covers else []
        taken = grouped_in(chosen) | (lone if covers else frozenset())
        faces = [self._face(layout, spots) for layout in chosen]
        if covers:
            faces += [self._one(spots[n], around[n]) for n in sorted(lone - grouped_in(chosen))]
        return PipFirst(
            tuple(faces),
            tuple(spots[n].pip for n in sorted(pips - taken)),
            tuple(spot.pip for spot in spots if not spot.good and spot.on_body),
            len(covers) > 1,
            tuple(seen for seen in around.values() if not seen.proved),
        )

    def _lone(self, picture: Bgr, spots: list[Spot], pips: frozenset[int]) -> dict[int, Around]:
        return {n: self.surroundings.look(picture, spots[n]) for n in sorted(pips) if 1 in spots[n].values}

    def _on_body(self, picture: Bgr, layout: Layout) -> bool:
        """Whether the face around the pips has the body's colour."""
        turn = np.radians(layout.turn_deg)
        u, v = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        ground = np.array(GROUND) * layout.pitch_px
        at = np.array([layout.x, layout.y]) + ground[:, :1] * u + ground[:, 1:] * v
        columns, rows = np.round(at[:, 0]).astype(int), np.round(at[:, 1]).astype(int)
        height, width = picture.shape[:2]
        if columns.min() < 1 or rows.min() < 1 or columns.max() > width - 2 or rows.max() > height - 2:
            return False
        around = [picture[rows + dy, columns + dx].astype(np.float64) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        colours = np.mean(around, axis=0)
        middle = np.median(colours, axis=0)
        limit = max(GROUND_OFF * float(middle.max()), 16.0, 4 * self.profile.body_spread)
        alike = int((np.abs(colours - middle).max(axis=1) < limit).sum())
        known = False
        for colour in self.profile.bodies:
            body = np.array(colour)
            light = float(middle @ body / (body @ body))
            known |= 0.6 < light < 1.5 and float(np.abs(middle - light * body).max()) < max(0.2 * body.max(), 16.0)
        return known and alike >= LEAST_GROUND and layout.off < ASPECT_OFF

    def _face(self, layout: Layout, spots: list[Spot]) -> FoundLayout:
        pips = tuple(spots[n].pip for n in sorted(layout.members))
        face = PipFace(
            layout.value,
            layout.x,
            layout.y,
            layout.pitch_px,
            layout.turn_deg,
            pips[0].dark,
            pips,
            1 - layout.off,
        )
        stretch = sum((spots[n].stretch for n in layout.members), 0j) / len(layout.members)
        scale = layout.pitch_px / self.profile.pitch_px
        return FoundLayout(face, scale, layout.unequal, stretch, self._beyond(layout.value, stretch))

    def _beyond(self, value: int, stretch: complex) -> float:
        return abs(stretch - complex(*self.profile.look(value).stretch)) / (LONE if value == 1 else 1.0)

    def _one(self, spot: Spot, around: Around) -> FoundLayout:
        pip = spot.pip
        face = PipFace(1, pip.x, pip.y, float("nan"), 0.0, pip.dark, (pip,), around.fitting)
        scale = around.size_px / self.profile.one_px
        return FoundLayout(face, scale, 0.0, spot.stretch, self._beyond(1, spot.stretch))


def grouped_in(found: list[Layout]) -> frozenset[int]:
    """The pips of these layouts."""
    return frozenset(n for layout in found for n in layout.members)


def _covers(
    found: list[Layout], pips: frozenset[int], grouped: frozenset[int], around: dict[int, Around]
) -> tuple[list[list[Layout]], frozenset[int]]:
    """The ways to put the pips together, but those that fit nowhere; and the lone pips that are proved."""
    lone = frozenset(n for n, seen in around.items() if seen.proved)
    return exact_covers(found, pips & (grouped | lone), lone), lone
