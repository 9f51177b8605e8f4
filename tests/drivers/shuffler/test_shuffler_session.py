"""The session of a shuffler: states, faults, silence, and what it never sends or keeps."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Unreadable
from dealer_drivers.readings.shuffler import (
    DeckReport,
    MachineState,
    OrderThrownAway,
    Phase,
    ShufflerFault,
    ShufflerLevel,
    ShufflerTampered,
)
from dealer_drivers.shuffler.frames import QUESTION, OrderOffered, Reenumerated, Thrown, encode
from dealer_drivers.shuffler.generic import DRIVER
from dealer_drivers.shuffler.session import SILENT_AFTER_S, ShufflerSession
from hw_sim.shuffler import lines

from .conftest import cut, streams

START = Instant(10_000_000_000, 0)


class Host:
    """A session with its clock."""

    def __init__(self, **options: Any) -> None:
        self.session = ShufflerSession(**options)
        self.at = START
        self.sequence = 0
        self.output: Output = self.session.opened(self.at)

    def bytes(self, data: bytes) -> list[Any]:
        self.output = self.session.feed(data, self.at)
        return list(self.output.readings)

    def says(self, state: str, job: int = 1, **more: Any) -> list[Any]:
        self.sequence += 1
        if state in ("ready", "mismatch"):
            more.setdefault("counted", 416)
        return self.bytes(lines.status(self.sequence, state, job, **more))

    def wait(self, seconds: float) -> list[Any]:
        self.at = self.at.plus_s(seconds)
        self.output = self.session.tick(self.at)
        return list(self.output.readings)


def test_a_state_is_told_when_it_changes_and_not_every_second() -> None:
    host = Host()
    (report,) = host.says("ready", 7, deck_set="red")
    assert isinstance(report, DeckReport)
    assert (report.state, report.job, report.deck_set, report.counted) == (MachineState.READY, 7, "red", 416)
    assert report.faces
    assert report.raw == lines.status(1, "ready", 7, "red", counted=416)
    assert host.says("ready", 7, deck_set="red") == []
    assert host.output.frames == 1
    (report,) = host.says("idle", 7)
    assert report.state is MachineState.IDLE


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"flags": ["jam"]}, ShufflerFault.JAM),
        ({"flags": ["door"]}, ShufflerFault.DOOR_OPEN),
        ({"flags": ["misread"]}, ShufflerFault.MISREAD),
        ({"state": "mismatch", "missing": 2, "extra": 1}, ShufflerFault.COUNT_OFF),
    ],
)
def test_every_fault_is_told_once_and_cleared_once(more: dict[str, Any], fault: str) -> None:
    host = Host()
    said = {"state": "shuffling"} | more
    begun = [reading for reading in host.says(**said) if isinstance(reading, DeviceFault)]
    assert [(one.fault, one.cleared) for one in begun] == [(fault, False)]
    assert not [reading for reading in host.says(**said) if isinstance(reading, DeviceFault)]
    host.session.lost(host.at, "unplugged")
    host.session.opened(host.at)
    ended = [reading for reading in host.says("idle") if isinstance(reading, DeviceFault)]
    assert [(one.fault, one.cleared) for one in ended] == [(fault, True)]


def test_a_count_that_is_off_says_how() -> None:
    fault = Host().says("mismatch", missing=2, extra=1, foreign=3)[0]
    assert "2 missing, 1 too many, 3 foreign" in fault.detail


@pytest.mark.parametrize("hangs", [True, False])
def test_communication_that_is_lost_is_told_in_time(hangs: bool) -> None:
    """Nothing comes; or the same frame for ever, which no living machine sends."""
    host = Host()
    line = lines.status(5, "idle", 1)
    host.bytes(line)
    told = []
    for _ in range(10):
        told += host.wait(SILENT_AFTER_S / 5)
        if hangs:
            assert not host.bytes(line)
    assert [(one.fault, one.cleared) for one in told] == [(Fault.SILENT, False)]
    assert host.session.deadline_ns() is None
    (ended,) = [reading for reading in host.says("idle") if isinstance(reading, DeviceFault)]
    assert (ended.fault, ended.cleared) == (Fault.SILENT, True)


def test_a_machine_that_does_not_speak_by_itself_is_asked_for_its_state() -> None:
    host = Host(poll_s=1.0)
    assert host.output.send == (QUESTION,)
    deadline_ns = host.session.deadline_ns()
    assert deadline_ns is not None
    host.at = Instant(deadline_ns, 0)
    assert host.session.tick(host.at).send == (QUESTION,)
    assert Host().output.send == ()


def test_an_order_of_cards_is_a_fault_until_the_cards_are_shuffled_again() -> None:
    host = Host()
    host.says("ready", 7)
    order = lines.order(["8S", "KD", "2C"] * 100)
    fault, thrown = host.bytes(order)
    assert (fault.fault, fault.raw) == (ShufflerFault.ORDER_OFFERED, encode(OrderOffered()))
    assert isinstance(thrown, OrderThrownAway)
    assert host.bytes(order) == []
    assert host.says("ready", 7) == []
    (ended, _) = host.says("shuffling", 8)
    assert (ended.fault, ended.cleared) == (ShufflerFault.ORDER_OFFERED, True)
    assert [type(reading) for reading in host.bytes(order)] == [DeviceFault, OrderThrownAway], "the next one's too"


def test_an_order_before_any_state_is_of_the_cards_that_are_in_the_machine() -> None:
    host = Host()
    host.bytes(lines.order(["8S", "KD", "2C"]))
    assert [type(reading) for reading in host.says("ready", 7)] == [DeckReport, OrderThrownAway]
    assert [type(reading) for reading in host.says("shuffling", 8)] == [DeviceFault, DeckReport]


def test_a_re_enumeration_is_told() -> None:
    host = Host()
    (tampered,) = host.bytes(encode(Reenumerated(2)))
    assert isinstance(tampered, ShufflerTampered)
    assert "2 so far" in tampered.detail


def test_levels_in_steps_and_at_once_when_the_cards_change() -> None:
    host = Host(low_level=60)
    told = []
    feeding = [(inside, "feeding", 1) for inside in (312, 300, 280, 59)]
    change = [(70, "emptying", 1), (1, "emptying", 1), (0, "empty", 1), (5, "loading", 2)]
    for number, (inside, phase, changes) in enumerate([*feeding, *change]):
        told += host.bytes(lines.level(number, inside, phase, changes))
    levels = [(one.inside, one.phase, one.changes) for one in told if isinstance(one, ShufflerLevel)]
    assert levels == [
        (312, Phase.FEEDING, 1),
        (280, Phase.FEEDING, 1),
        (59, Phase.FEEDING, 1),
        (70, Phase.EMPTYING, 1),
        (1, Phase.EMPTYING, 1),
        (0, Phase.EMPTY, 1),
        (5, Phase.LOADING, 2),
    ]
    low = [(one.fault, one.cleared) for one in told if isinstance(one, DeviceFault)]
    assert low == [(ShufflerFault.LEVEL_LOW, False), (ShufflerFault.LEVEL_LOW, True), (ShufflerFault.LEVEL_LOW, False)]
    assert next(one.detail for one in told if isinstance(one, DeviceNotice)) == "312 cards, feeding"


def test_garbage_is_counted_and_not_kept() -> None:
    host = Host()
    (unreadable,) = host.bytes(b"8S,KD,2C,4H\r\n")
    assert isinstance(unreadable, Unreadable)
    assert unreadable.raw == encode(Thrown(11))
    assert (host.output.frames, host.output.rejected) == (0, 11)


@given(streams(), st.lists(st.integers(0, 5000), max_size=30))
def test_the_cutting_changes_nothing(data: bytes, places: list[int]) -> None:
    whole, pieces = Host(low_level=50), Host(low_level=50)
    expected = whole.bytes(data)
    assert [reading for piece in cut(data, places) for reading in pieces.bytes(piece)] == expected
    assert whole.session.deadline_ns() == pieces.session.deadline_ns()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("bytes"), streams()),
        st.tuples(st.sampled_from(["tick", "lost", "opened", *DeviceAction]), st.just(b"")),
    ),
    max_size=20,
)


@given(STEPS, st.sampled_from([0.0, 1.0]))
def test_whatever_happens_nothing_but_the_question_is_sent_and_no_card_is_kept(
    steps: list[tuple[str, bytes]], poll_s: float
) -> None:
    host = Host(poll_s=poll_s)
    for kind, data in steps:
        host.at = host.at.plus_s(0.7)
        match kind:
            case "bytes":
                output = host.session.feed(data, host.at)
            case "tick":
                output = host.session.tick(host.at)
            case "lost":
                output = host.session.lost(host.at, "unplugged")
            case "opened":
                output = host.session.opened(host.at)
            case action:
                output = host.session.request(DeviceAction(action), host.at)
        assert set(output.send) <= {QUESTION}
        for reading in output.readings:
            assert not re.search(rb"[A2-9TJQK][SHCD]", re.sub(rb"\*[0-9A-F]{4}", b"", reading.raw))
            assert len(reading.raw) < 112


@pytest.mark.parametrize(("key", "value"), [("baud", 1200), ("poll_s", 3.0), ("poll_s", 0.1), ("low_level", -1)])
def test_options_that_cannot_be(key: str, value: float) -> None:
    with pytest.raises(OptionError) as error:
        DRIVER.parse_options({key: value})
    assert error.value.key == key
