"""What is decided of a frame of a rig from what the two readers said: exactly the dice, or why not.

Dice are accepted only where both readers say the same of the same places and nothing at all is left to explain. A
refusal names what lies there: each reason is looked for by what it does to a picture, the surest first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dealer_drivers.dice.faces import Dice, Doubts
from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_die_first import DieFirst, FoundFace
from dealer_drivers.dice.rig_pip_first import FoundLayout, PipFirst
from dealer_drivers.readings.dice import Doubt

MISSING = 0.03
"""Part of a face that may be missing from the foreground."""
SQUARE = 0.045
"""How much its edges may differ."""
WHOLE = 0.7
"""Part of a side that must be seen: where dice touch it is hidden, and what is seen of it may be another's."""
OUTLINE = 0.048
"""Part by which an outline, that of a die around a one or of a whole die, may be off: it is measured less exactly than
the pitch of pips."""
CLIPPED = 0.13
"""Saturated part of the faces that tells why one of them cannot be read."""
GLARE = 0.05
"""Saturated area of a rest, in faces, that is no thing but light."""
DULL = 0.05
"""A side that a flat die does not show has less saturated in it."""
LACK = 0.2
"""So much less plate covered than by all dice, in faces, tells that one lies on another."""
LARGE_FOREIGN = 0.5
"""From that area on, in faces, a rest that has not the colour of a die is named before anything else."""
SLIM, SLIM_LONG, SLIM_LIKE = 3.5, 1.25, 1.7
"""Times as long as wide, and edges long: longer than the side of any die; and where it has the colour of dice."""
LEAST_SIDE = 0.7
"""Part of the side towards the middle of the picture that a flat die shows at least."""
SOFT_SIZE = 0.03
"""Part by which a face may seem larger where outlines are soft, before that is called a stack."""
LEAST_CUT = 0.04
"""A part of a die that reaches into the picture shows at least so much, in faces; less may be anything."""
SHARP = 1.0
"""Times the calibrated width of soft outlines that the sharp ones of a picture in focus have at most."""
TOO_MUCH = 0.9
"""So much more plate covered than by all dice, in faces, is more than one that leans can do."""
LARGE_REST, LONG_REST = 1.8, 2.2
"""A single die, however it leans, covers less, in faces, and is not so long, in edges."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Both readers' words, paired by place."""

    die: DieFirst
    pip: PipFirst
    pairs: tuple[tuple[FoundFace, FoundLayout], ...]


def decide(profile: Profile, count: int, die: DieFirst, pip: PipFirst) -> Dice | Doubts:
    """The dice, or the reasons, the strongest first."""
    seen = Evidence(die, pip, _paired(profile, die, pip))
    doubts = _doubts(profile, count, seen)
    if doubts:
        reasons = tuple(dict.fromkeys(reason for reason, _ in doubts))
        return Doubts(reasons, "; ".join(dict.fromkeys(detail for _, detail in doubts)))
    # Where the pips are is known more exactly than where the outline is.
    faces = [
        replace(found.face, x=layout.face.x, y=layout.face.y) for found, layout in seen.pairs if found.face is not None
    ]
    return Dice(tuple(sorted(faces, key=lambda face: (face.value, face.x, face.y))))


def _paired(profile: Profile, die: DieFirst, pip: PipFirst) -> tuple[tuple[FoundFace, FoundLayout], ...]:
    pairs = []
    for found in die.faces:
        for layout in pip.faces:
            pose = found.square.pose
            if float(np.hypot(pose.x - layout.face.x, pose.y - layout.face.y)) < 0.25 * profile.die_px:
                pairs.append((found, layout))
    return tuple(pairs)


