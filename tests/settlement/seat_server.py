"""A game server for blackjack with seats: decides at random for every hand, and keeps what a settlement needs."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from dealer_daemon.games.cards.procedure import ExpectDue, ExpectStep, History, Procedure

Decide = Callable[[Procedure, History], dict[str, Any]]


def start(rng: random.Random, rules: str) -> tuple[Decide, dict[str, Any]]:
    """The server's decisions for one round, and the object that it hands over with them."""
    seats = sorted(rng.sample(range(1, 8), rng.randint(1, 3)))
    tokens: dict[str, list[list[int]]] = {"split": [], "double": []}
    server: dict[str, Any] = {
        "seat": rng.choice(seats),
        "tokens": tokens,
        "behind": {"splits": rng.random() < 0.5},
    }
    eager = rng.random() < 0.6

    def accepted(procedure: Procedure, history: History, args: dict[str, Any]) -> bool:
        return isinstance(procedure.expect(history, args), ExpectStep)

    def wishes(procedure: Procedure, history: History) -> list[dict[str, Any]]:
        hands = procedure.seen(history)["hands"]
        rng.shuffle(hands)
        wanted = []
        for hand in hands:
            where = {"seat": hand["seat"], "hand": hand["hand"]}
            alone = sum(other["seat"] == hand["seat"] for other in hands) == 1
            doubles = [{"action": "double", **where, "free": True}] if rules == "free-bet-001" else []
            if rules != "free-bet-001" or alone:
                doubles.append({"action": "double", **where})
            wanted.append([{"action": "split", **where}, *doubles[: 1 if eager else 2], {"action": "hit", **where}])
        chosen = [action for actions in wanted for action in actions if eager or rng.random() < 0.5]
        chosen.sort(key=lambda action: action["action"] != "split")
        if rules == "switch-001" and rng.random() < 0.3:
            chosen.insert(0, {"action": "switch", "seat": rng.choice(seats)})
        return chosen

    def decide(procedure: Procedure, history: History) -> dict[str, Any]:
        due = procedure.due(history)
        assert isinstance(due, ExpectDue)
        if due.actions == ("seats",):
            return {"action": "seats", "seats": seats}
        if rng.random() < 0.9:
            for args in wishes(procedure, history):
                if args["action"] == "hit" and rng.random() < 0.4:
                    args = {**args, "action": "stand"}
                if accepted(procedure, history, args):
                    remember(procedure, history, args)
                    return args
        return {"action": "done"}

    def remember(procedure: Procedure, history: History, args: dict[str, Any]) -> None:
        if rules != "free-bet-001":
            return
        if args["action"] == "split":
            seat_hands = [h for h in procedure.seen(history)["hands"] if h["seat"] == args["seat"]]
            tokens["split"].append([args["seat"], len(seat_hands) + 1])
        elif args.get("free"):
            tokens["double"].append([args["seat"], args["hand"]])

    return decide, server
