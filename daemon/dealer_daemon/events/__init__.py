"""Everything that a table can say happened. A table's state is the fold over its events (``round.py``).

Each type is a struct whose fields are the ``data`` of the message; ``EVENT_TYPES`` maps the type words of the
messages to them. The JSON Schemas are generated from here. Within v1 the types only grow: new fields
have defaults, nothing is renamed.
"""

from __future__ import annotations

import msgspec

from dealer_daemon.events.alerts import AlertCleared, AlertRaised
from dealer_daemon.events.base import Event, EventData, Facts
from dealer_daemon.events.cards import (
    CardCorrected,
    CardDrawn,
    CardExpected,
    CardRepeated,
    CardSkipped,
    CardWithheld,
    GateOpened,
    GateVoided,
    GateWaiting,
    HandSkipped,
    ShoeBegan,
    ShoeCutCard,
    ShoeEnded,
    ShoeResultHeard,
)
from dealer_daemon.events.decks import (
    DeckFailed,
    DeckInserted,
    DeckRemoved,
    DeckScanRefused,
    DeckScanStarted,
    DeckShuffling,
    DeckVerified,
    ShufflerChange,
    ShufflerTamper,
)
from dealer_daemon.events.devices import DeviceFaulted, DeviceLent, DeviceRecovered, DeviceReturned
from dealer_daemon.events.journal import EventsExpired, EventsLost
from dealer_daemon.events.rounds import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    AttemptUnconfirmed,
    AttemptWithdrawn,
    BettingClosed,
    EntryAllowed,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    TableReconfigured,
    TableResumed,
    TableStarted,
    Violation,
)

__all__ = [
    "EVENT_TYPES",
    "AlertCleared",
    "AlertRaised",
    "AttemptHeld",
    "AttemptRefused",
    "AttemptStarted",
    "AttemptUnconfirmed",
    "AttemptWithdrawn",
    "BettingClosed",
    "CardCorrected",
    "CardDrawn",
    "CardExpected",
    "CardRepeated",
    "CardSkipped",
    "CardWithheld",
    "DeckFailed",
    "DeckInserted",
    "DeckRemoved",
    "DeckScanRefused",
    "DeckScanStarted",
    "DeckShuffling",
    "DeckVerified",
    "DeviceFaulted",
    "DeviceLent",
    "DeviceRecovered",
    "DeviceReturned",
    "EntryAllowed",
    "Event",
    "EventData",
    "EventsExpired",
    "EventsLost",
    "Facts",
    "GateOpened",
    "GateVoided",
    "GateWaiting",
    "HandSkipped",
    "OutcomeCorrected",
    "RoundOpened",
    "RoundOutcome",
    "RoundVoided",
    "ShoeBegan",
    "ShoeCutCard",
    "ShoeEnded",
    "ShoeResultHeard",
    "ShufflerChange",
    "ShufflerTamper",
    "TablePaused",
    "TableReconfigured",
    "TableResumed",
    "TableStarted",
    "UnknownEventType",
    "Violation",
    "decode_data",
    "encode_data",
]

_TYPES: tuple[type[EventData], ...] = (
    TableStarted,
    RoundOpened,
    BettingClosed,
    AttemptStarted,
    AttemptRefused,
    AttemptHeld,
    AttemptUnconfirmed,
    AttemptWithdrawn,
    EntryAllowed,
    CardDrawn,
    CardWithheld,
    CardRepeated,
    CardCorrected,
    CardExpected,
    HandSkipped,
    CardSkipped,
    GateWaiting,
    GateOpened,
    GateVoided,
    Violation,
    TablePaused,
    TableResumed,
    RoundOutcome,
    RoundVoided,
    OutcomeCorrected,
    ShoeBegan,
    ShoeCutCard,
    ShoeEnded,
    ShoeResultHeard,
    DeckInserted,
    DeckShuffling,
    DeckRemoved,
    DeckScanStarted,
    DeckScanRefused,
    DeckVerified,
    DeckFailed,
    ShufflerTamper,
    ShufflerChange,
    DeviceFaulted,
    DeviceRecovered,
    DeviceLent,
    DeviceReturned,
    EventsExpired,
    EventsLost,
    AlertRaised,
    AlertCleared,
    TableReconfigured,
)

EVENT_TYPES: dict[str, type[EventData]] = {cls.type: cls for cls in _TYPES}


class UnknownEventType(ValueError):  # noqa: N818
    """A journal row of a type that this version does not know."""


def decode_data(type_word: str, body: bytes) -> EventData:
    """The ``data`` struct from its JSON. Raises ``UnknownEventType`` or ``msgspec.ValidationError``."""
    cls = EVENT_TYPES.get(type_word)
    if cls is None:
        raise UnknownEventType(f"event type {type_word!r} is not known to this version")
    return msgspec.json.decode(body, type=cls)


def encode_data(data: EventData) -> bytes:
    """Canonical JSON of an event's data: fields in the order of the type, keys of facts in their own order."""
    return msgspec.json.encode(data)