def _doubts(profile: Profile, count: int, seen: Evidence) -> list[tuple[Doubt, str]]:
    """Every doubt there is, the strongest reason first."""
    die, pip = seen.die, seen.pip
    doubts = [
        *_first_things(profile, die),
        *_picture(die),
        *_large_things(count, die),
        *_cut(die),
        *_sizes(profile, seen),
    ]
    doubts += [*_leans(profile, seen), *_foreign_things(die)]
    if die.covered < count - LACK and (die.rests or any(found.face is None for found in die.faces)):
        hidden = (Doubt.STACKED, f"{die.covered:.2f} faces of plate are covered, {count} dice cover more")
        doubts = [hidden if reason is Doubt.LEANING else (reason, detail) for reason, detail in doubts]
    agree = _disagreements(profile, seen)
    known = len(die.faces)
    if not doubts and known != count and not agree and not die.rests and not pip.left and not pip.odd:
        doubts.append((Doubt.WRONG_COUNT, f"{known} dice lie there, not {count}"))
    slanted = any(rest.like_die > 0.5 and rest.beside_die and rest.bright < DULL for rest in die.rests)
    if not doubts and not slanted and any(found.light for found in die.faces):
        doubts.append((Doubt.GLARE, "light lies on a face and may hide a pip"))
    if not doubts and (die.rests or any(found.missing > MISSING for found in die.faces)):
        doubts.append(_unexplained(count, die))
    if not doubts and any(found.fits_none and found.like_die > 0.6 and found.of_body for found in die.faces):
        doubts.append((Doubt.LEANING, "a die shows nothing like a flat face"))
    if die.edge_width_px > profile.edge_width_px * profile.tolerances.edge_width:
        doubts.append(_blurred(profile, die))
    doubts += agree
    if known != count:
        doubts.append((Doubt.WRONG_COUNT, f"{known} dice were found, not {count}"))
    if len(pip.faces) != count and not agree:
        doubts.append((Doubt.WRONG_COUNT, f"the pips are those of {len(pip.faces)} dice, not of {count}"))
    if die.rests:
        doubts.append((Doubt.LEFT_OVER, f"{len(die.rests)} things lie there that belong to no die"))
    if pip.left or pip.odd:
        doubts.append((Doubt.LEFT_OVER, f"{len(pip.left) + len(pip.odd)} spots belong to no face"))
    return doubts


def _unexplained(count: int, die: DieFirst) -> tuple[Doubt, str]:
    """What dice that do not lie flat do to the foreground: one on another hides plate of one die, one aslant shows
    more."""
    rest = die.rests[0] if die.rests else None
    where = f" at {rest.x:.0f}, {rest.y:.0f} ({rest.area:.3f} of a face)" if rest else ""
    if rest is not None and not ((rest.like_die > 0.5 or rest.shade > 0.5) and rest.beside_die):
        return Doubt.LEFT_OVER, f"something lies{where}"
    if die.covered < count - LACK:
        return Doubt.STACKED, f"{die.covered:.2f} faces of plate are covered, {count} dice cover more; rest{where}"
    return Doubt.LEANING, f"a side that a flat die does not show{where}"


def _picture(die: DieFirst) -> list[tuple[Doubt, str]]:
    """What is wrong with the whole picture."""
    doubts = [
        (Doubt.GLARE, f"light at {rest.x:.0f}, {rest.y:.0f}") for rest in die.rests if rest.bright * rest.area > GLARE
    ]
    if any(found.face is None for found in die.faces) and die.clipped > CLIPPED:
        doubts.append((Doubt.GLARE, f"light hides {die.clipped:.2f} of a face"))
    return doubts


def _first_things(profile: Profile, die: DieFirst) -> list[tuple[Doubt, str]]:
    """What makes everything else meaningless: a picture far out of focus, a cable."""
    if die.edge_width_px > profile.edge_width_px * profile.tolerances.edge_width and not _sharp_somewhere(profile, die):
        return [_blurred(profile, die)]
    return [
        (Doubt.OCCLUDED, f"something long and thin lies at {rest.x:.0f}, {rest.y:.0f}")
        for rest in die.rests
        if rest.slim > SLIM and rest.long > (SLIM_LONG if rest.like_die < 0.5 else SLIM_LIKE)
        if not (rest.shade > 0.5 and rest.beside_die)
    ]


