"""What an Angel Eye says, as readings: vectors, repeats, refusals, commands, and no round out of nothing."""

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
from dealer_drivers.readings.shoe import (
    CardAnnouncedAgain,
    CardOutsideGame,
    CardRead,
    CardTrouble,
    CardUnreadable,
    CutCard,
    OutsideCause,
    PositionHint,
    PresetChanged,
    ShoeError,
    ShoeLocked,
    ShoeProblem,
    ShoeResult,
    ShoeSlot,
    ShoeStandBy,
    ShoeStarted,
    ShoeWinner,
)

T0 = Instant(0, 0)
Telegrams = Callable[..., bytes]
Told = Callable[[Sequence[Output]], tuple[Any, ...]]


def session(**options: object) -> Session:
    driver = load_driver("angel-eye")
    return driver.session(driver.parse_options(options))


def one_reading(data: bytes) -> Reading:
    output = session().feed(data, T0)
    assert len(output.readings) == 1
    reading = output.readings[0]
    assert reading.raw == data
    assert reading.at == T0
    return reading


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        ("05 31 44 81 B8 03 34 46", (CardRead, {"card": "8S", "hint": PositionHint(ShoeSlot.PLAYER, 1)})),
        ("05 39 44 91 A5 03 34 41", (CardRead, {"card": "5C", "hint": PositionHint(ShoeSlot.BANKER, 1)})),
        (
            "05 32 47 91 03 45 37",
            (ShoeResult, {"winner": ShoeWinner.PLAYER, "player_pair": True, "banker_pair": False}),
        ),
        (
            "05 41 47 C0 03 43 35",
            (ShoeResult, {"winner": ShoeWinner.BANKER, "player_pair": False, "banker_pair": False}),
        ),
        ("05 33 43 03 37 33", (CutCard, {"code": None})),
        ("05 34 45 C1 03 42 33", (ShoeError, {"problem": ShoeProblem.CANNOT_READ, "stopped": True, "cleared": False})),
        ("05 38 65 81 03 44 46", (ShoeError, {"problem": ShoeProblem.CANNOT_READ, "stopped": False, "cleared": True})),
        ("05 44 45 C2 03 43 30", (ShoeError, {"problem": ShoeProblem.OVERDRAW, "stopped": True, "cleared": False})),
    ],
)
def test_vectors(vector: str, expected: tuple[type[Reading], dict[str, object]]) -> None:
    reading = one_reading(bytes.fromhex(vector))
    kind, fields = expected
    assert type(reading) is kind
    assert {name: getattr(reading, name) for name in fields} == fields


def test_every_card_in_every_place(telegram: Telegrams) -> None:
    slots = {0: ShoeSlot.PLAYER, 1: ShoeSlot.BANKER, 2: ShoeSlot.BURN, 4: ShoeSlot.FIRST_BURN, 5: ShoeSlot.BURN_COUNT}
    seen = set()
    for place, slot in slots.items():
        for suit, letter in {1: "D", 2: "C", 3: "S", 4: "H"}.items():
            for rank, name in enumerate("A23456789TJQK", 1):
                index = rank
                data = telegram("1", "D", 0x80 | place << 4 | index, 0x80 | suit << 4 | rank)
                reading = one_reading(data)
                hint = PositionHint(slot, index)
                assert reading == CardRead(at=T0, raw=data, card=name + letter, hint=hint, sequence="1")
                assert isinstance(reading, CardRead)
                seen.add(reading.card)
    assert len(seen) == 52


