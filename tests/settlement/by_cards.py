"""The books' settlement from the dealt cards alone: no facts, nothing of the station's code.

``settle_round`` gives every bet that a book prints for a game, under the book's own name of it. Odds and rules
were taken from the five books, not from ``bets.csv``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from settlement.baccarat_by_cards import baccarat
from settlement.blackjack_by_cards import settle_blackjack
from settlement.cards import NUMBER, pair_name, points, won_if
from settlement.dealing import PlayedRound
from settlement.result import HALF, LOSE, NONE, PUSH, UNPRINTED, Result, win

Bets = dict[str, Result]


# --- dragon tiger


def dragon_tiger(played: PlayedRound) -> Bets:
    dragon, tiger = played.cards[-2:]
    lead = NUMBER[dragon[0]] - NUMBER[tiger[0]]
    bets: Bets = {"和": won_if(lead == 0, "11" if played.book == "001" else "8")}
    if played.book != "001":
        return bets | {
            "龙": HALF if lead == 0 else won_if(lead > 0, "1"),
            "虎": HALF if lead == 0 else won_if(lead < 0, "1"),
        }
    for name, ahead in (("龙", lead), ("虎", -lead)):
        bets[f"{name}（非免佣模式）"] = UNPRINTED if lead == 0 else won_if(ahead > 0, "0.95")
        bets[f"{name}（免佣模式）"] = HALF if lead == 0 else won_if(ahead > 0, "1")
        for low, high, odds in ((1, 4, "2"), (5, 7, "5"), (8, 10, "9"), (11, 12, "30")):
            bets[f"{name}胜点数 {low}-{high}"] = won_if(low <= ahead <= high, odds)
    return bets | {"同花和局": won_if(dragon == tiger, "50")}


# --- niu niu


def niu_niu(played: PlayedRound) -> Bets:
    head, rest = played.cards[0], played.cards[1:]
    seats = ["庄", "1", "2", "3"]
    if played.order == "deal":
        table = {"A59K": "庄123", "26T": "123庄", "37J": "23庄1", "48Q": "3庄12"}
        seats = list(next(order for ranks, order in table.items() if head[0] in ranks))
    hands = {seat: rest[5 * i : 5 * i + 5] for i, seat in enumerate(seats)}
    bets: Bets = {}
    banker = _bull(hands["庄"])
    for seat in "123":
        player = _bull(hands[seat])
        best = max(banker, player)[0]
        times = {11: "5", 10: "3", 9: "2", 8: "2", 7: "2"}.get(best, "1")
        double = {"5": "4.75", "3": "2.85", "2": "1.90", "1": "0.95"}[times]
        for name, won in ((f"闲{seat}", player > banker), (f"庄{seat}", banker > player)):
            bets[f"{name} 平倍"] = won_if(won, "0.95")
            bets[f"{name} 翻倍"] = win(double) if won else Result("lose", -Fraction(times))
    return bets


def _bull(hand: list[str]) -> tuple[int, int, int]:
    """Points (11 five faces, 10 bull-bull, 0 none), highest card, its suit. A bull is there when two cards' sum has
    the last digit of the whole hand's."""
    values = [min(NUMBER[card[0]], 10) for card in hand]
    digit = sum(values) % 10
    bull = any((values[i] + values[j]) % 10 == digit for i in range(5) for j in range(i))
    points = 11 if all(card[0] in "JQK" for card in hand) else (digit or 10) if bull else 0
    top = max((NUMBER[card[0]], "♦♣♥♠".index({"S": "♠", "H": "♥", "C": "♣", "D": "♦"}[card[1]])) for card in hand)
    return points, *top


# --- win three cards


def three_cards(played: PlayedRound) -> Bets:
    cards = played.cards
    places = {"deal": ([0, 2, 4], [1, 3, 5]), "reveal": ([0, 1, 4], [2, 3, 5]), "by_hand": ([0, 1, 2], [3, 4, 5])}
    first, second = ([cards[i] for i in hand] for hand in places[played.order])
    one, other = _three(first), _three(second)
    killers = [_killer(first), _killer(second)]
    if killers[0] and other[0] == 6:
        sign = 1
    elif killers[1] and one[0] == 6:
        sign = -1
    else:
        one = (0, []) if killers[0] else one
        other = (0, []) if killers[1] else other
        sign = (one > other) - (one < other)
    names, even = (("金", "银"), "0.95") if played.book == "002" else (("龙", "凤"), "0.97")
    if sign == 0:
        return dict.fromkeys([*names, "对8以上", "顺子", "同花", "同花顺", "豹子"], PUSH)
    level, ties = _three(first if sign > 0 else second)
    return {
        names[0]: won_if(sign > 0, even),
        names[1]: won_if(sign < 0, even),
        "对8以上": won_if(level > 2 or (level == 2 and ties[0] > 8), "2"),
        "顺子": won_if(level == 3, "7"),
        "同花": won_if(level == 4, "8"),
        "同花顺": won_if(level == 5, "100"),
        "豹子": won_if(level == 6, "120"),
    }


