"""Shakes of calibrated rigs by the thousand: no wrong dice, every bad pose refused and named, good ones read at
once."""

from __future__ import annotations

import os
import sys
from collections import Counter

import pytest
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from support.rig_month import Tally, a_rig, month


def table(tally: Tally) -> Table:
    """What was said of each pose."""
    refused = f", of which calibration refused {len(tally.unfit)}: {sorted(tally.unfit)}" if tally.unfit else ""
    title = f"{tally.total()} shakes of {len(tally.rigs)} rigs, {min(tally.rigs)} to {max(tally.rigs)}{refused}"
    made = Table("pose", "should be", "shakes", "right", "other answers", title=title)
    for pose in sorted(tally.said):
        words, true = tally.said[pose], tally.true[pose]
        others = ", ".join(f"{word} {number}" for word, number in words.most_common() if word != true)
        made.add_row(pose, true, str(words.total()), f"{words[true] / words.total():.2%}", others)
    return made


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_thirty_thousand_shakes(capfd: pytest.CaptureFixture[str]) -> None:
    """``DEALER_SHAKES`` sets how many, ``DEALER_SHAKES_SEED`` the first rig; with ``DEALER_SHAKES_QUICK=1`` most are
    judged by their first picture alone."""
    count = int(os.environ.get("DEALER_SHAKES", "30000"))
    first = int(os.environ.get("DEALER_SHAKES_SEED", "50000"))
    quick = os.environ.get("DEALER_SHAKES_QUICK") == "1"
    all_of_them = Tally()
    with capfd.disabled():
        console = Console(file=sys.stderr, soft_wrap=True)
        with Progress(console=console, auto_refresh=False) as progress:
            bar = progress.add_task(f"shakes, from rig {first} on", total=count)
            for tally in month(first, count, 2, quick=quick):
                all_of_them.add(tally)
                progress.update(bar, advance=tally.total(), refresh=True)
                if not console.is_terminal:
                    console.print(
                        f"{all_of_them.total()} of {count}, {len(all_of_them.unfit)} rigs unfit", highlight=False
                    )
                for line in (*(f"WRONG {one}" for one in tally.wrong), *tally.others):
                    progress.console.print(line, markup=False, highlight=False)
        console.print(table(all_of_them))
        for seed, why in sorted(all_of_them.unfit.items()):
            console.print(f"rig {seed} is not calibrated: {why}", markup=False, highlight=False)
    assert all_of_them.total() == count
    assert all_of_them.failures() == []


def test_a_rig_that_reads_well_keeps_all_goals() -> None:
    tally = a_rig(50001, 6, quick=False)
    assert tally.total() == 6
    assert tally.failures() == []


def test_what_is_not_kept_is_said() -> None:
    tally = Tally(wrong=["rig 1"], true={"flat": "read", "touching": "read", "stacked": "stacked"})
    tally.said["flat"] = Counter(read=150, glare=1)
    tally.said["touching"] = Counter(read=48, unclear=2)
    tally.said["stacked"] = Counter(stacked=9, leaning=1)
    assert tally.of("read") == (198, 201)
    assert tally.failures() == ["accepted: rig 1", "read: 198 of 201, at least 99% wanted"]
