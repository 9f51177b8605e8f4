"""What cannot be told apart is decided by a person and never guessed: the newest card once more or another that looks
like it, the rest of a hand or the next one, a telegram sent again or a new one (``games.md`` §2.1)."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, CardRepeated, RoundOpened, RoundOutcome, TablePaused, Violation
from dealer_drivers.driver import load_driver
from dealer_drivers.readings.shoe import CardRead, PositionHint, ShoeSlot
from support.card_tables import NATURAL, START, CardTable, bare, held, words


def first_after_gap(table: CardTable, card: str) -> list[str]:
    """The scanner was away, and reads first what it read last."""
    reading = CardRead(at=table._next(), raw=table.raw(card), card=card, code=card, repeated=True, unsure=True)
    return words(table.see(reading))


# -- the newest card still, or another one ----------------------------------------------------------------------


@pytest.mark.parametrize("how", ["restart", "gap"])
def test_in_a_hand_it_is_neither_counted_nor_ignored(how: str) -> None:
    table = CardTable()
    table.deal("8S")
    if how == "restart":
        table.restart()
        table.deal("8S")
    else:
        first_after_gap(table, "8S")
    assert held(table, "perhaps_repeated").position is None
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8S": 1}
    table.deal("8S", gap_s=0.4, repeated=True)
    assert table.words()[-1] == "card.repeated:8S:same_pass", "it lies there: nothing new"


def test_it_was_the_newest_still_and_the_hand_goes_on_with_the_next() -> None:
    table = CardTable()
    table.deal("8S")
    table.restart()
    table.deal("8S")
    table.did(CommandName.ATTEMPT_REFUSE, Role.MANAGER)
    table.deal("5C AD 3H")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


def test_it_was_another_and_the_manager_says_so() -> None:
    table = CardTable()
    table.deal("8S")
    table.restart()
    table.deal("8S")
    table.manager(CommandName.ATTEMPT_DECIDE, position="banker.1", card="8S")
    table.deal("AD KH")
    assert table.outcome.facts["banker"]["cards"] == ["8S", "KH"]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn["8S"] == 2


@pytest.mark.parametrize("card", ["5C", "8H"])
def test_another_card_than_the_newest_is_no_question(card: str) -> None:
    table = CardTable()
    table.deal("8S 5C 8H" if card == "5C" else "8S")
    table.restart()
    table.deal(card)
    assert not table.of(AttemptHeld)


def test_a_card_that_was_not_the_first_after_it_is_no_question() -> None:
    table = CardTable()
    table.deal("8S")
    table.restart()
    table.deal("5C 5C")
    assert not table.of(AttemptHeld)
    assert table.state.round is not None
    assert len(table.state.round.steps) == 3


def test_between_two_hands_the_round_is_opened_and_held() -> None:
    table = CardTable()
    table.deal(bare(NATURAL))
    table.restart()
    table.deal("3H")
    held(table, "perhaps_repeated")
    assert len(table.of(RoundOpened)) == 2
    table.did(CommandName.ATTEMPT_REFUSE, Role.MANAGER)
    table.deal("9S 5C AD 3D")
    assert table.outcome.facts["player"]["cards"] == ["9S", "AD"]


def test_where_it_would_count_for_nothing_it_is_ignored() -> None:
    table = CardTable(source="server")
    table.bets_closed()
    table.deal(bare(NATURAL))
    table.restart()
    table.deal("3H")
    assert table.words()[-1] == "card.repeated:3H:same_pass", "between rounds"
    table.open()
    table.restart()
    table.deal("3H")
    assert table.words()[-1] == "card.repeated:3H:same_pass", "while betting is open"
    assert not table.of(Violation)


def test_the_newest_burn_card_may_be_the_same_too() -> None:
    table = CardTable(shoe={"burn": 2})
    table.deal("8S")
    table.restart()
    assert "table.paused:unseen_before_burn" in table.words()
    table.deal("8S")
    assert table.words()[-2:] == ["violation:perhaps_repeated", "table.paused:violation"]
    table.resume()
    table.deal("8S")
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["8S", "8S"], "another one: it was burnt again"


def test_a_shoe_that_names_its_places_leaves_no_question() -> None:
    table = CardTable(places=True)
    table.deal("P1 8S")
    table.restart()
    table.deal("P1 8S")
    assert table.words()[-1] == "card.repeated:8S:same_slot"
    table.deal("B1 8S")
    assert table.words()[-1] == "card.drawn:banker.1:8S"


def test_after_the_managers_word_the_same_card_counts_though_the_reader_was_off_until_then() -> None:
    """A scanner with a trigger looks only while a card is due: each reading after a hold is the first after a gap."""
    table = CardTable()
    table.deal("8S")
    first_after_gap(table, "8S")
    held(table, "perhaps_repeated")
    table.manager(CommandName.ATTEMPT_REFUSE)
    assert first_after_gap(table, "8S") == ["card.drawn:banker.1:8S"]
    first_after_gap(table, "8S")
    held(table, "perhaps_repeated")


@pytest.mark.parametrize("since", ["link", "pause", "another card"])
def test_a_word_that_was_given_before_a_gap_answers_nothing_after_it(since: str) -> None:
    table = CardTable()
    table.deal("8S")
    first_after_gap(table, "8S")
    table.manager(CommandName.ATTEMPT_REFUSE)
    if since == "link":
        table.lost()
        table.back()
    elif since == "pause":
        table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
        table.resume()
    else:
        table.deal("5C")
    first_after_gap(table, "5C" if since == "another card" else "8S")
    held(table, "perhaps_repeated")


def test_a_word_on_one_card_is_none_on_another() -> None:
    table = CardTable()
    table.deal("8S")
    first_after_gap(table, "8S")
    table.manager(CommandName.ATTEMPT_REFUSE)
    first_after_gap(table, "5C")
    held(table, "perhaps_repeated")


def test_resumed_the_burn_card_is_burnt_again_though_the_reader_was_off_until_then() -> None:
    table = CardTable(shoe={"burn": 3})
    table.deal("8S")
    assert first_after_gap(table, "8S") == ["violation:perhaps_repeated", "table.paused:violation"]
    first_after_gap(table, "8S")
    table.resume()
    first_after_gap(table, "8S")
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["8S", "8S"]
    assert first_after_gap(table, "8S")[0] == "violation:perhaps_repeated"


@pytest.mark.parametrize("away_ms", [200, 2_000, 600_000])
def test_a_scanner_that_was_unplugged_under_a_card_counts_it_once(away_ms: int) -> None:
    """With the scanner's own session: the card lies there and is read every 0.4 s."""
    driver = load_driver("barcode-serial")
    session = driver.session(driver.parse_options({"codebook": "rank-suit", "suffix": "line"}))
    table, at = CardTable(), START

    def lies(looks: int, after_ms: int = 400) -> None:
        nonlocal at
        for _ in range(looks):
            at = at.plus_s(after_ms / 1000)
            for reading in session.feed(b"8S\r\n", at).readings:
                table.see(reading)

    session.opened(at)
    lies(3)
    session.lost(at, "unplugged")
    at = at.plus_s(away_ms / 1000)
    session.opened(at)
    lies(3)
    assert table.words().count("card.drawn:player.1:8S") == 1
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8S": 1}
    assert ("attempt.held:perhaps_repeated" in table.words()) is (away_ms > 1_000)


