"""A table that stands while its round waits for an attempt says why: games of dice and of beans."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.validation.signals import NotJudged, Trouble
from dealer_daemon.validation.standing import STANDS_S
from dealer_daemon.words import Language, text
from dealer_drivers.readings import Fault
from support.cloth import Cloth
from support.dice_tables import DiceTable

SHAKER, PICTURE = {"shaker": ["shaker_not_standing"]}, {"camera": ["picture_not_at_rest"]}


def waits(table: DiceTable) -> DiceTable:
    """A server opened a round and closed betting."""
    table.open().close()
    return table


def faults(table: DiceTable) -> dict[str, list[str]]:
    """What servers and screens read in the table's state."""
    return table.table.state.faults


def mute() -> DiceTable:
    """The shaker was not heard to stand since the station was started."""
    table = DiceTable()
    table.start().moves().wait(0.5).still()
    return waits(table)


def shakes_on() -> DiceTable:
    """It does not stop, and the attempt was refused for it."""
    table = DiceTable(start="station")
    table.rest()
    waits(table).taken().shaking(4.0).wait(0.2).moves().wait(1).still().wait(31)
    assert table.table.state.round is not None
    assert table.table.state.round.last_refusal == "never_stopped"
    return table


def restless(*, tower: bool) -> DiceTable:
    """A lamp flickers over the plate."""
    table = DiceTable(tower=tower, start="button" if tower else "station")
    table.start()
    if not tower:
        table.idle()
    table.moves()
    return waits(table)


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (mute, SHAKER),
        (shakes_on, SHAKER),
        (lambda: restless(tower=False), PICTURE),
        (lambda: restless(tower=True), PICTURE),
    ],
)
def test_a_dice_table_that_stands_says_why_once_and_that_it_is_over(standing: object, said: object) -> None:
    assert callable(standing)
    table = standing()
    assert faults(table) == {}, "dice roll on for a second, and a hand passes"
    table.wait(STANDS_S + 1)
    assert faults(table) == said
    table.wait(600)
    words = [event.data.type for event in table.events]
    assert words.count("device.fault") == 1
    table.idle() if said == SHAKER else table.still()
    table.wait(2).idle() if said == SHAKER else table.wait(2)
    assert faults(table) == {}


def test_a_table_that_waits_for_its_dealer_says_nothing() -> None:
    table = DiceTable()
    table.rest()
    waits(table).wait(600)
    assert faults(table) == {}


def test_what_is_said_of_a_lost_shaker_is_that_it_is_lost() -> None:
    table = DiceTable()
    table.rest()
    waits(table).fault("shaker", Fault.LINK_LOST).wait(600)
    assert faults(table) == {"shaker": ["link_lost"]}
    table.fault("shaker", Fault.LINK_LOST, cleared=True).wait(STANDS_S + 1)
    assert faults(table) == SHAKER, "it is back, and has not said that it stands"
    table.idle().wait(2).idle()
    assert faults(table) == {}


def test_a_round_that_is_over_waits_for_nothing() -> None:
    table = mute()
    table.wait(STANDS_S + 1)
    assert table.order(CommandName.ROUND_VOID, Role.MANAGER, reason="shaker").ok
    table.moves().wait(1).still()
    assert faults(table) == {}


def troubles(cloth: Cloth) -> list[tuple[str, bool]]:
    said = [(str(signal.fault), signal.cleared) for signal in cloth.said if isinstance(signal, Trouble)]
    cloth.said.clear()
    return said


def test_a_cloth_on_which_something_moves_all_the_time() -> None:
    cloth = Cloth()
    cloth.moves()
    cloth.due()
    cloth.wait(STANDS_S - 1)
    assert troubles(cloth) == []
    cloth.wait(600)
    assert troubles(cloth) == [("picture_not_at_rest", False)]
    cloth.rests()
    assert troubles(cloth) == [("picture_not_at_rest", True)]


def test_beans_that_were_laid_out_before_betting_closed() -> None:
    cloth = Cloth(confirm="always")
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.sees(97)
    cloth.wait(600)
    assert troubles(cloth) == [], "nobody waits for them"
    cloth.due()
    cloth.wait(600)
    assert troubles(cloth) == [("laid_out_before", False)]
    cloth.moves()
    assert troubles(cloth) == [("laid_out_before", True)]


@pytest.mark.parametrize("before", ["restarted", "lost", "unread"])
def test_where_nobody_is_asked_beans_that_may_be_older_are_held(before: str) -> None:
    """``confirm = "never"``: a hand lay over the cloth before, and what lay under it nobody had read."""
    cloth = Cloth(confirm="never")
    if before != "restarted":
        cloth.covered()
        cloth.laid_out()
    if before == "lost":
        cloth.sees(50)
        cloth.wait(3)
        cloth.sees(50)
        cloth.fails()
        cloth.wait(5)
        cloth.mends()
    elif before == "unread":
        for _ in range(8):
            cloth.doubts("groups_unclear")
            cloth.wait(1)
        cloth.judge.discard()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.doubts("occluded")
    cloth.due()
    cloth.said.clear()
    cloth.moves()
    cloth.wait(1)
    cloth.rests()
    cloth.sees(97)
    cloth.wait(3)
    cloth.sees(97)
    (ended,) = [signal for signal in cloth.said if isinstance(signal, NotJudged)]
    assert ended.verdict.reason == "layout_not_new"


@pytest.mark.parametrize("word", ["shaker_not_standing", "picture_not_at_rest", "laid_out_before"])
def test_a_dealer_reads_it(word: str) -> None:
    assert len({text(word, language) for language in Language}) >= 2
