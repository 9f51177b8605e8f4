"""A camera window: what its process saw in each picture, to cards (``devices.md`` §3).

A text counts once it was read in two pictures in a row that are not the same picture: a stream that stands still
shows nothing new. So do two texts in one picture: twice in a row they are two cards; once, that picture is merely not
used, since bars that move now and then read as two. Two cards, and a text that was seen and never confirmed, are a
card that cannot be told. A card that lies in the window is told once, and again only when it was out of sight: when a
picture was seen without it. That no picture came says nothing.

Pictures that do not come, or do not change, are a gap as at any reader that was away: the fault and its end are said
before anything of the next picture.
"""

from __future__ import annotations

from dataclasses import replace

from dealer_drivers.camera.living import GAP_S, LivingPicture
from dealer_drivers.camera.messages import Beat, CameraRefused, Gap, MessageLines, Ready, Sight
from dealer_drivers.codes.symbology import Doubt
from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading
from dealer_drivers.readings.shoe import CardRead, CardTrouble
from dealer_drivers.shoe.barcode_session import describe
from dealer_drivers.shoe.card_text import NS_PER_MS, CardText, TextRules, unreadable

AGREEING = 2
"""Pictures in a row that must give the same text."""


class CameraSession:
    """Lines and time in; readings out. ``gone_ms``: a window seen empty for so long is empty."""

    def __init__(self, rules: TextRules, gone_ms: int) -> None:
        self._rules = rules
        self._gone_ns = gone_ms * NS_PER_MS
        self._lines = MessageLines()
        self._cards = CardText(rules)
        self._book_told = False
        self._living = LivingPicture("and no card in it counts", GAP_S)
        self._picture = ""
        """The newest that a sight was of."""
        self._sighting: _Sighting | None = None
        self._asked_again: str | None = None
        """The text that was told before a second code came beside it. One of the two is to be shown again; shows this
        one, it may be the same card."""

    def opened(self, at: Instant) -> Output:
        """The link is up: says once which code book is in use."""
        self._lines.reset()
        self._sighting = None
        self._living.opened(at)
        if self._book_told:
            return NOTHING
        self._book_told = True
        return Output((DeviceNotice(at=at, raw=b"", notice="code_book", detail=describe(self._rules.book)),))

    def lost(self, at: Instant, reason: str) -> Output:  # noqa: ARG002
        """The link is down: what was in the window is not known any more."""
        self._lines.reset()
        self._sighting = None
        self._cards.interrupted()
        return Output(self._living.lost(at))

    def feed(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        readings = list(self.tick(at).readings)
        found, rejected = self._lines.feed(data)
        for message, line in found:
            match message:
                case Sight():
                    readings += self._saw(message, line, at)
                case Beat():
                    readings += self._looked_away(self._living.beat(message, line, at))
                case Gap():
                    readings += self._looked_away(self._living.lives(line, at, stood=True))
                case Ready():
                    readings.append(DeviceNotice(at=at, raw=line, notice="camera", detail=message.detail))
                case CameraRefused():  # the transport has said so
                    pass
        return Output(tuple(readings), (), len(found), rejected)

    def tick(self, at: Instant) -> Output:
        """Time passed: a code has left the window."""
        readings: list[Reading] = []
        sighting, due_ns = self._sighting, self.deadline_ns()
        if sighting is not None and due_ns is not None and at.mono_ns >= due_ns:
            self._sighting = None
            readings += sighting.untold(at)
        return Output(tuple(readings)) if readings else NOTHING

    def deadline_ns(self) -> int | None:
        """When a code will have left."""
        if self._sighting is None or self._sighting.empty is None:
            return None
        return self._sighting.empty.mono_ns + self._gone_ns

    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        """A camera looks always: there is nothing to ask of it."""
        return NOTHING

    def _looked_away(self, faults: tuple[DeviceFault, ...]) -> tuple[DeviceFault, ...]:
        """The picture stood, or lives again: what was half seen is not gone on with, as after a lost link."""
        if faults:
            self._sighting = None
            self._cards.interrupted()
        return faults

    def _saw(self, sight: Sight, line: bytes, at: Instant) -> list[Reading]:
        another, self._picture = sight.picture != self._picture, sight.picture
        if not self._living.still:
            return self._looked(sight, line, at)
        if not another:
            return []
        # The next beat would say so too, but after this card.
        lives = self._looked_away(self._living.lives(line, at, stood=True))
        return [*lives, *self._looked(sight, line, at)]

    def _looked(self, sight: Sight, line: bytes, at: Instant) -> list[Reading]:
        if sight.text is None and sight.doubts == (Doubt.NO_CODE,):
            if self._sighting is not None and self._sighting.empty is None:
                self._sighting.empty = at
            return []
        if self._sighting is None:
            self._sighting = _Sighting()
        sighting = self._sighting
        sighting.empty = None
        if Doubt.TWO_CODES in sight.doubts:
            refused = sighting.two(sight, line, at)
            if refused:
                self._asked_again = sighting.told_text or self._asked_again
            return refused
        if sight.text is None:
            sighting.doubt(sight, line)
            return []
        readings = sighting.change(sight.text, at)
        if not sighting.agrees(sight, line):
            return readings
        # Judged at every agreeing picture, so that a repeat is told from when it was last in view.
        reading = self._cards.read(sight.text.encode(), at, line, aim=sight.aim or None)
        if not sighting.told:
            sighting.tell()
            readings.append(self._perhaps_again(reading, sight.text))
        return readings

    def _perhaps_again(self, reading: Reading, text: str) -> Reading:
        asked = self._asked_again
        if isinstance(reading, CardRead) and reading.repeated and text == asked:
            return reading  # surely: it was in view a moment ago
        self._asked_again = None
        if isinstance(reading, CardRead) and text == asked:
            return replace(reading, repeated=True, unsure=True)
        return reading


class _Sighting:
    """From a code's coming into view until none was in view for a while."""

    def __init__(self) -> None:
        self.empty: Instant | None = None
        """Since when the window was seen without a code."""
        self.told = False
        """Whether the present text was told."""
        self.anything = False
        """Whether any reading came of it."""
        self._text: str | None = None
        self._count = 0
        self._frame = 0
        self._picture = ""
        self._line = b""
        self._two = False
        self._two_frame = -2
        self._two_picture = ""
        self._doubts = ""

    @property
    def told_text(self) -> str | None:
        """The present text, if it was told."""
        return self._text if self.told else None

    def change(self, text: str, at: Instant) -> list[Reading]:
        """Another text than before: the one before must have been told."""
        if text == self._text:
            return []
        readings = self._unconfirmed(at)
        self._text, self._count, self.told = text, 0, False
        return readings

    def agrees(self, sight: Sight, line: bytes) -> bool:
        """Whether this text was in enough pictures in a row."""
        if sight.frame == self._frame + 1 and sight.picture != self._picture:
            self._count += 1
        elif sight.picture != self._picture:
            self._count = 1
        self._frame, self._picture, self._line = sight.frame, sight.picture, line
        return self._count >= AGREEING

    def tell(self) -> None:
        """The present text is told now."""
        self.told = self.anything = True
        self._two = False

    def two(self, sight: Sight, line: bytes, at: Instant) -> list[Reading]:
        """Two texts in one picture: said once, until a text was told again."""
        self.doubt(sight, line)
        first = self._two_frame, self._two_picture
        self._two_frame, self._two_picture = sight.frame, sight.picture
        if self._two or first[0] + 1 != sight.frame or first[1] == sight.picture:
            return []
        if not self.told:
            self._text = None  # one of the two, perhaps
        self._two = self.anything = True
        return [unreadable(at, line, CardTrouble.TWO_CODES, "two codes in one picture; show one card alone")]

    def doubt(self, sight: Sight, line: bytes) -> None:
        """Something like a code, and no text of it may be used."""
        self._count = 0
        self._doubts = ", ".join(sight.doubts)
        self._line = self._line or line

    def untold(self, at: Instant) -> list[Reading]:
        """It has left. What was seen and not told was a card that cannot be told."""
        readings = self._unconfirmed(at)
        if readings or self.anything or not self._doubts:
            return readings
        return [_unsure(self._line, at, f"a code was in view and could not be read ({self._doubts})")]

    def _unconfirmed(self, at: Instant) -> list[Reading]:
        if self._text is None or self.told:
            return []
        self.anything = True
        return [_unsure(self._line, at, "a code was read in too few pictures in a row")]


def _unsure(line: bytes, at: Instant, detail: str) -> Reading:
    return unreadable(at, line, CardTrouble.NO_READ, f"{detail}; show it more slowly")
