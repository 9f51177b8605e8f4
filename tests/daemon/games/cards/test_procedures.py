"""What holds for every card game, whatever cards come."""

from __future__ import annotations

import json
import random
from types import ModuleType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.games.cards import (
    andar_bahar,
    baccarat,
    blackjack,
    brawl,
    dragon_tiger,
    holdem,
    koi,
    niu_niu,
    san_gong,
    three_cards,
)
from dealer_daemon.games.cards.card import DECK, Card, composition
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    Complete,
    ExpectDue,
    ExpectStep,
    GateDue,
    GateStep,
    History,
    NotCompleteError,
    Procedure,
    Refusal,
    Step,
)

TABLES: dict[str, Procedure] = {
    "baccarat": baccarat.make(baccarat.Settings()),
    "baccarat with gates": baccarat.make(baccarat.Settings(order="open", gates=("first_four", "player_third"))),
    "dragon-tiger": dragon_tiger.make(dragon_tiger.Settings(burn=True)),
    "niu-niu": niu_niu.make(niu_niu.Settings()),
    "niu-niu opened": niu_niu.make(niu_niu.Settings(order="open")),
    "three-cards": three_cards.make(three_cards.Settings(order="reveal")),
    "holdem": holdem.make(holdem.Settings()),
    "holdem dealt": holdem.make(holdem.Settings(order="deal")),
    "san-gong": san_gong.make(san_gong.Settings()),
    "koi": koi.make(koi.Settings()),
    "brawl": brawl.make(brawl.Settings()),
    "andar-bahar": andar_bahar.make(andar_bahar.Settings()),
    "classic": blackjack.make(blackjack.Settings(rules="classic-003")),
    "free bet": blackjack.make(blackjack.Settings(rules="free-bet-001")),
    "switch": blackjack.make(blackjack.Settings(rules="switch-001")),
    "infinite": blackjack.make(blackjack.Settings(rules="infinite-001")),
}

MODULES = [andar_bahar, baccarat, blackjack, brawl, dragon_tiger, holdem, koi, niu_niu, san_gong, three_cards]
NAMES = "andar-bahar baccarat blackjack brawl dragon-tiger holdem koi niu-niu san-gong three-cards".split()  # noqa: SIM905


def _say(table: Procedure, history: History, due: ExpectDue, rng: random.Random) -> ExpectStep:
    """Something that the server may say, at random."""
    if due.actions == ("seats",):
        return ExpectStep({"action": "seats", "seats": rng.sample(range(1, 8), rng.randint(1, 3))})
    for _ in range(8):
        action = rng.choice(due.actions)
        args: dict[str, object] = {"action": action}
        if action == "community":
            args["window"] = rng.randint(1, 9)
        elif action == "switch":
            args["seat"] = rng.randint(1, 7)
        elif action != "done":
            args |= {"seat": rng.randint(1, 7), "hand": rng.randint(1, 3)}
        answer = table.expect(history, args)
        if isinstance(answer, ExpectStep):
            return answer
    return ExpectStep({"action": "done"})


def play(table: Procedure, seed: int) -> list[History]:
    """Every history on the way through one random round."""
    rng = random.Random(seed)
    cards = list(DECK) * table.decks
    rng.shuffle(cards)
    histories: list[History] = [()]
    while True:
        history = histories[-1]
        step: Step
        match table.due(history):
            case CardDue(position=position):
                step = CardStep(position, cards.pop())
            case GateDue(gate=gate):
                assert gate in table.gates
                step = GateStep(gate)
            case ExpectDue() as due:
                step = _say(table, history, due, rng)
            case Complete():
                return histories
        answer = table.advance(history, step)
        assert not isinstance(answer, Refusal), answer
        histories.append(answer)
        assert len(histories) < 200


@pytest.mark.parametrize("name", TABLES)
@given(seed=st.integers(0, 2**32))
def test_a_round_ends_with_facts_that_are_plain_json(name: str, seed: int) -> None:
    table = TABLES[name]
    *under_way, whole = play(table, seed)
    facts = table.facts(whole)
    assert json.loads(json.dumps(facts)) == facts
    assert table.facts(whole) == facts
    for history in under_way:
        json.dumps(table.seen(history))
        with pytest.raises(NotCompleteError):
            table.facts(history)


@pytest.mark.parametrize("name", TABLES)
@given(seed=st.integers(0, 2**32))
def test_no_position_is_used_twice_and_only_the_one_due_takes_a_card(name: str, seed: int) -> None:
    table = TABLES[name]
    histories = play(table, seed)
    positions = [step.position for step in histories[-1] if isinstance(step, CardStep)]
    assert len(set(positions)) == len(positions)
    for history in histories:
        due = table.due(history)
        for position in positions:
            if not (isinstance(due, CardDue) and due.position == position):
                answer = table.advance(history, CardStep(position, Card.parse("AS")))
                assert isinstance(answer, Refusal)
                assert answer.reason == "card_not_due"


@pytest.mark.parametrize("name", TABLES)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_a_correction_gives_what_the_same_cards_would_have_given(name: str, seed: int, data: st.DataObject) -> None:
    table = TABLES[name]
    history = data.draw(st.sampled_from(play(table, seed)[1:]))
    places = [i for i, step in enumerate(history) if isinstance(step, CardStep)]
    if not places:
        return
    index = data.draw(st.sampled_from(places))
    old = history[index]
    assert isinstance(old, CardStep)
    assert table.replace(history, old.position, old.card) == history
    card = data.draw(st.sampled_from(DECK))
    copies = sum(isinstance(step, CardStep) and step.card == card for step in history)
    answer = table.replace(history, old.position, card)
    if isinstance(answer, Refusal):
        if answer.reason == "copies_used_up":
            assert copies == composition(table.decks)[card]
        else:
            assert answer.reason == "later_step_not_due"
            assert index < len(history) - 1
    else:
        assert answer == (*history[:index], CardStep(old.position, card), *history[index + 1 :])
        assert table.replace(answer, old.position, old.card) == history


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.game != "blackjack"])
@given(seed=st.integers(0, 2**32), data=st.data())
def test_what_was_seen_can_be_said_without_the_cards_that_are_withheld(
    name: str, seed: int, data: st.DataObject
) -> None:
    table = TABLES[name]
    history = data.draw(st.sampled_from(play(table, seed)))
    withheld = data.draw(
        st.sets(st.sampled_from([step.position for step in history if isinstance(step, CardStep)] or [""]))
    )
    shown = tuple(s for s in history if not (isinstance(s, CardStep) and s.position in withheld))
    said = json.dumps(table.seen(shown))
    known = {str(step.card) for step in shown if isinstance(step, CardStep)}
    hidden = {str(s.card) for s in history if isinstance(s, CardStep) and s.position in withheld} - known
    assert not [card for card in hidden if f'"{card}"' in said]


@pytest.mark.parametrize(("module", "name"), list(zip(MODULES, NAMES, strict=True)), ids=NAMES)
def test_every_game_is_made_of_its_settings(module: ModuleType, name: str) -> None:
    assert name == module.GAME_NAME
    table = module.make(msgspec.convert({}, type=module.Settings))
    assert isinstance(table, Procedure)
    assert table.game == name
    open_table = module.make(msgspec.convert({"gates_open": True}, type=module.Settings))
    assert open_table.gates == ()
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"no_such_setting": 1}, type=module.Settings)


@pytest.mark.parametrize("module", [baccarat, niu_niu, three_cards, holdem], ids=lambda module: module.GAME_NAME)
def test_an_unknown_order_is_refused(module: ModuleType) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"order": "sideways"}, type=module.Settings)
