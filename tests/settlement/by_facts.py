"""A game server's settlement: every card bet of ``bets.csv`` from an outcome's facts and echoed server object alone.

Odds are read from the ``payouts`` column, so a wrong figure there shows against ``by_cards``, whose odds were taken
from the books.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from settlement.result import HALF, LOSE, NONE, PUSH, UNPRINTED, Result, net, win

Facts = dict[str, Any]
Row = dict[str, str]


def odds(payouts: str, word: str) -> str:
    """The odds of one of several prices: ``trips 1:30``, ``1:30 trips`` or ``trips 30`` between ``; , ( )``."""
    for part in re.split(r"[;,()]", payouts):
        found = re.fullmatch(r"(.+?) (?:1:)?([\d.]+)|1:([\d.]+) (.+)", part.strip())
        if found and word == (found[1] or found[4]):
            return found[2] or found[3]
    raise AssertionError(f"no odds for {word!r} in {payouts!r}")


def flat(row: Row) -> str | None:
    """The one price of a bet; None where the book prints none."""
    if "not printed" in row["payouts"]:
        return None
    found = re.match(r"(?:1:)?([\d.]+)", row["payouts"])
    assert found, row
    return found[1]


# --- baccarat


def baccarat(row: Row, facts: Facts, server: Facts) -> Result:
    bet, pays = row["bet_en"], row["payouts"]
    winner, player, banker = facts["winner"], facts["player"], facts["banker"]
    if "fortune" in bet:
        return _fortune(bet, facts, server)
    if "insurance" in bet:
        return _insurance(row, facts)
    if bet == "tie":
        return win(flat(row)) if winner == "tie" else LOSE
    if bet in ("player", "banker", "banker, commission", "banker, no commission"):
        side = bet.split(",")[0]
        if winner == "tie":
            return PUSH
        if winner != side:
            return LOSE
        halved = "no commission" in bet and banker["total"] == 6
        return win("0.5") if halved else win(flat(row) if "no commission" not in bet else "1")
    if bet.startswith(("super 6", "lucky 6")):
        if facts["lucky6"] is None:
            return LOSE
        return win(odds(pays, {2: "two cards", 3: "three cards"}[facts["lucky6"]]) if "cards" in pays else flat(row))
    if bet == "lucky 7":
        return win(odds(pays, {2: "two cards", 3: "three cards"}[facts["lucky7"]])) if facts["lucky7"] else LOSE
    if bet == "super lucky 7":
        if not facts["super_lucky7"]:
            return LOSE
        prices = pays.rsplit(" ", 1)[1].split("/")
        return win(prices[facts["super_lucky7"] - 4].removeprefix("1:"))
    if bet == "dragon 7":
        return win(flat(row)) if facts["dragon7"] else LOSE
    if bet == "panda 8":
        return win(flat(row)) if facts["panda8"] else LOSE
    if bet in ("big", "small"):
        return win(flat(row)) if (facts["cards_total"] > 4) == (bet == "big") else LOSE
    if bet == "either pair":
        return win(flat(row)) if facts["either_pair"] else LOSE
    if bet == "perfect pair":
        return win(flat(row)) if facts["perfect_pair"] else LOSE
    side, rest = bet.split(" ", 1)
    if side == "super":  # super tie n
        return win(flat(row)) if facts["tie_total"] == int(rest.split()[1]) else LOSE
    own = {"player": player, "banker": banker}[side]
    if rest.startswith("total "):
        return win(flat(row)) if own["total"] == int(rest.split()[1]) else LOSE
    if rest in ("natural", "natural win"):
        return win(flat(row)) if winner == side and own["natural"] else LOSE
    if rest == "dragon bonus":
        return _dragon_bonus(side, pays, facts)
    if rest == "pair":
        return win(flat(row)) if own["pair"] else LOSE
    kind = rest.removesuffix(" pair")
    return win(flat(row)) if own["pair"] == kind else LOSE


def _dragon_bonus(side: str, pays: str, facts: Facts) -> Result:
    if facts["natural_tie"]:
        return UNPRINTED if "natural tie not printed" in pays else PUSH
    if facts["winner"] != side:
        return LOSE
    if facts["winner_natural"]:
        return win(odds(pays, "natural win"))
    figures = re.search(r"= ([\d/]+)", pays)
    assert figures
    by_margin = dict(zip(range(9, 3, -1), figures[1].split("/"), strict=True))
    return win(by_margin[facts["margin"]]) if facts["margin"] in by_margin else LOSE


def _insurance(row: Row, facts: Facts) -> Result:
    """The row names own total against the other side's: ``庄保险(闲补牌后) 1-6 对 0``."""
    side = row["bet_en"].split()[0]
    gate = "first_four" if "before" in row["bet_en"] else "player_third"
    at_gate = facts["insurance"][gate]
    named = re.search(r" ([\d-]+) 对 ([\d-]+)$", row["bet_zh"])
    assert named
    other = {"player": "banker", "banker": "player"}[side]
    if at_gate is None or side not in at_gate["may_insure"]:
        return NONE
    if not (_within(at_gate[side], named[1]) and _within(at_gate[other], named[2])):
        return NONE
    tie_pays = {"banker": 0, "player": 9}[side] if gate == "player_third" else None
    if facts["winner"] == "tie":
        return win(flat(row)) if facts["tie_total"] == tie_pays else PUSH
    return win(flat(row)) if facts["winner"] == other else LOSE


