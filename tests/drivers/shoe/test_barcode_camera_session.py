"""What a camera saw in each picture, to cards: told once, never from one picture, never between two texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.camera.living import GAP_S
from dealer_drivers.camera.messages import (
    MAX_LINE,
    Beat,
    CameraRefused,
    Gap,
    Message,
    MessageLines,
    Ready,
    Sight,
    encode,
)
from dealer_drivers.driver import NOTHING, DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable
from dealer_drivers.shoe.camera_session import CameraSession
from dealer_drivers.shoe.card_text import TextRules
from dealer_drivers.shoe.codebook import RANK_SUIT

T0 = Instant(0, 0)
FRAME_S = 0.05
GONE_MS = 300


def fresh_session() -> CameraSession:
    session = CameraSession(TextRules(book=RANK_SUIT, no_read=()), GONE_MS)
    (book,) = session.opened(T0).readings
    assert isinstance(book, DeviceNotice)
    return session


class Window:
    """A session and its camera: ``look`` shows a picture, twenty a second."""

    def __init__(self) -> None:
        self.session = fresh_session()
        self.frame = 0
        self.readings: list[Reading] = []

    @property
    def now(self) -> Instant:
        return T0.plus_s(self.frame * FRAME_S)

    def look(self, *shown: str | None, doubt: str = "", same_picture: bool = False) -> None:
        """Pictures in a row: a text each, or no code (``None``), or ``doubt`` where the text is empty."""
        for text in shown:
            self.frame += 1
            picture = "same" if same_picture else f"picture {self.frame}"
            doubts = () if text else (doubt or "no_code",)
            self.say(Sight(self.frame, picture, text or None, "]C0" if text else "", doubts))

    def say(self, message: Message) -> None:
        self.readings += self.session.feed(encode(message), self.now).readings

    def told(self) -> list[Any]:
        """Cards by name, everything else by its reason."""
        short = [
            reading.card + ("*" if reading.repeated else "")
            if isinstance(reading, CardRead)
            else reading.reason
            if isinstance(reading, CardUnreadable)
            else type(reading).__name__
            for reading in self.readings
        ]
        self.readings.clear()
        return short


@pytest.fixture
def window() -> Window:
    return Window()


def test_a_card_is_told_once_while_it_lies_there(window: Window) -> None:
    window.look("8S")
    assert window.told() == [], "one picture is not enough"
    window.look("8S")
    (reading,) = window.readings
    assert isinstance(reading, CardRead)
    assert (reading.card, reading.code, reading.at, reading.repeated) == ("8S", "8S", window.now, False)
    assert b"picture 2" in reading.raw, "the evidence names the picture"
    window.readings.clear()
    window.look(*["8S"] * 100)
    assert window.told() == []


def test_cards_in_order(window: Window) -> None:
    for card in ("8S", "KD", "8S", "TC"):
        window.look(*[card] * 4, *[None] * 30)
    assert window.told() == ["8S", "KD", "8S", "TC"], "the same card again after 1.5 s is a fresh one"


def test_the_same_card_soon_again_may_be_the_same_pass(window: Window) -> None:
    window.look(*["8S"] * 60, *[None] * 10, *["8S"] * 3)
    assert window.told() == ["8S", "8S*"], "counted from when it was last in view, three seconds after it was told"
    window.look(*[None] * 3, "8S", "8S")
    assert window.told() == [], "out of sight for less than the gone time is the same sighting"


def test_one_picture_of_another_text_never_makes_a_card(window: Window) -> None:
    window.look("8S", "9S", "8S", "9S")
    assert "9S" not in window.told()
    window.look(*[None] * 10)
    assert set(window.told()) == {CardTrouble.NO_READ}


def test_pictures_in_a_row_are_needed(window: Window) -> None:
    window.look("8S", None, "8S")
    window.look("", doubt="unconfirmed")
    window.look("8S")
    assert window.told() == []
    window.look("8S")
    assert window.told() == ["8S"]


def test_a_stream_that_stands_still_shows_no_card(window: Window) -> None:
    window.look(*["8S"] * 20, same_picture=True)
    assert window.told() == []


def test_two_codes_in_one_picture_are_unreadable_and_said_once(window: Window) -> None:
    window.look("", doubt="two_codes")
    assert window.told() == []
    window.look("", doubt="two_codes")
    assert window.told() == [CardTrouble.TWO_CODES]
    window.look("", doubt="two_codes")
    window.look("KD")
    window.look("KD")
    assert window.told() == ["KD"], "one of them was taken away"
    window.look(*[None] * 10)
    assert window.told() == []


def shown_beside_a_second_code(window: Window, *, alone_s: float, twice: bool = False) -> None:
    """8S is told, then another code comes beside it; one of the two is to be shown again, alone."""
    window.look("8S", "8S")
    window.look(*[""] * 60, doubt="two_codes")
    window.look(*["8S"] * int(alone_s / FRAME_S))
    window.look(*[None] * 60)
    if twice:
        window.look("", "", doubt="two_codes")
        window.look(*[None] * 60)
    assert window.told() == ["8S", *[CardTrouble.TWO_CODES] * (1 + twice)]


@pytest.mark.parametrize("alone_s", [0.0, 2.0])
@pytest.mark.parametrize("twice", [True, False])
def test_a_card_that_was_told_before_a_second_code_came_beside_it_is_no_second_card(
    window: Window, alone_s: float, twice: bool
) -> None:
    shown_beside_a_second_code(window, alone_s=alone_s, twice=twice)
    window.look("8S", "8S")
    assert [reading.unsure for reading in window.readings if isinstance(reading, CardRead)] == [True]
    assert window.told() == ["8S*"]
    window.look(*[None] * 60)
    window.look("8S", "8S")
    assert window.told() == ["8S"], "a person decided; later it is another one"


def test_the_other_of_two_cards_is_told_and_then_an_equal_one(window: Window) -> None:
    shown_beside_a_second_code(window, alone_s=0.0)
    window.look("TD", "TD")
    window.look(*[None] * 60)
    window.look("8S", "8S")
    assert window.told() == ["TD", "8S"]


def test_bars_that_read_as_two_in_one_picture_cost_that_picture(window: Window) -> None:
    window.look("8S")
    window.look("", doubt="two_codes")
    window.look("8S")
    window.look("", doubt="two_codes", same_picture=True)
    window.look("", doubt="two_codes", same_picture=True)
    assert window.told() == []
    window.look("8S", "8S", *[None] * 20)
    assert window.told() == ["8S"]
    window.look("", doubt="two_codes")
    window.look(*[None] * 20)
    assert window.told() == [CardTrouble.NO_READ], "and it was something all the same"


def test_a_code_that_was_never_read_surely_is_said_when_it_has_left(window: Window) -> None:
    window.look("", "", doubt="unconfirmed")
    assert window.told() == []
    window.look(*[None] * 10)
    (reading,) = window.readings
    assert isinstance(reading, CardUnreadable)
    assert reading.reason == CardTrouble.NO_READ
    assert "unconfirmed" in reading.detail
    window.readings.clear()
    window.look("8S", *[None] * 10)
    assert window.told() == [CardTrouble.NO_READ], "a card that passed too fast"
    window.look("8S", "8S")
    window.look("", doubt="unconfirmed")
    window.look(*[None] * 10)
    assert window.told() == ["8S"], "doubts after a sure reading are the card's leaving"


def test_silence_is_no_empty_window(window: Window) -> None:
    """A machine so busy that no picture is looked at: the card may lie there all the time, and is told once."""
    window.look("8S", "8S")
    assert window.session.deadline_ns() is None
    window.frame += 400
    assert window.session.tick(window.now) == NOTHING
    window.look("8S", "8S")
    assert window.told() == ["8S"]
    window.look(*[None] * 30, "8S", "8S")
    assert window.told() == ["8S"], "seen empty in between, so this is another card"


def test_what_lies_there_after_the_camera_was_away_may_have_lain_there_before(window: Window) -> None:
    window.look("8S", "8S")
    window.session.lost(window.now, "unplugged")
    window.frame += 400
    window.session.opened(window.now)
    window.look(*["8S"] * 5)
    assert window.told() == ["8S", "8S*"]
    window.look(*[None] * 30, "8S", "8S")
    assert window.told() == ["8S"]
    window.session.lost(window.now, "unplugged")
    window.session.opened(window.now)
    window.look("KD", "KD", *[None] * 30, "8S", "8S")
    assert window.told() == ["KD", "8S"]


def test_an_empty_picture_and_time_end_a_sighting(window: Window) -> None:
    window.look("8S", None)
    due = window.session.deadline_ns()
    assert due == window.now.plus_s(GONE_MS / 1000).mono_ns
    assert window.session.tick(Instant(due - 1, 0)) == NOTHING
    (reading,) = window.session.tick(Instant(due, 0)).readings
    assert isinstance(reading, CardUnreadable)
    assert window.session.deadline_ns() is None
    assert window.session.tick(Instant(due, 0)) == NOTHING


def test_texts_that_are_no_card(window: Window) -> None:
    window.look("ZZ", "ZZ", *[None] * 20)
    window.look("8", "8", *[None] * 20)
    window.look("8♠", "8♠", *[None] * 20)
    window.look("NR", "NR")
    assert window.told() == ["CardForeign", CardTrouble.PARTIAL, CardTrouble.NOT_TEXT, "CardForeign"]


def test_a_picture_that_does_not_change_is_a_fault_until_it_does(window: Window) -> None:
    def beats(count: int, fresh: int) -> None:
        for _ in range(count):
            window.frame += 10
            window.say(Beat(window.frame, fresh))

    beats(5, 10)
    assert window.readings == []
    beats(3, 0)
    (fault,) = window.readings
    assert isinstance(fault, DeviceFault)
    assert (fault.fault, fault.cleared) == (Fault.SILENT, False)
    assert f"{GAP_S:g} s" in fault.detail
    beats(1, 1)
    assert isinstance(window.readings[-1], DeviceFault)
    assert window.readings[-1].cleared
    beats(5, 0)
    window.readings.clear()
    (cleared,) = window.session.lost(window.now, "ended").readings
    assert isinstance(cleared, DeviceFault)
    assert cleared.cleared, "the link's own fault stands instead"


def stand(window: Window, how: str) -> None:
    """The picture stands for a while, as the reader's process tells it."""
    window.frame += 20
    if how == "beat":
        window.say(Beat(window.frame, 0))
    else:
        window.say(Gap(1.0))


