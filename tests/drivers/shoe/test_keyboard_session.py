"""A scanner that types: events to cards; what the kernel drops, what is torn, and how the stream is cut."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import NOTHING, DeviceAction, Maturity, Observes, Output, Session, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shoe import CardRead, CardTrouble, CardUnreadable
from dealer_drivers.supervised import SupervisedSession
from support.keys import ENTER, SYN, TAB, events, press, typed

T0 = Instant(0, 0)
MS = 1_000_000
DROPPED = (0, 3, 0)
KEYS_LOST = [(DeviceFault, None)] * 2
Told = Callable[[Sequence[Output]], tuple[Any, ...]]


def at_ms(ms: int) -> Instant:
    return Instant(ms * MS, ms * MS)


def scanner(**options: object) -> Session:
    driver = load_driver("barcode-keyboard")
    return driver.session(driver.parse_options({"codebook": "rank-suit", **options}))


def wire(*parts: Iterable[tuple[int, int, int]]) -> bytes:
    return events(event for part in parts for event in part)


def kinds(readings: Sequence[Reading]) -> list[tuple[type, str | None]]:
    """Each reading's kind, and its card or trouble."""
    return [(type(reading), getattr(reading, "card", getattr(reading, "reason", None))) for reading in readings]


def test_what_is_typed_up_to_enter_or_tab_is_a_code() -> None:
    output = scanner().feed(wire(typed("8S"), press(ENTER), typed("]C0KD"), press(TAB)), T0)
    assert kinds(output.readings) == [(CardRead, "8S"), (CardRead, "KD")]
    assert output.rejected == 0


def test_shift_decides_and_equal_characters_are_kept() -> None:
    lower = scanner().feed(wire(typed("8s"), press(ENTER)), T0).readings
    assert CardRead not in [type(reading) for reading in lower]
    foreign = scanner().feed(wire(typed("7788S"), press(ENTER)), T0).readings[0]
    assert getattr(foreign, "code", None) == "7788S"


def test_a_rest_ends_a_code_without_an_end_key() -> None:
    one = scanner(idle_gap_ms=50)
    assert one.feed(wire(typed("8S")), at_ms(10)).readings == ()
    assert one.deadline_ns() == 60 * MS
    assert one.tick(at_ms(59)) == NOTHING
    found = one.tick(at_ms(60)).readings
    assert kinds(found) == [(CardRead, "8S")]
    assert found[0].at == at_ms(10)
    assert one.deadline_ns() is None


def test_where_an_end_key_is_demanded_a_rest_is_a_torn_code() -> None:
    one = scanner(suffix="key")
    one.feed(wire(typed("8S")), at_ms(0))
    assert kinds(one.tick(at_ms(500)).readings) == [(CardUnreadable, CardTrouble.TORN)]


def test_no_read_and_prefix() -> None:
    one = scanner(prefix="#")
    found = one.feed(wire(typed("#8S"), press(ENTER), typed("#]A0NR"), press(ENTER), typed("KD"), press(ENTER)), T0)
    assert kinds(found.readings) == [
        (CardRead, "8S"),
        (CardUnreadable, CardTrouble.NO_READ),
        (CardUnreadable, CardTrouble.FRAMING),
    ]


def test_dropped_events_are_a_rescan_whatever_else_was_typed() -> None:
    """Between a drop and the next report nothing is to be believed; the card after it is whole again."""
    lost = scanner().feed(wire(typed("8S"), [DROPPED, SYN], press(ENTER), typed("KD"), press(ENTER)), T0)
    assert kinds(lost.readings) == [*KEYS_LOST, (CardUnreadable, CardTrouble.TORN), (CardRead, "KD")]


def test_what_was_dropped_may_have_been_any_number_of_cards() -> None:
    """So it is said as a lost link is, once a drop, and over at once; the card after it may lie there still."""
    one = scanner()
    one.feed(wire(typed("8S"), press(ENTER)), at_ms(0))
    lost = one.feed(wire([DROPPED, DROPPED, SYN], press(ENTER)), at_ms(5_000)).readings
    assert [(fault.fault, fault.cleared) for fault in lost if isinstance(fault, DeviceFault)] == [
        ("keys_lost", False),
        ("keys_lost", True),
    ]
    (again,) = one.feed(wire(typed("8S"), press(ENTER)), at_ms(8_000)).readings
    assert isinstance(again, CardRead)
    assert (again.repeated, again.unsure) == (True, True)
    assert len(one.feed(wire([DROPPED, SYN]), at_ms(9_000)).readings) == 2, "another drop"


def test_a_card_that_was_dropped_whole_is_a_rescan() -> None:
    one = scanner()
    one.feed(wire([DROPPED, SYN]), at_ms(0))
    assert kinds(one.tick(at_ms(500)).readings) == [(CardUnreadable, CardTrouble.TORN)]
    assert kinds(one.feed(wire(typed("KD"), press(ENTER)), at_ms(600)).readings) == [(CardRead, "KD")]