def _killer(hand: list[str]) -> bool:
    return {card[0] for card in hand} == set("532") and len({card[1] for card in hand}) != 1


def _three(hand: list[str]) -> tuple[int, list[int]]:
    """6 trips, 5 straight flush, 4 flush, 3 straight, 2 pair, 1 high; then what decides."""
    high = sorted(("23456789TJQKA".index(card[0]) + 2 for card in hand), reverse=True)
    flush = hand[0][1] == hand[1][1] == hand[2][1]
    row = high == [14, 3, 2] or (high[0] - high[1] == 1 and high[1] - high[2] == 1)
    if high[0] == high[2]:
        return 6, high
    if row:
        return (5 if flush else 3), ([3] if high == [14, 3, 2] else [high[0]])
    if flush:
        return 4, high
    if high[1] in (high[0], high[2]):
        return 2, [high[1], high[0] + high[2] - high[1]]
    return 1, high


# --- double-win hold'em


def holdem(played: PlayedRound) -> Bets:
    c = played.cards
    if played.order == "reveal":
        player, board, dealer = c[:2], c[2:5] + c[7:], c[5:7]
    else:
        player, dealer, board = c[:2], c[2:4], c[4:]
    mine, theirs = _seven(player + board), _seven(dealer + board)
    plays = theirs[0] > 1 or (theirs[0] == 1 and theirs[1][0] >= 4)
    sign = (mine > theirs) - (mine < theirs)
    ante = {9: "100", 8: "20", 7: "10", 6: "3", 5: "2"}.get(mine[0], "1")
    if not played.server["called"]:
        main = {"底注": LOSE, "跟注": NONE}
    elif not plays:
        main = {"底注": win(ante), "跟注": PUSH}
    else:
        main = (
            {"底注": win(ante), "跟注": win("1")}
            if sign > 0
            else dict.fromkeys(("底注", "跟注"), LOSE if sign else PUSH)
        )
    bonus = {9: "100", 8: "50", 7: "25", 6: "8", 5: "5", 4: "3", 3: "1"}
    seven = PUSH if mine[0] == 0 else won_if(mine[0] in bonus, bonus.get(mine[0]))
    return main | {"七张彩": seven}


def _seven(cards: list[str]) -> tuple[int, list[int]]:
    """The best of seven cards, found by counting: 9 royal, 8 straight flush, 7 quads … 1 pair, 0 high; then ties."""
    values = [("23456789TJQKA".index(card[0]) + 2, card[1]) for card in cards]
    for suit in "SHCD":
        suited = sorted({n for n, s in values if s == suit}, reverse=True)
        if len(suited) >= 5:
            top = _run(set(suited))
            if top:
                return (9, []) if top == 14 else (8, [top])
            flush = suited[:5]
            break
    else:
        flush = []
    numbers = [n for n, _ in values]
    by_count = {k: sorted({n for n in numbers if numbers.count(n) == k}, reverse=True) for k in (1, 2, 3, 4)}
    rest = sorted(set(numbers), reverse=True)
    if by_count[4]:
        quad = by_count[4][0]
        return 7, [quad, next(n for n in rest if n != quad)]
    if by_count[3] and (len(by_count[3]) > 1 or by_count[2]):
        trip = by_count[3][0]
        return 6, [trip, max(by_count[3][1:] + by_count[2])]
    if flush:
        return 5, flush
    top = _run(set(numbers))
    if top:
        return 4, [top]
    if by_count[3]:
        return 3, [by_count[3][0], *[n for n in rest if n != by_count[3][0]][:2]]
    if len(by_count[2]) > 1:
        high, low = by_count[2][:2]
        return 2, [high, low, next(n for n in rest if n not in (high, low))]
    if by_count[2]:
        return 1, [by_count[2][0], *[n for n in rest if n != by_count[2][0]][:3]]
    return 0, rest[:5]


def _run(numbers: set[int]) -> int:
    """The top of the highest five in a row, the ace low too; 0 where there are none."""
    low = numbers | ({1} if 14 in numbers else set())
    return next((top for top in range(14, 4, -1) if all(top - i in low for i in range(5))), 0)


# --- six cards