def _within(number: int, named: str) -> bool:
    low, _, high = named.partition("-")
    return int(low) <= number <= int(high or low)


def _fortune(bet: str, facts: Facts, server: Facts) -> Result:
    """A fifth of the stake is the fee, gone whatever happens; lucky cards in the hands multiply."""
    fee = Fraction(1, 5)
    if bet.startswith("any other"):
        other = server["other"]
        stake_back, won, base, hands = False, facts["winner"] == other["bet"], other["odds"], other["hands"]
    else:
        side = bet.split()[0]
        stake_back, won, hands = facts["winner"] == "tie", facts["winner"] == side, [side]
        base = "1" if side == "player" else server["banker_odds"]
    times = Fraction(str(base))
    for hand in hands:
        for card in facts[hand]["cards"]:
            times *= server["fortune"].get(card, 1)
    if stake_back:
        return Result("push", -fee)
    return Result("win", times - fee) if won else Result("lose", -1 - fee)


# --- dragon tiger, niu niu, win three cards


def dragon_tiger(row: Row, facts: Facts, _server: Facts) -> Result:
    bet, winner = row["bet_en"], facts["winner"]
    if bet == "suited tie":
        return win(flat(row)) if facts["suited_tie"] else LOSE
    if bet == "tie":
        return win(flat(row)) if winner == "tie" else LOSE
    if " wins by " in bet:
        side, margins = bet.split(" wins by ")
        return win(flat(row)) if winner == side and _within(facts["margin"], margins) else LOSE
    if winner == "tie":
        return UNPRINTED if "commission" in bet and "no commission" not in bet else HALF
    return win(flat(row)) if winner == bet.split(",")[0] else LOSE


def niu_niu(row: Row, facts: Facts, _server: Facts) -> Result:
    found = re.fullmatch(r"(player|banker) in the duel with player (\d), (equal|double)", row["bet_en"])
    assert found
    side, seat, kind = found[1], f"p{found[2]}", found[3]
    won = facts["winners"][seat] == side
    if kind == "equal":
        return win(odds(row["payouts"], "wins")) if won else LOSE
    best = facts["hands"]["banker" if facts["winners"][seat] == "banker" else seat]["rank"]
    level = {"five_faces": 0, "bull_bull": 1, "bull_7": 2, "bull_8": 2, "bull_9": 2}.get(best, 3)
    wins, loses = row["payouts"].split("; loses: ")
    if won:
        return win(re.findall(r"1:([\d.]+)", wins)[level])
    return Result("lose", -Fraction(re.findall(r"\d+", loses)[level]))


