"""The schema of every event message."""

from __future__ import annotations

from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.schema.components import DIALECT, JsonObject, envelope, summary, type_schemas

SEQUENCE: JsonObject = {
    "type": "integer",
    "minimum": 1,
    "description": "Gapless count of the table's events, from 1. With site and table it is the id.",
}
SIGNKEY: JsonObject = {
    "type": "string",
    "pattern": "^[0-9a-f]{16}$",
    "description": "Id of the key that signed the event; absent where the station signs nothing.",
}
SIGNATURE: JsonObject = {
    "type": "string",
    "pattern": "^[A-Za-z0-9_-]{86}$",
    "description": "Ed25519 over the bytes before it, base64url; always the last member.",
}


def event_definitions(ref_template: str = "#/$defs/{name}") -> JsonObject:
    """A definition for each event message, by its type word, and for each ``data``, by its class."""
    messages = {
        word: envelope(
            word,
            ref_template.format(name=cls.__name__),
            description=summary(cls),
            required=("time", "sequence", "boot", "monons", "datacontenttype"),
            id={"type": "string", "pattern": "^[^/]+/[^/]+/[1-9][0-9]*$", "description": "{site}/{table}/{sequence}"},
            source={"type": "string", "pattern": "^/[^/]+/[^/]+$", "description": "/{site}/{table}"},
            subject={"type": "string", "minLength": 1, "description": "Id of the round, where there is one."},
            time={"type": "string", "format": "date-time", "description": "UTC, RFC 3339."},
            sequence=SEQUENCE,
            boot={"type": "string", "minLength": 1, "description": "Id of the run of the daemon that wrote the event."},
            monons={
                "type": "string",
                "pattern": "^[0-9]+$",
                "description": "Monotonic clock of that boot in nanoseconds; a string, for it outgrows other integers.",
            },
            signkey=SIGNKEY,
            signature=SIGNATURE,
        )
        for word, cls in EVENT_TYPES.items()
    }
    types = type_schemas(EVENT_TYPES.values(), ref_template)
    for cls in EVENT_TYPES.values():
        for name in cls.secret:  # kept in the journal, never sent
            del types[cls.__name__]["properties"][name]
    return messages | types


def events_schema() -> JsonObject:
    """One JSON Schema for all event messages: each is exactly one of its types."""
    return {
        "$schema": DIALECT,
        "$id": "urn:dealer-station:v1:events",
        "title": "Events of a dealer table",
        "description": "CloudEvents 1.0 in structured JSON. Within v1 types and fields are only added: ignore what you "
        "do not know.",
        "oneOf": [{"$ref": f"#/$defs/{word}"} for word in EVENT_TYPES],
        "$defs": event_definitions(),
    }
