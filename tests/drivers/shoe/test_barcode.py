"""Scanners that send text: framing, no-reads, symbologies, repeats, and the errors seen in the field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.driver import NOTHING, DeviceAction, Maturity, Observes, Output, Session, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceNotice, Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable, CutCard, ForeignKind
from dealer_drivers.shoe.aim import aim_allowed, is_aim_pattern, split_aim
from dealer_drivers.shoe.barcode_codec import MAX_FRAME, ScanFramer, Suffix
from dealer_drivers.shoe.codebook import CodeBook
from dealer_drivers.shoe.codebook_file import dump_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook

T0 = Instant(0, 0)
MS = 1_000_000
Told = Callable[[Sequence[Output]], tuple[Any, ...]]


def at_ms(ms: int) -> Instant:
    return Instant(ms * MS, ms * MS)


def scanner(**options: object) -> Session:
    driver = load_driver("barcode-serial")
    return driver.session(driver.parse_options({"codebook": "rank-suit", **options}))


@pytest.fixture(scope="module")
def blue() -> CodeBook:
    return make_codebook(decks=2, deck_set="blue", prefix="B7", seed="blue", jokers=1, adverts=1)


@pytest.fixture(scope="module")
def blue_file(blue: CodeBook, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("books") / "blue.toml"
    path.write_text(dump_codebook(blue), encoding="utf-8")
    return str(path)


def only(readings: Sequence[Reading]) -> Reading:
    assert len(readings) == 1, readings
    return readings[0]


def cards(readings: Sequence[Reading]) -> list[str]:
    assert all(isinstance(reading, CardRead) for reading in readings), readings
    return [reading.card for reading in readings if isinstance(reading, CardRead)]


def refused(data: bytes, **options: object) -> CardUnreadable:
    reading = only(scanner(**options).feed(data, T0).readings)
    assert isinstance(reading, CardUnreadable), reading
    assert reading.detail
    return reading


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\r\r\n"])
def test_any_line_end_ends_a_code_at_once(end: bytes) -> None:
    output = scanner().feed(b"8S" + end + b"TD" + end, T0)
    assert cards(output.readings) == ["8S", "TD"]
    assert (output.frames, output.rejected) == (2, 0)
    assert output.readings[0].raw == b"8S" + end[:1]


def test_a_rest_ends_a_code_without_line_end() -> None:
    one = scanner(idle_gap_ms=50)
    assert one.feed(b"8S", at_ms(10)) == NOTHING
    assert one.deadline_ns() == 60 * MS
    assert one.tick(at_ms(59)) == NOTHING
    output = one.tick(at_ms(60))
    assert cards(output.readings) == ["8S"]
    assert output.readings[0].at == at_ms(10)
    assert one.deadline_ns() is None
    assert one.tick(at_ms(500)) == NOTHING


def test_a_late_tick_does_not_glue_two_codes() -> None:
    one = scanner(idle_gap_ms=50)
    one.feed(b"8S", at_ms(0))
    assert cards(one.feed(b"KD\r", at_ms(50)).readings) == ["8S", "KD"]


def test_a_short_pause_does_not_tear_a_code() -> None:
    one = scanner(idle_gap_ms=50)
    one.feed(b"8", at_ms(0))
    assert cards(one.feed(b"S\r", at_ms(49)).readings) == ["8S"]


def test_suffix_none_and_others() -> None:
    one = scanner(suffix="none")
    one.feed(b"8S", T0)
    assert cards(one.tick(at_ms(1000)).readings) == ["8S"]
    assert cards(scanner(suffix="tab").feed(b"8S\t", T0).readings) == ["8S"]
    assert cards(scanner(suffix="etx", prefix="\x02").feed(b"\x028S\x03\x02KD\x03", T0).readings) == ["8S", "KD"]


def test_where_a_line_end_is_demanded_a_rest_is_a_torn_code() -> None:
    one = scanner(suffix="line")
    one.feed(b"8S", T0)
    output = one.tick(at_ms(1000))
    reading = only(output.readings)
    assert isinstance(reading, CardUnreadable)
    assert reading.reason == CardTrouble.TORN
    assert (output.frames, output.rejected) == (0, 2)


def test_torn_code_is_a_rescan_on_both_sides_of_the_tear(blue: CodeBook, blue_file: str) -> None:
    code = next(iter(blue.cards)).encode()
    one = scanner(codebook=blue_file)
    one.feed(code[:5], at_ms(0))
    torn = one.feed(code[5:] + b"\r", at_ms(900)).readings
    assert [reading.reason for reading in torn if isinstance(reading, CardUnreadable)] == [CardTrouble.PARTIAL] * 2


def test_half_a_code_is_thrown_away_with_the_link() -> None:
    one = scanner()
    one.feed(b"8S", T0)
    assert one.lost(T0, "unplugged") == NOTHING
    assert one.deadline_ns() is None
    assert one.tick(at_ms(5000)) == NOTHING
    one.opened(T0)
    assert cards(one.feed(b"KD\r", T0).readings) == ["KD"]


@pytest.mark.parametrize("text", [b"NR", b"]A0NR", b"]C0NR", b"]X0NR"])
@pytest.mark.parametrize("aim_ids", [[], ["]C"], ["]A0"]])
def test_no_reads_are_never_a_card(text: bytes, aim_ids: list[str]) -> None:
    assert refused(text + b"\r", aim_ids=aim_ids).reason == CardTrouble.NO_READ


def test_no_read_texts_and_prefix_are_options() -> None:
    assert refused(b"#NOREAD\r", no_read=["NOREAD"], prefix="#").reason == CardTrouble.NO_READ
    assert refused(b"]A0NR\r", prefix="#").reason == CardTrouble.NO_READ
    assert cards(scanner(prefix="#").feed(b"#8S\r#]C0KD\r", T0).readings) == ["8S", "KD"]
    assert refused(b"8S\r", prefix="#").reason == CardTrouble.FRAMING


def test_symbology_is_fixed_where_listed() -> None:
    fixed = {"aim_ids": ["]C", "]d1"]}
    assert cards(scanner(**fixed).feed(b"]C08S\r]C1KD\r]d1AH\r", T0).readings) == ["8S", "KD", "AH"]
    for text in (b"]I08S\r", b"]A08S\r", b"]d28S\r", b"8S\r"):
        assert refused(text, **fixed).reason == CardTrouble.SYMBOLOGY
    assert cards(scanner().feed(b"]Q08S\rKD\r", T0).readings) == ["8S", "KD"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"]C0\r", CardTrouble.EMPTY),
        (b"8\x01S\r", CardTrouble.NOT_TEXT),
        (b"8S\xff\r", CardTrouble.NOT_TEXT),
        (b"8SKD\r", CardTrouble.TWO_CODES),
        (b"8S KD\r", CardTrouble.TWO_CODES),
        (b"S\r", CardTrouble.PARTIAL),
        (b"8" * (MAX_FRAME + 1), CardTrouble.TOO_LONG),
    ],
)
def test_what_is_no_sound_code_is_a_rescan(text: bytes, reason: CardTrouble) -> None:
    assert refused(text).reason == reason


def test_length_is_fixed_where_given() -> None:
    assert refused(b"8SX\r", code_length=2).reason == CardTrouble.LENGTH
    assert cards(scanner(code_length=2).feed(b"]C08S\r", T0).readings) == ["8S"]


@pytest.mark.parametrize("noise", [b"\x00\xff\r", b"\x07\n", b"\x80" * (MAX_FRAME + 1)])
def test_bytes_without_a_character_may_have_been_a_card(noise: bytes) -> None:
    output = scanner().feed(noise, T0)
    assert isinstance(only(output.readings), CardUnreadable)
    assert output.frames == 0, "they say nothing for the speed"


@pytest.mark.parametrize("text", [b"\r", b"\n", b"\r\n", b"\r\r\n", b"]C0\r", b"]C0\r\n", b"\t", b"\x03"])
def test_an_end_alone_is_a_scanner_that_read_nothing(text: bytes) -> None:
    suffix = {b"\t": "tab", b"\x03": "etx"}.get(text, "auto")
    assert refused(text, suffix=suffix).reason == CardTrouble.EMPTY


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_an_end_that_comes_alone_after_a_code_is_told_by_the_rest_between(end: bytes) -> None:
    one = scanner()
    assert cards(one.feed(b"8S" + end, T0).readings) == ["8S"]
    assert one.feed(end, at_ms(50)).readings == (), "of the same end"
    reading = only(one.feed(end, at_ms(900)).readings)
    assert isinstance(reading, CardUnreadable)
    assert reading.reason == CardTrouble.EMPTY


def test_the_late_end_of_a_code_that_rested_is_no_card() -> None:
    one = scanner()
    one.feed(b"8S", T0)
    assert cards(one.tick(at_ms(200)).readings) == ["8S"]
    assert one.feed(b"\r\n", at_ms(210)).readings == ()


def test_the_tail_of_an_endless_text_is_no_card() -> None:
    output = scanner().feed(b"x" * 500 + b"8S\rKD\r", T0)
    assert [type(reading) for reading in output.readings] == [CardUnreadable, CardRead]
    assert cards(output.readings[1:]) == ["KD"]
    assert output.rejected == 502
    gone = scanner()
    gone.feed(b"x" * 500, at_ms(0))
    assert cards(gone.feed(b"KD\r", at_ms(5000)).readings) == ["KD"]


def test_foreign_cards(blue: CodeBook, blue_file: str) -> None:
    one = scanner(codebook=blue_file)
    cut, joker, advert = blue.others
    found = one.feed(f"{cut}\r{joker}\r{advert}\r4006381333931\r".encode(), T0).readings
    assert isinstance(found[0], CutCard)
    assert found[0].code == cut
    kinds = [(reading.kind, reading.code) for reading in found if isinstance(reading, CardForeign)]
    assert kinds == [
        (ForeignKind.JOKER, joker),
        (ForeignKind.ADVERT, advert),
        (ForeignKind.UNKNOWN, "4006381333931"),
    ]


def test_shift_ignored_by_a_keyboard_like_scanner_is_no_card() -> None:
    """Another system took ``8s`` for ``8S``; then a book with both cases reads one card for another."""
    assert isinstance(only(scanner().feed(b"8s\r", T0).readings), CardForeign)


def test_doubled_keys_are_no_card() -> None:
    for text in (b"88SS\r", b"88S\r", b"8SS\r"):
        assert not isinstance(only(scanner().feed(text, T0).readings), CardRead)


def test_equal_digits_in_a_row_are_kept(tmp_path: Path) -> None:
    book = make_codebook(decks=1, deck_set="x", prefix="7777", seed="x")
    path = tmp_path / "x.toml"
    path.write_text(dump_codebook(book), encoding="utf-8")
    one = scanner(codebook=str(path))
    for code, known in book.cards.items():
        assert cards(one.feed(f"{code}\r".encode(), T0).readings) == [known.card]


def test_second_equal_card_of_another_deck_is_not_dropped() -> None:
    one = scanner(repeat_window_ms=1000)
    found = [only(one.feed(b"8S\r", at_ms(ms)).readings) for ms in (0, 400, 1401, 9000)]
    assert [reading.repeated for reading in found if isinstance(reading, CardRead)] == [False, True, False, False]


def test_a_card_left_before_the_scanner_stays_one_repeat() -> None:
    one = scanner(repeat_window_ms=1000)
    found = [only(one.feed(b"8S\r", at_ms(ms)).readings) for ms in range(0, 5000, 700)]
    assert [reading.repeated for reading in found if isinstance(reading, CardRead)] == [False] + [True] * 7


def test_repeats_are_told_with_another_card_between() -> None:
    found = scanner().feed(b"8S\rKD\r8S\r", T0).readings
    assert [reading.repeated for reading in found if isinstance(reading, CardRead)] == [False, False, True]


def test_a_card_read_after_it_was_refused_is_fresh() -> None:
    found = scanner(aim_ids=["]C"]).feed(b"]I08S\r]C08S\r", T0).readings
    assert [type(reading) for reading in found] == [CardUnreadable, CardRead]
    assert isinstance(found[1], CardRead)
    assert not found[1].repeated


def test_repeats_of_no_reads_and_foreign_codes_are_marked() -> None:
    found = scanner().feed(b"NR\rNR\rXYZ\rXYZ\r", T0).readings
    marks = [reading.repeated for reading in found if isinstance(reading, CardUnreadable | CardForeign)]
    assert marks == [False, True, False, True]


def test_unit_coded_cards_say_which_piece_they_are(blue: CodeBook, blue_file: str) -> None:
    one = scanner(codebook=blue_file)
    twins = [code for code, known in blue.cards.items() if known.card == "8S"]
    found = [only(one.feed(f"{code}\r".encode(), at_ms(n * 300)).readings) for n, code in enumerate([*twins, twins[0]])]
    assert cards(found) == ["8S"] * 3
    units = [reading.unit for reading in found if isinstance(reading, CardRead)]
    assert units[0] == units[2] == blue.cards[twins[0]].unit
    assert units[0] != units[1]
    # Equal cards of two decks within the window are no repeat; the same piece is.
    assert [reading.repeated for reading in found if isinstance(reading, CardRead)] == [False, False, True]


def test_says_once_which_code_book_is_in_use(blue_file: str) -> None:
    one = scanner()
    notice = only(one.opened(T0).readings)
    assert isinstance(notice, DeviceNotice)
    assert "look alike" in notice.detail
    one.lost(T0, "unplugged")
    assert one.opened(T0) == NOTHING
    unit = only(scanner(codebook=blue_file).opened(T0).readings)
    assert isinstance(unit, DeviceNotice)
    assert "2 decks, 104 cards" in unit.detail


def test_trigger_as_configured_and_again_after_a_lost_link() -> None:
    one = scanner(trigger_on="16 54 0D", trigger_off="16550d")
    assert one.opened(T0).send == ()
    assert one.request(DeviceAction.SCAN_ON, T0).send == (b"\x16T\r",)
    assert one.opened(T0).send == (b"\x16T\r",)
    assert one.request(DeviceAction.SCAN_OFF, T0).send == (b"\x16U\r",)
    assert one.request(DeviceAction.LOCK_SHOE, T0) == NOTHING
    assert scanner().request(DeviceAction.SCAN_ON, T0) == NOTHING


def test_what_lay_there_while_it_was_stopped_is_no_sure_card() -> None:
    one = scanner(trigger_on="16 54 0D", trigger_off="16550d")
    one.request(DeviceAction.SCAN_ON, T0)
    one.feed(b"8S\r\n", T0)
    one.request(DeviceAction.SCAN_OFF, T0)
    one.request(DeviceAction.SCAN_ON, T0.plus_s(60))
    (there,) = one.feed(b"8S\r\n", T0.plus_s(60)).readings
    assert isinstance(there, CardRead)
    assert (there.repeated, there.unsure) == (True, True)
    one.request(DeviceAction.SCAN_ON, T0.plus_s(70))
    (another,) = one.feed(b"8S\r\n", T0.plus_s(90)).readings
    assert isinstance(another, CardRead)
    assert not another.repeated, "it looked all the time"


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "options"),
        ({"codebook": "rank-suit", "baud": 12}, "baud"),
        ({"codebook": "rank-suit", "idle_gap_ms": 0}, "idle_gap_ms"),
        ({"codebook": "rank-suit", "repeat_window_ms": -1}, "repeat_window_ms"),
        ({"codebook": "rank-suit", "code_length": 0}, "code_length"),
        ({"codebook": "rank-suit", "code_length": 8}, "code_length"),
        ({"codebook": "rank-suit", "aim_ids": ["C0"]}, "aim_ids"),
        ({"codebook": "rank-suit", "trigger_on": "1654D"}, "trigger_on"),
        ({"codebook": "rank-suit", "trigger_off": "zz"}, "trigger_off"),
        ({"codebook": "rank-suit", "trigger_off": "16550D"}, "trigger_on"),
        ({"codebook": "rank-suit", "repeat_window_ms": 0}, "repeat_window_ms"),
        ({"codebook": "rank-suit", "no_read": ["8S"]}, "no_read"),
        ({"codebook": "rank-suit", "prefix": "é"}, "prefix"),
        ({"codebook": "rank-suit", "prefix": "\r"}, "prefix"),
        ({"codebook": "rank-suit", "suffix": "cr"}, "options"),
        ({"codebook": "rank-suit", "parity": "X"}, "options"),
        ({"codebook": "/no/such/book.toml"}, "codebook"),
    ],
)
def test_impossible_options(options: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        load_driver("barcode-serial").parse_options(options)
    assert caught.value.key == key


def test_a_bad_code_book_names_file_and_reasons(tmp_path: Path, blue: CodeBook) -> None:
    path = tmp_path / "bad.toml"
    first = next(iter(blue.cards))
    path.write_text(dump_codebook(blue).replace(f'"{first}"', '"B7X"'), encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        load_driver("barcode-serial").parse_options({"codebook": str(path)})
    assert str(path) in caught.value.reason
    assert "check character" in caught.value.reason


def test_manifest() -> None:
    driver = load_driver("barcode-serial")
    assert driver.maturity is Maturity.GENERIC
    assert driver.observes(driver.parse_options({"codebook": "rank-suit"})) == {Observes.CARD}
    settings = driver.serial(
        driver.parse_options({"codebook": "rank-suit", "baud": 115200, "data_bits": 7, "parity": "E", "stop_bits": 2})
    )
    assert (settings.baud, settings.data_bits, settings.parity, settings.stop_bits) == (115200, 7, "E", 2)


def test_aim_identifiers() -> None:
    assert split_aim("]C08S") == ("]C0", "8S")
    assert split_aim("]8S") == (None, "]8S")
    assert split_aim("8S]C0") == (None, "8S]C0")
    assert is_aim_pattern("]C")
    assert not is_aim_pattern("]")
    assert aim_allowed("]C1", ["]C"])
    assert not aim_allowed("]C1", ["]C0"])


@given(data=st.data())
def test_cutting_changes_nothing(
    data: st.DataObject,
    told: Told,
    feed_cut: Callable[[Session, bytes, list[int]], list[Output]],
    cuts: st.SearchStrategy[list[int]],
) -> None:
    known = st.sampled_from([b"8S\r\n", b"KD\r", b"]C0AH\n", b"NR\r", b"8", b"XY\r", b"x" * 130])
    stream = b"".join(data.draw(st.lists(st.one_of(known, st.binary(max_size=20)), max_size=12)))
    suffix = data.draw(st.sampled_from(list(Suffix)))
    whole, cut = scanner(suffix=suffix), scanner(suffix=suffix)
    expected, got = [whole.feed(stream, T0)], feed_cut(cut, stream, data.draw(cuts))
    late = Instant(10**10, 0)
    assert told([*expected, whole.tick(late)]) == told([*got, cut.tick(late)])


@settings(deadline=None)
@given(pieces=st.lists(st.tuples(st.binary(max_size=300), st.integers(0, 300 * MS)), max_size=8))
def test_never_raises_and_a_tick_in_time_or_late_is_the_same(pieces: list[tuple[bytes, int]], told: Told) -> None:
    ticked, late = scanner(), scanner()
    now = 0
    with_ticks, without = [], []
    for data, wait in pieces:
        due = ticked.deadline_ns()
        if due is not None and due <= now + wait:
            with_ticks.append(ticked.tick(Instant(due, due)))
        now += wait
        at = Instant(now, now)
        with_ticks.append(ticked.feed(data, at))
        without.append(late.feed(data, at))
    end = Instant(now + 10**10, 0)
    assert told([*with_ticks, ticked.tick(end)]) == told([*without, late.tick(end)])
    assert all(len(reading.raw) <= 256 for output in without for reading in output.readings)


@given(unit=st.binary(min_size=1, max_size=9), suffix=st.sampled_from(list(Suffix)))
def test_memory_is_bounded(unit: bytes, suffix: Suffix) -> None:
    framer = ScanFramer(suffix)
    for _ in range(20):
        frames, _ = framer.feed(unit * 200)
        assert all(len(frame.raw) <= MAX_FRAME + 1 for frame in frames)
    assert sum(len(frame.raw) for frame in framer.rest()) <= MAX_FRAME
    assert not framer.pending
