"""What is decided of one still: exactly the dice of the game, each seen alike by both readers, and nothing else.

Two kinds of picture are known. A *bare* one shows dice on a plate: everything in it must be explained. One of *like
dice on a desk* may show other things, if it has colour and nothing else has the dice's. A picture that is neither, or
in which anything is doubtful, is refused (``devices.md`` §8: agreement alone passes half of the pictures with a wrong
count).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from dealer_drivers.dice.faces import Bgr, Dice, Doubts, Grey, Pip, PipFace
from dealer_drivers.dice.still_agree import Confirmed, agrees, confirmed, foreign_pips
from dealer_drivers.dice.still_alike import (
    BODY,
    BODY_ASIDE,
    BODY_UNLIKE,
    FURTHER,
    FURTHER_CUT,
    alike_bodies,
    has_colour,
)
from dealer_drivers.dice.still_die_first import LEAST_LIKENESS, DieSight, Seen, common_part, find_faces
from dealer_drivers.dice.still_frame import frame_steps
from dealer_drivers.dice.still_leftover import (
    ASIDE,
    ONES_BARE,
    ONES_DESK,
    SUSPECT,
    cut_pips,
    dice_out,
    grown,
    left_groups,
    left_ones,
    left_pairs,
    left_pips,
    left_squares,
    left_sure,
    outside,
)
from dealer_drivers.dice.still_pip_spots import SpotSearch
from dealer_drivers.dice.still_pips import PipSight, find_pip_faces
from dealer_drivers.dice.still_rim import find_rim
from dealer_drivers.dice.still_round import ROUND_ON_DESK, is_round
from dealer_drivers.dice.still_squares import find_squares, working_size
from dealer_drivers.dice.still_stacked import hides_a_part
from dealer_drivers.readings.dice import Doubt

SMALLEST_PICTURE_PX = 96
FLAT = 24
"""Grey levels between the darkest and the brightest hundredth: below, there is nothing to read by."""
GLARE_PART = 0.06
"""Of the picture at full white: above, things can hide in it (study §2)."""
MARGIN = 0.9
"""A face, made smaller by this, must be inside the picture."""
FRAME_STEP = 0.36
"""Edges that run out of the picture: half A has up to 0.32 without and from 0.38 with a die cut by the frame."""
MOST_UNLIKE = 1.75
"""Largest over smallest face: the dice of one game, with what an outline may be off, have up to 1.61 (half A and B)."""
CERTAIN_SQUARE = {1: 0.68, 2: 0.66, 3: 0.56, 4: 0.56, 5: 0.56, 6: 0.56}
"""How well the sides of a face that is taken must show: the fewer pips speak for it, the better. The right ones of both
halves have 0.70 and more, but for ten of 282; a printed six or a half die that shows one pip has 0.55 and 0.66."""
LONGER, LONGER_FEW = 1.4, 1.25
"""Longer over shorter side of a face; the second for ones, twos and threes, which half a covered face shows too. Those
of half A and B have up to 1.35 and 1.20."""
FRAMED = (1.16, 1.75, 1.25)
"""Size of the outline around a round inlay, in that of the inlay, and how far around its middle it is looked for."""
FRAMED_SCORE, FRAMED_OFF = 0.6, 0.17
"""How good it must be at least, and how far its middle may be off, in sides of the inlay."""
TOO_NEAR, TOO_NEAR_ASLANT = 0.98, 1.03
"""Middles of two faces, in their mean size: tops of two dice are never nearer than about 1 (half A and B: 1.004), the
top and a side of one die are. Where pictures may be taken from aslant, nothing near that is taken (half A: pairs of
sides up to 1.0)."""
STRONG_GROUP = 0.75
"""Quality of groups of three and more pips that are counted before anything else is looked at."""
PALE_ONE_WAY = 0.6
"""Sides all darker or all brighter outside, this clearly, make even a pale face with uncertain pips one more die."""
DIE_ON_DESK = 0.62
"""Likeness of a sure face beside like dice on a desk, of any colour, from which it is one more die: clutter has up to
0.59, dice mostly above 0.7."""
GROUPS_ON_DESK = {3: 0.25, 4: 0.25, 5: 0.25, 6: 0.25}
"""Contrast of a group of pips there, of either polarity, in that of the weakest die's, from which it is one more."""
TWOS_ON_DESK = {2: 0.25}
"""The same for twos, of the dice's polarity only: letters and keys make such of the other."""
BOTH_SEE = 0.45
"""How well the sides of a square must show at least that pip-first confirms beside the dice."""
FURTHER_FACE = 0.5
"""Size of an unconfirmed face, in those of the smallest die, from which it may be one more."""


