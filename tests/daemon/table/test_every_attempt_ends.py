"""Whatever is asked of a table in the moments about a turn or a spin: it has an end that is said, and one only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    EventData,
    RoundOutcome,
    RoundVoided,
    Violation,
)
from dealer_daemon.games.rainbow_wheel import RainbowSettings
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.readings import DeviceFault, Fault
from dealer_drivers.readings.roulette import WheelFault
from support.tables import Driven
from support.turn_tables import Floor
from support.turns import RULES, at, plain_file
from support.wheel import Wheel

OPEN, CLOSE, VOID = CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE, CommandName.ROUND_VOID
PAUSE, RESUME = CommandName.TABLE_PAUSE, CommandName.TABLE_RESUME
TURN_S = 14.0
"""No turn here takes longer, with the rest after it."""

Asked = list[tuple[float, CommandName]]


def moments(*orders: CommandName, about: float = 2.0) -> st.SearchStrategy[Asked]:
    """When each is asked, in seconds from the beginning of the attempt, in this order: most often near to it."""
    near, anywhere = st.floats(-0.5, 1.0), st.floats(-about, TURN_S)
    times = st.lists(st.one_of(near, anywhere), min_size=len(orders), max_size=len(orders))
    return times.map(lambda listed: list(zip(sorted(listed), orders, strict=True)))


SERVERS = st.one_of(
    moments(OPEN, CLOSE),
    moments(OPEN, CLOSE, PAUSE, RESUME),
    moments(OPEN, PAUSE, CLOSE, RESUME),
    moments(PAUSE, RESUME, OPEN, CLOSE),
    moments(OPEN, CLOSE, PAUSE, VOID, RESUME),
    moments(OPEN, CLOSE, VOID),
    moments(OPEN, CLOSE, VOID, OPEN, CLOSE),
)
DEVICES = st.one_of(
    moments(PAUSE, RESUME), moments(PAUSE), moments(PAUSE, VOID, RESUME), moments(VOID), moments(PAUSE, RESUME, PAUSE)
)
PLAYS = st.one_of(st.tuples(st.just("server"), SERVERS), st.tuples(st.just("device"), DEVICES))


def ends(events: Sequence[EventData]) -> list[str]:
    """What was said of attempts: each end in a word."""
    found, running = [], False
    for event in events:
        match event:
            case AttemptStarted():
                running = True
            case RoundOutcome() | AttemptRefused() | AttemptHeld():
                found.append(event.type)
                running = False
            case RoundVoided() if running:
                found.append(event.type)
                running = False
            case Violation():
                found.append(event.reason)
                # Its end: a round that is voided after that ends with no attempt in it.
                running = running and event.reason != "spin_while_paused"
            case _:
                pass
    return found


def check(said: list[str], events: Sequence[EventData]) -> None:
    """One end; but that a spin had no round is said when it begins, and again where it ends in one."""
    judged = [word for word in said if not word.startswith("spin_")]
    outside = Counter(word for word in said if word.startswith("spin_"))
    assert said, f"an attempt ended without a word: {[event.type for event in events]}"
    assert len(judged) <= 1
    assert not (judged and outside)
    assert outside["spin_while_paused"] <= 1
    assert outside["spin_without_round"] <= 2


@pytest.fixture(scope="module")
def rainbow(tmp_path_factory: pytest.TempPathFactory) -> RainbowSettings:
    file: Path = tmp_path_factory.mktemp("wheel") / "wheel.toml"
    file.write_text(plain_file())
    return RainbowSettings(turn=msgspec.structs.replace(RULES, wheel=str(file)))


@settings(max_examples=120, deadline=None)
@given(play=PLAYS, degrees=st.sampled_from([797.0, 1100.8, -1400.0]))
@example(play=("device", [(-1.0, PAUSE), (2.0, RESUME)]), degrees=797.0)
@example(play=("device", [(-1.0, PAUSE), (2.0, VOID), (3.0, RESUME)]), degrees=797.0)
@example(play=("device", [(-1.0, PAUSE)]), degrees=797.0)
@example(play=("server", [(0.0, OPEN), (0.0, CLOSE)]), degrees=797.0)
def test_of_every_turn_its_end_is_said(rainbow: RainbowSettings, play: tuple[str, Asked], degrees: float) -> None:
    source, asked = play
    floor = Floor(rainbow, source)
    floor.wheel.rest(3)
    begins_s = floor.wheel.t_s
    floor.due = [(begins_s + after_s, order) for after_s, order in asked if after_s >= 0]
    for order in [order for after_s, order in asked if after_s < 0]:
        floor.ask(order)
    floor.wheel.turn(degrees)
    floor.wheel.rest(max(2.0, begins_s + TURN_S + 1 - floor.wheel.t_s))
    check(ends(floor.events), floor.events)
    assert floor.due == []


@settings(max_examples=120, deadline=None)
@given(play=PLAYS, good=st.booleans())
@example(play=("device", [(1.0, PAUSE), (5.0, VOID), (5.0, RESUME)]), good=False)
@example(play=("device", [(-1.0, PAUSE), (2.0, RESUME)]), good=True)
@example(play=("device", [(-1.0, PAUSE)]), good=False)
def test_of_every_spin_its_end_is_said(play: tuple[str, Asked], good: bool) -> None:
    source, asked = play
    table, wheel = Driven(source, SpinRules(unobserved="accept", launch="any")), Wheel()
    wheel.betting()
    begins = wheel.at
    wheel.rim()
    if good:
        wheel.no_more_bets().bare("7").result("7")
    else:
        wheel.no_more_bets(WheelFault.NO_BALL)
    wheel.next_game(times=3)
    waiting = list(asked)
    for reading in wheel.take():
        while waiting and begins.plus_s(waiting[0][0]).mono_ns <= reading.at.mono_ns:
            table.ask(waiting.pop(0)[1], reading.at, Role.MANAGER, reason="because")
        table.see([reading])
    events = [event.data for event in table.events]
    said = ["judged" if word == "number_while_betting" else word for word in ends(events)]
    check(said, events)


def lost(floor: Floor) -> None:
    now = at(floor.wheel.t_s)
    gone = DeviceFault(at=now, raw=b"", fault=Fault.LINK_LOST, detail="unplugged")
    floor.keep(floor.table.readings("wheel", [gone], now))


def away(floor: Floor, degrees: float) -> None:
    """The wheel is out of sight, and meanwhile turned by so much."""
    lost(floor)
    floor.wheel.deg += degrees
    floor.wheel.t_s += 20


@pytest.mark.parametrize(
    ("source", "ended"), [("device", ["attempt.held", "attempt.held"]), ("server", ["attempt.held", "spin_while_held"])]
)
def test_a_turn_that_nobody_saw_while_another_is_held_is_said_too(
    rainbow: RainbowSettings, source: str, ended: list[str]
) -> None:
    floor = Floor(rainbow, source)
    floor.wheel.rest(1.5)
    if source == "server":
        floor.ask(OPEN)
        floor.ask(CLOSE)
    floor.wheel.turn(797, leave_deg=300)
    away(floor, 300.0)
    floor.wheel.rest(2)
    assert ends(floor.events) == ended[:1], "it was seen at rest again: of that turn all is said"
    away(floor, 800.0)
    floor.wheel.rest(2)
    assert ends(floor.events) == ended
    if source == "device":
        voided = next(event for event in floor.events if isinstance(event, RoundVoided))
        assert (voided.reason, voided.by) == ("held_not_decided", "station")
    held = floor.table.state.round
    assert held is not None
    assert held.phase == "held"


@pytest.mark.parametrize("paused", [False, True])
def test_a_turn_in_which_the_station_is_restarted_ends_once(rainbow: RainbowSettings, paused: bool) -> None:
    floor = Floor(rainbow, "device")
    floor.wheel.rest(1.5)
    if paused:
        floor.ask(PAUSE)
    floor.wheel.turn(1100, leave_deg=600)
    floor.restart()
    floor.wheel.go(-20, 12)
    floor.wheel.rest(2)
    assert ends(floor.events) == ["spin_while_paused" if paused else "attempt.held"]


@pytest.mark.parametrize("paused", [False, True])
def test_a_turn_that_was_lost_from_sight_and_seen_again_ends_once(rainbow: RainbowSettings, paused: bool) -> None:
    floor = Floor(rainbow, "device")
    floor.wheel.rest(1.5)
    if paused:
        floor.ask(PAUSE)
    floor.wheel.turn(1100, leave_deg=600)
    lost(floor)
    floor.wheel.go(-20, 12)
    floor.wheel.rest(2)
    assert ends(floor.events) == ["spin_while_paused" if paused else "attempt.held"]