def three_cards(row: Row, facts: Facts, _server: Facts) -> Result:
    bet, winner = row["bet_en"], facts["winner"]
    if winner == "draw":
        return PUSH
    if bet in ("gold", "silver", "dragon", "phoenix"):
        return win(flat(row)) if winner == ("first" if bet in ("gold", "dragon") else "second") else LOSE
    if bet == "better than a pair of eights":
        return win(flat(row)) if facts["nines_or_better"] else LOSE
    return win(flat(row)) if facts["hands"][winner]["rank"] == bet.replace(" ", "_") else LOSE


# --- hold'em

_POKER_PRICES = {"royal_flush": "royal", "straight_flush": "straight flush", "full_house": "full house"}


def holdem(row: Row, facts: Facts, server: Facts) -> Result:
    rank = facts["player"]["rank"]
    pays = row["payouts"]
    if row["bet_en"] == "seven-card bonus":
        if rank in ("pair", "two_pair"):
            return LOSE
        return PUSH if rank == "high" else win(odds(pays, _POKER_PRICES.get(rank, rank)))
    if not server["called"]:
        return LOSE if row["bet_en"] == "ante" else NONE
    if row["bet_en"] == "ante":
        if facts["dealer_qualifies"] and facts["winner"] != "player":
            return PUSH if facts["winner"] == "tie" else LOSE
        low = rank in ("high", "pair", "two_pair", "trips", "straight")
        return win(odds(pays, "straight or less" if low else _POKER_PRICES.get(rank, rank)))
    if not facts["dealer_qualifies"]:
        return PUSH
    return {"player": win(flat(row)), "tie": PUSH, "dealer": LOSE}[facts["winner"]]


# --- six cards


def _number(card: str) -> int:
    return "A23456789TJQK".index(card[0]) + 1


def _picked(facts: Facts, places: Iterable[int]) -> list[str]:
    return [facts["cards"][place - 1] for place in places]


def _points(cards: list[str]) -> int:
    return sum(min(_number(card), 10) for card in cards) % 10


def san_gong(row: Row, facts: Facts, server: Facts) -> Result:
    player, dealer = _picked(facts, server["player"]), _picked(facts, server["dealer"])
    if row["bet_en"] == "pair or better":
        return _san_gong_side(row, player)

    def worth(cards: list[str]) -> tuple[bool, int, int]:
        faces = sum(card[0] in "JQK" for card in cards)
        return faces == 3, _points(cards), faces

    mine, theirs = worth(player), worth(dealer)
    if row["bet_en"] == "tie":
        return win(flat(row)) if mine == theirs else LOSE
    if mine == theirs:
        return UNPRINTED if "to the stake is not printed" in row["note"] else PUSH
    if mine < theirs:
        return LOSE
    if mine[0]:
        return win(odds(row["payouts"], "three faces"))
    six = "no commission" in row["bet_en"] and mine[1] == 6
    return win(odds(row["payouts"], "win with six points") if six else flat(row))


def _san_gong_side(row: Row, cards: list[str]) -> Result:
    numbers = sorted({_number(card) for card in cards})
    in_a_row = len(numbers) == 3 and (numbers[2] - numbers[0] == 2 or numbers == [1, 12, 13])
    suited = len({card[1] for card in cards}) == 1
    for word, holds in (
        ("straight flush", in_a_row and suited),
        ("trips", len(numbers) == 1),
        ("straight", in_a_row),
        ("flush", suited),
        ("pair", len(numbers) == 2),
    ):
        if holds:
            return win(odds(row["payouts"], word))
    return LOSE


