"""``make test`` as two runs at once: no test is left out, and no failure of either is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import halves

GOOD = "def test_good(): pass"
BAD = "def test_bad(): assert 'as it' == 'should be'"
KILLED = "import os, signal\ndef test_killed(): os.kill(os.getpid(), signal.SIGKILL)"
BOTH = "import halves, sys; sys.exit(halves.both(['test_waits.py'], ['test_computes.py']))"


def started(folder: Path, waits: str, computes: str) -> subprocess.Popen[str]:
    (folder / "test_waits.py").write_text(waits)
    (folder / "test_computes.py").write_text(computes)
    (folder / "pytest.ini").write_text("[pytest]\n")
    # Without the plugins of others: they are most of what a start costs.
    own = {"PYTHONPATH": str(Path(halves.__file__).parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-c", BOTH]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **own}, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("waits", "computes", "code", "closing"),
    [
        (GOOD, GOOD, 0, ("1 passed in ", "1 passed in ")),
        (BAD, GOOD, 1, ("1 failed in ", "1 passed in ")),
        (GOOD, BAD, 1, ("1 passed in ", "1 failed in ")),
        (KILLED, BAD, 137, ("ended by SIGKILL", "1 failed in ")),
    ],
    ids=["both pass", "the first fails", "the second fails", "one is killed and one fails"],
)
def test_both_are_told_and_any_failure_fails(
    tmp_path: Path, waits: str, computes: str, code: int, closing: tuple[str, str]
) -> None:
    with started(tmp_path, waits, computes) as run:
        said, _ = run.communicate(timeout=60)
    assert run.returncode == code, said
    of_waits, of_computes = said.splitlines()[-2:]
    assert of_waits.startswith(f"   waits: {closing[0]}")
    assert of_computes.startswith(f"computes: {closing[1]}")
    assert ("'as it' == 'should be'" in said) == (BAD in (waits, computes)), "what failed is shown, of either half"


def test_who_ends_the_run_ends_both_halves(tmp_path: Path) -> None:
    waiting = "import time, pathlib\ndef test_waits():\n    pathlib.Path('{}').touch()\n    time.sleep(100)"
    with started(tmp_path, waiting.format("one"), waiting.format("two")) as run:
        while not ((tmp_path / "one").exists() and (tmp_path / "two").exists()):
            assert run.poll() is None
        run.send_signal(signal.SIGTERM)
        said, _ = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGTERM
    assert said.count("ended by SIGTERM") == 2


@pytest.mark.parametrize(
    ("codes", "one"),
    [
        ((0, 0), 0),
        ((0, 137), 137),
        ((0, 5), 0),
        ((5, 0), 0),
        ((5, 5), 5),
        ((5, 1), 1),
        ((1, 2), 2),
        ((3, 0), 3),
        ((0, 143), 143),
    ],
)
def test_one_exit_code(codes: tuple[int, int], one: int) -> None:
    assert halves.answer(codes) == one


def test_what_waits_is_there_and_nothing_is_named_twice(repository: Path) -> None:
    """The other half is all but these, so that no test is in none."""
    assert all((repository / path).exists() for path in halves.WAITS)
    assert not [
        one for one in halves.WAITS for other in halves.WAITS if one != other and Path(one).is_relative_to(other)
    ]
