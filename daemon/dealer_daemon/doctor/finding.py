"""What a look at the PC found: one thing, how it stands, and what to do."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class State(StrEnum):
    """How it stands."""

    GOOD = "good"
    WARNING = "warning"
    """A station runs; something will bite later."""
    WRONG = "wrong"
    """Mend it before the table opens."""
    UNREACHABLE = "unreachable"
    """A device or a broker that does not answer."""
    UNKNOWN = "unknown"
    """It could not be looked at from here."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """``check`` names what was looked at, ``what`` says how it is, ``mend`` what to do where it is not good."""

    check: str
    state: State
    what: str
    mend: str = ""


def good(check: str, what: str) -> Finding:
    """All is well."""
    return Finding(check=check, state=State.GOOD, what=what)


def warning(check: str, what: str, mend: str) -> Finding:
    """It will bite later."""
    return Finding(check=check, state=State.WARNING, what=what, mend=mend)


def wrong(check: str, what: str, mend: str) -> Finding:
    """To be mended before the table opens."""
    return Finding(check=check, state=State.WRONG, what=what, mend=mend)


def unreachable(check: str, what: str, mend: str) -> Finding:
    """It does not answer."""
    return Finding(check=check, state=State.UNREACHABLE, what=what, mend=mend)


def unknown(check: str, what: str, mend: str = "") -> Finding:
    """It could not be looked at."""
    return Finding(check=check, state=State.UNKNOWN, what=what, mend=mend)
