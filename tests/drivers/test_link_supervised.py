"""What a link itself has to say is said once when it begins and once when it ends."""
# ruff: noqa: ARG002 - the fake takes what a session is given

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Unreadable
from dealer_drivers.supervised import LinkHealth, SupervisedSession

START = Instant(0, 0)


class Marks:
    """A session whose frames are exclamation marks; it reads nothing from anything else."""

    def opened(self, at: Instant) -> Output:
        return NOTHING

    def feed(self, data: bytes, at: Instant) -> Output:
        frames = data.count(b"!")
        readings = (Unreadable(at=at, raw=data, reason="a mark"),) if frames else ()
        return Output(readings=readings, frames=frames, rejected=len(data) - frames)

    def lost(self, at: Instant, reason: str) -> Output:
        return NOTHING

    def tick(self, at: Instant) -> Output:
        return NOTHING

    def request(self, action: DeviceAction, at: Instant) -> Output:
        return Output(send=(b"ok",))

    def deadline_ns(self) -> int | None:
        return 5


def supervised() -> SupervisedSession:
    return SupervisedSession(Marks(), "/dev/dealer/wheel", "is the speed 9600 8N1? is it this device?")


def faults(*outputs: Output) -> list[tuple[str, bool]]:
    return [
        (reading.fault, reading.cleared)
        for output in outputs
        for reading in output.readings
        if isinstance(reading, DeviceFault)
    ]


def test_bytes_that_are_no_frames_for_three_seconds_are_told_once_with_what_to_check() -> None:
    link = supervised()
    link.opened(START)
    assert faults(link.received(bytes(39), START)) == []
    assert faults(link.received(b"", START.plus_s(3))) == [], "39 bytes may be one torn frame"
    output = link.received(b"\0", START.plus_s(3))
    assert faults(output) == [("no_valid_frame", False)]
    [fault] = output.readings
    assert isinstance(fault, DeviceFault)
    assert fault.at == START.plus_s(3)
    assert "40 bytes from /dev/dealer/wheel" in fault.detail
    assert "is the speed 9600 8N1? is it this device?" in fault.detail
    assert faults(link.received(bytes(100), START.plus_s(9))) == []
    assert faults(link.received(b"\0\0!", START.plus_s(10))) == [("no_valid_frame", True)]
    assert faults(link.received(b"!", START.plus_s(11))) == []


def test_a_burst_of_bytes_is_not_yet_three_seconds() -> None:
    link = supervised()
    link.opened(START)
    assert faults(link.received(bytes(4000), START), link.received(bytes(4000), START.plus_s(2.999))) == []


def test_a_frame_or_a_new_link_starts_the_count_anew() -> None:
    link = supervised()
    link.opened(START)
    link.received(bytes(400), START)
    link.received(b"!", START.plus_s(2))
    assert faults(link.received(bytes(400), START.plus_s(4))) == []
    assert faults(link.received(bytes(400), START.plus_s(7))) == [("no_valid_frame", False)]
    assert faults(link.lost(START.plus_s(8), "hung up")) == [("link_lost", False), ("no_valid_frame", True)]
    link.opened(START.plus_s(9))
    assert faults(link.received(bytes(400), START.plus_s(10))) == []


def test_an_unplugged_port_is_one_fault_and_one_end() -> None:
    link = supervised()
    link.opened(START)
    assert faults(
        link.lost(START, "hung up"),
        link.refused(START, "not there", absent=True),
        link.refused(START, "not there", absent=True),
        link.opened(START),
        link.opened(START),
    ) == [("link_lost", False), ("link_lost", True)]


def test_a_port_that_was_never_there_or_is_taken_is_refused_once() -> None:
    link = supervised()
    assert faults(link.refused(START, "not there", absent=True), link.refused(START, "in use"), link.opened(START)) == [
        ("link_refused", False),
        ("link_refused", True),
    ]
    assert faults(link.lost(START, "hung up"), link.refused(START, "in use"), link.opened(START)) == [
        ("link_lost", False),
        ("link_refused", False),
        ("link_refused", True),
        ("link_lost", True),
    ]


def test_the_session_is_due_only_while_the_link_is_up() -> None:
    link = supervised()
    assert link.deadline_ns() is None
    link.opened(START)
    assert link.deadline_ns() == 5
    link.lost(START, "hung up")
    assert link.deadline_ns() is None


def test_health_counts_over_reconnects() -> None:
    link = supervised()
    assert link.health == LinkHealth()
    link.opened(START)
    link.received(b"ab!c", START.plus_s(1))
    link.received(b"d", START.plus_s(2))
    link.lost(START.plus_s(3), "hung up")
    link.opened(START.plus_s(4))
    link.request(DeviceAction.ACKNOWLEDGE_VOID, START.plus_s(5))
    link.sent(2, START.plus_s(5))
    assert link.health == LinkHealth(
        bytes_in=5,
        bytes_out=2,
        valid_frames=1,
        rejected_bytes=4,
        opens=2,
        last_byte=START.plus_s(2),
        last_frame=START.plus_s(1),
        last_reading=START.plus_s(1),
    )


steps = st.one_of(
    st.tuples(st.just("received"), st.sampled_from([b"!", bytes(10), bytes(50)])),
    st.tuples(st.just("lost"), st.just(b"")),
    st.tuples(st.just("opened"), st.just(b"")),
    st.tuples(st.just("refused"), st.just(b"")),
    st.tuples(st.just("absent"), st.just(b"")),
)


@given(st.lists(steps, max_size=30))
def test_every_fault_begins_and_ends_in_turn(script: list[tuple[str, bytes]]) -> None:
    link = supervised()
    standing: set[str] = set()
    up = False
    for second, (step, data) in enumerate(script):
        at = START.plus_s(second)
        if step == "received" and up:
            output = link.received(data, at)
        elif step == "lost" and up:
            up, output = False, link.lost(at, "hung up")
        elif step == "opened" and not up:
            up, output = True, link.opened(at)
        elif step in ("refused", "absent") and not up:
            output = link.refused(at, "no", absent=step == "absent")
        else:
            continue
        for fault, cleared in faults(output):
            assert cleared == (fault in standing)
            standing ^= {fault}
        assert not (up and standing & {"link_lost", "link_refused"})
        assert up or "no_valid_frame" not in standing
        assert not (up and data == b"!" and step == "received" and standing)
