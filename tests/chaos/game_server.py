"""A game server and a service manager who do their work at the tables, whatever happens to the station. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

CLIENT = "game-server"
BETTING_S, REST_S, MANAGER_S = 4.0, 2.0, 6.0
"""How long bets are taken, from an end to the next round, and until the manager is at a table. Seconds of play."""
AGAIN_S = 20.0
"""A command that nothing followed is sent anew, as another one."""
PATIENCE_S = 60.0
"""A round of which nothing was heard for so long is voided: its cards may have passed a station that was down."""


@dataclass(slots=True)
class _Table:
    served: bool
    heard_s: float = 0.0
    round: str | None = None
    betting: bool = False
    paused: bool = False
    unknown_shoe: bool = False
    """More copies of a card than there are: the shoe was changed while nobody looked."""
    pause: int | None = None
    """Sequence of the newest ``table.paused``."""
    held: bool = False
    asked: tuple[str, float] = ("", 0.0)


@dataclass(slots=True)
class GameServer:
    """Hears every event once, in the table's order, and says what is to be sent. Times are seconds of play.

    ``served`` tables have their rounds opened and closed; every paused table is resumed. A round outlives a restart of
    the station: ``table.started`` changes nothing.
    """

    run: str
    """Makes the ids of commands unique."""
    served: frozenset[str]
    _tables: dict[str, _Table] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def heard(self, table: str, event: Mapping[str, Any], now_s: float) -> None:
        """An event of a table."""
        at = self._tables.setdefault(table, _Table(table in self.served))
        at.heard_s = now_s
        match event["type"]:
            case "round.opened":
                at.round, at.betting, at.held = event["subject"], True, False
            case "betting.closed":
                at.betting = False
            case "round.outcome" | "round.voided":
                at.round, at.betting, at.held = None, False, False
            case "attempt.held":
                at.held = True
            case "table.paused":
                at.paused, at.pause = True, event.get("sequence")
            case "table.resumed":
                at.paused = False
            case "violation" if event["data"]["reason"] == "copies_used_up":
                at.unknown_shoe = True
            case "shoe.started":
                at.unknown_shoe = False

    def due(self, now_s: float) -> Iterator[tuple[str, dict[str, Any]]]:
        """The commands to be sent now, each with its table."""
        for name, at in self._tables.items():
            what, role, after_s = self._wish(at, now_s)
            since_s = at.heard_s + after_s
            again_s = at.asked[1] + AGAIN_S if at.asked[0] == what else 0.0
            if what and now_s >= max(since_s, again_s):
                at.asked = (what, now_s)
                yield name, self._body(what, role, at.pause if what == "table.resume" else None)

    def _wish(self, at: _Table, now_s: float) -> tuple[str, str, float]:
        """Command, role, and how long after the last event; no command where there is nothing to wish for."""
        if at.served and at.round is not None and (at.held or now_s - at.heard_s > PATIENCE_S):
            return "round.void", "manager", MANAGER_S
        if at.paused:
            return "table.resume", "manager", MANAGER_S
        if at.unknown_shoe and at.round is None:
            return "shoe.change", "manager", MANAGER_S
        if at.served and at.round is None:
            return "round.open", "server", REST_S
        if at.served and at.betting:
            return "betting.close", "server", BETTING_S
        return "", "", 0.0

    def _body(self, what: str, role: str, pause: int | None) -> dict[str, Any]:
        reason: dict[str, Any] = {"reason": "looked at the video"} if role == "manager" else {}
        if pause is not None:
            reason["pause"] = pause
        return {
            "specversion": "1.0",
            "id": f"{self.run}-{next(self._ids)}",
            "source": f"/{CLIENT}",
            "type": what,
            "data": {"by": "a-manager" if role == "manager" else CLIENT, "role": role, **reason},
        }
