"""The folder of a run, its ``--run-dir``, which belongs to one simulation for as long as that runs.

A second one would put its own ports under the same names: whoever works with the first would talk to the second without
knowing, and the first would run on for nobody.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

LOCK_FILE = ".hw-sim.lock"
"""Locked while the simulation runs; its text is the command that started it, and stays when it has ended."""
LONGEST_COMMAND = 4096


class Occupied(ValueError):  # noqa: N818
    """A simulation runs in this folder already. The text says which, and what to do."""


@contextlib.contextmanager
def alone_in(run_dir: Path, words: Sequence[str]) -> Iterator[None]:
    """Nobody else's simulation begins in ``run_dir`` for as long as the block lasts; ``words`` are those of the command
    that began this one. Raises ``Occupied`` and ``OSError``."""
    run_dir.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(run_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Occupied(
                f"{run_dir}: a simulation runs here already ({started_by(run_dir) or 'it does not say which'}): end it "
                "with Ctrl-C in its own terminal, or take another --run-dir"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, shlex.join(["hw-sim", *words]).encode() + b"\n", 0)
        yield
    finally:
        os.close(descriptor)


def started_by(run_dir: Path) -> str:
    """The command that started the newest simulation in ``run_dir``; empty where none is known."""
    try:
        return (run_dir / LOCK_FILE).read_bytes()[:LONGEST_COMMAND].decode(errors="replace").strip()
    except OSError:
        return ""
