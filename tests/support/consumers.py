"""The consumers of ``docs/consumers`` as processes, and what each of them made of the events."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from support.live import PREFIX, SITE, TABLE, Child

ROOT = Path(__file__).resolve().parents[2]
CONSUMERS = ROOT / "docs/consumers"


class Settled(Protocol):
    """A consumer's process, and what it keeps."""

    child: Child

    def handled(self) -> int:
        """Up to which sequence of the table it says to be done, in what it keeps."""
        ...

    def settled(self) -> list[dict[str, Any]]:
        """What it settled: ``id``, ``type``, ``round``, ``data``."""
        ...


class PythonConsumer:
    """``docs/consumers/python``: SQLite."""

    def __init__(self, folder: Path, port: int, keys: Sequence[Path] = ()) -> None:
        self._database = folder / "settled.sqlite3"
        program = str(CONSUMERS / "python/consumer.py")
        options = [word for key in keys for word in ("--key", str(key))]
        where = (f"127.0.0.1:{port}", f"{PREFIX}/{SITE}", "py-settler", str(self._database))
        self.child = Child(sys.executable, program, *where, *options, log=folder / "python-consumer.log")

    def handled(self) -> int:
        rows = self._read("SELECT sequence FROM handled WHERE dealer_table = ?", TABLE)
        return rows[0][0] if rows else 0

    def settled(self) -> list[dict[str, Any]]:
        rows = self._read("SELECT id, type, round, data FROM settled ORDER BY rowid")
        return [{"id": row[0], "type": row[1], "round": row[2], "data": json.loads(row[3])} for row in rows]

    def _read(self, sql: str, *arguments: str) -> list[Any]:
        if not self._database.exists():
            return []
        with contextlib.closing(sqlite3.connect(self._database, timeout=10)) as db:
            try:
                return db.execute(sql, arguments).fetchall()
            except sqlite3.OperationalError:  # its tables are not made yet
                return []


class NodeConsumer:
    """``docs/consumers/node``: a file of lines."""

    def __init__(self, folder: Path, port: int, keys: Sequence[Path] = ()) -> None:
        node = shutil.which("node")
        assert node, "node is not installed: run the tests with `make test`, which installs it"
        here = folder / "node-consumer"
        here.mkdir()
        for source in (CONSUMERS / "node").glob("*.mjs"):
            shutil.copy(source, here)
        (here / "node_modules").symlink_to(ROOT / "tests/js/node_modules")
        self._file = folder / "settled.jsonl"
        where = (f"mqtt://127.0.0.1:{port}", f"{PREFIX}/{SITE}", "js-settler", str(self._file))
        words = (node, str(here / "consumer.mjs"), *where, *(str(key) for key in keys))
        self.child = Child(*words, log=folder / "node-consumer.log")

    def handled(self) -> int:
        lines = self._lines()
        return lines[-1]["sequence"] if lines else 0

    def settled(self) -> list[dict[str, Any]]:
        return [{key: line[key] for key in ("id", "type", "round", "data")} for line in self._lines() if "id" in line]

    def _lines(self) -> list[dict[str, Any]]:
        if not self._file.exists():
            return []
        return [json.loads(line) for line in self._file.read_text(encoding="utf-8").split("\n")[:-1]]


def skip_without(*programs: str) -> list[str]:
    """The paths of programs; skips where one is absent."""
    found = [shutil.which(program) for program in programs]
    if missing := [program for program, path in zip(programs, found, strict=True) if path is None]:
        pytest.skip(f"{', '.join(missing)} is not installed: the example is not checked here")
    return [path for path in found if path is not None]
