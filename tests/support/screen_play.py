"""A table as its screen sees it, played by events that a test makes up: folded as the journal's are, nothing else."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec

from dealer_daemon.config import TableConfig
from dealer_daemon.events import (
    BettingClosed,
    CardDrawn,
    Event,
    EventData,
    RoundOpened,
    RoundOutcome,
    ShoeBegan,
    TableStarted,
)
from dealer_daemon.games import load_game
from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep
from dealer_daemon.round import TableState, apply
from dealer_daemon.screen.build import view
from dealer_daemon.screen.recall import Recall, recall
from dealer_daemon.screen.sight import Sight, face_of
from dealer_daemon.screen.view import View
from dealer_daemon.table.cards.hand import history_of
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_daemon.words import Language

START_NS = 1_767_225_600_000_000_000
BOOT = "boot-1"


def table_config(
    game: str, name: str = "t1", source: str = "server", language: Language = Language.ENGLISH, **settings: Any
) -> TableConfig:
    """A table without devices; further keywords are its settings."""
    if game == "rainbow-wheel":
        chosen: Any = SimpleNamespace(turn=SimpleNamespace(launch="after_close"))
    else:
        chosen = msgspec.convert(settings, load_game(game).settings)
    return TableConfig(
        name=name,
        game=game,
        round_source=source,  # type: ignore[arg-type]
        tries_before_pause=3,
        witness_wait_s=10.0,
        shadow=False,
        devices=(),
        settings=chosen,
        config_hash="sha256:0",
        written=load_game(game).settings() if game != "rainbow-wheel" else TurnRules(wheel=""),
        fixed_hash="sha256:0",
        screen_language=language,
    )


class ScreenPlay:
    """See the module. ``say`` takes the next event; ``sight`` may be changed (``replace``) for what no event tells."""

    def __init__(self, config: TableConfig) -> None:
        self.config = config
        self.events: list[Event] = []
        face = replace(face_of(config), has_shaker=True)
        self.sight = Sight(face=face, boot=BOOT, state=TableState(table=config.name), recall=Recall())
        self.say(TableStarted(boot=BOOT, version="test", config_hash="", game=config.game))

    def say(self, *data: EventData) -> ScreenPlay:
        for one in data:
            current = self.sight.state.round
            subject = None if current is None else current.id
            if isinstance(one, RoundOpened):
                subject = f"{self.config.name}-{self.sight.state.rounds + 1}"
            if isinstance(one, TableStarted | ShoeBegan):
                subject = None
            sequence = self.sight.state.sequence + 1
            event = Event(
                table=self.config.name,
                sequence=sequence,
                subject=subject,
                wall_ns=START_NS + sequence * 1_000_000_000,
                mono_ns=sequence * 1_000_000_000,
                boot=BOOT,
                data=one,
            )
            self.events.append(event)
            state = apply(self.sight.state, event)
            self.sight = replace(self.sight, state=state, recall=recall(self.sight.recall, [event]))
        return self

    def shoe(self, decks: int = 8) -> ScreenPlay:
        return self.say(ShoeBegan(shoe_id=f"{self.config.name}-shoe-1", hand_in_shoe=0, decks=decks))

    def open(self) -> ScreenPlay:
        shoe = self.sight.state.shoe
        where = {} if shoe is None else {"shoe_id": shoe.id, "hand_in_shoe": shoe.hands + 1}
        return self.say(RoundOpened(game=self.config.game, source=self.config.round_source, **where))  # type: ignore[arg-type]

    def close(self) -> ScreenPlay:
        return self.say(BettingClosed(game=self.config.game, source=self.config.round_source))

    def cards(self, cards: str) -> ScreenPlay:
        """The next cards, each where it is due."""
        procedure = self.sight.face.procedure
        assert procedure is not None
        for card in cards.split():
            assert self.sight.state.round is not None
            due = procedure.due(history_of(self.sight.state.round.steps))
            assert isinstance(due, CardDue), due
            self.say(CardDrawn(card=card, position=due.position))
        return self

    def outcome(self, **facts: Any) -> ScreenPlay:
        """The outcome by the cards that lie there, or with these facts."""
        current, procedure = self.sight.state.round, self.sight.face.procedure
        assert current is not None
        if procedure is not None:
            facts = procedure.facts(history_of(current.steps))
        return self.say(
            RoundOutcome(
                game=self.config.game,
                facts=facts,
                attempts=current.attempt,
                evidence=[],
                source="device",
                shoe_id=current.shoe_id,
                hand_in_shoe=current.hand_in_shoe,
            )
        )

    def view(self) -> View:
        return view(self.sight)


def step(position: str, card: str) -> CardStep:
    """A card where it lies."""
    return CardStep(position, Card.parse(card))
