"""The checker finds faults that were put into the daemon on purpose, through the same runs as the real daemon's."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from chaos.checker import Rule
from chaos.faults import Fault, Lane
from chaos.mutants import MUTANTS
from chaos.runner import run

OFTEN, SHORT = (0.2, 0.6), (0.3, 0.8)
QUIET: Mapping[str, Lane] = {}


@dataclass(frozen=True)
class Case:
    """What the mutant is put through, and which rules may find it."""

    lanes: Mapping[str, Lane]
    rules: frozenset[Rule]
    seconds: float = 8.0


def uplink(*faults: Fault) -> Mapping[str, Lane]:
    return {"uplink": Lane(faults, OFTEN, SHORT)}


CASES = {
    "drop_on_reconnect": Case(uplink(Fault.CUT, Fault.RESET), frozenset({Rule.WIRE_ORDER, Rule.AHEAD})),
    "acknowledge_ahead": Case(uplink(Fault.HALF_OPEN_DOWN, Fault.DELAY), frozenset({Rule.AHEAD, Rule.WIRE_ORDER})),
    "answer_before_commit": Case(QUIET, frozenset({Rule.TOO_EARLY})),
    "publish_before_commit": Case(
        {"disk": Lane((Fault.FILES_FULL,), OFTEN, (2, 4))}, frozenset({Rule.TOO_EARLY}), 30.0
    ),
    "reorder": Case(uplink(Fault.CUT), frozenset({Rule.WIRE_ORDER})),
    "double_end": Case(QUIET, frozenset({Rule.ENDS}), 3.0),
    "second_body": Case(uplink(Fault.RESET, Fault.CUT, Fault.HALF_OPEN_DOWN), frozenset({Rule.BODIES})),
    "skip_refused": Case({"broker": Lane((Fault.REFUSE,), OFTEN, SHORT)}, frozenset({Rule.WIRE_ORDER, Rule.AHEAD})),
    "forget_on_full_disk": Case(
        {"disk": Lane((Fault.FILES_FULL,), (2, 4), (5, 7))}, frozenset({Rule.UNHEARD, Rule.ENDS}), 40.0
    ),
}


def test_every_mutant_is_put_through_something() -> None:
    assert CASES.keys() == MUTANTS.keys()


IN_EVERY_RUN = ("drop_on_reconnect", "answer_before_commit", "reorder", "double_end")


async def caught(mutant: str, folder: Path) -> None:
    case, seed = CASES[mutant], random.randrange(2**31)
    print(f"seed {seed}")
    result = await run(folder, seed, case.seconds, lanes=case.lanes, mutant=mutant, stop_at=case.rules)
    assert result.broken & case.rules, (result.broken, result.violations[:5])


@pytest.mark.timeout(180)
@pytest.mark.parametrize("mutant", IN_EVERY_RUN)
async def test_a_mutant_of_the_daemon_is_caught(mutant: str, tmp_path: Path) -> None:
    await caught(mutant, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("mutant", sorted(MUTANTS.keys() - IN_EVERY_RUN))
async def test_every_other_mutant_is_caught(mutant: str, tmp_path: Path) -> None:
    await caught(mutant, tmp_path)