@dataclass(frozen=True, slots=True)
class _Table:
    grey: Grey
    dice: list[Confirmed]
    corners: list[npt.NDArray[np.float64]]
    die_sight: DieSight
    pip_sight: PipSight
    spots: SpotSearch

    @property
    def weakest(self) -> float:
        """Contrast of the pips of the die where it is least."""
        return min(float(np.median([pip.contrast for pip in die.pips.pips])) for die in self.dice)

    @property
    def radius_px(self) -> float:
        """Mean radius of the dice's pips."""
        return float(np.mean([pip.radius_px for die in self.dice for pip in die.pips.pips]))


def _no(*reasons: Doubt, detail: str) -> Doubts:
    return Doubts(tuple(dict.fromkeys(reasons)), detail)


def decide_still(picture: Bgr | Grey, count: int = 3) -> Dice | Doubts:
    """The ``count`` dice of one picture, or why it gives none. Any camera, no reference picture; never a guess."""
    grey = picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    if min(grey.shape) < SMALLEST_PICTURE_PX:
        return _no(Doubt.CAMERA_FAULT, detail=f"the picture is smaller than {SMALLEST_PICTURE_PX} pixels")
    low, high = np.percentile(grey[::4, ::4], (1, 99))
    if high - low < FLAT:
        return _no(Doubt.TOO_DARK, detail=f"the picture has {high - low:.0f} grey levels only")
    spots = SpotSearch(grey)
    pip_sight = find_pip_faces(spots)
    coloured = picture.ndim == 3 and has_colour(picture)
    strong = [face for face in pip_sight.faces if face.value >= 3 and face.quality >= STRONG_GROUP]
    if not coloured and len(strong) > count:
        return _no(
            Doubt.WRONG_COUNT, detail=f"{len(strong)} groups of pips are in the picture, {count} dice in the game"
        )
    die_sight = find_faces(grey, count)
    dice = confirmed(die_sight.faces, pip_sight.faces)
    if len(dice) < count:
        dice = confirmed(die_sight.faces, pip_sight.faces, pip_sight.pips)
    # Die-first's own choice are its best faces: one of them that the other reader does not confirm is not skipped.
    best = {id(seen) for seen in die_sight.faces[:count]}
    if len(dice) != count or any(id(die.seen) not in best for die in dice):
        return _not_so_many(die_sight, dice, count, grey.shape)
    table = _Table(grey, dice, [die.seen.square.corners for die in dice], die_sight, pip_sight, spots)
    doubts = _further_dice(table)
    if doubts is None:
        doubts = _desk(picture, table) if coloured else _bare(picture, table)
    if doubts is not None:
        return doubts
    faces = sorted((die.seen.as_face() for die in dice), key=lambda face: (face.value, face.x))
    return Dice(tuple(faces))


def _over_edge(corners: npt.NDArray[np.float64], shape: tuple[int, ...]) -> bool:
    inner = grown(corners, MARGIN)
    return bool(inner.min() < 0 or inner[:, 0].max() > shape[1] - 1 or inner[:, 1].max() > shape[0] - 1)


