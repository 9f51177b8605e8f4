"""Some thousand inputs to everything that takes some, the cases that failed once, and whether the fuzzer sees failures.

``make fuzz`` plays a million.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from fuzz import run
from fuzz.kind import Case, smaller

INPUTS = 15_000
SHARES = run.shares(INPUTS, run.kinds())
KEPT = sorted(run.KEPT.glob("*.json"))


@pytest.mark.parametrize("name", SHARES)
def test_nothing_is_unhandled(name: str) -> None:
    report = run.fuzz(name, SHARES[name], "ordinary", limit_s=None)
    assert not report.failures, "\n".join(f"{raised}\n{json.dumps(case)[:2000]}" for case, raised in report.failures)
    assert report.inputs >= SHARES[name]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_failed_once(path: Path) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))
    run.kinds()[kept["kind"]].play(kept["case"])


class Cards:
    """Fails wherever a joker is dealt after a cut card."""

    name, share = "cards", 1.0

    def draw(self, rng: Random) -> Case:
        return [rng.choice(("8S", "AH", "cut", "joker")) for _ in range(30)]

    def play(self, case: Case) -> int:
        if "cut" in case and "joker" in case[case.index("cut") :]:
            raise KeyError("joker")
        return len(case)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Cards:
    kind = Cards()
    monkeypatch.setattr(run, "kinds", lambda: {kind.name: kind})
    return kind


def test_a_failure_is_found_made_small_and_kept(planted: Cards, tmp_path: Path) -> None:
    report = run.fuzz(planted.name, 1000, "a", limit_s=None)
    assert len(report.failures) == run.MOST_FAILURES
    case, raised = report.failures[0]
    assert "KeyError: 'joker'" in raised
    assert smaller(planted, case) == ["cut", "joker"]
    path = run.keep(planted.name, case, raised, tmp_path)
    assert json.loads(path.read_text()) == {"kind": "cards", "raised": "KeyError: 'joker'", "case": ["cut", "joker"]}
    assert run.keep(planted.name, case, raised, tmp_path) != path


@pytest.mark.parametrize("name", ["driver/cammegh-ss2", "table/baccarat-shuffler", "mqtt/commands", "config"])
def test_the_same_seed_gives_the_same_cases(name: str) -> None:
    kind = run.kinds()[name]
    first, second = ([kind.draw(rng) for _ in range(5)] for rng in (Random("x"), Random("x")))
    assert json.dumps(first) == json.dumps(second)


def test_the_command_says_in_one_line_what_it_did() -> None:
    command = [sys.executable, run.__file__, "--count", "300", "--processes", "1", "--kind", "entered", "--seed", "a"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    said = json.loads(line)
    assert said["fuzz"] == "a"
    assert said["inputs"] == said["kinds"]["entered-result"]["inputs"] == 300
    assert said["unhandled"] == 0
