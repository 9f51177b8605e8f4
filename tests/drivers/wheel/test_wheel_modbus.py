"""``wheel-modbus``: the codec and the dialogue, byte by byte."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dealer_drivers.driver import DeviceAction, Observes, Output, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.wheel import AngleUnreadable, EncoderFault, IndexMark, WheelAngle
from dealer_drivers.wheel.crc16 import crc16
from dealer_drivers.wheel.modbus import DRIVER, ModbusSession
from dealer_drivers.wheel.modbus_options import ModbusOptions
from dealer_drivers.wheel.rtu_codec import (
    Exceptional,
    Registers,
    RtuCodec,
    Written,
    read_request,
    write_request,
)

# From widely published examples of the protocol, not from this code.
ASK_TWO = bytes.fromhex("010300000002c40b")
ANSWER_THREE = bytes.fromhex("110306ae415652434049ad")
ASK_THREE = bytes.fromhex("1103006b00037687")
WRITE_ONE = bytes.fromhex("1106000100039a9b")


def frame(*body: int) -> bytes:
    data = bytes(body)
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
    return data + bytes((crc & 0xFF, crc >> 8))


def angle(count: int, slave: int = 1) -> bytes:
    return frame(slave, 3, 4, *count.to_bytes(4, "big"))


class Line:
    """A session with a clock of its own; what it sends and says is kept."""

    def __init__(self, **options: Any) -> None:
        self.session = ModbusSession(ModbusOptions(**options))
        self.ms = 1000
        self.sent: list[tuple[int, bytes]] = []
        self.readings: list[Reading] = []
        self.rejected = self.frames = 0
        self.keep(self.session.opened(self.at()))

    def at(self) -> Instant:
        return Instant(self.ms * 1_000_000, self.ms * 1_000_000)

    def keep(self, output: Output) -> list[Reading]:
        self.sent += [(self.ms, data) for data in output.send]
        self.readings += output.readings
        self.rejected += output.rejected
        self.frames += output.frames
        return list(output.readings)

    def wait(self, ms: int) -> list[Reading]:
        """Lets time pass; every deadline is kept."""
        found: list[Reading] = []
        end = self.ms + ms
        while True:
            deadline = self.session.deadline_ns()
            if deadline is None or deadline > end * 1_000_000:
                self.ms = end
                return found
            self.ms = max(self.ms, -(-deadline // 1_000_000))
            found += self.keep(self.session.tick(self.at()))

    def until_asked(self) -> bytes:
        before = len(self.sent)
        for _ in range(1000):
            if len(self.sent) > before:
                return self.sent[-1][1]
            self.wait(1)
        raise AssertionError("nothing was asked in a second")

    def answer(self, data: bytes, after_ms: int = 18) -> list[Reading]:
        self.wait(after_ms)
        return self.keep(self.session.feed(data, self.at()))

    def turn(self, data: bytes) -> list[Reading]:
        """One question and its answer."""
        self.until_asked()
        return self.answer(data)


def test_known_bytes() -> None:
    assert read_request(1, 0, 2) == ASK_TWO
    assert crc16(b"123456789") == 0x4B37
    assert read_request(17, 0x6B, 3) == ASK_THREE
    assert write_request(17, 1, 3) == WRITE_ONE
    assert RtuCodec(frozenset({3})).feed(ANSWER_THREE) == [Registers(17, (0xAE41, 0x5652, 0x4340), ANSWER_THREE)]
    assert write_request(1, 8, 1) == frame(1, 6, 0, 8, 0, 1)


FRAMES = st.one_of(
    st.builds(angle, st.integers(0, 2**32 - 1), st.integers(1, 247)),
    st.builds(lambda slave, code: frame(slave, 0x83, code), st.integers(1, 247), st.integers(1, 11)),
    st.builds(lambda slave, reg: frame(slave, 6, 0, reg, 0, 1), st.integers(1, 247), st.integers(0, 255)),
)


@given(st.lists(st.one_of(FRAMES, st.binary(max_size=12))), st.lists(st.integers(1, 9)))
def test_the_same_frames_however_the_stream_is_cut(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    whole = RtuCodec(frozenset({2, 3}))
    frames = whole.feed(stream)
    cut = RtuCodec(frozenset({2, 3}))
    found = []
    rest = stream
    for size in [*cuts, len(stream)]:
        found += cut.feed(rest[:size])
        rest = rest[size:]
    assert found == frames
    assert cut.dropped == whole.dropped
    assert len(cut.held) <= 11
    assert sum(len(each.raw) for each in frames) + whole.dropped + len(whole.held) == len(stream)


@given(st.binary(max_size=14), FRAMES)
@example(b"\x01", angle(7))
@example(b"\x01\x03", angle(7))
@example(b"\x01\x03\x06", angle(7))
def test_a_frame_after_noise_is_found_once_enough_follows(noise: bytes, good: bytes) -> None:
    """Noise may look like a frame's beginning: the longest has eleven bytes, and then the next is found."""
    frames = RtuCodec(frozenset({2, 3})).feed(noise + good + bytes(11))
    assert good in [each.raw for each in frames]


