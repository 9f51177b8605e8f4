"""Accept and refuse: how far the same flat dice may seem to differ, chosen from all flat dice that a person confirmed.

The limits of size, squareness and roundness are 1.8 times the farthest that any of the confirmed flat faces was off,
and never beyond what the study of leaning and stacked dice allows (``profile_slant``). Of ``n`` faces none was farther
off; the next one is, at most by the bound for none in ``n``. What lies between a face and its limit is room for days to
come; what lies beyond is refused, which costs a shake and no money. A profile of a dozen pictures is refused where 1.8
times is more than is allowed: so few show some of the faces only. A whole set shows more of them, and a quarter of room
is enough then. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.bounds import at_most
from dealer_calibration.cameras.figures import Bgr, edge_px
from dealer_calibration.dice_rig.margins import margins
from dealer_calibration.dice_rig.shakes import ShakeRead
from dealer_drivers.dice.faces import Dice, Doubts
from dealer_drivers.dice.profile import RigProfile
from dealer_drivers.dice.profile_slant import MORE, with_slant
from dealer_drivers.dice.rig_outline import Pose
from dealer_drivers.dice.rig_reader import RigReader

CHOSEN = ("size", "unequal", "stretch")
FEW, MANY = (12, MORE), (40, 1.25)
"""So many pictures, and how much farther than the farthest face in them the largest limits must lie."""
DRIFT = 0.5
"""Readings that use half of what the station still accepts, on the mean, are drift."""
SOFTER = 0.4
"""Edges that rise over so much more are a lens out of focus: a blur of a pixel and a half makes half as much again."""


def chosen(profile: RigProfile, flat: Sequence[Bgr], count: int) -> tuple[RigProfile, list[Finding]]:
    """The profile with limits from pictures of confirmed flat dice."""
    reader = RigReader(profile, count)
    shown = [(picture, poses) for picture in flat if (poses := _poses(reader, picture))]
    content, said = with_slant(profile.content, shown)
    faces = sum(len(poses) for _, poses in shown)
    limits = content.tolerances
    if said and not _has_room(RigProfile(content, profile.plate), flat, count):
        return profile, [
            Finding(code="limits", ok=False, said=sentence, do_next="mend that and calibrate again")
            for sentence in said
        ]
    beyond = at_most(0, faces)
    text = (
        f"from {faces} flat faces: size within {limits.size:.1%}, squareness {limits.unequal:.1%}, roundness "
        f"{limits.stretch:.1%}; at most {beyond:.1%} of flat faces are farther off than all of these were (95 % sure), "
        "and the limits leave them room"
    )
    figures: dict[str, Any] = {
        "faces": faces,
        "size": round(limits.size, 5),
        "unequal": round(limits.unequal, 5),
        "stretch": round(limits.stretch, 5),
        "beyond_at_most": round(beyond, 5),
    }
    return RigProfile(content, profile.plate), [Finding(code="limits", ok=True, said=text, figures=figures)]


def _has_room(profile: RigProfile, flat: Sequence[Bgr], count: int) -> bool:
    """Whether all flat faces stay well within the largest limits that there may be."""
    reader = RigReader(profile, count)
    used = [part for picture in flat for name, part in margins(reader, picture).items() if name in CHOSEN]
    wanted = float(np.interp(len(flat), (FEW[0], MANY[0]), (FEW[1], MANY[1])))
    return max(used, default=1.0) * wanted <= 1.0


def _poses(reader: RigReader, picture: Bgr) -> list[Pose]:
    looked = reader.look(picture)
    if isinstance(looked, Doubts) or len(looked[0].faces) != reader.count:
        return []
    return [found.square.pose for found in looked[0].faces]


@dataclass(frozen=True, slots=True)
class Again:
    """A kept picture of a shake, read once more."""

    dice: Dice | None
    reasons: tuple[str, ...]
    detail: str


def read_again(reader: RigReader, picture: Bgr) -> Again:
    """With the limits that were chosen."""
    answer = reader.read(picture)
    if isinstance(answer, Doubts):
        return Again(None, tuple(map(str, answer.reasons)), answer.detail)
    return Again(answer, (), "")


def expected(reader: RigReader, pictures: Sequence[Bgr], shakes: Sequence[ShakeRead]) -> dict[str, dict[str, float]]:
    """What later readings should be like: of the shakes that were read rightly. Empty where there is none."""
    sizes, pitches, edges, gains = list[float](), list[float](), list[float](), list[float]()
    profile = reader.profile
    for picture, shake in zip(pictures, shakes, strict=True):
        frame = reader.plate.frame(picture)
        if shake.read is None or shake.read != shake.typed or isinstance(frame, Doubts):
            continue
        die, pip = reader.die_first.read(frame), reader.pip_first.read(picture)
        sizes += [found.face.size_px for found in die.faces if found.face is not None]
        pitches += [one.face.pitch_px for one in pip.faces if one.face.value != 1]
        edges.append(edge_px(picture))
        gains.append(float(np.mean(frame.gain)))
    limits = profile.tolerances
    found = {}
    for name, values, part in (
        ("die_px", sizes, limits.size * DRIFT),
        ("pip_pitch_px", pitches, limits.size * DRIFT),
        ("edge_px", edges, SOFTER),
        ("brightness", gains, limits.exposure * DRIFT),
    ):
        if values and (mean := float(np.nanmean(values))) > 0:
            found[name] = {"value": round(mean, 4), "tolerance": round(mean * part, 5)}
    return found
