"""Another ``tries_before_pause`` while the station runs: no round in play is played by other rules than it began by."""

from __future__ import annotations

from dealer_daemon.events import TableReconfigured
from dealer_drivers.readings.roulette import WheelPhase
from support.tables import Driven
from support.wheel import START, Wheel


def refused_spins(table: Driven, wheel: Wheel, count: int) -> None:
    for _ in range(count):
        table.see(wheel.betting().rim().frame(WheelPhase.NO_BALL).take())


def reconfigure(table: Driven, tries: int) -> list[str]:
    return [data.type for data in table._keep(table.table.reconfigure(tries, "sha256:new", START))]


def test_without_a_round_it_counts_at_once_and_the_journal_says_so() -> None:
    table, wheel = Driven(tries=3), Wheel()
    assert reconfigure(table, 1) == ["table.reconfigured"]
    data = table.events[-1].data
    assert isinstance(data, TableReconfigured)
    assert (data.config_hash, data.changed) == ("sha256:new", {"tries_before_pause": 1})
    assert table.events[-1].subject is None
    refused_spins(table, wheel, 1)
    assert table.words()[-1] == "table.paused:tries_exhausted"


def test_an_open_round_is_played_to_its_end_as_it_began() -> None:
    table, wheel = Driven(tries=3), Wheel()
    refused_spins(table, wheel, 1)
    assert reconfigure(table, 1) == []
    refused_spins(table, wheel, 1)
    assert not any(word.startswith("table.paused") for word in table.words())
    table.see(wheel.good_spin("27").next_game().take())
    assert table.words()[-3:] == ["round.outcome:27", "table.reconfigured", "round.opened"]
    assert table.words().count("table.reconfigured") == 1
    refused_spins(table, wheel, 1)
    assert table.words()[-1] == "table.paused:tries_exhausted"


def test_the_newest_counts_and_a_restart_in_between_loses_nothing_but_the_wish() -> None:
    table, wheel = Driven(tries=3), Wheel()
    refused_spins(table, wheel, 1)
    assert reconfigure(table, 1) == []
    assert reconfigure(table, 2) == []
    table.see(wheel.good_spin("27").next_game().take())
    changed = [event.data.changed for event in table.events if isinstance(event.data, TableReconfigured)]
    assert changed == [{"tries_before_pause": 2}]
    assert table.restart().table.state == table.table.state
