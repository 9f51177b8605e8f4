"""What was learned in the field of a shoe that names places and results (``devices.md`` §2)."""

from __future__ import annotations

from collections import Counter

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    CardDrawn,
    CardRepeated,
    CardSkipped,
    DeviceFaulted,
    HandSkipped,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    ShoeEnded,
    TablePaused,
    Violation,
)
from dealer_drivers.readings.shoe import ShoeProblem
from support.card_tables import NATURAL, CardTable, bare, held, words

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
DECIDE, REFUSE = CommandName.ATTEMPT_DECIDE, CommandName.ATTEMPT_REFUSE


def shoe_table(source: str = "device", **settings: object) -> CardTable:
    return CardTable(source=source, places=True, **settings)  # type: ignore[arg-type]


# -- where a hand begins ---------------------------------------------------------------------------------------


def test_a_round_starts_at_the_first_fresh_player_1_and_at_nothing_else() -> None:
    table = shoe_table()
    table.shoe_started()
    table.stand_by()
    table.announced_again("8S")
    table.wait(60)
    assert table.words() == ["table.started", "card.repeated:8S:announced_again"]
    table.deal("P1 8S")
    assert table.words()[-3:] == ["round.opened", "betting.closed", "card.drawn:player.1:8S"]
    table.shoe_started()
    table.stand_by()
    assert len(table.of(RoundOpened)) == 1


@pytest.mark.parametrize("joined", ["P2 AD B2 3H", "B2 3H", "P3 6D B3 9D", "B3 9D"])
def test_joined_in_mid_hand_that_hand_is_skipped_and_said_once(joined: str) -> None:
    table = shoe_table()
    table.deal(joined)
    table.result("player")
    assert words(table.of(HandSkipped)) == ["hand.skipped:joined_mid_hand"]
    assert not table.of(RoundOpened)
    assert table.state.paused is None
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.hand_in_shoe == 1
    assert table.events[-1].subject == "t1-1"


def test_skipped_over_a_restart_it_is_still_said_once() -> None:
    table = shoe_table()
    table.deal("P2 AD")
    table.restart()
    table.deal("B2 3H")
    assert len(table.of(HandSkipped)) == 1


@pytest.mark.parametrize("gone", ["lost", "restart"])
def test_when_cards_may_have_passed_unseen_the_hand_is_one_joined_in_the_middle(gone: str) -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.result("player")
    if gone == "lost":
        table.lost()
        table.back()
    else:
        table.restart()
    table.deal("P3 6D B3 9D")
    table.result("banker")
    assert table.words("hand.skipped", "violation") == ["hand.skipped:joined_mid_hand"]
    table.deal(NATURAL)
    table.result("player")
    assert len(table.of(RoundOutcome)) == 2


def test_a_hand_whose_first_telegram_was_lost_is_held_not_lost() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.result("player")
    table.deal("B1 5C")
    held(table, "card_skipped")
    assert table.events[-1].subject == "t1-2"
    table.manager(DECIDE, position="player.1", card="8D")
    assert table.words()[-2:] == ["card.drawn:player.1:8D:video", "card.drawn:banker.1:5C"]
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8D", "AD"]
    assert len(table.outcome.evidence) == 4, "three cards that were read and the result"


# -- the cards of skipped hands came out of the shoe ---------------------------------------------------------


@pytest.mark.parametrize("source_of_gap", ["start", "lost", "voided"])
def test_cards_of_a_hand_without_a_result_are_counted_in_their_shoe(source_of_gap: str) -> None:
    table = shoe_table()
    expected: Counter[str] = Counter()
    if source_of_gap == "lost":
        table.deal(NATURAL)
        table.result("player")
        expected.update(bare(NATURAL).split())
        table.lost()
        table.back()
    elif source_of_gap == "voided":
        table.deal("P1 8S B1 5C")
        expected.update(["8S", "5C"])
        table.manager(CommandName.ROUND_VOID)
    table.deal("P2 AD B2 3H")
    table.restart()
    table.deal("B2 3H")  # told once more, with another sequence character
    table.deal("P3 6D")
    expected.update(["AD", "3H", "6D"])
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == expected
    assert [skipped.position for skipped in table.of(CardSkipped)] == ["player.2", "banker.2", "player.3"]
    assert "AD" not in str([event for event in table.published().splitlines() if "card.skipped" in event])


def test_a_ninth_copy_in_a_hand_without_a_result_is_an_integrity_alarm() -> None:
    table = shoe_table()
    for _ in range(4):
        table.deal("P1 8S B1 8S P2 AD B2 9H")
        table.result("player")
    table.lost()
    table.back()
    table.deal("P2 8S")
    assert table.state.paused == "integrity"
    assert words(table.of(Violation)) == ["violation:copies_used_up"]
    assert not table.of(CardSkipped)


