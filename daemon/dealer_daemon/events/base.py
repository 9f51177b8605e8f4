"""What an event is."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

Facts = dict[str, Any]


class EventData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Base of the ``data`` of every event."""

    type: ClassVar[str]
    secret: ClassVar[frozenset[str]] = frozenset()
    """Fields that are kept in the journal and never leave the station (``games.md`` §2.3, ``withhold``)."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One committed fact about a table: what the journal keeps and the publisher sends.

    ``sequence`` is gapless from 1 per table. ``subject`` is the round's id where there is a round.
    ``wall_ns`` is Unix nanoseconds, ``mono_ns`` the monotonic clock of the boot ``boot``.
    """

    table: str
    sequence: int
    subject: str | None
    wall_ns: int
    mono_ns: int
    boot: str
    data: EventData