def _sharp_somewhere(profile: Profile, die: DieFirst) -> bool:
    """Whether some outlines are as sharp as a lens in focus shows them."""
    return die.edge_narrow_px < SHARP * profile.edge_width_px


def _blurred(profile: Profile, die: DieFirst) -> tuple[Doubt, str]:
    wide = profile.edge_width_px * profile.tolerances.edge_width
    return Doubt.BLURRED, f"outlines rise over {die.edge_width_px:.1f} pixels, {wide:.1f} are allowed"


def _large_things(count: int, die: DieFirst) -> list[tuple[Doubt, str]]:
    """What lies there and cannot be a die, by its shape or size."""
    for rest in die.rests:
        where = f"at {rest.x:.0f}, {rest.y:.0f}"
        if rest.length > LONG_REST or rest.area > (LARGE_REST if rest.like_die > 0.5 else LARGE_FOREIGN):
            return [(Doubt.OCCLUDED, f"something large lies {where}")]
    if sum(rest.at_frame for rest in die.rests) > 1:
        return [(Doubt.OCCLUDED, "something lies across the picture from edge to edge")]
    unread = sum(found.face is None for found in die.faces)
    if die.covered > count + TOO_MUCH and (unread or any(rest.area > LARGE_FOREIGN for rest in die.rests)):
        return [(Doubt.OCCLUDED, f"{die.covered:.1f} faces of plate are covered, {count} dice cover less")]
    if die.largest > count + 0.8 or unread > 2:
        return [(Doubt.OCCLUDED, "something larger than the dice lies there")]
    return []


def _foreign_things(die: DieFirst) -> list[tuple[Doubt, str]]:
    """What lies there and has not the colour of a die."""
    for rest in die.rests:
        shadow = rest.shade > 0.5 and rest.beside_die
        if rest.like_die < 0.5 and not shadow and rest.area > 0.06:
            return [(Doubt.OCCLUDED, f"something lies at {rest.x:.0f}, {rest.y:.0f} that is no die")]
    for found in die.faces:
        if found.like_die < 0.4 and found.face is None:
            pose = found.square.pose
            return [(Doubt.OCCLUDED, f"something lies at {pose.x:.0f}, {pose.y:.0f} that is no die")]
    return []


def _cut(die: DieFirst) -> list[tuple[Doubt, str]]:
    if die.cut or any(rest.at_frame and rest.like_die > 0.5 and rest.area > LEAST_CUT for rest in die.rests):
        return [(Doubt.CUT_BY_FRAME, "a die reaches over the edge of the picture")]
    return []


def _sizes(profile: Profile, seen: Evidence) -> list[tuple[Doubt, str]]:
    """Faces nearer to the camera than those of dice on the plate."""
    doubts = []
    allowed, allowed_unequal = profile.tolerances.size, profile.tolerances.unequal
    soft = seen.die.edge_width_px > profile.edge_width_px * profile.tolerances.edge_width
    for layout in seen.pip.faces:
        one = layout.face.value == 1
        limit = OUTLINE if one else max(allowed, SOFT_SIZE) if soft else allowed
        if layout.scale > 1 + limit and layout.unequal < max(allowed_unequal, 0.4 * (layout.scale - 1)):
            doubts.append(
                (Doubt.STACKED, f"the {layout.face.value} is {layout.scale:.3f} times as large as on the plate")
            )
    for found in seen.die.faces:
        known = _edges(profile, found)
        if len(known) == 2 and min(known) > 1 + OUTLINE and abs(known[0] - known[1]) < SQUARE:
            doubts.append((Doubt.STACKED, f"a face is {min(known):.3f} times as large as on the plate"))
    return doubts


def _edges(profile: Profile, found: FoundFace) -> list[float]:
    """Of a die that touches nothing, the edges whose two ends are seen nearly whole, as multiples of the calibrated."""
    if not found.alone:
        return []
    edges, seen = found.square.edges, found.square.seen
    whole = [min(seen[axis], seen[axis + 2]) > WHOLE and not np.isnan(edges[axis]) for axis in (0, 1)]
    return [edges[axis] / profile.die_px for axis in (0, 1) if whole[axis]]