def test_a_card_that_a_person_named_is_not_counted_again_when_the_shoe_gives_it() -> None:
    table = shoe_table()
    table.deal("P1 2S B1 5C P2 2D P3 6D")
    cards = {"player.1": "2S", "banker.1": "5C", "player.2": "2D", "banker.2": "QH", "player.3": "6D", "banker.3": "9D"}
    table.manager(DECIDE, cards=cards)
    table.deal("B3 9H")
    assert words(table.of(HandSkipped)) == ["hand.skipped:rest_of_hand"]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == Counter(cards.values())


def test_a_shoe_of_which_only_a_skipped_hand_was_seen_is_told_from_the_next_one() -> None:
    table = shoe_table()
    table.deal("P2 AD B2 3H")
    table.deal("F1 2S U1 9C U2 9D")
    assert words(table.of(ShoeEnded)) == ["shoe.ended:shoe_exchanged"]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"2S": 1, "9C": 1, "9D": 1}


def test_cards_of_a_skipped_hand_of_a_shoe_that_nobody_verified_are_of_no_shoe() -> None:
    table = CardTable(places=True, shoe={"require_verified": True})
    table.deal("P2 AD B2 3H")
    assert words(table.of(HandSkipped)) == ["hand.skipped:joined_mid_hand"]
    assert table.state.shoe is None
    table.deal("P1 8S")
    assert table.words("violation", "table.paused") == ["violation:shoe_not_verified", "table.paused:violation"]


# -- places ----------------------------------------------------------------------------------------------------