@pytest.mark.parametrize(
    ("place", "card", "reason"),
    [
        (0x80, 0xB8, CardTrouble.INDEX),
        (0x81, 0x88, CardTrouble.SUIT),
        (0x81, 0xD8, CardTrouble.SUIT),
        (0x81, 0xB0, CardTrouble.RANK),
        (0x81, 0xBE, CardTrouble.RANK),
        (0x81, 0xBF, CardTrouble.RANK),
        (0xB1, 0xB8, CardTrouble.SLOT),
        (0xE1, 0xB8, CardTrouble.SLOT),
        (0xF1, 0xB8, CardTrouble.SLOT),
        (0x21, 0xB8, CardTrouble.MALFORMED),
        (0x81, 0x38, CardTrouble.MALFORMED),
    ],
)
def test_impossible_cards_are_refused(telegram: Telegrams, place: int, card: int, reason: CardTrouble) -> None:
    reading = one_reading(telegram("1", "D", place, card))
    assert isinstance(reading, CardUnreadable)
    assert reading.reason == reason


def test_refused_card_keeps_its_place_when_that_is_sound(telegram: Telegrams) -> None:
    reading = one_reading(telegram("1", "D", 0x92, 0xB0))
    assert isinstance(reading, CardUnreadable)
    assert reading.hint == PositionHint(ShoeSlot.BANKER, 2)


def test_wrong_bcc_is_refused_with_a_reason(telegram: Telegrams) -> None:
    card = one_reading(telegram("1", "D", 0x81, 0xB8, wrong_bcc=True))
    assert isinstance(card, CardUnreadable)
    assert card.reason == CardTrouble.CHECKSUM
    other = one_reading(telegram("1", "C", wrong_bcc=True))
    assert type(other) is Unreadable
    assert "BCC" in other.reason


def test_every_kind_of_message(telegram: Telegrams) -> None:
    def kinds(code: str, *payload: int) -> Reading:
        return one_reading(telegram("1", code, *payload))

    assert type(kinds("S")) is ShoeStarted
    assert type(kinds("P")) is ShoeStandBy
    again = kinds("R", 0x83, 0xC1)
    assert isinstance(again, CardAnnouncedAgain)
    assert (again.card, again.hint) == ("AH", PositionHint(ShoeSlot.PLAYER, 3))
    for byte, cause in ((0x80, OutsideCause.LOCK), (0x91, OutsideCause.ERROR), (0xA0, OutsideCause.SETTING_MODE)):
        outside = kinds("d", byte, 0x9D)
        assert isinstance(outside, CardOutsideGame)
        assert (outside.card, outside.cause) == ("KD", cause)
    for byte, locked in ((0x81, True), (0x80, False)):
        lock = kinds("L", byte)
        assert isinstance(lock, ShoeLocked)
        assert lock.locked is locked
    preset = kinds("M", 0x85, 0xFF)
    assert isinstance(preset, PresetChanged)
    assert (preset.address, preset.value) == (5, 0x7F)


@pytest.mark.parametrize(
    ("byte", "winner", "pairs"),
    [
        (0x90, ShoeWinner.PLAYER, (False, False)),
        (0xA2, ShoeWinner.TIE, (False, True)),
        (0xC3, ShoeWinner.BANKER, (True, True)),
        (0xF1, ShoeWinner.FORCE_QUIT, (True, False)),
    ],
)
def test_shoes_own_result(telegram: Telegrams, byte: int, winner: ShoeWinner, pairs: tuple[bool, bool]) -> None:
    result = one_reading(telegram("1", "G", byte))
    assert isinstance(result, ShoeResult)
    assert (result.winner, (result.player_pair, result.banker_pair)) == (winner, pairs)


def test_every_error_code_has_its_word(telegram: Telegrams) -> None:
    problems = []
    for code in range(1, 9):
        error = one_reading(telegram("1", "E", 0x80 | code))
        assert isinstance(error, ShoeError)
        assert error.code == code
        problems.append(error.problem)
    assert problems == list(ShoeProblem)


