"""What follows on a person's word about a hand: nothing of the hand that he ended counts for the next one, a card that
he named does not count twice, and he cannot state what contradicts the record."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, CardDrawn, RoundOpened, RoundOutcome, RoundVoided, TablePaused
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.round import TableState, apply, fold
from support.card_tables import SIX, CardTable, bare

WHOLE = {
    "player.1": "2S",
    "banker.1": "5C",
    "player.2": "2D",
    "banker.2": "QH",
    "player.3": "6D",
    "banker.3": "9D",
}
"""The hand ``SIX``."""
PEOPLE = pytest.mark.parametrize("role", [Role.SERVER, Role.DEALER, Role.MANAGER])


def held_at_a_scanner(**settings: object) -> CardTable:
    """Two cards lie, and the newest may have been scanned again."""
    table = CardTable("baccarat", "device", **settings)  # type: ignore[arg-type]
    table.deal("2S 5C")
    table.restart()
    table.deal("5C")
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    return table


def restarted_shoe() -> CardTable:
    """An Angel Eye that was switched on again in the middle of a hand: its next card is Player 1."""
    table = CardTable("baccarat", "device", places=True)
    table.deal("P1 2S B1 5C")
    table.shoe_started()
    assert table.last(AttemptHeld).reason == "shoe_restarted"
    return table


# -- the rest of a hand that a person ended ---------------------------------------------------------------------------


@PEOPLE
def test_the_rest_of_a_decided_hand_is_asked_for_after_a_pause_that_stood_already(role: Role) -> None:
    table = held_at_a_scanner()
    table.did(CommandName.TABLE_PAUSE, role, reason="look at this")
    table.manager(CommandName.ATTEMPT_DECIDE, cards=WHOLE)
    assert table.state.paused == "look at this"
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused == "rest_of_hand"
    table.deal("2D QH")  # the rest of that hand
    assert len(table.of(RoundOpened)) == 1
    table.resume()
    table.deal(bare(SIX))
    assert table.outcome.facts["winner"] == "banker"
    assert len(table.of(RoundOpened)) == 2


def test_the_rest_of_a_voided_hand_is_asked_for_where_the_shoe_was_switched_on_again_in_it() -> None:
    table = restarted_shoe()
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused == "rest_of_hand"
    table.deal("P1 2D B1 QH")  # Player 2 and Banker 2 of that hand, by the shoe's new count
    assert len(table.of(RoundOpened)) == 1
    table.resume()
    table.deal(SIX)
    table.result("banker", player_pair=True)
    assert table.outcome.facts["player"]["cards"] == ["2S", "2D", "6D"]


def test_the_rest_of_a_decided_hand_is_asked_for_where_the_shoe_was_switched_on_again_in_it() -> None:
    table = restarted_shoe()
    table.manager(CommandName.ATTEMPT_DECIDE, cards=WHOLE)
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused == "rest_of_hand"


@pytest.mark.parametrize("restarts", [1, 2])
@pytest.mark.parametrize("words", ["break", "rest_of_hand"])
@pytest.mark.parametrize("how", [CommandName.ROUND_VOID, CommandName.ATTEMPT_DECIDE])
@pytest.mark.parametrize("named", [True, False], ids=["shoe", "scanner"])
def test_what_is_left_of_a_hand_is_asked_for_after_a_restart_in_a_persons_pause(
    named: bool, how: CommandName, words: str, restarts: int
) -> None:
    table = CardTable(places=True) if named else held_at_a_scanner()
    if named:
        table.deal("P1 2S B1 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason=words)
    if named:
        table.shoe_started()
    table.manager(how, **({"cards": WHOLE} if how is CommandName.ATTEMPT_DECIDE else {}))
    for _ in range(restarts):
        table.restart(asked=True)
    assert not table.of(TablePaused)[-1].detail, "nothing is asked while a person's pause stands"
    table.manager(CommandName.TABLE_RESUME)
    newest = table.of(TablePaused)[-1]
    assert (newest.reason, newest.by) == ("rest_of_hand", "station")
    assert table.ask(CommandName.TABLE_RESUME, Role.DEALER, reason="x").error is ErrorCode.NOT_ALLOWED
    table.deal("P1 2D B1 QH" if named else "2D QH")
    assert len(table.of(RoundOpened)) == 1, "the rest of that hand opens no round"
    table.restart(asked=True)
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused is None, "asked once, and answered"
    table.deal("P1 8S" if named else "8S")
    assert len(table.of(RoundOpened)) == 2


def test_a_hand_of_which_nothing_is_left_asks_nothing_after_a_restart() -> None:
    table = CardTable(places=True)
    table.deal("P1 2S B1 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.manager(CommandName.ROUND_VOID)
    table.restart(asked=True)
    table.manager(CommandName.TABLE_RESUME)
    assert table.state.paused is None, "the shoe names the places of the rest"


@pytest.mark.parametrize(
    ("reason", "by", "left"),
    [("break", "a-dealer", True), ("rest_of_hand", "a-dealer", True), ("rest_of_hand", "station", False)],
)
def test_only_the_stations_own_question_is_what_asks_for_the_rest(reason: str, by: str, left: bool) -> None:
    table = restarted_shoe()
    table.manager(CommandName.ROUND_VOID)
    ended = next(n for n, event in enumerate(table.events, 1) if isinstance(event.data, RoundVoided))
    voided = fold(TableState(table="t1"), table.events[:ended])
    paused = TablePaused(reason=reason, by=by)
    assert apply(voided, replace(table.events[ended], data=paused)).rest_left is left


def test_that_a_rest_is_left_stays_in_the_journal() -> None:
    for how in (CommandName.ROUND_VOID, CommandName.ATTEMPT_DECIDE):
        table = restarted_shoe()
        table.manager(how, **({"cards": WHOLE} if how is CommandName.ATTEMPT_DECIDE else {}))
        ended = next(event for event in table.events if isinstance(event.data, RoundVoided | RoundOutcome))
        assert isinstance(ended.data, RoundVoided | RoundOutcome)
        assert ended.data.rest_left
        assert "rest_left" not in json.loads(encode_event("site", ended))["data"]


def test_a_shoe_that_was_not_switched_on_again_names_the_rest_of_a_voided_hand_itself() -> None:
    table = CardTable("baccarat", "device", places=True)
    table.deal("P1 2S B1 5C P3 2D")
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused is None
    table.deal("B2 QH")
    assert len(table.of(RoundOpened)) == 1


def test_where_a_server_opens_the_rounds_nobody_asks_for_the_rest() -> None:
    table = CardTable("baccarat", "server", places=True)
    table.bets_closed()
    table.deal("P1 2S B1 5C")
    table.shoe_started()
    table.manager(CommandName.ROUND_VOID)
    assert table.state.paused is None


# -- a card that a person named, scanned all the same -----------------------------------------------------------------


@pytest.mark.parametrize("source", ["device", "server"])
def test_a_card_that_a_person_named_and_that_is_scanned_after_it_counts_once(source: str) -> None:
    table = CardTable("baccarat", source)
    table.bets_closed()
    table.deal("2S 5C")
    table.restart()
    table.deal("5C")
    table.manager(CommandName.ATTEMPT_DECIDE, position="player.2", card="5C")
    table.deal("5C", gap_s=5.0)  # it was held, so the dealer scans it again
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    assert "named" in table.last(AttemptHeld).detail
    table.manager(CommandName.ATTEMPT_REFUSE)
    table.deal("QH 6D")
    assert table.outcome.facts["banker"]["cards"] == ["5C", "QH", "6D"]


def test_another_card_that_looks_like_the_named_one_counts_once_a_person_says_so() -> None:
    table = held_at_a_scanner()
    table.manager(CommandName.ATTEMPT_DECIDE, position="player.2", card="5C")
    table.deal("5C", gap_s=5.0)
    table.manager(CommandName.ATTEMPT_REFUSE)
    table.deal("5C", gap_s=5.0)
    assert table.last(CardDrawn).position == "banker.2"


def test_a_corrected_card_that_is_scanned_after_it_counts_once() -> None:
    table = CardTable("baccarat", "device")
    table.deal("5C")  # Banker 1: the dealer did not scan Player 1
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="2S")
    table.deal("2S", gap_s=5.0)
    assert table.last(AttemptHeld).reason == "perhaps_repeated"


def test_the_last_card_of_a_hand_that_a_person_named_does_not_begin_the_next_one() -> None:
    table = CardTable("baccarat", "device")
    table.deal("9S 3C KH")
    table.restart()
    table.deal("KH")
    table.manager(CommandName.ATTEMPT_DECIDE, position="banker.2", card="KH")
    assert table.outcome.facts["winner_natural"]
    table.deal("KH", gap_s=5.0)
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    table.manager(CommandName.ATTEMPT_REFUSE)
    table.deal("2S")
    assert table.words("card.drawn")[-1] == "card.drawn:player.1:2S"


def test_a_deck_that_was_shuffled_may_begin_with_a_card_like_the_one_that_a_person_named_last() -> None:
    table = CardTable("dragon-tiger", "device", shoe={"decks": 1})
    table.deal("9S")
    table.restart()
    table.deal("9S")
    table.manager(CommandName.ATTEMPT_DECIDE, position="tiger.1", card="KH")
    table.manager(CommandName.SHOE_CHANGE)
    table.deal("KH")
    assert table.words("card.drawn")[-1] == "card.drawn:dragon.1:KH"


def test_a_card_too_early_is_a_violation_though_a_person_named_one_like_it() -> None:
    table = CardTable("baccarat", "server", gates=["first_four"])
    table.bets_closed()
    table.deal("2S 5C 2D")
    table.restart()
    table.deal("2D")
    table.manager(CommandName.ATTEMPT_DECIDE, position="banker.2", card="2D")
    table.deal("2D", gap_s=5.0)
    assert table.words("violation")[-1] == "violation:card_before_gate"


# -- a physical card that was scanned for another ---------------------------------------------------------------------


@pytest.mark.parametrize("source", ["device", "server"])
def test_a_unit_coded_card_that_was_scanned_for_the_one_before_it_lies_where_it_belongs(source: str) -> None:
    table = CardTable("baccarat", source)
    table.bets_closed()
    table.deal("5C", unit="1/00002")  # Banker 1: the dealer did not scan Player 1
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="2S")
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="3S")
    table.restart()
    table.deal("5C", unit="1/00002")
    assert table.words("card.drawn")[-1] == "card.drawn:banker.1:5C"
    table.deal("5C", gap_s=5.0, unit="1/00002")
    assert table.words()[-1] == "card.repeated:5C:same_unit"
    for number, card in enumerate(("2D", "QH", "6D", "9D")):
        table.deal(card, unit=f"1/1000{number}")
    assert table.outcome.facts["player"]["cards"] == ["3S", "2D", "6D"]
    table.bets_closed()
    table.deal("7H", unit="1/00007")
    table.deal("5C", gap_s=5.0, unit="1/00002")
    assert table.words("violation")[-1] == "violation:unit_seen_before"
    assert table.last(TablePaused).reason == "integrity"


def test_a_correction_taken_back_knows_again_which_physical_card_lies_there() -> None:
    table = CardTable("baccarat")
    table.deal("8S", unit="1/001")
    for card in ("5C", "3D", "8S"):
        table.manager(CommandName.CARD_CORRECT, position="player.1", card=card)
    table.deal("5C", unit="1/002")
    table.deal("8S", unit="1/001")  # the very card of Player 1
    assert table.words()[-1] == "card.repeated:8S:same_unit"
    table.restart()
    table.deal("8S", unit="1/001")
    assert table.words()[-1] == "card.repeated:8S:same_unit"
    table.deal("8S", unit="1/003")  # another that looks like it
    assert table.words()[-1] == "card.drawn:player.2:8S"


def test_a_correction_taken_back_is_another_card_where_the_physical_one_has_come_since() -> None:
    table = CardTable("baccarat")
    table.deal("8S", unit="1/001")  # Banker 1: the dealer did not scan Player 1
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="5C")
    table.deal("8S", unit="1/001")
    assert table.words()[-1] == "card.drawn:banker.1:8S"
    table.manager(CommandName.CARD_CORRECT, position="player.1", card="8S")
    assert table.state.round is not None
    assert [step.unit for step in table.state.round.steps] == [None, "set-a/1/001"]
    table.manager(CommandName.CARD_CORRECT, position="banker.1", card="2D")
    table.manager(CommandName.CARD_CORRECT, position="banker.1", card="8S")
    table.deal("8S", unit="1/001")
    assert table.words()[-1] == "card.repeated:8S:same_unit"


PASSED_OVER = {"player.1": "8S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}


def passed_over() -> CardTable:
    """The dealer passed over Banker 2, 3H, and scanned the first card of the next hand for it."""
    table = CardTable("baccarat")
    for number, card in enumerate(("8S", "5C", "AD")):
        table.deal(card, unit=f"1/{number}")
    table.deal("9H", unit="1/77")
    assert table.outcome.facts["banker"]["cards"] == ["5C", "9H"]
    return table


def correct_outcome(table: CardTable, cards: dict[str, str]) -> None:
    assert table.state.outcome is not None
    sequence = table.state.outcome.sequence
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards=cards)


@pytest.mark.parametrize("restart", [False, True])
def test_a_unit_that_an_outcome_was_corrected_for_begins_the_next_hand(restart: bool) -> None:
    table = passed_over()
    correct_outcome(table, PASSED_OVER)
    if restart:
        table.restart()
    table.deal("9H", unit="1/77", gap_s=20)
    assert table.words()[-1] == "card.drawn:player.1:9H"
    table.deal("9H", unit="1/77")
    assert table.words()[-1] == "card.repeated:9H:same_unit"
    table.deal("2D", unit="1/78")
    table.deal("8S", unit="1/0")  # one that does lie in the hand before
    assert table.words("violation")[-1] == "violation:unit_seen_before"
    assert table.state.paused == "integrity"


def test_the_card_that_was_passed_over_does_not_begin_the_next_hand() -> None:
    table = passed_over()
    correct_outcome(table, PASSED_OVER)
    table.deal("3H", unit="1/50", gap_s=20)
    assert table.last(AttemptHeld).reason == "perhaps_repeated"


def test_an_outcome_corrected_back_lays_the_unit_back_too() -> None:
    table = passed_over()
    correct_outcome(table, PASSED_OVER)
    correct_outcome(table, PASSED_OVER | {"banker.2": "9H"})
    table.deal("9H", unit="1/77", gap_s=20)
    assert table.words()[-1] == "card.repeated:9H:same_unit"


def test_a_unit_of_a_place_that_an_outcome_loses_begins_the_next_hand() -> None:
    table = CardTable("baccarat")
    for number, card in enumerate(("2S", "5C", "2D", "QH", "6D", "9D")):
        table.deal(card, unit=f"1/{number}")
    # Player 2 was 6D: eight, and no third card.
    correct_outcome(table, {"player.1": "2S", "banker.1": "5C", "player.2": "6D", "banker.2": "QH"})
    table.deal("9D", unit="1/5", gap_s=20)
    assert table.words()[-1] == "card.drawn:player.1:9D"


def test_a_correction_of_another_hand_than_the_newest_leaves_its_units() -> None:
    table = passed_over()
    assert table.state.outcome is not None
    sequence = table.state.outcome.sequence
    table.deal("8S", unit="1/80", gap_s=20)
    table.manager(CommandName.ROUND_VOID)
    table.clear_rest()
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards=PASSED_OVER | {"player.1": "7S"})
    table.deal("8S", unit="1/80")
    assert table.words()[-1] == "card.repeated:8S:same_unit"


@pytest.mark.parametrize("after", ["hold", "outcome"])
def test_a_unit_scanned_for_the_last_card_of_a_hand_begins_the_next_one(after: str) -> None:
    table = CardTable("baccarat")
    for number, card in enumerate(("8S", "5C", "AD")):
        table.deal(card, unit=f"1/{number}")
    if after == "hold":  # it was scanned for Player 2 already, and passed over after it was put right
        table.manager(CommandName.CARD_CORRECT, position="player.2", card="KD")
        table.deal("3H", unit="1/3")
    else:
        table.deal("3H", unit="1/3")
        correct_outcome(table, PASSED_OVER | {"player.2": "KD"})
    table.deal("AD", unit="1/2", gap_s=20)
    assert table.words()[-1] == "card.drawn:player.1:AD"


# -- what contradicts the record --------------------------------------------------------------------------------------


def test_a_decided_hand_has_no_card_of_which_every_copy_came_out() -> None:
    table = CardTable("baccarat", "device", places=True, shoe={"decks": 1})
    table.deal("P1 9S B1 7C P2 TD B2 KH")
    table.result("player")
    table.deal("P1 2S B1 5C P3 6D")
    assert table.last(AttemptHeld).reason == "card_skipped"
    refused = table.ask(CommandName.ATTEMPT_DECIDE, Role.MANAGER, reason="video", cards=WHOLE | {"banker.2": "KH"})
    assert refused.error == ErrorCode.BAD_ARGUMENT
    assert "KH" in refused.message
    assert table.state.round is not None
    # A card that was read for this hand is not another one on the same place, nor on one that it is said to lie on.
    table.manager(CommandName.ATTEMPT_DECIDE, cards=WHOLE | {"player.1": "2D", "player.2": "2S"})
    assert table.outcome.facts["player"]["cards"] == ["2D", "2S", "6D"]


def test_cards_of_the_shoe_before_are_counted_there() -> None:
    table = CardTable("baccarat", "device", shoe={"decks": 1, "burn": 1})
    table.deal("KH 2S 5C")
    table.did(CommandName.TABLE_PAUSE, Role.MANAGER, reason="the shoe is changed")
    table.manager(CommandName.SHOE_CHANGE)
    table.resume()
    table.deal("3H 2D")  # the first is burnt
    table.restart()
    table.deal("2D")
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    table.manager(CommandName.ATTEMPT_DECIDE, cards=WHOLE | {"player.1": "3H"})
    assert table.outcome.facts["player"]["cards"] == ["3H", "2D", "6D"]


def test_a_decided_blackjack_hand_begins_with_what_the_server_said() -> None:
    table = CardTable("blackjack", "server", rules="classic-001")
    table.bets_closed()
    table.did(CommandName.CARD_EXPECT, action="seats", seats=[1])
    table.deal("5C 9D")
    table.restart()
    table.deal("9D")
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    hand = {"seat1.h1.1": "5C", "dealer.1": "9D", "seat1.h1.2": "9D", "dealer.2": "TD"}
    other = {position.replace("seat1", "seat2"): card for position, card in hand.items()}
    done = {"action": "done"}
    refused = table.ask(
        CommandName.ATTEMPT_DECIDE,
        Role.MANAGER,
        reason="video",
        cards=other,
        expects=[{"action": "seats", "seats": [2]}, done],
    )
    assert refused.error == ErrorCode.BAD_ARGUMENT
    assert "the server said" in refused.message
    table.manager(CommandName.ATTEMPT_DECIDE, cards=hand, expects=[{"action": "seats", "seats": [1]}, done])
    assert [found["seat"] for found in table.outcome.facts["hands"]] == [1]
