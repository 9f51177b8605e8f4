"""Every game of the books dealt through a table: gates, the server's decisions, and facts that are the procedure's."""

from __future__ import annotations

import random
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.events import CardDrawn, CardExpected, GateOpened, GateVoided, GateWaiting, RoundOutcome, RoundVoided
from dealer_daemon.games import load_game
from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, ExpectDue, ExpectStep, GateDue, GateStep, History
from dealer_daemon.games.game import TableDevice
from dealer_drivers.driver import Observes
from support.card_tables import NATURAL, CardTable, bare

GATE, EXPECT, CORRECT = CommandName.GATE_OPEN, CommandName.CARD_EXPECT, CommandName.CARD_CORRECT

TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "baccarat": ("baccarat", {}),
    "baccarat as opened": ("baccarat", {"order": "open"}),
    "baccarat with gates": ("baccarat", {"gates": ["first_four", "player_third"]}),
    "dragon tiger": ("dragon-tiger", {}),
    "dragon tiger with a burn": ("dragon-tiger", {"burn": True}),
    "niu niu": ("niu-niu", {}),
    "niu niu as opened": ("niu-niu", {"order": "open"}),
    "three cards": ("three-cards", {}),
    "three cards revealed": ("three-cards", {"order": "reveal"}),
    "three cards by hand": ("three-cards", {"order": "by_hand"}),
    "hold'em": ("holdem", {}),
    "hold'em as dealt": ("holdem", {"order": "deal"}),
    "san gong": ("san-gong", {}),
    "koi": ("koi", {}),
    "brawl": ("brawl", {}),
    "andar bahar": ("andar-bahar", {}),
    "classic 001": ("blackjack", {"rules": "classic-001"}),
    "classic 003": ("blackjack", {"rules": "classic-003"}),
    "infinite": ("blackjack", {"rules": "infinite-001"}),
    "free bet": ("blackjack", {"rules": "free-bet-001"}),
    "switch": ("blackjack", {"rules": "switch-001"}),
}
WITHOUT_A_SERVER = [name for name, (game, _) in TABLES.items() if game != "blackjack"]


def decision(due: ExpectDue, rng: random.Random) -> dict[str, Any]:
    """What a server might say next: anything that the game's words allow, possible or not; ``done`` in the end."""
    action = rng.choice([*due.actions, "done" if "done" in due.actions else due.actions[0]])
    match action:
        case "seats":
            return {"action": action, "seats": sorted(rng.sample(range(1, 8), rng.randint(1, 3)))}
        case "done":
            return {"action": action}
        case "switch":
            return {"action": action, "seat": rng.randint(1, 7)}
        case "community":
            return {"action": action, "window": rng.randint(1, 4)}
        case _:
            return {"action": action, "seat": rng.randint(1, 7), "hand": rng.randint(1, 3)}


def play(table: CardTable, rng: random.Random, cards: list[Card]) -> History:
    """One round; the history as the procedure itself would keep it."""
    history: History = ()
    held_back: set[str] = set()
    table.bets_closed()
    if not cards or table.procedure.decks == 1:
        cards[:] = rng.sample(DECK, 52)
    while True:
        due = table.procedure.due(history)
        match due:
            case CardDue(position=position, reveal_gate=reveal_gate):
                held_back |= {position} if reveal_gate else set()
                card = cards.pop()
                table.deal(str(card))
                if table.state.round is not None and table.state.round.held_for == "perhaps_repeated":
                    # The first card after a restart looks like the one before it: a person lets it be scanned again.
                    table.did(CommandName.ATTEMPT_REFUSE, Role.MANAGER)
                    table.deal(str(card))
                history = (*history, CardStep(position, card))
            case GateDue(gate=gate):
                assert table.last(GateWaiting).gate == gate
                known = tuple(s for s in history if not isinstance(s, CardStep) or s.position not in held_back)
                assert table.last(GateWaiting).seen == table.procedure.seen(known)
                table.did(GATE, gate=gate)
                history = (*history, GateStep(gate))
            case ExpectDue():
                args = decision(due, rng)
                answer, reply = table.procedure.expect(history, args), table.ask(EXPECT, **args)
                assert reply.ok is isinstance(answer, ExpectStep)
                if isinstance(answer, ExpectStep):
                    history = (*history, answer)
                else:
                    assert reply.message.startswith(answer.reason)
            case _:
                return history
        if rng.random() < 0.1:
            table.restart()