@pytest.mark.parametrize("how", ["beat", "gap"])
def test_the_end_of_a_gap_is_said_before_any_card_after_it(window: Window, how: str) -> None:
    window.look(*["8S"] * 4, *[None] * 10)
    window.say(Beat(window.frame, 10))
    stand(window, how)
    window.look("KD", "KD")
    kinds = [
        f"silent {reading.cleared}" if isinstance(reading, DeviceFault) else getattr(reading, "card", "?")
        for reading in window.readings
    ]
    assert kinds == ["8S", "silent False", "silent True", "KD"]


@pytest.mark.parametrize("how", ["beat", "gap"])
def test_a_card_half_seen_before_a_gap_is_not_gone_on_with(window: Window, how: str) -> None:
    window.look("8S")
    window.say(Beat(window.frame, 1))
    stand(window, how)
    window.readings.clear()
    window.frame -= 1  # the next picture bears the next number: nothing but the gap lies between
    window.look("8S")
    window.frame -= 1
    assert not [reading for reading in window.readings if isinstance(reading, CardRead)]
    window.look(*["8S"] * 3)
    (card,) = (reading for reading in window.readings if isinstance(reading, CardRead))
    assert not card.repeated


def test_what_lies_there_still_after_a_gap_is_no_sure_card(window: Window) -> None:
    window.look(*["8S"] * 3)
    window.say(Beat(window.frame, 3))
    window.frame += 60
    window.say(Gap(3.0))
    window.look(*["8S"] * 3)
    card = window.readings[-1]
    assert isinstance(card, CardRead)
    assert (card.repeated, card.unsure) == (True, True)


