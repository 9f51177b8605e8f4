"""How exactly flat faces look flat in a rig's pictures: what a lens that distorts, a lamp from one side or a camera
that looks aslant do to all faces is measured, so that what a die aslant does to one of them can be told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from dealer_drivers.dice.faces import Bgr
from dealer_drivers.dice.profile import Profile
from dealer_drivers.dice.rig_outline import Pose
from dealer_drivers.dice.rig_pip_first import LONE, FoundLayout, PipFirstReader

LEAST_SIZE, MOST_SIZE = 0.006, 0.02
LEAST_UNEQUAL, MOST_UNEQUAL = 0.005, 0.022
LEAST_STRETCH, MOST_STRETCH = 0.010, 0.03
MORE = 1.8
"""How much farther than in the pictures of the calibration flat faces may be off: these show some of them only."""


def with_slant(profile: Profile, pictures: Sequence[tuple[Bgr, Sequence[Pose]]]) -> tuple[Profile, list[str]]:
    """The profile with how its flat faces look and what is tolerated; and what is wrong with the camera, in words.

    ``pictures``: each with where its flat dice lie.
    """
    reader = PipFirstReader(profile)
    seen: list[FoundLayout] = []
    for picture, poses in pictures:
        seen += [
            found
            for found in reader.read(picture).faces
            if any(np.hypot(found.face.x - at.x, found.face.y - at.y) < 0.1 * at.size_px for at in poses)
        ]
    if not seen:
        return profile, ["the pips of no die were found: focus the camera, and light the plate evenly"]
    faces = {}
    stretches = [0.0]
    for name, look in profile.faces.items():
        own = np.array([found.pip_stretch for found in seen if str(found.face.value) == name])
        usual = complex(np.median(own.real), np.median(own.imag)) if len(own) else 0j
        faces[name] = replace(look, stretch=(usual.real, usual.imag))
        stretches += [float(off) / (LONE if name == "1" else 1.0) for off in np.abs(own - usual)]
    sizes = [abs(found.scale - 1) for found in seen if found.face.value > 1]
    unequals = [found.unequal for found in seen if found.face.value > 3]
    size, unequal, stretch = (MORE * max(offs, default=0.0) for offs in (sizes, unequals, stretches))
    tolerances = replace(
        profile.tolerances,
        size=min(MOST_SIZE, max(LEAST_SIZE, size)),
        unequal=min(MOST_UNEQUAL, max(LEAST_UNEQUAL, unequal)),
        stretch=min(MOST_STRETCH, max(LEAST_STRETCH, stretch)),
    )
    said = []
    if size > MOST_SIZE:
        said.append(
            f"the same dice are seen up to {max(sizes):.1%} larger or smaller in some places: use a lens that distorts "
            "less, or hang the camera straight above the plate"
        )
    if unequal > MOST_UNEQUAL:
        said.append(
            f"flat faces are seen {max(unequals):.1%} longer than wide: hang the camera straight above the plate"
        )
    if stretch > MOST_STRETCH:
        said.append(
            f"pips are seen up to {max(stretches):.1%} longer than wide, one face unlike the other: use dice with "
            "round pips, or focus the camera"
        )
    return replace(profile, faces=faces, tolerances=tolerances), said