def _leans(profile: Profile, seen: Evidence) -> list[tuple[Doubt, str]]:
    """Faces seen from aslant, and sides that no flat die shows."""
    doubts = []
    for layout in seen.pip.faces:
        one = layout.face.value == 1
        if layout.stretch > profile.tolerances.stretch:
            doubts.append((Doubt.LEANING, f"the pips of the {layout.face.value} are {layout.stretch:.1%} out of round"))
        if layout.unequal > profile.tolerances.unequal:
            doubts.append((Doubt.LEANING, f"the pips of the {layout.face.value} are {layout.unequal:.1%} unequal"))
        elif layout.scale < 1 - (OUTLINE if one else profile.tolerances.size):
            doubts.append(
                (Doubt.LEANING, f"the {layout.face.value} is {layout.scale:.3f} times as large as on the plate")
            )
    for found in seen.die.faces:
        if found.fits_none and found.like_die > 0.6 and _pips_in(profile, found, seen.pip):
            doubts.append((Doubt.LEANING, "pips on a die stand where those of a flat one do not"))
        if found.side < LEAST_SIDE:
            doubts.append((Doubt.LEANING, f"only {found.side:.0%} of the side that a flat die shows is seen"))
        known = _edges(profile, found)
        if len(known) == 2 and abs(known[0] - known[1]) > SQUARE:
            doubts.append((Doubt.LEANING, f"a face is {known[0]:.3f} by {known[1]:.3f} of a flat one"))
    return doubts


def _pips_in(profile: Profile, found: FoundFace, pip: PipFirst) -> bool:
    """Whether pips of no face, or a layout, lie on the square."""
    pose = found.square.pose
    places = [(one.x, one.y) for one in pip.left + pip.odd] + [(one.face.x, one.face.y) for one in pip.faces]
    return any(np.hypot(x - pose.x, y - pose.y) < 0.45 * profile.die_px for x, y in places)


def _disagreements(profile: Profile, seen: Evidence) -> list[tuple[Doubt, str]]:
    """Where the readers do not say the same, or one of them is not certain."""
    doubts = []
    place = profile.tolerances.place * profile.die_px
    for found in seen.die.faces:
        mine = [paired for other, paired in seen.pairs if other is found]
        if found.face is None:
            doubts.append((Doubt.UNCLEAR, found.why))
        elif len(mine) != 1:
            doubts.append(
                (Doubt.DETECTORS_DISAGREE, f"the pips do not show the {found.face.value} that the face shows")
            )
        else:
            face, layout = found.face, mine[0].face
            turn = abs((face.turn_deg - layout.turn_deg + 45) % 90 - 45) if layout.value != 1 else 0.0
            away = float(np.hypot(face.x - layout.x, face.y - layout.y))
            if face.value != layout.value:
                doubts.append((Doubt.DETECTORS_DISAGREE, f"a {face.value} by its face, a {layout.value} by its pips"))
            elif away > place or turn > profile.tolerances.turn_deg:
                doubts.append(
                    (Doubt.DETECTORS_DISAGREE, f"the {face.value} is {away:.1f} pixels and {turn:.1f} degrees apart")
                )
        if found.missing > MISSING:
            doubts.append((Doubt.OCCLUDED, f"{found.missing:.0%} of a face is not seen"))
        if not found.of_body:
            doubts.append((Doubt.UNCLEAR, "a face is not of the colour of the dice"))
    doubts += [
        (Doubt.DETECTORS_DISAGREE, f"the pips show a {alone.face.value} where no die was found")
        for alone in seen.pip.faces
        if sum(other is alone for _, other in seen.pairs) != 1
    ]
    if seen.pip.ambiguous:
        doubts.append((Doubt.UNCLEAR, "the pips can be put together in several ways"))
    return doubts