def test_the_old_picture_itself_ends_no_gap(window: Window) -> None:
    window.look("8S", same_picture=True)
    window.say(Beat(window.frame, 1))
    stand(window, "beat")
    window.readings.clear()
    window.look(*["8S"] * 30, same_picture=True)
    assert window.readings == []


def test_after_a_loss_nothing_of_before_counts(window: Window) -> None:
    window.look("8S")
    window.session.lost(window.now, "ended")
    assert window.session.opened(window.now) == NOTHING, "the code book was told before"
    window.look("8S")
    assert window.told() == []
    window.look("8S")
    assert window.told() == ["8S"]


def test_what_the_camera_says_of_itself(window: Window) -> None:
    window.say(Ready("640 x 480"))
    (notice,) = window.readings
    assert isinstance(notice, DeviceNotice)
    assert (notice.notice, notice.detail) == ("camera", "640 x 480")
    window.readings.clear()
    window.say(CameraRefused("absent", "not there"))
    assert window.readings == []
    for action in DeviceAction:
        assert window.session.request(action, window.now) == NOTHING


messages = st.one_of(
    st.builds(Ready, st.text(max_size=20)),
    st.builds(
        Sight,
        st.integers(0, 50),
        st.sampled_from(["a", "b", "c"]),
        st.none() | st.sampled_from(["8S", "9S", "KD", "ZZ", ""]) | st.text(max_size=5),
        st.sampled_from(["", "]C0"]),
        st.lists(st.sampled_from(["no_code", "two_codes", "unconfirmed"]), max_size=2).map(tuple),
    ),
    st.builds(Beat, st.integers(0, 50), st.integers(0, 3)),
    st.builds(Gap, st.floats(0.5, 9)),
)


