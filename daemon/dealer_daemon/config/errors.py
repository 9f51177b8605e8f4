"""What is wrong with a configuration: where, which key, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ConfigError:
    """One mistake. ``key`` is dotted, ``tables.r1.devices[0].port``; empty for the file as a whole."""

    file: str
    line: int | None
    key: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.key}: {self.reason}" if self.key else f"{place}: {self.reason}"


class ConfigErrors(Exception):  # noqa: N818
    """Everything that is wrong with one file, in the order of its lines. The text is one line a mistake."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = tuple(errors)


def report(errors: Sequence[ConfigError]) -> dict[str, Any]:
    """The answer of ``check-config --json``: ``ok``, and ``errors`` as a list of file, line, key, reason."""
    return {"ok": not errors, "errors": [asdict(error) for error in errors]}