@pytest.mark.parametrize(
    ("code", "payload"),
    [
        ("S", [0x80]),
        ("C", [0x80]),
        ("P", [0x81]),
        ("G", []),
        ("G", [0x80]),
        ("G", [0xB0]),
        ("G", [0x94]),
        ("G", [0x98]),
        ("G", [0x20]),
        ("E", [0x81, 0x81]),
        ("L", [0x21]),
        ("M", [0x85]),
        ("R", [0x80, 0xB8]),
        ("R", [0x81, 0xB0]),
        ("d", [0xB1, 0xB8]),
        ("d", [0x81, 0x88]),
        ("Z", []),
        ("s", []),
    ],
)
def test_messages_outside_the_list_are_refused(telegram: Telegrams, code: str, payload: list[int]) -> None:
    reading = one_reading(telegram("1", code, *payload))
    assert type(reading) is Unreadable
    assert reading.reason


def test_repeats_are_dropped_and_news_with_the_same_card_is_not(telegram: Telegrams) -> None:
    shoe = session()
    card = telegram("1", "D", 0x81, 0xB8)
    first = shoe.feed(card * 3, T0)
    assert [type(reading) for reading in first.readings] == [CardRead]
    assert first.frames == 3
    # The same card of another deck in the next place, and the same slot and card under a new sequence: news.
    second = shoe.feed(telegram("2", "D", 0x82, 0xB8) + telegram("3", "D", 0x82, 0xB8), T0)
    assert [reading.hint for reading in second.readings if isinstance(reading, CardRead)] == [
        PositionHint(ShoeSlot.PLAYER, 2),
        PositionHint(ShoeSlot.PLAYER, 2),
    ]
    # The same bytes again, but not in a row: the sequence went round.
    assert len(shoe.feed(card, T0).readings) == 1


def test_a_repeat_over_a_lost_link_is_no_second_card(telegram: Telegrams) -> None:
    shoe = session()
    card = telegram("1", "D", 0x81, 0xB8)
    shoe.feed(card, T0)
    shoe.lost(T0, "unplugged")
    shoe.opened(T0)
    assert shoe.feed(card, T0).readings == ()


def test_two_halves_over_a_lost_link_are_no_card(telegram: Telegrams) -> None:
    shoe = session()
    card = telegram("1", "D", 0x81, 0xB8)
    shoe.feed(card[:4], T0)
    assert shoe.lost(T0, "unplugged") == NOTHING
    assert shoe.deadline_ns() is None
    (notice,) = shoe.opened(T0).readings
    assert isinstance(notice, DeviceNotice), "that it is listened to, once"
    assert shoe.opened(T0) == NOTHING
    assert not [reading for reading in shoe.feed(card[4:] + b"\x05", T0).readings if isinstance(reading, CardRead)]


def test_a_damaged_repeat_of_a_told_card_asks_for_no_rescan(telegram: Telegrams) -> None:
    shoe = session()
    card, damaged = telegram("1", "D", 0x81, 0xB8), telegram("1", "D", 0x81, 0xB8, wrong_bcc=True)
    kinds = [type(reading) for reading in shoe.feed(card + damaged + card, T0).readings]
    assert kinds == [CardRead, Unreadable]


def test_damaged_card_sent_again_whole(telegram: Telegrams) -> None:
    shoe = session()
    card, damaged = telegram("1", "D", 0x81, 0xB8), telegram("1", "D", 0x81, 0xB8, wrong_bcc=True)
    kinds = [type(reading) for reading in shoe.feed(damaged + damaged + card + card, T0).readings]
    assert kinds == [CardUnreadable, Unreadable, CardRead]


def test_torn_card_is_told_when_the_line_stays_quiet(telegram: Telegrams) -> None:
    shoe = session()
    assert shoe.feed(telegram("1", "D", 0x81, 0xB8)[:5], T0) == NOTHING
    due = shoe.deadline_ns()
    assert due is not None
    assert shoe.tick(Instant(due - 1, 0)) == NOTHING
    output = shoe.tick(Instant(due, 0))
    assert [type(reading) for reading in output.readings] == [CardUnreadable]
    assert output.readings[0].at == T0
    assert output.rejected == 5
    assert shoe.deadline_ns() is None


