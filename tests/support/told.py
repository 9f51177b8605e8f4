"""A table's results as events, as a board hears them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.events import (
    Event,
    EventData,
    OutcomeCorrected,
    RoundOutcome,
    RoundVoided,
    ShoeBegan,
    ShoeEnded,
)

DATA = Path(os.environ.get("DEALER_REAL_DATA", "")) / "roads" / "dev.json"


def shoes() -> list[Any]:
    """The known shoes, as test parameters; one that is skipped where they are absent."""
    if not os.environ.get("DEALER_REAL_DATA") or not DATA.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="no cases: set DEALER_REAL_DATA"))]
    return [pytest.param(case, id=case["name"]) for case in json.loads(DATA.read_text(encoding="utf-8"))]


def baccarat_facts(
    winner: str, player_pair: bool = False, banker_pair: bool = False, natural: bool = False, total: int = 6
) -> dict[str, Any]:
    """What a board reads of a baccarat outcome's facts."""
    totals = {"player": total, "banker": total} | ({} if winner == "tie" else {_other(winner): max(0, total - 1)})
    return {
        "player": {"total": totals["player"], "natural": natural, "pair": "mixed" if player_pair else None},
        "banker": {"total": totals["banker"], "natural": False, "pair": "perfect" if banker_pair else None},
        "winner": winner,
    }


def _other(winner: str) -> str:
    return "player" if winner == "banker" else "banker"


class Told:
    """A table that speaks. ``events`` are all of it, in order."""

    def __init__(self, game: str = "baccarat", table: str = "b1") -> None:
        self.game, self.table = game, table
        self.events: list[Event] = []
        self.shoe: str | None = None
        self.hand = 0
        self._rounds = 0
        self._shoes = 0

    def say(self, data: EventData, subject: str | None = None) -> Event:
        sequence = len(self.events) + 1
        event = Event(
            table=self.table,
            sequence=sequence,
            subject=subject,
            wall_ns=1_767_225_600_000_000_000 + sequence * 1_000_000_000,
            mono_ns=sequence,
            boot="boot-1",
            data=data,
        )
        self.events.append(event)
        return event

    def begin(self) -> Event:
        self._shoes += 1
        self.shoe, self.hand = f"{self.table}-shoe-{self._shoes}", 0
        return self.say(ShoeBegan(shoe_id=self.shoe, hand_in_shoe=0, decks=8))

    def end(self) -> Event:
        assert self.shoe is not None
        return self.say(ShoeEnded(shoe_id=self.shoe, hand_in_shoe=self.hand, reason="cut_card"))

    def _next(self) -> str:
        self._rounds += 1
        self.hand += 1
        return f"{self.table}-{self._rounds}"

    def outcome(self, facts: dict[str, Any]) -> Event:
        where = {} if self.shoe is None else {"shoe_id": self.shoe, "hand_in_shoe": self.hand + 1}
        data = RoundOutcome(game=self.game, facts=facts, attempts=1, evidence=[], source="device", **where)  # type: ignore[arg-type]
        return self.say(data, self._next())

    def void(self) -> Event:
        return self.say(RoundVoided(reason="manager_voided", by="m", seen={}), self._next())

    def correct(self, told: Event, facts: dict[str, Any]) -> Event:
        data = OutcomeCorrected(replaces=told.sequence, game=self.game, facts=facts, reason="video", by="m")
        return self.say(data, told.subject)
