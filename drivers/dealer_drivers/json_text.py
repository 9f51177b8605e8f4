"""JSON that others wrote.

msgspec raises ``RecursionError`` for a text that is nested too deeply; here it is one more way of being no JSON, so
that nobody can forget it.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode_json(data: bytes, kind: type[T]) -> T:
    """The value of ``kind``. Raises ``msgspec.DecodeError`` or ``msgspec.ValidationError``."""
    try:
        return msgspec.json.decode(data, type=kind)
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is nested too deeply") from error
