"""Laws that hold for any bytes and any cuts."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.driver import DeviceAction, Session
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading, Unreadable
from dealer_drivers.readings.roulette import BallRested, NumberUnreadable
from dealer_drivers.roulette import generic_number, m360, ss2
from dealer_drivers.roulette.cammegh_codec import CammeghCodec
from dealer_drivers.roulette.cammegh_frames import Advanced, Extended, NotAFrame
from support.cammegh import START, extra, status

number_fields = st.sampled_from([f"{n:>2}" for n in range(100)] + ["00"])
advanced_lines = st.builds(
    status,
    state=st.integers(1, 7),
    spin=st.integers(0, 256),
    number=number_fields | st.just("  "),
    flags=st.integers(0, 15),
    tenths=st.integers(0, 999),
    direction=st.integers(0, 1),
    end=st.sampled_from(["\r", "\n", "\r\n", ";\r\n"]),
)
extended_lines = st.builds(
    status,
    state=st.integers(1, 7),
    flags=st.integers(0, 15),
    tenths=st.integers(0, 999),
    more=st.builds(
        extra,
        laps=st.integers(0, 255),
        events=st.integers(0, 0xFFFF),
        ball=st.sampled_from("01?"),
        lap_s=st.none() | st.floats(0, 31),
        pocket=number_fields | st.just("??"),
    ),
)
other_lines = st.sampled_from(
    [
        *(b"27\r\n", b" 6\r\n", b"00\r\n", b"99\r\n", b"1\r\n", b"\r\n", b"\n", b"\r"),
        *(b"*bs 1\r\n", b"*bs 2\r\n", b"*bs 3\r\n", b"*bn 17\r\n", b"*S\r\n", b"*W 21\r\n", b"*N\r\n"),
        *(b"*R OK\r\n", b"*T m 2.0\r\n", b"*V V2.50\r\n", b"*G 00\r\n", b"*I NO\r\n"),
        *(b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n", b"6; 9;0;158;0\r\n", b"*X;5;011;2\r\n", b"*X;", b"z" * 140),
    ]
)
streams = st.lists(advanced_lines | extended_lines | other_lines | st.binary(max_size=8), max_size=30).map(b"".join)


def _ss2() -> Session:
    return ss2.DRIVER.session(ss2.Ss2Options(control=True, lap_events=True, expected_parameters={"m": "2.0"}))


def _m360() -> Session:
    return m360.DRIVER.session(m360.M360Options(control=True, extended=True))


def _generic() -> Session:
    options = generic_number.GenericNumberOptions(
        pattern=r"\*X;(?P<state>[1-7]);[0-9]{3};(?P<number>[ 0-9]{2});(?P<flags>[0-9A-F]);.{5}(?:.{6}(?P<laps>..).*)?",
        states={str(n): phase for n, phase in enumerate(["idle", "betting", "rim", "no_more_bets", "result"], 1)},
        faults={"0": "none", "2": "same_direction"},
    )
    return generic_number.DRIVER.session(options)


def _generic_with_terminator() -> Session:
    options = generic_number.GenericNumberOptions(pattern=r"[^0-9]*(?P<number>[0-9]{1,2})[^0-9]*", terminator=";0")
    return generic_number.DRIVER.session(options)


law = settings(deadline=None)
"""A busy machine is no broken law."""
sessions = pytest.mark.parametrize("make", [_ss2, _m360, _generic, _generic_with_terminator])


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(bounds)]


def readings_of(session: Session, pieces: list[bytes]) -> tuple[list[Reading], int, int]:
    outputs = [session.opened(START)] + [session.feed(piece, START.plus_s(0.2)) for piece in pieces]
    readings = [dataclasses.replace(reading, at=START) for output in outputs for reading in output.readings]
    return readings, sum(output.frames for output in outputs), sum(output.rejected for output in outputs)


@law
@given(streams, st.lists(st.integers(0, 5000), max_size=40))
def test_frames_do_not_depend_on_the_cut(data: bytes, places: list[int]) -> None:
    whole, pieces = CammeghCodec(), CammeghCodec()
    expected = whole.feed(data)
    assert [frame for piece in cut(data, places) for frame in pieces.feed(piece)] == expected
    single = CammeghCodec()
    assert [frame for byte in data for frame in single.feed(bytes([byte]))] == expected
    assert whole.dropped == pieces.dropped == single.dropped


@sessions
@given(data=streams, places=st.lists(st.integers(0, 5000), max_size=40))
@settings(law, max_examples=60)
def test_readings_and_counts_do_not_depend_on_the_cut(
    make: Callable[[], Session], data: bytes, places: list[int]
) -> None:
    assert readings_of(make(), cut(data, places)) == readings_of(make(), [data])


@sessions
@given(
    st.lists(
        st.tuples(st.sampled_from(["feed", "tick", "lost", "opened", "request"]), streams, st.floats(0, 8)), max_size=12
    )
)
@settings(law, max_examples=60)
def test_nothing_raises_and_time_always_moves_on(
    make: Callable[[], Session], calls: list[tuple[str, bytes, float]]
) -> None:
    session = make()
    at = START
    for call, data, seconds in calls:
        at = at.plus_s(seconds)
        match call:
            case "feed":
                session.feed(data, at)
            case "tick":
                session.tick(at)
            case "lost":
                session.lost(at, "unplugged")
            case "opened":
                session.opened(at)
            case _:
                session.request(DeviceAction.ACKNOWLEDGE_VOID, at)
        for _ in range(50):
            due = session.deadline_ns()
            if due is None or due > at.mono_ns:
                break
            session.tick(at)
        else:
            pytest.fail("a deadline in the past stays there: the host would spin")


@sessions
@given(data=streams)
@settings(law, max_examples=40)
def test_a_tick_before_its_time_changes_nothing(make: Callable[[], Session], data: bytes) -> None:
    session, ticked = make(), make()
    for one in (session, ticked):
        one.opened(START)
        one.feed(data, START)
    for _ in range(3):
        assert ticked.tick(START.plus_s(0.05)).readings == ()
    assert ticked.deadline_ns() == session.deadline_ns()
    later = Instant(START.mono_ns + 10**10, START.wall_ns + 10**10)
    assert ticked.tick(later) == session.tick(later)


@law
@given(st.binary(max_size=2000))
def test_memory_is_bounded_and_all_bytes_are_accounted_for(data: bytes) -> None:
    codec = CammeghCodec()
    kept = 0
    for byte in data:
        kept += sum(len(frame.raw) for frame in codec.feed(bytes([byte])))
        assert codec.held <= 128
    ends = data.count(b"\r") + data.count(b"\n")
    assert len(data) - ends <= kept + codec.dropped + codec.held <= len(data)


@law
@given(st.binary(max_size=400).filter(lambda noise: b"*X;" not in noise))
def test_after_any_noise_and_a_line_end_the_next_frame_is_read(noise: bytes) -> None:
    codec = CammeghCodec()
    line = status(5, number="17")
    assert [frame.raw for frame in codec.feed(noise + b"\r\n" + line)][-1] == line[:-1]


@law
@given(advanced_lines | extended_lines)
def test_what_is_formatted_is_what_is_read(line: bytes) -> None:
    (frame,) = CammeghCodec().feed(line)
    assert isinstance(frame, Advanced)
    text = (
        f"*X;{frame.state};{frame.spin:03d};{frame.number};{frame.flags:X};{frame.rotor_tenths:03d};{frame.direction}"
    )
    if isinstance(frame, Extended):
        ticks = "?????" if frame.lap_ticks is None else f"{frame.lap_ticks:05X}"
        text += f";{frame.events:04X};{frame.laps:02X};{frame.ball};{ticks};{frame.pocket or '??'}"
    assert text == line.decode("ascii").rstrip("\r\n;")


@law
@given(advanced_lines, st.data())
def test_one_flipped_bit_never_makes_another_kind_of_packet(line: bytes, data: st.DataObject) -> None:
    """A flip from digit to digit cannot be seen; but a status frame never turns into a number, an event, an answer."""
    codec = CammeghCodec()
    codec.feed(status(1))
    body = bytearray(line)
    body[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert all(isinstance(frame, Advanced | NotAFrame) for frame in codec.feed(bytes(body) + b"\r\n"))


@sessions
@given(data=st.binary(max_size=600).filter(lambda noise: b"*" not in noise))
@settings(law, max_examples=60)
def test_garbage_without_a_line_end_in_it_is_never_a_reading(make: Callable[[], Session], data: bytes) -> None:
    garbage = data.replace(b"\r", b"z").replace(b"\n", b"z").replace(b";0", b"zz")
    readings, frames, _ = readings_of(make(), [garbage, b";0\r\n"])
    assert frames == 0
    assert all(isinstance(reading, Unreadable) for reading in readings)
    assert not any(isinstance(reading, BallRested | NumberUnreadable) for reading in readings)
