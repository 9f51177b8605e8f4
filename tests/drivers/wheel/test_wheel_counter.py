"""``wheel-counter``: lines of our own format, as ``docs/reference/wheel-counter.md`` has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.driver import Observes, Output
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading, Unreadable
from dealer_drivers.readings.wheel import AngleUnreadable, EncoderFault, IndexMark, WheelAngle
from dealer_drivers.wheel.counter import DRIVER, CounterOptions, CounterSession
from dealer_drivers.wheel.counter_lines import CounterCodec, Report, Spoilt, command_line, parse_line


def closed(body: str) -> bytes:
    crc = 0xFFFF
    for byte in body.encode():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
    return f"{body}*{crc:04X}\r\n".encode()


def report(millis: int, count: int, passes: int = 0, latch: int = 0, flags: int = 0) -> bytes:
    return closed(f"@{millis},{count},{passes},{latch},{flags}")


REPORTS = st.builds(
    report,
    st.integers(0, 2**32 - 1),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 65535),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 7),
)


def at(ms: int) -> Instant:
    return Instant(ms * 1_000_000, ms * 1_000_000)


def session(**options: Any) -> CounterSession:
    made = CounterSession(CounterOptions(**options))
    made.opened(at(0))
    return made


def angles(output: Output) -> list[WheelAngle]:
    return [reading for reading in output.readings if isinstance(reading, WheelAngle)]


def test_the_lines_of_the_reference_are_lines(repository: Path) -> None:
    text = (repository / "docs/reference/wheel-counter.md").read_text()
    lines = re.findall(r"^([@!]\S+\*[0-9A-F]{4})$", text, re.MULTILINE)
    assert len(lines) >= 4
    parsed = [parse_line(line.encode() + b"\r\n") for line in lines if line != command_line("Z").strip().decode()]
    assert not [line for line in parsed if isinstance(line, Spoilt)]
    assert any(isinstance(line, Report) for line in parsed)
    assert command_line("Z").strip().decode() in lines


@given(REPORTS)
def test_every_report_is_read(line: bytes) -> None:
    (found,) = CounterCodec().feed(line)
    assert isinstance(found, Report)
    assert found.raw == line
    assert len(line) <= 58


@given(st.lists(st.one_of(REPORTS, st.binary(max_size=30))), st.lists(st.integers(1, 40)))
def test_the_same_lines_however_the_stream_is_cut(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    whole, cut = CounterCodec(), CounterCodec()
    lines = whole.feed(stream)
    found = []
    rest = stream
    for size in [*cuts, len(stream)]:
        found += cut.feed(rest[:size])
        rest = rest[size:]
    assert found == lines
    assert cut.dropped == whole.dropped


@given(st.binary(max_size=100), REPORTS)
def test_a_report_after_anything_is_found(noise: bytes, line: bytes) -> None:
    assert CounterCodec().feed(noise + line)[-1].raw.endswith(line)


@given(REPORTS, st.integers(0, 200), st.integers(0, 7))
def test_a_flipped_bit_gives_no_other_report(line: bytes, where: int, bit: int) -> None:
    spoilt = bytearray(line)
    spoilt[where % len(line)] ^= 1 << bit
    for found in CounterCodec().feed(bytes(spoilt)):
        assert not isinstance(found, Report) or found.raw.strip() == line.strip()


def test_counts_and_marks() -> None:
    counter = session()
    first = counter.feed(report(10, -5, 3, -400), at(10))
    assert [type(reading) for reading in first.readings] == [WheelAngle, IndexMark]
    (angle,) = angles(first)
    assert (angle.count, angle.wraps_at, angle.absolute, angle.device_s) == (2**32 - 5, 2**32, False, 0.0)
    second = counter.feed(report(30, 5, 3, -400), at(30))
    assert [type(reading) for reading in second.readings] == [WheelAngle], "no new pass"
    assert angles(second)[0].device_s == pytest.approx(0.02)
    third = counter.feed(report(50, 15, 4, 3), at(50))
    assert [(m.passes, m.count) for m in third.readings if isinstance(m, IndexMark)] == [(4, 3)]


def test_before_the_first_index_there_is_no_mark() -> None:
    counter = session()
    assert [type(r) for r in counter.feed(report(10, 1, 0, 0, 1), at(10)).readings] == [WheelAngle]
    assert [type(r) for r in counter.feed(report(30, 9, 1, 8), at(30)).readings] == [WheelAngle, IndexMark]


@pytest.mark.parametrize("restart", [report(20, 0, 0, 0, 5), report(5, 100)], ids=["says so", "its clock went back"])
def test_a_counter_that_began_anew_has_another_life(restart: bytes) -> None:
    counter = session()
    before = angles(counter.feed(report(90_000, 5000), at(10)))[0].life
    assert angles(counter.feed(restart, at(30)))[0].life == before + 1


def test_its_clock_wraps_without_a_restart() -> None:
    counter = session()
    (first,) = angles(counter.feed(report(2**32 - 10, 0), at(10)))
    (second,) = angles(counter.feed(report(10, 0), at(30)))
    assert second.life == first.life
    assert (second.device_s, first.device_s) == (pytest.approx(0.02), 0.0)


def test_lost_counts_are_said() -> None:
    assert angles(session().feed(report(10, 1, flags=2), at(10)))[0].counts_lost


def test_spoilt_lines_are_unreadable() -> None:
    good = report(10, 1)
    output = session().feed(good[:5] + b"9" + good[6:], at(10))
    assert [type(reading) for reading in output.readings] == [Unreadable]
    assert output.rejected == len(good)
    assert output.frames == 0


@pytest.mark.parametrize(
    ("back", "same"),
    [
        (report(20_060, 900, 4, 800), True),
        (report(20_700, 900, 4, 800), True),
        (report(19_700, 900, 4, 800, 4), False),
        (report(8, 900, 4, 800), False),
        (report(15_000, 900, 4, 800), False),
    ],
    ids=["ran on", "ran on, a little fast", "says that it restarted", "began at 0", "began anew and ran longer"],
)
def test_a_counter_whose_clock_ran_on_while_it_was_away_is_the_same(back: bytes, same: bool) -> None:
    counter = session()
    (first,) = angles(counter.feed(report(60, 1, 3, -40), at(10)))
    counter.lost(at(20), "plug pulled")
    assert counter.deadline_ns() is None
    counter.opened(at(15_000))
    counter.lost(at(16_000), "and once more")
    counter.opened(at(20_000))
    output = counter.feed(back, at(20_010))
    (second,) = angles(output)
    assert (second.life == first.life) is same
    assert second.device_s == pytest.approx(20.0 if same else 0.0, abs=0.7)
    (mark,) = [reading for reading in output.readings if isinstance(reading, IndexMark)]
    assert (mark.passes, mark.life) == (4, second.life)
    (third,) = angles(counter.feed(report(25_000, 900, 4, 800), at(20_060)))
    assert third.life == second.life, "its clock is held against ours after an absence alone"


def test_a_counter_that_may_have_been_set_to_zero_while_it_was_away_has_another_life() -> None:
    counter = session(control=True)
    (first,) = angles(counter.feed(report(10, 1), at(10)))
    counter.request(SET_ZERO, at(20))
    counter.lost(at(30), "plug pulled")
    counter.opened(at(500))
    (second,) = angles(counter.feed(report(510, 1), at(510)))
    assert second.life != first.life


def test_silence_is_reported_in_time_and_ends() -> None:
    counter = session()
    counter.feed(report(10, 1), at(10))
    assert counter.deadline_ns() == 1_010_000_000
    assert counter.tick(at(1009)).readings == ()
    (fault,) = counter.tick(at(1010)).readings
    assert isinstance(fault, DeviceFault)
    assert fault.fault == Fault.SILENT
    assert counter.tick(at(5000)).readings == ()
    cleared = counter.feed(report(9000, 1), at(9000)).readings[0]
    assert isinstance(cleared, DeviceFault)
    assert cleared.cleared


class _Action(str):
    value = "set_zero"


SET_ZERO: Any = _Action("set_zero")


def test_zero_is_set_only_with_control() -> None:
    assert session().request(SET_ZERO, at(10)).send == ()
    counter = session(control=True)
    life = angles(counter.feed(report(10, 1), at(10)))[0].life
    assert counter.request(SET_ZERO, at(20)).send == (closed("!Z"),)
    (notice,) = counter.feed(closed("!Z,OK"), at(30)).readings
    assert isinstance(notice, DeviceNotice)
    assert angles(counter.feed(report(30, 0), at(40)))[0].life == life + 1


@pytest.mark.parametrize("answer", [closed("!Z,NO"), None])
def test_zero_that_was_not_set(answer: bytes | None) -> None:
    counter = session(control=True)
    counter.request(SET_ZERO, at(20))
    output = counter.tick(at(520)) if answer is None else counter.feed(answer, at(30))
    (fault,) = output.readings
    assert isinstance(fault, DeviceFault)
    assert fault.fault == EncoderFault.ZERO_NOT_SET


@given(st.lists(st.one_of(REPORTS, st.binary(max_size=40))))
def test_any_bytes_never_raise_and_the_cut_changes_nothing(pieces: list[bytes]) -> None:
    stream = b"".join(pieces)
    one, other = session(), session()
    readings: list[Reading] = list(one.feed(stream, at(10)).readings)
    found: list[Reading] = []
    for byte in stream:
        found += other.feed(bytes([byte]), at(10)).readings
    assert found == readings


def test_options() -> None:
    for values, key in (({"counts_per_turn": 899}, "counts_per_turn"), ({"baud": 9600}, "baud")):
        with pytest.raises(OptionError) as caught:
            DRIVER.parse_options(values)
        assert caught.value.key == key
    assert DRIVER.serial(CounterOptions()).baud == 115200
    assert DRIVER.observes(CounterOptions()) == {Observes.ANGLE, Observes.LAPS}


class TestClock:
    """What is timed by a clock that runs wrong cannot be judged."""

    @staticmethod
    def run(counter: CounterSession, seconds: float, rate: float, *, begin_ms: int = 0, delay: Any = None) -> Played:
        """Fifty reports a second for so long, by a clock that makes ``rate`` seconds in one; ``delay``: how many
        milliseconds one that was made at a moment is on its way."""
        played = Played([], [], begin_ms)
        for ms in range(begin_ms, begin_ms + round(seconds * 1000), 20):
            arrives = ms if delay is None else max(ms + delay(ms), played.end_ms)
            played.end_ms = arrives
            for reading in counter.feed(report(round(ms * rate), ms // 20, flags=1), at(arrives)).readings:
                played.readings.append(reading)
                if isinstance(reading, DeviceFault):
                    played.faults.append((arrives, reading))
        return played

    @pytest.mark.parametrize(
        ("rate", "within_s"), [(0.0, 5), (0.5, 5), (0.7, 5), (1.3, 5), (3.0, 5), (60.0, 5), (0.95, 65), (1.05, 65)]
    )
    def test_a_clock_that_runs_wrong_is_a_fault(self, rate: float, within_s: float) -> None:
        counter = session()
        played = self.run(counter, within_s + 5, rate)
        ((when_ms, fault),) = played.faults
        assert (fault.fault, fault.cleared) == (EncoderFault.CLOCK_OFF, False)
        assert when_ms <= within_s * 1000
        assert f"{rate:.2f} seconds in one" in fault.detail
        after = played.readings[played.readings.index(fault) + 1 :]
        assert {type(reading) for reading in after} == {AngleUnreadable}

    @pytest.mark.parametrize("rate", [0.981, 1.0, 1.019])
    def test_a_crystal_is_never_so_good_as_the_station_s(self, rate: float) -> None:
        assert self.run(session(), 150, rate).faults == []

    @pytest.mark.parametrize("every_ms", [60, 1000])
    def test_what_comes_in_lumps_is_no_wrong_clock(self, every_ms: int) -> None:
        assert self.run(session(), 70, 1.0, delay=lambda ms: -ms % every_ms).faults == []

    @settings(max_examples=15, deadline=None)
    @given(st.lists(st.integers(0, 900), min_size=40, max_size=40))
    def test_nor_is_what_waited_for_a_while(self, waits: list[int]) -> None:
        """Any of the half seconds may be held up; all that waited then arrives at once."""
        held = {n: wait for n, wait in enumerate(waits) if n % 2}
        assert self.run(session(), 20, 1.0, delay=lambda ms: held.get(ms // 500, 0) and -ms % 500).faults == []

    def test_nor_a_station_that_was_busy_for_two_seconds(self) -> None:
        busy = range(10_000, 11_800)
        played = self.run(session(), 20, 1.0, delay=lambda ms: busy.stop - ms if ms in busy else 0)
        assert played.faults == []

    def test_when_it_runs_well_again_it_counts_in_another_life(self) -> None:
        counter = session()
        before = [r for r in self.run(counter, 10, 1.5).readings if isinstance(r, WheelAngle)]
        counter.feed(report(0, 0, flags=5), at(10_000))
        played = self.run(counter, 70, 1.0, begin_ms=10_020)
        ((_, fault),) = played.faults
        assert (fault.fault, fault.cleared) == (EncoderFault.CLOCK_OFF, True)
        after = [r for r in played.readings if isinstance(r, WheelAngle)]
        assert after[0].life > before[-1].life
        assert after[0].device_s == 0.0

    def test_the_index_is_told_again_in_the_new_life(self) -> None:
        counter = session()
        for ms in range(0, 5000, 20):
            counter.feed(report(2 * ms, 7, 3, 5), at(ms))
        marks = []
        for ms in range(5000, 80_000, 20):
            output = counter.feed(report(10_000 + ms - 5000, 7, 3, 5), at(ms))
            marks += [reading for reading in output.readings if isinstance(reading, IndexMark)]
        assert [(mark.passes, mark.count) for mark in marks] == [(3, 5)]


@dataclass
class Played:
    readings: list[Reading]
    faults: list[tuple[int, DeviceFault]]
    end_ms: int
