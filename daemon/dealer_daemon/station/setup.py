"""From a table's configuration and the journal to its pure core."""

from __future__ import annotations

import json
from importlib import metadata

import msgspec

from dealer_daemon.config import TableConfig
from dealer_daemon.events import Facts
from dealer_daemon.games import load_game
from dealer_daemon.journal import Journal
from dealer_daemon.round import STATE_VERSION, TableState, apply
from dealer_daemon.station.kept import kept_state, snapshot_of
from dealer_daemon.table import Rules, TableSetup
from dealer_daemon.table.common import played_by

__all__ = [
    "VERSION",
    "RulesChanged",
    "ShadowChanged",
    "check_rules",
    "check_shadow",
    "recover",
    "snapshot_of",
    "table_setup",
]

VERSION = metadata.version("dealer-station")


def table_setup(config: TableConfig, clock_speed: float = 1.0) -> TableSetup:
    """What the core of a table needs to know of its configuration."""
    game = load_game(config.game)
    return TableSetup(
        name=config.name,
        rules=Rules(
            game=game,
            settings=config.settings,
            round_source=config.round_source,
            tries_before_pause=config.tries_before_pause,
            witness_wait_s=config.witness_wait_s,
        ),
        devices=tuple(device.for_game() for device in config.devices),
        version=VERSION,
        config_hash=config.config_hash,
        clock_speed=clock_speed,
        shadow=config.shadow,
    )


class ShadowChanged(ValueError):  # noqa: N818
    """A table that has played as a shadow is configured as a live one, or the other way round. The text says what to
    do."""


def check_shadow(state: TableState, config: TableConfig) -> None:
    """Raises ``ShadowChanged``. The events of a table are asked for under its topics as long as they are kept: those of
    a shadow must not be had as a live table's, nor must what was settled on be said once more in the shadow."""
    if state.sequence == 0 or state.shadow == config.shadow:
        return
    was, is_ = ("a shadow", "live") if state.shadow else ("live", "a shadow")
    raise ShadowChanged(
        f"tables.{config.name}.shadow: table {config.name} has played as {was} and cannot go on as {is_}: servers "
        f"could ask for its {state.sequence} events under the other topics. Give the table that is {is_} another name"
    )


class RulesChanged(ValueError):  # noqa: N818
    """A round is open and the table is configured to be played by other rules. The text says what to do."""


def check_rules(state: TableState, setup: TableSetup) -> None:
    """Raises ``RulesChanged``. What lies in an open round was dealt by the rules that it was opened with: by others the
    same cards are another result, or none."""
    was, now = state.rules, played_by(setup.rules)
    if state.round is None or not was or was == now:
        return
    keys = [key for key in sorted(was | now) if was.get(key) != now.get(key)]
    told = "; ".join(f"{key} was {_told(was, key)} and is {_told(now, key)}" for key in keys)
    raise RulesChanged(
        f"tables.{setup.name}: round {state.round.id} is open and was opened by other rules ({told}): put them back, "
        "start, end the round or void it, then change them"
    )


def _told(rules: Facts, key: str) -> str:
    return json.dumps(rules[key]) if key in rules else "left out"


def recover(journal: Journal, table: str) -> TableState:
    """The table's state: the newest snapshot, or what is kept of events that are gone, and the events after it folded
    onto it.

    Raises ``FoldError`` when the events are not what a table wrote, and what ``Journal.events`` raises.
    """
    snapshot = journal.snapshot(table, STATE_VERSION)
    state = kept_state(journal, table) if snapshot is None else msgspec.json.decode(snapshot.body, type=TableState)
    for event in journal.events(table, after=state.sequence):
        state = apply(state, event)
    return state
