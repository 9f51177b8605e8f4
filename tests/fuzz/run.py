"""``make fuzz``: many inputs to every kind, from one seed; one line of JSON at the end, and a file for each that fails.

Exit codes: 0 nothing was unhandled, 1 something was.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from fuzz.kind import Case, Kind, plain, smaller  # noqa: E402

KEPT = Path(__file__).parent / "kept"
CHUNK = 4000
"""Inputs of one kind at a time."""
HANGS_S = 20.0
"""Of the processor's time: a case that takes longer is a failure too."""
MOST_FAILURES = 5
"""Of one kind in one chunk: one bug fails again and again."""


@dataclass
class Report:
    """What came of a number of inputs of one kind. ``failures``: the cases, with what was raised."""

    kind: str
    inputs: int = 0
    cases: int = 0
    seconds: float = 0.0
    slowest_s: float = 0.0
    failures: list[tuple[Case, str]] = field(default_factory=list)


class Nowhere(io.StringIO):
    """Takes text and keeps none."""

    def write(self, text: str) -> int:
        return len(text)


class Hangs(Exception):  # noqa: N818
    """A case took longer than any may."""


@cache
def kinds() -> dict[str, Kind]:
    """Every kind by name."""
    from fuzz import arguments, calibrations, consumers, devices, files, journals, messages, pictures, sockets, tables

    modules = (
        devices, tables, messages, files, journals, pictures, sockets, arguments, consumers, calibrations,
    )  # fmt: skip
    found = [kind for module in modules for kind in module.kinds()]
    return {kind.name: kind for kind in found}


def shares(count: int, chosen: Iterable[str]) -> dict[str, int]:
    """How many inputs each kind gets of ``count``."""
    share = {name: kinds()[name].share for name in chosen}
    whole = sum(share.values())
    return {name: max(1, round(count * part / whole)) for name, part in share.items()}


def fuzz(name: str, count: int, seed: str, limit_s: float | None = HANGS_S) -> Report:
    """``count`` inputs of one kind. ``limit_s``: a case that takes more of the processor fails."""
    kind, report, rng = kinds()[name], Report(name), Random(f"{seed}/{name}")
    began = time.perf_counter()
    while report.inputs < count and len(report.failures) < MOST_FAILURES:
        case = plain(kind.draw(rng))
        started = time.perf_counter()
        try:
            if limit_s is not None:
                signal.setitimer(signal.ITIMER_PROF, limit_s)
            report.inputs += kind.play(case)
        except Exception:  # noqa: BLE001 - whatever it is, is what is looked for
            report.inputs += 1
            report.failures.append((case, traceback.format_exc()))
        finally:
            if limit_s is not None:
                signal.setitimer(signal.ITIMER_PROF, 0)
        report.cases += 1
        report.slowest_s = max(report.slowest_s, time.perf_counter() - started)
    report.seconds = time.perf_counter() - began
    return report


def keep(name: str, case: Case, raised: str, folder: Path = KEPT) -> Path:
    """The smallest case that fails so, as a file that the tests play from now on."""
    less = smaller(kinds()[name], case)
    body = json.dumps({"kind": name, "raised": raised.strip().splitlines()[-1][:200], "case": less}, indent=1) + "\n"
    for number in range(10_000):
        path = folder / f"{name.replace('/', '-')}-{number}.json"
        if not path.exists():
            path.write_text(body, encoding="utf-8")
            return path
    raise FileExistsError(f"{folder} is full of {name}: mend some, and take their files away")


def main(argv: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs in all")
    parser.add_argument("--seed", default=None, help="the same seed gives the same inputs; drawn if left out")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kind", action="append", default=[], help="these alone; may be repeated, a prefix will do")
    options = parser.parse_args(argv)
    seed = options.seed or os.urandom(4).hex()
    print(f"seed {seed}", file=sys.stderr)
    _logs_as_the_daemon()
    chosen = [name for name in kinds() if not options.kind or name.startswith(tuple(options.kind))]
    began = time.perf_counter()
    reports, kept = _all(shares(options.count, chosen), seed, options.processes)
    totals: dict[str, Counter[str]] = {}
    for report in reports:
        family = totals.setdefault(report.kind.split("/")[0], Counter())
        family.update(inputs=report.inputs, cases=report.cases, failures=len(report.failures))
    line: dict[str, Any] = {
        "fuzz": seed,
        "inputs": sum(report.inputs for report in reports),
        "cases": sum(report.cases for report in reports),
        "unhandled": sum(len(report.failures) for report in reports),
        "seconds": round(time.perf_counter() - began, 1),
        "slowest_ms": round(1000 * max(report.slowest_s for report in reports)),
        "kinds": {family: dict(counts) for family, counts in totals.items()},
        "kept": kept,
    }
    print(json.dumps(line))
    return 1 if line["unhandled"] else 0


def _all(wanted: dict[str, int], seed: str, processes: int) -> tuple[list[Report], list[str]]:
    chunks = [
        (name, min(CHUNK, count - begin), f"{seed}/{begin}")
        for name, count in wanted.items()
        for begin in range(0, count, CHUNK)
    ]
    reports: list[Report] = []
    kept: list[str] = []
    said: set[str] = set()
    for report in _played(chunks, processes):
        reports.append(report)
        for case, raised in report.failures:
            place = "\n".join(raised.strip().splitlines()[-3:])
            if place in said:
                continue
            said.add(place)
            path = keep(report.kind, case, raised)
            kept.append(path.name)
            print(f"{raised}\n{report.kind}: kept as {path}", file=sys.stderr)
    return reports, kept


def _played(chunks: Sequence[tuple[str, int, str]], processes: int) -> Iterator[Report]:
    if processes == 1:
        _see_hangs()
        yield from (fuzz(*chunk) for chunk in chunks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begin) as pool:
        for done in as_completed([pool.submit(fuzz, *chunk) for chunk in chunks]):
            yield done.result()


def _logs_as_the_daemon() -> None:
    """Every line is made as it is in service, and thrown away."""
    from dealer_daemon.log import configure

    configure("json", stream=Nowhere())


def _begin() -> None:
    _logs_as_the_daemon()
    _look_up_once()
    _see_hangs()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what libraries of pictures say of each damaged file


def _look_up_once() -> None:
    """Which drivers are installed does not change, and looking takes longer than the rest of a configuration."""
    from dealer_daemon.config import tables
    from dealer_drivers.driver import load_driver

    vars(tables)["load_driver"] = cache(load_driver)


def _see_hangs() -> None:
    def hangs(_number: int, _frame: FrameType | None) -> None:
        raise Hangs(f"nothing came of it within {HANGS_S:g} s")

    signal.signal(signal.SIGPROF, hangs)


if __name__ == "__main__":
    sys.exit(main())
