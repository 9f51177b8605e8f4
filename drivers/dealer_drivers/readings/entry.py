"""What people keyed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dealer_drivers.readings import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultEntered(Reading):
    """The same result was entered twice by the same person. ``raw`` holds both lines.

    ``round`` is the round that the person saw on the screen, ``None`` where none was open; ``result`` the game's own
    keys, as a service manager states a result.
    """

    by: str
    round: str | None
    result: Mapping[str, Any]


class EntryFault(StrEnum):
    """Why an entry does not count yet."""

    ENTRIES_DIFFER = "entries_differ"
    """The second entry was not the first one: both are forgotten."""
    ENTRY_IMPOSSIBLE = "entry_impossible"
    """The game has no such result: both are forgotten."""
