"""What a name, a password and a PIN must be. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

PersonRole = Literal["dealer", "manager", "technician"]
ROLES: tuple[PersonRole, ...] = get_args(PersonRole)

LONGEST_NAME = 40
LONGEST_SECRET = 256
"""Of what is hashed: nobody has the station hash a book."""
SHORTEST: dict[PersonRole, int] = {"dealer": 6, "manager": 10, "technician": 10}
"""A dealer signs in at a keypad, at every table; what a dealer may do is little, and tries are slowed."""
PIN_DIGITS = (6, 12)
_RESERVED = frozenset({"station"})
"""The author of what no person did."""


class BadSecret(ValueError):  # noqa: N818
    """A name, password or PIN that is not taken. The text says what is asked; it never holds the secret."""


def check_name(name: str) -> None:
    """Raises ``BadSecret``."""
    if not name or len(name) > LONGEST_NAME:
        raise BadSecret(f"a name has 1 to {LONGEST_NAME} characters")
    if not all(sign.isalnum() or sign in " ._-" for sign in name) or name != " ".join(name.split()):
        raise BadSecret('a name is of letters and digits, with ".", "_", "-" and single spaces between')
    if name.casefold() in _RESERVED:
        raise BadSecret(f'"{name}" is the author of what no person did: take another name')


def check_password(password: str, name: str, role: PersonRole) -> None:
    """Raises ``BadSecret``."""
    shortest = SHORTEST[role]
    if not shortest <= len(password) <= LONGEST_SECRET:
        raise BadSecret(f"a {role}'s password has at least {shortest} characters, and at most {LONGEST_SECRET}")
    if _trivial(password) or name.casefold() in password.casefold():
        raise BadSecret(
            "a password is neither one character over and over, nor a row like 123456, nor has the name in it"
        )


def check_pin(pin: str) -> None:
    """Raises ``BadSecret``."""
    fewest, most = PIN_DIGITS
    if not (pin.isascii() and pin.isdigit() and fewest <= len(pin) <= most):
        raise BadSecret(f"a PIN is of {fewest} to {most} digits")
    if _trivial(pin):
        raise BadSecret("a PIN is neither one digit over and over, nor a row like 123456")


def _trivial(secret: str) -> bool:
    steps = {ord(after) - ord(before) for before, after in pairwise(secret)}
    return steps in ({0}, {1}, {-1})
