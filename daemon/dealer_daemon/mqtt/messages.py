"""What goes over the link to the broker, in plain types."""

from __future__ import annotations

from dataclasses import dataclass

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained, when we vanish without a goodbye."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to publish. All but topic, payload and ``retain`` exists in MQTT 5 only.

    ``expiry_s`` is in seconds; ``correlation`` is the request's correlation data, handed back.
    """

    topic: str
    payload: bytes
    retain: bool = False
    content_type: str = JSON
    expiry_s: int | None = None
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that came. ``retained`` is true for a stored one delivered because we subscribed."""

    topic: str
    payload: bytes
    retained: bool = False
    response_topic: str | None = None
    correlation: bytes | None = None
