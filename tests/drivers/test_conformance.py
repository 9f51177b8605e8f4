"""Every installed driver of ours keeps the laws that every driver keeps."""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from dealer_drivers.conformance import Broken, Check, checks
from dealer_drivers.driver import ENTRY_POINT_GROUP, UnknownDriver, load_driver

EXAMPLES = Path(__file__).parent.parent / "support" / "driver_examples"
FOLDER = Path(tempfile.gettempdir()) / f"driver-examples-{os.getpid()}"
CASES, JUNK_BYTES = 8, 48 * 1024
"""Some 10 s for all drivers; `python -m dealer_drivers.conformance` takes more of both."""
OURS = sorted(
    entry.name for entry in metadata.entry_points(group=ENTRY_POINT_GROUP) if entry.value.startswith("dealer_drivers.")
)
UNTRIED = set() if "DEALER_REAL_DATA" in os.environ else {"recordings back it"}
"""Recordings of real devices are read in place, or not at all."""


def _loads(name: str) -> bool:
    """One that does not load fails as itself, and hides no other."""
    try:
        load_driver(name)
    except UnknownDriver:
        return False
    return True


DESCRIBED = [name for name in OURS if (EXAMPLES / f"{name.replace('-', '_')}.py").exists() and _loads(name)]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"support.driver_examples.{name.replace('-', '_')}")


def _checks(name: str) -> list[Check]:
    return checks(load_driver(name), _module(name).examples(FOLDER), cases=CASES, junk_bytes=JUNK_BYTES)


@pytest.fixture(scope="module", autouse=True)
def _files_of_the_options() -> Iterator[None]:
    FOLDER.mkdir()
    try:
        for name in DESCRIBED:
            if hasattr(_module(name), "prepare"):
                _module(name).prepare(FOLDER)
        yield
    finally:
        shutil.rmtree(FOLDER)


@pytest.mark.parametrize("name", OURS)
def test_the_suite_is_told_of_every_driver(name: str) -> None:
    load_driver(name)
    assert name in DESCRIBED, f"write tests/support/driver_examples/{name.replace('-', '_')}.py"


@pytest.mark.parametrize(
    ("name", "about"),
    [(name, about) for name in DESCRIBED for about in dict.fromkeys(check.about for check in _checks(name))],
    ids=lambda value: value or "all",
)
def test_conformance(name: str, about: str) -> None:
    broken: dict[str, str] = {}
    for check in _checks(name):
        if check.about == about and check.law not in UNTRIED:
            try:
                check()
            except Broken as error:
                broken[check.law] = str(error)
    assert not broken, "".join(f"\n{law}: {why}" for law, why in broken.items())