# -- unit-coded cards of a deck that was shuffled -----------------------------------------------------------------


def units(table: CardTable, cards: str, gap_s: float = 30.0) -> None:
    for card in cards.split():
        table.deal(card, unit=f"1/{card}", gap_s=gap_s)


@pytest.mark.parametrize("again", ["5C", "8S", "8S 9S 2H 3D 4C 5C"])
@pytest.mark.parametrize("restarted", [False, True])
def test_cards_of_a_hand_that_ended_its_deck_begin_no_other_as_they_are_taken_away(again: str, restarted: bool) -> None:
    table = CardTable("three-cards", "device")
    units(table, "8S 9S 2H 3D 4C 5C", gap_s=2.0)
    if restarted:
        table.restart()
    units(table, again, gap_s=4.0)
    assert len(table.of(RoundOpened)) == 1
    assert [data.reason for data in table.of(CardRepeated)] == ["same_unit"] * len(again.split())
    units(table, "5C KH 8D KD 8C KC")
    assert len(table.of(RoundOutcome)) == 2


def test_nor_do_they_where_a_person_ended_the_hand_long_after_its_last_card() -> None:
    table = CardTable("three-cards", "device")
    units(table, "8S 9S 2H 3D 4C")
    first_after_gap(table, "9D")
    assert held(table, "perhaps_repeated")
    table.at = table.at.plus_s(60)
    table.manager(CommandName.ATTEMPT_DECIDE, position="second.3", card="9D")
    units(table, "8S", gap_s=4.0)
    assert table.words()[-1] == "card.repeated:8S:same_unit"


