"""The dealer's own rules against the books, and against the station's: two readings of the same pages must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from dealer_daemon.games import CardGame, load_game
from dealer_daemon.games.cards.card import Card as StationCard
from dealer_daemon.games.cards.procedure import CardDue, CardStep, Complete, ExpectStep, History, Procedure
from hw_sim.shoe.blackjack import BOOKS, blackjack_rules
from hw_sim.shoe.cards import Card, Stock
from hw_sim.shoe.ranks import best_of, bull, five, three
from hw_sim.shoe.rules import GAMES, ORDERS, Rules, hand, rules_of


def cards(texts: str) -> list[Card]:
    return [Card(text[0], text[1], 1, place) for place, text in enumerate(texts.split())]


def dealt(rules: Rules, texts: str) -> dict[str, Card]:
    laid: dict[str, Card] = {}
    left = cards(texts)
    while (position := rules.follows(laid)) is not None and left:
        laid[position] = left.pop(0)
    assert not left, "the hand was complete before"
    return laid


# Banker's total in rows 0 to 7, player's third card in columns 0 to 9: D draws, S stands (000, 002, 003, 004).
BANKER_TABLE = (
    "DDDDDDDDDD",
    "DDDDDDDDDD",
    "DDDDDDDDDD",
    "DDDDDDDDSD",
    "SSDDDDDDSS",
    "SSSSDDDDSS",
    "SSSSSSDDSS",
    "SSSSSSSSSS",
)


def test_bankers_third_card_in_every_case() -> None:
    rules = rules_of("baccarat", "deal")
    for banker, row in enumerate(BANKER_TABLE):
        for third, word in enumerate(row):
            second = f"{banker}S" if banker > 1 else ("KS" if banker == 0 else "AS")
            third_text = "KD" if third == 0 else "AD" if third == 1 else f"{third}D"
            laid = dealt(rules, f"2H KH 3H {second} {third_text}")
            assert rules.follows(laid) == ("banker.3" if word == "D" else None), (banker, third)


@pytest.mark.parametrize(
    ("texts", "follows", "winner"),
    [
        ("9H 2H KS 5H", None, "player"),
        ("2H 8H 3S KH", None, "banker"),
        ("6H 5H KS KH", "banker.3", None),
        ("7H 6H KS KH", None, "player"),
        ("6H 6D KS KH", None, "tie"),
        ("5H 7H KS KH", "player.3", None),
        ("5H 7H KS KH 9S", None, "banker"),
        ("KH KD KS KC TS TD", None, "tie"),
    ],
)
def test_baccarat_hands(texts: str, follows: str | None, winner: str | None) -> None:
    rules = rules_of("baccarat", "deal")
    laid = dealt(rules, texts)
    assert rules.follows(laid) == follows
    if winner is not None:
        assert rules.winner(laid) == winner


@pytest.mark.parametrize(("head", "first"), [("A", "banker"), ("6", "p1"), ("J", "p2"), ("Q", "p3"), ("K", "banker")])
def test_the_head_card_says_who_is_dealt_first(head: str, first: str) -> None:
    laid = dealt(rules_of("niu-niu", "deal"), f"{head}S")
    assert rules_of("niu-niu", "deal").follows(laid) == f"{first}.1"
    assert rules_of("niu-niu", "open").follows(laid) == "banker.1"


def test_andar_bahar_ends_with_the_jokers_rank() -> None:
    rules = rules_of("andar-bahar", "")
    laid = dealt(rules, "8S 2H 3H 8D")
    assert list(laid) == ["joker", "andar.1", "bahar.1", "andar.2"]
    assert (rules.follows(laid), rules.winner(laid)) == (None, "andar")


def test_niu_niu_ranks() -> None:
    rising = ["KH QH 2D 4C 7S", "KH QH 2D 4C 6S", "AH 4S 5D QH 7C", "5H 5D TC QS KS", "JH QH KH JD QD"]
    grades = [bull(cards(texts))[0] for texts in rising]
    assert grades == [0, 2, 7, 10, 11]


@pytest.mark.parametrize(
    "rising",
    [
        "3S 5H 2S",  # the lowest of all
        "AS KD JC",
        "2S 2H 3D",
        "AS AD KC",
        "3S 2D AC",  # the lowest straight
        "4S 3D 2C",
        "AS KD QC",
        "2S 3S 5S",
        "3D 2D AD",
        "2S 2H 2D",
    ],
)
def test_three_cards_in_their_order(rising: str) -> None:
    ladder = [
        "3S 5H 2S",
        "AS KD JC",
        "2S 2H 3D",
        "AS AD KC",
        "3S 2D AC",
        "4S 3D 2C",
        "AS KD QC",
        "2S 3S 5S",
        "3D 2D AD",
    ]
    ladder.append("2S 2H 2D")
    place = ladder.index(rising)
    assert all(three(cards(rising)) > three(cards(lower)) for lower in ladder[:place])


def test_the_off_suit_two_three_five_beats_trips_and_nothing_else() -> None:
    rules = rules_of("three-cards", "by_hand")
    winners = [
        rules.winner(dealt(rules, f"2S 3H 5S {other}")) for other in ("AS AH AD", "2H 2D 4D", "5H 3D 2D", "6H 3C 2C")
    ]
    assert winners == ["first", "second", "draw", "second"]
    assert rules.winner(dealt(rules, "KS KH KD 2H 3H 5H")) == "first", "of one suit it is a flush"


def test_five_cards_in_their_order() -> None:
    ladder = [
        "AS KD JC 9H 7S",
        "2S 2D 3C 4H 5S",
        "3S 3D 2C 2H 4S",
        "2S 2D 2C 3H 4S",
        "5S 4D 3C 2H AS",
        "6S 5D 4C 3H 2S",
        "AS KD QC JH TS",
        "2S 3S 4S 5S 7S",
        "2S 2D 2C 3H 3S",
        "2S 2D 2C 2H 3S",
        "5S 4S 3S 2S AS",
        "AS KS QS JS TS",
    ]
    strengths = [five(cards(texts)) for texts in ladder]
    assert strengths == sorted(set(strengths))
    assert best_of(cards("AS KS QS JS TS AD AH")) == strengths[-1]


def settings(game: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for order in ORDERS.get(game, ("",)):
        yield order, {"order": order} if order else {}


def station(game: str, more: dict[str, Any]) -> Procedure:
    found = load_game(game)
    assert isinstance(found, CardGame)
    made: Procedure = found.procedure(found.settings(**more), True)
    return made


@pytest.mark.parametrize("game", GAMES)
def test_the_station_plays_by_the_same_rules(game: str) -> None:
    """Random hands: the same position comes next at every card, and the same hand wins."""
    for order, more in settings(game):
        rules, procedure, rng = rules_of(game, order), station(game, more), Random(f"{game} {order}")
        winners = set()
        for _ in range(150):
            stock, laid = Stock(rng, rules.decks, 6), {}
            history: History = ()
            while (position := rules.follows(laid)) is not None:
                due = procedure.due(history)
                assert isinstance(due, CardDue)
                assert due.position == position
                laid[position] = stock.draw()
                history = (*history, CardStep(position, StationCard.parse(laid[position].text)))
            assert isinstance(procedure.due(history), Complete)
            assert len(laid) >= rules.least
            facts = procedure.facts(history)
            winner = rules.winner(laid)
            assert winner == facts.get("winners", facts.get("winner"))
            winners.add(str(winner))
        assert len(winners) > (0 if winner is None else 1), "hands that were worth comparing"


@pytest.mark.parametrize("book", BOOKS)
def test_the_station_plays_blackjack_by_the_same_rules(book: str) -> None:
    """Random hands: every decision is one that the station takes, and the same position comes next at every card."""
    procedure, rng = station("blackjack", {"rules": book}), Random(book)
    words: Counter[str] = Counter()
    for _ in range(200):
        anew = blackjack_rules(book).anew
        assert anew is not None
        rules = anew(rng)
        stock, laid = Stock(rng, rules.decks, 6), {}
        history: History = ()
        while True:
            said = rules.said(laid)
            for action in said[sum(isinstance(step, ExpectStep) for step in history) :]:
                step = procedure.expect(history, action)
                assert isinstance(step, ExpectStep), (action, step)
                history = (*history, step)
                words[action["action"]] += 1
            position = rules.follows(laid)
            if position is None:
                break
            due = procedure.due(history)
            assert isinstance(due, CardDue)
            assert due.position == position
            laid[position] = stock.draw()
            history = (*history, CardStep(position, StationCard.parse(laid[position].text)))
        assert isinstance(procedure.due(history), Complete)
        assert len(laid) >= rules.least
    expected = {"community", "done"} if book == "infinite-001" else {"seats", "hit", "stand", "double", "split", "done"}
    assert words.keys() == expected | ({"switch"} if book == "switch-001" else set())


def blackjack_hand(book: str, plan: int, texts: str) -> tuple[list[str], dict[str, str]]:
    """Positions and winners of a hand with these cards on top."""
    anew = blackjack_rules(book).anew
    assert anew is not None
    rules, laid, left = anew(Random(plan)), {}, cards(texts)
    while (position := rules.follows(laid)) is not None:
        laid[position] = left.pop(0)
    return list(laid), rules.winner(laid)


@pytest.mark.parametrize(
    ("book", "dealer", "winner"),
    [
        ("classic-001", "AH 6D", "player"),  # stands on a soft 17
        ("free-bet-001", "AH 6D 4S", "dealer"),  # hits it
        ("switch-001", "KH 6D 6S", "push"),  # 22
        ("classic-001", "KH 6D 6S", "player"),
        ("classic-001", "KH AD", "dealer"),
    ],
)
def test_the_dealer_at_blackjack(book: str, dealer: str, winner: str) -> None:
    """Every player's hand is twenty and stands."""
    up, *rest = dealer.split()
    for plan in range(200):
        boxes = 2 if book == "switch-001" else 1
        anew = blackjack_rules(book).anew
        assert anew is not None
        seats = anew(Random(plan)).said({})[0]["seats"]
        tens = " ".join(["KS", "QS", "JS", "TS", "KC", "QC"][: len(seats) * boxes])
        try:
            positions, won = blackjack_hand(book, plan, f"{tens} {up} {tens} {' '.join(rest)}")
        except IndexError:
            continue  # somebody took a card more
        if len(positions) == 2 * boxes * len(seats) + len(dealer.split()):
            assert set(won.values()) == {winner}
            return
    raise AssertionError("no plan in which every hand stands")


def test_dragon_tiger_with_a_burnt_card() -> None:
    rules = rules_of("dragon-tiger", "", burn=True)
    laid = dealt(rules, "AS KD QH")
    assert list(laid) == ["burn", "dragon.1", "tiger.1"]
    assert rules.winner(laid) == "dragon"
    assert [card.text for card in hand(laid, "tiger")] == ["QH"]
