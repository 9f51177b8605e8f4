"""A HID-POS scanner's reports to cards: no-reads, texts that span, what is torn, triggers, how the stream is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import NOTHING, DeviceAction, Maturity, Observes, Output, Session, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable
from support.umockdev import hid_report

T0 = Instant(0, 0)
MS = 1_000_000


def at_ms(ms: int) -> Instant:
    return Instant(ms * MS, ms * MS)


def scanner(**options: object) -> Session:
    driver = load_driver("barcode-hidpos")
    return driver.session(driver.parse_options({"codebook": "rank-suit", **options}))


def kinds(readings: Sequence[Reading]) -> list[tuple[type, str | None]]:
    """Each reading's kind, and its card or trouble."""
    return [(type(reading), getattr(reading, "card", getattr(reading, "reason", None))) for reading in readings]


def test_a_report_is_a_card_with_its_evidence() -> None:
    report = hid_report(b"8S")
    output = scanner(aim_ids=["]C"]).feed(report, T0)
    assert kinds(output.readings) == [(CardRead, "8S")]
    assert output.readings[0].raw == report
    assert (output.frames, output.rejected) == (1, 0)


@pytest.mark.parametrize(
    "report", [hid_report(b"NR", b"]A0"), hid_report(b"NR", bytes(3)), hid_report(b"]A0NR", b"]A0")]
)
@pytest.mark.parametrize("aim_ids", [[], ["]A0"]])
def test_no_reads_in_every_form_are_never_a_card(report: bytes, aim_ids: list[str]) -> None:
    assert kinds(scanner(aim_ids=aim_ids).feed(report, T0).readings) == [(CardUnreadable, CardTrouble.NO_READ)]


def test_symbology_and_length_are_those_of_the_table() -> None:
    one = scanner(aim_ids=["]C"], code_length=2)
    assert kinds(one.feed(hid_report(b"8S", b"]I0"), T0).readings) == [(CardUnreadable, CardTrouble.SYMBOLOGY)]
    assert kinds(one.feed(hid_report(b"8S", bytes(3)), T0).readings) == [(CardUnreadable, CardTrouble.SYMBOLOGY)]
    assert kinds(one.feed(hid_report(b"8SX"), T0).readings) == [(CardUnreadable, CardTrouble.LENGTH)]


def test_a_text_that_spans_reports_is_told_once_it_is_whole() -> None:
    one = scanner()
    text = b"x" * 70
    assert one.feed(hid_report(text[:56], more=True), at_ms(0)) == NOTHING
    assert one.deadline_ns() == 200 * MS
    found = one.feed(hid_report(text[56:]), at_ms(20)).readings
    assert [reading.code for reading in found if isinstance(reading, CardForeign)] == [text.decode()]
    assert one.deadline_ns() is None


def test_a_text_that_breaks_off_is_a_rescan_and_its_late_end_no_card() -> None:
    one = scanner(idle_gap_ms=50)
    first = hid_report(b"x" * 56, more=True)
    one.feed(first, at_ms(0))
    assert one.tick(at_ms(49)) == NOTHING
    output = one.tick(at_ms(50))
    assert kinds(output.readings) == [(CardUnreadable, CardTrouble.TORN)]
    assert output.readings[0].at == at_ms(0)
    assert (output.frames, output.rejected) == (0, 64)
    assert kinds(one.feed(hid_report(b"8S"), at_ms(60)).readings) == [(CardRead, "8S")]


def test_a_spoiled_text_is_one_rescan_and_its_rest_is_no_card() -> None:
    one = scanner()
    parts = [hid_report(b"x" * 56, more=True), hid_report(b"8S", b"]d1"), hid_report(b"KD")]
    assert kinds(one.feed(b"".join(parts), T0).readings) == [(CardUnreadable, CardTrouble.TORN), (CardRead, "KD")]
    endless = hid_report(b"x" * 56, more=True) * 6 + hid_report(b"8S")
    readings = one.feed(endless, T0).readings
    assert [type(reading) for reading in readings] == [CardUnreadable, Unreadable, Unreadable]
    assert kinds(one.feed(hid_report(b"QH"), T0).readings) == [(CardRead, "QH")]


def test_a_report_that_is_not_scanned_data_is_noise() -> None:
    output = scanner().feed(b"\x03" + bytes(63) + hid_report(b"8S"), T0)
    assert [type(reading) for reading in output.readings] == [Unreadable, CardRead]
    assert (output.frames, output.rejected) == (1, 64)


def test_a_piece_of_a_report_goes_with_the_rest_and_the_next_is_whole() -> None:
    one = scanner(idle_gap_ms=50)
    one.feed(hid_report(b"KD")[:30], at_ms(0))
    output = one.feed(hid_report(b"8S"), at_ms(50))
    assert kinds(output.readings) == [(CardUnreadable, CardTrouble.TORN), (CardRead, "8S")]
    assert output.rejected == 30


