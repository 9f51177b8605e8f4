"""The one line that ``systemctl status`` shows of the station: what stands, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableSays:
    """One table. ``stands``: why nothing is played there, where that is so; ``faults``: devices with a fault."""

    name: str
    stands: str | None
    connected: bool
    faults: tuple[str, ...] = ()


def status_line(tables: Sequence[TableSays], withheld: str | None = None, note: str = "") -> str:
    """What is wrong first; ``withheld``: why the watchdog is not fed; ``note``: what became of the last reload."""
    parts = [] if withheld is None else [f"watchdog not fed: {withheld}"]
    stand = [table for table in tables if table.stands is not None]
    parts += [f"{table.name} stands: {table.stands}" for table in stand]
    parts += [f"{table.name}: fault of {', '.join(table.faults)}" for table in tables if table.faults]
    offline = [table.name for table in tables if not table.connected]
    if offline:
        parts.append(f"no broker: {', '.join(offline)}")
    plays = len(tables) - len(stand)
    parts.append(f"{plays} of {len(tables)} tables can play")
    if note:
        parts.append(note)
    return "; ".join(parts)
