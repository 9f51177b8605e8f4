"""Schemas of single types, and the CloudEvents envelope that all messages of events and commands share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

JsonObject = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def type_schemas(types: Iterable[Any], ref_template: str = "#/$defs/{name}") -> JsonObject:
    """The schema of each type and of all that they use, by the name of the class."""
    _, components = msgspec.json.schema_components(types, ref_template=ref_template)
    return {name: components[name] for name in sorted(components)}


def envelope(
    type_word: str, data_ref: str, *, description: str, required: Iterable[str], **attributes: Any
) -> JsonObject:
    """A CloudEvents 1.0 message in structured JSON. Other attributes may stand in it and mean nothing to the reader."""
    return {
        "type": "object",
        "description": description,
        "required": ["specversion", "id", "source", "type", "data", *required],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {"type": "string", "minLength": 1},
            "source": {"type": "string", "minLength": 1},
            "type": {"const": type_word},
            "datacontenttype": {"const": "application/json"},
            **attributes,
            "data": {"$ref": data_ref},
        },
    }


def summary(cls: type) -> str:
    """The first paragraph of a type's docstring, on one line."""
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split()).replace("``", "`")
