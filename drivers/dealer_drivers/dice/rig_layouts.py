"""Pips put together to faces: canonical layouts at about the calibrated pitch, and every pip in exactly one of them.

A layout begins with a diagonal, which every face but the one has; the seven other places of the grid are then looked
at, and only what they hold decides. Nothing is moved to where it should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_spots import Spot

Floats: TypeAlias = npt.NDArray[np.float64]

SIZE = 0.14
"""Part by which the pitch may be larger or smaller than calibrated: it is measured, and judged elsewhere."""
PLACE = 0.17
"""How far a pip may be from its place, in pitches."""
FACE = 1.62
"""Half a face, in pitches, that must hold no other pip."""
DIAGONAL, OTHER, CENTRE, SIDES_U, SIDES_V = "diagonal", "other", "centre", "sides_u", "sides_v"
VALUES_OF: dict[frozenset[str], int] = {
    frozenset({DIAGONAL}): 2,
    frozenset({DIAGONAL, CENTRE}): 3,
    frozenset({DIAGONAL, OTHER}): 4,
    frozenset({DIAGONAL, OTHER, CENTRE}): 5,
    frozenset({DIAGONAL, OTHER, SIDES_U}): 6,
    frozenset({DIAGONAL, OTHER, SIDES_V}): 6,
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A face of 2 to 6. ``unequal``: how much the pitches along its two axes differ, as a part; 0 for 2 and 3, which
    show it in one direction only. ``off``: root mean square of what the pips are away from their places, in pitches."""

    value: int
    x: float
    y: float
    pitch_px: float
    turn_deg: float
    members: frozenset[int]
    unequal: float
    off: float


def layouts(profile: Profile, spots: list[Spot]) -> list[Layout]:
    """Every canonical layout that the good spots allow; ``members`` are indices into ``spots``."""
    good = [n for n, spot in enumerate(spots) if spot.good]
    if len(good) < 2:
        return []
    at = np.array([[spots[n].pip.x, spots[n].pip.y] for n in good])
    gaps = np.hypot(at[:, None, 0] - at[None, :, 0], at[:, None, 1] - at[None, :, 1])
    found: dict[frozenset[int], Layout] = {}
    for long, aspects in _diagonals(profile):
        pairs = np.argwhere(np.triu(np.abs(gaps / long - 1) < SIZE, 1))
        for one, two in pairs:
            layout = _at(spots, good, at, int(one), int(two), aspects)
            if layout is not None:
                known = found.get(layout.members)
                if known is None or layout.off < known.off:
                    found[layout.members] = layout
    return list(found.values())


def _diagonals(profile: Profile) -> list[tuple[float, tuple[float, ...]]]:
    """Length of a face's diagonal, and by which aspects: a six's rows may stand closer than the grid."""
    pitch, aspect = profile.pitch_px, profile.six_aspect
    if abs(aspect - 1) < 0.04:
        return [(2 * np.sqrt(2) * pitch, (1.0,))]
    return [(2 * np.sqrt(2) * pitch, (1.0,)), (2 * pitch * float(np.hypot(1, aspect)), (aspect, 1 / aspect))]


def _at(
    spots: list[Spot], good: list[int], at: Floats, one: int, two: int, aspects: tuple[float, ...]
) -> Layout | None:
    middle = (at[one] + at[two]) / 2
    arm = at[two] - middle
    for aspect in aspects:
        narrow = aspect if aspect <= 1 else 1.0
        high = 1.0 if aspect <= 1 else 1 / aspect
        # Grid axes u, v with the diagonal at (narrow, high) pitches.
        length = float(np.hypot(*arm))
        pitch = length / float(np.hypot(narrow, high))
        turn = np.arctan2(arm[1], arm[0]) - np.arctan2(high, narrow)
        u, v = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        own = np.stack([(at - middle) @ u, (at - middle) @ v], axis=1) / pitch
        inside = np.flatnonzero((np.abs(own) < FACE).all(axis=1))
        layout = _read(spots, good, own, inside, (narrow, high))
        if layout is not None:
            return layout
    return None


