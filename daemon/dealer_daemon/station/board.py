"""A table's scoreboard in the station: folded from the journal at the start, and from each commit since."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dealer_daemon.boards import FOLDED, KEPT_PLAYS, BoardBody, Kept, board_body, keep
from dealer_daemon.boards.build import GAMES_WITH_ROADS
from dealer_daemon.config import TableConfig
from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.journal import Journal


class TableBoard:
    """See the module. A start reads the table's newest ``KEPT_PLAYS`` outcomes and what belongs to them, however long
    the journal is. Raises ``JournalError``."""

    def __init__(self, config: TableConfig, journal: Journal) -> None:
        self._config = config
        kept = Kept(game=config.game, with_shoe=config.game in GAMES_WITH_ROADS)
        self._kept = keep(kept, journal.recent(config.name, FOLDED, RoundOutcome.type, KEPT_PLAYS))
        self._made: tuple[Kept, BoardBody] | None = None
        self._shown: Kept | None = None
        journal.add_listener(self._heard)

    def body(self) -> BoardBody:
        """The board as committed, made when it is asked for."""
        if self._made is None or self._made[0] is not self._kept:
            self._made = (self._kept, board_body(self._kept, self._config.name, shadow=self._config.shadow))
        return self._made[1]

    def news(self) -> tuple[int, bytes] | None:
        """Its sequence and its bytes, where it is another than at the last call."""
        if self._shown is self._kept:
            return None
        self._shown = self._kept
        return self._kept.sequence, msgspec.json.encode(self.body())

    def _heard(self, events: Sequence[Event]) -> None:
        self._kept = keep(self._kept, [event for event in events if event.table == self._config.name])
