"""A dealer and a game server for whole rounds: cards from a shuffled shoe go through the real procedures.

Half of the shoes are plain; the other half are stacked towards a few ranks or suits, so that a few thousand rounds
show every hand that a book pays for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

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
from dealer_daemon.games.cards.card import DECK, RANKS, SUITS, Card
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    ExpectDue,
    ExpectStep,
    GateDue,
    GateStep,
    History,
    Procedure,
    Refusal,
)
from settlement import infinite_server, seat_server

Decide = Callable[[Procedure, History], dict[str, Any]]


@dataclass(frozen=True)
class PlayedRound:
    """What a settlement may know. ``told`` is everything that happened in order: ("card", "8S"), ("said", args)."""

    book: str
    game: str
    facts: dict[str, Any]
    told: list[tuple[str, Any]]
    server: dict[str, Any] = field(default_factory=dict)
    order: str = ""

    @property
    def cards(self) -> list[str]:
        return [what for kind, what in self.told if kind == "card"]


def shoe(rng: random.Random, decks: int, stack: str = "") -> list[Card]:
    """A shuffled shoe; every second one has a random few of its ranks and suits on top, or the ranks of ``stack``."""
    cards = list(DECK) * decks
    rng.shuffle(cards)
    style = rng.randrange(6)
    if style >= 3:
        start, width = rng.randrange(13), rng.randint(2, 5)
        ranks = {RANKS[(start + i) % 13] for i in range(width)} if style < 5 else set(rng.sample(RANKS, width))
        suits = set(rng.sample(SUITS, rng.randint(1, 4)))
        if stack and style < 5:
            ranks, suits = set(stack), set(SUITS)
        cards.sort(key=lambda card: card.rank not in ranks or card.suit not in suits)
        top = [card for card in cards if card.rank in ranks and card.suit in suits]
        rng.shuffle(top)
        cards[: len(top)] = top
    return cards


def deal(procedure: Procedure, cards: Iterator[Card], decide: Decide | None = None) -> History:
    """One whole round."""
    history: History = ()
    while True:
        match procedure.due(history):
            case CardDue(position=position):
                answer = procedure.advance(history, CardStep(position, next(cards)))
            case GateDue(gate=gate):
                answer = procedure.advance(history, GateStep(gate))
            case ExpectDue():
                assert decide is not None
                answer = procedure.advance(history, ExpectStep(decide(procedure, history)))
            case _:
                return history
        assert not isinstance(answer, Refusal), (answer, procedure.seen(history))
        history = answer


def _told(history: History) -> list[tuple[str, Any]]:
    told: list[tuple[str, Any]] = []
    for step in history:
        if isinstance(step, CardStep):
            told.append(("card", str(step.card)))
        elif isinstance(step, ExpectStep):
            told.append(("said", dict(step.args)))
    return told


def _baccarat(rng: random.Random, gates: bool) -> tuple[Procedure, str]:
    order = rng.choice(("deal", "open"))
    both = ("first_four", "player_third") if gates else ()
    return baccarat.make(baccarat.Settings(order=order, gates=both)), order


def play(book: str, game: str, rng: random.Random) -> PlayedRound:
    """One round of a book's game in ``bets.csv``, at a table set up at random within its rules."""
    server: dict[str, Any] = {}
    order, decide = "", None
    match game.split("-", 1):
        case ["baccarat", *kind]:
            procedure, order = _baccarat(rng, kind in (["squeeze"], ["insurance"]))
            if kind == ["fortune"]:
                server = _fortune(rng)
        case ["dragon", _]:
            order = rng.choice(("burn", ""))
            procedure = dragon_tiger.make(dragon_tiger.Settings(burn=order == "burn"))
        case ["niu", _]:
            order = rng.choice(("deal", "open"))
            procedure = niu_niu.make(niu_niu.Settings(order=order))
        case ["three", _]:
            order = rng.choice(("deal", "reveal", "by_hand"))
            procedure = three_cards.make(three_cards.Settings(order=order))
        case ["holdem"]:
            order = rng.choice(("deal", "reveal"))
            procedure = holdem.make(holdem.Settings(order=order))
            server = {"called": rng.random() < 0.8}
        case ["san", _]:
            procedure, server = san_gong.make(san_gong.Settings()), _picks(rng, 3, 3)
        case ["koi"]:
            procedure, server = koi.make(koi.Settings()), _picks(rng, 2, 2)
            server |= {"pair_cards": server["player"], "carp_cards": [1, 2, 3, 4, 5, 6]}
        case ["brawl"]:
            procedure, server = brawl.make(brawl.Settings()), _picks(rng, rng.randint(1, 5), 1)
            server |= {"bet_on": rng.choice(server["player"])}
        case ["andar", _]:
            procedure = andar_bahar.make(andar_bahar.Settings())
        case ["blackjack", "infinite"]:
            procedure = blackjack.make(blackjack.Settings(rules="infinite-001"))
            decide, server = infinite_server.start(rng)
        case ["blackjack", kind]:
            rules = f"{kind}-{book}"
            procedure = blackjack.make(blackjack.Settings(rules=rules))  # type: ignore[arg-type]
            decide, server = seat_server.start(rng, rules)
        case _:
            raise AssertionError(game)
    # Of 4, 5 and 6 any two cards can be split or doubled free: the only way to seven tokens in a few hundred rounds.
    stack = "456" if game == "blackjack-free-bet" else ""
    history = deal(procedure, iter(shoe(rng, procedure.decks, stack)), decide)
    return PlayedRound(book, game, procedure.facts(history), _told(history), server, order)


def _fortune(rng: random.Random) -> dict[str, Any]:
    """Lucky cards by 002, and what the book leaves open: the banker's odds, and which hands a tie bet's cards are."""
    cards = rng.sample([str(card) for card in DECK], rng.randint(1, 5))
    return {
        "fortune": {card: rng.choice((2, 3, 4, 5, 8)) for card in cards},
        "banker_odds": "0.95",
        "other": {"bet": "tie", "odds": 8, "hands": ["player", "banker"]},
    }


def _picks(rng: random.Random, player: int, dealer: int) -> dict[str, Any]:
    places = rng.sample(range(1, 7), player + dealer)
    return {"player": sorted(places[:player]), "dealer": sorted(places[player:])}