def _read(
    spots: list[Spot],
    good: list[int],
    own: Floats,
    inside: npt.NDArray[np.intp],
    shape: tuple[float, float],
) -> Layout | None:
    a, b = shape
    places = [(-a, -b), (a, b), (-a, b), (a, -b), (0, 0), (-a, 0), (a, 0), (0, -b), (0, b)]
    names = [DIAGONAL] * 2 + [OTHER] * 2 + [CENTRE] + [SIDES_U] * 2 + [SIDES_V] * 2
    wants = {name: names.count(name) for name in names}
    taken: dict[str, list[int]] = {}
    used: list[tuple[int, tuple[float, float]]] = []
    for index in inside:
        offs = [float(np.hypot(own[index, 0] - x, own[index, 1] - y)) for x, y in places]
        best = int(np.argmin(offs))
        if offs[best] > PLACE:
            return None
        taken.setdefault(names[best], []).append(int(index))
        used.append((int(index), places[best]))
    if len({place for _, place in used}) != len(used):
        return None
    if any(len(members) != wants[name] for name, members in taken.items()):
        return None
    value = VALUES_OF.get(frozenset(taken))
    if value is None or (shape != (1.0, 1.0) and value != 6):
        return None
    if a != b and (SIDES_U in taken) != (a < b):  # in a narrow six the middle pips stand in the rows
        return None
    members = [good[index] for index, _ in used]
    if any(value not in spots[n].values for n in members):
        return None
    return _measured(value, spots, members, used)


def _measured(
    value: int,
    spots: list[Spot],
    members: list[int],
    used: list[tuple[int, tuple[float, float]]],
) -> Layout:
    """Pitch, turn and centre fitted to all its pips."""
    at = np.array([[spots[n].pip.x, spots[n].pip.y] for n in members])
    ideal = np.array([place for _, place in used])
    centre, origin = at.mean(axis=0), ideal.mean(axis=0)
    seen, wanted = at - centre, ideal - origin
    # Similarity as complex numbers: seen = z × wanted.
    z = complex(
        float((wanted * seen).sum()), float((wanted[:, 0] * seen[:, 1] - wanted[:, 1] * seen[:, 0]).sum())
    ) / float((wanted**2).sum())
    pitch, angle = abs(z), float(np.angle(z))
    u, v = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    rest = seen - pitch * (wanted[:, :1] * u + wanted[:, 1:] * v)
    unequal = 0.0
    if value >= 4:
        along = seen @ u @ wanted[:, 0] / float((wanted[:, 0] ** 2).sum())
        across = seen @ v @ wanted[:, 1] / float((wanted[:, 1] ** 2).sum())
        skew = seen @ v @ wanted[:, 0] / float((wanted[:, 0] ** 2).sum())
        unequal = float(np.hypot(along - across, 2 * skew)) / pitch
    middle = centre - pitch * (origin[0] * u + origin[1] * v)
    off = float(np.sqrt((rest**2).sum(axis=1).mean())) / pitch
    turned = float(np.degrees(angle) % 90.0)
    return Layout(value, float(middle[0]), float(middle[1]), pitch, turned, frozenset(members), unequal, off)


def exact_covers(found: list[Layout], pips: frozenset[int], lone: frozenset[int], most: int = 2) -> list[list[Layout]]:
    """Ways to put every pip into exactly one layout, or, of those in ``lone``, into a one of its own; ``most`` of
    them."""
    covers: list[list[Layout]] = []
    by_pip: dict[int, list[Layout]] = {n: [] for n in pips}
    for layout in found:
        for n in layout.members:
            by_pip[n].append(layout)

    def search(left: frozenset[int], chosen: list[Layout]) -> None:
        if len(covers) >= most:
            return
        if not left:
            covers.append(list(chosen))
            return
        hardest = min(left, key=lambda n: (len(by_pip[n]) + (n in lone), n))
        for layout in by_pip[hardest]:
            if layout.members <= left:
                search(left - layout.members, [*chosen, layout])
        if hardest in lone:
            search(left - {hardest}, chosen)

    search(pips, [])
    return covers