def test_a_text_whose_head_fell_to_a_drop_is_no_card() -> None:
    one = scanner()
    one.feed(wire([DROPPED]), at_ms(0))
    one.tick(at_ms(500))
    found = one.feed(wire(typed("98S"), press(ENTER)), at_ms(600)).readings  # the 9 comes before the report ends
    assert kinds(found) == [(CardUnreadable, CardTrouble.TORN)]


def test_keys_without_a_character_spoil_a_text_and_alone_may_have_been_a_card() -> None:
    volume = press(115)
    found = scanner().feed(wire(typed("8"), volume, typed("S"), press(ENTER), volume, press(ENTER)), T0).readings
    assert kinds(found) == [(CardUnreadable, CardTrouble.NOT_TEXT)] * 2


def test_enter_alone_is_a_scanner_that_read_nothing() -> None:
    one = scanner()
    assert kinds(one.feed(wire(press(ENTER)), T0).readings) == [(CardUnreadable, CardTrouble.EMPTY)]


def test_a_lost_link_takes_half_a_text_with_it() -> None:
    one = scanner()
    one.feed(wire(typed("K"), [DROPPED])[:-5], T0)
    assert one.lost(T0, "unplugged") == NOTHING
    assert one.deadline_ns() is None
    one.opened(at_ms(5))
    assert kinds(one.feed(wire(typed("8S"), press(ENTER)), at_ms(5)).readings) == [(CardRead, "8S")]


def test_a_piece_of_an_event_goes_with_the_rest() -> None:
    one = scanner(idle_gap_ms=50)
    one.feed(wire([SYN])[:7], at_ms(0))
    output = one.feed(wire(typed("8S"), press(ENTER)), at_ms(50))
    assert [type(reading) for reading in output.readings] == [Unreadable, CardRead]
    assert output.rejected == 7


def test_pauses_between_scans_are_no_fault_of_the_link() -> None:
    """The release of Enter comes after the text; seconds later the next text begins."""
    link = SupervisedSession(scanner(), "scanner", "hint")
    link.opened(T0)
    said: list[Reading] = []
    for second in range(0, 40, 10):
        for position, event in enumerate([*typed("8S"), *press(ENTER)]):
            at = Instant(second * 1000 * MS + position, 0)
            said += link.received(events([event]), at).readings
    assert [type(reading) for reading in said] == [CardRead] * 4
    assert link.health.rejected_bytes == 0


def test_says_once_which_code_book_and_cannot_be_asked() -> None:
    one = scanner()
    assert [type(reading) for reading in one.opened(T0).readings] == [DeviceNotice]
    assert one.opened(T0) == NOTHING
    assert one.request(DeviceAction.SCAN_ON, T0) == NOTHING


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "options"),
        ({"codebook": "rank-suit", "suffix": "cr"}, "options"),
        ({"codebook": "rank-suit", "layout": "de"}, "options"),
        ({"codebook": "rank-suit", "prefix": "\t"}, "prefix"),
        ({"codebook": "rank-suit", "prefix": "é"}, "prefix"),
        ({"codebook": "rank-suit", "idle_gap_ms": 0}, "idle_gap_ms"),
    ],
)
def test_impossible_options(options: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        load_driver("barcode-keyboard").parse_options(options)
    assert caught.value.key == key


def test_manifest() -> None:
    driver = load_driver("barcode-keyboard")
    assert driver.maturity is Maturity.GENERIC
    assert driver.observes(driver.parse_options({"codebook": "rank-suit"})) == {Observes.CARD}
    assert driver.transports == {"input", "recording"}


some_events = st.lists(
    st.one_of(
        st.just([*typed("8S"), *press(ENTER)]),
        st.just([DROPPED]),
        st.just([SYN]),
        st.builds(lambda *event: [event], st.sampled_from([0, 1, 4]), st.integers(0, 130), st.integers(0, 2)),
    ),
    max_size=12,
)


@given(parts=some_events, data=st.data())
def test_cutting_changes_nothing(
    parts: list[list[tuple[int, int, int]]],
    data: st.DataObject,
    told: Told,
    feed_cut: Callable[[Session, bytes, list[int]], list[Output]],
    cuts: st.SearchStrategy[list[int]],
) -> None:
    stream = wire(*parts) + data.draw(st.binary(max_size=23))
    whole, cut = scanner(), scanner()
    expected, got = [whole.feed(stream, T0)], feed_cut(cut, stream, data.draw(cuts))
    late = Instant(10**10, 0)
    assert told([*expected, whole.tick(late)]) == told([*got, cut.tick(late)])


@given(data=st.binary(max_size=400))
def test_never_raises(data: bytes) -> None:
    one = scanner()
    one.feed(data, T0)
    one.feed(struct.pack("<qqHHi", -1, 2**63 - 1, 65535, 65535, -(2**31)), T0)
    one.tick(at_ms(10_000))
    assert one.deadline_ns() is None