def _not_so_many(sight: DieSight, dice: list[Confirmed], count: int, shape: tuple[int, ...]) -> Doubts:
    if len(dice) > count:
        return _no(Doubt.WRONG_COUNT, detail=f"{len(dice)} dice are in the picture, {count} are in the game")
    known = {id(die.seen) for die in dice}
    if any(id(seen) not in known and _over_edge(seen.square.corners, shape) for seen in sight.faces[: count + 1]):
        return _no(Doubt.CUT_BY_FRAME, detail="a die reaches over the edge of the picture")
    if len(sight.faces) >= count:
        return _no(
            Doubt.DETECTORS_DISAGREE,
            detail=f"{len(sight.faces)} faces were found by their outlines; both readers agree on {len(dice)}",
        )
    return _no(Doubt.WRONG_COUNT, detail=f"{len(dice)} dice were read for certain, {count} are in the game")


def _further_dice(table: _Table) -> Doubts | None:
    """What no picture may show: unlike sizes, a face over the frame, one more face or group of pips."""
    sizes = [die.seen.square.size_px for die in table.dice]
    if max(sizes) > MOST_UNLIKE * min(sizes):
        return _no(Doubt.UNCLEAR, detail=f"the faces measure {min(sizes):.0f} to {max(sizes):.0f} pixels")
    for die in table.dice:
        x, y = die.seen.square.centre
        foreign = foreign_pips(die, table.pip_sight.pips)
        if foreign:
            return _no(Doubt.UNCLEAR, Doubt.LEFT_OVER, detail=f"the face at {x:.0f}, {y:.0f} has one more pip")
        if die.seen.square.score < CERTAIN_SQUARE[die.value]:
            return _no(Doubt.UNCLEAR, detail=f"the outline of the face at {x:.0f}, {y:.0f} does not show well enough")
        if _longer(die.seen) > (LONGER_FEW if die.value <= 3 else LONGER):
            return _no(Doubt.UNCLEAR, Doubt.OCCLUDED, detail=f"the face at {x:.0f}, {y:.0f} is not square")
        if is_round(table.grey, die.seen.square.corners, die.seen.square.score) and not _is_framed(
            die.seen, table.grey
        ):
            return _round(die.seen)
    if _nearest(table) < TOO_NEAR:
        return _no(Doubt.UNCLEAR, Doubt.STACKED, detail="two faces are so near that both may be of one die")
    if hides_a_part(table.dice, table.grey, [seen.square for seen in table.die_sight.all_seen]):
        return _no(Doubt.STACKED, Doubt.OCCLUDED, detail="one die may lie on another and hide a part of it")
    further = _both_see(table)
    if further is not None:
        x, y = further.square.centre
        return _no(Doubt.WRONG_COUNT, detail=f"one more die is at {x:.0f}, {y:.0f}")
    if any(_over_edge(corners, table.grey.shape) for corners in table.corners):
        return _no(Doubt.CUT_BY_FRAME, detail="a die reaches over the edge of the picture")
    return None


def _round(seen: Seen) -> Doubts:
    x, y = seen.square.centre
    return _no(Doubt.UNCLEAR, detail=f"what has pips at {x:.0f}, {y:.0f} is round, as no die is")


def _longer(seen: Seen) -> float:
    """The mean of the two longer sides over that of the two shorter ones."""
    corners = seen.square.corners
    sides = np.linalg.norm(corners - corners[[3, 0, 1, 2]], axis=1)
    ratio = float((sides[0] + sides[2]) / (sides[1] + sides[3]))
    return max(ratio, 1 / ratio)


def _is_framed(seen: Seen, grey: Grey) -> bool:
    """Whether a larger square stands around it: a die of which only the round inlay was taken."""
    work, back = working_size(grey)
    x, y = ((each + 0.5) / back - 0.5 for each in seen.square.centre)
    size = seen.square.size_px / back
    left, top = max(0, round(x - FRAMED[2] * size)), max(0, round(y - FRAMED[2] * size))
    part = np.ascontiguousarray(work[top : round(y + FRAMED[2] * size) + 1, left : round(x + FRAMED[2] * size) + 1])
    return any(
        np.hypot(other.centre[0] + left - x, other.centre[1] + top - y) <= FRAMED_OFF * size
        and not is_round(part, other.corners, other.score)
        for other in find_squares(part, sizes_px=(FRAMED[0] * size, FRAMED[1] * size))
        if other.score >= FRAMED_SCORE
    )


