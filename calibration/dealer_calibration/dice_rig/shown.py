"""Pictures of dice laid, or shaken, for a profile: what is on them already, and what is still missing. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from dealer_calibration.bench import Finding
from dealer_calibration.cameras.figures import Bgr
from dealer_calibration.cameras.light import brighter
from dealer_drivers.dice.profile import VALUES, Circle, RigProfile
from dealer_drivers.dice.profile_faces import pips_of
from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.profile_size import ProfileMakeError, SingleDie, isolated

MOST_DICE = 8
"""Counted to say that there are too many."""
WANTED = 2
"""Pictures in which every value is to be seen: one of them may be badly lit."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture: how many single dice are on it, their values where pips tell them, how bright the plate is."""

    picture: Bgr
    dice: int
    values: tuple[int, ...]
    brighter: float


def look_at(plate: Bgr, noise: float, picture: Bgr, count: int) -> Shown:
    """What a picture of ``count`` dice shows against the empty plate."""
    factor = brighter(picture, plate)
    lit = np.clip(picture.astype(np.float32) / max(factor, 0.1), 0, 255).astype(np.uint8)
    even, smooth = (np.asarray(cv2.blur(one, (3, 3)), np.uint8) for one in (lit, plate))
    change = np.asarray(cv2.absdiff(even, smooth).max(axis=2), np.uint8)
    found: list[SingleDie] = []
    for number in sorted(range(1, MOST_DICE + 1), key=lambda number: number != count):
        found = isolated(change, even, smooth, 0, number, noise)
        if found:
            break
    faces = [pips_of(even, die.pose) for die in found]
    return Shown(picture, len(found), tuple(sorted(face.value for face in faces if face)), factor)


def wanting(shown: Sequence[Shown], count: int) -> str:
    """What the next picture should show, as a sentence; empty when nothing is missing."""
    seen = Counter(value for one in shown if one.dice == count for value in set(one.values))
    missing = [str(value) for value in VALUES if seen[value] < WANTED]
    return f"still to be seen: {', '.join(missing)}" if missing else ""


def unusable(one: Shown, count: int) -> str:
    """Why the picture does not help, as a sentence; empty where it does."""
    if one.dice == count:
        return ""
    if one.dice == 0:
        return (
            f"no single dice are seen: {count} must lie flat, apart from each other and from the rim; "
            "were dice on the plate when it was to be empty?"
        )
    return f"{one.dice} single dice are seen, {count} must lie there, apart from each other and from the rim"


WORDS = {
    "lower the exposure": "white_clipped",
    "focus the camera": "focus",
    "the pips of no die were found": "focus",
    "spread the light": "light_uneven",
    "bring the camera nearer": "too_small",
    "are needed": "too_small",
    "pixels wide": "too_small",
    "too high above": "too_high",
    "stand out from the plate": "contrast",
    "not all of one size": "dice_mixed",
    "not all of one kind": "dice_mixed",
    "hang the camera straight": "camera_aslant",
    "show every value": "values_missing",
    "show more ones": "values_missing",
    "lay some dice": "dice_placed",
    "single dice": "dice_count",
    "round pips": "pips_not_round",
    "are read with this profile": "reads_itself",
    "are read as": "reads_itself",
}
"""What a profile cannot be made for, by a part of the sentence that says so; the first that fits names it."""


def profile_of(
    plates: Sequence[Bgr], shown: Sequence[Shown], *, count: int, region: Circle | None, translucent: bool
) -> tuple[RigProfile | None, list[Finding]]:
    """The profile of these pictures, and what was found of it."""
    try:
        profile = make_profile(
            plates,
            [one.picture for one in shown],
            count=count,
            region=region,
            translucent=translucent,
            plate_name="rig.plate.png",
        )
    except ProfileMakeError as error:
        return None, [_refused(sentence) for sentence in error.problems]
    content = profile.content
    said = (
        f"dice are {content.die_px:.1f} px wide, pips {content.pitch_px:.1f} px apart, plate noise {content.noise:.1f}"
    )
    figures = {
        "die_px": round(content.die_px, 2),
        "pitch_px": round(content.pitch_px, 2),
        "edge_width_px": round(content.edge_width_px, 2),
        "rise": content.rise,
        "noise": round(content.noise, 2),
    }
    return profile, [Finding(code="profile", ok=True, said=said, figures=figures)]


def _refused(sentence: str) -> Finding:
    code = next((code for words, code in WORDS.items() if words in sentence), "profile")
    return Finding(code=code, ok=False, said=sentence, do_next="change that, and begin the calibration again")