def test_a_lost_link_takes_half_a_text_with_it() -> None:
    one = scanner()
    one.feed(hid_report(b"x" * 56, more=True) + hid_report(b"KD")[:10], T0)
    assert one.lost(T0, "unplugged") == NOTHING
    assert one.deadline_ns() is None
    one.opened(at_ms(5))
    assert kinds(one.feed(hid_report(b"8S"), at_ms(5)).readings) == [(CardRead, "8S")]


def test_repeats_are_marked() -> None:
    one = scanner(repeat_window_ms=1000)
    found = [one.feed(hid_report(b"8S"), at_ms(ms)).readings[0] for ms in (0, 400, 1401)]
    assert [reading.repeated for reading in found if isinstance(reading, CardRead)] == [False, True, False]


def test_trigger_reports_as_configured_and_again_after_a_lost_link() -> None:
    one = scanner(trigger_on="04 01", trigger_off="0400")
    assert one.opened(T0).send == ()
    assert one.request(DeviceAction.SCAN_ON, T0).send == (b"\x04\x01",)
    assert one.opened(T0).send == (b"\x04\x01",)
    assert one.request(DeviceAction.SCAN_OFF, T0).send == (b"\x04\x00",)
    assert one.request(DeviceAction.LOCK_SHOE, T0) == NOTHING
    assert scanner().request(DeviceAction.SCAN_ON, T0) == NOTHING


def test_says_once_which_code_book_is_in_use() -> None:
    one = scanner()
    assert [type(reading) for reading in one.opened(T0).readings] == [DeviceNotice]
    assert one.opened(T0) == NOTHING


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "options"),
        ({"baud": 9600, "codebook": "rank-suit"}, "options"),
        ({"codebook": "/no/such/book.toml"}, "codebook"),
        ({"codebook": "rank-suit", "idle_gap_ms": 4}, "idle_gap_ms"),
        ({"codebook": "rank-suit", "repeat_window_ms": 60_001}, "repeat_window_ms"),
        ({"codebook": "rank-suit", "code_length": 0}, "code_length"),
        ({"codebook": "rank-suit", "code_length": 3}, "code_length"),
        ({"codebook": "rank-suit", "aim_ids": ["C"]}, "aim_ids"),
        ({"codebook": "rank-suit", "no_read": ["8S"]}, "no_read"),
        ({"codebook": "rank-suit", "trigger_on": "4"}, "trigger_on"),
        ({"codebook": "rank-suit", "trigger_off": "00" * 65}, "trigger_off"),
        ({"codebook": "rank-suit", "trigger_off": "0400"}, "trigger_on"),
        ({"codebook": "rank-suit", "repeat_window_ms": 0}, "repeat_window_ms"),
    ],
)
def test_impossible_options(options: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        load_driver("barcode-hidpos").parse_options(options)
    assert caught.value.key == key


def test_manifest() -> None:
    driver = load_driver("barcode-hidpos")
    assert driver.maturity is Maturity.DOCUMENTED
    assert driver.observes(driver.parse_options({"codebook": "rank-suit"})) == {Observes.CARD}
    assert driver.transports == {"usb", "recording"}


@given(data=st.data())
def test_cutting_changes_nothing(
    data: st.DataObject,
    told: Callable[[Sequence[Output]], tuple[Any, ...]],
    feed_cut: Callable[[Session, bytes, list[int]], list[Output]],
    cuts: st.SearchStrategy[list[int]],
) -> None:
    known = [hid_report(b"8S"), hid_report(b"NR", b"]A0"), hid_report(b"x" * 56, more=True), b"\x03" * 64, b"\x02" * 9]
    stream = b"".join(data.draw(st.lists(st.one_of(st.sampled_from(known), st.binary(max_size=80)), max_size=8)))
    whole, cut = scanner(), scanner()
    expected, got = [whole.feed(stream, T0)], feed_cut(cut, stream, data.draw(cuts))
    late = Instant(10**10, 0)
    assert told([*expected, whole.tick(late)]) == told([*got, cut.tick(late)])


@given(pieces=st.lists(st.tuples(st.one_of(st.binary(max_size=200), st.just(hid_report(b"8S"))), st.integers(0, 400))))
def test_never_raises_and_a_tick_in_time_or_late_is_the_same(
    pieces: list[tuple[bytes, int]], told: Callable[[Sequence[Output]], tuple[Any, ...]]
) -> None:
    ticked, late = scanner(), scanner()
    now = 0
    with_ticks, without = [], []
    for data, wait_ms in pieces:
        due = ticked.deadline_ns()
        if due is not None and due <= now + wait_ms * MS:
            with_ticks.append(ticked.tick(Instant(due, due)))
        now += wait_ms * MS
        at = Instant(now, now)
        with_ticks.append(ticked.feed(data, at))
        without.append(late.feed(data, at))
    end = Instant(now + 10**10, 0)
    assert told([*with_ticks, ticked.tick(end)]) == told([*without, late.tick(end)])
    assert all(len(reading.raw) <= 256 for output in without for reading in output.readings)