def _nearest(table: _Table) -> float:
    """The two nearest faces: distance of their middles in their mean size."""
    squares = [die.seen.square for die in table.dice]
    return min(
        (
            2 * float(np.hypot(*np.subtract(one.centre, other.centre))) / (one.size_px + other.size_px)
            for index, one in enumerate(squares)
            for other in squares[:index]
        ),
        default=float("inf"),
    )


def _beside(table: _Table) -> Iterator[Seen]:
    """Squares of a die's size that stand beside the dice, whatever is on them."""
    smallest = min(die.seen.square.size_px for die in table.dice)
    known = {id(die.seen) for die in table.dice}
    for seen in table.die_sight.all_seen:
        if (
            id(seen) not in known
            and seen.square.size_px >= FURTHER_FACE * smallest
            and all(common_part(seen.square.corners, die) <= ASIDE for die in table.corners)
        ):
            yield seen


def _both_see(table: _Table) -> Seen | None:
    """A square beside the dice on which both readers see the same, if not for certain. Not a one: any spot is that."""
    layouts = [face for face in table.pip_sight.faces if face.value > 1]
    for seen in _beside(table):
        value = seen.reading.value
        if value > 1 and seen.square.score >= BOTH_SEE and any(agrees(seen, face) for face in layouts):
            return seen
    return None


def _is_sure(seen: Seen, table: _Table) -> bool:
    return seen.is_face and seen.square.score >= 0.6 and seen.reading.contrast >= 0.3 * table.weakest


def _is_further(seen: Seen, table: _Table) -> bool:
    """Something like pips on it: a sure face, or one whose sides are all of one kind."""
    return _is_sure(seen, table) or (
        seen.reading.value > 0
        and seen.reading.likeness >= LEAST_LIKENESS
        and seen.square.one_way >= PALE_ONE_WAY
        and seen.reading.contrast >= 0.15 * table.weakest
    )


def _bare(picture: Bgr | Grey, table: _Table) -> Doubts | None:
    """Dice on a plate: nothing may be left over."""
    for seen in _beside(table):
        if _is_further(seen, table):
            x, y = seen.square.centre
            return _no(Doubt.WRONG_COUNT, detail=f"one more face may be at {x:.0f}, {y:.0f}")
    rim = find_rim(table.grey, dice_out(table.corners))
    smallest = min(die.seen.square.size_px for die in table.dice)
    for strength, x, y in frame_steps(table.grey, dice_out(table.corners, by=1.25), rim, smallest):
        if strength >= FRAME_STEP:
            return _no(Doubt.CUT_BY_FRAME, detail=f"an edge runs out of the picture at {x:.0f}, {y:.0f}")
    shown = picture if picture.ndim == 3 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
    bodies = alike_bodies(shown, table.corners)
    if bodies is not None and bodies.cut >= FURTHER_CUT:
        return _like_dice_at_frame()
    doubts = _left_pips(table, table.pip_sight)
    if doubts is not None:
        return doubts
    white = float((table.grey >= 254).mean())
    if white > GLARE_PART:
        return _no(Doubt.GLARE, detail=f"{white:.0%} of the picture is at full white")
    left = left_squares(table.grey, table.corners, rim)
    if left is not None and left.suspicion >= SUSPECT:
        x, y = left.square.centre
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"something square of {left.square.size_px:.0f} pixels is at {x:.0f}, {y:.0f}, beside the dice",
        )
    # The last and slowest look, at what the texture of the plate outdoes.
    return _left_pips(table, find_pip_faces(table.spots, pale=True))


def _left_pips(table: _Table, sight: PipSight) -> Doubts | None:
    """Pips on a plate that belong to none of the dice."""
    groups = left_groups(sight.faces, table.corners, table.weakest)
    groups += left_sure(sight.faces, table.corners, table.radius_px)
    if groups:
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"pips like a {groups[0].value} are at {groups[0].x:.0f}, {groups[0].y:.0f}, beside the dice",
        )
    pairs = left_pairs(sight.pips, table.corners, table.weakest, table.radius_px)
    if pairs:
        (one, other), *_ = pairs
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"pips of one face may be at {one.x:.0f}, {one.y:.0f} and {other.x:.0f}, {other.y:.0f}",
        )
    lone: list[Pip | PipFace] = [
        *left_pips(sight.pips, table.corners, table.weakest),
        *left_ones(sight.faces, table.corners, table.weakest, table.radius_px, ONES_BARE),
    ]
    if lone:
        return _no(Doubt.LEFT_OVER, detail=f"a pip at {lone[0].x:.0f}, {lone[0].y:.0f} belongs to no die")
    return None