@given(FRAMES, st.integers(0, 200), st.integers(0, 7))
def test_a_flipped_bit_is_no_frame(good: bytes, where: int, bit: int) -> None:
    spoilt = bytearray(good)
    spoilt[where % len(good)] ^= 1 << bit
    assert RtuCodec(frozenset({2, 3})).feed(bytes(spoilt)) == []


def test_it_asks_no_faster_than_the_line_carries() -> None:
    line = Line()
    for count in range(50):
        assert line.turn(angle(count))
    times = [ms for ms, _ in line.sent]
    assert min(b - a for a, b in itertools.pairwise(times)) >= 25
    assert times[-1] - times[0] <= 25 * 50 + 50, "and hardly slower"


def test_a_late_answer_still_leaves_the_line_its_silence() -> None:
    line = Line()
    line.until_asked()
    line.answer(angle(1), after_ms=40)
    answered = line.ms
    line.until_asked()
    assert line.ms - answered >= 4, "3.5 characters at 9600 baud"


def test_a_count_is_a_reading_with_its_bytes() -> None:
    (reading,) = Line().turn(angle(5000))
    assert reading == WheelAngle(
        at=reading.at, raw=angle(5000), count=5000, per_turn=4096, wraps_at=4096 * 4096, absolute=True
    )


def test_a_count_is_as_old_as_its_question() -> None:
    """However late its answer was read: the encoder looked when it was asked."""
    line = Line()
    for count, late_ms in ((100, 1), (101, 40), (102, 5)):
        line.until_asked()
        line.session.sent(line.at())
        asked_s = line.ms / 1000
        (reading,) = line.answer(angle(count), after_ms=late_ms)
        assert isinstance(reading, WheelAngle)
        assert (reading.count, reading.device_s) == (count, asked_s)
        assert reading.at.mono_ns == line.ms * 1_000_000


def test_words_may_come_low_first() -> None:
    (reading,) = Line(low_word_first=True).turn(frame(1, 3, 4, 0x12, 0x34, 0x00, 0x02))
    assert isinstance(reading, WheelAngle)
    assert reading.count == 0x21234


@pytest.mark.parametrize("count", [0xFFFFFFFF, 0xFFFF0000, 4096 * 4096])
def test_a_count_that_the_encoder_does_not_have_is_no_angle(count: int) -> None:
    (reading,) = Line().turn(angle(count))
    assert isinstance(reading, AngleUnreadable)


def test_minus_one_at_zero_is_a_count_where_the_range_holds_it() -> None:
    (reading,) = Line(turns=1 << 20).turn(angle(0xFFFFFFFF))
    assert isinstance(reading, WheelAngle)


def test_an_answer_too_late_is_nobody_s() -> None:
    """Modbus numbers nothing: the answer to a question given up must not answer the next one."""
    line = Line()
    line.until_asked()
    asked = line.ms
    line.wait(90)
    assert line.answer(angle(1), after_ms=20) == []
    assert line.rejected == 9
    line.until_asked()
    assert line.ms - asked >= 110 + 80, "and the line is left alone in case that more of them come"


def test_two_answers_to_one_question() -> None:
    line = Line()
    line.until_asked()
    assert [reading.count for reading in line.answer(angle(1) + angle(2)) if isinstance(reading, WheelAngle)] == [1]


def test_a_wrong_address_is_a_fault_and_no_angle() -> None:
    line = Line()
    (fault,) = line.turn(angle(9, slave=2))
    assert isinstance(fault, DeviceFault)
    assert fault.fault == EncoderFault.WRONG_ADDRESS
    assert "slave" in fault.detail
    assert line.turn(angle(9, slave=2)) == [], "said once"
    found = [reading for count in range(60) for reading in line.turn(angle(count))]
    assert [r.fault for r in found if isinstance(r, DeviceFault) and r.cleared] == [EncoderFault.WRONG_ADDRESS]