def test_late_tick_changes_nothing(telegram: Telegrams, told: Told) -> None:
    half, card = telegram("1", "D", 0x81, 0xB8)[:5], telegram("2", "D", 0x91, 0xB8)
    later = Instant(5_000_000_000, 0)
    ticked, late = session(), session()
    with_tick = [ticked.feed(half, T0), ticked.tick(later), ticked.feed(card[3:] + card, later)]
    without = [late.feed(half, T0), late.feed(card[3:] + card, later)]
    assert told(with_tick) == told(without)


def test_nothing_but_a_card_is_a_card(telegram: Telegrams) -> None:
    """No phantom hand: connecting, S, P, C and time give no card and send nothing."""
    shoe = session()
    (listening,) = shoe.opened(T0).readings
    assert isinstance(listening, DeviceNotice)
    outputs = [shoe.feed(telegram(str(n), code), T0) for n, code in enumerate("SPPCSP", 1)]
    outputs += [shoe.tick(Instant(n * 10_000_000_000, 0)) for n in range(1, 20)]
    outputs += [shoe.lost(Instant(10**12, 0), "unplugged"), shoe.opened(Instant(10**12, 0))]
    readings = [reading for output in outputs for reading in output.readings]
    assert [type(reading) for reading in readings] == [
        ShoeStarted,
        ShoeStandBy,
        ShoeStandBy,
        CutCard,
        ShoeStarted,
        ShoeStandBy,
    ]
    assert all(output.send == () for output in outputs)
    assert shoe.deadline_ns() is None


def test_joined_in_mid_hand_the_places_are_told_as_they_come(telegram: Telegrams) -> None:
    shoe = session()
    shoe.opened(T0)
    stream = telegram("4", "D", 0x82, 0xB8)[3:] + telegram("5", "D", 0x92, 0xA5) + telegram("6", "G", 0x90)
    cards = [reading for reading in shoe.feed(stream, T0).readings if isinstance(reading, CardRead)]
    assert [card.hint for card in cards] == [PositionHint(ShoeSlot.BANKER, 2)]


def test_wrong_speed_counts_no_frame() -> None:
    """Bytes at another speed are full of control characters; none may pass for a sign of life."""
    output = session().feed(bytes(range(256)) * 8, T0)
    assert output.frames == 0
    assert output.rejected > 1000
    assert all(type(reading) is Unreadable for reading in output.readings)


def test_acknowledges_each_telegram_only_when_set(telegram: Telegrams) -> None:
    stream = telegram("1", "D", 0x81, 0xB8) * 2 + telegram("2", "P") + telegram("3", "P", wrong_bcc=True)
    assert session().feed(stream, T0).send == ()
    assert session(acknowledge=True).feed(stream, T0).send == (b"\x06",) * 3


def test_read_only_unless_control_is_given() -> None:
    shoe = session()
    assert all(shoe.request(action, T0) == NOTHING for action in DeviceAction)


@pytest.mark.parametrize(
    ("action", "command"),
    [
        (DeviceAction.LOCK_SHOE, b"\x02OPLK02\x031B"),
        (DeviceAction.UNLOCK_SHOE, b"\x02OPLK01\x0318"),
        (DeviceAction.READ_PRESETS, b"\x02OPGP00\x0309"),
    ],
)
def test_commands(action: DeviceAction, command: bytes) -> None:
    shoe = session(control=True, command_bcc="stx_included")
    assert shoe.request(action, T0).send == (command,)


def test_clears_the_newest_error_and_only_that(telegram: Telegrams) -> None:
    shoe = session(control=True, command_bcc="stx_included")
    assert shoe.request(DeviceAction.CLEAR_SHOE_ERROR, T0) == NOTHING
    shoe.feed(telegram("1", "E", 0xC4), T0)
    (command,) = shoe.request(DeviceAction.CLEAR_SHOE_ERROR, T0).send
    assert command.startswith(b"\x02OPEC04\x03")
    shoe.feed(b"\x06" + telegram("2", "e", 0x84), T0)
    assert shoe.request(DeviceAction.CLEAR_SHOE_ERROR, T0) == NOTHING
    assert shoe.request(DeviceAction.ACKNOWLEDGE_VOID, T0) == NOTHING