def check(table: CardTable, rng: random.Random, rounds: int) -> None:
    cards = [card for card in DECK for _ in range(table.procedure.decks)]
    rng.shuffle(cards)
    for number in range(1, rounds + 1):
        history = play(table, rng, cards)
        assert table.state.round is None
        outcome = table.outcome
        assert outcome.facts == table.procedure.facts(history)
        assert len(table.of(RoundOutcome)) == number
        dealt = {step.position: str(step.card) for step in history if isinstance(step, CardStep)}
        assert {drawn.position: drawn.card for drawn in table.of(CardDrawn)[-len(dealt) :]} == dealt
        assert len(outcome.evidence) == len(dealt)


@pytest.mark.parametrize("name", TABLES)
def test_a_server_opens_the_rounds(name: str) -> None:
    game, settings = TABLES[name]
    check(CardTable(game, "server", **settings), random.Random(name), 8)


@pytest.mark.parametrize("name", WITHOUT_A_SERVER)
def test_the_first_card_opens_the_round(name: str) -> None:
    game, settings = TABLES[name]
    table = CardTable(game, "device", **settings)
    check(table, random.Random(name), 8)
    assert not table.of(GateWaiting), "gates stand open"


# -- gates -----------------------------------------------------------------------------------------------------


def test_a_gate_waits_with_the_facts_so_far_and_the_servers_word_is_echoed() -> None:
    table = CardTable(source="server", gates=["first_four", "player_third"])
    table.open(server={"lucky": ["8S"]})
    table.close()
    table.deal("2S 5C 2D QH")
    waiting = table.last(GateWaiting)
    assert (waiting.gate, waiting.seen["player"]["total"], waiting.seen["banker"]["total"]) == ("first_four", 4, 5)
    assert table.ask(GATE, gate="player_third").error is ErrorCode.NOT_NOW
    assert table.ask(GATE).error is ErrorCode.BAD_ARGUMENT
    assert table.ask(GATE, gate="first_four", server="no object").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(GATE, gate="first_four", server=7, void=True, reason="x").error is ErrorCode.BAD_ARGUMENT
    assert table.ask(GATE, gate="first_four", round="t1-9").error is ErrorCode.WRONG_ROUND
    assert table.ask(GATE, Role.DEALER, gate="first_four").error is ErrorCode.NOT_ALLOWED
    table.did(GATE, gate="first_four", server={"insured": 2})
    assert table.ask(GATE, gate="first_four").error is ErrorCode.NOT_NOW
    table.deal("6D")
    assert table.last(GateWaiting).seen["player"]["cards"] == ["2S", "2D", "6D"]
    table.did(GATE, gate="player_third")
    assert len(table.of(GateOpened)) == 2
    table.deal("9D")
    assert table.outcome.server == [{"lucky": ["8S"]}, {"insured": 2}]


def test_no_gate_after_a_natural() -> None:
    table = CardTable(source="server", gates=["first_four", "player_third"])
    table.bets_closed()
    table.deal(bare(NATURAL))
    assert not table.of(GateWaiting)
    assert table.outcome.facts["winner"] == "player"


def test_the_bets_of_a_gate_alone_can_be_void() -> None:
    table = CardTable(source="server", gates=["first_four"])
    table.bets_closed()
    table.deal("2S 5C 2D QH")
    assert table.ask(GATE, gate="first_four", void=True).error is ErrorCode.BAD_ARGUMENT
    table.did(GATE, gate="first_four", void=True, reason="the stream froze")
    voided = table.last(GateVoided)
    assert (voided.gate, voided.reason, voided.by) == ("first_four", "the stream froze", "the-server")
    assert table.words()[-2:] == ["gate.voided:first_four:the stream froze", "gate.opened:first_four"]
    table.deal("6D 9D")
    assert table.outcome.facts["winner"] == "banker"


