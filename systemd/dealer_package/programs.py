"""The commands that the package puts on PATH, with the parsers that their man pages and completions are made from."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from dealer_calibration.cli import build_parser as bench_parser
from dealer_daemon.cli import build_parser as daemon_parser
from hw_sim.cli import build_parser as simulator_parser


@dataclass(frozen=True, slots=True)
class Program:
    """One command. ``name`` is the console script of ``pyproject.toml``; ``title`` is one line for ``whatis``."""

    name: str
    title: str
    parser: Callable[[], argparse.ArgumentParser]


PROGRAMS = (
    Program("dealer-daemon", "the station on a dealer table's PC", daemon_parser),
    Program("dealer-calibrate", "the technicians' bench of a dealer station", bench_parser),
    Program("hw-sim", "simulated devices of dealer tables", simulator_parser),
)
