"""The fold of a table's results: what stands, of which shoe, and that a restart loses nothing of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.boards import FOLDED, Kept, board_body, keep, kept
from dealer_daemon.events import Event, EventsLost, ShoeBegan, TablePaused
from support.told import Told, baccarat_facts

EMPTY = Kept(game="baccarat", with_shoe=True)
SIDES = st.sampled_from(["banker", "player", "tie"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("outcome"), SIDES),
        st.tuples(st.just("outcome"), SIDES),
        st.tuples(st.just("correct"), st.integers(0, 9), SIDES),
        st.tuples(st.just("void")),
        st.tuples(st.just("begin")),
        st.tuples(st.just("end")),
        st.tuples(st.just("pause")),
    ),
    max_size=40,
)


def winners(events: list[Event]) -> list[str] | None:
    body = board_body(keep(EMPTY, events), "b1")
    return None if body.roads is None else [bead.winner for bead in body.roads.bead_plate]


def played(steps: list[Any]) -> tuple[Told, list[str]]:
    """The table, and by a way of its own what its plate must show."""
    table = Told()
    table.begin()
    plate: list[str] = []
    newest: list[tuple[Event, int | None]] = []
    for step in steps:
        match step:
            case ("outcome", side):
                newest.append((table.outcome(baccarat_facts(side)), len(plate)))
                plate.append(side)
            case ("correct", back, side) if back < len(newest):
                told, place = newest[-1 - back]
                newest[-1 - back] = (table.correct(told, baccarat_facts(side)), place)
                if place is not None:
                    plate[place] = side
            case ("void",):
                table.void()
            case ("begin",):
                table.begin()
                plate = []
                newest = [(told, None) for told, _ in newest]
            case ("end",):
                table.end()
            case ("pause",):
                table.say(TablePaused(reason="manager_called", by="d"))
            case _:
                pass
    return table, plate


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_the_plate_shows_what_stands_of_this_shoe(steps: list[Any]) -> None:
    table, plate = played(steps)
    assert winners(table.events) == plate


@settings(max_examples=100, deadline=None)
@given(STEPS, st.integers(0, 40))
def test_however_the_events_come_the_board_is_the_same(steps: list[Any], at: int) -> None:
    events = played(steps)[0].events
    assert keep(keep(EMPTY, events[:at]), events[at:]) == keep(EMPTY, events)
    assert keep(EMPTY, [event for event in events if event.data.type in FOLDED]) == keep(EMPTY, events)


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_a_board_names_the_newest_event_that_changed_it(steps: list[Any]) -> None:
    events = played(steps)[0].events
    now = keep(EMPTY, events)
    for event in events:
        before = keep(EMPTY, events[: event.sequence - 1])
        after = keep(before, [event])
        assert (after is before) == (after.sequence != event.sequence)
    assert board_body(now, "b1").sequence == now.sequence


def test_an_event_that_no_board_shows_changes_nothing() -> None:
    table = Told()
    table.begin()
    before = keep(EMPTY, table.events)
    assert keep(before, [table.void(), table.say(TablePaused(reason="manager_called", by="d"))]) is before


def test_without_the_beginning_of_its_shoe_there_are_no_roads() -> None:
    table = Told()
    table.begin()
    for _ in range(3):
        table.outcome(baccarat_facts("banker"))
    body = board_body(keep(EMPTY, table.events[1:]), "b1")
    assert body.shoe is not None
    assert (body.shoe.whole, body.roads, len(body.results)) == (False, None, 3)
    table.begin()
    table.outcome(baccarat_facts("tie"))
    assert winners(table.events[1:]) == ["tie"]


def test_a_shoe_that_was_taken_over_in_the_middle_has_no_roads() -> None:
    table = Told()
    table.say(ShoeBegan(shoe_id="b1-shoe-9", hand_in_shoe=12, decks=8))
    table.shoe = "b1-shoe-9"
    table.outcome(baccarat_facts("banker"))
    assert winners(table.events) is None


@pytest.mark.parametrize("adopted", [False, True])
def test_lost_events_may_have_been_hands(adopted: bool) -> None:
    table = Told()
    table.begin()
    table.outcome(baccarat_facts("banker"))
    reason = "journal_adopted" if adopted else "journal_salvaged"
    table.say(EventsLost(from_sequence=1 if adopted else 3, to_sequence=9, reason=reason, by="t"))
    body = board_body(keep(EMPTY, table.events), "b1")
    assert body.roads is None
    assert len(body.results) == (0 if adopted else 1), "what was given up is another's to say"


def test_another_game_played_at_this_table_is_not_counted() -> None:
    table = Told()
    table.begin()
    table.outcome(baccarat_facts("banker"))
    table.game = "dragon-tiger"
    table.outcome({"winner": "dragon", "dragon": "KS", "tiger": "2H"})
    assert winners(table.events) == ["banker"]


def test_no_more_is_kept_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT_PLAYS", 5)
    table = Told()
    table.begin()
    for _ in range(5):
        table.outcome(baccarat_facts("player"))
    assert winners(table.events) == ["player"] * 5
    table.outcome(baccarat_facts("banker"))
    found = keep(EMPTY, table.events)
    assert len(found.plays) == 5
    assert winners(table.events) is None, "the first hand of the shoe is gone: these are not its roads"


def test_a_correction_of_what_is_no_longer_kept_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEPT_PLAYS", 2)
    table = Told()
    first = table.outcome(baccarat_facts("player"))
    table.outcome(baccarat_facts("banker"))
    table.outcome(baccarat_facts("banker"))
    before = keep(EMPTY, table.events)
    assert keep(before, [table.correct(first, baccarat_facts("tie"))]) is before
