"""Every row of the table of card reading (``games.md`` §3), where the reader and where the server opens rounds."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, AttemptRefused, CardDrawn, CardRepeated, TablePaused, Violation
from dealer_drivers.readings.shoe import CardTrouble
from support.card_tables import NATURAL, SIX, CardTable, bare, words

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
PLACES = pytest.mark.parametrize("places", [True, False], ids=["places", "scanner"])


def begun(source: str, cards: str, **how: object) -> CardTable:
    """A table in mid-hand."""
    table = CardTable(source=source, **how)  # type: ignore[arg-type]
    table.bets_closed()
    table.deal(cards if table.setup.devices[0].driver == "angel-eye" else bare(cards))
    return table


def paused_by(table: CardTable, violation: str, reason: str = "violation") -> None:
    """The newest two events are the violation and the pause; nothing of the card was said."""
    assert [event.data.type for event in table.events[-2:]] == ["violation", "table.paused"]
    assert table.last(Violation).reason == violation
    assert table.last(Violation).evidence == []
    assert table.last(TablePaused).reason == reason
    assert table.state.paused == reason


def keeps(table: CardTable, text: str) -> None:
    """The journal has the frame of the newest violation."""
    (name,) = table.last(Violation).kept
    assert text.encode().hex() in table.evidence[name].decode()


# -- no read, partial read, checksum wrong ---------------------------------------------------------------------


@SOURCES
@PLACES
@pytest.mark.parametrize("reason", CardTrouble)
def test_a_card_that_could_not_be_told_is_scanned_again_on_the_same_position(
    source: str, places: bool, reason: CardTrouble
) -> None:
    table = begun(source, "P1 8S B1 5C", places=places)
    table.unread(reason)
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.attempt, refused.position) == (reason, "rescan", 1, "player.2")
    assert len(refused.evidence) == 1
    table.deal("P2 AD B2 3H" if places else "AD 3H")
    table.wait(5)
    assert table.outcome.attempts == 2
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


@SOURCES
def test_after_so_many_tries_in_a_row_the_table_pauses_and_a_good_card_begins_the_count_again(source: str) -> None:
    table = begun(source, "8S", tries=3)
    table.unread()
    table.unread()
    table.deal("5C")
    table.unread()
    table.unread()
    assert table.state.paused is None
    table.unread()
    assert words(event.data for event in table.events[-2:]) == [
        "attempt.refused:player.2:no_read",
        "table.paused:tries_exhausted",
    ]
    assert [refused.attempt for refused in table.of(AttemptRefused)] == [1, 2, 3, 4, 5]
    assert table.ask(CommandName.TABLE_RESUME, Role.DEALER, reason="x").error is ErrorCode.NOT_ALLOWED
    table.resume()
    table.unread()
    assert table.state.paused is None
    table.deal("AD 3H")
    assert table.outcome.attempts == 7


@SOURCES
def test_nothing_is_asked_for_when_no_card_is_due(source: str) -> None:
    table = begun(source, "8S 5C AD 3H")
    before = len(table.events)
    if source == "server":
        table.unread()
        table.foreign()
        table.open()
        before += 1
        table.unread()
        table.foreign()
    else:
        table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
        before += 1
        table.unread()
        table.foreign()
    assert len(table.events) == before


def test_the_first_card_of_a_hand_can_be_unreadable_too() -> None:
    table = CardTable()
    table.unread()
    assert table.words()[-3:] == ["round.opened", "betting.closed", "attempt.refused:player.1:no_read"]
    table.deal(bare(NATURAL))
    assert table.outcome.attempts == 2


def test_a_shoe_that_names_places_begins_a_hand_with_player_1_only_readable_or_not() -> None:
    table = CardTable(places=True)
    table.unread(CardTrouble.CHECKSUM)
    table.unread(CardTrouble.SUIT, at="B2")
    assert table.words() == ["table.started"]
    table.unread(CardTrouble.SUIT, at="P1")
    assert table.words()[-1] == "attempt.refused:player.1:suit"
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.facts["winner"] == "player"


# -- the same physical card again ------------------------------------------------------------------------------


@SOURCES
def test_a_scanner_that_repeats_within_its_window_adds_no_card_and_is_recorded_once_a_pass(source: str) -> None:
    table = begun(source, "8S")
    for _ in range(5):
        table.deal("8S", gap_s=0.2, repeated=True)
    assert words(table.of(CardRepeated)) == ["card.repeated:8S:same_pass"]
    table.deal("5C")
    table.deal("5C", gap_s=0.2, repeated=True)
    assert len(table.of(CardRepeated)) == 2
    table.deal("AD 3H")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert '"card":"8S"' not in next(line for line in table.published().splitlines() if "card.repeated" in line)


@SOURCES
def test_the_last_card_repeated_after_the_outcome_begins_nothing(source: str) -> None:
    table = begun(source, bare(NATURAL))
    table.deal("3H", gap_s=0.3, repeated=True)
    assert table.words()[-1] == "card.repeated:3H:same_pass"
    assert table.state.round is None
    assert table.state.paused is None


@SOURCES
def test_two_equal_cards_in_a_row_from_different_decks_are_two_cards(source: str) -> None:
    table = begun(source, "8S 8S 8S 8S")
    facts = table.outcome.facts
    assert facts["player"]["cards"] == facts["banker"]["cards"] == ["8S", "8S"]
    assert (facts["player"]["total"], facts["winner"], facts["player"]["pair"]) == (6, "tie", "perfect")


@SOURCES
def test_a_card_passed_twice_is_known_by_its_unit(source: str) -> None:
    table = begun(source, "")
    table.deal("8S", unit="1/001")
    table.deal("8S", unit="1/001")
    assert table.words()[-1] == "card.repeated:8S:same_unit"
    table.deal("8S", unit="2/001")
    table.deal("AD", unit="1/040")
    table.deal("8S", unit="1/001")
    table.deal("3H", unit="1/055")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]
    # Until the next hand begins, the cards of this one still lie there.
    table.deal("AD", unit="1/040")
    assert table.words()[-1] == "card.repeated:AD:same_unit"


@SOURCES
def test_the_same_place_and_card_again_is_ignored(source: str) -> None:
    table = begun(source, "P1 8S B1 5C", places=True)
    table.deal("B1 5C P1 8S")
    assert words(table.of(CardRepeated)) == ["card.repeated:5C:same_slot", "card.repeated:8S:same_slot"]
    table.deal("P2 AD B2 3H")
    table.result("player")
    table.deal("B2 3H")
    assert table.words()[-1] == "card.repeated:3H:same_slot"
    table.restart()
    table.deal("B2 3H")
    assert table.words()[-1] == "card.repeated:3H:same_slot"
    assert table.state.paused is None


# -- no card of this deck set ----------------------------------------------------------------------------------


@SOURCES
def test_a_foreign_code_is_scanned_again_once_and_then_the_table_pauses(source: str) -> None:
    table = begun(source, "8S")
    table.foreign("JOKER1")
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("foreign_card", "rescan", "banker.1")
    table.foreign("JOKER1", repeated=True)
    assert table.state.paused is None
    table.foreign("JOKER1")
    paused_by(table, "foreign_card_again", "integrity")
    table.resume()
    table.deal("5C AD 3H")
    assert table.outcome.facts["banker"]["cards"] == ["5C", "3H"]


@SOURCES
def test_what_comes_between_two_scans_of_a_foreign_code(source: str) -> None:
    table = begun(source, "8S", tries=9)
    table.foreign("JOKER1")
    table.foreign("AD2024")
    table.unread()
    assert table.state.paused is None, "another code, and a card that could not be read, are tries of their own"
    table.foreign("AD2024")
    paused_by(table, "foreign_card_again", "integrity")
    table.resume()
    table.deal("5C")
    table.foreign("AD2024")
    assert table.state.paused is None, "a card counted: the foreign one was taken out, and came back much later"


# -- the deck is not what it should be -------------------------------------------------------------------------


@SOURCES
def test_a_ninth_copy_is_an_integrity_alarm(source: str) -> None:
    table = begun(source, "8S 8S 8S 8S")
    table.bets_closed()
    table.deal("8S 8S 8S 8S")
    assert len(table.of(CardDrawn)) == 8
    if source == "server":
        table.bets_closed()
    table.deal("8S")
    paused_by(table, "copies_used_up", "integrity")
    keeps(table, "8S")
    assert "8S" not in table.last(Violation).detail
    assert (table.state.round is None) is (source == "device"), "no round is opened by a card that cannot be"
    table.resume()
    table.deal("5C 8D AD KH")
    assert table.outcome.facts["player"]["cards"] == ["5C", "AD"]


@SOURCES
def test_a_second_copy_in_one_deck_is_an_integrity_alarm_but_the_next_deck_is_another(source: str) -> None:
    table = CardTable("san-gong", source)
    table.bets_closed()
    table.deal("8S 5C AD")
    table.deal("5C")
    paused_by(table, "copies_used_up", "integrity")
    assert table.state.round is not None
    table.resume()
    table.deal("3H KD 2C")
    assert table.outcome.facts["cards"] == ["8S", "5C", "AD", "3H", "KD", "2C"]
    table.bets_closed()
    table.deal("5C 8S AD 3H KD 2C")
    assert table.outcome.facts["cards"] == ["5C", "8S", "AD", "3H", "KD", "2C"]


@SOURCES
def test_the_same_unit_from_an_earlier_hand_is_an_integrity_alarm(source: str) -> None:
    table = begun(source, "")
    for card, unit in (("8S", "1/1"), ("5C", "1/2"), ("AD", "1/3"), ("3H", "1/4")):
        table.deal(card, unit=unit)
    table.bets_closed()
    table.deal("9D", unit="1/5")
    table.deal("8S", unit="1/1")
    paused_by(table, "unit_seen_before", "integrity")
    keeps(table, "8S")
    table.resume()
    table.deal("8S", unit="2/1")
    assert table.words()[-1] == "card.drawn:banker.1:8S"


def test_to_a_continuous_shuffler_played_cards_go_back() -> None:
    table = CardTable("blackjack", "server", rules="infinite-001")
    for _ in range(2):
        table.bets_closed()
        for deck in "123":
            table.deal("KS", unit=f"{deck}/001")
        table.did(CommandName.CARD_EXPECT, action="done")
        table.deal("KH", unit="1/002")
        assert table.outcome.facts["dealer"]["total"] == 20
    assert table.state.shoe is not None
    assert len(table.state.shoe.units) == 4
    table.bets_closed()
    for deck in "123":
        table.deal("KS", unit=f"{deck}/001")
    table.did(CommandName.CARD_EXPECT, action="community", window=1)
    table.deal("KS", unit="4/001")
    assert table.words()[-1] == "card.drawn:community.1:KS"


@SOURCES
def test_in_a_continuous_shuffler_copies_are_counted_within_the_round(source: str) -> None:
    # A table that deals san gong from six decks.
    table = CardTable("san-gong", source, shoe={"decks": 6})
    for _ in range(2):
        table.bets_closed()
        table.deal("KS KS KS KS KS KS")
        assert table.outcome.facts["cards"] == ["KS"] * 6
    assert table.state.shoe is not None
    assert table.state.shoe.hands == 2
    table = CardTable("san-gong", source, shoe={"decks": 2})
    table.bets_closed()
    table.deal("KS KS KS")
    paused_by(table, "copies_used_up", "integrity")


# -- a card when none is due -----------------------------------------------------------------------------------


@SOURCES
@pytest.mark.parametrize(("hand", "extra"), [(NATURAL, "P3"), (NATURAL, "B3"), (SIX, "P4"), (SIX, "B4")])
def test_a_third_card_after_a_natural_and_a_seventh_card(source: str, hand: str, extra: str) -> None:
    table = begun(source, hand, places=True)
    table.deal(f"{extra} KC", gap_s=1)
    paused_by(table, "card_not_due")
    keeps(table, "KC")
    assert table.state.round is not None, "the shoe's own result is still waited for"
    table.resume()
    table.wait(5)
    assert table.outcome.facts["cards_total"] == len(hand.split()) // 2
    table.deal(f"{extra} KC")
    paused_by(table, "card_not_due" if source == "device" else "card_between_rounds")
    table.resume()
    table.bets_closed()
    table.deal(NATURAL)
    assert table.state.paused is None
    assert "KC" not in table.published()


def test_a_card_between_the_rounds_of_a_server() -> None:
    table = CardTable(source="server")
    table.deal("8S")
    paused_by(table, "card_between_rounds")
    keeps(table, "8S")
    assert "8S" not in table.published()
    assert table.ask(CommandName.ROUND_OPEN).error is ErrorCode.NOT_NOW
    table.resume()
    table.bets_closed()
    table.deal(bare(NATURAL))
    table.deal("9C")
    paused_by(table, "card_between_rounds")
    assert "9C" not in table.published()


@PLACES
def test_a_card_before_betting_closed(places: bool) -> None:
    table = CardTable(source="server", places=places)
    table.open()
    table.deal("P1 8S" if places else "8S")
    paused_by(table, "card_while_betting")
    keeps(table, "8S")
    assert "8S" not in table.published()
    assert "player.1" in table.last(Violation).detail
    table.close()
    table.resume()
    assert not table.of(CardDrawn)
    table.deal(NATURAL if places else bare(NATURAL))
    table.wait(5)
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


def test_a_card_while_a_gate_waits() -> None:
    table = CardTable(source="server", gates=["first_four", "player_third"])
    table.bets_closed()
    table.deal("2S 5C 2D QH")
    assert table.words()[-1] == "gate.waiting:first_four"
    table.deal("6D")
    paused_by(table, "card_before_gate")
    keeps(table, "6D")
    table.resume()
    assert "6D" not in table.published()
    table.did(CommandName.GATE_OPEN, gate="first_four")
    table.deal("6D")
    assert table.words()[-2:] == ["card.drawn:player.3:6D", "gate.waiting:player_third"]


def test_a_card_that_the_server_has_not_asked_for() -> None:
    table = CardTable("blackjack", "server")
    table.bets_closed()
    table.deal("8S")
    paused_by(table, "card_not_expected")
    assert "8S" not in table.published()


def test_a_blackjack_table_whose_rounds_no_server_opens_takes_no_card() -> None:
    table = CardTable("blackjack", "device")
    table.deal("8S")
    paused_by(table, "card_not_expected")
    assert table.state.round is None


@SOURCES
def test_a_card_while_the_table_is_paused_lies_nowhere(source: str) -> None:
    table = begun(source, "8S 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="drink spilt")
    table.deal("KC KH")
    assert [violation.reason for violation in table.of(Violation)] == ["card_while_paused"] * 2
    keeps(table, "KH")
    assert table.state.paused == "drink spilt"
    table.resume()
    table.deal("AD 3H")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert "KC" not in table.published()


@SOURCES
def test_a_card_while_the_hand_is_held_lies_nowhere(source: str) -> None:
    table = begun(source, "P1 8S P2 KC", places=True)
    assert table.last(AttemptHeld).reason == "card_skipped"
    table.deal("B2 KH")
    assert table.last(Violation).reason == "card_while_held"
    keeps(table, "KH")
    assert table.state.paused is None
    assert "KH" not in table.published()
    assert "KC" not in table.published()


# -- the reader is gone ----------------------------------------------------------------------------------------


@SOURCES
@PLACES
@pytest.mark.parametrize("away_s", [1, 600])
def test_a_lost_reader_is_a_fault_and_the_hand_goes_on_from_the_same_position(
    source: str, places: bool, away_s: float
) -> None:
    table = begun(source, "P1 8S B1 5C", places=places)
    table.lost()
    table.wait(away_s)
    table.back(asked=True)
    asked = [] if places and away_s == 1 else ["table.paused:unseen_in_hand"]
    assert table.words()[-2 - len(asked) :] == ["device.fault", "device.recovered", *asked]
    table.nothing_passed()
    table.deal("P2 AD B2 3H" if places else "AD 3H")
    table.wait(5)
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert table.outcome.attempts == 1
    assert len(table.of(CardDrawn)) == 4


# -- a card that the dealer asks for ---------------------------------------------------------------------------


@SOURCES
def test_the_dealer_can_ask_for_a_rescan(source: str) -> None:
    table = begun(source, "8S 5C")
    assert table.did(CommandName.ATTEMPT_REFUSE, Role.DEALER) == {"attempt": 1, "position": "player.2"}
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("dealer_rescan", "rescan", "player.2")
    assert "the-dealer" in refused.detail
    table.deal("AD 3H")
    assert table.outcome.attempts == 2
    assert not table.ask(CommandName.ATTEMPT_REFUSE, Role.DEALER).ok
    if source == "server":
        table.open()
        assert table.ask(CommandName.ATTEMPT_REFUSE, Role.DEALER).error is ErrorCode.NOT_NOW
