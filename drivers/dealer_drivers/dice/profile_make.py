"""A rig's profile measured from pictures: some of the empty plate, some of dice that lie flat and apart on it.

What is measured is what the readers measure again later, by the same means where they share one (outline, pitch), so
that a bias of the method is in both and cancels. Pure: pictures in, profile out; whoever calls it writes the files.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from msgspec.structs import replace

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.profile import (
    VALUES,
    Circle,
    Colour,
    FaceLook,
    Polygon,
    Profile,
    RigProfile,
    Tolerances,
    encode_plate,
)
from dealer_drivers.dice.profile_check import Shown, seen_badly, unread
from dealer_drivers.dice.profile_faces import FacePips, pips_of
from dealer_drivers.dice.profile_size import ProfileMakeError, SingleDie, isolated, size_of
from dealer_drivers.dice.profile_slant import with_slant
from dealer_drivers.dice.rig_die_first import edge_widths
from dealer_drivers.dice.rig_frame import Floats
from dealer_drivers.dice.rig_lone import Surroundings
from dealer_drivers.dice.rig_outline import Pose, draw, outline
from dealer_drivers.dice.rig_spots import SpotFinder
from dealer_drivers.dice.rig_squares import fit

LEAST_PIP_PX = 5.0
"""Radius."""
LEAST_CONTRAST = 28.0
"""Grey levels between dice and plate."""
LEAST_SHADOW = 0.6
"""How far a shadow may fall in any case, in edges: a faint one is not measured well."""
ALIKE = 45.0
"""Bodies nearer than that in colour are one."""


def make_profile(
    plates: Sequence[Bgr],
    dice: Sequence[Bgr],
    *,
    count: int = 3,
    region: Circle | Polygon | None = None,
    translucent: bool = False,
    plate_name: str = "plate.png",
) -> RigProfile:
    """The profile of the rig that all pictures are of.

    ``plates``: at least two of the empty plate. ``dice``: at least six with ``count`` dice each, flat, not touching,
    some near the rim, all six values among them, in the light of play. ``region``: what to look at, the whole
    picture by default. Raises ``ProfileMakeError``.
    """
    if len(plates) < 2:
        raise ProfileMakeError("take at least two pictures of the empty plate: their difference is the noise")
    if len(dice) < 6:
        raise ProfileMakeError("take at least six pictures of dice")
    sizes = {picture.shape for picture in (*plates, *dice)}
    if len(sizes) != 1 or len(next(iter(sizes))) != 3:
        raise ProfileMakeError("all pictures must have the same size and be in colour")
    height, width = plates[0].shape[:2]
    first = np.median(np.stack([_lit_like(p, plates[0]) for p in plates]), axis=0)
    plate = np.asarray(np.clip(np.rint(first), 0, 255), np.uint8)
    noise = max(0.5, _noise(plates, plate))
    where = region or Polygon(corners=((0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)))
    even = [np.asarray(cv2.blur(_lit_like(picture, plate), (3, 3)), np.uint8) for picture in dice]
    smooth = np.asarray(cv2.blur(plate, (3, 3)), np.uint8)
    changes = [np.asarray(cv2.absdiff(picture, smooth).max(axis=2), np.uint8) for picture in even]
    found: list[SingleDie] = []
    for n, change in enumerate(changes):
        found += isolated(change, even[n], smooth, n, count, noise)
    if len(found) < 2 * len(dice):
        raise ProfileMakeError(
            f"of {len(dice)} pictures only {len(found) // count} show {count} single dice: lay them flat, apart from "
            "each other and from the rim, on a plate that differs from them"
        )
    axis = ((width - 1) / 2, (height - 1) / 2)
    sized = size_of(found, even, smooth, axis, noise)
    die_px, rise = sized.die_px, sized.rise
    placed = [fit(sized, [one.pose], one.contour, (6.0, 4.0, 4.0))[0].pose for one in found]
    faces = [face for one, pose in zip(found, placed, strict=True) if (face := pips_of(even[one.picture], pose))]
    looks, pitch, aspect = _looks(faces, die_px)
    bodies = _bodies(faces)
    contrast = min(
        float(np.abs(smooth.reshape(-1, 3)[::97].astype(float) - body).max(axis=1).mean()) for body in bodies
    )
    if contrast < LEAST_CONTRAST:
        raise ProfileMakeError(
            f"the dice stand out from the plate by {contrast:.0f} grey levels only: use another plate"
        )
    corner = float(np.median([_corner(one, pose) for one, pose in zip(found, placed, strict=True)]))
    width_px = float(
        np.median([edge_widths(changes[n], [o.contour for o in found if o.picture == n])[0] for n in _seen(found)])
    )
    data = encode_plate(plate)[1]
    draft = Profile(
        dice_profile=1,
        width=width,
        height=height,
        plate=plate_name,
        plate_sha256=data,
        region=where,
        die_px=die_px,
        rise=rise,
        axis=axis,
        corner=corner,
        one_px=die_px,
        pitch_px=pitch,
        six_aspect=aspect,
        faces=looks,
        bodies=tuple(bodies),
        body_spread=float(np.median([face.spread for face in faces])),
        translucent=translucent,
        shadow=0.0,
        shadow_px=0.0,
        noise=noise,
        edge_width_px=width_px,
        tolerances=Tolerances(),
    )
    shadow, shadow_px = _shadow(draft, even, smooth, found, placed, noise)
    draft = replace(draft, shadow=shadow, shadow_px=shadow_px)
    shown = _shown(draft, dice, found, placed, even)
    content, slanted = with_slant(
        replace(draft, one_px=_one(draft, shown)), [(one.picture, one.poses) for one in shown]
    )
    made = RigProfile(content, plate)
    if problems := made.content.problems() or seen_badly(made.content, shown) or slanted or unread(made, shown, count):
        raise ProfileMakeError(*problems)
    return made


def _lit_like(picture: Bgr, plate: Bgr) -> Bgr:
    """The picture at the plate's brightness."""
    ratios = np.median(picture[::4, ::4].reshape(-1, 3) / np.maximum(plate[::4, ::4].reshape(-1, 3), 1.0), axis=0)
    return np.asarray(np.clip(np.rint(picture / np.maximum(ratios, 0.1)), 0, 255), np.uint8)