def test_no_gate_opens_while_the_table_stands() -> None:
    table = CardTable(source="server", gates=["player_third"])
    table.bets_closed()
    table.deal("2S 7C 2D QH 6D")
    table.did(CommandName.TABLE_PAUSE, Role.DEALER, reason="break")
    reply = table.ask(GATE, gate="player_third")
    assert reply.error is ErrorCode.NOT_NOW
    assert "break" in reply.message
    table.resume()
    table.did(GATE, gate="player_third")
    assert table.outcome.facts["winner"] == "banker"


def test_the_dealers_hand_waits_for_the_call() -> None:
    table = CardTable("holdem", "server")
    table.bets_closed()
    table.deal("8S 5C KD 2C 9H")
    assert table.words()[-1] == "gate.waiting:call"
    assert table.last(GateWaiting).seen["board"] == ["KD", "2C", "9H"]
    table.did(GATE, gate="call")
    table.deal("AD 3H TS TH")
    assert table.outcome.facts["dealer"]["cards"] == ["AD", "3H"]


def test_the_head_card_may_be_read_while_betting_is_open_and_the_hands_only_after() -> None:
    table = CardTable("niu-niu", "server")
    table.open()
    table.deal("2H")
    assert table.words()[-1] == "card.drawn:head:2H"
    table.deal("8S")
    assert table.words()[-2:] == ["violation:card_while_betting", "table.paused:violation"]
    table.resume()
    table.close()
    table.deal("8S")
    assert table.words()[-1] == "card.drawn:p1.1:8S", "a two begins with the first player"


def test_the_joker_may_be_read_while_betting_is_open_and_the_second_bets_end_at_the_gate() -> None:
    table = CardTable("andar-bahar", "server")
    table.open()
    table.unread()
    table.deal("8D")
    assert table.words()[-1] == "card.drawn:joker:8D"
    table.close()
    assert table.words()[-1] == "gate.waiting:second_bets"
    assert table.last(GateWaiting).seen["joker"] == "8D"
    table.did(GATE, gate="second_bets")
    table.deal("9H 8S")
    assert (table.outcome.facts["winner"], table.outcome.facts["dealt"], table.outcome.attempts) == ("bahar", 2, 2)


# -- the server's word on the next card --------------------------------------------------------------------------


def test_blackjack_from_the_seats_to_the_outcome() -> None:
    table = CardTable("blackjack", "server", rules="classic-001")
    table.open()
    assert table.ask(EXPECT, action="seats", seats=[2, 5]).error is ErrorCode.NOT_NOW, "betting is open"
    table.close()
    assert table.ask(EXPECT, Role.MANAGER, action="seats", seats=[2]).error is ErrorCode.NOT_ALLOWED
    assert table.ask(EXPECT, action="hit", seat=2, hand=1).message.startswith("not_expected")
    assert table.ask(EXPECT, action="seats", seats=[9]).message.startswith("bad_argument")
    assert table.ask(EXPECT, action="seats", seats=[2], server=[]).error is ErrorCode.BAD_ARGUMENT
    table.did(EXPECT, action="seats", seats=[2, 5], server={"players": 2})
    assert table.last(CardExpected).args == {"action": "seats", "seats": [2, 5]}
    table.deal("8S KC 6D 8H 9C")
    assert table.words()[-1] == "card.drawn:seat5.h1.2:9C"
    table.restart()
    table.did(EXPECT, action="split", seat=2, hand=1)
    table.deal("3C")
    table.unread()
    table.deal("TD")
    assert table.words()[-1] == "card.drawn:seat2.h2.2:TD"
    assert table.ask(EXPECT, action="double", seat=2, hand=1).message.startswith("after_split")
    table.did(EXPECT, action="done")
    table.deal("KD 2S")
    facts = table.outcome.facts
    assert [hand["cards"] for hand in facts["hands"]] == [["8S", "3C"], ["8H", "TD"], ["KC", "9C"]]
    assert (facts["dealer"]["cards"], facts["dealer"]["total"]) == (["6D", "KD", "2S"], 18)
    assert table.outcome.server == [{"players": 2}]
    assert table.outcome.attempts == 2


