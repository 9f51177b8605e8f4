"""The Python consumer of ``docs/consumers`` within this process, its broker in the test's hand."""

from __future__ import annotations

import contextlib
import importlib
import io
import sqlite3
import sys
from types import SimpleNamespace
from typing import Any

from support.consumers import CONSUMERS

BASE, TABLE, NAME = "dealer/v1/studio-1", "r1", "settler"


def modules() -> tuple[Any, Any]:
    """Its program, and its ``bodies``."""
    place = str(CONSUMERS / "python")
    sys.path.insert(0, place)
    try:
        return importlib.import_module("consumer"), importlib.import_module("bodies")
    finally:
        sys.path.remove(place)


class Held:
    """A consumer that gets messages from here. ``said`` is what it wrote for people."""

    def __init__(self) -> None:
        program, _ = modules()
        self.db = sqlite3.connect(":memory:")
        self.acked: list[int] = []
        self.consumer = program.Consumer(BASE, NAME, self.db, {})
        self.said = ""
        self._client = SimpleNamespace(ack=lambda mid, _qos: self.acked.append(mid))

    def gets(self, leaf: str, body: bytes) -> None:
        """A message of table r1; raises what the consumer raises, as paho would end it."""
        message = SimpleNamespace(topic=f"{BASE}/{TABLE}/{leaf}", payload=body, mid=len(self.acked), qos=1)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.consumer.message(self._client, None, message)
        self.said = said.getvalue()
        if self.acked[-1:] != [message.mid]:
            raise AssertionError("a message that is left is not acknowledged, and comes again for ever")

    @property
    def table(self) -> Any:
        """How far it is."""
        return self.consumer.tables.get(TABLE)

    def settled(self) -> list[tuple[Any, ...]]:
        """What it settled, in order."""
        return self.db.execute("SELECT id, type, round, data FROM settled ORDER BY rowid").fetchall()

    def close(self) -> None:
        """The end."""
        self.db.close()
