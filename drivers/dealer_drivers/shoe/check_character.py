"""The check character of the unit-coded codes that we make: one misread character is always noticed.

The alphabet has 31 characters, a prime, and leaves out 0 1 I L O, which people mix up. Each position has its
own weight from 1; the weighted sum modulo 31 chooses the character. One wrong character changes the sum by
``weight x difference``, two exchanged ones by ``weight difference x difference``: neither is ever 0 modulo a
prime, so every single substitution and every exchange of two different characters is caught.
"""

from __future__ import annotations

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
MAX_BODY = len(ALPHABET) - 2
"""Characters before the check character for which all weights stay different and none is 0."""

_VALUES = {character: value for value, character in enumerate(ALPHABET)}


def check_character(body: str) -> str:
    """The character to append to ``body``. Raises ``ValueError`` when it cannot be formed."""
    if not 1 <= len(body) <= MAX_BODY or not all(character in _VALUES for character in body):
        raise ValueError(f"{body!r}: a code is 1 to {MAX_BODY} characters of {ALPHABET}")
    return ALPHABET[-sum(weight * _VALUES[character] for weight, character in enumerate(body, 2)) % len(ALPHABET)]


def is_checked(code: str) -> bool:
    """Whether the last character of ``code`` is the check character of the rest."""
    body = code[:-1]
    if not 1 <= len(body) <= MAX_BODY or not all(character in _VALUES for character in code):
        return False
    return check_character(body) == code[-1]