def san_gong(played: PlayedRound) -> Bets:
    player = [played.cards[i - 1] for i in played.server["player"]]
    dealer = [card for i, card in enumerate(played.cards, 1) if i not in played.server["player"]]

    def order(hand: list[str]) -> int:
        """三公 > 双公9 > 单公9 > 无公9 > 双公8 > … as one number."""
        faces = sum(card[0] in "KQJ" for card in hand)
        return 1000 if faces == 3 else points(hand) * 10 + faces

    mine, theirs = order(player), order(dealer)
    level, _ = _three(player)
    side = {5: "40", 6: "30", 3: "6", 4: "3", 2: "1"}.get(level)

    def ante(usual: str) -> Result:
        if mine == theirs:
            return UNPRINTED
        return won_if(mine > theirs, "1.5" if mine == 1000 else usual)

    return {
        "底注（非免佣模式）": ante("0.95"),
        "底注（免佣模式）": ante("0.5" if mine // 10 == 6 else "1"),
        "和": won_if(mine == theirs, "18"),
        "对子以上": won_if(side is not None, side),
    }


def koi(played: PlayedRound) -> Bets:
    def hand(name: str) -> list[str]:
        return [played.cards[i - 1] for i in played.server[name]]

    def order(cards: list[str]) -> int:
        return 10 + NUMBER[cards[0][0]] if cards[0][0] == cards[1][0] else points(cards)

    mine, theirs = order(hand("player")), order(hand("dealer"))
    kind = pair_name(hand("pair_cards"))
    one_colour = kind in ("同色", "完美")
    red = one_colour and hand("pair_cards")[0][1] in "HD"
    groups: dict[str, int] = {}
    for card in hand("carp_cards"):
        groups[card[0]] = groups.get(card[0], 0) + 1
    most = max(groups.values())
    return {
        "底注（非免佣模式）": UNPRINTED if mine == theirs else won_if(mine > theirs, "0.95"),
        "底注（免佣模式）": UNPRINTED if mine == theirs else won_if(mine > theirs, "0.5" if mine == 6 else "1"),
        "和": won_if(mine == theirs, "8"),
        "鲤躍龙门": won_if(most > 2, {3: "30", 4: "1000"}.get(most)),
        "红色对子": won_if(red, "75"),
        "黑色对子": won_if(one_colour and not red, "75"),
        "单色对子": won_if(one_colour, "40"),
        "混色对子": won_if(kind == "混色", "20"),
        "任何对子": won_if(kind != "", "16" if one_colour else "10"),
    }


def brawl(played: PlayedRound) -> Bets:
    mine = NUMBER[played.cards[played.server["bet_on"] - 1][0]]
    theirs = NUMBER[played.cards[played.server["dealer"][0] - 1][0]]
    return {
        "底注（非免佣模式）": UNPRINTED if mine == theirs else won_if(mine > theirs, "0.95"),
        "底注（免佣模式）": HALF if mine == theirs else won_if(mine > theirs, "1"),
        "和": won_if(mine == theirs, "8"),
    }


# --- andar bahar


def andar_bahar(played: PlayedRound) -> Bets:
    joker, *dealt = played.cards
    hits = [i for i, card in enumerate(dealt, 1) if card[0] == joker[0]]
    assert hits == [len(dealt)]
    count = len(dealt)
    andar = count % 2 == 1
    bets = {
        "安达（非免佣模式）": won_if(andar, "0.9"),
        "安达（免佣模式）": won_if(andar, "0.25" if count == 1 else "1"),
        "巴哈": won_if(not andar, "1"),
        "小丑牌 2-7": won_if(joker[0] in "765432", "1"),
        "小丑牌 8-K": won_if(joker[0] in "KQJT98", "1"),
        "小丑牌 Ace": won_if(joker[0] == "A", "11"),
        "颜色 红色": won_if(joker[1] in "HD", "0.9"),
        "颜色 黑色": won_if(joker[1] in "SC", "0.9"),
        "41 张或以上": won_if(count >= 41, "100"),
    }
    for name, suit in (("黑桃", "S"), ("红桃", "H"), ("梅花", "C"), ("方块", "D")):
        bets[f"花色 {name}"] = won_if(joker[1] == suit, "2.8")
    for low, high, odds in (
        (1, 5, "2"),
        (6, 10, "3"),
        (11, 15, "4"),
        (16, 25, "3"),
        (26, 30, "12"),
        (31, 35, "20"),
        (36, 40, "45"),
    ):
        bets[f"发牌总数 {low}-{high} 张"] = won_if(low <= count <= high, odds)
    return bets


_GAMES: dict[str, Callable[[PlayedRound], Bets]] = {
    "dragon-tiger": dragon_tiger,
    "niu-niu": niu_niu,
    "three-cards": three_cards,
    "holdem": holdem,
    "san-gong": san_gong,
    "koi": koi,
    "brawl": brawl,
    "andar-bahar": andar_bahar,
}


def settle_round(played: PlayedRound) -> Bets:
    """Every bet of the book's game, by the book's name of it."""
    family = played.game.split("-")[0]
    if family == "baccarat":
        return baccarat(played)
    if family == "blackjack":
        return settle_blackjack(played)
    return _GAMES[played.game](played)