def koi(row: Row, facts: Facts, server: Facts) -> Result:
    bet = row["bet_en"]
    if bet == "carp leap":
        ranks = [card[0] for card in _picked(facts, server["carp_cards"])]
        most = max(map(ranks.count, ranks))
        return win(odds(row["payouts"], {3: "three of a kind", 4: "four of a kind"}[most])) if most > 2 else LOSE
    if bet.endswith("pair"):
        one, other = _picked(facts, server["pair_cards"])
        red = [card[1] in "HD" for card in (one, other)]
        if one[0] != other[0]:
            return LOSE
        if bet == "any pair":
            return win(odds(row["payouts"], "one colour" if red[0] == red[1] else "mixed"))
        wins = {
            "red pair": all(red),
            "black pair": not any(red),
            "one-colour pair": red[0] == red[1],
            "mixed pair": red[0] != red[1],
        }
        return win(flat(row)) if wins[bet] else LOSE

    def worth(cards: list[str]) -> int:
        return 100 + _number(cards[0]) if cards[0][0] == cards[1][0] else _points(cards)

    mine, theirs = worth(_picked(facts, server["player"])), worth(_picked(facts, server["dealer"]))
    if bet == "tie":
        return win(flat(row)) if mine == theirs else LOSE
    if mine == theirs:
        return UNPRINTED if "to the stake is not printed" in row["note"] else PUSH
    if mine < theirs:
        return LOSE
    return win("0.5" if "no commission" in bet and mine == 6 else flat(row))


def brawl(row: Row, facts: Facts, server: Facts) -> Result:
    """One stake on one of the picked cards."""
    (mine,), (theirs,) = _picked(facts, [server["bet_on"]]), _picked(facts, server["dealer"])
    ahead = _number(mine) - _number(theirs)
    if row["bet_en"] == "tie":
        return win(flat(row)) if ahead == 0 else LOSE
    if ahead == 0:
        return HALF if "no commission" in row["bet_en"] else UNPRINTED
    return win(flat(row)) if ahead > 0 else LOSE


def andar_bahar(row: Row, facts: Facts, _server: Facts) -> Result:
    bet = row["bet_en"]
    if bet.startswith("cards dealt"):
        return win(flat(row)) if facts["band"] == bet.removeprefix("cards dealt ") else LOSE
    if bet.startswith("joker"):
        word, joker = bet.removeprefix("joker "), facts["joker"]
        wins = {
            "2 to 7": joker[0] in "234567",
            "8 to K": joker[0] in "89TJQK",
            "ace": joker[0] == "A",
            "red": facts["joker_color"] == "red",
            "black": facts["joker_color"] == "black",
        }
        holds = wins[word] if word in wins else facts["joker_suit"] == word[0].upper()
        return win(flat(row)) if holds else LOSE
    if facts["winner"] != bet.split(",")[0]:
        return LOSE
    return win("0.25") if facts["first_card"] and bet == "andar, no commission" else win(flat(row))


# --- blackjack


def blackjack(row: Row, facts: Facts, server: Facts) -> Result:
    bet, dealer = row["bet_en"], facts["dealer"]
    sides = {side["seat"]: side for side in facts["sides"]}
    side = sides[server.get("seat")]
    if bet == "insurance":
        if dealer["cards"][0][0] != "A":
            return NONE
        return win(flat(row)) if dealer["blackjack"] else LOSE
    if bet == "21+3":
        words = {
            "suited_trips": "same card three times",
            "straight_flush": "straight flush",
            "trips": "trips of more than one suit",
        }
        return win(odds(row["payouts"], words.get(side["three"], side["three"]))) if side["three"] else LOSE
    if bet in ("pairs", "perfect pairs"):
        return win(odds(row["payouts"], side["pair"])) if side["pair"] else LOSE
    if bet == "super match":
        words = {"four": "four of a kind", "three": "three of a kind", "two_pair": "two pair", "pair": "one pair"}
        return win(odds(row["payouts"], words[side["four"]])) if side["four"] else LOSE
    if bet == "pot of gold":
        tokens = sum(seat == server["seat"] for kind in server["tokens"].values() for seat, _ in kind)
        return win(row["payouts"].split("1:")[1].split("/")[tokens - 1]) if tokens else LOSE
    hands = _line_hands(facts, server) if "community" in facts else _seat_hands(facts, server["seat"])
    return _main_bet(row, facts, server, hands)


def _seat_hands(facts: Facts, seat: int) -> list[Facts]:
    return [hand for hand in facts["hands"] if hand["seat"] == seat]


