"""How near a good reading comes to each of the limits that would refuse it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dealer_drivers.dice.faces import Bgr, Doubts
from dealer_drivers.dice.rig_decide import MISSING, OUTLINE
from dealer_drivers.dice.rig_reader import RigReader

BINS = 10
"""Of a histogram from 0 to the limit."""
NEAR = 0.9
"""So near to a limit good dice are refused now and then."""
LIMITS = {
    "size": "size of a face by its pips",
    "unequal": "face longer than wide",
    "stretch": "pips out of round",
    "place": "places by the two readers",
    "turn": "turns by the two readers",
    "edges": "softness of outlines",
    "exposure": "brightness of the plate",
    "missing": "part of a face hidden",
}
"""Each limit in words."""


def margins(reader: RigReader, picture: Bgr) -> dict[str, float]:
    """The part of each limit that the picture used, 0 to 1 and beyond; nothing for a picture that cannot be used."""
    profile, frame = reader.profile, reader.plate.frame(picture)
    if isinstance(frame, Doubts):
        return {}
    die, pip = reader.die_first.read(frame), reader.pip_first.read(picture)
    allowed = profile.tolerances
    used: dict[str, list[float]] = {name: [] for name in LIMITS}
    for layout in pip.faces:
        limit = OUTLINE if layout.face.value == 1 else allowed.size
        used["size"].append(abs(layout.scale - 1) / limit)
        used["unequal"].append(layout.unequal / allowed.unequal)
        used["stretch"].append(layout.stretch / allowed.stretch)
    for found in die.faces:
        used["missing"].append(max(0.0, found.missing) / MISSING)
        pose = found.square.pose
        near = [one for one in pip.faces if np.hypot(pose.x - one.face.x, pose.y - one.face.y) < 0.25 * profile.die_px]
        for layout in near:
            away = float(np.hypot(pose.x - layout.face.x, pose.y - layout.face.y))
            used["place"].append(away / (allowed.place * profile.die_px))
            if layout.face.value != 1:  # a lone pip has no turn
                turn = abs((pose.turn_deg - layout.face.turn_deg + 45) % 90 - 45)
                used["turn"].append(turn / allowed.turn_deg)
    used["edges"].append(die.edge_width_px / (profile.edge_width_px * allowed.edge_width))
    used["exposure"].append(abs(float(np.mean(frame.gain)) - 1) / allowed.exposure)
    return {name: round(float(max(parts)), 4) for name, parts in used.items() if parts and not np.isnan(max(parts))}


def histograms(many: Iterable[Mapping[str, float]]) -> dict[str, list[int]]:
    """How many readings used up to a tenth, two tenths … of each limit; the last bin holds all beyond it, too."""
    every = list(many)
    found = {}
    for name in LIMITS:
        parts = [one[name] for one in every if name in one]
        if parts:
            counts, _ = np.histogram(np.clip(parts, 0, 0.9999), bins=BINS, range=(0, 1))
            found[name] = [int(count) for count in counts]
    return found


def bars(counts: Sequence[int]) -> str:
    """A histogram as a line of text."""
    most = max(counts, default=0)
    steps = " ▁▂▃▄▅▆▇█"
    return "".join(steps[0 if not count else 1 + round(7 * count / most)] for count in counts)