def test_an_exception_is_a_fault_until_answers_are_good_again() -> None:
    line = Line()
    fault, reading = line.turn(frame(1, 0x83, 2))
    assert isinstance(fault, DeviceFault)
    assert fault.fault == EncoderFault.EXCEPTION
    assert isinstance(reading, AngleUnreadable)
    assert "no such register" in reading.reason
    flapping = [r for _ in range(20) for data in (angle(1), frame(1, 0x83, 6)) for r in line.turn(data)]
    assert not [reading for reading in flapping if isinstance(reading, DeviceFault)], "it comes and goes: one fault"
    steady = [reading for _ in range(40) for reading in line.turn(angle(1))]
    assert [reading.cleared for reading in steady if isinstance(reading, DeviceFault)] == [True]


def test_garbage_is_unreadable_and_silence_a_fault() -> None:
    line = Line()
    line.until_asked()
    line.answer(b"\x01\x03\x04\x00")
    readings = line.wait(1200)
    assert [r.raw for r in readings if isinstance(r, Unreadable)] == [b"\x01\x03\x04\x00"]
    (fault,) = [r for r in readings if isinstance(r, DeviceFault)]
    assert fault.fault == Fault.SILENT
    before = len(line.sent)
    line.wait(2000)
    assert len(line.sent) - before <= 9, "a silent encoder is asked less often"
    (cleared, reading) = line.turn(angle(4))
    assert isinstance(cleared, DeviceFault)
    assert cleared.cleared
    assert isinstance(reading, WheelAngle)


def test_silence_is_reported_in_the_stated_time() -> None:
    line = Line()
    readings = line.wait(round(DRIVER.offline_after_s * 1000))
    assert [r.fault for r in readings if isinstance(r, DeviceFault)] == [Fault.SILENT]


def test_the_reference_mark_is_asked_for_every_fourth_time() -> None:
    line = Line(reference_register=16)
    found: list[Reading] = []
    for _ in range(8):
        asked = line.until_asked()
        reference = asked == read_request(1, 16, 3)
        found += line.answer(frame(1, 3, 6, 0, 7, 0, 1, 0, 2) if reference else angle(100))
    marks = [reading for reading in found if isinstance(reading, IndexMark)]
    assert [(mark.passes, mark.count) for mark in marks] == [(7, 0x10002)] * 2
    assert len(found) == 8
    assert Observes.LAPS in DRIVER.observes(ModbusOptions(reference_register=16))
    assert DRIVER.observes(ModbusOptions()) == {Observes.ANGLE}


class TestZero:
    """Setting zero is the only thing ever written, and only with control."""

    @staticmethod
    def ask(line: Line) -> None:
        class Action(str):
            value = "set_zero"

        line.keep(line.session.request(Action("set_zero"), line.at()))  # type: ignore[arg-type]

    def test_read_only_writes_nothing(self) -> None:
        line = Line()
        line.turn(angle(3))
        self.ask(line)
        for action in DeviceAction:
            if action.value != "set_zero":
                line.keep(line.session.request(action, line.at()))
        line.wait(500)
        assert {data for _, data in line.sent} == {ASK_TWO}

    def test_it_is_proved_by_the_count_after_it(self) -> None:
        line = Line(control=True)
        line.turn(angle(3))
        self.ask(line)
        while line.until_asked() != write_request(1, 8, 1):
            line.answer(angle(3))
        assert line.answer(write_request(1, 8, 1)) == []
        notice, reading = line.turn(angle(4096 * 4096 - 1))
        assert isinstance(notice, DeviceNotice)
        assert isinstance(reading, WheelAngle)

    @pytest.mark.parametrize("answers", [(frame(1, 0x86, 3),), (frame(1, 6, 0, 8, 0, 1), angle(900))])
    def test_it_failed(self, answers: tuple[bytes, ...]) -> None:
        line = Line(control=True)
        line.turn(angle(3))
        self.ask(line)
        while line.until_asked() != write_request(1, 8, 1):
            line.answer(angle(3))
        found = line.answer(answers[0])
        for data in answers[1:]:
            found += line.turn(data)
        assert [r.fault for r in found if isinstance(r, DeviceFault)] == [EncoderFault.ZERO_NOT_SET]