def test_nor_does_the_last_card_of_a_shoe_that_was_passed_twice_begin_the_next_one() -> None:
    table = CardTable("dragon-tiger", "device")
    table.deal("8S", unit="1/1")
    table.cut()
    table.deal("5C", unit="1/2")
    table.deal("5C", unit="1/2")
    assert table.words()[-2:] == ["shoe.ended:cut_card", "card.repeated:5C:same_unit"]


@pytest.mark.parametrize("source", ["device", "server"])
def test_the_first_card_of_a_new_deck_may_have_lain_in_the_hand_before(source: str) -> None:
    table = CardTable("three-cards", source)
    for cards in ("8S 9S 2H 3D 4C 5C", "8S KH 8D KD 8C KC", "KC 3C 4C 5D 6H 7H"):
        table.bets_closed()
        units(table, cards)
        dealt = cards.split()
        hands = table.outcome.facts["hands"]
        assert (hands["first"]["cards"], hands["second"]["cards"]) == (dealt[::2], dealt[1::2])


def test_and_the_first_card_of_a_shoe_that_was_changed() -> None:
    table = CardTable(shoe={"burn": 1})
    units(table, "2S 8S 5C AD 3H")
    table.manager(CommandName.SHOE_CHANGE)
    units(table, "3H 5C 9C KD 2D TS TH")
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["3H"], "a card of the last hand is the first burnt one"
    assert table.outcome.facts["player"]["cards"] == ["5C", "KD", "TS"]


def test_a_burn_card_of_a_shoe_that_gave_no_hand_burns_again_in_the_next() -> None:
    table = CardTable(shoe={"burn": 1})
    units(table, "2S")
    table.manager(CommandName.SHOE_CHANGE)
    units(table, "2S")
    assert table.state.shoe is not None
    assert (table.state.shoe.id, table.state.shoe.burnt) == ("t1-shoe-2", ["2S"])


def test_a_continuous_shuffler_gives_a_card_of_the_round_before_at_once() -> None:
    table = CardTable("blackjack", rules="infinite-001")
    for _ in range(2):
        units(table, "8S 5C TD")
        table.did(CommandName.CARD_EXPECT, action="done")
        units(table, "TH 4H")
    assert [opened.hand_in_shoe for opened in table.of(RoundOpened)] == [1, 2]
    assert table.outcome.facts["dealer"]["cards"] == ["5C", "TH", "4H"]


def test_within_a_shoe_a_card_of_the_hand_before_is_known_by_its_unit() -> None:
    table = CardTable()
    units(table, "8S 5C AD 3H 3H 8S")
    assert table.words()[-2:] == ["card.repeated:3H:same_unit", "card.repeated:8S:same_unit"]


# -- the rest of a hand, or the next one --------------------------------------------------------------------------


