"""The station through a mix of all faults at once: nothing lost, doubled, out of order or invented.

``DEALER_CHAOS_MINUTES`` says for how long (2), ``DEALER_CHAOS_SEED`` with which faults (others each time).
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from chaos.faults import LANES, Fault, Lane
from chaos.runner import REST_S, Result, run

MINUTES = float(os.environ.get("DEALER_CHAOS_MINUTES", "2"))
SEED = os.environ.get("DEALER_CHAOS_SEED")


def told(result: Result) -> Result:
    print(json.dumps({"seed": result.seed, **result.figures}))
    return result


@pytest.mark.timeout(MINUTES * 60 + 240)
async def test_everything_goes_wrong_and_nothing_is_lost(tmp_path: Path) -> None:
    seed = int(SEED) if SEED else random.randrange(2**31)
    print(f"seed {seed}")
    result = told(await run(tmp_path, seed, MINUTES * 60 - REST_S))
    assert result.violations == []
    assert result.figures["outcomes"] >= 10
    assert result.figures["duplicates seen"] > 0
    assert result.figures["plays that must be answered"] > 0
    assert result.figures[Fault.KILL_STATION] > 0
    assert result.figures["published, journal not readable"] < result.figures["published"] / 10


@pytest.mark.soak
@pytest.mark.parametrize("fault", [Fault.KILL_STATION, Fault.KILL_BROKER])
async def test_killed_fifty_times(fault: Fault, tmp_path: Path) -> None:
    seed = random.randrange(2**31)
    print(f"seed {seed}")
    lane = Lane((fault,), (0.3, 4.0), (0, 0))
    result = told(await run(tmp_path, seed, 120.0, lanes={"kills": lane}))
    assert result.violations == []
    assert result.figures[fault] >= 40


@pytest.mark.soak
@pytest.mark.parametrize("lane", LANES)
async def test_one_kind_of_fault_alone(lane: str, tmp_path: Path) -> None:
    seed = random.randrange(2**31)
    print(f"seed {seed}")
    result = told(await run(tmp_path, seed, 60.0, lanes={lane: LANES[lane]}))
    assert result.violations == []
