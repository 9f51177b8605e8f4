"""Whether the station lives, and whether it is ready for play. Pure."""

from __future__ import annotations

from dealer_daemon.monitoring.figures import StationFigures

LIVE_S = 5.0
"""Twenty times the station's own beat: who asks is answered by the same loop, so a later answer is late itself."""


def why_not_live(figures: StationFigures) -> list[str]:
    """Why the loop does not do its work; empty when it does."""
    late_s = figures.since_tick_s
    return [f"the station's clock work is {late_s:.1f} s late: restart it"] if late_s > LIVE_S else []


def why_not_ready(figures: StationFigures) -> list[str]:
    """Why the station cannot take what comes from its tables; empty when it can. A broker that is away is no reason:
    results wait in the journal."""
    found = []
    for name, table in figures.tables.items():
        if table.failed:
            found.append(f"table {name}: the journal is not what it was, and the station ends: {table.stalled}")
        elif not table.taken_up:
            found.append(f"table {name}: not taken up yet")
        elif table.stalled is not None:
            found.append(f"table {name}: the journal cannot be written: {table.stalled}")
    if not figures.tables:
        found.append("no table is taken up yet")
    return found
