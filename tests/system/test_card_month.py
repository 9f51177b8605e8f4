"""A month of simulated hands with every fault, in process: no wrong outcome, no lost hand, each fault its action.

The bytes go from the simulator's own encoders straight through driver and table, on simulated time; a simulated
manager decides what is held, resumes what is paused, and corrects by the video. What counts is the simulator's record
of the cards. ``games.md`` §3 says what each fault must lead to.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from hw_sim.shoe.faults import SCANNER_FAULTS, SHOE_FAULTS, CardFault
from support.card_audit import Audit
from support.card_floor import Floor

SHOE = """
game = "{game}"
round_source = "{source}"
{more}
[tables.t.shoe]
decks = 8
require_verified = false
[[tables.t.devices]]
"""
ANGEL_EYE = SHOE.format(game="baccarat", source="device", more="") + (
    'name = "shoe"\ndriver = "angel-eye"\nport = "/dev/dealer/shoe"\nacknowledge = {acknowledge}\n'
)
SCANNER = (
    'name = "scanner"\ndriver = "barcode-serial"\nport = "/dev/dealer/scanner"\n'
    'codebook = "{folder}/scanner.codebook.toml"\n'
)


def rates(each: float, *faults: CardFault, **others: float) -> str:
    lines = {fault.value: each for fault in sorted(faults)} | others
    return "[devices.rates]\n" + "".join(f"{name} = {rate}\n" for name, rate in lines.items())


@dataclass(frozen=True)
class Kind:
    """One way to play: the table's section, the simulated device, and how people go about it."""

    config: str
    scenario: str
    server_rounds: bool = False
    attentive: bool = True


EVERY_SHOE_FAULT = rates(0.03, *SHOE_FAULTS, shoe_empty=0.006, cut_card=0.012)
KINDS = {
    "angel-eye": Kind(
        ANGEL_EYE.format(acknowledge="false"),
        f'name = "shoe"\nmodel = "angel-eye"\nburn_by_first = true\n{EVERY_SHOE_FAULT}',
    ),
    "angel-eye, nobody looks before dealing": Kind(
        ANGEL_EYE.format(acknowledge="false"),
        f'name = "shoe"\nmodel = "angel-eye"\n{EVERY_SHOE_FAULT}',
        attentive=False,
    ),
    "angel-eye, acknowledged": Kind(
        ANGEL_EYE.format(acknowledge="true"), f'name = "shoe"\nmodel = "angel-eye"\n{EVERY_SHOE_FAULT}'
    ),
    "angel-eye, sent once": Kind(
        ANGEL_EYE.format(acknowledge="false"), f'name = "shoe"\nmodel = "angel-eye"\nsends = 1\n{EVERY_SHOE_FAULT}'
    ),
    "scanner, unit codes": Kind(
        SHOE.format(game="baccarat", source="server", more="") + SCANNER,
        'name = "scanner"\nmodel = "scanner"\ngame = "baccarat"\ncodes = "unit"\naim = "]C0"\nsuffix = "CR"\n'
        + rates(0.05, *(SCANNER_FAULTS - {CardFault.MISREAD}), shoe_empty=0.01, cut_card=0.02),
        server_rounds=True,
    ),
    "scanner, dragon tiger": Kind(
        SHOE.format(game="dragon-tiger", source="server", more="burn = true") + SCANNER,
        'name = "scanner"\nmodel = "scanner"\ngame = "dragon-tiger"\nburn = true\ncodes = "rank-suit-book"\n'
        + rates(0.05, *(SCANNER_FAULTS - {CardFault.PASSED_TWICE}), shoe_empty=0.01, cut_card=0.02),
        server_rounds=True,
    ),
}


def month(kind: str, hands: int, seed: int, folder: Path) -> Audit:
    began = time.monotonic()
    chosen = KINDS[kind]
    floor = Floor(
        chosen.config,
        chosen.scenario,
        seed,
        folder,
        server_rounds=chosen.server_rounds,
        attentive=chosen.attentive,
    )
    floor.run(hands)
    audit = Audit(floor)
    took = round(time.monotonic() - began, 1)
    print(json.dumps({"kind": kind, "seed": seed, "events": len(floor.events), "took_s": took, **audit.figures()}))
    return audit


def check(audit: Audit) -> None:
    assert audit.wrong == []
    assert audit.invented == []
    assert audit.lost == []
    assert audit.unanswered == []
    assert audit.false_alarms == []
    assert audit.ends["outcome by device"] > 0.6 * audit.figures()["hands"]


@pytest.mark.parametrize("kind", KINDS)
def test_some_hundred_hands(kind: str, tmp_path: Path) -> None:
    check(month(kind, 300, 20260101, tmp_path))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_hands(kind: str, tmp_path: Path) -> None:
    audit = month(kind, 10_000, 1, tmp_path)
    check(audit)
    struck = {name.partition(":")[0] for name in audit.faults}
    chosen = SHOE_FAULTS if kind.startswith("angel-eye") else SCANNER_FAULTS
    assert struck >= {fault.value for fault in chosen} - {"misread", "passed_twice"}, "every fault struck"
