"""Which sequence may follow which: one more, but after a loss that the event itself tells."""

from __future__ import annotations

import msgspec

from dealer_daemon.events import Event, EventsLost

LOST = EventsLost.type


def follows(previous: int, event: Event) -> bool:
    """Whether the event may come after sequence ``previous`` of its table."""
    return event.sequence == previous + 1 or _fills(previous, event.sequence, event.data)


def goes_on(previous: int, event: Event) -> bool:
    """Whether a reader that has all up to ``previous``, perhaps in the middle of what is lost, goes on with it."""
    return follows(previous, event) or _tells_of(previous + 1, event.data)


def row_follows(previous: int, sequence: int, type_word: str, body: bytes) -> bool:
    """The same for a row that is not decoded. A body that cannot be read follows on nothing."""
    if sequence == previous + 1:
        return True
    if type_word != LOST:
        return False
    try:
        return _fills(previous, sequence, msgspec.json.decode(body, type=EventsLost))
    except msgspec.MsgspecError:
        return False


def _tells_of(sequence: int, data: object) -> bool:
    return isinstance(data, EventsLost) and data.from_sequence <= sequence <= data.to_sequence


def _fills(previous: int, sequence: int, data: object) -> bool:
    if not isinstance(data, EventsLost):
        return False
    # What a person gave up begins before ``previous``: events of this journal are among it.
    return 1 <= data.from_sequence <= previous + 1 and data.to_sequence == sequence - 1 >= data.from_sequence
