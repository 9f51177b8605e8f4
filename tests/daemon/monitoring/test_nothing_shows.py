"""While bets are open nobody can tell from alerts, figures or health which cards lie, or where the ball does: two
rounds that differ in nothing else look the same in all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealer_daemon.alerts import DeviceHealth, TableHealth
from dealer_daemon.commands import CommandName
from dealer_daemon.journal import Journal
from dealer_daemon.monitoring import Histogram, StationFigures, TableFigures
from dealer_daemon.monitoring.exposition import exposition
from dealer_daemon.schema.metrics import sample
from dealer_daemon.state import phase_of
from dealer_daemon.station.messages import alert_bodies
from dealer_drivers.clock import ManualClock
from dealer_drivers.readings.shoe import CardRead, CardTrouble, CardUnreadable
from support.alert_table import BEGAN, ROULETTE, AlertTable
from support.wheel import Wheel

CARDS = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "dragon-tiger"
early = "withhold"
[tables.r1.shoe]
decks = 8
require_verified = false
[[tables.r1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/dealer/scanner"
codebook = "rank-suit"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("shows")


def seen_of(table: AlertTable) -> str:
    """All that is shown."""
    host, state = table.host, table.host.committed
    made = sample()
    figures: StationFigures = replace(
        made,
        tables={
            "r1": TableFigures(
                game="g", shadow=False, phase=phase_of(state), paused=state.paused is not None, held=None,
                stalled=host.stalled, failed=False, taken_up=True, last_sequence=state.sequence, tally=host.tally,
                commit=Histogram((1.0,)), acknowledged=Histogram((1.0,)), connected=True, published=0,
                oldest_waits_s=0.0, consumers={}, alerts=list(host.alerts.values()), devices={},
            )
        },
    )  # fmt: skip
    shown = [host.state_message({}), msgspec.to_builtins(alert_bodies(host.alerts.values()))]
    shown += [msgspec.to_builtins(event.data) for event in table.alerts()]
    return exposition(figures).decode() + json.dumps(shown)


def dealt(folder: Path, cards: list[str | None]) -> tuple[str, list[str | None]]:
    """What is shown and what lies there after these cards passed a scanner while bets are open; ``None`` is one that
    was not read."""
    with closing(Journal.open(folder, boot="b", clock=ManualClock(BEGAN).now)) as journal:
        table = AlertTable(journal, CARDS, health=TableHealth(devices={"scanner": DeviceHealth(link="up")}))
        try:
            table.ask(CommandName.ROUND_OPEN)
            for card in cards:
                table.clock.advance_s(3)
                at = table.clock.now()
                if card is None:
                    table.says(
                        CardUnreadable(at=at, raw=b"?", reason=CardTrouble.NO_READ, detail="no code"), device="scanner"
                    )
                else:
                    table.says(CardRead(at=at, raw=card.encode(), card=card, code=card), device="scanner")
                table.look()
            table.pass_s(5)
            current = table.host.committed.round
            assert current is not None
            assert current.betting == "open"
            return seen_of(table), [step.card for step in current.steps]
        finally:
            table.host.stop()


def spun(folder: Path, number: str) -> str:
    with closing(Journal.open(folder, boot="b", clock=ManualClock(BEGAN).now)) as journal:
        table = AlertTable(journal, ROULETTE)
        try:
            table.ask(CommandName.ROUND_OPEN)
            script = Wheel(at=table.clock.now(), shown="3").betting().good_spin(number)
            table.clock.advance_to(script.at.mono_ns)
            table.says(*script.take())
            table.pass_s(5)
            return seen_of(table)
        finally:
            table.host.stop()


RANKS, SUITS = "A23456789TJQK", "SHDC"
CARD = st.sampled_from([rank + suit for rank in RANKS for suit in SUITS])


@given(st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_which_cards_lie_is_not_shown_while_bets_are_open(
    folder: Callable[[], Path], data: st.DataObject
) -> None:
    read = data.draw(st.lists(st.booleans(), min_size=1, max_size=5))
    hands = [data.draw(st.lists(CARD, min_size=len(read), max_size=len(read), unique=True)) for _ in range(2)]
    one, other = (
        dealt(folder(), [card if was_read else None for card, was_read in zip(hand, read, strict=True)])
        for hand in hands
    )
    assert one[0] == other[0]
    if read[:1] == [True]:
        assert [cards[0] for _, cards in (one, other)] == [hand[0] for hand in hands], "they lie there, and differ"


async def test_a_number_is_not_shown_while_bets_are_open_either(folder: Callable[[], Path]) -> None:
    assert spun(folder(), "17") == spun(folder(), "32")