def _noise(plates: Sequence[Bgr], plate: Bgr) -> float:
    off = np.concatenate([(p[::3, ::3].astype(float) - plate[::3, ::3]).ravel() for p in plates])
    limit = 6 * float(np.median(np.abs(off))) + 2
    return float(off[np.abs(off) < limit].std())


def _looks(faces: list[FacePips], die_px: float) -> tuple[dict[str, FaceLook], float, float]:
    looks = {}
    for value in VALUES:
        some = [face for face in faces if face.value == value]
        if not some:
            seen = ", ".join(str(v) for v in sorted({face.value for face in faces})) or "none"
            raise ProfileMakeError(
                f"no {value} was found among the dice (found: {seen}): show every value at least once"
            )
        radius = float(np.median([face.radius for face in some])) * die_px
        if radius < LEAST_PIP_PX:
            raise ProfileMakeError(f"the pips of the {value} are {2 * radius:.0f} pixels wide: bring the camera nearer")
        colour = np.median([face.pip for face in some], axis=0)
        looks[str(value)] = FaceLook(
            pip_radius_px=radius, pip_bgr=_colour(colour), dark=sum(face.dark for face in some) * 2 > len(some)
        )
    pitches = [face.pitch for face in faces if face.value in (2, 3, 4, 5)]
    if np.std(pitches) > 0.03 * np.median(pitches):
        raise ProfileMakeError(
            "the pips do not stand equally far apart: the dice are not all of one kind, or not all flat"
        )
    pitch = float(np.median(pitches))
    sixes = float(np.median([face.rows for face in faces if face.value == 6])) / (2 * pitch)
    return looks, pitch * die_px, 1.0 if abs(sixes - 1) < 0.03 else sixes