def test_the_rest_of_a_voided_hand_gives_no_outcome_at_a_scanner() -> None:
    table = CardTable()
    table.deal("2S 5C")
    table.manager(CommandName.ROUND_VOID)
    assert table.words()[-1] == "table.paused:rest_of_hand"
    table.restart()
    table.deal("2D QH 6D 9D")
    assert len(table.of(RoundOpened)) == 1
    assert {violation.reason for violation in table.of(Violation)} == {"card_while_paused"}
    table.resume()
    table.deal(bare(NATURAL))
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


def test_after_a_violation_too() -> None:
    table = CardTable()
    table.deal("2S 5C")
    table.outside("9S")
    assert table.state.paused == "violation"
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused == "rest_of_hand"


def test_a_pause_that_stands_already_is_enough() -> None:
    table = CardTable()
    table.deal("2S 5C")
    table.manager(CommandName.TABLE_PAUSE)
    table.manager(CommandName.ROUND_VOID)
    assert [paused.reason for paused in table.of(TablePaused)] == ["video"]


def test_nor_does_the_rest_of_a_hand_that_a_manager_decided() -> None:
    table = CardTable()
    table.deal("2S")
    table.restart()
    table.deal("2S")
    cards = {"player.1": "2S", "banker.1": "5C", "player.2": "2D", "banker.2": "QH", "player.3": "6D", "banker.3": "9D"}
    table.manager(CommandName.ATTEMPT_DECIDE, cards=cards)
    assert table.words()[-1] == "table.paused:rest_of_hand"
    table.deal("5C")
    assert table.words()[-1] == "violation:card_while_paused"


@pytest.mark.parametrize("source", ["device", "server"])
def test_with_a_server_nothing_is_left_and_with_a_card_that_nobody_read_there_is(source: str) -> None:
    table = CardTable(source=source)
    table.bets_closed()
    if source == "device":
        table.unread()
    else:
        table.deal("2S 5C")
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused == ("rest_of_hand" if source == "device" else None)


# -- a telegram once more, or a new one ---------------------------------------------------------------------------


def telegram(table: CardTable, place: str, card: str, sequence: str) -> list[str]:
    slot = {"P": ShoeSlot.PLAYER, "B": ShoeSlot.BANKER}[place[0]]
    hint = PositionHint(slot, int(place[1]))
    reading = CardRead(at=table._next(0.5), raw=table.raw(card), card=card, hint=hint, sequence=sequence)
    return words(table.see(reading))


def test_the_same_card_on_player_1_by_a_new_telegram_begins_the_next_hand() -> None:
    table = CardTable(places=True)
    first_four = [("P1", "8S"), ("B1", "5C"), ("P2", "AD"), ("B2", "3H")]
    for sequence, (place, card) in enumerate(first_four):
        telegram(table, place, card, str(sequence))
    assert telegram(table, "P1", "8S", "0") == ["card.repeated:8S:same_slot"], "sent again"
    said = telegram(table, "P1", "8S", "4")
    assert said == ["round.outcome", "round.opened", "betting.closed", "card.drawn:player.1:8S"]
    assert telegram(table, "B1", "2C", "5") == ["card.drawn:banker.1:2C"]


def test_in_the_middle_of_a_hand_the_same_card_on_the_same_place_is_a_repeat() -> None:
    table = CardTable(places=True)
    telegram(table, "P1", "8S", "1")
    telegram(table, "B1", "5C", "2")
    assert telegram(table, "P1", "8S", "3") == ["card.repeated:8S:same_slot"]


@pytest.mark.parametrize("again", ["F1 2S", "F1 2S U1 5C"])
def test_a_burn_telegram_once_more_after_a_restart_burns_nothing(again: str) -> None:
    table = CardTable(places=True)
    table.deal(again)
    assert table.state.shoe is not None
    drawn = dict(table.state.shoe.drawn)
    table.restart()
    table.deal(again[-5:])
    assert table.words()[-1].endswith(":same_slot")
    assert table.state.shoe.drawn == drawn


