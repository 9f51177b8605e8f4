"""``make test HALVES=yes``: two runs of pytest at once, of the tests that wait and of those that compute, one answer.

On two cores a run of all tests leaves one idle. What waits for brokers, processes and ports has its own time limits, so
what computes is the lower in rank of the two (``nice``) and takes the time that is left. Each test is in one half
only: the second is all but the first. With one core, or a single argument, it is one run.

What pytest kept of its last run (``--last-failed``) is apart for each half: ``.pytest_cache/waits`` and ``computes``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent.parent
WAITS = (
    "tests/calibration/dice/test_camera_commands.py",
    "tests/calibration/probe",
    "tests/calibration/shadow",
    "tests/calibration/test_guided_wheels_over_ports.py",
    "tests/chaos",
    "tests/daemon/acl",
    "tests/daemon/alerts",
    "tests/daemon/monitoring",
    "tests/daemon/mqtt",
    "tests/hw_sim",
    "tests/system",
)
"""Folders and files whose tests mostly wait: for brokers, stations, cameras and ports of their own."""
LOWER_RANK = 10
NOTHING_COLLECTED, BROKEN_OFF = 5, 2
LOOK_EVERY_S = 0.2


@dataclass(slots=True)
class Half:
    """A run of pytest that writes into a file, and how far the file was shown."""

    name: str
    process: subprocess.Popen[bytes]
    output: BinaryIO

    def show(self) -> None:
        """What it wrote since the last time."""
        sys.stdout.buffer.write(self.output.read())
        sys.stdout.buffer.flush()

    def follow(self) -> int:
        """Shows all it writes until it ends; its exit code, that of a signal as a shell gives it."""
        while self.process.poll() is None:
            self.show()
            time.sleep(LOOK_EVERY_S)
        self.show()
        code = self.process.returncode
        return code if code >= 0 else 128 - code

    def closing(self) -> str:
        """Of one that ended: pytest's last line, or what ended it."""
        if self.process.returncode < 0:
            return f"ended by {signal.Signals(-self.process.returncode).name}"
        self.output.seek(0)
        lines = self.output.read().decode(errors="replace").splitlines()
        return next((line.strip("= ") for line in reversed(lines) if line.strip()), "said nothing")


def start(name: str, arguments: Sequence[str], folder: Path, rank: int = 0) -> Half:
    """One half in a process of its own, lower in rank by ``rank``."""
    file = folder / name
    colour = "yes" if sys.stdout.isatty() else "auto"
    own = (f"--color={colour}", "-o", f"cache_dir=.pytest_cache/{name}")
    with file.open("wb") as output:
        process = subprocess.Popen(
            ["nice", "-n", str(rank), sys.executable, "-m", "pytest", *own, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "COLUMNS": str(shutil.get_terminal_size().columns)},
        )
    return Half(name, process, file.open("rb"))


def answer(codes: Sequence[int]) -> int:
    """One exit code: 0 only if no half failed and one had tests."""
    wrong = [code for code in codes if code not in (0, NOTHING_COLLECTED)]
    if not wrong:
        return 0 if 0 in codes else NOTHING_COLLECTED
    return BROKEN_OFF if BROKEN_OFF in wrong else max(wrong)


def both(waits: Sequence[str], computes: Sequence[str]) -> int:
    """Runs pytest with the one arguments and with the others, shows the first as it goes and then the second, and at
    the end the closing lines of both. Ctrl-C and SIGTERM are theirs to answer, and are waited for."""
    halves: list[Half] = []

    def pass_on(number: int, _frame: FrameType | None) -> None:
        for half in halves:
            if half.process.poll() is None:
                half.process.send_signal(number)

    with tempfile.TemporaryDirectory(prefix="halves-") as folder:
        # The terminal gives Ctrl-C to all of its group, so it is not passed on: a second one would break off the
        # tidying up. A caught signal, unlike an ignored one, is not inherited.
        signal.signal(signal.SIGINT, lambda _number, _frame: None)
        signal.signal(signal.SIGTERM, pass_on)
        halves.append(start("waits", waits, Path(folder)))
        halves.append(start("computes", computes, Path(folder), LOWER_RANK))
        codes = []
        for half in halves:
            print(f"== the tests of the half that {half.name}", flush=True)
            codes.append(half.follow())
        print("== both halves")
        for half in halves:
            print(f"{half.name:>8}: {half.closing()}", flush=True)
            half.output.close()
    return answer(codes)


def main() -> int:
    """As ``both`` on the whole suite; one run where there is one core."""
    os.chdir(ROOT)
    if len(os.sched_getaffinity(0)) < 2:
        return subprocess.call([sys.executable, "-m", "pytest"])
    return both(WAITS, ["tests", *(f"--ignore={path}" for path in WAITS)])


if __name__ == "__main__":
    sys.exit(main())
