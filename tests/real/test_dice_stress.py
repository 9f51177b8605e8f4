"""Stress pictures made from photographs: a fourth die cut by the frame or pasted in is never overlooked.

The photographs themselves did not show this hole: a reader with no wrong value on any of them still took a quarter of
the crops (``dice-study.md`` §4). A sample runs always, all of it with ``-m soak``. Nothing made here is kept.
"""

from __future__ import annotations

import csv
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from dealer_drivers.dice.faces import Dice, Doubts
from dealer_drivers.dice.still_decide import decide_still
from dealer_drivers.readings.dice import Doubt
from support.dice_stress import CHANGES, LEANS, DieBox, Picture, cut_crops, die_boxes, laid, lean_on, paste

DICE = 3
SHARES = (0.3, 0.5, 0.7)
ALLOWED = {1.0: 0.0, 0.6: 0.01, 0.35: 0.02}
"""Opacity of a pasted die to the share of such pictures that may be accepted."""
LEANING_ALLOWED = 0.08
"""Share of the pictures with a die that hides a little of another that may be accepted. Without any rule for it the
reader takes four of ten; what is left are mostly dice of which only the inlay was taken for the outline."""
CLOSED = {
    "nell_IMG_20191209_095944.jpg: top leaves 30% of the 6 at 305,210",
    "matteo_train_four_40.jpg: left leaves 30% of the 4 at 151,175",
}
"""Crops that were once accepted: of a die so small that the strip beside the edge was deeper than what was left of it,
and of one that lies against another die, so that both made one body."""
PALE = (
    ("rune_00161_b.jpg", "rune_00013_a.jpg", 3, 546.3, 431.9, 180),
    ("rune_00086_b.jpg", "rune_00165_a.jpg", 3, 487.5, 506.3, 270),
    ("rune_00003_a.jpg", "rune_00006_a.jpg", 1, 93.7, 241.4, 270),
    ("rune_00018_a.jpg", "rune_00080_b.jpg", 4, 164.8, 485.9, 90),
    ("rune_00149_b.jpg", "rune_00183_a.jpg", 5, 155.8, 279.3, 270),
)
"""Dice pasted at 35 % that were once overlooked: picture, donor, value, place and turn in degrees. The grain of the
plate outdid their pips, or one of its lines ran through the face."""
SEED = 20261


@dataclass(frozen=True, slots=True)
class Photograph:
    path: Path
    source: str
    values: tuple[int, ...]
    """Ascending; empty where not labelled."""
    dice: int
    """0 where unknown."""
    expected: str

    def picture(self) -> Picture:
        picture = cv2.imread(str(self.path))
        assert picture is not None, self.path
        return np.asarray(picture, np.uint8)

    @property
    def is_complete(self) -> bool:
        return len(self.values) == self.dice


@dataclass(frozen=True, slots=True)
class Case:
    """One picture to decide. ``truth``: its dice, or nothing where it must be refused."""

    kind: str
    name: str
    source: str
    picture: Picture
    truth: tuple[int, ...] | None


@cache
def photographs(folder: Path) -> tuple[Photograph, ...]:
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        found = tuple(
            Photograph(
                folder / row["file"],
                row["source"].split("/")[0],
                tuple(int(value) for value in row["values"].split("-") if value),
                int(row["n_dice"] or 0),
                row["expected"],
            )
            for row in csv.DictReader(file)
        )
    assert len(found) > 500
    return found


@cache
def boxes_of(photograph: Photograph) -> tuple[DieBox, ...] | None:
    return die_boxes(photograph.picture(), photograph.values)


def mixed(photos: Iterable[Photograph], seed: int) -> list[Photograph]:
    """In an order that is always the same and has nothing to do with the file names, the sources taking turns."""
    by_source: dict[str, list[Photograph]] = defaultdict(list)
    for photo in sorted(photos, key=lambda each: each.path.name):
        by_source[photo.source].append(photo)
    chance = random.Random(seed)
    out: list[tuple[float, str, Photograph]] = []
    for source, group in by_source.items():
        chance.shuffle(group)
        out += [((index + 0.5) / len(group), source, photo) for index, photo in enumerate(group)]
    return [photo for _, _, photo in sorted(out, key=lambda each: each[:2])]


