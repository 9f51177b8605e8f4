"""Who speaks to the demonstration's tables: a game server that opens and closes rounds, and a service manager."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

CLIENT = "demo-lobby"
BETTING_S, REST_S, MANAGER_S = 8.0, 4.0, 6.0
"""How long bets are taken, from an outcome to the next round, and until the manager is at a table. Seconds of play."""
AGAIN_S = 5.0
"""A command that was followed by nothing is sent anew, as another one."""

_PHASE_AFTER = {
    "round.opened": "betting",
    "betting.closed": "closed",
    "round.outcome": "idle",
    "round.voided": "idle",
}


@dataclass(frozen=True, slots=True)
class Order:
    """One command to a table, as it is sent."""

    table: str
    name: str
    body: dict[str, Any]


@dataclass(slots=True)
class _Plan:
    at_s: float
    name: str
    role: str
    args: dict[str, Any]


class Lobby:
    """Hears every event once, in the table's order, and says what is to be sent. Times are seconds of play.

    ``tables`` have a server. A held attempt at one of them is voided by the manager; every paused table goes on.
    """

    def __init__(self, tables: Collection[str], run: str) -> None:
        self._tables = frozenset(tables)
        self._run = run
        """Makes the ids of commands unique among all runs."""
        self._ids = count(1)
        self._plans: dict[str, _Plan] = {}
        self._phases: dict[str, str] = {}
        """Of each served table's round."""

    def heard(self, table: str, event: Mapping[str, Any], now_s: float) -> None:
        """An event of a table."""
        kind = event["type"]
        if kind == "table.paused":
            answered = {"reason": "looked at the video", "pause": int(event["sequence"])}
            self._plan(table, now_s + MANAGER_S, "table.resume", role="manager", **answered)
        elif kind == "table.resumed" and table not in self._tables:
            self._plans.pop(table, None)
        if table not in self._tables:
            return
        if kind in _PHASE_AFTER:
            self._phases[table] = _PHASE_AFTER[kind]
        if kind == "attempt.held":
            self._plan(table, now_s + MANAGER_S, "round.void", role="manager", reason="the video does not tell")
        elif kind in _PHASE_AFTER or kind in ("table.resumed", "table.started"):
            self._goes_on(table, now_s)

    def _goes_on(self, table: str, now_s: float) -> None:
        """What a server does next at a table that is not paused."""
        match self._phases.get(table, "idle"):
            case "idle":
                self._plan(table, now_s + REST_S, "round.open")
            case "betting":
                self._plan(table, now_s + BETTING_S, "betting.close")
            case _:
                self._plans.pop(table, None)

    def due(self, now_s: float) -> list[Order]:
        """What is to be sent now."""
        orders = []
        for table, plan in self._plans.items():
            if plan.at_s <= now_s:
                plan.at_s = now_s + AGAIN_S
                orders.append(Order(table, plan.name, self._body(plan)))
        return orders

    def _plan(self, table: str, at_s: float, name: str, role: str = "server", **args: Any) -> None:
        self._plans[table] = _Plan(at_s, name, role, args)

    def _body(self, plan: _Plan) -> dict[str, Any]:
        by = "demo-manager" if plan.role == "manager" else CLIENT
        return {
            "specversion": "1.0",
            "id": f"{self._run}-{next(self._ids)}",
            "source": f"/{CLIENT}",
            "type": plan.name,
            "data": {"by": by, "role": plan.role, **plan.args},
        }
