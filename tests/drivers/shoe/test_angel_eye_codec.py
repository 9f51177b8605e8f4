"""Framing of the Angel Eye: vectors, damage, resynchronising, bounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.shoe.angel_eye_codec import (
    MAX_FRAME,
    MAX_NOISE,
    Ack,
    AngelEyeCodec,
    Answer,
    BccRule,
    Frame,
    Junk,
    JunkReason,
    Nak,
    Telegram,
    bcc,
    encode_command,
)

P1_8S = bytes.fromhex("0531 4481B8 033446")


def codec() -> AngelEyeCodec:
    return AngelEyeCodec(BccRule.STX_EXCLUDED)


def frames_of(data: bytes) -> list[Frame]:
    return codec().feed(data)[0]


def test_telegram_parts() -> None:
    assert frames_of(P1_8S) == [Telegram(P1_8S, "1", "D", b"\x81\xb8")]


def test_published_example_of_a_command_covers_stx() -> None:
    # The example in the description ends 1B, which only comes out with STX; its rule says 19.
    assert encode_command("LK", "02", BccRule.STX_INCLUDED) == b"\x02OPLK02\x031B"
    assert encode_command("LK", "02", BccRule.STX_EXCLUDED) == b"\x02OPLK02\x0319"


def test_bcc_is_upper_case_hexadecimal() -> None:
    assert bcc(b"\xab") == b"AB"
    lower = P1_8S[:-2] + b"4f"
    assert frames_of(lower) == [Junk(lower, JunkReason.BCC, "1", "D")]


def test_acknowledgements() -> None:
    assert frames_of(b"\x06\x1521\x06") == [Ack(), Nak(b"\x1521", "21"), Ack()]


@pytest.mark.parametrize("rule", list(BccRule))
def test_answer_is_checked_by_the_rule_of_commands(rule: BccRule) -> None:
    right = encode_command("GP", "00", rule)
    other = encode_command("GP", "00", next(one for one in BccRule if one is not rule))
    assert AngelEyeCodec(rule).feed(right)[0] == [Answer(right, b"OPGP00")]
    assert AngelEyeCodec(rule).feed(other)[0] == [Junk(other, JunkReason.BCC)]


@pytest.mark.parametrize("place", range(1, 6))
@pytest.mark.parametrize("bit", range(8))
def test_no_single_wrong_bit_passes(place: int, bit: int) -> None:
    damaged = bytearray(P1_8S)
    damaged[place] ^= 1 << bit
    assert not any(isinstance(frame, Telegram) for frame in frames_of(bytes(damaged)))


def test_torn_telegram_does_not_eat_the_next() -> None:
    for cut in range(1, len(P1_8S)):
        found, rejected = codec().feed(P1_8S[:cut] + P1_8S)
        assert found[-1] == Telegram(P1_8S, "1", "D", b"\x81\xb8")
        assert [frame.reason for frame in found[:-1] if isinstance(frame, Junk)] == [JunkReason.TORN]
        assert rejected == cut


def test_attach_in_the_middle_of_a_telegram() -> None:
    for cut in range(1, len(P1_8S)):
        found, rejected = codec().feed(P1_8S[cut:] + P1_8S)
        assert found == [Junk(P1_8S[cut:], JunkReason.NOISE), Telegram(P1_8S, "1", "D", b"\x81\xb8")]
        assert rejected == len(P1_8S) - cut


def test_a_telegram_needs_sequence_and_code(telegram: Callable[..., bytes]) -> None:
    for body in (b"", b"1", b"\x81D", b"1\x81"):
        check = bcc(body + b"\x03")
        (found,) = frames_of(b"\x05" + body + b"\x03" + check)
        assert isinstance(found, Junk)
        assert found.reason is JunkReason.MALFORMED
    (least,) = frames_of(telegram("1", "P"))
    assert least == Telegram(b"\x051P\x0362", "1", "P", b"")


def test_an_end_within_the_check_characters_is_torn() -> None:
    body = b"1D\x81\xb8\x03\x03"
    torn, noise, _ = frames_of(b"\x05" + body + bcc(body) + P1_8S)
    assert torn == Junk(b"\x051D\x81\xb8\x03", JunkReason.TORN, "1", "D")
    assert noise == Junk(b"\x03" + bcc(body), JunkReason.NOISE)


def test_a_telegram_without_an_end_is_given_up() -> None:
    found = frames_of(b"\x05" + b"x" * 1000 + P1_8S)
    assert found[0] == Junk(b"\x05" + b"x" * (MAX_FRAME - 1), JunkReason.TOO_LONG, "x", "x")
    assert found[-1] == Telegram(P1_8S, "1", "D", b"\x81\xb8")


def test_nak_needs_two_digits() -> None:
    found = frames_of(b"\x152" + P1_8S)
    assert found == [Junk(b"\x152", JunkReason.TORN), Telegram(P1_8S, "1", "D", b"\x81\xb8")]


def test_quiet_line_gives_up_what_is_held() -> None:
    one = codec()
    assert one.feed(b"zz" + P1_8S[:4]) == ([Junk(b"zz", JunkReason.NOISE)], 2)
    torn = ([Junk(P1_8S[:4], JunkReason.TORN, "1", "D")], 4)
    assert [one.pending, one.flush(), one.pending] == [True, torn, False]
    assert one.feed(P1_8S[4:] + P1_8S)[0][-1] == Telegram(P1_8S, "1", "D", b"\x81\xb8")


def test_reset_forgets_the_half() -> None:
    one = codec()
    one.feed(P1_8S[:6])
    one.reset()
    assert one.feed(P1_8S) == ([Telegram(P1_8S, "1", "D", b"\x81\xb8")], 0)


@given(data=st.binary(max_size=200), good=st.integers(1, 4))
def test_any_noise_then_telegrams(data: bytes, good: int) -> None:
    """Whatever came before, a telegram after it is lost only if it completes what the noise began: never the second."""
    found = frames_of(data + P1_8S * good)
    whole = [frame for frame in found if isinstance(frame, Telegram) and frame.raw == P1_8S]
    assert len(whole) >= good - 1 + (not data)
    assert found[-1] == Telegram(P1_8S, "1", "D", b"\x81\xb8")


@given(
    pieces=st.lists(
        st.one_of(
            st.just(P1_8S), st.binary(max_size=90), st.sampled_from([b"\x05", b"\x02", b"\x03", b"\x06", b"\x1521"])
        ),
        max_size=20,
    ),
)
def test_every_byte_is_in_one_frame_and_counted(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    one = codec()
    found, rejected = one.feed(data)
    rest, more = one.flush()
    found += rest
    assert b"".join(frame.raw for frame in found) == data
    assert rejected + more == sum(len(frame.raw) for frame in found if isinstance(frame, Junk))


@given(unit=st.binary(min_size=1, max_size=8))
def test_memory_is_bounded(unit: bytes) -> None:
    one = codec()
    for _ in range(20):
        found, _ = one.feed(unit * 200)
        assert all(len(frame.raw) <= max(MAX_FRAME, MAX_NOISE) for frame in found)
    assert sum(len(frame.raw) for frame in one.flush()[0]) <= MAX_FRAME + MAX_NOISE
