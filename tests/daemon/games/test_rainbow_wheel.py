"""The rainbow wheel's game: its configuration, results that people state, and whole rounds at a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_daemon.commands import CommandName
from dealer_daemon.games import AttemptGame, BadFacts, TableDevice, UnreadableFile, load_game
from dealer_daemon.games.rainbow_wheel import GAME, RainbowSettings
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from dealer_drivers.driver import Observes
from dealer_drivers.readings.entry import ResultEntered
from dealer_drivers.wheel.counter import CounterOptions
from dealer_drivers.wheel.modbus_options import ModbusOptions
from support.turn_tables import ENCODER, Floor
from support.turns import COLORS, RULES, at, plain_file

UNMARKED = TableDevice(name="wheel", driver="wheel-modbus", observes=frozenset({Observes.ANGLE}))


@pytest.fixture
def settings(tmp_path: Path) -> RainbowSettings:
    file = tmp_path / "wheel.toml"
    file.write_text(plain_file())
    return RainbowSettings(turn=msgspec.structs.replace(RULES, wheel=str(file)))


def changed(settings: RainbowSettings, **values: object) -> RainbowSettings:
    return RainbowSettings(turn=msgspec.structs.replace(settings.turn, **values))


def test_it_is_found_by_its_name() -> None:
    game = load_game("rainbow-wheel")
    assert isinstance(game, AttemptGame)
    assert game is GAME
    assert game.remedy == "respin"


def test_a_good_configuration_has_no_problem(settings: RainbowSettings) -> None:
    assert GAME.check(settings, [ENCODER]) == []
    assert GAME.check(changed(settings, reference="unchecked"), [UNMARKED]) == []
    assert GAME.starts(settings) == "after_close"


def test_what_cannot_be_is_said_by_key(settings: RainbowSettings, tmp_path: Path) -> None:
    def keys(of: RainbowSettings, *devices: TableDevice) -> list[str]:
        return [key for key, _ in GAME.check(of, devices)]

    assert keys(settings) == ["devices"]
    assert keys(settings, ENCODER, ENCODER) == ["devices"]
    assert keys(settings, UNMARKED) == ["turn.reference"]
    assert keys(changed(settings, min_turns=0.0), ENCODER) == ["turn.min_turns"]
    assert keys(changed(settings, wheel=str(tmp_path / "none.toml")), ENCODER) == ["turn.wheel"]
    unmeasured = tmp_path / "unmeasured.toml"
    unmeasured.write_text(plain_file().replace("reference_deg = 10.0", ""))
    assert keys(changed(settings, wheel=str(unmeasured)), ENCODER) == ["turn.wheel"]
    assert keys(changed(settings, wheel=str(unmeasured), reference="unchecked"), ENCODER) == []


def test_a_person_states_a_segment_or_a_color(settings: RainbowSettings) -> None:
    table = GAME.load(settings)
    facts = GAME.stated(table, {"segment": 30})
    assert (facts["segment"], facts["color"], facts["turns"]) == (30, "blue", None)
    assert facts["segment_map"].startswith("sha256:")
    assert GAME.stated(table, {"color": "red"})["segment"] is None
    assert GAME.stated(table, {"segment": 51, "color": "red"})["segment"] == 51


@pytest.mark.parametrize(
    "args", [{}, {"segment": 52}, {"segment": -1}, {"segment": True}, {"color": "gold"}, {"segment": 0, "color": "red"}]
)
def test_what_this_wheel_cannot_have_is_refused(settings: RainbowSettings, args: dict[str, Any]) -> None:
    with pytest.raises(BadFacts):
        GAME.stated(GAME.load(settings), args)


def turn(floor: Floor, degrees: float) -> None:
    floor.wheel.turn(degrees)
    floor.wheel.rest(2)


def test_rounds_that_the_wheel_opens(settings: RainbowSettings) -> None:
    floor = Floor(settings, "device")
    floor.wheel.rest(1.5)
    turn(floor, 797)
    turn(floor, 1080 + 3 * SEGMENT_DEG)
    turn(floor, -(1080 + 9 * SEGMENT_DEG))
    kinds = [text for text in floor.words() if not text.startswith(("table.", "device."))]
    assert kinds == [
        "round.opened", "attempt.started", "betting.closed", "attempt.refused:too_few_turns", "attempt.started",
        "round.outcome", "round.opened", "attempt.started", "betting.closed", "round.outcome", "round.opened",
    ]  # fmt: skip
    outcomes = [event for event in floor.events if event.type == "round.outcome"]
    segments = [outcome.facts["segment"] for outcome in outcomes]  # type: ignore[attr-defined]
    place = int(floor.wheel.deg % 360 / SEGMENT_DEG)
    assert segments[1] == place
    assert [outcome.attempts for outcome in outcomes] == [2, 1]  # type: ignore[attr-defined]


def test_rounds_of_a_server(settings: RainbowSettings) -> None:
    floor = Floor(settings, "server")
    floor.wheel.rest(1.5)
    floor.ask(CommandName.ROUND_OPEN)
    turn(floor, 1080 + 3 * SEGMENT_DEG)
    floor.ask(CommandName.BETTING_CLOSE)
    turn(floor, 1080 + 4 * SEGMENT_DEG)
    turn(floor, 1080 + 4 * SEGMENT_DEG)
    kinds = [text for text in floor.words() if not text.startswith(("table.", "device."))]
    assert kinds == [
        "round.opened", "attempt.started", "attempt.refused:launched_early", "betting.closed", "attempt.started",
        "round.outcome", "violation:spin_without_round",
    ]  # fmt: skip


def test_one_wheel_for_judge_entries_and_corrections(settings: RainbowSettings) -> None:
    """The file is read once: what happens to it while the station runs changes nothing."""
    table = GAME.load(settings)
    Path(settings.turn.wheel).write_text(plain_file(colors=COLORS[::-1]))
    assert GAME.stated(table, {"segment": 0})["color"] == COLORS[0]
    Path(settings.turn.wheel).unlink()
    assert GAME.stated(table, {"segment": 51})["color"] == COLORS[51]
    assert GAME.judge(table, [ENCODER], None, None) is not None
    with pytest.raises(UnreadableFile, match="there is no such file") as raised:
        GAME.load(settings)
    assert raised.value.key == "turn.wheel"


def keyed(role: Any) -> TableDevice:
    return TableDevice(name="keys", driver="manual-entry", observes=frozenset({Observes.ENTRY}), role=role)


def key(floor: Floor, result: dict[str, Any]) -> None:
    current = floor.table.state.round
    assert current is not None
    now = at(floor.wheel.t_s)
    entered = ResultEntered(at=now, raw=b"x", by="Li", round=current.id, result=result)
    floor.keep(floor.table.readings("keys", [entered], now))


@pytest.mark.parametrize(
    ("result", "ends"),
    [
        ({"segment": 3}, "round.outcome"),
        ({"color": "yellow"}, "round.outcome"),
        ({"segment": 4}, "attempt.held:witnesses_differ"),
        ({"color": "red"}, "attempt.held:witnesses_differ"),
    ],
)
def test_a_person_beside_the_wheel_is_its_witness(settings: RainbowSettings, result: dict[str, Any], ends: str) -> None:
    floor = Floor(settings, "server", keyed("witness"))
    floor.wheel.rest(1.5)
    floor.ask(CommandName.ROUND_OPEN)
    floor.ask(CommandName.BETTING_CLOSE)
    turn(floor, 1080 + 3 * SEGMENT_DEG)
    key(floor, result)
    assert floor.words()[-1] == ends


def test_a_turn_that_began_while_the_round_was_by_hand_ends_in_the_next_one(settings: RainbowSettings) -> None:
    floor = Floor(settings, "server", keyed("fallback"))
    floor.wheel.rest(1.5)
    for name in (CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE, CommandName.ENTRY_ALLOW):
        floor.ask(name)
    floor.wheel.turn(1080 + 4 * SEGMENT_DEG, leave_deg=400)
    key(floor, {"segment": 26})
    assert floor.words()[-1] == "round.outcome"
    floor.ask(CommandName.ROUND_OPEN)
    floor.ask(CommandName.BETTING_CLOSE)
    before = len(floor.words())
    floor.wheel.go(-20, 12)
    floor.wheel.rest(3)
    assert floor.words()[before:] == ["violation:spin_without_round"]
    turn(floor, 1080 + 5 * SEGMENT_DEG)
    assert floor.words()[before + 1 :] == ["attempt.started", "round.outcome"]


@pytest.mark.parametrize("again", [False, True])
def test_a_turn_that_began_before_its_round_ends_in_it_with_a_word(settings: RainbowSettings, again: bool) -> None:
    """``again``: the wheel is spun once more before it was verified at rest, which is still the same turn."""
    floor = Floor(settings, "server")
    floor.wheel.rest(1.5)
    floor.wheel.turn(797, leave_deg=0 if again else 300)
    assert floor.words()[-1] == "violation:spin_without_round"
    floor.ask(CommandName.ROUND_OPEN)
    floor.ask(CommandName.BETTING_CLOSE)
    before = len(floor.words())
    if again:
        floor.wheel.rest(0.3)
        floor.wheel.turn(1080 + 3 * SEGMENT_DEG)
    else:
        floor.wheel.go(-20, 12)
    floor.wheel.rest(3)
    assert floor.words()[before:] == ["violation:spin_without_round"]
    turn(floor, 1080 + 5 * SEGMENT_DEG)
    assert floor.words()[before + 1 :] == ["attempt.started", "round.outcome"]


def encoder(options: ModbusOptions | CounterOptions) -> TableDevice:
    return TableDevice(
        name="wheel",
        driver="wheel",
        observes=frozenset({Observes.ANGLE, Observes.LAPS}),
        angle=options.angle_source(),
    )


def test_a_counter_s_reference_is_its_index(settings: RainbowSettings, tmp_path: Path) -> None:
    counter = encoder(CounterOptions())
    ((key, reason),) = GAME.check(settings, [counter])
    assert key == "turn.wheel"
    assert "reference_deg: 10, but 'wheel' counts from its index: write 0.0" in reason
    indexed = tmp_path / "indexed.toml"
    indexed.write_text(plain_file().replace("reference_deg = 10.0", "reference_deg = 0.0"))
    assert GAME.check(changed(settings, wheel=str(indexed)), [counter]) == []


@pytest.mark.parametrize(
    ("turns", "reference", "most_ms"), [(1, 16, 52), (1, None, 104), (2, 16, 104), (4096, 16, 104), (4096, None, 208)]
)
def test_an_encoder_that_is_asked_too_seldom_is_refused_with_the_number_to_set(
    settings: RainbowSettings, turns: int, reference: int | None, most_ms: int
) -> None:
    def said(poll_ms: int) -> list[tuple[str, str]]:
        return GAME.check(
            changed(settings, still_s=2.0),
            [encoder(ModbusOptions(turns=turns, reference_register=reference, poll_ms=poll_ms))],
        )

    assert said(most_ms) == []
    ((key, reason),) = said(most_ms + 1)
    assert key == "devices"
    assert f"Set poll_ms to {most_ms} at most" in reason
