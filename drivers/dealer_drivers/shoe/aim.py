"""AIM symbology identifiers, ``]cm``: how a scanner says which kind of bar code it read (``devices.md`` §3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

SYMBOLOGIES: Mapping[str, str] = {
    "A": "Code 39",
    "C": "Code 128",
    "E": "EAN/UPC",
    "I": "Interleaved 2 of 5",
    "d": "Data Matrix",
    "Q": "QR Code",
}
"""The code character of each symbology that decks in use are printed with."""

_ID = re.compile(r"\][A-Za-z][0-9A-Za-z]")
_ALLOWED = re.compile(r"\][A-Za-z][0-9A-Za-z]?")


def split_aim(text: str) -> tuple[str | None, str]:
    """The identifier at the head of ``text``, if there is one, and the rest."""
    found = _ID.match(text)
    return (found.group(), text[found.end() :]) if found else (None, text)


def is_aim_pattern(text: str) -> bool:
    """Whether ``text`` names a symbology (``]C``) or one identifier (``]C0``)."""
    return _ALLOWED.fullmatch(text) is not None


def aim_allowed(aim: str | None, allowed: Collection[str]) -> bool:
    """Whether a code with this identifier may be a card. Where none are listed every code may, with one or without."""
    if not allowed:
        return True
    return aim is not None and (aim in allowed or aim[:2] in allowed)


def aim_name(aim: str) -> str:
    """The symbology's name for a person, with its identifier."""
    return f"{SYMBOLOGIES.get(aim[1:2], 'another symbology')} ({aim})"
