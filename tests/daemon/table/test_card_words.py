"""A card is what the table was when it was read, whatever a word has made of the table until it counts.

It waits for its second reader, for what may have been held up with it, or on its way from a camera.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    AttemptRefused,
    CardDrawn,
    DeckScanRefused,
    RoundOpened,
    RoundOutcome,
    ShoeCutCard,
    Violation,
)
from dealer_daemon.games.cards.card import DECK
from dealer_drivers.readings.shoe import CardRead, CutCard
from support.card_tables import CardTable, word
from support.two_readers import WAIT_S, TwoReaders

ORDERS = pytest.mark.parametrize(("one", "other"), [("first", "second"), ("second", "first")])


@ORDERS
@pytest.mark.parametrize("words", [1, 2])
def test_a_card_drawn_before_its_round_was_opened_is_none_of_it(one: str, other: str, words: int) -> None:
    table = TwoReaders(early="withhold")
    table.reads(one, "8S")
    table.say(CommandName.ROUND_OPEN)
    if words == 2:
        table.say(CommandName.BETTING_CLOSE)
    assert table.reads(other, "8S") == ["violation:card_between_rounds", "table.paused:violation"]
    assert not table.of(CardDrawn)


@ORDERS
def test_a_card_drawn_while_betting_was_open_is_too_early_though_it_is_closed_by_now(one: str, other: str) -> None:
    table = TwoReaders()
    table.say(CommandName.ROUND_OPEN)
    table.reads(one, "8S")
    table.say(CommandName.BETTING_CLOSE)
    assert table.reads(other, "8S") == ["violation:card_while_betting", "table.paused:violation"]
    table.say(CommandName.TABLE_RESUME, Role.MANAGER)
    assert table.both("5C") == ["card.drawn:player.1:5C"]


@ORDERS
def test_a_card_drawn_before_its_gate_is_too_early_though_it_waited_behind_those_before_it(
    one: str, other: str
) -> None:
    table = TwoReaders(gates=["first_four"])
    table.say(CommandName.ROUND_OPEN)
    table.say(CommandName.BETTING_CLOSE)
    table.both("2S 5C 2D")
    table.wait(2)
    table.reads(one, "QH")
    table.reads(one, "6D")
    table.reads(other, "QH")
    table.say(CommandName.GATE_OPEN, gate="first_four")
    assert table.reads(other, "6D") == ["violation:card_before_gate", "table.paused:violation"]


def test_a_card_drawn_before_the_server_named_its_place_is_too_early() -> None:
    table = TwoReaders("blackjack", rules="classic-001")
    table.say(CommandName.ROUND_OPEN)
    table.say(CommandName.BETTING_CLOSE)
    table.say(CommandName.CARD_EXPECT, action="seats", seats=[1])
    table.both("TS 6C 5D")
    table.wait(2)
    table.reads("first", "6H")
    table.say(CommandName.CARD_EXPECT, action="hit", seat=1, hand=1)
    assert table.reads("second", "6H") == ["violation:card_not_expected", "table.paused:violation"]


def test_a_card_drawn_while_the_hand_was_held_is_not_the_one_after_the_card_that_was_named() -> None:
    table = TwoReaders()
    table.say(CommandName.ROUND_OPEN)
    table.say(CommandName.BETTING_CLOSE)
    table.both("8S")
    table.wait(2)
    for device in ("first", "second"):
        table.reads(device, "8S", repeated=True, unsure=True)
    assert table.state.round is not None
    assert table.state.round.phase == "held"
    table.reads("first", "5C")
    table.say(CommandName.ATTEMPT_DECIDE, Role.MANAGER, position="banker.1", card="8S")
    assert table.reads("second", "5C") == ["violation:card_while_held", "table.paused:violation"]
    assert len(table.of(CardDrawn)) == 2


def test_one_that_may_lie_down_counts_whatever_is_said_meanwhile() -> None:
    table = TwoReaders(early="withhold")
    table.say(CommandName.ROUND_OPEN)
    table.reads("first", "8S")
    table.say(CommandName.BETTING_CLOSE)
    assert table.reads("second", "8S") == ["card.drawn:player.1:8S"]
    table.wait(2)
    table.reads("first", "5C")
    table.say(CommandName.CARD_CORRECT, Role.MANAGER, position="player.1", card="7S")
    assert table.reads("second", "5C") == ["card.drawn:banker.1:5C"]


def test_a_card_that_waits_while_a_correction_completes_the_hand_begins_no_other() -> None:
    table = TwoReaders(source="device")
    table.both("2S 5C 2D QH")
    table.wait(2)
    table.reads("first", "6D")
    table.say(CommandName.CARD_CORRECT, Role.MANAGER, position="player.1", card="7S")
    assert len(table.of(RoundOutcome)) == 1
    assert table.reads("second", "6D") == ["violation:card_not_due", "table.paused:violation"]


def test_a_card_that_came_out_of_the_shoe_before_begins_no_hand_of_the_next() -> None:
    table = TwoReaders(source="device")
    table.both("8S 5C AD 3H")
    table.wait(2)
    table.reads("first", "6D")
    table.say(CommandName.SHOE_CHANGE, Role.MANAGER)
    assert table.reads("second", "6D") == ["violation:card_between_rounds", "table.paused:violation"]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {}


def test_a_card_that_one_reader_saw_too_early_is_asked_for_by_nobody() -> None:
    table = TwoReaders()
    table.say(CommandName.ROUND_OPEN)
    table.reads("first", "8S")
    table.say(CommandName.BETTING_CLOSE)
    assert table.wait(WAIT_S) == []
    assert not table.of(AttemptRefused)
    assert table.both("8S") == ["card.drawn:player.1:8S"]


def test_a_card_read_before_a_scan_of_a_set_is_to_be_scanned_again_and_counts_once() -> None:
    table = TwoReaders("dragon-tiger", source="device", decks=1)
    table.reads("first", "8S")
    table.say(CommandName.DECK_VERIFY, Role.DEALER)
    assert table.reads("second", "8S") == ["deck.scan_refused:deck_card_read_before"]
    whole = " ".join(map(str, DECK))
    assert table.both(whole) == ["deck.verified"]
    assert [refused.scanned for refused in table.of(DeckScanRefused)] == [0]


def test_a_card_read_in_a_scan_begins_no_hand_once_it_is_given_up() -> None:
    table = TwoReaders("dragon-tiger", source="device", decks=1)
    table.say(CommandName.DECK_VERIFY, Role.DEALER)
    table.reads("first", "8S")
    table.say(CommandName.DECK_VERIFY, Role.DEALER, action="cancel")
    assert table.reads("second", "8S") == []
    assert table.state.round is None


@pytest.mark.parametrize("word_", ["void", "resume", "decide"])
def test_the_cut_card_is_seen_though_what_waits_before_it_counts_no_more(word_: str) -> None:
    table = TwoReaders()
    table.say(CommandName.ROUND_OPEN)
    table.say(CommandName.BETTING_CLOSE)
    table.both("8S")
    table.wait(2)
    if word_ == "decide":
        for device in ("first", "second"):
            table.reads(device, "8S", repeated=True, unsure=True)
    table.reads("first", "5C")
    table.see("first", CutCard(at=table.at, raw=b"cut"))
    assert not table.of(ShoeCutCard)
    match word_:
        case "void":
            table.say(CommandName.ROUND_VOID, Role.MANAGER)
        case "resume":
            table.say(CommandName.TABLE_PAUSE, Role.DEALER)
            table.say(CommandName.TABLE_RESUME, Role.MANAGER)
        case _:
            cards = {"player.1": "8S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
            table.say(CommandName.ATTEMPT_DECIDE, Role.MANAGER, cards=cards)
    assert len(table.of(ShoeCutCard)) == 1


@pytest.mark.parametrize("source", ["device", "server"])
def test_the_cut_card_of_the_shoe_before_is_none_of_the_next(source: str) -> None:
    table = TwoReaders(source=source)
    if source == "server":
        table.say(CommandName.ROUND_OPEN)
        table.say(CommandName.BETTING_CLOSE)
    table.both("8S 5C AD 3H")
    table.wait(2)
    table.reads("first", "9D")
    table.see("first", CutCard(at=table.at, raw=b"cut"))
    table.say(CommandName.SHOE_CHANGE, Role.MANAGER)
    table.wait(2)
    assert not table.of(ShoeCutCard)
    table.see("first", CutCard(at=table.at, raw=b"cut"))
    assert len(table.of(ShoeCutCard)) == 1


# -- one scanner: a card that looks like the newest one waits -------------------------------------------------------


def test_a_card_that_looks_like_the_newest_is_too_early_though_betting_closed_while_it_waited() -> None:
    table = CardTable("dragon-tiger", "server")
    table.bets_closed()
    table.deal("8S 5C")
    table.open()
    table.see(table.card("5C", table._next()))
    table.at = table.at.plus_s(0.02)
    table.close()
    table.wait(0.1)
    assert table.words()[-2:] == ["violation:card_while_betting", "table.paused:violation"]


def test_nor_does_it_count_once_its_round_is_void() -> None:
    table = CardTable("dragon-tiger", "server")
    table.bets_closed()
    table.deal("8S")
    table.see(table.card("8S", table._next()))
    table.manager(CommandName.ROUND_VOID)
    table.open()
    table.close()
    table.wait(0.1)
    assert [data.card for data in table.of(CardDrawn)] == ["8S"]


def test_a_picture_that_was_taken_before_betting_closed_and_read_after_it_is_too_early() -> None:
    table = CardTable("dragon-tiger", "server")
    table.open()
    early = table.card("8S", table._next())
    table.at = table.at.plus_s(0.3)
    table.close()
    table._keep(table.table.readings("reader", [early], table.at))
    assert table.words()[-2:] == ["violation:card_while_betting", "table.paused:violation"]


def test_one_that_was_taken_while_the_table_stood_is_scanned_again() -> None:
    table = CardTable("dragon-tiger", "server")
    table.bets_closed()
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    early = table.card("8S", table._next())
    table.at = table.at.plus_s(0.3)
    table.resume()
    table._keep(table.table.readings("reader", [early], table.at))
    assert (table.words()[-1], table.state.paused) == ("violation:card_while_paused", None)
    lies = replace(early, at=table._next(0.4), repeated=True)
    assert [word(event) for event in table.see(lies)] == ["attempt.refused:dragon.1:card_while_paused"]


def test_a_picture_from_before_the_table_went_on_does_not_show_that_the_card_lies_there_still() -> None:
    table = CardTable("dragon-tiger", "device")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.deal("8S")
    picture = replace(table.card("8S", table._next(0.2)), repeated=True)
    table.at = table.at.plus_s(0.2)
    table.resume()
    table._keep(table.table.readings("reader", [picture], table.at))
    assert not table.of(RoundOpened)
    lies = replace(picture, at=table._next(0.2))
    assert [word(event) for event in table.see(lies)][-1] == "attempt.refused:dragon.1:card_while_paused"


def test_one_that_may_show_the_newest_card_still_holds_no_hand_that_was_opened_since() -> None:
    table = CardTable("dragon-tiger", "server")
    table.bets_closed()
    table.deal("8S 5C")
    picture = replace(table.card("5C", table._next()), repeated=True, unsure=True)
    table.at = table.at.plus_s(0.2)
    table.bets_closed()
    table._keep(table.table.readings("reader", [picture], table.at))
    assert table.words()[-1] == "card.repeated:5C:same_pass"
    assert table.state.paused is None
    table.deal("9D 2C")
    assert len(table.of(RoundOutcome)) == 2


@pytest.mark.parametrize("early", [False, True])
def test_nor_does_a_picture_count_that_was_taken_before_a_bench_let_the_table_go_on(early: bool) -> None:
    """``early``: it was taken before the bench took the device, and the table did not stand yet."""
    table = CardTable("dragon-tiger", "device")
    table.deal("8S 5C")
    picture = table.card("9H", table._next()) if early else None
    table._keep(table.table.lend("reader", "Li", table._next(0.2)))
    picture = picture or table.card("9H", table._next())
    table._keep(table.table.take_back("reader", "given_back", table._next(0.2), resume=True))
    assert table.state.paused is None
    table._keep(table.table.readings("reader", [picture], table.at))
    assert [data.card for data in table.of(CardDrawn)] == ["8S", "5C"]
    assert (table.words()[-1], table.state.paused) == ("violation:card_while_paused", None)


# -- whatever comes in between --------------------------------------------------------------------------------------


@given(
    closes=st.floats(0, 3, allow_nan=False),
    cards=st.lists(st.tuples(st.floats(0.3, 2), st.floats(-1.4, 1.4)), min_size=1, max_size=4),
)
def test_no_card_counts_that_a_reader_saw_before_betting_closed(
    closes: float, cards: list[tuple[float, float]]
) -> None:
    """Cards and the close at any times; each second reading comes before or after the first, within the wait."""
    table = TwoReaders("dragon-tiger")
    table.say(CommandName.ROUND_OPEN)
    began, close_at = table.at, table.at.plus_s(closes + 1)
    steps: list[tuple[int, int, str, str]] = []
    first_s, seen = 2.0, {}
    for number, (gap_s, lag_s) in enumerate(cards):
        first_s += gap_s
        times = (began.plus_s(first_s), began.plus_s(first_s + lag_s))
        seen[str(DECK[number])] = min(time.mono_ns for time in times)
        steps += [
            (time.mono_ns, number, device, str(DECK[number]))
            for time, device in zip(times, ("first", "second"), strict=True)
        ]
    steps.append((close_at.mono_ns, -1, "", ""))
    for mono_ns, _, device, text in sorted(steps):
        while (due_ns := table.table.deadline_ns()) is not None and due_ns <= mono_ns:
            table._keep(table.table.tick(began.plus_s((due_ns - began.mono_ns) / 1e9)))
        at = began.plus_s((mono_ns - began.mono_ns) / 1e9)
        if device:
            table._keep(table.table.readings(device, [CardRead(at=at, raw=text.encode(), card=text, code=text)], at))
        else:
            table.at = at.plus_s(-0.1)
            table.say(CommandName.BETTING_CLOSE)
    for drawn in table.of(CardDrawn):
        assert seen[drawn.card] >= close_at.mono_ns
    early = [violation for violation in table.of(Violation) if violation.reason == "card_while_betting"]
    assert len(early) <= 1 or len(cards) > 1
