"""The books' settlement of blackjack from the cards in the order in which they were turned and what was said between.

Knows nothing of positions: where a card lies follows from the order alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from settlement.result import LOSE, NONE, Result, net, win

if TYPE_CHECKING:
    from settlement.dealing import PlayedRound

Bets = dict[str, Result]


@dataclass
class Spot:
    cards: list[str]
    bought: bool = True
    """The player's own stake lies on it (else a token for a free split)."""
    free_double: bool = False
    paid_double: bool = False
    split: bool = False
    switched: bool = False

    def worth(self) -> int:
        """22 for a blackjack, 0 for a bust hand."""
        if len(self.cards) == 2 and best(self.cards) == 21 and not self.split and not self.switched:
            return 22
        return best(self.cards)


@dataclass
class Cloth:
    spots: dict[int, list[Spot]] = field(default_factory=dict)
    """By seat; seat 0 is the player who is followed at an infinite table."""
    firsts: dict[int, list[str]] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)


def best(cards: list[str]) -> int:
    """The best sum not over 21; 0 when there is none."""
    sums = {0}
    for card in cards:
        ways = (1, 11) if card[0] == "A" else (10,) if card[0] in "TJQK" else (int(card[0]),)
        sums = {old + way for old in sums for way in ways}
    return max((s for s in sums if s <= 21), default=0)


def _seats(told: list[tuple[str, Any]], two_spots: bool) -> Cloth:
    cloth, line = Cloth(), iter(told)
    seats = sorted(next(line)[1]["seats"])
    for seat in seats:
        cloth.spots[seat] = [Spot([]) for _ in range(2 if two_spots else 1)]

    def card() -> str:
        kind, what = next(line)
        assert kind == "card"
        return str(what)

    for turn in (1, 2):
        for seat in seats:
            for spot in cloth.spots[seat]:
                spot.cards.append(card())
        if turn == 1:
            cloth.dealer.append(card())
    for seat in seats:
        cloth.firsts[seat] = [c for spot in cloth.spots[seat] for c in spot.cards]
    for kind, what in line:
        if kind == "card":
            cloth.dealer.append(what)
            continue
        if what["action"] == "switch":
            one, other = cloth.spots[what["seat"]]
            one.cards[1], other.cards[1] = other.cards[1], one.cards[1]
            one.switched = other.switched = True
        elif what["action"] in ("hit", "double", "split"):
            spots = cloth.spots[what["seat"]]
            spot = spots[what["hand"] - 1]
            if what["action"] == "split":
                spots.append(Spot([spot.cards.pop()], bought=False, split=True))
                spot.split = True
                spot.cards.append(card())
                spots[-1].cards.append(card())
            else:
                spot.free_double = bool(what.get("free"))
                spot.paid_double = what["action"] == "double" and not spot.free_double
                spot.cards.append(card())
    return cloth


def _line(told: list[tuple[str, Any]], plays: list[dict[str, Any]]) -> Cloth:
    cloth = Cloth()
    cards = [what for kind, what in told[:3] if kind == "card"]
    cloth.firsts[0], cloth.dealer = [cards[0], cards[2]], [cards[1]]
    spots = [Spot([cards[0], cards[2]])]
    windows: dict[int, list[str]] = {}
    window = None
    for kind, what in told[3:]:
        if kind == "said":
            window = what.get("window")
        elif window is None:
            cloth.dealer.append(what)
        else:
            windows.setdefault(window, []).append(what)
    for act in plays:
        line = windows[act["window"]]
        if act["do"] == "split":
            one, other = spots[0].cards
            spots = [Spot([one, line.pop(0)], split=True), Spot([other, line.pop(0)], split=True)]
        else:
            spot = spots[act["hand"] - 1]
            spot.cards.append(line.pop(0))
            spot.paid_double = act["do"] == "double"
    cloth.spots[0] = spots
    return cloth


def _check_dealer(cloth: Cloth, soft_17: bool, most: int, all_over: bool) -> None:
    """The dealer drew exactly what the book says."""
    for n in range(2, len(cloth.dealer) + 1):
        cards = cloth.dealer[:n]
        low = sum(1 if c[0] == "A" else 10 if c[0] in "TJQK" else int(c[0]) for c in cards)
        soft = best(cards) != low and best(cards) > 0
        draws = 0 < best(cards) < 17 or (soft_17 and soft and best(cards) == 17)
        draws = draws and n < most and not all_over
        assert draws == (n < len(cloth.dealer)), cloth