def _line_hands(facts: Facts, server: Facts) -> list[Facts]:
    """The followed player's hands: in a window they take its cards in order."""
    start = facts["hands"][0]
    hands, doubled, split = [list(start["cards"])], [False, False], False
    windows: dict[int, list[str]] = {}
    for entry in facts["community"]:
        windows.setdefault(entry["window"], []).append(entry["card"])
    for window, cards in windows.items():
        line = iter(cards)
        for act in (act for act in server["plays"] if act["window"] == window):
            if act["do"] == "split":
                split, hands = True, [[hands[0][0], next(line)], [hands[0][1], next(line)]]
            else:
                hands[act["hand"] - 1].append(next(line))
                doubled[act["hand"] - 1] = act["do"] == "double"
    made = []
    for number, cards in enumerate(hands, start=1):
        low = sum(min(_number(card), 10) for card in cards)
        total = low + 10 if low <= 11 and any(card[0] == "A" for card in cards) else low
        blackjack = total == 21 and len(cards) == 2 and not split
        made.append(
            {"hand": number, "origin": 1 if number == 2 else None, "cards": cards, "total": total, "bust": total > 21}
            | {"blackjack": blackjack, "doubled": doubled[number - 1], "card_count": len(cards)}
        )
    return made


def _against(hand: Facts, facts: Facts) -> int:
    """1 the hand wins, 0 the stake goes back, -1 it loses. Not for blackjacks."""
    dealer = facts["dealer"]
    if hand["bust"] or dealer["blackjack"]:
        return -1
    if dealer["total"] == 22 and facts["rules"] in ("free-bet-001", "switch-001"):
        return 0
    if dealer["bust"]:
        return 1
    return (hand["total"] > dealer["total"]) - (hand["total"] < dealer["total"])


def _main_bet(row: Row, facts: Facts, server: Facts, hands: list[Facts]) -> Result:
    bet = row["bet_en"]
    seven = facts["rules"] == "infinite-001"
    seven_wins = [hand for hand in hands if seven and hand["card_count"] >= 7 and not hand["bust"]]
    if bet == "seven-card win on the base bet":
        return net(len(seven_wins) * Fraction(flat(row) or 0)) if seven_wins else NONE
    if bet == "natural 21 on the base bet":
        naturals = [hand for hand in hands if hand["blackjack"]]
        if not naturals:
            return NONE
        stake, won = row["payouts"].split(" ")[0].split(":")
        each = Fraction(0) if facts["dealer"]["blackjack"] else Fraction(won) / Fraction(stake)
        return net(len(naturals) * each)
    tokens = server.get("tokens", {"split": [], "double": []})
    split_tokens = {number for seat, number in tokens["split"] if seat == server["seat"]}
    double_tokens = {number for seat, number in tokens["double"] if seat == server["seat"]}
    if bet.startswith("free "):
        held = double_tokens if bet.startswith("free double") else split_tokens
        mine = [hand for hand in hands if hand["hand"] in held]
        return net(Fraction(sum(_against(hand, facts) > 0 for hand in mine))) if mine else NONE
    units, counted = 0, False
    for hand in hands:
        first_only = bet == "bet behind" and not server["behind"]["splits"] and hand["hand"] != 1
        if hand["blackjack"] or hand in seven_wins or hand["hand"] in split_tokens or first_only:
            continue
        stakes = 2 if hand["doubled"] and hand["hand"] not in double_tokens else 1
        units, counted = units + stakes * _against(hand, facts), True
    return net(Fraction(units)) if counted else NONE


_GAMES: dict[str, Callable[[Row, Facts, Facts], Result]] = {
    "baccarat": baccarat,
    "dragon-tiger": dragon_tiger,
    "niu-niu": niu_niu,
    "three-cards": three_cards,
    "holdem": holdem,
    "san-gong": san_gong,
    "koi": koi,
    "brawl": brawl,
    "andar-bahar": andar_bahar,
    "blackjack": blackjack,
}


def settle(row: Row, facts: Facts, server: Facts) -> Result:
    """What becomes of one unit on the bet of ``row``."""
    game = row["game"]
    family = game if game in _GAMES else game.split("-")[0]
    return _GAMES[family](row, facts, server)
