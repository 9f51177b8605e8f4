"""Which card goes where, and who wins: each game by the rule books, written anew (``games.md`` §4).

Nothing here is shared with the station: an error of its procedures cannot hide behind the same error here.
Blackjack, whose cards follow its players' decisions, is in ``blackjack.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hw_sim.shoe.cards import Card
from hw_sim.shoe.ranks import baccarat_total, baccarat_value, best_of, bull, killer, three

Laid = Mapping[str, Card]
"""The cards of a hand by position, in the order in which they came."""

BANKER_DRAWS_UP_TO = {0: 3, 1: 3, 2: 4, 3: 4, 4: 5, 5: 5, 6: 6, 7: 6, 8: 2, 9: 3}
"""The player's third card → the highest banker's total that draws against it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One game as it is dealt. ``follows``: the position of the next card, ``None`` when the hand is complete.

    ``winner`` is asked of complete hands; ``None`` where the cards alone make no winner. ``least`` is the number of
    cards that every hand has. ``decks``: what it is played with; a game of one deck is shuffled for every hand.
    """

    game: str
    decks: int
    least: int
    follows: Callable[[Laid], str | None]
    winner: Callable[[Laid], Any]
    said: Callable[[Laid], list[dict[str, Any]]] = lambda laid: []  # noqa: ARG005
    """What the players' server must have said before the next card, in order, from the hand's beginning."""
    anew: Callable[[Random], Rules] | None = None
    """The rules of one hand, where chance decides how it is played."""
    continuous: bool = False
    """The cards of every hand go back into a continuous shuffler."""


def hand(laid: Laid, name: str) -> list[Card]:
    """The cards of one hand."""
    return [card for position, card in laid.items() if position.split(".")[0] == name]


def _in_turn(positions: Sequence[str]) -> Callable[[Laid], str | None]:
    return lambda laid: positions[len(laid)] if len(laid) < len(positions) else None


def baccarat_follows(laid: Laid, first: Sequence[str] = ("player.1", "banker.1", "player.2", "banker.2")) -> str | None:
    """Third cards by the drawing table."""
    if len(laid) < 4:
        return first[len(laid)]
    player, banker = hand(laid, "player"), hand(laid, "banker")
    banker_has = baccarat_total(banker[:2])
    if max(banker_has, baccarat_total(player[:2])) > 7 or len(banker) == 3:
        return None
    if baccarat_total(player[:2]) < 6 and len(player) == 2:
        return "player.3"
    limit = 5 if len(player) == 2 else BANKER_DRAWS_UP_TO[baccarat_value(player[2])]
    return "banker.3" if banker_has <= limit else None


def _more(a: Any, b: Any, names: tuple[str, str], level: str) -> str:
    return level if a == b else names[0] if a > b else names[1]


def baccarat_winner(laid: Laid) -> str:
    """``player``, ``banker`` or ``tie``."""
    player, banker = (baccarat_total(hand(laid, side)) for side in ("player", "banker"))
    return _more(player, banker, ("player", "banker"), "tie")


def _dragon_tiger_winner(laid: Laid) -> str:
    return _more(laid["dragon.1"].pips, laid["tiger.1"].pips, ("dragon", "tiger"), "tie")


def _niu_niu_follows(order: str) -> Callable[[Laid], str | None]:
    def follows(laid: Laid) -> str | None:
        if not laid:
            return "head"
        # The head card says who is dealt first: ace, five, nine, king the banker; and so on round the table.
        first = (laid["head"].pips + 3) % 4 if order == "deal" else 0
        done = len(laid) - 1
        seat = ("banker", "p1", "p2", "p3")[(first + done // 5) % 4]
        return f"{seat}.{done % 5 + 1}" if done < 20 else None

    return follows


def _niu_niu_winners(laid: Laid) -> dict[str, str]:
    banker = bull(hand(laid, "banker"))
    return {seat: "player" if bull(hand(laid, seat)) > banker else "banker" for seat in ("p1", "p2", "p3")}


def _three_cards_winner(laid: Laid) -> str:
    first, second = hand(laid, "first"), hand(laid, "second")
    trips = [three(cards)[0] == 5 for cards in (first, second)]
    if killer(first) and trips[1]:
        return "first"
    if killer(second) and trips[0]:
        return "second"
    return _more(three(first), three(second), ("first", "second"), "draw")


def _andar_bahar_follows(laid: Laid) -> str | None:
    if not laid:
        return "joker"
    cards = list(laid.values())
    if len(cards) > 1 and cards[-1].rank == cards[0].rank:
        return None
    return ("andar", "bahar")[(len(cards) - 1) % 2] + f".{(len(cards) + 1) // 2}"


def _andar_bahar_winner(laid: Laid) -> str:
    return list(laid)[-1].split(".")[0]


def _holdem_winner(laid: Laid) -> str:
    player, dealer = (best_of(hand(laid, who) + hand(laid, "board")) for who in ("player", "dealer"))
    return _more(player, dealer, ("player", "dealer"), "tie")


_TWO_EACH = ("player.1", "player.2")
_BOARD = tuple(f"board.{n}" for n in range(1, 6))
_HOLDEM = {
    "reveal": (*_TWO_EACH, *_BOARD[:3], "dealer.1", "dealer.2", *_BOARD[3:]),
    "deal": (*_TWO_EACH, "dealer.1", "dealer.2", *_BOARD),
}
_THREE_CARDS = {
    "deal": ("first.1", "second.1", "first.2", "second.2", "first.3", "second.3"),
    "reveal": ("first.1", "first.2", "second.1", "second.2", "first.3", "second.3"),
    "by_hand": ("first.1", "first.2", "first.3", "second.1", "second.2", "second.3"),
}
ORDERS: Mapping[str, tuple[str, ...]] = {
    "baccarat": ("deal", "open"),
    "niu-niu": ("deal", "open"),
    "three-cards": tuple(_THREE_CARDS),
    "holdem": tuple(_HOLDEM),
}
"""Reading orders of the games that have a choice; the first is the usual one."""
GAMES = ("baccarat", "dragon-tiger", "niu-niu", "three-cards", "san-gong", "koi", "brawl", "andar-bahar", "holdem")


def rules_of(game: str, order: str, *, burn: bool = False) -> Rules:
    """The rules of a game in a reading order of ``ORDERS``. ``burn``: dragon tiger burns a card before each hand.

    Raises ``KeyError`` for a game or an order that there is not.
    """
    match game:
        case "baccarat":
            opened = {"deal": ("player.1", "banker.1", "player.2", "banker.2")}
            opened["open"] = ("player.1", "player.2", "banker.1", "banker.2")
            first = opened[order]
            return Rules(game, 8, 4, lambda laid: baccarat_follows(laid, first), baccarat_winner)
        case "dragon-tiger":
            positions = ("burn",) * burn + ("dragon.1", "tiger.1")
            return Rules(game, 8, len(positions), _in_turn(positions), _dragon_tiger_winner)
        case "niu-niu":
            return Rules(game, 1, 21, _niu_niu_follows(order), _niu_niu_winners)
        case "three-cards":
            return Rules(game, 1, 6, _in_turn(_THREE_CARDS[order]), _three_cards_winner)
        case "andar-bahar":
            return Rules(game, 1, 2, _andar_bahar_follows, _andar_bahar_winner)
        case "holdem":
            return Rules(game, 1, 9, _in_turn(_HOLDEM[order]), _holdem_winner)
        case "san-gong" | "koi" | "brawl":
            return Rules(game, 1, 6, _in_turn([f"card.{n}" for n in range(1, 7)]), lambda laid: None)  # noqa: ARG005
    raise KeyError(game)
