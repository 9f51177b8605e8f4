"""Whatever a person keys in or a manager's program sends, at every game: facts, or words of what is expected."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.games import AttemptGame, BadFacts, TableDevice, game_names, load_game
from dealer_daemon.round import TableState
from dealer_daemon.table import Rules, Table, TableSetup
from dealer_drivers.driver import Observes
from dealer_drivers.entry.session import EntrySession
from dealer_drivers.readings.entry import ResultEntered
from support.tables import Driven
from support.turns import at, plain_file

KEYS = st.sampled_from(
    ["number", "dice", "remainder", "segment", "color", "hands", "cards", "player", "banker", "dealer", "joker", "seat"]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 60)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["17", "0", "red", "yellow", "AS", "TH", "", "d"])
    | st.text(max_size=4)
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
RESULTS = st.dictionaries(KEYS | st.text(max_size=3), JSON, max_size=4)
GOOD: dict[str, dict[str, Any]] = {
    "roulette": {"number": "17"},
    "sic-bo": {"dice": [1, 3, 6]},
    "fan-tan": {"remainder": 3},
    "rainbow-wheel": {"segment": 51},
}
OTHER: dict[str, dict[str, Any]] = {
    "roulette": {"number": "18"},
    "sic-bo": {"dice": [1, 3, 5]},
    "fan-tan": {"remainder": 4},
    "rainbow-wheel": {"segment": 0},
}
ATTEMPT_GAMES = [name for name in game_names() if isinstance(load_game(name), AttemptGame)]


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("wheel") / "wheel.toml"
    file.write_text(plain_file())
    return file


def chosen(name: str, wheel_file: Path) -> Any:
    game = load_game(name)
    values = {"turn": {"wheel": str(wheel_file)}} if name == "rainbow-wheel" else {}
    return game.load(msgspec.convert(values, game.settings))


def keys(name: str, role: Any) -> TableDevice:
    return TableDevice(name=name, driver="manual-entry", observes=frozenset({Observes.ENTRY}), role=role)


class Keyed(Driven):
    """A table of any game of attempts whose results are keyed in."""

    def __init__(self, game: str, wheel_file: Path, *others: TableDevice, source: str = "server") -> None:
        self.setup = TableSetup(
            name="r1",
            rules=Rules(load_game(game), chosen(game, wheel_file), source, 3),  # type: ignore[arg-type]
            devices=(keys("keys", "main"), *others),
            version="test",
            config_hash="0" * 64,
        )
        self.events, self.actions, self.evidence, self._ids = [], [], {}, count(1)
        self.table = Table(self.setup, TableState(table="r1"), boot="b")
        self.start(at(100))

    def open(self) -> str:
        assert self.ask(CommandName.ROUND_OPEN, at(101)).ok
        assert self.ask(CommandName.BETTING_CLOSE, at(101)).ok
        assert self.table.state.round is not None
        return self.table.state.round.id

    def key(self, result: dict[str, Any], round_id: str | None, device: str = "keys") -> None:
        self.see([ResultEntered(at=at(102), raw=b"x", by="Li", round=round_id, result=result)], device)


@pytest.mark.parametrize("name", game_names())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(args=RESULTS)
def test_a_stated_result_is_facts_or_refused_with_words(name: str, wheel_file: Path, args: dict[str, Any]) -> None:
    try:
        facts = load_game(name).stated(chosen(name, wheel_file), args)
    except BadFacts as error:
        facts = {"expected": str(error)}
    assert facts.get("expected") != ""
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


@pytest.mark.parametrize("name", ATTEMPT_GAMES)
@settings(max_examples=40)
@given(args=RESULTS)
def test_any_entry_and_any_correction_leaves_the_table_running(
    name: str, wheel_file: Path, args: dict[str, Any]
) -> None:
    table = Keyed(name, wheel_file)
    table.key(args, table.open())
    if table.table.state.round is not None:
        table.key(GOOD[name], table.table.state.round.id)
    assert table.events[-1].data.type == "round.outcome"
    last = table.events[-1].sequence
    answer = table.ask(
        CommandName.OUTCOME_CORRECT, at(103), Role.MANAGER, **{**args, "replaces": last, "reason": "video"}
    )
    assert answer.ok or answer.error is not None
    table.ask(CommandName.ATTEMPT_DECIDE, at(103), Role.MANAGER, **{**args, "reason": "video"})


@pytest.mark.parametrize("name", ATTEMPT_GAMES)
def test_a_witness_agrees_or_differs_at_every_game(name: str, wheel_file: Path) -> None:
    for second, ends in ((GOOD, "round.outcome"), (OTHER, "attempt.held")):
        table = Keyed(name, wheel_file, keys("second", "witness"))
        round_id = table.open()
        table.key(GOOD[name], round_id)
        assert table.events[-1].data.type == "betting.closed" or table.events[-1].data.type == "attempt.started"
        table.key(second[name], round_id, "second")
        assert table.events[-1].data.type == ends


@pytest.mark.parametrize("name", ATTEMPT_GAMES)
def test_a_fallback_s_word_counts_where_it_is_allowed(name: str, wheel_file: Path) -> None:
    table = Keyed(name, wheel_file, keys("second", "fallback"))
    round_id = table.open()
    assert table.ask(CommandName.ENTRY_ALLOW, at(102), Role.MANAGER, reason="broken").ok
    table.key(GOOD[name], round_id, "second")
    assert table.events[-1].data.type == "round.outcome"


def test_a_pair_sent_again_after_a_lost_answer_is_one_round(wheel_file: Path) -> None:
    """Rounds that the entry itself opens: the second pair would be the next round's."""
    table, session = Keyed("roulette", wheel_file, source="device"), EntrySession(60)
    round_id = None if table.table.state.round is None else table.table.state.round.id
    line = json.dumps({"id": "a1", "by": "Li", "round": round_id, "result": {"number": "17"}}).encode() + b"\n"
    answers: list[str] = []
    for _ in range(2):
        session.opened(at(101))
        for _ in range(2):
            output = session.feed(line, at(102))
            table.see(output.readings, "keys")
            answers += [json.loads(sent)["state"] for sent in output.send]
        session.lost(at(103), "")
    assert answers == ["again", "entered", "entered", "entered"]
    assert [event.data.type for event in table.events].count("round.outcome") == 1
    other = session.feed(line.replace(b"17", b"18"), at(104))
    assert (other.readings, json.loads(other.send[0])["state"]) == ((), "refused")
