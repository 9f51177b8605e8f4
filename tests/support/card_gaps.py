"""Gaps at a card table: nobody looked for a while."""

from __future__ import annotations

import pytest

from dealer_drivers.readings import DeviceFault, Fault
from support.card_tables import CardTable

SOURCES = pytest.mark.parametrize("source", ["device", "server"])
GAPS = pytest.mark.parametrize("gap", ["restart", "link"])


def look_away(table: CardTable, gap: str, away_s: float = 2.0) -> None:
    """Nobody looks for so long; nobody was asked yet."""
    if gap == "restart":
        table.at = table.at.plus_s(away_s)
        table.restart(asked=True)
        return
    table.see(DeviceFault(at=table._next(0), raw=b"", fault=Fault.LINK_LOST, detail="", cleared=False))
    table.see(DeviceFault(at=table._next(away_s), raw=b"", fault=Fault.LINK_LOST, detail="", cleared=True))


def stands(table: CardTable) -> str | None:
    """Why it does."""
    return table.state.paused
