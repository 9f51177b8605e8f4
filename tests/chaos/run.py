"""``make chaos MINUTES=N [SEED=S]``: one run. Progress is on stderr, figures on stdout, JSON in the last line.

``python -m chaos.run`` with the folder of the tests in ``PYTHONPATH``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from chaos.faults import Fault
from chaos.runner import REST_S, Result, run


def main() -> int:
    """Exit codes: 0 the promise held, 1 it did not."""
    parser = argparse.ArgumentParser(description="Break everything round a station and check its promise.")
    parser.add_argument("--minutes", type=float, default=2.0, help="length of the run (default: 2)")
    parser.add_argument("--seed", type=int, help="of an earlier run, to have its faults again (default: a new one)")
    arguments = parser.parse_args()
    seed = random.randrange(2**31) if arguments.seed is None else arguments.seed
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    console = Console(stderr=True)
    console.print(f"seed {seed}, {arguments.minutes:g} minutes, everything in {folder}", highlight=False)
    began = time.monotonic()
    result = asyncio.run(_run(folder, seed, max(5.0, arguments.minutes * 60 - REST_S), console))
    show(result, Console())
    print(
        json.dumps(
            {
                "chaos": "held" if not result.violations else "broken",
                "seed": seed,
                "minutes": arguments.minutes,
                "took_s": round(time.monotonic() - began, 1),
                **dict(sorted(result.figures.items())),
                "violations": result.violations,
            }
        )
    )
    return 1 if result.violations else 0


async def _run(folder: Path, seed: int, seconds: float, console: Console) -> Result:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("starting", total=1.0)

        def progress(done: float, figures: Counter[str]) -> None:
            bar.update(task, completed=done, description=f"{sum(figures[fault] for fault in Fault)} faults")

        return await run(folder, seed, seconds, progress=progress)


def show(result: Result, console: Console) -> None:
    """The figures as a table, then what is broken."""
    table = Table("what", "how often", title=f"seed {result.seed}")
    for name, count in sorted(result.figures.items()):
        table.add_row(name, str(count))
    console.print(table)
    for violation in result.violations:
        console.print(violation, style="red", markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
