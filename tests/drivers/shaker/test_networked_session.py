"""The networked shaker's session: no ids on the wire, so order and time tell what may count (``devices.md`` §4)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import DeviceAction
from dealer_drivers.errors import OptionError
from dealer_drivers.shaker.networked import ANSWER_S, BUSY_SILENT_S, DRIVER, NetworkedSession
from dealer_drivers.shaker.networked_options import NetworkedOptions
from dealer_drivers.transports.mqtt import MqttTransport
from dealer_drivers.transports.mqtt_lines import received_line
from support.shaker import START, Bench

CYCLE = b"command /cycle/?pattern=1&parameter1=50&parameter2=50&amplitude=80&duration=4000\n"
ASK = b"command /state\n"


def bench(*, control: bool = True, ask: bool = True) -> Bench:
    return Bench(NetworkedSession(NetworkedOptions(control=control, ask=ask))).open()


def shaking_for(bench: Bench, seconds: float) -> Bench:
    """It shakes, and answers every question with that."""
    for _ in range(round(seconds / 0.4)):
        bench.wait(0.4).state("S1")
    return bench


def test_the_normal_order_of_a_shake_that_the_station_started() -> None:
    shaker = bench().state("S0")
    assert shaker.start()
    assert shaker.sent[-1] == (0.0, CYCLE)
    shaker.wait(0.1).state("S2").wait(0.2).state("S1")
    shaking_for(shaker, 4.0).state("S0")
    assert [key for key, _ in itertools.groupby(shaker.new())] == ["idle:0", "taken:1", "shaking:1:4s", "idle:1"]


def test_the_dealers_button_makes_a_cycle_of_its_own() -> None:
    shaker = bench(control=False).state("S0").state("S1")
    shaking_for(shaker, 4.0).state("S0").wait(ANSWER_S).state("S1").state("S0")
    words = [key for key, _ in itertools.groupby(shaker.new())]
    assert words == ["idle:0", "shaking:1", "idle:1", "shaking:2", "idle:2"]


def test_a_stale_idle_after_the_command_belongs_to_the_cycle_before() -> None:
    shaker = bench().state("S0")
    shaker.start()
    shaker.wait(0.01).state("S0").wait(0.1).state("S2").wait(0.1).state("S0")
    assert shaker.new() == ["idle:0", "idle:0", "taken:1", "idle:0"]
    assert shaker.state("S1").new() == ["shaking:1:4s"]


def test_a_state_that_the_broker_kept_is_said_once_and_is_no_state() -> None:
    shaker = bench().state("S0", kept=True).state("S1", kept=True)
    assert shaker.new() == ["notice:kept_state"]
    assert shaker.state("S0").new() == ["idle:0"]


def test_an_idle_that_may_answer_a_question_from_before_the_shaking_is_asked_again() -> None:
    shaker = bench(control=False).state("S0").wait(5.0)
    assert shaker.asked()[-1] == 5.0
    shaker.state("S1").wait(0.1).state("S0")
    assert shaker.new() == ["idle:0", "shaking:1"]
    assert shaker.wait(0.35).asked() == [5.4]
    shaker.state("S1").wait(0.4).state("S1").wait(0.4).state("S0")
    assert shaker.new() == ["shaking:1", "shaking:1", "idle:1"]


def test_a_shaking_that_may_answer_a_question_from_before_it_stood_is_no_new_shake() -> None:
    """The answer comes 0.3 s late: what it shook is over."""
    shaker = bench(control=False).state("S0").state("S1")
    shaking_for(shaker, 1.2).wait(0.1).state("S0").wait(0.2).state("S1").wait(0.15)
    assert shaker.new()[-1] == "idle:1"
    shaker.wait(1.0)
    assert shaker.sent[-1][1] == ASK, "asked again"
    assert shaker.state("S0").new() == ["idle:1"]


def test_a_button_pressed_right_after_the_stop_counts_once_its_shaking_is_said_again() -> None:
    shaker = bench(control=False).state("S0").state("S1")
    shaking_for(shaker, 1.2).wait(0.1).state("S0").wait(0.2).state("S1")
    shaker.new()
    shaker.wait(1.0).state("S1").wait(0.4).state("S1")
    assert shaker.new()[0] == "shaking:2"


def test_lost_words_are_asked_for() -> None:
    """``lost_shaking`` and ``lost_idle``: the answers to the questions say it."""
    shaker = bench().state("S0")
    shaker.start()
    shaker.asked()
    shaker.state("S2").wait(0.5)
    assert shaker.asked() == [0.4]
    shaker.state("S1").wait(0.5).state("S1").wait(0.5).state("S0")
    assert shaker.new() == ["idle:0", "taken:1", "shaking:1:4s", "shaking:1:4s", "idle:1"]


def test_a_shaker_that_loses_its_power_in_mid_shake_falls_silent_and_its_start_up_idle_is_no_end() -> None:
    shaker = bench().state("S0")
    shaker.start()
    shaker.state("S1").wait(1.0)
    assert shaker.new() == ["idle:0", "shaking:1:4s", "fault:silent"]
    shaker.wait(0.5).state("S0")
    assert shaker.new() == ["over:silent", "idle:1"]


def test_questions_come_at_the_pace_of_what_it_does() -> None:
    shaker = bench(control=False).state("S0")
    shaker.wait(4.9)
    assert shaker.asked() == [0.0]
    shaker.wait(0.2).state("S0").wait(5.2)
    assert shaker.asked() == [5.0, 10.1]
    shaker.state("S1").wait(0.9)
    assert shaker.asked() == [10.7, 11.1]


def test_an_idle_shaker_that_answers_nothing_is_silent_and_then_speaks_again() -> None:
    shaker = bench(control=False).state("S0")
    assert shaker.wait(10.9).new() == ["idle:0"]
    assert shaker.wait(0.2).new() == ["fault:silent"]
    assert shaker.wait(60).new() == []
    assert shaker.state("S0").new() == ["over:silent", "idle:0"]


def test_doubled_words_are_one_cycle() -> None:
    shaker = bench().state("S0")
    shaker.start()
    for state in ("S2", "S1"):
        shaker.state(state).wait(0.02).state(state).wait(0.3)
    shaker.state("S0").wait(0.02).state("S0")
    assert shaker.new() == ["idle:0", "taken:1", "taken:1", "shaking:1:4s", "shaking:1:4s", "idle:1", "idle:1"]


def test_a_motion_fault_is_a_word_and_a_fault_until_it_goes_on() -> None:
    shaker = bench().state("S0")
    shaker.start()
    shaker.state("S2").state("S90").state("S90")
    assert shaker.new() == ["idle:0", "taken:1", "faulted:1", "fault:motion_fault", "faulted:1"]
    assert shaker.start()
    assert shaker.state("S2").state("S1").new() == ["over:motion_fault", "taken:2", "shaking:2:4s"]


def test_a_command_that_leads_to_nothing_is_forgotten_after_a_while() -> None:
    shaker = bench().state("S0")
    shaker.start()
    for _ in range(30):
        shaker.wait(0.4).state("S0")
    shaker.new()
    assert shaker.state("S1").new() == ["shaking:2"]


def test_a_lost_link_forgets_what_was_asked_and_asks_what_is_now() -> None:
    shaker = bench().state("S0")
    shaker.start()
    shaker.bytes(b"live sta").lose()
    assert shaker.rejected == len("live sta")
    assert not shaker.start()
    assert shaker.session.deadline_ns() is None
    shaker.wait(3).open()
    assert shaker.sent[-1][1] == ASK
    shaker.state("S0").state("S1")
    assert shaker.new() == ["idle:0", "idle:0", "shaking:2"]


def test_without_control_nothing_is_started_and_without_ask_nothing_is_sent() -> None:
    assert not bench(control=False).start()
    mute = bench(control=False, ask=False).state("S0").wait(100).state("S1").wait(100)
    assert mute.sent == []
    assert mute.new() == ["idle:0", "shaking:1"]
    assert bench().session.request(DeviceAction.LOOK, START).send == ()


@pytest.mark.parametrize("text", ["S3", "S00", "s0", "S0 ", "", "S901", "7"])
def test_a_text_that_is_no_state_is_unreadable(text: str) -> None:
    shaker = bench().state(text)
    assert shaker.new() == ["unreadable"]
    assert shaker.rejected > 0


STATES = st.lists(st.sampled_from(["S0", "S1", "S2", "S90", "S7", "x"]), max_size=12)


@given(STATES, st.integers(1, 9))
def test_the_answers_do_not_depend_on_how_the_bytes_were_cut(states: list[str], size: int) -> None:
    data = b"".join(received_line("state", state.encode(), kept=False) for state in states)
    whole, cut = bench(), bench()
    whole.bytes(data)
    for start in range(0, len(data), size):
        cut.bytes(data[start : start + size])
    assert whole.words == cut.words
    assert whole.rejected == cut.rejected


@given(st.lists(st.tuples(st.sampled_from(["S0", "S1", "S2", "S90", "start", "lost"]), st.floats(0, 12)), max_size=30))
def test_an_idle_never_names_a_cycle_that_was_not_seen_to_shake(steps: list[tuple[str, float]]) -> None:
    shaker = bench()
    shook = {"0"}
    for step, seconds in steps:
        if step == "start":
            shaker.start()
        elif step == "lost":
            shaker.lose().open()
        else:
            shaker.state(step)
        shaker.wait(seconds)
        for said in shaker.new():
            name, _, cycle = said.partition(":")
            if name == "shaking":
                shook.add(cycle.split(":")[0])
            assert name != "idle" or cycle in shook


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"pattern": 0}, "pattern"),
        ({"pattern": 10}, "pattern"),
        ({"parameter1": -1}, "parameter1"),
        ({"parameter2": 101}, "parameter2"),
        ({"amplitude": 0}, "amplitude"),
        ({"duration_ms": 100}, "duration_ms"),
        ({"poll_s": 0.1}, "poll_s"),
        ({"control": True, "ask": False}, "control"),
        ({"password_file": "x"}, "username"),
        ({"colour": "red"}, "options"),
    ],
)
def test_options_that_cannot_be(values: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        DRIVER.parse_options(values)
    assert caught.value.key == key


def test_the_manifest() -> None:
    allowed, forbidden = NetworkedOptions(control=True), NetworkedOptions()
    assert DRIVER.actions(allowed) == {DeviceAction.START_SHAKE}
    assert DRIVER.actions(forbidden) == frozenset()
    assert DRIVER.transport is not None
    made = DRIVER.transport("mqtt://127.0.0.1/shaker/1", allowed, SystemClock())
    assert isinstance(made, MqttTransport)
    assert made.name == "mqtt://127.0.0.1:1883/shaker/1"


def test_its_start_up_takes_longer_than_the_silence_that_is_noticed() -> None:
    """A shaker that lost its power is silent for a second at least; one that answers is silent for 0.55 s at most."""
    assert 0.4 + 0.15 < BUSY_SILENT_S < 1.0
