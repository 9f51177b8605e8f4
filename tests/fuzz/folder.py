"""The files that options, profiles and calibrations name: written once, and what good ones hold."""

from __future__ import annotations

import atexit
import importlib
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from dealer_drivers.conformance import Examples
from dealer_drivers.driver import driver_names

ROOT = Path(__file__).resolve().parents[2]
WHEEL = "wheel.toml"


@cache
def folder() -> Path:
    """A folder of this process with the examples' files and a colour wheel's calibration."""
    made = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    for name in described():
        module = importlib.import_module(f"support.driver_examples.{name.replace('-', '_')}")
        if hasattr(module, "prepare"):
            module.prepare(made)
    wheel = next(block for block in blocks("docs/howto/add-a-colour-wheel.md", "toml") if block.startswith("wheel = 1"))
    (made / WHEEL).write_text(wheel, encoding="utf-8")
    return made


@cache
def described() -> list[str]:
    """The drivers that have examples."""
    there = ROOT / "tests/support/driver_examples"
    return [name for name in driver_names() if (there / f"{name.replace('-', '_')}.py").exists()]


@cache
def examples(driver: str) -> Examples:
    """What is stated of a driver."""
    module = importlib.import_module(f"support.driver_examples.{driver.replace('-', '_')}")
    stated: Examples = module.examples(folder())
    return stated


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page of the documentation."""
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    return [str(block) for block in found]


def all_blocks(language: str) -> list[str]:
    """Those of all pages."""
    pages = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))
    return [block for page in ("README.md", *map(str, pages)) for block in blocks(page, language)]
