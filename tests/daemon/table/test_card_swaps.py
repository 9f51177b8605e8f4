"""Physical cards and people's words: which one lies where, once a person has named, refused or swapped cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import AttemptHeld, CardCorrected, CardDrawn, RoundOutcome, Violation
from support.card_tables import CardTable

CORRECT, DECIDE, REFUSE = CommandName.CARD_CORRECT, CommandName.ATTEMPT_DECIDE, CommandName.ATTEMPT_REFUSE
RESTARTS = pytest.mark.parametrize("restart", [False, True])


def units(table: CardTable, *cards: str) -> None:
    """``8S/3``: the third eight of spades."""
    for card in cards:
        text, _, serial = card.partition("/")
        table.deal(text, unit=f"{serial}/{text}", gap_s=30)


def named(restart: bool, **shoe: Any) -> CardTable:
    """The second card was named before it was read, and then it is."""
    table = CardTable(shoe=shoe)
    units(table, "8S/1")
    table.manager(CORRECT, position="player.1", card="5C")
    if restart:
        table.restart()
    units(table, "5C/2")
    assert table.last(AttemptHeld).reason == "perhaps_repeated"
    return table


@RESTARTS
@pytest.mark.parametrize("later", [False, True])
def test_a_physical_card_that_a_manager_called_the_named_one_lies_there_and_counts_no_more(
    restart: bool, later: bool
) -> None:
    table = named(restart)
    table.did(REFUSE, Role.MANAGER)
    if restart:
        table.restart()
    if later:
        units(table, "2D/1")
    units(table, "5C/2")
    assert table.words()[-1] == "card.repeated:5C:same_unit"
    units(table, "5C/3")
    drawn = [data.card for data in table.of(CardDrawn)]
    assert drawn == (["8S", "2D", "5C"] if later else ["8S", "5C"]), "another one is another"
    assert not table.of(Violation)


@RESTARTS
def test_one_that_a_manager_called_another_is_known_when_it_passes_once_more(restart: bool) -> None:
    table = named(restart)
    table.manager(DECIDE, position="banker.1", card="5C")
    assert table.last(CardDrawn).unit == "set-a/2/5C"
    if restart:
        table.restart()
    units(table, "5C/2")
    assert table.words()[-1] == "card.repeated:5C:same_unit"


def test_the_last_card_of_a_hand_that_was_named_and_then_read_begins_no_hand() -> None:
    table = CardTable("dragon-tiger")
    units(table, "8S/1", "9D/1")
    table.manager(CommandName.OUTCOME_CORRECT, replaces=table.state.sequence, cards={"dragon.1": "8S", "tiger.1": "5C"})
    units(table, "5C/1")
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    table.did(REFUSE, Role.MANAGER)
    units(table, "5C/1")
    assert table.words()[-1] == "card.repeated:5C:same_unit"
    assert table.state.round is not None
    assert not table.state.round.steps
    units(table, "2D/1", "3D/1")
    assert table.outcome.facts["dragon"] == "2D"


@RESTARTS
def test_a_physical_card_that_counted_nowhere_and_nobody_named_is_scanned_again(restart: bool) -> None:
    table = CardTable("dragon-tiger")
    units(table, "8S/1")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    units(table, "5C/1")
    assert table.words()[-1] == "violation:card_while_paused"
    table.resume()
    card = table.card("5C", table._next(), unit="1/5C")
    table.see(replace(card, repeated=True, unsure=True))
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    table.did(REFUSE, Role.MANAGER)
    if restart:
        table.restart()
    units(table, "5C/1")
    assert [data.card for data in table.of(CardDrawn)] == ["8S", "5C"]
    assert len(table.of(RoundOutcome)) == 1


@pytest.mark.parametrize("decks", [1, 8])
@pytest.mark.parametrize("source", ["device", "server"])
def test_two_swapped_cards_are_put_right_in_one_command(decks: int, source: str) -> None:
    table = CardTable(source=source, shoe={"decks": decks})
    table.bets_closed()
    units(table, "2S/1", "5C/1", "2D/1")
    if decks == 1:
        alone = table.ask(CORRECT, Role.MANAGER, position="player.1", card="5C", reason="v")
        assert alone.error is not None
        assert '"also"' in alone.message
    table.manager(CORRECT, position="player.1", card="5C", also={"banker.1": "2S"})
    if decks == 1 and source == "device":
        table.restart()
    corrected = [(data.position, data.card, data.was) for data in table.of(CardCorrected)]
    assert sorted(corrected) == [("banker.1", "2S", "5C"), ("player.1", "5C", "2S")]
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"2S": 1, "5C": 1, "2D": 1}
    assert table.state.round is not None
    assert [step.card for step in table.state.round.steps] == ["5C", "2S", "2D"]


@RESTARTS
def test_a_swapped_card_that_passes_once_more_is_asked_about_and_counts_nowhere(restart: bool) -> None:
    table = CardTable()
    units(table, "2S/1", "5C/1")
    table.manager(CORRECT, position="player.1", card="5C", also={"banker.1": "2S"})
    units(table, "2D/1")
    if restart:
        table.restart()
    units(table, "2S/1")
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    table.did(REFUSE, Role.MANAGER)
    units(table, "2S/1")
    assert table.words()[-1] == "card.repeated:2S:same_unit"
    assert table.state.round is not None
    assert [(step.card, step.unit) for step in table.state.round.steps] == [
        ("5C", None),
        ("2S", "set-a/1/2S"),
        ("2D", "set-a/1/2D"),
    ]


@RESTARTS
@pytest.mark.parametrize("game", ["three-cards", "dragon-tiger"])
def test_a_swapped_card_begins_no_hand_unasked_as_it_is_taken_away(game: str, restart: bool) -> None:
    """One deck ends with its hand; the shoe of eight decks goes on."""
    table = CardTable(game)
    first, second = ("first.1", "second.1") if game == "three-cards" else ("dragon.1", "tiger.1")
    units(table, "8S/1", "5C/1")
    if game == "three-cards":
        table.manager(CORRECT, position=first, card="5C", also={second: "8S"})
        units(table, "AD/1", "3H/1", "9C/1", "KD/1")
    else:
        swapped = {first: "5C", second: "8S"}
        table.manager(CommandName.OUTCOME_CORRECT, replaces=table.state.sequence, cards=swapped)
    if restart:
        table.restart()
    table.deal("8S", unit="1/8S")
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    table.did(REFUSE, Role.MANAGER)
    table.deal("8S", unit="1/8S")
    units(table, "2D/1")
    assert table.words()[-2:] == ["card.repeated:8S:same_unit", f"card.drawn:{first}:2D"]
    assert table.state.shoe is not None
    assert ("set-a/1/8S" in table.state.shoe.units) is (game == "dragon-tiger"), "none of the new deck's"


@pytest.mark.parametrize(
    ("also", "error"),
    [
        ({"banker.3": "2S"}, ErrorCode.BAD_ARGUMENT),
        ({"banker.1": "ZZ"}, ErrorCode.BAD_ARGUMENT),
        ({"banker.1": "5C"}, ErrorCode.BAD_ARGUMENT),
        ({"player.1": "2S"}, ErrorCode.BAD_ARGUMENT),
        (["banker.1"], ErrorCode.BAD_ARGUMENT),
        ({"player.2": "5C"}, ErrorCode.BAD_ARGUMENT),
        ({"banker.1": "2S", "player.2": "3D"}, ErrorCode.NOT_NOW),
    ],
)
def test_a_swap_that_cannot_be_changes_nothing(also: Any, error: ErrorCode) -> None:
    """The last of them would have ended the hand before its fifth card."""
    table = CardTable(shoe={"decks": 1})
    table.deal("2S 5C 2D QH 6D" if len(also) == 2 else "2S 5C 2D")
    refused = table.ask(CORRECT, Role.MANAGER, position="player.1", card="5C", also=also, reason="v")
    assert refused.error is error
    assert not table.of(CardCorrected)


# -- what the server said ---------------------------------------------------------------------------------------------

HAND = {"seat1.h1.1": "TS", "dealer.1": "6C", "seat1.h1.2": "5D", "seat1.h1.3": "2H"}
SAID: list[dict[str, Any]] = [
    {"action": "seats", "seats": [1]},
    {"action": "hit", "seat": 1, "hand": 1},
    {"action": "done"},
]


def blackjack(*more: dict[str, Any]) -> CardTable:
    table = CardTable("blackjack", "server", rules="classic-001")
    table.bets_closed()
    table.did(CommandName.CARD_EXPECT, **SAID[0])
    table.deal("TS 6C 5D")
    table.did(CommandName.CARD_EXPECT, **SAID[1])
    table.deal("2H")
    for word in more:
        table.did(CommandName.CARD_EXPECT, **word)
        table.deal("3C")
    table.did(CommandName.CARD_EXPECT, **SAID[2])
    table.deal("TH 8C")
    assert table.of(RoundOutcome)
    return table


def correct(table: CardTable, expects: list[dict[str, Any]], **cards: str) -> Any:
    laid = HAND | {"dealer.2": "TH", "dealer.3": "8C"} | {at.replace("_", "."): card for at, card in cards.items()}
    laid = {position: card for position, card in laid.items() if card}
    replaces = max(
        event.sequence for event in table.events if event.data.type in ("round.outcome", "outcome.corrected")
    )
    return table.ask(
        CommandName.OUTCOME_CORRECT, Role.MANAGER, replaces=replaces, reason="video", cards=laid, expects=expects
    )


def test_a_correction_says_of_the_server_what_it_said() -> None:
    table = blackjack()
    other = [{"action": "seats", "seats": [1]}, {"action": "done"}]
    refused = correct(table, other, seat1_h1_3="")
    assert refused.error is ErrorCode.BAD_ARGUMENT
    assert "the server said" in refused.message
    assert correct(table, SAID, seat1_h1_3="3H").ok
    assert correct(table, other, seat1_h1_3="").error is ErrorCode.BAD_ARGUMENT, "nor does a correction of that"
    assert correct(table, SAID, seat1_h1_3="4H").ok


def test_where_the_right_cards_end_a_hand_the_server_had_less_to_say() -> None:
    """The second hit was for a hand that was bust already."""
    again = {"action": "hit", "seat": 1, "hand": 1}
    table = blackjack(again)
    less, whole = SAID, [SAID[0], again, again, SAID[2]]
    assert correct(table, less).error is ErrorCode.BAD_ARGUMENT, "it was not"
    assert correct(table, whole, seat1_h1_3="KH", seat1_h1_4="3C").error is ErrorCode.BAD_ARGUMENT
    assert correct(table, less, seat1_h1_3="KH").ok
