"""CloudEvents 1.0 in structured JSON: the one body that an event has, wherever and however often it is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from dealer_daemon.events import Event
from dealer_daemon.journal import SignedEvent
from dealer_daemon.signing import KEY_ATTRIBUTE, PublicKeys, SigningKey, verify
from dealer_daemon.signing.seal import attach
from dealer_drivers.instant import Instant

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
"""Of the MQTT message (CloudEvents 1.0, MQTT binding, structured mode)."""

EVENT_CONTEXT = b"dealer-station event v1\n"
"""Is signed before an event's body, so that a signature of another kind of message is none of an event."""

_ID_BYTES, _DIGEST_BYTES, _SIGNATURE_BYTES = 8, 16, 64


def event_id(site: str, table: str, sequence: int) -> str:
    """The id of an event's message: the same for every repeat, so a repeat is recognised as one."""
    return f"{site}/{table}/{sequence}"


def event_message(site: str, event: Event, key_id: str | None = None, data: bytes | None = None) -> dict[str, Any]:
    """The message of a committed event, ready for JSON; keys always in the same order.

    ``sequence`` is the table's gapless count, ``monons`` the monotonic clock of boot ``boot`` in nanoseconds, a
    string because it outgrows the integers of CloudEvents and of JavaScript. Attribute names are lower-case
    alphanumerics (CloudEvents 1.0). ``subject`` is there only where there is a round, ``signkey`` (``key_id``) only
    where the event is signed. ``data`` is the event's data as it was written to the journal, where it comes from there.
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
    if key_id is not None:
        message[KEY_ATTRIBUTE] = key_id
    said: dict[str, Any] = msgspec.to_builtins(event.data) if data is None else msgspec.json.decode(data)
    message["data"] = {key: value for key, value in said.items() if key not in event.data.secret}
    return message


def encode_event(site: str, event: Event, signature: bytes | None = None, data: bytes | None = None) -> bytes:
    """The message as JSON. A function of its arguments alone: the same event always gives the same bytes.

    ``signature`` is what ``event_signer`` gave at commit. Where the body is not the one that was signed (the site has
    another name now), it goes out unsigned: a wrong signature would be a lie, and one made now would vouch for
    whatever stands in the file. ``data`` is the event's data as it was written to the journal, where it comes from
    there: a field that its type got since then is not sent.
    """
    if signature is not None:
        body = _signed_part(site, event, signature, data)
        if signature[_ID_BYTES:-_SIGNATURE_BYTES] == _digest(body):
            return attach(body, signature[-_SIGNATURE_BYTES:])
    return msgspec.json.encode(event_message(site, event, data=data))


def event_signer(site: str, key: SigningKey) -> Callable[[Event], bytes]:
    """What signs an event at its commit. The answer is kept with its row: key id, digest of the body, signature.

    It is made once, and not at every sending, so that an event has the same bytes after the key was changed.
    """

    def sign(event: Event) -> bytes:
        body = msgspec.json.encode(event_message(site, event, key.id))
        return bytes.fromhex(key.id) + _digest(body) + key.sign(EVENT_CONTEXT + body)

    return sign


def encode_stored(site: str, stored: SignedEvent) -> bytes:
    """The message of an event from the journal: byte for byte what it was when it was committed."""
    return encode_event(site, *stored)


def event_checker(site: str, keys: PublicKeys) -> Callable[[SignedEvent], bool]:
    """What says of an event and the signature kept with it whether one of ``keys`` signed just this event."""
    return lambda stored: verify_event(encode_stored(site, stored), keys)


def verify_event(body: bytes, keys: PublicKeys) -> bool:
    """Whether a message is an event that one of ``keys`` signed. Any bytes may be asked about."""
    return verify(EVENT_CONTEXT, body, keys)


def _signed_part(site: str, event: Event, signature: bytes, data: bytes | None) -> bytes:
    return msgspec.json.encode(event_message(site, event, signature[:_ID_BYTES].hex(), data))


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:_DIGEST_BYTES]
