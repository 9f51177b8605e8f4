"""The books' settlement of baccarat from the cards in the order in which they were turned (see ``by_cards``)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from settlement.cards import pair_name, points, won_if
from settlement.result import LOSE, NONE, PUSH, UNPRINTED, Result, win

if TYPE_CHECKING:
    from settlement.dealing import PlayedRound

Bets = dict[str, Result]


_DRAWS = ["YYYYYYYYYY", "YYYYYYYYYY", "YYYYYYYYYY", "YYYYYYYYNY", "NNYYYYYYNN", "NNNNYYYYNN", "NNNNNNYYNN"]
"""Banker's 0 to 6 (line) against the player's third card 0 to 9 (column), as 002 and 003 print it."""

_DRAGON = {
    "000": "30 10 5 3 2 1",
    "001": "20 8 5 4 2 1",
    "002": "30 10 5 3 2 1",
    "003": "30 10 5 3 2 1",
    "004": "30 15 6 3 2 1",
}


def _split_hands(cards: list[str], order: str) -> tuple[list[str], list[str]]:
    one, two, three, four = cards[:4]
    player, banker = ([one, three], [two, four]) if order == "deal" else ([one, two], [three, four])
    rest = cards[4:]
    if rest and points(player) <= 5:
        player.append(rest.pop(0))
    if rest:
        banker.append(rest.pop(0))
    assert not rest
    return player, banker


def baccarat(played: PlayedRound) -> Bets:
    player, banker = _split_hands(played.cards, played.order)
    p2, b2 = points(player[:2]), points(banker[:2])
    stopped = max(p2, b2) >= 8
    assert (len(player) == 3) == (not stopped and p2 < 6)
    if len(player) == 3:
        assert (len(banker) == 3) == (b2 < 7 and _DRAWS[b2][points(player[2:])] == "Y")
    else:
        assert (len(banker) == 3) == (not stopped and b2 < 6)
    p, b = points(player), points(banker)
    if played.game == "baccarat-insurance":
        return _insurances(p2, b2, player, p, b)
    if played.game == "baccarat-fortune":
        return _fortunes(played.server, player, banker, p, b)
    return _baccarat_bets(played.book, played.game, player, banker, p, b)


def _baccarat_bets(book: str, game: str, player: list[str], banker: list[str], p: int, b: int) -> Bets:
    count = len(player) + len(banker)
    free, commission = win("0.5" if b == 6 else "1"), win("0.95")
    tie = p == b
    banker_free = PUSH if tie else free if b > p else LOSE
    banker_pays = PUSH if tie else commission if b > p else LOSE
    player_pays = PUSH if tie else won_if(p > b, "1")
    pairs = pair_name(player), pair_name(banker)
    six = b == 6 and b > p
    lucky6 = won_if(six, "12" if len(banker) == 2 else "20")
    dragon_banker, dragon_player = _dragons(book, player, banker, p, b)
    common = {
        "闲": player_pays,
        "闲家": player_pays,
        "和": won_if(tie, "8"),
        "和局": won_if(tie, "8"),
        "庄对": won_if(pairs[1] != "", "11"),
        "闲对": won_if(pairs[0] != "", "11"),
        "庄对子": won_if(pairs[1] != "", "11"),
        "闲对子": won_if(pairs[0] != "", "11"),
        "庄龙宝": dragon_banker,
        "闲龙宝": dragon_player,
        "庄 (百家乐)": banker_pays,
        "庄 (免佣百家乐)": banker_free,
        "庄家 (百家乐)": banker_pays,
        "庄家 (免佣百家乐)": banker_free,
        "任意对子": won_if(pairs != ("", ""), "5"),
        "任何对子": won_if(pairs != ("", ""), "5"),
        "完美对子": won_if("完美" in pairs, "25"),
        "熊猫8": won_if(len(player) == 3 and p == 8 and p > b, "25"),
        "龙7": won_if(len(banker) == 3 and b == 7 and b > p, "40"),
        "超级六": won_if(six, "12") if game == "baccarat-squeeze" else lucky6,
    }
    naturals = {
        "庄": won_if(len(banker) == 2 and b >= 8 and b > p, "4"),
        "闲": won_if(len(player) == 2 and p >= 8 and p > b, "4"),
    }
    if book == "000":
        return common | {
            "庄家（免佣）": banker_free,
            "庄家（非免佣）": banker_pays,
            "幸运6": lucky6,
            "幸运7": won_if(p == 7 and p > b, "6" if len(player) == 2 else "15"),
            "超级幸运7": won_if(p == 7 and b == 6, {4: "30", 5: "40", 6: "100"}[count]),
            "超级6": win(None) if six else LOSE,
            "大": won_if(count >= 5, "0.5"),
            "小": won_if(count == 4, "1.5"),
            "庄例牌": naturals["庄"],
            "闲例牌": naturals["闲"],
        }
    if book == "001":
        bets = common | {
            "庄 (非免佣模式)": banker_pays,
            "庄 (免佣模式)": banker_free,
            "超6 (免佣模式)": lucky6,
            "大": won_if(count >= 5, "0.48"),
            "小": won_if(count == 4, "1.34"),
            "龙7赢": common["龙7"],
            "熊猫8赢": common["熊猫8"],
            "庄例牌赢": naturals["庄"],
            "闲例牌赢": naturals["闲"],
        }
        for kind, pays in (("混色", "5"), ("同色", "12"), ("完美", "25")):
            bets |= {f"闲{kind}对子": won_if(pairs[0] == kind, pays), f"庄{kind}对子": won_if(pairs[1] == kind, pays)}
        banker_totals = ["8", "10.5", "10.5", "10.5", "7.5", "7.5", "5.5", "5.5", "5.5", "5.5"]
        player_totals = ["8", "10.5", "10.5", "10.5", "9.5", "9.5", "5.5", "5.5", "5.5", "5.5"]
        for n in range(10):
            bets |= {f"庄总点数{n}": won_if(b == n, banker_totals[n]), f"闲总点数{n}": won_if(p == n, player_totals[n])}
        return bets
    if book == "002":
        ties = ["125", "180", "190", "170", "100", "90", "40", "40", "70", "70"]
        return common | {f"超级和{n}": won_if(tie and p == n, ties[n]) for n in range(10)}
    if book == "003":
        return common | {"大": won_if(count >= 5, "0.5"), "小": won_if(count == 4, "1.5")}
    unpriced = {
        "莊": PUSH if tie else won_if(b > p, None),
        "閒": PUSH if tie else won_if(p > b, None),
        "和": won_if(tie, None),
        "幸運六": won_if(six, None),
        "莊對": won_if(pairs[1] != "", None),
        "閒對": won_if(pairs[0] != "", None),
    }
    return common | unpriced


def _dragons(book: str, player: list[str], banker: list[str], p: int, b: int) -> tuple[Result, Result]:
    prices = dict(zip((9, 8, 7, 6, 5, 4), _DRAGON[book].split(), strict=True))
    natural = {"p": len(player) == 2 and p >= 8, "b": len(banker) == 2 and b >= 8}
    if p == b and natural["p"] and natural["b"]:
        both = UNPRINTED if book == "004" else PUSH
        return both, both

    def side(me: str, lead: int) -> Result:
        if lead > 0 and natural[me]:
            return win("1")
        return won_if(lead in prices, prices.get(lead))

    return side("b", b - p), side("p", p - b)


def _insurances(p2: int, b2: int, player: list[str], p: int, b: int) -> Bets:
    """003: (own totals, other's totals, odds) by window; the bet is against one's own side."""
    bets: Bets = {}

    def lines(side: str, window: str, mine: int, other: int, table: str) -> None:
        for line in table.split("|"):
            mine_range, other_range, odds = line.split()
            name = f"{side}保险({window}) {mine_range} 对 {other_range}"
            if not (_in(mine, mine_range) and _in(other, other_range)):
                bets[name] = NONE
            elif p == b:
                special = {"庄": 0, "闲": 9}[side]
                bets[name] = win(odds) if window == "闲补牌后" and p == special else PUSH
            else:
                bets[name] = won_if((p > b) == (side == "庄"), odds)

    drew = len(player) == 3
    lines("庄", "闲补牌前", b2, p2, "5 0-4 2|6 0-5 3|7 0-5 4")
    lines("闲", "闲补牌前", p2, b2, "5 4 2|6 0-5 3|7 0-5 4")
    after = points(player) if drew else 99
    lines("庄", "闲补牌后", b2 if drew else 99, after, "1 1 7|1-6 0 9|2-6 1 8|3-6 2 4|4 3 2")
    lines("闲", "闲补牌后", after, b2, "5 0-4 2|6 0-5 3|7 0-6 4|8 0-6 8|9 0-6 9")
    return bets


def _in(total: int, printed: str) -> bool:
    return total in range(int(printed[0]), int(printed[-1]) + 1)


def _fortunes(server: dict[str, Any], player: list[str], banker: list[str], p: int, b: int) -> Bets:
    def result(state: int, hands: list[list[str]], base: str) -> Result:
        times = Fraction(base)
        for card in [card for hand in hands for card in hand if card in server["fortune"]]:
            times *= server["fortune"][card]
        units = {1: times, 0: Fraction(0), -1: Fraction(-1)}[state] - Fraction("0.2")
        return Result({1: "win", 0: "push", -1: "lose"}[state], units)

    sign = (p > b) - (p < b)
    assert server["other"]["bet"] == "tie"
    return {
        "闲 (财神)": result(sign, [player], "1"),
        "庄 (财神)": result(-sign, [banker], server["banker_odds"]),
        "其他注项 (财神)": result(1 if sign == 0 else -1, [player, banker], str(server["other"]["odds"])),
    }