def test_two_equal_burn_cards_are_two() -> None:
    table = CardTable(places=True)
    table.deal("F1 2S U1 5C")
    table.restart()
    table.deal("U2 5C")
    assert table.state.shoe is not None
    assert table.state.shoe.burnt == ["2S", "5C", "5C"]


def test_the_rest_of_a_hand_that_was_decided_is_known_after_a_restart() -> None:
    table = CardTable(places=True, shoe={"result_wait_s": 0})
    table.deal("P1 2S B1 5C B2 QH")
    cards = {"player.1": "2S", "banker.1": "5C", "player.2": "2D", "banker.2": "QH", "player.3": "6D", "banker.3": "9D"}
    table.manager(CommandName.ATTEMPT_DECIDE, cards=cards)
    assert table.state.shoe is not None
    drawn = dict(table.state.shoe.drawn)
    table.restart()
    table.deal("P3 6D B3 9D")
    assert table.state.shoe.drawn == drawn
    assert "hand.skipped:rest_of_hand" in table.words()


def test_the_void_of_a_hand_is_known_after_a_restart() -> None:
    table = CardTable(places=True)
    table.deal("P1 2S B1 5C")
    table.manager(CommandName.ROUND_VOID)
    table.restart()
    table.deal("P2 2D")
    assert table.words()[-2:] == ["hand.skipped:rest_of_hand", "card.skipped:player.2:2D"]


# -- what people may correct --------------------------------------------------------------------------------------


def test_an_older_outcome_has_one_newest_correction() -> None:
    table = CardTable("dragon-tiger", shoe={"decks": 1})
    table.deal("8S 5C")
    first = table.state.sequence
    table.deal("9S 6C")
    once = table.manager(CommandName.OUTCOME_CORRECT, replaces=first, cards={"dragon.1": "7S", "tiger.1": "5C"})
    table.restart()
    again = {"reason": "video", "cards": {"dragon.1": "7H", "tiger.1": "5D"}}
    refused = table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, replaces=first, **again)
    assert refused.error is ErrorCode.NOT_NOW
    assert str(once["sequence"]) in refused.message
    table.did(CommandName.OUTCOME_CORRECT, Role.MANAGER, replaces=once["sequence"], **again)
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"9S": 1, "6C": 1, "7H": 1, "5D": 1}


def test_no_correction_names_a_card_of_which_all_copies_are_out() -> None:
    table = CardTable("dragon-tiger", shoe={"decks": 1})
    table.deal("8S 5C 9S 6C")
    ask = {"reason": "video", "replaces": table.state.sequence}
    refused = table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards={"dragon.1": "8S", "tiger.1": "6C"})
    assert refused.error is ErrorCode.BAD_ARGUMENT
    swapped = {"dragon.1": "6C", "tiger.1": "9S"}
    table.did(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards=swapped)
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8S": 1, "5C": 1, "9S": 1, "6C": 1}


@pytest.mark.parametrize("void", ["true", 1, None, "yes"])
def test_a_gate_is_voided_by_true_alone(void: object) -> None:
    table = CardTable(source="server", gates=["first_four"])
    table.bets_closed()
    table.deal("2S 5C 2D QH")
    ask = {"gate": "first_four", "reason": "breakdown"}
    assert table.ask(CommandName.GATE_OPEN, **ask, void=void).error is ErrorCode.BAD_ARGUMENT
    table.did(CommandName.GATE_OPEN, **ask, void=True)
    assert "gate.voided" in " ".join(table.words())


@pytest.mark.parametrize(("game", "cards"), [("koi", "8S 5C AD 3H KD 2C"), ("three-cards", "8S 9S 2H 3D 4C 5C")])
def test_every_hand_of_one_deck_is_the_last_of_its_shoe(game: str, cards: str) -> None:
    table = CardTable(game)
    table.deal(cards)
    assert table.outcome.last_hand is True
    assert table.words()[-1] == "shoe.ended:one_round"
