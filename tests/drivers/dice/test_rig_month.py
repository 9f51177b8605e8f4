"""Shakes of calibrated rigs by the thousand: no wrong dice, every bad pose refused and named, good ones read at
once."""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from dealer_drivers.dice.faces import Dice, Doubts
from hw_sim.dice.scene import Pose
from hw_sim.dice.shakes import shake
from support.rig_dice import calibrated, look

MIX = {
    Pose.FLAT: 0.40,
    Pose.TOUCHING: 0.14,
    Pose.LEANING: 0.06,
    Pose.COCKED: 0.06,
    Pose.STACKED: 0.10,
    Pose.ROLLING: 0.03,
    Pose.CREEPING: 0.03,
    Pose.CUT: 0.03,
    Pose.OUT_OF_VIEW: 0.02,
    Pose.FOUR_DICE: 0.03,
    Pose.TWO_DICE: 0.02,
    Pose.HAND: 0.02,
    Pose.CABLE: 0.02,
    Pose.GLARE: 0.02,
    Pose.FROZEN: 0.01,
    Pose.OUT_OF_FOCUS: 0.01,
}
NAMED = ("stacked", "leaning", "moving", "wrong_count")
"""Reasons that must be right in 95 % or more."""
A_RIG = 250
"""Shakes of one rig; then comes another."""


def run(seeds: Iterator[int], count: int) -> dict[str, Counter[str]]:
    """What was said of ``count`` shakes, by what should have been."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    done = 0
    while done < count:
        seed = next(seeds)
        rig, _, reader = calibrated(seed)
        for number in range(min(A_RIG, count - done)):
            one = shake(seed, rig, number, MIX)
            answer = look(reader, one)
            where = f"rig {seed} shake {number} {one.pose} {one.values}"
            if isinstance(answer, Dice):
                assert one.reason is None, f"accepted as {answer.values}: {where}"
                assert answer.values == one.values, f"read as {answer.values}: {where}"
            told = str(answer.reasons[0]) if isinstance(answer, Doubts) else "read"
            said[one.reason or "read"][told] += 1
            done += 1
            if done % 1000 == 0:
                print(f"{done} of {count}, rig {seed}: {dict(said)}", file=sys.stderr, flush=True)
    return said


def check(said: dict[str, Counter[str]]) -> None:
    """The goals of a calibrated rig."""
    good = said["read"]
    assert good["read"] >= 0.99 * good.total(), dict(said)
    for reason in NAMED:
        assert said[reason][reason] >= 0.95 * said[reason].total(), dict(said)


def numbers(first: int) -> Iterator[int]:
    """Seeds of rigs."""
    while True:
        yield first
        first += 1


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_thirty_thousand_shakes() -> None:
    """``DEALER_SHAKES`` sets how many, ``DEALER_SHAKES_SEED`` the first rig."""
    count = int(os.environ.get("DEALER_SHAKES", "30000"))
    check(run(numbers(int(os.environ.get("DEALER_SHAKES_SEED", "50000"))), count))
