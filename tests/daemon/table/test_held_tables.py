"""A table of which nobody may hear stands: no round opens, nothing that is under way counts, no device is set going."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.table.common import STATION
from support.dice_tables import DiceTable
from support.tables import Driven
from support.wheel import Wheel

WHY = "the broker knows newer events"


def hold(table: Driven, wheel: Wheel) -> None:
    table._keep(table.table.hold("journal_behind", WHY, wheel.at))


def test_a_spin_under_way_gives_no_result_and_the_wheel_opens_no_round_until_a_manager_resumes() -> None:
    table, wheel = Driven(), Wheel()
    table.see(wheel.betting().rim().take())
    hold(table, wheel)
    assert table.words()[-1] == "table.paused:journal_behind"
    assert (table.table.state.paused_by, table.events[-1].data.detail) == (STATION, WHY)  # type: ignore[union-attr]
    table.see(wheel.no_more_bets().bare("27").result("27").next_game(times=4).rim().no_more_bets().take())
    table.see(wheel.bare("3").result("3").next_game(times=4).take())
    assert table.words().count("round.opened") == 1
    assert not any("round.outcome" in word for word in table.words())
    again = table.restart()
    again.start(wheel.at)
    assert again.table.state.paused == "journal_behind", "it stands over a restart"
    again.see(wheel.good_spin("4").next_game().take())
    assert not any("round.outcome" in word for word in again.words())
    assert again.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="the newest journal is here").ok
    again.see(wheel.good_spin("5").next_game().take())
    assert "round.outcome:5" in again.words()


def test_a_table_that_a_person_paused_keeps_his_reason() -> None:
    table, wheel = Driven(), Wheel()
    assert table.ask(CommandName.TABLE_PAUSE, wheel.at, Role.MANAGER, reason="shift").ok
    hold(table, wheel)
    assert table.table.state.paused == "shift"


def test_it_is_said_once() -> None:
    table, wheel = Driven(), Wheel()
    hold(table, wheel)
    hold(table, wheel)
    assert table.words() == ["table.paused:journal_behind"]


@pytest.mark.parametrize("when", ["open", "closed", "asked"])
def test_no_shaker_is_started(when: str) -> None:
    table = DiceTable(start="station")
    table.rest()
    table.open()
    if when == "closed":
        table.moves().wait(1)  # type: ignore[attr-defined]
    if when != "open":
        table.close()
    asked = table.new().count("start")
    assert asked == (when == "asked")
    table.take(table.table.hold("station_contested", WHY, table.at))
    if when == "asked":
        table.wait(0.1).taken().wait(0.1).shake(told_s=4.0).seen(2, 3, 6)
    else:
        table.wait(1).still()
    if when == "open":
        table.order(CommandName.BETTING_CLOSE)
    table.wait(20)
    said = table.new()
    assert "start" not in said
    assert not any("round.outcome" in word for word in said)
    assert "table.paused:station_contested" in said
