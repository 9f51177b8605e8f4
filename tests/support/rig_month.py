"""Shakes of calibrated rigs by the thousand, rig after rig, in several processes, and what was said of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context

import cv2

from dealer_drivers.dice.profile_make import make_profile
from dealer_drivers.dice.profile_size import ProfileMakeError
from dealer_drivers.dice.rig_reader import RigReader
from hw_sim.dice.rig import rig_of
from hw_sim.dice.scene import Pose
from hw_sim.dice.shakes import shake
from support.rig_dice import calibration_pictures, glance, look

MIX = {
    Pose.FLAT: 0.40,
    Pose.TOUCHING: 0.14,
    Pose.LEANING: 0.06,
    Pose.COCKED: 0.06,
    Pose.STACKED: 0.10,
    Pose.ROLLING: 0.02,
    Pose.CREEPING: 0.03,
    Pose.CUT: 0.03,
    Pose.OUT_OF_VIEW: 0.02,
    Pose.FOUR_DICE: 0.03,
    Pose.TWO_DICE: 0.02,
    Pose.HAND: 0.03,
    Pose.CABLE: 0.03,
    Pose.GLARE: 0.02,
    Pose.FROZEN: 0.01,
    Pose.OUT_OF_FOCUS: 0.01,
}
"""Bad poses far more often than from a real machine."""
NAMED = ("stacked", "leaning", "moving", "wrong_count")
"""Reasons that must be right."""
LEAST_NAMED, LEAST_READ = 0.95, 0.99
A_RIG = 60
"""Shakes of one rig; then comes another."""


@dataclass(slots=True)
class Tally:
    """``said``: by pose, how often each word was said, ``read`` where the true values were. ``wrong``: what was
    accepted and should not have been, ``others``: what was refused and should not, or for another reason.
    ``unfit``: rigs that calibration refused, and its words."""

    said: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    true: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    rigs: list[int] = field(default_factory=list)
    unfit: dict[int, str] = field(default_factory=dict)

    def total(self) -> int:
        """All shakes."""
        return sum(words.total() for words in self.said.values())

    def add(self, other: Tally) -> None:
        """Those of another."""
        for pose, words in other.said.items():
            self.said[pose].update(words)
        self.true |= other.true
        self.wrong += other.wrong
        self.others += other.others
        self.rigs += other.rigs
        self.unfit |= other.unfit

    def of(self, word: str) -> tuple[int, int]:
        """How many of the shakes that this word is true of were answered so, and how many there are."""
        words = [self.said[pose] for pose, true in self.true.items() if true == word]
        return sum(one[word] for one in words), sum(one.total() for one in words)

    def failures(self) -> list[str]:
        """What does not hold of a calibrated rig. In few shakes one miss says nothing of a rate."""
        said = [f"accepted: {one}" for one in self.wrong]
        for word, least in (("read", LEAST_READ), *((word, LEAST_NAMED) for word in NAMED)):
            right, count = self.of(word)
            if count - right > max(1.0, (1 - least) * count):
                said.append(f"{word}: {right} of {count}, at least {least:.0%} wanted")
        return said


def a_rig(seed: int, count: int, quick: bool) -> Tally:
    """Calibrates the rig of this seed and looks at its first shakes; ``quick``: by ``glance``."""
    cv2.setNumThreads(1)
    tally = Tally(rigs=[seed])
    rig = rig_of(seed)
    try:
        reader = RigReader(make_profile(*calibration_pictures(rig, seed)), 3)
    except ProfileMakeError as error:
        tally.unfit[seed] = str(error)
        return tally
    for number in range(count):
        one = shake(seed, rig, number, MIX)
        answer = glance(reader, one) if quick else look(reader, one)
        pose, true = str(one.pose), one.reason or "read"
        word = answer.word
        where = f"rig {seed} ({rig.kind.name}) shake {number} {pose} {one.values}"
        if answer.values is not None and (one.reason is not None or answer.values != one.values):
            word = "wrong"
            tally.wrong.append(f"{where} as {answer.values}")
        elif word != true:
            tally.others.append(f"{where}: {word}: {answer.detail}")
        tally.true[pose] = true
        tally.said[pose][word] += 1
    return tally


def month(first: int, count: int, processes: int, *, quick: bool = False) -> Iterator[Tally]:
    """Tallies of rigs ``first``, ``first`` + 1 and so on as they are done, until ``count`` shakes were looked at."""
    done, seed = 0, first
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        going: set[Future[Tally]] = set()
        planned: dict[Future[Tally], int] = {}
        while done < count:
            while len(going) < processes and done + sum(planned[one] for one in going) < count:
                size = min(A_RIG, count - done - sum(planned[one] for one in going))
                task = pool.submit(a_rig, seed, size, quick)
                planned[task] = size
                going.add(task)
                seed += 1
            over, going = wait(going, return_when=FIRST_COMPLETED)
            for task in over:
                tally = task.result()
                done += tally.total()
                yield tally