def _like_dice_at_frame() -> Doubts:
    return _no(Doubt.CUT_BY_FRAME, detail="something of the dice's colour reaches over the edge of the picture")


def _desk(picture: Bgr, table: _Table) -> Doubts | None:
    """Like dice among other things: nothing else may have their colour. Dice that are not alike must lie bare."""
    for seen in _beside(table):
        if _is_sure(seen, table) and seen.reading.likeness >= DIE_ON_DESK:
            x, y = seen.square.centre
            return _no(Doubt.WRONG_COUNT, detail=f"one more die, of whatever colour, may be at {x:.0f}, {y:.0f}")
    groups = left_groups(table.pip_sight.faces, table.corners, table.weakest, GROUPS_ON_DESK)
    groups = [face for face in groups if outside(face.x, face.y, table.corners, 2.0)]
    if groups:
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"pips like a {groups[0].value} are at {groups[0].x:.0f}, {groups[0].y:.0f}, beside the dice",
        )
    dark = table.dice[0].pips.dark
    own = [face for face in table.pip_sight.faces if face.dark == dark]
    for die in table.dice:
        if is_round(table.grey, die.seen.square.corners, die.seen.square.score, ROUND_ON_DESK):
            return _round(die.seen)
    twos = left_groups(own, table.corners, table.weakest, TWOS_ON_DESK)
    twos = [face for face in twos if outside(face.x, face.y, table.corners, 2.0)]
    if twos:
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"pips like a 2 are at {twos[0].x:.0f}, {twos[0].y:.0f}, beside the dice",
        )
    ones = left_ones(own, table.corners, table.weakest, table.radius_px, ONES_DESK)
    if ones:
        return _no(
            Doubt.LEFT_OVER,
            Doubt.WRONG_COUNT,
            detail=f"a pip at {ones[0].x:.0f}, {ones[0].y:.0f} belongs to no die",
        )
    pips = [pip for pip in table.pip_sight.pips if pip.dark == dark]
    cut = cut_pips(pips, table.corners, table.weakest, table.radius_px, table.grey.shape)
    if cut:
        return _no(
            Doubt.CUT_BY_FRAME, detail=f"a pip at {cut[0].x:.0f}, {cut[0].y:.0f} may be of a die cut by the frame"
        )
    if _nearest(table) < TOO_NEAR_ASLANT:
        return _no(Doubt.UNCLEAR, Doubt.STACKED, detail="two faces are so near that both may be of one die")
    if len({die.pips.dark for die in table.dice}) > 1:
        return _bare(picture, table)
    bodies = alike_bodies(picture, table.corners)
    if bodies is None:
        return _bare(picture, table)
    if bodies.cut >= FURTHER_CUT:
        return _like_dice_at_frame()
    if bodies.further >= FURTHER:
        return _no(
            Doubt.WRONG_COUNT,
            Doubt.LEFT_OVER,
            detail=f"something else has the dice's colour: {bodies.further:.1f} faces large",
        )
    if bodies.aside > BODY_ASIDE:
        return _no(Doubt.UNCLEAR, detail="a face that was read is not the top of its die")
    if (
        min(bodies.per_die) < BODY[0]
        or max(bodies.per_die) > BODY[1]
        or max(bodies.per_die) > BODY_UNLIKE * min(bodies.per_die)
    ):
        return _no(
            Doubt.UNCLEAR,
            Doubt.LEFT_OVER,
            detail=f"the dice's bodies measure {min(bodies.per_die):.1f} to {max(bodies.per_die):.1f} faces",
        )
    return None
