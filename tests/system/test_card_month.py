"""A month of simulated hands with every fault, in process: no wrong outcome, no lost hand, each fault its action.

The bytes go from the simulator's own encoders straight through driver and table, on simulated time; a simulated
manager decides what is held, resumes what is paused, and corrects by the video. What counts is the simulator's record
of the cards. ``games.md`` §3 says what each fault must lead to.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from dealer_daemon.events import Event, RoundOutcome, TablePaused
from hw_sim.shoe.faults import CONTINUOUS_HAS_NOT, SCANNER_FAULTS, SHOE_FAULTS, CardFault
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


def blackjack(book: str, codes: str) -> Kind:
    infinite = book.startswith("infinite")
    cannot = {CardFault.MISREAD if codes == "unit" else CardFault.PASSED_TWICE}
    cannot |= CONTINUOUS_HAS_NOT if infinite else set()
    rare = {} if infinite else {"shoe_empty": 0.01, "cut_card": 0.02}
    config = SHOE.format(game="blackjack", source="server", more=f'rules = "{book}"') + SCANNER
    return Kind(
        config.replace("decks = 8", "decks = 6") if infinite else config,
        f'name = "scanner"\nmodel = "scanner"\ngame = "blackjack"\nbook = "{book}"\ncodes = "{codes}"\n'
        + rates(0.05, *(SCANNER_FAULTS - cannot), **rare),
        server_rounds=True,
    )


GOOD_SHOE = 'name = "shoe"\nmodel = "angel-eye"\n'
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
    "scanner, blackjack": blackjack("classic-003", "unit"),
    "scanner, free bet": blackjack("free-bet-001", "rank-suit-book"),
    "scanner, switch": blackjack("switch-001", "rank-suit-book"),
    "scanner, infinite blackjack": blackjack("infinite-001", "rank-suit-book"),
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
    assert audit.miscounted == []
    assert audit.ends["outcome by device"] > 0.6 * audit.figures()["hands"]


@pytest.mark.parametrize("kind", KINDS)
def test_some_hundred_hands(kind: str, tmp_path: Path) -> None:
    check(month(kind, 300, 20260101, tmp_path))


def test_the_audit_sees_what_is_wrong(tmp_path: Path) -> None:
    """Each kind of error, made by hand in what the table said of good hands."""

    def audited(change: Callable[[list[Event]], list[Event]]) -> Audit:
        floor = Floor(KINDS["angel-eye"].config, GOOD_SHOE, 1, tmp_path, server_rounds=False, attentive=True)
        floor.run(3)
        floor.events = change(floor.events)
        return Audit(floor)

    def other_winner(event: Event) -> Event:
        if not isinstance(event.data, RoundOutcome):
            return event
        return replace(event, data=replace(event.data, facts=event.data.facts | {"winner": "nobody"}))

    def alarm(event: Event) -> Event:
        return replace(event, data=TablePaused(reason="violation", by="station"))

    check(audited(lambda events: events))
    assert len(audited(lambda events: [other_winner(event) for event in events]).wrong) == 6, "at first and at last"
    lost = audited(lambda events: [event for event in events if not isinstance(event.data, RoundOutcome)])
    assert len(lost.lost) == 3
    alarmed = audited(lambda events: [*events, alarm(events[-1])])
    assert len(alarmed.false_alarms) == 1


def test_a_shoe_restarts_and_the_next_card_equals_the_first(tmp_path: Path) -> None:
    """Player 1 once more, and the same card: to a shoe that restarted this is another card, for another place.

    Physically AH, AH, QC, 3H, 8S to player, banker, player, banker, player; the shoe gives the last four to player,
    banker, player, banker, and its own result is that of those four.
    """
    shoe = GOOD_SHOE + 'hands = ["restart@2"]\ntop = ["AH", "AH", "QC", "3H", "8S"]\n'
    floor = Floor(KINDS["angel-eye"].config, shoe, 1, tmp_path, server_rounds=False, attentive=True)
    floor.watches_video = False
    floor.run(2)
    audit = Audit(floor)
    assert audit.wrong == []
    assert audit.unanswered == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "infinite" not in kind])
def test_the_cut_card_before_the_first_card_of_each_of_three_shoes(kind: str, tmp_path: Path) -> None:
    """No shoe is in play when it comes, but where burn cards began one: the hand after it is the last all the same."""
    chosen = KINDS[kind]
    scenario = chosen.scenario.partition("[devices.rates]")[0]
    scenario += 'hands = ["cut_card@2", "cut_card@1", "cut_card@1", "cut_card@1", "good"]\n'
    floor = Floor(chosen.config, scenario, 1, tmp_path, server_rounds=chosen.server_rounds, attentive=chosen.attentive)
    floor.run(6)
    audit = Audit(floor)
    assert audit.faults == {"cut_card:last_hand": 4}
    check(audit)
    last = [event.data.last_hand for event in floor.events if isinstance(event.data, RoundOutcome)]
    assert last == [True, True, True, True, False, False]


ONE_BY_ONE = [
    *(("angel-eye", fault) for fault in sorted(SHOE_FAULTS - {CardFault.NINTH_COPY})),
    *(("scanner, unit codes", fault) for fault in sorted(SCANNER_FAULTS - {CardFault.MISREAD})),
    ("scanner, dragon tiger", CardFault.MISREAD),
]
"""Each fault where it can be; a shoe's ninth copy takes more hands than a few (``test_ten_thousand_hands``)."""


@pytest.mark.parametrize(("kind", "fault"), ONE_BY_ONE)
def test_each_fault_alone_leads_to_its_action(kind: str, fault: CardFault, tmp_path: Path) -> None:
    """By ``games.md`` §3 (``hw_sim.shoe.faults.Expect``); the hands before and after it are as if nothing were."""
    chosen = KINDS[kind]
    scenario = chosen.scenario.partition("[devices.rates]")[0] + f'hands = ["good", "good", "{fault}", "good"]\n'
    floor = Floor(chosen.config, scenario, 3, tmp_path, server_rounds=chosen.server_rounds, attentive=chosen.attentive)
    floor.run(6)
    audit = Audit(floor)
    assert {name.partition(":")[0] for name in audit.faults} == {fault.value}
    assert (audit.wrong, audit.invented, audit.lost) == ([], [], [])
    assert (audit.unanswered, audit.false_alarms, audit.miscounted) == ([], [], [])
    assert audit.ends["outcome by device"] >= 4


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_hands(kind: str, tmp_path: Path) -> None:
    audit = month(kind, 10_000, 1, tmp_path)
    check(audit)
    struck = {name.partition(":")[0] for name in audit.faults}
    chosen = SHOE_FAULTS if kind.startswith("angel-eye") else SCANNER_FAULTS
    never = {"misread", "passed_twice"} | (CONTINUOUS_HAS_NOT if "infinite" in kind else set())
    assert struck >= {fault.value for fault in chosen} - never, "every fault struck"
