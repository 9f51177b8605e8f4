"""The pip-first reader of single pictures: round pips, and an exact cover of them by canonical layouts.

It knows nothing of dice as bodies: no squares, no outlines. What it cannot know, it says: a lone pip is listed as a
*possible* one and is never proven here, and every good pip that stands in no face is in ``pips`` all the same, so that
nothing is left over unseen (``devices.md`` §8: of 42 false accepts that passed all checks, 36 had a one).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dealer_drivers.dice.faces import Grey, Pip, PipFace
from dealer_drivers.dice.still_pip_judge import Layout
from dealer_drivers.dice.still_pip_layouts import find_layouts
from dealer_drivers.dice.still_pip_spots import Spots, SpotSearch

ONE_ROUNDNESS = 0.8
"""Least roundness of a possible one."""
ONE_ALONE_RADII = 5.0
"""No like pip may stand so near to a possible one, in radii of the one: on dice that touch, the next is 6 away."""
COVER_LIMIT = 20000
"""Steps of the search for the best cover of one heap of overlapping layouts."""


@dataclass(frozen=True, slots=True)
class PipSight:
    """What one picture shows. ``pips``: every good pip. ``faces``: layouts that share no pip, and possible ones."""

    pips: tuple[Pip, ...]
    faces: tuple[PipFace, ...]

    @property
    def left_over(self) -> tuple[Pip, ...]:
        """Good pips that stand in no face, not even as a possible one."""
        used = {pip for face in self.faces for pip in face.pips}
        return tuple(pip for pip in self.pips if pip not in used)


def find_pip_faces(picture: Grey | SpotSearch, *, pale: bool = False) -> PipSight:
    """Reads a picture of any size. Dice of 26 to 230 px at a longer side of 640 px are seen; nothing else is.

    ``pale``: also spots that the picture's texture outdoes. They may speak for one die more, never for a value: on a
    face they are mostly gloss. Who looks at one picture both ways gives the search itself.
    """
    search = picture if isinstance(picture, SpotSearch) else SpotSearch(picture)
    spots, scale = search.spots(pale=pale), search.scale
    pips = spots.pips(scale)
    chosen = best_cover(find_layouts(search.picture, spots))
    faces = [
        PipFace(
            layout.value,
            float(layout.middle[0]) / scale,
            float(layout.middle[1]) / scale,
            layout.pitch_px / scale,
            layout.turn_deg,
            bool(spots.dark[layout.spots[0]]),
            tuple(pips[spot] for spot in layout.spots),
            layout.quality,
        )
        for layout in chosen
    ]
    faces += [
        PipFace(1, pips[spot].x, pips[spot].y, float("nan"), 0.0, pips[spot].dark, (pips[spot],), quality)
        for spot, quality in _possible_ones(spots, chosen)
    ]
    return PipSight(pips, tuple(sorted(faces, key=lambda face: (face.value, face.x, face.y))))


def best_cover(layouts: list[Layout]) -> list[Layout]:
    """Layouts that share no spot and do not overlap, such that they explain the most pips the best."""
    clash = [
        {other for other in range(len(layouts)) if other != one and _clash(layouts[one], layouts[other])}
        for one in range(len(layouts))
    ]
    worth = [layout.quality * len(layout.spots) for layout in layouts]
    # What is part of something larger is not that something: no two or three within a five or six.
    parts = {
        one
        for one in range(len(layouts))
        for other in clash[one]
        if set(layouts[one].spots) < set(layouts[other].spots)
    }
    clash = [others - parts for others in clash]
    chosen: list[int] = []
    waiting = set(range(len(layouts))) - parts
    while waiting:
        heap, edge = set(), {min(waiting)}
        while edge:
            heap |= edge
            edge = {other for one in edge for other in clash[one]} - heap
        waiting -= heap
        chosen += _best_of_heap(sorted(heap, key=lambda each: -worth[each]), clash, worth)
    return [layouts[each] for each in sorted(chosen)]


def _clash(one: Layout, other: Layout) -> bool:
    if set(one.spots) & set(other.spots):
        return True
    middle = one.middle - other.middle
    return float(np.hypot(*middle)) < 1.6 * max(one.pitch_px, other.pitch_px)


def _best_of_heap(heap: list[int], clash: list[set[int]], worth: list[float]) -> list[int]:
    """Exact for what real pictures give; with more than ``COVER_LIMIT`` steps the best found so far."""
    best: tuple[float, list[int]] = (0.0, [])
    steps = 0

    def search(index: int, taken: list[int], total: float, rest: float) -> None:
        nonlocal best, steps
        steps += 1
        if total > best[0]:
            best = (total, list(taken))
        if index == len(heap) or total + rest <= best[0] or steps > COVER_LIMIT:
            return
        one = heap[index]
        if not clash[one] & set(taken):
            search(index + 1, [*taken, one], total + worth[one], rest - worth[one])
        search(index + 1, taken, total, rest - worth[one])

    search(0, [], 0.0, sum(worth[each] for each in heap))
    return best[1]


def _possible_ones(spots: Spots, chosen: list[Layout]) -> list[tuple[int, float]]:
    """Lone spots that may be ones, with their quality; whether there is a die around them is not known here."""
    used = {spot for layout in chosen for spot in layout.spots}
    inside = np.zeros(len(spots), dtype=bool)
    for layout in chosen:
        inside |= layout.holds(spots.x, spots.y, 1.6)
    out: list[tuple[int, float]] = []
    for spot in range(len(spots)):
        if spot in used or inside[spot] or spots.roundness[spot] < ONE_ROUNDNESS:
            continue
        apart = np.hypot(spots.x - spots.x[spot], spots.y - spots.y[spot])
        like = (
            (spots.dark == spots.dark[spot])
            & (spots.contrast > 0.5 * spots.contrast[spot])
            & (spots.radius_px > 0.6 * spots.radius_px[spot])
            & (spots.radius_px < 1.6 * spots.radius_px[spot])
        )
        like[spot] = False
        if bool((like & (apart < ONE_ALONE_RADII * spots.radius_px[spot])).any()):
            continue
        out.append((spot, float(spots.roundness[spot] * spots.evenness[spot])))
    return out
