"""The house stands as designed: imports run one way, types and style are clean, files are small, nothing swallows."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = {
    "dealer_drivers": "drivers/dealer_drivers",
    "dealer_daemon": "daemon/dealer_daemon",
    "dealer_calibration": "calibration/dealer_calibration",
    "hw_sim": "hw-sim/hw_sim",
    "dealer_package": "systemd/dealer_package",
}
MAX_LINES = 500
ALLOWED_CATCH_ALLS: frozenset[str] = frozenset()
"""Files that may catch everything. Empty: an error nobody expected ends the process, and the journal holds."""


def run(repository: Path, *command: str) -> None:
    """Runs a tool of the environment from the repository's root; its output is the failure's text."""
    tool = Path(sys.executable).parent / command[0]
    result = subprocess.run([tool, *command[1:]], cwd=repository, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}:\n{result.stdout}{result.stderr}"


def sources(repository: Path, *packages: str) -> list[Path]:
    return [path for package in packages or PACKAGES for path in sorted((repository / PACKAGES[package]).rglob("*.py"))]


@pytest.mark.parametrize(
    "command",
    [("lint-imports", "--no-cache"), ("ruff", "check"), ("ruff", "format", "--check"), ("mypy",)],
    ids=["import contracts", "style", "format", "types"],
)
def test_tools_are_content(repository: Path, command: tuple[str, ...]) -> None:
    run(repository, *command)


def test_files_are_small(repository: Path, record_property: pytest.RecordProperty) -> None:
    """None above 500 lines; the median is aimed at about 120."""
    lengths = {path: path.read_text().count("\n") for path in sources(repository)}
    lengths |= {
        path: path.read_text().count("\n")
        for path in (repository / "tests").rglob("*.py")
        if "node_modules" not in path.parts
    }
    median = statistics.median(length for length in lengths.values() if length)
    record_property("median_lines", median)
    print(f"median of {len(lengths)} files: {median:.0f} lines")
    assert not [f"{path.relative_to(repository)}: {length}" for path, length in lengths.items() if length > MAX_LINES]
    assert median <= 200


def catch_alls(source: str) -> Iterator[int]:
    """Lines that catch every exception and do not raise it again."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "suppress":
            if {ast.unparse(kind) for kind in node.args} & {"Exception", "BaseException"}:
                yield node.lineno
            continue
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        names = {ast.unparse(kind).rpartition(".")[2] if kind else "" for kind in caught}
        if names & {"", "Exception", "BaseException"} and not isinstance(node.body[-1], ast.Raise):
            yield node.lineno


def test_nothing_swallows_every_error(repository: Path) -> None:
    sample = "try: f()\nexcept (ValueError, Exception): pass\ntry: f()\nexcept: pass\ntry: f()\nexcept OSError: pass"
    assert list(catch_alls(sample)) == [2, 4]
    assert list(catch_alls("with contextlib.suppress(OSError, Exception): f()")) == [1]
    assert not list(catch_alls("try: f()\nexcept BaseException:\n  close()\n  raise"))
    found = [
        f"{path.relative_to(repository)}:{line}"
        for path in sources(repository)
        if str(path.relative_to(repository)) not in ALLOWED_CATCH_ALLS
        for line in catch_alls(path.read_text())
    ]
    assert not found


def imported(source: str) -> Iterator[str]:
    """Top names of everything imported, by statement or by name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (
                a.value.partition(".")[0] for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )


@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        ("hw_sim", {"dealer_drivers", "dealer_daemon", "dealer_calibration"}),
        ("dealer_drivers", {"hw_sim", "dealer_daemon", "dealer_calibration"}),
        ("dealer_daemon", {"hw_sim", "dealer_calibration"}),
    ],
)
def test_packages_do_not_reach_up_even_by_name(repository: Path, package: str, forbidden: set[str]) -> None:
    """Beside the import contracts: ``importlib`` with a text would escape those."""
    assert set(imported("import a.b\nfrom c.d import e\nimport_module('f.g')\nrun('h')")) == {"a", "c", "f"}
    files = sources(repository, package)
    assert files
    assert not [
        f"{path.relative_to(repository)} names {name}"
        for path in files
        for name in sorted(set(imported(path.read_text())) & forbidden)
    ]
