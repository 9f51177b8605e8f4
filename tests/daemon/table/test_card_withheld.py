"""Cards dealt face down over a reader: nothing of them leaves the station before betting closes or their gate opens."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import (
    AttemptRefused,
    CardDrawn,
    CardWithheld,
    GateWaiting,
    RoundOutcome,
    RoundVoided,
    Violation,
)
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.station.messages import state_message
from dealer_drivers.readings.shoe import CardTrouble, ShoeProblem
from support.card_tables import CardTable

WITHHOLDING = {
    "baccarat": {"early": "withhold", "gates": ["first_four", "player_third"]},
    "dragon-tiger": {"early": "withhold", "burn": True},
    "niu-niu": {"early": "withhold"},
    "three-cards": {"early": "withhold", "order": "reveal"},
    "holdem": {"early": "withhold", "order": "deal"},
    "san-gong": {"early": "withhold"},
}
"""Games whose cards may be dealt while betting is open, as their tables would set it."""


def table_of(game: str) -> CardTable:
    return CardTable(game, "server", shoe={"decks": 1}, **WITHHOLDING[game])


def positions(table: CardTable, kind: type[CardDrawn] | type[CardWithheld]) -> list[str]:
    return [data.position for data in table.of(kind)]


def hidden(table: CardTable) -> set[str]:
    """Cards that lie there and that servers may not know; in these tables a card is there once."""
    current = table.state.round
    return set() if current is None else {str(step.card) for step in current.steps if step.withheld}


def checked(table: CardTable) -> None:
    state = state_message(table.state, "game", "boot-1", table.at, None)
    published = table.published() + json.dumps(state)
    assert not [card for card in hidden(table) if card in published]


@pytest.mark.parametrize("game", WITHHOLDING)
@given(seed=st.randoms(use_true_random=False), close_after=st.integers(0, 22), data=st.data())
@settings(max_examples=25, deadline=None)
def test_no_message_says_a_card_before_it_may_be_known_and_then_each_is_said_in_order(
    game: str, seed: object, close_after: int, data: st.DataObject
) -> None:
    """Unreadable cards, repeats, restarts and pauses in between: the helper checks every single message as well."""
    table = table_of(game)
    cards = [str(card) for card in DECK]
    seed.shuffle(cards)  # type: ignore[attr-defined]
    table.open()
    dealt = 0
    while table.state.round is not None:
        before = len(table.of(CardDrawn)) + len(hidden(table))
        if dealt == close_after and table.state.round.betting == "open":
            table.close()
        elif table.state.round.gate is not None:
            table.did(CommandName.GATE_OPEN, gate=table.state.round.gate)
        else:
            match data.draw(st.sampled_from(["card"] * 6 + ["unread", "repeat", "restart", "refuse"])):
                case "card":
                    table.deal(cards[dealt % 52])
                    dealt += len(table.of(CardDrawn)) + len(hidden(table)) > before
                case "unread":
                    table.unread(CardTrouble.CHECKSUM)
                case "repeat" if dealt:
                    table.deal(cards[dealt - 1], gap_s=0.1, repeated=True)
                case "restart":
                    table.restart()
                case _:
                    table.ask(CommandName.ATTEMPT_REFUSE, Role.DEALER)
        checked(table)
        if table.state.paused is not None:
            if table.state.round is not None and table.state.round.betting == "open":
                close_after = dealt
            table.resume()
    drawn = [data.card for data in table.of(CardDrawn)]
    assert sorted(drawn) == sorted(cards[:dealt])
    assert [data.card for data in table.of(CardWithheld)] == [card for card in cards[:dealt] if card in withheld(table)]
    assert len(table.outcome.evidence) >= dealt - (game == "dragon-tiger")


def withheld(table: CardTable) -> set[str]:
    return {data.card for data in table.of(CardWithheld)}


def test_what_was_withheld_is_drawn_in_order_when_betting_closes() -> None:
    table = CardTable("three-cards", "server", early="withhold")
    table.open()
    table.deal("8S 5C AD 3H KD 2C")
    assert not table.of(CardDrawn)
    assert not table.of(RoundOutcome)
    message = json.loads(table.published().splitlines()[-1])
    assert message["type"] == "card.withheld"
    assert message["data"] == {"position": "second.3", "by": None, "reason": None}
    table.close()
    drawn = table.of(CardDrawn)
    assert [data.card for data in drawn] == ["8S", "5C", "AD", "3H", "KD", "2C"]
    assert [len(data.evidence) for data in drawn] == [1] * 6
    assert len({data.evidence[0] for data in drawn}) == 6, "each card has its own frames"
    assert table.outcome.facts["hands"]["first"]["cards"] == ["8S", "AD", "KD"]
    assert table.outcome.evidence == [data.evidence[0] for data in drawn]


def test_a_restart_in_between_loses_nothing_not_even_the_evidence() -> None:
    table = CardTable("three-cards", "server", early="withhold")
    table.open()
    table.deal("8S 5C AD")
    table.restart()
    table.deal("3H KD")
    table.restart()
    table.close()
    table.restart()
    table.deal("2C")
    assert [data.card for data in table.of(CardDrawn)] == ["8S", "5C", "AD", "3H", "KD", "2C"]
    assert len(table.outcome.evidence) == 6


def test_closed_while_the_table_stands_the_cards_are_known_when_it_goes_on() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.deal("8S 5C")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    table.close()
    assert not table.of(RoundOutcome)
    table.resume()
    assert table.outcome.facts["winner"] == "dragon"


def test_one_card_too_many_while_betting_is_open_says_nothing() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.deal("8S 5C")
    table.deal("KD")
    assert table.words()[-2:] == ["violation:card_while_betting", "table.paused:violation"]
    assert not {"8S", "5C", "KD"} & set(table.published().split('"'))
    table.resume()
    table.close()
    assert table.outcome.facts["tiger"] == "5C"


def test_a_card_that_could_not_be_read_is_not_half_told() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.unread(CardTrouble.CHECKSUM)
    refused = table.last(AttemptRefused)
    assert (refused.reason, refused.remedy, refused.position) == ("checksum", "rescan", "dragon.1")
    assert refused.detail == "scan the same card again"
    assert refused.evidence == []
    assert "spade" not in table.published()
    table.deal("8S")
    table.close()
    table.unread(CardTrouble.CHECKSUM)
    assert len(table.last(AttemptRefused).evidence) == 1


def test_a_void_says_only_what_was_known() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.deal("8S")
    table.manager(CommandName.ROUND_VOID)
    assert table.last(RoundVoided).seen == {"dragon": None, "tiger": None}
    assert "8S" not in table.published()
    assert table.state.shoe is not None
    assert table.state.shoe.drawn == {"8S": 1}


def test_a_withheld_card_cannot_be_corrected_before_it_is_known() -> None:
    table = CardTable("dragon-tiger", "server", early="withhold")
    table.open()
    table.deal("8S")
    correct = {"position": "dragon.1", "card": "9S", "reason": "video"}
    assert table.ask(CommandName.CARD_CORRECT, Role.MANAGER, **correct).error is ErrorCode.NOT_NOW
    table.close()
    table.manager(CommandName.CARD_CORRECT, position="dragon.1", card="9S")


def test_the_dealers_cards_and_the_last_two_of_the_board_wait_for_the_call() -> None:
    table = CardTable("holdem", "server", order="deal", early="withhold")
    table.open()
    table.deal("8S 5C AD 3H KD 2C 9H")
    table.close()
    known = ["player.1", "player.2", "board.1", "board.2", "board.3"]
    assert positions(table, CardDrawn) == known, "the flop is what players call on"
    table.deal("TS TH")
    assert positions(table, CardDrawn) == known
    waiting = table.last(GateWaiting)
    assert waiting.gate == "call"
    assert waiting.seen == {
        "player": {"cards": ["8S", "5C"]},
        "dealer": {"cards": []},
        "board": ["KD", "2C", "9H"],
    }
    assert not {"AD", "3H", "TS", "TH"} & set(table.published().split('"'))
    table.restart()
    table.did(CommandName.GATE_OPEN, gate="call")
    assert positions(table, CardDrawn)[5:] == ["dealer.1", "dealer.2", "board.4", "board.5"]
    assert table.outcome.facts["dealer"]["cards"] == ["AD", "3H"]


def test_a_gate_is_said_to_wait_once_betting_is_closed() -> None:
    table = CardTable("baccarat", "server", early="withhold", gates=["first_four"])
    table.open()
    table.deal("2S 5C 2D QH")
    assert table.words()[-1] == "card.withheld:banker.2:QH"
    assert table.ask(CommandName.GATE_OPEN, gate="first_four").error is ErrorCode.NOT_NOW
    table.close()
    assert table.words()[-1] == "gate.waiting:first_four"
    assert table.last(GateWaiting).seen["player"]["total"] == 4


def test_with_rounds_of_the_device_nothing_is_withheld() -> None:
    table = CardTable("holdem", "device", order="deal", early="withhold")
    table.deal("8S 5C AD 3H KD 2C 9H TS TH")
    assert not table.of(CardWithheld)
    assert table.outcome.facts["player"]["cards"] == ["8S", "5C"]


# -- what may not depend on the cards that lie there ----------------------------------------------------------------

FIRST_FOUR = ["8S 5C AD 3H", "2S 5C 2D QH", "7S 5C TD KH", "KS KC QD QH"]
"""A natural; player draws; player stands and banker draws; both draw."""
HAPPENS = {
    "a fifth card": lambda table: table.deal("9D"),
    "a fifth card by its place": lambda table: table.deal("P3 9D"),
    "one card more twice": lambda table: (table.deal("9D"), table.resume(), table.deal("9H")),
    "a card that nobody could read": lambda table: table.unread(CardTrouble.CHECKSUM),
    "a foreign card": lambda table: table.foreign(),
    "the shoe says that it was overdrawn": lambda table: table.error(ShoeProblem.OVERDRAW),
    "the shoe gives its result": lambda table: table.result("player"),
    "the cut card": lambda table: table.cut(),
    "a restart": lambda table: table.restart(),
    "the dealer asks for a rescan": lambda table: table.ask(CommandName.ATTEMPT_REFUSE, Role.DEALER),
    "the server opens a gate": lambda table: table.ask(CommandName.GATE_OPEN, gate="first_four"),
    "a card is corrected that is not there": lambda table: table.ask(
        CommandName.CARD_CORRECT, Role.MANAGER, position="player.3", card="9D", reason="video"
    ),
    "a card is corrected that is": lambda table: table.ask(
        CommandName.CARD_CORRECT, Role.MANAGER, position="player.1", card="9D", reason="video"
    ),
}


@pytest.mark.parametrize("places", [False, True])
@pytest.mark.parametrize("gates", [[], ["first_four", "player_third"]])
@pytest.mark.parametrize("happens", HAPPENS)
def test_while_betting_is_open_all_that_is_said_is_the_same_whatever_lies_there(
    happens: str, gates: list[str], places: bool
) -> None:
    said = set()
    for cards in FIRST_FOUR:
        table = CardTable("baccarat", "server", places=places, early="withhold", gates=gates)
        table.open()
        table.deal(cards)
        answer = HAPPENS[happens](table)
        state = json.dumps(state_message(table.state, "baccarat", "boot-1", table.at, None))
        reply = repr(answer) if isinstance(answer, Reply) else ""
        said.add((table.published(), state, reply))
    assert len(said) == 1


def test_an_empty_shoe_is_said_once_betting_is_closed() -> None:
    """After the fourth card the shoe is empty: whether the hand needs one more follows from the four."""
    for cards, needs in (("8S 5C AD 3H", False), ("2S 5C 2D QH", True)):
        table = CardTable("baccarat", "server", early="withhold", shoe={"decks": 1})
        rest = [str(card) for card in DECK if str(card) not in cards.split()]
        shoe = table.state.shoe
        while shoe is None or sum(shoe.drawn.values()) < 48:
            table.bets_closed()
            while table.state.round is not None:
                table.deal(rest.pop() if rest else "no card is left")
                shoe = table.state.shoe
                if shoe is not None and sum(shoe.drawn.values()) == 48 and table.state.round is not None:
                    table.manager(CommandName.ROUND_VOID)
        table.open()
        table.deal(cards)
        assert table.state.paused is None
        table.close()
        assert (table.state.paused == "shoe_empty") is needs


def test_once_betting_is_closed_a_card_too_early_is_called_what_it_is() -> None:
    table = CardTable("baccarat", "server", early="withhold", gates=["first_four"])
    table.open()
    table.deal("2S 5C 2D QH 9D")
    assert table.last(Violation).reason == "card_while_betting"
    table.resume()
    table.close()
    table.deal("9D")
    assert table.last(Violation).reason == "card_before_gate"
