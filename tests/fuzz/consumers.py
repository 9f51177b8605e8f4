"""What anybody may publish on the topics that a consumer of ``docs/consumers`` reads."""

from __future__ import annotations

import json
from functools import cached_property
from random import Random
from typing import Any

from dealer_daemon.mqtt.envelope import encode_event
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import json_noise
from support.consumer_program import BASE, TABLE, Held
from support.mqtt_outbox import event, opened, outcome

LEAVES = ("events/round.outcome", "state", "replies/settler")
SITE = BASE.rpartition("/")[2]


def good(run_id: str = "run") -> list[Any]:
    """What a station says, to be damaged."""
    events = [json.loads(encode_event(SITE, event(1 + number, each))) for number, each in enumerate(_DATA)]
    lost = {**events[0], "type": "events.lost", "sequence": 4, "data": {"from_sequence": 1, "to_sequence": 3}}
    state = {"last_sequence": 7, "state": "open"}
    replies = [
        {"data": {"command": f"{run_id}-1", "ok": True}},
        {"data": {"command": f"{run_id}-1", "ok": False, "error": "not_now", "message": "later"}},
    ]
    return [*events, lost, state, *replies]


_DATA = (opened(), outcome("17"), opened())


class PythonConsumers:
    """Whatever comes: it is handled, or left with a line that says so; never the end of the program."""

    name, share = "consumer/python", 6.0

    @cached_property
    def held(self) -> Held:
        return Held()

    def draw(self, rng: Random) -> Case:
        bodies = [json_noise(rng, good(self.held.consumer.run_id)) for _ in range(rng.choice((1, 4, 12)))]
        return [[rng.choice(LEAVES), text(body)] for body in bodies]

    def play(self, case: Case) -> int:
        held = Held()
        try:
            self._play(held, case)
        finally:
            held.close()
        return len(case)

    def _play(self, held: Held, case: Case) -> None:
        for leaf, body in case:
            before = 0 if held.table is None else held.table.handled
            try:
                held.gets(leaf, data(body))
            except SystemExit:  # a person must look: only for the answer to what was asked
                if held.consumer.run_id not in body:
                    raise Wrong("ended by what was not asked") from None
            after = held.table.handled
            if type(after) is not int or type(held.table.newest) is not int or after < before:
                raise Wrong(f"{before} to {after}")
            (kept,) = held.db.execute("SELECT coalesce(max(sequence), 0) FROM handled WHERE dealer_table = ?", (TABLE,))
            if kept[0] != after:
                raise Wrong(f"{after} is said, and {kept[0]} is kept")


def kinds() -> list[Kind]:
    """All of them."""
    return [PythonConsumers()]
