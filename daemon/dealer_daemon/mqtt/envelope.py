"""CloudEvents 1.0 in structured JSON: the one body that an event has, wherever and however often it is sent."""

from __future__ import annotations

from typing import Any

import msgspec

from dealer_daemon.events import Event
from dealer_drivers.instant import Instant

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
"""Of the MQTT message (CloudEvents 1.0, MQTT binding, structured mode)."""


def event_id(site: str, table: str, sequence: int) -> str:
    """The id of an event's message: the same for every repeat, so a repeat is recognised as one."""
    return f"{site}/{table}/{sequence}"


def event_message(site: str, event: Event) -> dict[str, Any]:
    """The message of a committed event, ready for JSON; keys always in the same order.

    ``sequence`` is the table's gapless count, ``monons`` the monotonic clock of boot ``boot`` in nanoseconds, a
    string because it outgrows the integers of CloudEvents and of JavaScript. Attribute names are lower-case
    alphanumerics (CloudEvents 1.0). ``subject`` is there only where there is a round.
    """
    message: dict[str, Any] = {
        "specversion": "1.0",
        "id": event_id(site, event.table, event.sequence),
        "source": f"/{site}/{event.table}",
        "type": event.data.type,
    }
    if event.subject is not None:
        message["subject"] = event.subject
    message["time"] = Instant(event.mono_ns, event.wall_ns).rfc3339()
    message["datacontenttype"] = "application/json"
    message["sequence"] = event.sequence
    message["boot"] = event.boot
    message["monons"] = str(event.mono_ns)
    data: dict[str, Any] = msgspec.to_builtins(event.data)
    message["data"] = {key: value for key, value in data.items() if key not in event.data.secret}
    return message


def encode_event(site: str, event: Event) -> bytes:
    """The message as JSON. A function of its arguments alone: the same event always gives the same bytes."""
    return msgspec.json.encode(event_message(site, event))