@SOURCES
def test_another_card_for_a_place_that_has_one_holds_and_the_first_is_kept(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S B1 5C B1 KD")
    hold = held(table, "slot_overwritten")
    assert hold.seen["banker"]["cards"] == ["5C"]
    assert "KD" not in table.published()
    assert table.ask(REFUSE, Role.DEALER).error is ErrorCode.NOT_ALLOWED
    table.did(REFUSE, Role.MANAGER)
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("manager_refused", "rescan", "player.2")
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["banker"]["cards"] == ["5C", "3H"]
    assert table.outcome.attempts == 2
    assert table.outcome.source == "device"


@SOURCES
def test_the_manager_says_that_the_second_card_was_the_true_one(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S B1 5C B1 KD")
    assert table.ask(DECIDE, Role.MANAGER, position="banker.1", card="5C", reason="v").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(DECIDE, Role.MANAGER, position="banker.2", card="KD", reason="v").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(DECIDE, Role.MANAGER, position="banker.1", card="KX", reason="v").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(DECIDE, Role.SERVER, position="banker.1", card="KD", reason="v").error is ErrorCode.NOT_ALLOWED
    table.manager(DECIDE, position="banker.1", card="KD")
    assert table.words()[-1] == "card.corrected:banker.1:KD:video"
    table.deal("P2 AD B2 3H")
    table.result("player")
    outcome = table.outcome
    assert outcome.facts["banker"]["cards"] == ["KD", "3H"]
    assert (outcome.source, outcome.by, outcome.reason) == ("manager", "the-manager", "video")
    assert outcome.witnesses == ["cards", "shoe_result", "manager"]


@SOURCES
@pytest.mark.parametrize(
    ("cards", "missing"),
    [("B1 5C", "player.1"), ("P1 8S P2 AD", "banker.1"), ("P1 2S B1 5C P2 2D B2 QH B3 9D", "player.3")],
)
def test_a_telegram_that_was_skipped_holds_the_hand(source: str, cards: str, missing: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(NATURAL)
    table.result("player")
    table.bets_closed()
    table.deal(cards)
    hold = held(table, "card_skipped")
    assert missing in hold.detail
    last = cards.split()[-1]
    assert f'"{last}"' not in json_of(table, hold)
    table.manager(DECIDE, position=missing, card="6H")
    named, read = table.of(CardDrawn)[-2:]
    assert (named.position, named.card, named.by, named.reason) == (missing, "6H", "the-manager", "video")
    assert named.evidence == [], "the frames are those of the other card"
    assert (read.position, read.card, read.by) == (hold.position, last, None)
    assert read.evidence == hold.kept


def json_of(table: CardTable, hold: AttemptHeld) -> str:
    return [line for line in table.published().splitlines() if hold.detail in line][-1]


def test_two_telegrams_that_were_skipped_are_named_one_by_one() -> None:
    table = shoe_table("server")
    table.bets_closed()
    table.deal("P1 8S B2 3H")
    table.deal("B2 3H")
    assert table.words()[-1] == "card.repeated:3H:same_slot"
    table.restart()
    table.manager(DECIDE, position="banker.1", card="5C")
    assert table.words()[-2:] == ["card.drawn:banker.1:5C:video", "attempt.held:card_skipped"]
    assert table.ask(DECIDE, Role.MANAGER, position="banker.2", card="3H", reason="v").error is ErrorCode.BAD_ARGUMENT
    table.restart()
    table.manager(DECIDE, position="player.2", card="AD")
    assert table.words()[-2:] == ["card.drawn:player.2:AD:video", "card.drawn:banker.2:3H"]
    table.result("player")
    assert table.outcome.source == "manager"


def test_a_card_that_waits_for_one_before_it_is_dismissed_with_the_hold() -> None:
    table = shoe_table()
    table.deal("P1 8S P2 KC")
    table.did(REFUSE, Role.MANAGER)
    table.deal("B1 5C")
    assert table.words()[-1] == "card.drawn:banker.1:5C"
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert "KC" not in table.published()


def test_a_card_that_waits_must_still_be_possible_once_those_before_it_are_known() -> None:
    table = shoe_table()
    table.deal("P1 8S B1 5C B2 3H")
    table.manager(DECIDE, position="player.2", card="AD")
    assert table.words()[-1] == "card.drawn:banker.2:3H"
    table.result("player")
    table.deal("P1 8S B1 5C P2 2D P3 6D")
    table.manager(DECIDE, position="banker.2", card="4H")  # a natural: there is no third card
    hold = held(table, "card_skipped")
    assert hold.detail == "the shoe gave the card for player.3 and no card is due"
    assert len(table.of(RoundOutcome)) == 1


def test_a_card_that_waits_is_counted_with_those_that_were_named() -> None:
    table = shoe_table(shoe={"decks": 1})
    table.deal("P1 8S P2 KC")
    table.manager(DECIDE, position="banker.1", card="KC")
    assert table.words()[-2:] == ["violation:copies_used_up", "table.paused:integrity"]


# -- nobody decided --------------------------------------------------------------------------------------------


def test_a_held_hand_that_nobody_decided_is_void_when_the_shoe_begins_the_next() -> None:
    table = shoe_table()
    table.deal("P1 8S B1 5C B1 KD P2 AD B2 3H")
    table.result("player")
    table.deal("P1 2S")
    voided = table.last(RoundVoided)
    assert (voided.reason, voided.by) == ("held_not_decided", "station")
    assert voided.seen["player"]["cards"] == ["8S"]
    table.deal("B1 5C P2 2D B2 QH P3 6D B3 9D")
    table.result("banker", player_pair=True)
    assert table.outcome.facts["player"]["cards"] == ["2S", "2D", "6D"]
    assert table.outcome.hand_in_shoe == 2
    assert len(table.outcome.evidence) == 7


def test_a_new_hand_is_not_held_for_the_old_one() -> None:
    table = shoe_table()
    table.deal("P1 8S P2 KC")
    assert table.last(AttemptHeld).reason == "card_skipped"
    table.deal("P1 9S B1 5C P2 2D B2 4H")
    assert words(table.of(AttemptHeld)) == ["attempt.held:card_skipped"]
    table.result("banker")
    assert table.outcome.facts["player"]["cards"] == ["9S", "2D"]


def test_a_new_hand_in_the_middle_of_one_holds_and_the_one_after_it_counts() -> None:
    table = shoe_table()
    table.deal("P1 8S B1 5C")
    table.deal("P1 2S B1 5C P2 2D B2 QH P3 6D B3 9D")
    assert table.last(AttemptHeld).reason == "slot_overwritten"
    assert not table.of(RoundOutcome)
    table.deal(NATURAL.replace("8S", "8D"))
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8D", "AD"]
    assert len(table.of(RoundOutcome)) == 1


def test_the_rest_of_a_voided_hand_is_skipped_and_said_once() -> None:
    table = shoe_table()
    table.deal("P1 2S B1 5C")
    table.manager(CommandName.ROUND_VOID)
    assert table.last(RoundVoided).seen["player"]["cards"] == ["2S"]
    table.deal("P2 2D B2 QH P3 6D B3 9D")
    table.result("banker", player_pair=True)
    assert words(table.of(HandSkipped)) == ["hand.skipped:rest_of_hand"]
    assert table.state.paused is None
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.facts["winner"] == "player"


def test_cards_that_came_while_the_table_stood_belong_to_hands_that_give_no_result() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.result("player")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.deal("P1 2S B1 5C P2 2D")
    table.resume()
    table.deal("B2 QH P3 6D B3 9D")
    assert words(table.of(HandSkipped)) == ["hand.skipped:joined_mid_hand"]
    assert table.state.paused is None
    table.deal(NATURAL)
    table.result("player")
    assert len(table.of(RoundOutcome)) == 2


def test_no_outcome_while_the_table_is_paused_and_the_result_is_not_forgotten() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.result("banker")
    table.wait(60)
    assert not table.of(RoundOutcome)
    assert not table.of(AttemptHeld)
    table.resume()
    assert table.last(AttemptHeld).reason == "shoe_result_disagrees"


def test_a_wait_that_ended_while_the_table_stood_is_over() -> None:
    table = shoe_table()
    table.deal(NATURAL)
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.wait(60)
    assert table.table.deadline_ns() is None
    table.resume()
    assert table.outcome.facts["winner"] == "player"


# -- what else the shoe says -----------------------------------------------------------------------------------


@SOURCES
def test_a_card_announced_again_is_recorded_and_nothing_else(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S B1 5C")
    table.announced_again("KD")
    assert table.words()[-1] == "card.repeated:KD:announced_again"
    assert "KD" not in table.published()
    table.deal("P2 AD B2 3H")
    table.result("player")
    assert table.outcome.facts["cards_total"] == 4
    table.announced_again("KD")
    assert table.state.round is None
    assert len(table.of(CardRepeated)) == 2


@SOURCES
def test_a_card_outside_a_game_is_a_violation(source: str) -> None:
    table = shoe_table(source)
    table.outside("KD")
    assert [table.last(Violation).reason, table.last(TablePaused).reason] == ["card_outside_game", "violation"]
    assert "KD" not in table.published()
    assert table.last(Violation).kept


@SOURCES
def test_the_shoe_itself_says_that_it_could_not_read(source: str) -> None:
    table = shoe_table(source)
    table.error(ShoeProblem.CANNOT_READ)
    assert not table.of(AttemptRefused)
    table.error(ShoeProblem.CANNOT_READ, cleared=True)
    table.bets_closed()
    table.deal("P1 8S")
    table.error(ShoeProblem.CANNOT_READ)
    assert [fault.fault for fault in table.of(DeviceFaulted)] == ["shoe_cannot_read"] * 2
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("no_read", "rescan", "banker.1")
    table.error(ShoeProblem.CANNOT_READ, cleared=True)
    assert table.events[-1].data.type == "device.recovered"
    table.error(ShoeProblem.WRONG_CARD_CODE)
    assert table.last(AttemptRefused).reason == "foreign_card"
    table.error(ShoeProblem.WRONG_BUTTON)
    assert len(table.of(AttemptRefused)) == 2
    table.deal("B1 5C P2 AD B2 3H")
    table.result("player")
    assert table.outcome.attempts == 3


@pytest.mark.parametrize("problem", [ShoeProblem.CANNOT_READ, ShoeProblem.WRONG_CARD_CODE])
def test_of_a_hands_first_card_the_devices_fault_asks_for_it_again(problem: ShoeProblem) -> None:
    """Where the first card opens the round there is none to refuse an attempt of."""
    table = shoe_table()
    table.error(problem)
    assert table.words()[1:] == ["device.fault"]
    assert "scan the same card again" in table.last(DeviceFaulted).detail
    table.error(problem, cleared=True)
    table.deal(NATURAL)
    table.result("player")
    assert table.outcome.attempts == 1
    table.error(ShoeProblem.WRONG_BUTTON)
    assert "scan" not in table.last(DeviceFaulted).detail


@pytest.mark.parametrize("problem", [ShoeProblem.CANNOT_READ, ShoeProblem.WRONG_CARD_CODE])
def test_in_an_open_round_it_is_a_try_from_the_first_card_on(problem: ShoeProblem) -> None:
    table = shoe_table("server", tries=2)
    table.error(problem)
    assert "scan" not in table.last(DeviceFaulted).detail, "no round is open and no card is due"
    table.error(problem, cleared=True)
    table.bets_closed()
    for _ in range(2):
        assert table.state.paused is None
        table.error(problem)
        table.error(problem, cleared=True)
    assert [(refused.remedy, refused.position) for refused in table.of(AttemptRefused)] == [("rescan", "player.1")] * 2
    assert table.state.paused == "tries_exhausted"


@SOURCES
@pytest.mark.parametrize("problem", [ShoeProblem.BACKWARDS_AT_EXIT, ShoeProblem.BACKWARDS_MIDWAY])
def test_a_card_that_went_backwards_is_drawn_again(source: str, problem: ShoeProblem) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal("P1 8S")
    table.error(problem)
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("backwards_card", "rescan", "banker.1")
    table.error(problem, cleared=True)
    table.deal("B1 5C P2 AD B2 3H")
    table.error(problem)
    assert len(table.of(AttemptRefused)) == 1, "none is due any more"
    table.result("player")
    assert table.outcome.attempts == 2


@SOURCES
def test_the_shoe_itself_says_that_a_card_too_many_was_drawn(source: str) -> None:
    table = shoe_table(source)
    table.bets_closed()
    table.deal(NATURAL)
    table.result("player")
    table.error(ShoeProblem.OVERDRAW)
    assert table.words()[-3:] == ["device.fault", "violation:card_not_due", "table.paused:violation"]