def _bodies(faces: list[FacePips]) -> list[Colour]:
    groups: list[list[Floats]] = []
    for face in faces:
        colour = np.array(face.body)
        for group in groups:
            if float(np.abs(colour - np.median(group, axis=0)).max()) < ALIKE:
                group.append(colour)
                break
        else:
            groups.append([colour])
    return [_colour(np.median(group, axis=0)) for group in groups]


def _colour(values: Floats) -> Colour:
    return float(values[0]), float(values[1]), float(values[2])


def _corner(one: SingleDie, pose: Pose) -> float:
    """Radius of the corners, from how far the outline stays away from them: a circle stays away by 0.414 radii."""
    own = np.abs(pose.to_own(one.contour)) / pose.size_px
    gap = np.hypot(0.5 - own[:, 0], 0.5 - own[:, 1]).min()
    return float(np.clip(gap / 0.4142, 0.0, 0.35))


def _shown(
    draft: Profile, dice: Sequence[Bgr], found: list[SingleDie], placed: list[Pose], even: list[Bgr]
) -> list[Shown]:
    """The pictures whose dice were found, with the good pips on them."""
    finder = SpotFinder(draft)
    shown = []
    for n in _seen(found):
        poses = tuple(pose for one, pose in zip(found, placed, strict=True) if one.picture == n)
        faces = [face for pose in poses if (face := pips_of(even[n], pose))]
        values = tuple(sorted(face.value for face in faces)) if len(faces) == len(poses) else None
        shown.append(Shown(dice[n], poses, values, tuple(spot for spot in finder.find(dice[n]) if spot.good)))
    return shown


def _one(draft: Profile, shown: list[Shown]) -> float:
    """How large dice that show a one seem from their pip."""
    surroundings = Surroundings(draft)
    sizes = []
    for one in shown:
        for spot in one.spots:
            middle = any(np.hypot(spot.pip.x - at.x, spot.pip.y - at.y) < 0.06 * at.size_px for at in one.poses)
            if 1 in spot.values and middle:
                around = surroundings.look(one.picture, spot)
                if around.proved:
                    sizes.append(around.size_px)
    if not sizes:
        raise ProfileMakeError("no one can be told by the die around its pip: show more ones, in the light of play")
    return float(np.median(sizes))


def _seen(found: list[SingleDie]) -> list[int]:
    return sorted({one.picture for one in found})


def _shadow(
    draft: Profile, even: list[Bgr], plate: Bgr, found: list[SingleDie], placed: list[Pose], noise: float
) -> tuple[float, float]:
    """Deepest and farthest shadow: outside all dice, what is darker than the plate, as a part and in pixels."""
    deep, far = [0.0], [0.0]
    for n in _seen(found):
        dice = np.full(plate.shape[:2], 255, np.uint8)
        for one, pose in zip(found, placed, strict=True):
            if one.picture == n:
                draw(dice, outline(draft, pose, 2.0 + 0.6 * draft.edge_width_px), 0)
        away = cv2.distanceTransform(dice, cv2.DIST_L2, 3)
        seen = cv2.blur(even[n], (5, 5)).sum(axis=2).astype(np.float32)
        light = seen / np.maximum(cv2.blur(plate, (5, 5)).sum(axis=2).astype(np.float32), 1)
        fall = plate.max(axis=2) * (1 - light)
        dark = (fall > noise + 3) & (away > 2) & (away < 2 * draft.die_px)
        opened = cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)) > 0
        if opened.any():
            deep.append(float(np.percentile(1 - light[opened], 99)))
            far.append(float(np.percentile(away[opened], 99.5)))
    reach = max(LEAST_SHADOW * draft.die_px, float(np.percentile(far, 95)))
    return float(min(0.75, np.percentile(deep, 90))), reach
