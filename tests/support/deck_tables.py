"""A card table with a shuffler, driven by hand: the machine's lines go through the driver's own session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import EventData
from dealer_daemon.games import TableDevice
from dealer_daemon.round import TableState
from dealer_daemon.table import Table
from dealer_drivers.driver import Observes, Output
from dealer_drivers.shuffler.generic import DRIVER
from dealer_drivers.supervised import SupervisedSession
from hw_sim.shuffler import lines
from support.card_tables import NATURAL, START, CardTable, bare

SHUFFLER = "shuffler"
TWO_SETS = {"require_verified": True, "deck_sets": ["red", "blue"]}


class DeckTable(CardTable):
    """See the module. ``shoe`` as for a card table; by default two sets, and only verified ones are dealt."""

    def __init__(
        self, game: str = "baccarat", source: str = "device", *, shoe: dict[str, Any] | None = None, **settings: Any
    ) -> None:
        super().__init__(game, source, shoe=TWO_SETS if shoe is None else shoe, **settings)
        machine = TableDevice(name=SHUFFLER, driver=DRIVER.name, observes=frozenset({Observes.DECK}))
        self.setup = replace(self.setup, devices=(*self.setup.devices, machine))
        self.cards = 52 * (self.setup.rules.settings.shoe.decks or self.procedure.decks)
        self.events.clear()
        self._folded = TableState(table="t1")
        self.at = START
        self.table = Table(self.setup, self._folded, boot="boot-1")
        self.session = SupervisedSession(DRIVER.session(DRIVER.parse_options({})), "the port", "the speed?")
        self._sequence = 0
        self.start()
        self._say(self.session.opened(self.at))

    def _say(self, output: Output) -> list[EventData]:
        return self._keep(self.table.readings(SHUFFLER, output.readings, self.at)) if output.readings else []

    def bytes_of_shuffler(self, data: bytes) -> list[EventData]:
        """The machine sends these, a moment later."""
        self.at = self.at.plus_s(0.5)
        return self._say(self.session.received(data, self.at))

    def shuffler(self, state: str, job: int, deck_set: str | None = None, **more: Any) -> list[EventData]:
        """One status of the machine; ``counted`` is right where the state has one and nothing else is said."""
        self._sequence += 1
        if state in ("ready", "mismatch"):
            more.setdefault("counted", self.cards)
        return self.bytes_of_shuffler(lines.status(self._sequence, state, job, deck_set, **more))

    def level(self, inside: int, phase: str, changes: int) -> list[EventData]:
        """One level of a continuous machine."""
        self._sequence += 1
        return self.bytes_of_shuffler(lines.level(self._sequence, inside, phase, changes))

    def shuffled(self, job: int, deck_set: str | None = None, **more: Any) -> list[EventData]:
        """A whole shuffle, and what the machine calls its cards at the end."""
        return self.shuffler("shuffling", job, deck_set, **more) + self.shuffler("ready", job, deck_set, **more)

    def link_lost(self) -> list[EventData]:
        self.at = self.at.plus_s(1)
        return self._say(self.session.lost(self.at, "unplugged"))

    def link_back(self) -> list[EventData]:
        self.at = self.at.plus_s(1)
        return self._say(self.session.opened(self.at))

    def restart(self, *, asked: bool = False, up: bool = True) -> list[EventData]:
        """The station's process died: the session is another one too."""
        said = super().restart(asked=asked, up=up)
        self.session = SupervisedSession(DRIVER.session(DRIVER.parse_options({})), "the port", "the speed?")
        return said + self._say(self.session.opened(self.at))

    def hand(self, cards: str = bare(NATURAL)) -> None:
        """One hand that ends."""
        self.bets_closed()
        self.deal(cards)

    def end_shoe(self) -> None:
        """The cut card, and the last hand."""
        self.cut()
        self.hand()

    def insert(self, deck_set: str) -> None:
        self.did(CommandName.DECK_INSERT, Role.DEALER, deck_set=deck_set)

    def status(self, deck_set: str) -> str:
        """What the table knows of a set."""
        known = self.state.decks.sets.get(deck_set)
        return "unknown" if known is None else known.status

    def begins(self) -> str | None:
        """Whether a hand can be dealt now: ``None``, or why not. Voids what it opened, and resumes what it paused."""
        if self.setup.rules.round_source == "server":
            reply = self.ask(CommandName.ROUND_OPEN)
            if reply.ok:
                self.manager(CommandName.ROUND_VOID)
            return None if reply.ok else reply.message
        opened = len(self.of_type("round.opened"))
        self.deal("7D")
        if len(self.of_type("round.opened")) > opened:
            self.manager(CommandName.ROUND_VOID)
            if self.state.paused == "rest_of_hand":
                self.resume()
            return None
        reason: str = self.of_type("violation")[-1].reason
        self.resume()
        return reason

    def of_type(self, word: str) -> list[Any]:
        """The data of all events of a type."""
        return [event.data for event in self.events if event.data.type == word]
