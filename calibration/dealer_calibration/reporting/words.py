"""Words that page and PDF share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from dealer_calibration.bench import Finding, Result

MARKS = {True: "yes", False: "NO", None: "not known"}


def verdict(result: Result | None) -> str:
    """One result in a line."""
    if result is None:
        return "the table as a whole was not checked yet"
    passed = "passed" if result.passed else "did NOT pass"
    return f"{result.command} {passed}, {result.made}{f', by {result.by}' if result.by else ''}"


def moment(made: dt.datetime) -> str:
    """A time as the report writes it."""
    return made.strftime("%Y-%m-%d %H:%M UTC")


def figures(found: Finding | Result) -> Iterator[tuple[str, str]]:
    """Figures as text; long lists are cut, since the whole of it is in the kept result."""
    for name, value in found.figures.items():
        text = _text(value)
        yield name, text if len(text) <= 300 else f"{text[:300]} …"


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "-" if value is None else str(value)
