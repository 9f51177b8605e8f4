"""The demonstration from start to end."""

from __future__ import annotations

import tempfile
import time
import uuid
from enum import Enum, auto
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dealer_daemon.demo.lobby import Lobby
from dealer_daemon.demo.processes import DemoFailed
from dealer_daemon.demo.start import Demo, start
from dealer_daemon.demo.tables import TABLES
from dealer_daemon.demo.viewer import Viewer
from dealer_daemon.journal import verify_file

COLUMNS = {"outcomes": "round.outcome", "refused": "attempt.refused", "held": "attempt.held", "void": "round.voided"}


class Ending(Enum):
    """How a demonstration ended. Ctrl-C is how one ends that was not given seconds: ``INTERRUPTED`` is one that had
    nothing to show yet."""

    SHOWN = auto()
    FAILED = auto()
    INTERRUPTED = auto()


def show(seconds: float | None, speed: float, seed: int, broker: str, console: Console) -> Ending:
    """Run it for ``seconds`` after all is up, or until Ctrl-C. ``SHOWN``: there was an outcome and the journal
    verifies.

    Raises ``DemoFailed`` when a part does not start or ends early.
    """
    served = [table.name for table in TABLES if 'round_source = "server"' in table.settings]
    lobby = Lobby(served, uuid.uuid4().hex[:8])
    with tempfile.TemporaryDirectory(prefix="dealer-demo-") as name:
        demo = Demo(Path(name), speed, seed, console)

        def now_s() -> float:
            return (time.monotonic() - demo.began_s) * speed

        def heard(table: str, event: dict[str, Any]) -> None:
            lobby.heard(table, event, now_s())

        viewer, interrupted = None, False
        try:
            viewer = start(demo, broker, heard)
            console.print("What game servers see (Ctrl-C ends it):\n")
            end_s = None if seconds is None else time.monotonic() + seconds
            while end_s is None or time.monotonic() < end_s:
                viewer.poll(0.1)
                for order in lobby.due(now_s()):
                    viewer.send(order.table, order.body)
                for part in demo.parts:
                    part.alive()
        except KeyboardInterrupt:
            interrupted = True
            console.print()
        finally:
            if viewer is not None:
                viewer.close()
            # The station before its broker, so that it can say goodbye.
            for part in reversed(demo.parts):
                part.stop()
        if viewer is None:
            console.print("Ended before everything was up: there is nothing to show.")
            return Ending.INTERRUPTED
        return _summary(viewer, demo.journal, console, interrupted=interrupted)


def _summary(viewer: Viewer, journal: Path, console: Console, *, interrupted: bool) -> Ending:
    report = verify_file(journal)
    table = Table(box=None, pad_edge=False)
    table.add_column("table")
    table.add_column("game")
    for title in COLUMNS:
        table.add_column(title, justify="right")
    for name, game in sorted(viewer.games.items()):
        table.add_row(name, game, *(str(viewer.counts[name, kind]) for kind in COLUMNS.values()))
    console.print()
    console.print(table)
    verified = "verifies" if report.ok else "DOES NOT VERIFY"
    console.print(f"\nThe journal ({report.rows} rows) {verified}.", highlight=False, soft_wrap=True)
    if not report.ok:
        return Ending.FAILED
    if any(viewer.counts[name, "round.outcome"] for name in viewer.games):
        return Ending.SHOWN
    if interrupted:
        console.print("Ended before the first outcome: let it run for a minute.")
        return Ending.INTERRUPTED
    console.print("No outcome came in that time: give it more seconds.")
    return Ending.FAILED


__all__ = ["DemoFailed", "Ending", "show"]