def cut_cases(photos: Iterable[Photograph]) -> Iterator[Case]:
    """Three dice whole and one more over the edge."""
    for photo in mixed((each for each in photos if each.is_complete and each.dice in (4, 5)), SEED):
        boxes = boxes_of(photo)
        if boxes is None:
            continue
        for share in SHARES:
            for name, picture in cut_crops(photo.picture(), boxes, (share,), DICE):
                yield Case(f"cut to {share:.0%}", f"{photo.path.name}: {name}", photo.source, picture, None)


def paste_cases(photos: Iterable[Photograph], opacity: float) -> Iterator[Case]:
    """A fourth die where three are, from another picture of the same camera."""
    known = [each for each in photos if each.is_complete and each.dice in (3, 4)]
    whole = mixed((each for each in known if each.dice == DICE and each.expected != "refuse"), SEED + 1)
    for index, photo in enumerate(whole):
        # Its own chance: a die more or less in one picture leaves the pictures after it as they are.
        chance = np.random.default_rng([SEED, round(100 * opacity), index])
        boxes = boxes_of(photo)
        donors = [each for each in known if each.source == photo.source and each != photo]
        if boxes is None or not donors:
            continue
        for _ in range(8):
            donor = donors[int(chance.integers(len(donors)))]
            dice = boxes_of(donor)
            if dice is None:
                continue
            die = dice[int(chance.integers(len(dice)))]
            if die.side_px < 0.6 * min(box.side_px for box in boxes):
                continue  # a speck taken for a die, or a die that could not be of this game
            picture = paste(photo.picture(), boxes, donor.picture(), die, opacity, chance)
            if picture is not None:
                name = f"{photo.path.name}: the {die.value} of {donor.path.name}"
                yield Case(f"pasted at {opacity:.0%}", name, photo.source, picture, None)
                break


def lean_cases(photos: Iterable[Photograph], each: int) -> Iterator[Case]:
    """One of three dice laid on another, so many times for every picture that is read: the others teach nothing."""
    for index, photo in enumerate(mixed((photo for photo in photos if photo.expected == "read"), SEED + 3)):
        picture = photo.picture()
        read = decide_still(picture, DICE)
        if not isinstance(read, Dice):
            continue
        boxes = tuple(DieBox(face.value, face.x, face.y, face.size_px, face.turn_deg) for face in read.faces)
        ways = [(one, other, lean) for one in range(DICE) for other in range(DICE) if one != other for lean in LEANS]
        random.Random(SEED + index).shuffle(ways)
        made = 0
        for upper, lower, lean in ways:
            stacked = lean_on(picture, boxes, upper, lower, lean)
            if stacked is None:
                continue
            name = f"{photo.path.name}: the {boxes[upper].value} on the {boxes[lower].value}, {lean}"
            yield Case(f"leaning at {lean.distance}", name, photo.source, stacked, None)
            made += 1
            if made == each:
                break


def changed_cases(photos: Iterable[Photograph], read: int, refuse: int, every: int = 1) -> Iterator[Case]:
    """The same scenes otherwise seen, so many changes of each picture that is to be read and to be refused."""
    names = list(CHANGES)
    chosen = mixed((each for each in photos if each.expected != "either"), SEED + 2)[::every]
    for index, photo in enumerate(chosen):
        picture, chance = photo.picture(), np.random.default_rng([SEED, index])
        truth = photo.values if photo.expected == "read" else None
        for step in range(read if photo.expected == "read" else refuse):
            # Stepping by five of sixteen meets each change before any comes again.
            name = names[(index + 5 * step) % len(names)]
            yield Case(name, f"{photo.path.name}: {name}", photo.source, CHANGES[name](picture, chance), truth)


@dataclass(slots=True)
class Count:
    made: int = 0
    right: int = 0
    wrong: int = 0
    falsely: int = 0


def gone_through(cases: Iterable[Case]) -> tuple[dict[tuple[str, str], Count], list[str]]:
    """Figures by source and kind, and every picture accepted that must not be."""
    counts: dict[tuple[str, str], Count] = defaultdict(Count)
    faults: list[str] = []
    for case in cases:
        count = counts[case.source, case.kind]
        count.made += 1
        decided = decide_still(case.picture, DICE)
        if not isinstance(decided, Dice):
            continue
        if case.truth is None:
            count.falsely += 1
            faults.append(f"{case.source} {case.kind}: {case.name}: accepted as {decided.values}")
        elif decided.values == case.truth:
            count.right += 1
        else:
            count.wrong += 1
            faults.append(f"{case.source} {case.kind}: {case.name}: read as {decided.values}, is {case.truth}")
    print(f"{'source':16}{'what':26}{'made':>6}{'right':>7}{'wrong':>7}{'falsely accepted':>18}")
    for (source, kind), count in sorted(counts.items()):
        print(f"{source:16}{kind:26}{count.made:6}{count.right:7}{count.wrong:7}{count.falsely:18}")
    for fault in faults:
        print(fault)
    return counts, faults