def test_blackjack_voided_in_the_middle_still_says_what_was_complete() -> None:
    table = CardTable("blackjack", "server", rules="classic-003")
    table.bets_closed()
    table.did(EXPECT, action="seats", seats=[1])
    table.deal("AS 9D KS")
    table.manager(CommandName.ROUND_VOID)
    (hand,) = table.last(RoundVoided).seen["hands"]
    assert hand["blackjack"] is True


def test_blackjack_is_corrected_card_by_card_before_and_as_a_whole_after() -> None:
    table = CardTable("blackjack", "server")
    table.bets_closed()
    table.did(EXPECT, action="seats", seats=[1])
    table.deal("8S KC 9D")
    table.manager(CORRECT, position="seat1.h1.2", card="3D")
    table.did(EXPECT, action="hit", seat=1, hand=1)
    table.deal("TD")
    table.did(EXPECT, action="done")
    table.deal("8H")
    assert table.outcome.facts["hands"][0]["cards"] == ["8S", "3D", "TD"]
    assert table.outcome.by == "the-manager"
    expects = [data.args for data in table.of(CardExpected)]
    cards = {"seat1.h1.1": "8S", "dealer.1": "KC", "seat1.h1.2": "3D", "seat1.h1.3": "9H", "dealer.2": "8H"}
    ask = {"replaces": table.state.outcome.sequence, "reason": "video"}  # type: ignore[union-attr]
    for wrong in (
        {},
        {"cards": cards},
        {"cards": cards, "expects": expects[:1]},
        {"cards": cards, "expects": [*expects, {"action": "done"}]},
        {"cards": cards, "expects": {"action": "done"}},
        {"cards": cards, "expects": ["done"]},
        {"cards": cards, "expects": [{"action": "seats", "seats": [0]}, *expects[1:]]},
        {"cards": cards | {"seat1.h1.3": "XX"}, "expects": expects},
        {"cards": cards | {"seat3.h1.1": "8S"}, "expects": expects},
    ):
        assert table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, **wrong).error is ErrorCode.BAD_ARGUMENT
    table.did(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards=cards, expects=expects)
    assert table.state.outcome is not None
    assert table.state.outcome.facts["hands"][0]["total"] == 20


def test_a_hand_that_one_deck_cannot_hold_is_not_keyed_in() -> None:
    table = CardTable("dragon-tiger", shoe={"decks": 1})
    table.deal("8S 5C")
    ask = {"replaces": table.state.outcome.sequence, "reason": "video"}  # type: ignore[union-attr]
    refused = table.ask(CommandName.OUTCOME_CORRECT, Role.MANAGER, **ask, cards={"dragon.1": "5C", "tiger.1": "5C"})
    assert refused.error is ErrorCode.BAD_ARGUMENT
    assert "5C" in refused.message


# -- what a table cannot be ------------------------------------------------------------------------------------


def test_tables_that_cannot_be() -> None:
    def problems(game: str, observes: set[Observes], **shoe: Any) -> list[str]:
        table = CardTable(game, shoe=shoe)
        device = TableDevice(name="reader", driver="x", observes=frozenset(observes))
        return [key for key, _ in load_game(game).check(table.setup.rules.settings, [device])]

    assert problems("baccarat", {Observes.CARD, Observes.RESULT}) == []
    assert problems("koi", {Observes.CARD}) == []
    assert problems("koi", {Observes.NUMBER}) == ["devices"]
    assert problems("dragon-tiger", {Observes.CARD, Observes.RESULT}) == ["devices"]
    assert problems("baccarat", {Observes.CARD}, burn=1, burn_by_first=True) == ["shoe.burn"]


def test_a_second_reader_would_count_each_card_twice() -> None:
    table = CardTable("baccarat")
    readers = [TableDevice(name=name, driver="x", observes=frozenset({Observes.CARD})) for name in ("shoe", "scanner")]
    other = TableDevice(name="lamp", driver="x", observes=frozenset({Observes.NUMBER}))
    check = load_game("baccarat").check
    assert check(table.setup.rules.settings, [*readers, other]) == [
        ("devices", "a card table takes one device that reads cards; it has: shoe, scanner")
    ]
    assert check(table.setup.rules.settings, [readers[0], other]) == []
