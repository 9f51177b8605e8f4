"""Scanners that type: the errors that other systems made are the tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.shoe.keyboard_keys import (
    KEY_CAPSLOCK,
    KEY_ENTER,
    KEY_KPENTER,
    KEY_TAB,
    LAYOUTS,
    MAX_TEXT,
    PRESS,
    RELEASE,
    REPEAT,
    KeyDecoder,
    KeyedText,
)

SHIFT = 42
EIGHT, SEVEN, S = 9, 8, 31


def events_of(text: str) -> list[tuple[int, int]]:
    """How a scanner types ``text``: SHIFT round each character that needs it, every key pressed and released."""
    keys = {pair[level]: (code, level) for code, pair in LAYOUTS["us"].items() for level in (1, 0)}
    events: list[tuple[int, int]] = []
    for character in text:
        code, level = keys[character]
        tap = [(code, PRESS), (code, RELEASE)]
        events += [(SHIFT, PRESS), *tap, (SHIFT, RELEASE)] if level else tap
    return events


def typed(events: list[tuple[int, int]], end: int = KEY_ENTER) -> KeyedText:
    one = KeyDecoder()
    for code, value in events:
        assert one.key(code, value) is None
    keyed = one.key(end, PRESS)
    assert keyed is not None
    assert keyed.ended
    return keyed


def test_us_layout_by_its_known_keys() -> None:
    # Key codes of Linux input-event-codes.h: 1 is 2, 0 is 11, Q is 16, P 25, A 30, L 38, Z 44, M 50, minus 12.
    layout = LAYOUTS["us"]
    assert "".join(layout[code][0] for code in (2, 11, 16, 25, 30, 38, 44, 50, 12, 39, 43, 53)) == "10qpalzm-;\\/"
    assert layout[12][1] == "_"


def test_every_printable_character_comes_back() -> None:
    text = "".join(map(chr, range(0x20, 0x7F)))
    assert typed(events_of(text)).text == text


@pytest.mark.parametrize("end", [KEY_ENTER, KEY_KPENTER, KEY_TAB])
def test_end_keys(end: int) -> None:
    keyed = typed(events_of("8S"), end)
    assert (keyed.text, keyed.problem) == ("8S", None)


def test_keys_count_once_not_at_press_and_release() -> None:
    assert typed([(EIGHT, PRESS), (EIGHT, RELEASE), (S, PRESS), (S, RELEASE)]).text == "8s"


def test_shift_is_not_ignored() -> None:
    assert (
        typed([(EIGHT, PRESS), (EIGHT, RELEASE), (SHIFT, PRESS), (S, PRESS), (S, RELEASE), (SHIFT, RELEASE)]).text
        == "8S"
    )
    both = [(42, PRESS), (54, PRESS), (42, RELEASE), (S, PRESS), (S, RELEASE), (54, RELEASE), (S, PRESS), (S, RELEASE)]
    assert typed(both).text == "Ss"


def test_shift_released_between_two_letters_counts_for_one_only() -> None:
    events = [(SHIFT, PRESS), (S, PRESS), (SHIFT, RELEASE), (S, RELEASE), (S, PRESS), (S, RELEASE)]
    assert typed(events).text == "Ss"


def test_equal_characters_in_a_row_are_kept() -> None:
    assert typed(events_of("7777SS")).text == "7777SS"


def test_the_kernels_repeats_of_a_held_key_are_no_characters() -> None:
    assert typed([(SEVEN, PRESS), (SEVEN, REPEAT), (SEVEN, REPEAT), (SEVEN, RELEASE)]).text == "7"


def test_caps_lock_turns_letters_only() -> None:
    caps = [(KEY_CAPSLOCK, PRESS), (KEY_CAPSLOCK, RELEASE)]
    assert typed([*caps, *events_of("8s"), *caps, *events_of("s")]).text == "8Ss"
    assert typed([*caps, *events_of("S*")]).text == "s*"


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ([(EIGHT, PRESS), (EIGHT, PRESS), (EIGHT, RELEASE), (EIGHT, RELEASE)], "without a release"),
        ([(59, PRESS), (59, RELEASE)], "key 59 has no character"),
        ([(72, PRESS), (72, RELEASE)], "keypad"),
        ([(29, PRESS), *events_of("8"), (29, RELEASE)], "Ctrl"),
        (events_of("8" * (MAX_TEXT + 1)), "without an end"),
    ],
)
def test_what_cannot_be_a_code_spoils_its_text_and_no_other(events: list[tuple[int, int]], says: str) -> None:
    one = KeyDecoder()
    for code, value in [*events_of("8"), *events]:
        one.key(code, value)
    spoiled = one.key(KEY_ENTER, PRESS)
    assert spoiled is not None
    assert spoiled.problem is not None
    assert says in spoiled.problem
    one.key(KEY_ENTER, RELEASE)
    for code, value in events_of("KD"):
        one.key(code, value)
    clean = one.key(KEY_ENTER, PRESS)
    assert clean is not None
    assert (clean.text, clean.problem) == ("KD", None)


def test_events_lost_by_the_kernel_spoil_the_text_and_forget_shift() -> None:
    one = KeyDecoder()
    one.key(SHIFT, PRESS)
    one.events_lost()
    assert one.pending
    for code, value in events_of("s"):
        one.key(code, value)
    spoiled = one.key(KEY_ENTER, PRESS)
    assert spoiled is not None
    assert (spoiled.text, spoiled.problem) == ("s", "the kernel dropped key events")


def test_a_rest_gives_what_was_typed_without_an_end() -> None:
    one = KeyDecoder()
    assert one.rest() is None
    for code, value in events_of("8S"):
        one.key(code, value)
    keyed = one.rest()
    assert keyed is not None
    assert (keyed.text, keyed.ended) == ("8S", False)
    assert not one.pending


def test_an_end_key_alone_is_an_empty_text_and_more_of_an_end_is_not() -> None:
    one = KeyDecoder()
    keyed = one.key(KEY_ENTER, PRESS)
    assert keyed is not None
    assert (keyed.text, keyed.problem, keyed.ended) == ("", None, True)
    one.key(KEY_ENTER, RELEASE)
    assert one.key(KEY_TAB, PRESS) is None
    assert one.rest() is None
    again = one.key(KEY_ENTER, PRESS)
    assert again is not None
    assert again.text == ""


def test_a_lost_link_forgets_text_and_held_keys() -> None:
    one = KeyDecoder()
    for code, value in [(KEY_CAPSLOCK, PRESS), (SHIFT, PRESS), (S, PRESS)]:
        one.key(code, value)
    one.reset()
    assert not one.pending
    one.key(S, PRESS)
    keyed = one.key(KEY_ENTER, PRESS)
    assert keyed is not None
    assert (keyed.text, keyed.problem) == ("s", None)


def test_evidence_is_the_events() -> None:
    one = KeyDecoder()
    one.key(EIGHT, PRESS)
    keyed = one.key(KEY_ENTER, PRESS)
    assert keyed is not None
    assert keyed.raw == bytes.fromhex("0100 0900 01000000 0100 1c00 01000000")


def test_evidence_is_bounded() -> None:
    assert len(typed(events_of("8S" * 30)).raw) == 256


def test_unknown_layout() -> None:
    with pytest.raises(KeyError):
        KeyDecoder("none")


@given(
    events=st.lists(
        st.tuples(st.integers(-5, 0x2FF), st.integers(-(2**40), 2**40) | st.sampled_from([0, 1, 2])), max_size=400
    )
)
def test_total_and_bounded(events: list[tuple[int, int]]) -> None:
    one = KeyDecoder()
    for code, value in events:
        keyed = one.key(code, value)
        assert keyed is None or (len(keyed.text) <= MAX_TEXT and len(keyed.raw) <= 256)
    one.rest()
    assert not one.pending
