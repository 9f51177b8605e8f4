"""From a table's configuration and the journal to its pure core."""

from __future__ import annotations

from importlib import metadata

import msgspec

from dealer_daemon.config import TableConfig
from dealer_daemon.games import load_game
from dealer_daemon.journal import Journal
from dealer_daemon.round import STATE_VERSION, TableState, apply
from dealer_daemon.station.kept import kept_state, snapshot_of
from dealer_daemon.table import Rules, TableSetup

__all__ = ["VERSION", "recover", "snapshot_of", "table_setup"]

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
    )


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