@given(st.lists(st.tuples(st.integers(0, 120), st.one_of(FRAMES, st.binary(max_size=20))), max_size=30))
def test_any_bytes_at_any_time_never_raise_and_no_answer_counts_twice(steps: list[tuple[int, bytes]]) -> None:
    line = Line(reference_register=16, control=True)
    questions = 0
    for ms, data in steps:
        line.wait(ms)
        line.keep(line.session.feed(data, line.at()))
        questions = len(line.sent)
    angles = [r for r in line.readings if isinstance(r, WheelAngle | IndexMark | AngleUnreadable)]
    assert len(angles) <= questions
    line.keep(line.session.lost(line.at(), "unplugged"))
    assert line.session.deadline_ns() is None
    assert line.session.tick(line.at()).send == ()


@given(st.lists(st.binary(max_size=9)))
def test_a_session_s_readings_do_not_depend_on_the_cut(pieces: list[bytes]) -> None:
    stream = angle(17) + b"".join(pieces)
    one, other = Line(), Line()
    for line in (one, other):
        line.until_asked()
        line.wait(18)
    one.keep(one.session.feed(stream, one.at()))
    for byte in stream:
        other.keep(other.session.feed(bytes([byte]), other.at()))
    assert one.readings == other.readings
    assert one.rejected == other.rejected
    assert one.session.deadline_ns() == other.session.deadline_ns()


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"slave": 0}, "slave"),
        ({"slave": 248}, "slave"),
        ({"baud": 9601}, "baud"),
        ({"poll_ms": 24}, "poll_ms"),
        ({"poll_ms": 101}, "poll_ms"),
        ({"counts_per_turn": 899}, "counts_per_turn"),
        ({"turns": 1 << 21}, "turns"),
        ({"register": 0xFFFF}, "register"),
        ({"reference_register": 0xFFFE}, "reference_register"),
        ({"zero_register": -1}, "zero_register"),
        ({"answer_ms": 5}, "answer_ms"),
    ],
)
def test_impossible_options(values: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        DRIVER.parse_options(values)
    assert caught.value.key == key


def test_a_faster_line_may_be_asked_more_often() -> None:
    options = DRIVER.parse_options({"baud": 115200, "poll_ms": 10, "parity": "E"})
    assert DRIVER.serial(options) == SerialSettings(115200, 8, "E", 1)


def test_exceptions_have_words() -> None:
    assert Exceptional(1, 3, 77, b"").meaning == "exception 77"
    assert isinstance(RtuCodec(frozenset({2})).feed(frame(1, 6, 0, 8, 0, 1))[0], Written)


def test_the_answers_of_the_how_to(repository: Path) -> None:
    """What it says of them is what they say."""
    text = (repository / "docs/howto/add-a-colour-wheel.md").read_text()
    angle, mark = (bytes.fromhex(found) for found in re.findall(r'"rxh":"(\w+)"', text))
    words = []
    for frame in (angle, mark):
        (found,) = [one for one in RtuCodec(frozenset({2, 3})).feed(frame) if isinstance(one, Registers)]
        words.append(found.words)
    assert words[0] == (0x00FF, 0xC1A2)
    assert words[1] == (17, 0x0000, 0x150A)
    assert f"{0x00FFC1A2 % 4096 * 360 / 4096:.2f}°" in text
    assert f"`reference_deg` is {0x150A % 4096 * 360 / 4096:.2f}." in text


def faults(line: Line) -> list[tuple[str, bool]]:
    return [(one.fault, one.cleared) for one in line.readings if isinstance(one, DeviceFault)]


def test_an_encoder_that_is_set_to_fewer_turns_than_it_counts_says_so() -> None:
    """Every count of it is thrown away: without a word of that the table would wait for a rest for ever."""
    line = Line(turns=1)
    for _ in range(60):
        line.turn(angle(5 * 4096))
    assert faults(line) == [("encoder_out_of_range", False)]
    (fault,) = (one for one in line.readings if isinstance(one, DeviceFault))
    assert "turns" in fault.detail
    assert "low_word_first" in fault.detail
    line.turn(angle(7))
    assert faults(line)[1:] == [("encoder_out_of_range", True)]


def test_single_counts_that_cannot_be_are_no_fault() -> None:
    line = Line()
    for _ in range(10):
        for _ in range(30):
            line.turn(angle(0xFFFFFFFF))
        line.turn(angle(7))
    assert faults(line) == []