def settle_blackjack(played: PlayedRound) -> Bets:
    """Every bet of the book's game, by its name."""
    kind = played.game.removeprefix("blackjack-")
    server = played.server
    seat = server.get("seat", 0)
    cloth = _line(played.told, server["plays"]) if kind == "infinite" else _seats(played.told, kind == "switch")
    every = [spot for spots in cloth.spots.values() for spot in spots]
    over = played.book == "003" and all(spot.worth() in (0, 22) for spot in every)
    _check_dealer(cloth, kind in ("free-bet", "switch"), 99 if played.book == "003" or kind == "infinite" else 8, over)
    spots = cloth.spots[seat]
    if kind in ("classic", "switch", "infinite"):
        for spot in spots:
            spot.bought = True
    bank = cloth.dealer
    dealer = 22 if len(bank) == 2 and best(bank) == 21 else best(bank)
    pushes_22 = kind in ("free-bet", "switch") and dealer == 0 and _hard(bank) == 22

    def sign(spot: Spot) -> int:
        mine = spot.worth()
        if mine == 0:
            return -1
        if pushes_22:
            return 0
        return (mine > dealer) - (mine < dealer)

    sevens = [s for s in spots if kind == "infinite" and len(s.cards) == 7 and s.worth()]
    naturals = [s for s in spots if s.worth() == 22]
    each = Fraction(0) if dealer == 22 else Fraction(1) if kind == "switch" else Fraction(3, 2)
    plain = [s for s in spots if s not in naturals and s not in sevens and s.bought]
    first, doubled = cloth.firsts[seat], [s for s in spots if s.free_double]
    split = [s for s in spots if not s.bought]
    tokens = len(doubled) + len(split)
    pot = ["3", "8", "15", "25", "50", "100", "200"]

    def base(on: list[Spot]) -> Result:
        return net(Fraction(sum((2 if s.paid_double else 1) * sign(s) for s in on))) if on else NONE

    behind = spots if server.get("behind", {}).get("splits") else spots[:1]
    three = _three(first[:2] + bank[:1])
    pair = _pair(first[:2])
    return {
        "底注": base(plain),
        "旁注": base([s for s in behind if s in plain]),
        "Blackjack": net(len(naturals) * each) if naturals else NONE,
        "保险": NONE if bank[0][0] != "A" else win("2") if dealer == 22 else LOSE,
        "7张赢": net(Fraction(2 * len(sevens))) if sevens else NONE,
        "21+3": win(three) if three else LOSE,
        "对子": win(pair) if pair else LOSE,
        "完美对子": win(pair) if pair else LOSE,
        "免费加倍": net(Fraction(sum(sign(s) > 0 for s in doubled))) if doubled else NONE,
        "免费分牌": net(Fraction(sum(sign(s) > 0 for s in split))) if split else NONE,
        "聚宝盘": win(pot[tokens - 1]) if tokens else LOSE,
        "超级配对": _match(first),
    }


def _hard(cards: list[str]) -> int:
    return sum(1 if c[0] == "A" else 10 if c[0] in "TJQK" else int(c[0]) for c in cards)


def _pair(cards: list[str]) -> str | None:
    (rank, suit), (other_rank, other_suit) = cards
    if rank != other_rank:
        return None
    return "25" if suit == other_suit else "12" if (suit in "HD") == (other_suit in "HD") else "6"


def _three(cards: list[str]) -> str | None:
    ranks, suits = {c[0] for c in cards}, {c[1] for c in cards}
    if len(ranks) == 1:
        return "100" if len(suits) == 1 else "30"
    row = any(ranks == set("A23456789TJQKA"[i : i + 3]) for i in range(12))
    if len(suits) == 1:
        return "40" if row else "5"
    return "10" if row else None


def _match(cards: list[str]) -> Result:
    if len(cards) != 4:
        return NONE
    pairs = sum(cards[i][0] == cards[j][0] for i in range(4) for j in range(i))
    return {6: win("30"), 3: win("3"), 2: win("7"), 1: win("1"), 0: LOSE}[pairs]
