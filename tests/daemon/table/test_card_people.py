"""What managers, dealers and servers may do with a hand, and what a crash does to it: nothing."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptRefused, CardCorrected, CardDrawn, OutcomeCorrected, RoundOutcome, RoundVoided
from support.card_tables import NATURAL, SIX, CardTable, bare, held, words

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
CORRECT, DECIDE, REFUSE = CommandName.CARD_CORRECT, CommandName.ATTEMPT_DECIDE, CommandName.ATTEMPT_REFUSE
VOID, PAUSE = CommandName.ROUND_VOID, CommandName.TABLE_PAUSE


def begun(source: str, cards: str, **how: Any) -> CardTable:
    table = CardTable(source=source, **how)
    table.bets_closed()
    table.deal(cards)
    return table


# -- the wrong card in the position ----------------------------------------------------------------------------


@SOURCES
def test_a_manager_puts_the_right_card_on_a_position_before_the_outcome(source: str) -> None:
    table = begun(source, "8S 5C AD")
    correct = {"position": "banker.1", "card": "5D", "reason": "video"}
    assert table.ask(CORRECT, Role.DEALER, **correct).error is ErrorCode.NOT_ALLOWED
    assert table.ask(CORRECT, Role.SERVER, **correct).error is ErrorCode.NOT_ALLOWED
    assert table.did(CORRECT, Role.MANAGER, **correct) == {"position": "banker.1"}
    corrected = table.last(CardCorrected)
    assert (corrected.position, corrected.card, corrected.was) == ("banker.1", "5D", "5C")
    assert (corrected.reason, corrected.by) == ("video", "the-manager")
    table.restart()
    table.deal("3H")
    outcome = table.outcome
    assert outcome.facts["banker"]["cards"] == ["5D", "3H"]
    assert (outcome.source, outcome.by, outcome.reason) == ("manager", "the-manager", "video")
    assert outcome.witnesses == ["cards", "manager"]
    assert len(outcome.evidence) == 4
    table.bets_closed()
    table.deal(bare(NATURAL))
    assert table.outcome.source == "device", "a correction is of its hand alone"


@SOURCES
@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"position": "banker.3", "card": "5D", "reason": "v"}, ErrorCode.BAD_ARGUMENT),
        ({"position": "banker.1", "card": "5X", "reason": "v"}, ErrorCode.BAD_ARGUMENT),
        ({"position": "banker.1", "card": "5C", "reason": "v"}, ErrorCode.BAD_ARGUMENT),
        ({"position": "banker.1", "card": "5D"}, ErrorCode.BAD_ARGUMENT),
        ({"position": "banker.1", "reason": "v"}, ErrorCode.BAD_ARGUMENT),
        ({"card": "5D", "reason": "v"}, ErrorCode.BAD_ARGUMENT),
        ({"position": "banker.1", "card": "5D", "reason": "v", "round": "t1-7"}, ErrorCode.WRONG_ROUND),
        # With a natural nine the six that lies would never have been drawn.
        ({"position": "player.1", "card": "7S", "reason": "v"}, ErrorCode.NOT_NOW),
    ],
)
def test_corrections_that_cannot_be(source: str, args: dict[str, str], error: ErrorCode) -> None:
    table = begun(source, "2S 5C 2D QH 6D")
    assert table.ask(CORRECT, Role.MANAGER, **args).error is error


@SOURCES
def test_all_copies_of_the_right_card_are_out_already(source: str) -> None:
    table = begun(source, "8S 5C AD", shoe={"decks": 1})
    refused = table.ask(CORRECT, Role.MANAGER, position="banker.1", card="8S", reason="v")
    assert refused.error is not None
    table = CardTable("dragon-tiger", source, shoe={"decks": 1})
    for cards in ("8S 5C", "9S"):
        table.bets_closed()
        table.deal(cards)
    assert table.ask(CORRECT, Role.MANAGER, position="dragon.1", card="8S", reason="v").error == "bad_argument"


@SOURCES
def test_a_correction_that_ends_the_hand_ends_it(source: str) -> None:
    table = begun(source, "2S 5C 2D QH")
    assert table.state.round is not None
    table.manager(CORRECT, position="player.1", card="7S")
    assert table.outcome.facts["player"]["total"] == 9


@SOURCES
def test_a_correction_while_the_table_stands_takes_effect_when_it_goes_on(source: str) -> None:
    table = begun(source, "2S 5C 2D QH")
    table.did(PAUSE, Role.DEALER, reason="the card was covered")
    table.manager(CORRECT, position="player.1", card="7S")
    assert not table.of(RoundOutcome)
    table.resume()
    assert table.outcome.facts["player"]["total"] == 9


@SOURCES
def test_after_the_outcome_it_is_the_outcome_that_is_corrected(source: str) -> None:
    table = begun(source, bare(NATURAL))
    sequence = table.state.outcome.sequence  # type: ignore[union-attr]
    assert table.ask(CORRECT, Role.MANAGER, position="player.1", card="2S", reason="v").error is ErrorCode.NOT_NOW
    cards = {"player.1": "4S", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
    ask = {"replaces": sequence, "reason": "video"}
    assert table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards="4S").error is ErrorCode.BAD_ARGUMENT
    table.did(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards=cards)
    corrected = table.events[-1]
    assert corrected.subject == "t1-1"
    assert corrected.data.facts["winner"] == "banker"  # type: ignore[attr-defined]
    table.bets_closed()
    table.deal("9H")
    assert table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards=cards).error is ErrorCode.NOT_NOW


# -- void ------------------------------------------------------------------------------------------------------


@SOURCES
def test_a_void_says_what_had_been_seen(source: str) -> None:
    table = begun(source, "8S 5C AD")
    assert table.ask(VOID, Role.SERVER, reason="x").error is ErrorCode.NOT_ALLOWED
    table.manager(VOID)
    voided = table.last(RoundVoided)
    assert (voided.reason, voided.by) == ("video", "the-manager")
    assert voided.seen["player"] == {"cards": ["8S", "AD"], "total": 9, "natural": True, "pair": None, "card_count": 2}
    assert voided.seen["banker"]["cards"] == ["5C"]
    table.clear_rest()
    table.bets_closed()
    table.deal(bare(NATURAL))
    assert table.outcome.hand_in_shoe == 2


@SOURCES
def test_a_void_is_a_way_on_from_trouble_but_not_from_a_wished_pause(source: str) -> None:
    table = begun(source, "8S", tries=1)
    table.unread()
    assert table.state.paused == "tries_exhausted"
    table.manager(VOID)
    assert table.words()[-1 if source == "server" else -2] == "table.resumed:round_voided"
    table.clear_rest()
    assert table.state.paused is None
    table.bets_closed()
    table.deal("8S")
    table.did(PAUSE, Role.DEALER, reason="break")
    table.manager(VOID)
    assert table.state.paused == "break"


# -- held ------------------------------------------------------------------------------------------------------


@SOURCES
def test_a_held_hand_stays_held_over_pause_and_restart(source: str) -> None:
    table = begun(source, "P1 8S P2 AD", places=True)
    held(table, "card_skipped")
    table.did(PAUSE, Role.DEALER, reason="break")
    assert table.ask(REFUSE, Role.MANAGER).error is ErrorCode.NOT_NOW, "the table is paused"
    table.resume()
    table.restart()
    table.wait(60)
    assert table.state.round is not None
    assert table.state.round.phase == "held"
    assert table.ask(DECIDE, Role.MANAGER, position="banker.1", card="5C").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(DECIDE, Role.MANAGER, position="banker.1", reason="v").error is ErrorCode.BAD_ARGUMENT
    table.manager(DECIDE, position="banker.1", card="5C")
    table.deal("B2 3H")
    table.result("player")
    assert table.outcome.facts["player"]["cards"] == ["8S", "AD"]


@SOURCES
def test_nothing_is_decided_that_is_not_held(source: str) -> None:
    table = begun(source, "8S 5C")
    assert table.ask(DECIDE, Role.MANAGER, position="player.2", card="AD", reason="v").error is ErrorCode.NOT_NOW
    assert table.ask(CommandName.ATTEMPT_CONFIRM, Role.DEALER).error is ErrorCode.NOT_NOW


@SOURCES
def test_a_card_that_the_manager_names_must_be_possible(source: str) -> None:
    table = begun(source, "P1 8S P2 AD", places=True, shoe={"decks": 1})
    refused = table.ask(DECIDE, Role.MANAGER, position="banker.1", card="8S", reason="v")
    assert refused.error is ErrorCode.BAD_ARGUMENT
    assert "came out before" in refused.message


@SOURCES
def test_refused_holds_count_as_tries(source: str) -> None:
    table = begun(source, "P1 8S", places=True, tries=2)
    for number in (1, 2):
        table.deal("B2 KC")
        table.did(REFUSE, Role.MANAGER)
        assert table.last(AttemptRefused).attempt == number
    assert table.state.paused == "tries_exhausted"


def test_a_held_hand_decided_as_a_whole_ends_it_and_what_is_left_of_it_is_skipped() -> None:
    table = begun("device", "P1 2S B1 5C P2 2D P3 6D", places=True)
    cards = {"player.1": "2S", "banker.1": "5C", "player.2": "2D", "banker.2": "QH", "player.3": "6D", "banker.3": "9D"}
    table.manager(DECIDE, cards=dict(reversed(cards.items())))
    outcome = table.outcome
    assert (outcome.source, outcome.facts["banker"]["total"], len(outcome.evidence)) == ("manager", 4, 3)
    assert [(drawn.position, drawn.by) for drawn in table.of(CardDrawn)[3:]] == [
        ("banker.2", "the-manager"),
        ("player.3", "the-manager"),
        ("banker.3", "the-manager"),
    ]
    table.deal("B3 9D")
    assert table.words()[-1] == "card.repeated:9D:same_slot"
    table.deal("B3 9H")
    table.result("banker", player_pair=True)
    assert table.words()[-1] == "hand.skipped:rest_of_hand"
    assert table.state.shoe is not None
    assert sum(table.state.shoe.drawn.values()) == 6
    assert table.state.paused is None
    assert len(table.of(RoundOutcome)) == 1


def test_a_hand_decided_as_a_whole_makes_known_what_was_withheld() -> None:
    table = CardTable("baccarat", "server", places=True, early="withhold")
    table.open()
    table.deal("P1 8S P2 AD")
    table.did(PAUSE, Role.DEALER, reason="the cards fell down")
    table.close()
    assert not table.of(CardDrawn)
    cards = {"player.1": "8D", "banker.1": "5C", "player.2": "AD", "banker.2": "3H"}
    table.manager(DECIDE, cards=cards)
    assert table.words("card.drawn", "card.corrected", "round.outcome") == [
        "card.drawn:player.1:8S",
        "card.corrected:player.1:8D:video",
        "card.drawn:banker.1:5C:video",
        "card.drawn:player.2:AD:video",
        "card.drawn:banker.2:3H:video",
        "round.outcome:video",
    ]
    assert table.state.paused is not None


def test_what_was_decided_is_what_came_out_of_the_shoe() -> None:
    table = CardTable(places=True, shoe={"decks": 1})
    table.deal("P1 8S B1 5C P2 AD B2 3H")
    table.result("tie")
    cards = {"player.1": "8S", "banker.1": "6C", "player.2": "AC", "banker.2": "3H"}
    table.manager(DECIDE, cards=cards)
    assert [(c.position, c.was, c.card) for c in table.of(CardCorrected)] == [
        ("banker.1", "5C", "6C"),
        ("player.2", "AD", "AC"),
    ]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == dict.fromkeys(("8S", "6C", "AC", "3H"), 1)
    corrected = cards | {"player.2": "AH"}
    table.manager(CommandName.OUTCOME_CORRECT, replaces=table.state.outcome.sequence, cards=corrected)  # type: ignore[union-attr]
    last = table.last(OutcomeCorrected)
    assert (last.shoe_id, last.was, last.cards) == ("t1-shoe-1", cards, corrected)
    assert table.state.shoe.drawn == dict.fromkeys(("8S", "6C", "AH", "3H"), 1)
    table.manager(CommandName.OUTCOME_CORRECT, replaces=table.state.outcome.sequence, cards=cards)  # type: ignore[union-attr]
    assert table.state.shoe.drawn == dict.fromkeys(("8S", "6C", "AC", "3H"), 1)
    table.deal("P1 5C B1 AD P2 4H B2 8D")
    table.result("tie")
    assert table.state.paused is None, "the cards that were misread are still to come"


def test_a_correction_of_a_hand_of_an_earlier_shoe_leaves_this_one_as_it_is() -> None:
    table = CardTable("dragon-tiger", shoe={"decks": 1})
    table.deal("8S 5C")
    sequence = table.state.outcome.sequence  # type: ignore[union-attr]
    table.manager(CommandName.SHOE_CHANGE)
    table.deal("8S 5C")
    table.manager(CommandName.OUTCOME_CORRECT, replaces=sequence, cards={"dragon.1": "9S", "tiger.1": "5C"})
    assert table.last(OutcomeCorrected).was == {"dragon.1": "8S", "tiger.1": "5C"}
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8S": 1, "5C": 1}
    assert table.state.outcome is not None
    assert table.state.outcome.facts["dragon"] == "8S"


def test_nothing_is_published_while_betting_is_open_not_even_by_a_manager() -> None:
    table = CardTable("baccarat", "server", places=True, early="withhold")
    table.open()
    table.deal("P1 8S P2 AD")
    assert table.ask(DECIDE, Role.MANAGER, position="banker.1", card="5C", reason="v").error is ErrorCode.NOT_NOW
    table.close()
    assert words(table.of(CardDrawn)) == ["card.drawn:player.1:8S"]
    assert table.state.round is not None
    assert table.state.round.phase == "held"
    table.manager(DECIDE, position="banker.1", card="5C")
    assert words(table.of(CardDrawn))[1:] == ["card.drawn:banker.1:5C:video", "card.drawn:player.2:AD"]


def test_a_refused_command_leaves_no_shoe_behind() -> None:
    table = CardTable(source="server")
    assert table.ask(CommandName.ROUND_OPEN, server="no object").error is ErrorCode.BAD_ARGUMENT
    assert table.state.shoe is None


# -- crashes ---------------------------------------------------------------------------------------------------


@SOURCES
@pytest.mark.parametrize("places", [True, False], ids=["places", "scanner"])
@pytest.mark.parametrize("hand", [NATURAL, SIX], ids=["four cards", "six cards"])
def test_restarted_at_every_point_of_a_hand_it_goes_on_from_the_same_position(
    source: str, places: bool, hand: str
) -> None:
    tokens = hand.split()
    pairs = [" ".join(tokens[index : index + 2]) for index in range(0, len(tokens), 2)]
    whole = CardTable(source=source, places=places)
    whole.bets_closed()
    whole.deal(hand if places else bare(hand))
    whole.wait(5)
    for point in range(len(pairs) + 1):
        table = CardTable(source=source, places=places)
        table.bets_closed()
        for number, card in enumerate(pairs):
            if number == point:
                table.restart()
            table.deal(card if places else bare(card))
        if point == len(pairs):
            table.restart()
        table.wait(5)
        assert table.outcome.facts == whole.outcome.facts
        assert table.outcome.attempts == 1
        assert len(table.outcome.evidence) == len(pairs)
        assert len(table.of(RoundOutcome)) == 1
        assert words(table.of(CardDrawn)) == words(whole.of(CardDrawn))


def test_restarted_at_a_gate_and_between_the_servers_words() -> None:
    table = CardTable(source="server", gates=["first_four", "player_third"])
    table.bets_closed()
    table.deal("2S 5C 2D QH")
    table.restart()
    assert table.words()[-2:] == ["gate.waiting:first_four", "table.started"], "it is not said twice"
    table.did(CommandName.GATE_OPEN, gate="first_four")
    table.restart()
    table.deal("6D")
    table.restart()
    table.did(CommandName.GATE_OPEN, gate="player_third")
    table.restart()
    table.deal("9D")
    assert table.outcome.facts["winner"] == "banker"


@SOURCES
def test_restarted_on_a_paused_table_it_stays_paused(source: str) -> None:
    table = begun(source, bare(NATURAL))
    table.bets_closed()
    table.deal("8S 5C")
    table.did(PAUSE, Role.DEALER, reason="break")
    table.restart()
    table.deal("AD")
    assert table.words()[-1] == "violation:card_while_paused"
    table.resume()
    table.deal("AD 3H")
    assert len(table.of(RoundOutcome)) == 2
