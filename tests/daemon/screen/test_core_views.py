"""Whatever happens at a card table of the real core, its screen has a view, and no card that nobody may know in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.config import TableConfig
from dealer_daemon.screen.build import view
from dealer_daemon.screen.recall import Recall, recall
from dealer_daemon.screen.sight import Face, Sight, face_of
from dealer_daemon.screen.view import View
from support.card_tables import CardTable
from support.screen_play import table_config

GAMES: list[tuple[str, str, dict[str, Any]]] = [
    ("baccarat", "server", {"early": "withhold", "gates": ["first_four", "player_third"]}),
    ("baccarat", "device", {}),
    ("dragon-tiger", "server", {"early": "withhold", "burn": True}),
    ("niu-niu", "server", {"early": "withhold"}),
    ("three-cards", "device", {}),
    ("holdem", "server", {"order": "deal", "early": "withhold"}),
    ("andar-bahar", "server", {}),
    ("blackjack", "server", {"rules": "switch-001"}),
    ("blackjack", "server", {"rules": "infinite-001"}),
    ("koi", "server", {"early": "withhold"}),
]
DECK = [rank + suit for suit in "SHCD" for rank in "A23456789TJQK"]
WORDS = (
    "open close close card card card card card card unread foreign cut lost back pause resume void refuse gate restart "
    "wait seats hit done community"
)
ACTS = st.one_of(
    st.sampled_from(WORDS.split()),
    st.tuples(st.just("decide"), st.sampled_from(DECK)),
)


class Watched:
    """A table, and its screen after each decision."""

    def __init__(self, game: str, source: str, keys: dict[str, Any]) -> None:
        self.table = CardTable(game, source, **keys)
        config: TableConfig = table_config(game, "t1", source, shoe={"require_verified": False}, **keys)
        self.face: Face = face_of(config)
        self._seen = 0
        self._recall = Recall()
        self.look()

    def look(self) -> View:
        new = self.table.events[self._seen :]
        self._seen, self._recall = len(self.table.events), recall(self._recall, new)
        made = view(Sight(face=self.face, boot="boot-1", state=self.table.state, recall=self._recall))
        self.check(made)
        return made

    def check(self, made: View) -> None:
        """No slot has a card that the messages so far do not have. Cards of one deck: none lies twice."""
        body = msgspec.json.encode(made).decode()
        current = self.table.state.round
        hidden = [] if current is None else [step.card for step in current.steps if step.withheld]
        published = self.table.published()
        for card in DECK:
            if f'"{card}"' in body:
                assert f'"{card}"' in published, card
        for card in hidden:
            assert f'"{card}"' not in body or f'"{card}"' in published
        if current is not None and current.betting == "open" and hidden:
            allowed = {"wait", "act", "call"}
            assert made.due.tone in allowed
            assert made.due.text.code != "round_ends"


def act(table: CardTable, word: Any, deck: list[str]) -> None:
    expects = {
        "seats": {"action": "seats", "seats": [1, 2]},
        "hit": {"action": "hit", "seat": 1, "hand": 1},
        "done": {"action": "done"},
        "community": {"action": "community", "window": 1},
    }
    match word:
        case "card":
            if deck:
                table.deal(deck.pop())
        case "unread":
            table.unread()
        case "foreign":
            table.foreign()
        case "cut":
            table.cut()
        case "lost":
            table.lost()
        case "back":
            table.back()
        case "restart":
            table.restart()
        case "wait":
            table.wait(5.0)
        case "open":
            table.ask(CommandName.ROUND_OPEN)
        case "close":
            table.ask(CommandName.BETTING_CLOSE)
        case "pause":
            table.ask(CommandName.TABLE_PAUSE, Role.DEALER, reason="manager_called")
        case "resume":
            table.ask(CommandName.TABLE_RESUME, Role.MANAGER, reason="seen", pause=table.state.paused_at)
        case "void":
            table.ask(CommandName.ROUND_VOID, Role.MANAGER, reason="seen")
        case "refuse":
            table.ask(CommandName.ATTEMPT_REFUSE, Role.DEALER)
        case "gate":
            gate = None if table.state.round is None else table.state.round.gate
            table.ask(CommandName.GATE_OPEN, gate=gate or "first_four")
        case ("decide", card):
            table.ask(CommandName.ATTEMPT_DECIDE, Role.MANAGER, reason="video", position="player.1", card=card)
        case word:
            table.ask(CommandName.CARD_EXPECT, **expects[word])


@pytest.mark.parametrize(("game", "source", "keys"), GAMES, ids=lambda value: str(value))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(ACTS, min_size=8, max_size=40), deck=st.permutations(DECK))
def test_there_is_always_a_view_and_never_a_secret(
    game: str, source: str, keys: dict[str, Any], acts: list[Any], deck: list[str]
) -> None:
    watched = Watched(game, source, keys)
    left = list(deck)
    for word in acts:
        act(watched.table, word, left)
        watched.look()


@pytest.mark.parametrize(("game", "source", "keys"), GAMES, ids=lambda value: str(value))
def test_a_button_that_is_offered_is_not_refused(game: str, source: str, keys: dict[str, Any]) -> None:
    """Step by step through a round: what the page offers, the table does; tried on a table that is thrown away."""
    moves = ["open", "close", "seats", *["card"] * 4, "unread", "gate", *["card"] * 3]
    names = {
        "confirm": CommandName.ATTEMPT_CONFIRM,
        "refuse": CommandName.ATTEMPT_REFUSE,
        "resume": CommandName.TABLE_RESUME,
        "call_manager": CommandName.TABLE_PAUSE,
    }
    for count in range(len(moves) + 1):
        for offered in names:
            watched = Watched(game, source, keys)
            left = list(DECK)
            for word in moves[:count]:
                act(watched.table, word, left)
            found = [button for button in watched.look().buttons if button.act == offered]
            for button in found:
                reply = watched.table.ask(names[offered], Role.DEALER, **button.about, **REASON.get(offered, {}))
                assert reply.ok, (moves[:count], offered, reply.message)


REASON = {"resume": {"reason": "seen"}, "call_manager": {"reason": "manager_called"}}
