"""Bytes of a Cammegh wheel to frames (``devices.md`` §1). There is no checksum: only the strict shape protects.

Widths, padding and ranges are taken as documented and nothing else. In particular a number is never zero padded,
since ``00`` is a pocket of its own.
"""

from __future__ import annotations

import re

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
from dealer_drivers.roulette.lines import LINE_LIMIT, Line, LineSplitter

STATUS_HEAD = b"*X;"
MAX_SPIN_COUNTER = 256
"""The counter wraps at 255 or 256, by model."""

_NUMBER = rb"[ 1-9][0-9]|00"
_STATUS = re.compile(
    rb"\*X;([1-7]);([0-9]{3});(  |" + _NUMBER + rb");([0-9A-F]);([0-9]{3});([01])"
    rb"(;([0-9A-F]{4});([0-9A-F]{2});([01?]);([0-9A-F]{5}|\?{5});(" + _NUMBER + rb"|\?\?))?;?"
)
_BARE = re.compile(_NUMBER)
# `*W 6` is refused: it may be the whole of one form or `*W 6x` of the other that lost its end.
_WINNER = re.compile(rb"\*W(?: (" + _NUMBER + rb")|([1-9][0-9]|00))")
_RIM = re.compile(rb"\*bs ([0-9])")
_POCKET = re.compile(rb"\*bn (" + _NUMBER + rb")")
# X, W, N and b begin packets of their own: one of those that is torn must not pass for an answer.
_ANSWER = re.compile(rb"\*([A-MO-VYZac-z])([ ?][ -)+-~]*)")
# The shape of the answer to `*G?` is not published: the mode's two digits may follow directly.
_GAME_MODE = re.compile(rb"\*(G)([0-9]{2})")

_BASIC_WORDS = {b"*S": BasicWord.START, b"*N": BasicWord.NO_MORE_BETS}


class CammeghCodec:
    """Pure: bytes in, frames out. Never raises on input, holds at most one line, gives the same frames for any cut."""

    def __init__(self) -> None:
        self._lines = LineSplitter(resync=STATUS_HEAD)

    @property
    def dropped(self) -> int:
        """How many bytes of overlong lines were skipped so far, beyond those in a ``NotAFrame``."""
        return self._lines.dropped

    @property
    def held(self) -> int:
        """How many bytes wait for the end of their line."""
        return self._lines.held

    def reset(self) -> int:
        """The link opened or went: whatever comes next may begin in mid-line. Returns the bytes thrown away."""
        return self._lines.reset()

    def feed(self, data: bytes) -> list[Frame]:
        """The frames, and what is none, that end in ``data``."""
        frames: list[Frame] = []
        for line in self._lines.feed(data):
            frames.extend(_frames_of(line))
        return frames


def _frames_of(line: Line) -> list[Frame]:
    if line.too_long:
        return [NotAFrame(line.raw, f"longer than {LINE_LIMIT} bytes")]
    if line.first and not line.body.startswith(b"*"):
        # The end of a line looks like a number of its own ("1", "27") and must never be one.
        return [NotAFrame(line.raw, "joined in mid-line")]
    frame = _parse(line.body, line.raw)
    if frame is not None:
        return [frame]
    begin = line.body.rfind(STATUS_HEAD)
    if begin > 0:
        tail = _status(line.body[begin:], line.raw[begin:])
        if tail is not None:
            return [NotAFrame(line.raw[:begin], "torn, and glued to the next line"), tail]
    return [NotAFrame(line.raw, _why_not(line.body))]


def _parse(body: bytes, raw: bytes) -> Frame | None:
    """The frame that is the whole line, or ``None``."""
    if body.startswith(STATUS_HEAD):
        return _status(body, raw)
    if _BARE.fullmatch(body):
        return BareNumber(raw, body.decode("ascii"))
    word = _BASIC_WORDS.get(body)
    if word is not None:
        return Basic(raw, word)
    if match := _WINNER.fullmatch(body):
        return Basic(raw, BasicWord.WINNER, (match[1] or match[2]).decode("ascii"))
    if match := _RIM.fullmatch(body):
        return RimSensor(raw, int(match[1]))
    if match := _POCKET.fullmatch(body):
        return PocketEvent(raw, match[1].decode("ascii"))
    if match := _ANSWER.fullmatch(body) or _GAME_MODE.fullmatch(body):
        return Answer(raw, match[1].decode("ascii"), match[2].decode("ascii").strip(" ?"))
    return None


def _status(body: bytes, raw: bytes) -> Advanced | None:
    match = _STATUS.fullmatch(body)
    if match is None or int(match[2]) > MAX_SPIN_COUNTER:
        return None
    number = match[3].decode("ascii")
    state, spin, flags, tenths, direction = (
        int(match[1]),
        int(match[2]),
        int(match[4], 16),
        int(match[5]),
        int(match[6]),
    )
    if match[7] is None:
        return Advanced(raw, state, spin, number, flags, tenths, direction)
    events, laps, ball, ticks, pocket = match[8], match[9], match[10], match[11], match[12]
    return Extended(
        raw,
        state,
        spin,
        number,
        flags,
        tenths,
        direction,
        events=WheelEvents(int(events, 16)),
        laps=int(laps, 16),
        ball=ball.decode("ascii"),
        lap_ticks=None if ticks == b"?????" else int(ticks, 16),
        pocket=None if pocket == b"??" else pocket.decode("ascii"),
    )


def _why_not(body: bytes) -> str:
    if body.startswith(STATUS_HEAD):
        return "torn or garbled status frame"
    if not body.isascii():
        return "noise: bytes that no Cammegh wheel sends (is the port set to 9600 8N1?)"
    return "no packet of a Cammegh wheel"
