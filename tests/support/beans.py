"""Simulated fan-tan tables whose cameras a technician has calibrated, and layouts to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import cv2

from dealer_drivers.beans.calibrate import make_profile
from dealer_drivers.beans.layout import BeansCount, BeansDoubts, Bgr
from dealer_drivers.beans.profile import BeansProfile
from dealer_drivers.beans.reader import BeansReader
from hw_sim.beans.layout import NEED_THREE_GROUPS, NEED_TWO_GROUPS, LayoutFault
from hw_sim.beans.paint import paint
from hw_sim.beans.scene import CLOTHS, Rig, Truth, make_rig, make_scene

CALIBRATION = (200, 163, 97, 60, 121, 45)
"""Beans in the pictures that a technician takes."""


def layout_pictures(rig: Rig, counts: tuple[int, ...], seed: str) -> list[Bgr]:
    """A clean layout of each count."""
    rng = Random(seed)
    return [paint(rig, make_scene(count, None, rng)[0], 90_000 + n) for n, count in enumerate(counts)]


@cache
def calibrated(seed: int) -> tuple[Rig, BeansProfile]:
    """A table and its profile; cloth colours take turns."""
    cv2.setNumThreads(1)
    rig = make_rig(seed, sorted(CLOTHS)[seed % len(CLOTHS)])
    return rig, make_profile(layout_pictures(rig, CALIBRATION, f"{seed}/calibration"), CALIBRATION)


@dataclass(frozen=True, slots=True)
class Sample:
    """One simulated layout and what was read of it."""

    seed: str
    truth: Truth
    answer: BeansCount | BeansDoubts

    @property
    def right(self) -> bool:
        """Read, and everything about it is true."""
        truth = self.truth
        return isinstance(self.answer, BeansCount) and (
            (self.answer.beans, self.answer.groups, self.answer.remainder)
            == (truth.beans, truth.groups, truth.remainder)
        )

    @property
    def accepted(self) -> bool:
        """Anything was read."""
        return isinstance(self.answer, BeansCount)


def samples(seed: int, many: int, faults: list[LayoutFault | None]) -> Iterator[Sample]:
    """Layouts of 1 to 200 beans on one table, the faults taking turns."""
    rig, profile = calibrated(seed)
    reader = BeansReader(profile)
    rng = Random(f"{seed}/samples")
    for n in range(many):
        fault = faults[n % len(faults)]
        least = 13 if fault in NEED_THREE_GROUPS else 5 if fault in NEED_TWO_GROUPS else 1
        scene, truth = make_scene(rng.randint(least, 200), fault, rng)
        yield Sample(f"table {seed}, layout {n}", truth, reader.read(paint(rig, scene, n)))
