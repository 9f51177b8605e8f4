"""An export of a shadow's journal and the other system's CSV, and the report on both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import main

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TABLE = "r1-shadow"
Row = tuple[float, str, dict[str, Any]]


def line(sequence: int, seconds: float, word: str, **data: Any) -> str:
    time = (START + timedelta(seconds=seconds)).isoformat()
    row = {"kind": "event", "type": word, "table": TABLE, "sequence": sequence, "time": time, "data": data}
    return json.dumps(row | {"subject": f"{TABLE}-{sequence}"}) + "\n"


def outcome(seconds: float, number: int, evidence: Sequence[str] = ()) -> Row:
    facts = {"number": str(number), "color": "red", "laps": None}
    return seconds, "round.outcome", {"game": "roulette", "facts": facts, "attempts": 1, "evidence": list(evidence)}


def refused(seconds: float) -> Row:
    data = {
        "reason": "short_spin",
        "remedy": "rethrow",
        "attempt": 1,
        "detail": "5 of 7 laps",
        "evidence": ["sha256:5"],
    }
    return seconds, "attempt.refused", data


def exported(path: Path, rows: Sequence[Row], *, shadow: bool = True) -> Path:
    """An export with the journal's own rows round the events."""
    file = path / "events.jsonl"
    started = line(1, -60, "table.started", game="roulette", shadow=shadow, boot="b", version="1", config_hash="c")
    lines = ['{"kind": "journal", "type": "journal.begun", "data": {}}\n', started]
    lines += [line(n, seconds, word, **data) for n, (seconds, word, data) in enumerate(rows, 2)]
    file.write_text("".join(lines))
    return file


def results(path: Path, rows: Sequence[tuple[float, Any]], head: str = "time,number") -> Path:
    file = path / "theirs.csv"
    text = [f"{(START + timedelta(seconds=seconds)).isoformat()},{value}" for seconds, value in rows]
    file.write_text("\n".join([head, *text]) + "\n")
    return file


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    code = main(["shadow-report", "--table", TABLE, *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)