def test_answers_to_commands_are_notices() -> None:
    shoe = session(control=True)
    shoe.request(DeviceAction.LOCK_SHOE, T0)
    (accepted,) = shoe.feed(b"\x06", T0).readings
    assert isinstance(accepted, DeviceNotice)
    assert accepted.notice == "command_accepted"
    shoe.request(DeviceAction.LOCK_SHOE, T0)
    (refused,) = shoe.feed(b"\x1502", T0).readings
    assert isinstance(refused, DeviceNotice)
    assert refused.notice == "command_refused"
    assert "command_bcc" in refused.detail
    shoe.request(DeviceAction.READ_PRESETS, T0)
    notices = [reading for reading in shoe.feed(b"\x06\x0212\x0300", T0).readings if isinstance(reading, DeviceNotice)]
    assert [notice.notice for notice in notices] == ["command_accepted", "read_presets"]
    (unasked,) = shoe.feed(b"\x06", T0).readings
    assert type(unasked) is Unreadable


def test_unanswered_command_is_reported_once() -> None:
    shoe = session(control=True)
    shoe.request(DeviceAction.LOCK_SHOE, T0)
    due = shoe.deadline_ns()
    assert due is not None
    assert shoe.tick(Instant(due - 1, 0)) == NOTHING
    (notice,) = shoe.tick(Instant(due, 0)).readings
    assert isinstance(notice, DeviceNotice)
    assert notice.notice == "command_unanswered"
    assert shoe.tick(Instant(due + 10**10, 0)) == NOTHING


def test_manifest() -> None:
    driver = load_driver("angel-eye")
    assert driver.maturity is Maturity.DOCUMENTED
    assert {"serial", "tcp", "recording"} <= driver.transports
    assert driver.observes(driver.parse_options({})) == {Observes.CARD, Observes.RESULT}
    assert driver.serial(driver.parse_options({})).baud == 4800
    assert driver.serial(driver.parse_options({"baud": 9600})).baud == 9600
    for wrong in ({"baud": 0}, {"command_bcc": "none"}, {"speed": 1}, {"acknowledge": "yes"}):
        with pytest.raises(OptionError):
            driver.parse_options(wrong)


@given(data=st.data())
def test_cutting_changes_nothing(
    data: st.DataObject,
    telegram: Telegrams,
    told: Told,
    feed_cut: Callable[[Session, bytes, list[int]], list[Output]],
    cuts: st.SearchStrategy[list[int]],
) -> None:
    byte = st.integers(0, 255)
    built = st.builds(
        telegram, st.sampled_from("12A"), st.sampled_from("DRGCSEedLMZ"), byte, byte, wrong_bcc=st.booleans()
    )
    pieces = st.one_of(built, built.map(lambda raw: raw * 2), built.map(lambda raw: raw[:4]), st.binary(max_size=80))
    stream = b"".join(data.draw(st.lists(pieces, max_size=12)))
    whole, cut = session(acknowledge=True), session(acknowledge=True)
    expected, got = [whole.feed(stream, T0)], feed_cut(cut, stream, data.draw(cuts))
    late = Instant(10**10, 0)
    assert told([*expected, whole.tick(late)]) == told([*got, cut.tick(late)])


@given(pieces=st.lists(st.tuples(st.binary(max_size=300), st.integers(0, 3 * 10**9)), max_size=8))
def test_never_raises_and_keeps_little(pieces: list[tuple[bytes, int]]) -> None:
    shoe = session(control=True, acknowledge=True)
    now = 0
    for data, wait in pieces:
        now += wait
        at = Instant(now, now)
        outputs = [shoe.feed(data, at), shoe.tick(at), shoe.request(DeviceAction.LOCK_SHOE, at)]
        assert all(len(reading.raw) <= 256 for output in outputs for reading in output.readings)
