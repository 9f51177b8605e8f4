"""Bytes to frames: what is a packet, what is none, and how the stream finds itself again."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_drivers.roulette.cammegh_codec import CammeghCodec
from dealer_drivers.roulette.cammegh_frames import (
    Advanced,
    Answer,
    BareNumber,
    Basic,
    BasicWord,
    Extended,
    Frame,
    NotAFrame,
    PocketEvent,
    RimSensor,
    WheelEvents,
)

GOOD = b"*X;4;011;27;0;136;1"


def frames(data: bytes, *, joined: bool = False) -> list[Frame]:
    """What ``data`` is read as, in the middle of a healthy stream unless ``joined`` anew."""
    codec = CammeghCodec()
    if not joined:
        assert isinstance(codec.feed(GOOD + b"\r\n")[0], Advanced)
    return codec.feed(data)


def one(line: bytes) -> Frame:
    (frame,) = frames(line + b"\r\n")
    return frame


def test_every_field_of_an_advanced_frame() -> None:
    assert one(b"*X;1;021;17;A;144;0") == Advanced(
        b"*X;1;021;17;A;144;0\r", state=1, spin=21, number="17", flags=10, rotor_tenths=144, direction=0
    )


def test_every_field_of_an_extended_frame() -> None:
    assert one(b"*X;4;010;22;0;217;1;0022;08;0;0BC29;??") == Extended(
        b"*X;4;010;22;0;217;1;0022;08;0;0BC29;??\r",
        state=4,
        spin=10,
        number="22",
        flags=0,
        rotor_tenths=217,
        direction=1,
        events=WheelEvents.LEGAL_SPEED | WheelEvents.COUNTER_CLOCKWISE,
        laps=8,
        ball="0",
        lap_ticks=0xBC29,
        pocket=None,
    )


def test_laps_are_hexadecimal_and_unknown_is_not_zero() -> None:
    frame = one(b"*X;3;000; 9;3;099;0;0122;1F;?;?????;35")
    assert isinstance(frame, Extended)
    assert (frame.laps, frame.ball, frame.lap_ticks, frame.pocket) == (31, "?", None, "35")


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        (b"27", BareNumber(b"27\r", "27")),
        (b" 6", BareNumber(b" 6\r", " 6")),
        (b"00", BareNumber(b"00\r", "00")),
        (b"99", BareNumber(b"99\r", "99")),
        (b"*S", Basic(b"*S\r", BasicWord.START)),
        (b"*N", Basic(b"*N\r", BasicWord.NO_MORE_BETS)),
        (b"*W 21", Basic(b"*W 21\r", BasicWord.WINNER, "21")),
        (b"*W21", Basic(b"*W21\r", BasicWord.WINNER, "21")),
        (b"*W  6", Basic(b"*W  6\r", BasicWord.WINNER, " 6")),
        (b"*bs 3", RimSensor(b"*bs 3\r", 3)),
        (b"*bn 27", PocketEvent(b"*bn 27\r", "27")),
        (b"*bn  6", PocketEvent(b"*bn  6\r", " 6")),
        (b"*u OK", Answer(b"*u OK\r", "u", "OK")),
        (b"*P NO", Answer(b"*P NO\r", "P", "NO")),
        (b"*o BUSY", Answer(b"*o BUSY\r", "o", "BUSY")),
        (b"*T j 6705 3386 26 1", Answer(b"*T j 6705 3386 26 1\r", "T", "j 6705 3386 26 1")),
        (b"*S V2.50", Answer(b"*S V2.50\r", "S", "V2.50")),
        (b"*G? 00", Answer(b"*G? 00\r", "G", "00")),
        (b"*G 03", Answer(b"*G 03\r", "G", "03")),
        (b"*G00", Answer(b"*G00\r", "G", "00")),
    ],
)
def test_the_other_packets(line: bytes, frame: Frame) -> None:
    assert one(line) == frame


@pytest.mark.parametrize(
    "line",
    [
        b"*X;0;011;27;0;136;1",  # no such state
        b"*X;8;011;27;0;136;1",
        b"*X;4;257;27;0;136;1",  # the counter wraps at 256 at the latest
        b"*X;4;11;27;0;136;1",  # widths are fixed
        b"*X;4;011;7;0;136;1",
        b"*X;4;011;7 ;0;136;1",  # right-justified
        b"*X;4;011;07;0;136;1",  # space padded: 00 is a pocket of its own
        b"*X;4;011;27;G;136;1",
        b"*X;4;011;27;a;136;1",
        b"*X;4;011;27;00;136;1",
        b"*X;4;011;27;0;36;1",
        b"*X;4;011;27;0;1.6;1",
        b"*X;4;011;27;0;136;2",
        b"*X;4;011;27;0;136;",
        b"*X;4;011;27;0;136",
        b"*X;4;011;2w;0;136;1",  # one bit flipped
        b"*X;4;011;27;0;136;1;;",
        b"*X;4;011;27;0;136;1 ",
        b"*X;4;011;27;0;136;1;0022;08;0;0BC29",
        b"*X;4;011;27;0;136;1;0022;08;2;0BC29;??",
        b"*X;4;011;27;0;136;1;0022;08;0;?BC29;??",
        b"*X;4;011;27;0;136;1;0022;08;0;0BC29;?5",
        b"*X;4;011;27;0;136;1;0022;0x;0;0BC29;??",
        b"*X;2 WARNING detected! Sending error signal...",  # seen in a log
        b"6; 9;0;158;0",
        b"*Y;4;011;27;0;136;1",
        b"1",
        b"6",
        b"6 ",
        b"06",
        b"127",
        b"  ",
        b"*W 2",  # perhaps `*W 21` that lost its end
        b"*W",
        b"*bs",
        b"*bs 12",
        b"*bn 7",
        b"*u",
        b"*",
        b"*u OK*u OK",
        b"*X;4;011;27;0;136;1*u OK",
        b"27*u OK",
        b"\xff\x80",
        b"\xaa*u OK",
    ],
)
def test_whatever_else_is_no_frame_and_is_kept_as_evidence(line: bytes) -> None:
    frame = one(line)
    assert isinstance(frame, NotAFrame)
    assert frame.raw == line + b"\r"
    assert frame.reason


@pytest.mark.parametrize("damaged", range(len(GOOD)))
def test_a_frame_that_lost_a_byte_is_none(damaged: int) -> None:
    assert isinstance(one(GOOD[:damaged] + GOOD[damaged + 1 :]), NotAFrame)


@pytest.mark.parametrize("kept", range(1, len(GOOD)))
def test_a_truncated_frame_is_none(kept: int) -> None:
    assert isinstance(one(GOOD[:kept]), NotAFrame)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\r\n\r\n", "\n\r\n"])
def test_every_line_ending(end: str) -> None:
    stream = (b"*X;5;011;27;0;136;1" + end.encode()) * 3
    assert [type(frame) for frame in frames(stream)] == [Advanced] * 3


def test_a_frame_is_given_with_its_terminator_and_not_a_line_later() -> None:
    assert [frame.raw for frame in frames(b"27\r")] == [b"27\r"]
    assert [frame.raw for frame in frames(b"27\n")] == [b"27\n"]
    assert frames(b"27") == []


def test_glued_lines_give_only_the_whole_tail() -> None:
    head, tail = frames(b"*X;5;01*X;5;011;27;0;136;1\r\n")
    assert isinstance(head, NotAFrame)
    assert head.raw == b"*X;5;01"
    assert tail == Advanced(b"*X;5;011;27;0;136;1\r", 5, 11, "27", 0, 136, 1)


def test_thrice_glued() -> None:
    head, tail = frames(b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n")
    assert isinstance(head, NotAFrame)
    assert (head.raw, tail.raw) == (b"*X;4;14*X;", b"*X;4;146; 9;0;158;0\r")
    assert isinstance(tail, Advanced)


@pytest.mark.parametrize("line", [b"*X;5;01*bn 27", b"*X;5;01*W 27", b"*X;5;0127", b"*X;5;011;27;0;136;127"])
def test_no_number_is_cut_out_of_a_glued_line(line: bytes) -> None:
    assert isinstance(one(line), NotAFrame)


@pytest.mark.parametrize("rest", [b"1", b"27", b" 6", b"00", b"6; 9;0;158;0", b"00;0", b"9*X;4;146; 9;0;158;0"])
def test_joined_in_mid_line_nothing_is_read_of_it(rest: bytes) -> None:
    first, second = frames(rest + b"\r\n27\r\n", joined=True)
    assert isinstance(first, NotAFrame)
    assert first.reason == "joined in mid-line"
    assert second == BareNumber(b"27\r", "27")


def test_joined_at_an_empty_line_the_next_may_still_be_the_rest_of_one() -> None:
    (first,) = frames(b"\n27\r\n", joined=True)
    assert isinstance(first, NotAFrame)


def test_joined_at_the_beginning_of_a_packet() -> None:
    assert isinstance(frames(GOOD + b"\r\n", joined=True)[0], Advanced)


def test_reset_forgets_half_a_line() -> None:
    codec = CammeghCodec()
    codec.feed(GOOD + b"\r\n*X;5;011;2")
    assert codec.reset() == 10
    (frame,) = codec.feed(b"7\r\n")
    assert isinstance(frame, NotAFrame)
    assert frame.raw == b"7\r"


def test_an_overlong_line_is_skipped_to_its_end() -> None:
    codec = CammeghCodec()
    codec.feed(GOOD + b"\r\n")
    first, good = codec.feed(b"z" * 1000 + b"\r\n" + b"27\r\n")
    assert isinstance(first, NotAFrame)
    assert first.reason == "longer than 128 bytes"
    assert len(first.raw) + codec.dropped == 1001
    assert good == BareNumber(b"27\r", "27")


def test_joined_in_an_overlong_line_the_next_one_is_whole() -> None:
    first, good = frames(b"z" * 200 + b"\r\n27\r\n", joined=True)
    assert isinstance(first, NotAFrame)
    assert good == BareNumber(b"27\r", "27")


def test_an_overlong_line_is_skipped_to_the_next_packet() -> None:
    first, good = frames(b"z" * 200 + GOOD + b"\r\n")
    assert isinstance(first, NotAFrame)
    assert good.raw == GOOD + b"\r"
    assert isinstance(good, Advanced)


@pytest.mark.parametrize("noise", range(105, 135))
def test_a_packet_that_begins_where_the_limit_falls_is_not_lost(noise: int) -> None:
    found = frames(b"z" * noise + GOOD + b"\r\n")
    assert [frame.raw for frame in found if isinstance(frame, Advanced)] == [GOOD + b"\r"]


def test_the_longest_line_that_may_be() -> None:
    assert isinstance(one(b"*V " + b"v" * 125), Answer)
    assert isinstance(one(b"*V " + b"v" * 126), NotAFrame)


def test_every_documented_line_parses(real_data: Path) -> None:
    lines = (real_data / "wheels" / "example_frames.txt").read_text("utf-8").splitlines()
    examples = [line for line in lines if line and not line.startswith("#")]
    assert len(examples) == 17
    for line in examples:
        assert not isinstance(one(line.encode("ascii")), NotAFrame), line
