"""The driver author's guide does what it says: its blocks are the example's files, and the example, built and installed
in a folder of its own, is a driver like any other, with nothing of ours touched."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dealer_drivers.conformance.suite import laws

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NAMED = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def guide(repository: Path) -> str:
    return (repository / "docs/howto/write-a-driver.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example(repository: Path) -> Path:
    return repository / "docs/example-driver"


@pytest.fixture(scope="module")
def installed(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built example and nothing else, and a copy of its sources beside it."""
    work = tmp_path_factory.mktemp("author")
    shutil.copytree(example, work / "acme-wheel", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--no-compile"]
    subprocess.run([*pip, *offline, "--target", work / "site", work / "acme-wheel"], check=True, timeout=100)
    return work


@pytest.fixture(scope="module")
def run(installed: Path) -> Run:
    """Runs a command where the example is installed, in its folder."""

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(installed / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, cwd=installed / "acme-wheel", env=environment, capture_output=True, text=True, timeout=100
        )

    return run


def test_every_block_of_the_guide_is_its_file(guide: str, example: Path) -> None:
    named = dict(NAMED.findall(guide))
    assert len(named) == 7
    for name, block in named.items():
        assert block == (example / name).read_text(encoding="utf-8"), name
    device = re.search(r"^The device, in `station.toml`:\n\n```toml\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    assert device is not None
    assert device[1] in (example / "station.toml").read_text(encoding="utf-8")
    for line in re.findall(r"^(\$\S.*?\*..) ", guide, re.MULTILINE):
        assert f'b"{line}' in (example / "acme_wheel/examples.py").read_text(encoding="utf-8")


def test_the_guide_names_every_law_and_no_other(guide: str) -> None:
    section = guide.partition("### The laws")[2].partition("\n##")[0]
    named = set(re.findall(r"^\| ([a-z][^|]*?) \|", section, re.MULTILINE)) - {"law"}
    assert named == set(laws())


def test_the_example_is_installed_alone(installed: Path) -> None:
    assert sorted(path.name for path in (installed / "site").iterdir()) == ["acme_wheel", "acme_wheel-0.1.0.dist-info"]


def test_it_is_found_by_its_entry_point(run: Run) -> None:
    code = "from dealer_drivers.driver import load_driver; print(load_driver('acme-wheel').maturity)"
    assert run(sys.executable, "-c", code).stdout == "documented\n"


def test_a_configuration_takes_it_and_its_options(run: Run, installed: Path) -> None:
    good = run(sys.executable, "-m", "dealer_daemon", "check-config", "station.toml")
    assert good.returncode == 0, good.stderr
    text = (installed / "acme-wheel/station.toml").read_text()
    (installed / "wrong.toml").write_text(text.replace("baud = 9600", "baud = 300"))
    wrong = run(sys.executable, "-m", "dealer_daemon", "check-config", str(installed / "wrong.toml"))
    assert wrong.returncode == 2
    assert "300 is no speed of this wheel; write 9600 or 19200" in wrong.stdout + wrong.stderr


def test_without_it_the_same_configuration_is_refused(example: Path) -> None:
    command = [sys.executable, "-m", "dealer_daemon", "check-config", str(example / "station.toml")]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert answer.returncode == 2
    assert "acme-wheel" in answer.stdout + answer.stderr


def test_its_own_tests_pass(run: Run) -> None:
    pytest_of_its_own = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "tests")
    answer = run(sys.executable, *pytest_of_its_own)
    assert answer.returncode == 0, answer.stdout
    assert re.search(r"[1-9][0-9] passed", answer.stdout)


def test_the_suites_commands_of_the_guide_do_what_they_say(run: Run, guide: str) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines() if "conformance" in line]
    assert len(commands) == 2
    answers = [run(sys.executable, *command[1:]) for command in commands]
    assert [answer.returncode for answer in answers] == [0, 0], answers[0].stdout
    assert "0 broken" in answers[0].stdout
    assert "silence is reported" in answers[0].stdout
    assert "BallRested(number='26'" in answers[1].stdout


def test_the_suite_answers_in_json(run: Run) -> None:
    suite = ("-m", "dealer_drivers.conformance", "acme-wheel", "--cases", "3", "--junk-bytes", "1000", "--json")
    answer = run(sys.executable, *suite, "--examples", "acme_wheel.examples:EXAMPLES")
    told = json.loads(answer.stdout)
    assert (answer.returncode, told["holds"], told["maturity"]) == (0, True, "documented")
    assert {check["result"] for check in told["checks"]} == {"holds", "waived"}
    assert all(check["why"] for check in told["checks"] if check["result"] == "waived")
