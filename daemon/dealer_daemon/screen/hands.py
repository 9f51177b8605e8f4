"""From a card game's facts, whole or so far, to the hands on the cloth, in the order in which a dealer sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dealer_daemon.screen.texts import Text, hand_name, plain, say
from dealer_daemon.screen.view import Hand, Slot

Facts = Mapping[str, Any]

NIU_NIU = ("banker", "p1", "p2", "p3")
MOST_SHOWN = 10
"""Cards of one side at andar bahar: up to 25 come, and the newest say where the hand stands."""


def hands_of(game: str, facts: Facts, *, complete: bool) -> list[Hand]:
    """The hands with their cards; places that are still empty stand there until the round is over."""
    return list(_hands(game, facts, complete))


def _hands(game: str, facts: Facts, complete: bool) -> Iterator[Hand]:
    winner = facts.get("winner")
    match game:
        case "baccarat":
            for side in ("player", "banker"):
                cards = facts[side]["cards"]
                note = say("line", "total", n=facts[side]["total"]) if cards else None
                yield _hand(side, cards, least=3, note=note, won=winner == side, complete=complete)
        case "dragon-tiger":
            for side in ("dragon", "tiger"):
                yield _hand(side, _one(facts[side]), least=1, won=winner == side, complete=complete)
        case "niu-niu":
            yield _single("head", facts["head"])
            winners = facts.get("winners") or {}
            for seat in facts.get("order") or NIU_NIU:
                hand = facts["hands"][seat]
                won = winners.get(seat) == "player"
                yield _hand(seat, hand["cards"], least=5, note=_rank(hand), won=won, complete=complete)
        case "three-cards":
            for side in ("first", "second"):
                hand = facts["hands"][side]
                yield _hand(side, hand["cards"], least=3, note=_rank(hand), won=winner == side, complete=complete)
        case "holdem":
            for side in ("player", "board", "dealer"):
                cards = facts["board"] if side == "board" else facts[side]["cards"]
                note = None if side == "board" else _rank(facts[side])
                least = 5 if side == "board" else 2
                yield _hand(side, cards, least=least, note=note, won=winner == side, complete=complete)
        case "san-gong" | "koi" | "brawl":
            for n in range(1, 7):
                yield _place(n, facts["cards"][n - 1] if len(facts["cards"]) >= n else None)
        case "andar-bahar":
            yield _single("joker", facts["joker"])
            for side in ("andar", "bahar"):
                yield _tail(side, facts["cards"][side], won=winner == side)
        case "blackjack":
            yield from _blackjack(facts)


def _blackjack(facts: Facts) -> Iterator[Hand]:
    dealer = facts["dealer"]
    yield _hand("dealer", dealer["cards"], least=0, note=_points(dealer))
    for hand in facts["hands"]:
        if hand["seat"] is None:
            yield _hand("player", hand["cards"], least=2, note=_points(hand))
            continue
        key = f"seat{hand['seat']}.h{hand['hand']}"
        slots = [
            Slot(position=position, state="lies", card=card)
            for position, card in zip(hand["positions"], hand["cards"], strict=True)
        ]
        yield Hand(hand=key, name=hand_name(key), slots=slots, note=_points(hand))
    if "community" in facts:
        yield _hand("community", [one["card"] for one in facts["community"]], least=0)


def _points(hand: Facts) -> Text | None:
    if not hand["cards"]:
        return None
    if hand.get("blackjack"):
        return say("rank", "blackjack")
    if hand.get("bust"):
        return say("rank", "bust", n=hand["total"])
    return say("rank", "soft" if hand.get("soft") else "points", n=hand["total"])


def _rank(hand: Facts) -> Text | None:
    rank = hand.get("rank")
    if rank is None:
        return None
    return say("rank", "killer") if hand.get("killer") else say("rank", str(rank))


def _hand(
    hand: str, cards: Sequence[str], *, least: int, note: Text | None = None, won: bool = False, complete: bool = False
) -> Hand:
    slots = [Slot(position=f"{hand}.{n}", state="lies", card=card) for n, card in enumerate(cards, start=1)]
    if not complete:
        slots += [Slot(position=f"{hand}.{n}", state="empty") for n in range(len(cards) + 1, least + 1)]
    return Hand(hand=hand, name=hand_name(hand), slots=slots, note=note, won=won)


def _single(hand: str, card: str | None) -> Hand:
    slot = Slot(position=hand, state="empty") if card is None else Slot(position=hand, state="lies", card=card)
    return Hand(hand=hand, name=say("place", hand), slots=[slot])


def _place(n: int, card: str | None) -> Hand:
    position = f"card.{n}"
    slot = Slot(position=position, state="empty") if card is None else Slot(position=position, state="lies", card=card)
    return Hand(hand=position, name=plain(str(n), "place"), slots=[slot])


def _tail(side: str, cards: Sequence[str], *, won: bool) -> Hand:
    left_out = max(0, len(cards) - MOST_SHOWN)
    slots = [
        Slot(position=f"{side}.{n}", state="lies", card=card) for n, card in enumerate(cards, start=1) if n > left_out
    ]
    note = say("line", "cards_dealt", n=len(cards)) if cards else None
    return Hand(hand=side, name=hand_name(side), slots=slots, note=note, won=won)


def _one(card: str | None) -> list[str]:
    return [] if card is None else [card]