def some(cases: Iterator[Case], every: int, count: int) -> Iterator[Case]:
    """A sample: one of ``every``, at most ``count``."""
    taken = 0
    for index, case in enumerate(cases):
        if index % every == 0:
            yield case
            taken += 1
        if taken == count:
            return


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield
    cv2.setNumThreads(before)


@pytest.fixture(scope="module")
def photos(real_data: Path) -> tuple[Photograph, ...]:
    return photographs(real_data / "dice")


@pytest.mark.timeout(600)
def test_a_fourth_die_over_the_edge_is_not_overlooked(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(some(cut_cases(photos), 2, 6))
    assert sum(count.made for count in counts.values()) == 6
    assert not faults


@pytest.mark.timeout(600)
def test_crops_that_were_once_accepted_show_a_die_over_the_edge(photos: tuple[Photograph, ...]) -> None:
    whole = [photo for photo in photos if any(name.startswith(photo.path.name) for name in CLOSED)]
    answers = {case.name: decide_still(case.picture, DICE) for case in cut_cases(whole) if case.name in CLOSED}
    assert answers.keys() == CLOSED
    for answer in answers.values():
        assert isinstance(answer, Doubts)
        assert answer.reasons == (Doubt.CUT_BY_FRAME,)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("opacity", ALLOWED)
def test_a_fourth_die_pasted_in_is_not_overlooked(photos: tuple[Photograph, ...], opacity: float) -> None:
    counts, faults = gone_through(some(paste_cases(photos, opacity), 1, 3))
    assert sum(count.made for count in counts.values()) == 3
    # So few cannot show one in a hundred: a pale one may pass, no other.
    assert len(faults) <= (1 if opacity < 0.5 else 0)


@pytest.mark.timeout(600)
def test_pale_dice_that_were_once_overlooked(photos: tuple[Photograph, ...]) -> None:
    named = {photo.path.name: photo for photo in photos}
    for name, donor, value, x, y, turn_deg in PALE:
        picture, boxes = named[name].picture(), boxes_of(named[donor])
        assert boxes is not None
        (die,) = (box for box in boxes if box.value == value)
        whole = decide_still(picture, DICE)
        assert isinstance(whole, Dice)
        assert whole.values == named[name].values
        answer = decide_still(laid(picture, named[donor].picture(), die, (x, y), turn_deg, 1.0, 0.35), DICE)
        assert isinstance(answer, Doubts), (name, answer)
        assert Doubt.LEFT_OVER in answer.reasons


@pytest.mark.timeout(600)
def test_a_die_that_hides_a_little_of_another_is_not_read(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(some(lean_cases(photos, 1), 1, 3))
    assert sum(count.made for count in counts.values()) == 3
    # The first of them is read where no rule minds a die that lies on another.
    assert not faults


@pytest.mark.timeout(600)
def test_the_same_scene_otherwise_seen_gives_nothing_wrong(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(changed_cases(photos, read=2, refuse=1, every=72))
    assert sum(count.made for count in counts.values()) >= 8
    assert not faults


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
def test_no_fourth_die_over_the_edge_of_all(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(cut_cases(photos))
    assert sum(count.made for count in counts.values()) > 300
    assert not faults


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
@pytest.mark.parametrize("opacity", ALLOWED)
def test_few_pasted_dice_of_all(photos: tuple[Photograph, ...], opacity: float) -> None:
    counts, faults = gone_through(paste_cases(photos, opacity))
    made = sum(count.made for count in counts.values())
    assert made > 80
    assert len(faults) <= math.floor(ALLOWED[opacity] * made)


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
def test_few_leaning_dice_of_all(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(lean_cases(photos, 6))
    made = sum(count.made for count in counts.values())
    assert made > 300
    assert len(faults) <= math.floor(LEANING_ALLOWED * made)


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
def test_nothing_wrong_of_all_otherwise_seen(photos: tuple[Photograph, ...]) -> None:
    counts, faults = gone_through(changed_cases(photos, read=5, refuse=2))
    assert sum(count.made for count in counts.values()) > 1000
    assert sum(count.right for count in counts.values()) > 200
    assert not faults
