"""What servers, dealers and managers say at a table, sensible or not; and what readers of cards say."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.games.cards.card import DECK
from fuzz.noise import changed, odd
from hw_sim.shoe.telegrams import SEQUENCE, TO_BANKER, TO_PLAYER, card_bytes, telegram
from support.driver_examples.barcode_camera import card as seen_by_camera
from support.keys import ENTER, events, press, typed
from support.umockdev import hid_report

RANKS = "A23456789TJQK"

POSITIONS = ("player.1", "banker.1", "banker.3", "dragon.1", "head", "p1.5", "joker", "andar.1", "board.4", "burn",
             "seat1.h1.1", "seat1.h2.2", "dealer.1", "first.1", "second.3")  # fmt: skip
GATES = ("call", "second_bets", "reveal", "squeeze", "")
ACTIONS = ("seats", "hit", "stand", "double", "split", "switch", "done", "community")
MANAGERS = (CommandName.ROUND_VOID, CommandName.OUTCOME_CORRECT, CommandName.TABLE_RESUME, CommandName.CARD_CORRECT,
            CommandName.ATTEMPT_DECIDE, CommandName.ENTRY_ALLOW)  # fmt: skip


def card(rng: Random) -> str:
    """A card's name."""
    return str(rng.choice(DECK))


def command(rng: Random) -> list[list[Any]]:
    """One command with what it needs; now and then by the wrong person, or with something odd in it."""
    name = rng.choice((*CommandName, CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE, CommandName.CARD_EXPECT,
                       CommandName.TABLE_RESUME, CommandName.GATE_OPEN))  # fmt: skip
    role = Role.MANAGER if name in MANAGERS or rng.random() < 0.3 else Role.SERVER
    if name in (CommandName.ATTEMPT_CONFIRM, CommandName.DECK_VERIFY, CommandName.DECK_INSERT):
        role = Role.DEALER
    if rng.random() < 0.05:
        role = rng.choice(list(Role))
    args = _arguments(name, rng)
    if rng.random() < 0.25:
        args = changed(args, rng) if args else {"reason": odd(rng)}
    steps: list[list[Any]] = [["cmd", str(name), str(role), args]]
    if rng.random() < 0.3:
        steps.append(["wait", rng.choice((0.1, 2.0, 30.0))])
    return steps


def _arguments(name: CommandName, rng: Random) -> dict[str, Any]:
    args: dict[str, Any] = {"reason": "video"} if rng.random() < 0.85 else {}
    if rng.random() < 0.6:
        args["round"] = "$round"
    match name:
        case CommandName.GATE_OPEN:
            args |= {"gate": rng.choice(("$gate", "$gate", "$gate", *GATES)), "void": rng.random() < 0.2}
        case CommandName.CARD_EXPECT:
            args = _expect(rng)
        case CommandName.CARD_CORRECT:
            args |= {"position": rng.choice(("$due", *POSITIONS)), "card": card(rng)}
        case CommandName.OUTCOME_CORRECT:
            args |= _facts(rng) | {"replaces": rng.choice(("$last", "$last", 1, 3))}
        case CommandName.ATTEMPT_DECIDE:
            args |= _facts(rng) | rng.choice(({}, {"position": "$due", "card": card(rng)}))
        case CommandName.SHOE_CHANGE | CommandName.DECK_VERIFY | CommandName.DECK_INSERT:
            args |= {"deck_set": rng.choice(("red", "blue", "set-1")), "action": rng.choice(("start", "end", "cancel"))}
        case CommandName.EVENTS_RESEND:
            args = {"from": rng.choice((1, 2, 40))}
        case _ if rng.random() < 0.3:
            args["server"] = {"lucky": [card(rng)], "multiplier": rng.choice((2, 2.5, 10**20, -0.0))}
    return args


def _expect(rng: Random) -> dict[str, Any]:
    action = rng.choice((f"$action{rng.randrange(9)}", f"$action{rng.randrange(9)}", rng.choice(ACTIONS)))
    seat, hand = rng.choice((1, 1, 1, 2, 5)), rng.choice((1, 1, 2))
    whole = {"action": action, "seats": sorted(rng.sample(range(1, 4), rng.randrange(4))), "seat": seat, "hand": hand}
    wanted = rng.choice(
        (("seats",), ("seat", "hand"), ("seat", "hand"), ("seat",), (), ("count", "hands"), tuple(whole))
    )
    return {"action": action} | {key: whole.get(key, rng.randrange(-1, 6)) for key in wanted}


def _facts(rng: Random) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "number": str(rng.randrange(38)),
        "dice": [rng.randrange(1, 7) for _ in range(3)],
        "segment": rng.randrange(53),
        "color": rng.choice(("red", "yellow", "green", "x")),
        "remainder": rng.randrange(6),
        "cards": {position: card(rng) for position in rng.sample(POSITIONS, rng.randrange(1, 8))},
        "expects": [_expect(rng) for _ in range(rng.randrange(4))],
        "winner": rng.choice(("player", "tie", "andar")),
    }
    said = {key: value for key, value in facts.items() if rng.random() < 0.8}
    return {key: odd(rng) if rng.random() < 0.15 else value for key, value in said.items()}


def read_by(driver: str, card: str, position: str | None, number: int) -> list[bytes]:
    """What a reader of cards says when this one passes it; nothing for other devices. ``number`` counts cards."""
    match driver:
        case "barcode-serial":
            return [f"{card}\r\n".encode()]
        case "barcode-hidpos":
            return [hid_report(card.encode())]
        case "barcode-keyboard":
            return [events([*typed(card), *press(ENTER)])]
        case "barcode-camera":
            return seen_by_camera(10 * number, card)
        case "angel-eye":
            hand, _, place = (position or "player.1").partition(".")
            side = TO_BANKER if hand == "banker" else TO_PLAYER
            where = card_bytes(side, int(place) if place.isdigit() else 1, RANKS.index(card[0]) + 1, card[1])
            return [telegram(SEQUENCE[number % len(SEQUENCE)], "D", where)]
    return []


def keyed_in(game: str, round_id: str | None, number: int) -> bytes:
    """A line of a table's screen: the result that a dealer keys in."""
    results: dict[str, dict[str, Any]] = {
        "roulette": {"number": str(number % 37)},
        "sic-bo": {"dice": [1 + number % 6, 2, 3]},
        "rainbow-wheel": {"segment": number % 52},
        "fan-tan": {"remainder": 1 + number % 4},
    }
    return json.dumps({"by": "dealer 7", "round": round_id, "result": results.get(game, {"x": 1})}).encode() + b"\n"
