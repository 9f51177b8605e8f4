"""A game server for infinite blackjack: follows one player; others draw from the same line now and then.

``plays`` says what that player did in each decision window. In a window his hands take its cards in order: one each
for a hit or a double, two for a split (the first to hand 1, the second to hand 2).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from dealer_daemon.games.cards.procedure import ExpectStep, History, Procedure

Decide = Callable[[Procedure, History], dict[str, Any]]

_TEN = "TJQK"


def _points(rank: str) -> int:
    return 10 if rank in _TEN else 1 if rank == "A" else int(rank)


def _total(hand: list[str]) -> int:
    low = sum(_points(card[0]) for card in hand)
    return low + 10 if low <= 11 and any(card[0] == "A" for card in hand) else low


class Server:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.plays: list[dict[str, Any]] = []
        self._hands: list[list[str]] = []
        self._open: list[bool] = []
        self._window = 0
        self._takers: list[int] = []
        """Hands that wait for a card of this window, in order."""
        self._seen = 0
        self._keen = rng.random()

    def decide(self, procedure: Procedure, history: History) -> dict[str, Any]:
        seen = procedure.seen(history)
        if not self._hands:
            self._hands, self._open = [list(seen["hands"][0]["cards"])], [True]
        self._take([entry["card"] for entry in seen["community"]][self._seen :])
        self._seen = len(seen["community"])
        if self._takers:
            return {"action": "community", "window": self._window}
        again = {"action": "community", "window": self._window}
        if self._window and self._rng.random() < 0.1 and isinstance(procedure.expect(history, again), ExpectStep):
            return again
        self._play(self._window + 1)
        following = {"action": "community", "window": self._window + 1}
        somebody = self._rng.random() < 0.2 and isinstance(procedure.expect(history, following), ExpectStep)
        if self._takers or somebody:
            self._window += 1
            return following
        return {"action": "done"}

    def _take(self, cards: list[str]) -> None:
        for card in cards:
            if self._takers:
                self._hands[self._takers.pop(0)].append(card)

    def _play(self, window: int) -> None:
        first, rng = self._hands[0], self._rng
        if window == 1 and len(self._hands) == 1:
            if _points(first[0][0]) == _points(first[1][0]) and rng.random() < 0.6:
                self.plays.append({"window": 1, "hand": 1, "do": "split"})
                self._hands = [[first[0]], [first[1]]]
                self._open = [first[0][0] != "A"] * 2
                self._takers = [0, 1]
                return
            if rng.random() < 0.15:
                self.plays.append({"window": 1, "hand": 1, "do": "double"})
                self._open, self._takers = [False], [0]
                return
        for index, hand in enumerate(self._hands):
            hits = self._open[index] and _total(hand) < 21 and len(hand) < 7 and rng.random() < 0.5 + self._keen / 2
            self._open[index] = hits
            if hits:
                self.plays.append({"window": window, "hand": index + 1, "do": "hit"})
                self._takers.append(index)


def start(rng: random.Random) -> tuple[Decide, dict[str, Any]]:
    """The server's decisions for one round, and the object that it hands over with them."""
    server = Server(rng)
    return server.decide, {"plays": server.plays}
