"""From the text that a scanner read to a reading, the same for every way a scanner is attached (``devices.md`` §3).

In this order: is it text, is it a no-read, are prefix, symbology and length those of this table, and what does
the code book say. Whatever is not surely one card of the set is not a card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable, CutCard
from dealer_drivers.shoe.aim import aim_allowed, aim_name, split_aim
from dealer_drivers.shoe.codebook import CodeBook, KnownCard, KnownCut, Misread

NS_PER_MS = 1_000_000
REMEMBERED = 64
"""Texts kept for telling repeats; far more than a scanner reads in a repeat window."""
EVIDENCE = 256
"""Bytes of an unreadable frame that are kept."""


@dataclass(frozen=True, slots=True)
class TextRules:
    """How the texts of one scanner are judged.

    ``aim_ids``: identifiers (``]C0``) or symbologies (``]C``) that a card may have; when empty every code may
    be a card, and an identifier is taken off where there is one. ``prefix`` stands before identifier and code.
    ``code_length``: characters of the code alone. ``no_read``: texts that say that no code was read.
    """

    book: CodeBook
    aim_ids: tuple[str, ...] = ()
    prefix: str = ""
    code_length: int | None = None
    no_read: tuple[str, ...] = ("NR",)
    repeat_window_ms: int = 1000


class CardText:
    """Judges one scanner's texts in order; remembers only what it needs to tell a repeat."""

    def __init__(self, rules: TextRules) -> None:
        self._rules = rules
        self._seen: dict[tuple[type[Reading], str], int] = {}
        self._newest: tuple[type[Reading], str] | None = None
        """The code that was read last; texts that are no code do not take its card away from the scanner."""
        self._before_gap: tuple[type[Reading], str] | None = None
        """The same before a gap in which nobody looked, until a code is read."""

    def interrupted(self) -> None:
        """The scanner was away. What it reads first, if it is what it read last, may lie there still."""
        self._before_gap = self._newest

    def read(self, data: bytes, at: Instant, raw: bytes, *, aim: str | None = None) -> Reading:
        """What the text ``data`` is; ``raw`` is its frame as evidence, ``aim`` the identifier if it came apart."""
        prefix = self._rules.prefix.encode("ascii")
        body = data.removeprefix(prefix)
        if not is_text(body):
            return unreadable(at, raw, CardTrouble.NOT_TEXT, "characters that no code has: noise or the wrong speed")
        text = body.decode("ascii")
        split, code = split_aim(text)
        if aim is None:
            aim = split
        elif code not in self._rules.no_read:
            code = text
        trouble = self._trouble(code, aim, framed=data.startswith(prefix))
        reading = self._card(code, at, raw) if trouble is None else unreadable(at, raw, *trouble)
        return self._marked(reading, code)

    def _trouble(self, code: str, aim: str | None, *, framed: bool) -> tuple[CardTrouble, str] | None:
        """Why the code may not even be looked up."""
        rules = self._rules
        if code in rules.no_read:
            return CardTrouble.NO_READ, "the scanner read no code"
        if not framed:
            return CardTrouble.FRAMING, f"the scanner's prefix {rules.prefix!r} is missing"
        if not code:
            return CardTrouble.EMPTY, "a code of no characters"
        if not aim_allowed(aim, rules.aim_ids):
            kind = aim_name(aim) if aim else "a code without its AIM identifier"
            return CardTrouble.SYMBOLOGY, f"{kind}; this table reads {', '.join(rules.aim_ids)}"
        if rules.code_length is not None and len(code) != rules.code_length:
            return CardTrouble.LENGTH, f"{len(code)} characters; this table's codes have {rules.code_length}"
        return None

    def _card(self, code: str, at: Instant, raw: bytes) -> Reading:
        found = self._rules.book.lookup(code)
        if isinstance(found, KnownCard):
            return CardRead(at=at, raw=raw, card=found.card, code=code, unit=found.unit)
        if isinstance(found, KnownCut):
            return CutCard(at=at, raw=raw, code=code)
        if isinstance(found, Misread):
            return unreadable(at, raw, found.trouble, found.detail)
        return CardForeign(at=at, raw=raw, code=code, kind=found.kind)

    def _marked(self, reading: Reading, code: str) -> Reading:
        """A repeat is the same text *and* the same kind of reading within the window of the last time: a card
        that was refused a moment ago and is read now is fresh. Each repeat extends the window, because
        a card that lies before the scanner is read again and again. After a gap in which nobody looked, what was read
        last before it is a repeat however long the gap was, but not surely one."""
        now, window_ns = reading.at.mono_ns, self._rules.repeat_window_ms * NS_PER_MS
        key = (type(reading), code)
        last = self._seen.pop(key, None)
        self._seen[key] = now
        while len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        before_gap = self._before_gap
        if not isinstance(reading, CardUnreadable):
            self._newest, self._before_gap = key, None
        in_window = last is not None and now - last <= window_ns
        if not in_window and key != before_gap:
            return reading
        assert isinstance(reading, CardRead | CardUnreadable | CardForeign | CutCard)
        if isinstance(reading, CardRead):
            return replace(reading, repeated=True, unsure=not in_window)
        return replace(reading, repeated=True)


def is_text(data: bytes) -> bool:
    """Whether ``data`` is printable ASCII throughout."""
    return all(0x20 <= byte <= 0x7E for byte in data)


def unreadable(at: Instant, raw: bytes, trouble: CardTrouble, detail: str) -> CardUnreadable:
    """A frame that is no sure text. Whatever is in it, a card may have passed: that it was noise, nobody knows."""
    return CardUnreadable(at=at, raw=raw[:EVIDENCE], reason=trouble, detail=detail)