@given(data=st.data())
def test_the_answer_does_not_depend_on_how_the_stream_is_cut(
    data: st.DataObject, told: Callable[..., Any], feed_cut: Callable[..., Any], cuts: st.SearchStrategy[list[int]]
) -> None:
    parts = data.draw(
        st.lists(messages.map(encode) | st.binary(max_size=30).map(lambda junk: junk + b"\n"), max_size=20)
    )
    stream = b"".join(parts)
    whole = told([fresh_session().feed(stream, T0)])
    assert told(feed_cut(fresh_session(), stream, data.draw(cuts))) == whole


@given(shown=st.lists(st.sampled_from(["8S", "9S", "", None]), max_size=60))
def test_a_card_is_told_only_from_two_pictures_in_a_row(shown: Sequence[str | None]) -> None:
    window = Window()
    for number, text in enumerate(shown):
        window.look(text, doubt="two_codes" if number % 2 else "unconfirmed")
        for reading in window.readings:
            if isinstance(reading, CardRead | CardForeign):
                assert number >= 1
                assert shown[number - 1] == shown[number] == reading.code
        window.readings.clear()


@given(junk=st.binary(max_size=300))
def test_junk_is_rejected_and_the_next_line_is_read(junk: bytes) -> None:
    lines = MessageLines()
    line = encode(Beat(1, 1))
    found, rejected = lines.feed(junk + b"\n" + line)
    assert found[-1] == (Beat(1, 1), line)
    assert rejected <= len(junk) + 1


def test_a_line_without_an_end_is_thrown_away() -> None:
    lines = MessageLines()
    total = sum(lines.feed(b"x" * (MAX_LINE // 20))[1] for _ in range(50))
    assert total > MAX_LINE
    found, rejected = lines.feed(b"x\n" + encode(Beat(1, 1)))
    assert [message for message, _ in found] == [Beat(1, 1)]
    assert total + rejected == 50 * (MAX_LINE // 20) + 2
    long_text = encode(Ready("x" * MAX_LINE))
    assert lines.feed(long_text) == ([], len(long_text))


def test_half_a_line_is_forgotten_on_reset() -> None:
    lines = MessageLines()
    lines.feed(b'{"type":"be')
    lines.reset()
    assert [message for message, _ in lines.feed(encode(Beat(2, 0)))[0]] == [Beat(2, 0)]
