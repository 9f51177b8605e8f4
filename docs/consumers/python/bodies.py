"""From the bytes of a message to what a station says with them; ``NotOursError`` for what anybody else publishes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

DEEPEST = 60  # of objects and lists in each other; a station stays far below
LARGEST = 2**53 - 1  # a sequence is a whole number that every language holds
T = TypeVar("T")


class NotOursError(ValueError):
    """A body that no station sends. The text goes on after "it ..."."""


@dataclass(frozen=True)
class Event:
    """What every event has; ``first`` is its own sequence, or the first of those that are lost."""

    id: str
    source: str
    type: str
    subject: str | None
    sequence: int
    first: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """The answer to a command; ``error`` is ``None`` where all went well."""

    command: str
    error: str | None
    message: str


def read_event(body: bytes) -> Event:
    """The event in a body. Raises ``NotOursError``."""
    found = _object(body)
    sequence, data, kind = _number(found, "sequence"), _get(found, "data", dict), _text(found, "type")
    first = _number(data, "from_sequence") if kind == "events.lost" else sequence
    subject = _text(found, "subject") if found.get("subject") is not None else None
    return Event(_text(found, "id"), _text(found, "source"), kind, subject, sequence, first, data)


def read_newest(body: bytes) -> int:
    """The sequence of a table's newest event, in the body of its state; 0 before the first. Raises ``NotOursError``."""
    return _number(_object(body), "last_sequence", least=0)


def read_reply(body: bytes) -> Reply:
    """The reply in a body. Raises ``NotOursError``."""
    data = _get(_object(body), "data", dict)
    if _get(data, "ok", bool):
        return Reply(_text(data, "command"), None, "")
    return Reply(_text(data, "command"), _text(data, "error"), _text(data, "message"))


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise NotOursError(f"is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise NotOursError(f"is a {type(found).__name__} and no object")
    if _deeper(found, DEEPEST):
        raise NotOursError("is nested too deeply")
    return found


def _get(found: dict[str, Any], key: str, kind: type[T]) -> T:
    value = found.get(key)
    if type(value) is not kind:  # and so ``True`` is no number
        raise NotOursError(f"has no {key}" if value is None else f"has a {type(value).__name__} as {key}")
    return value


def _text(found: dict[str, Any], key: str) -> str:
    text = _get(found, key, str)
    try:
        text.encode()
    except UnicodeEncodeError as error:  # half a character, which no database takes
        raise NotOursError(f"has no text as {key}: {error}") from error
    return text


def _number(found: dict[str, Any], key: str, *, least: int = 1) -> int:
    number = _get(found, key, int)
    if not least <= number <= LARGEST:
        raise NotOursError(f"has {key} {str(number)[:30]}")
    return number


def _deeper(value: object, left: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_deeper(each, left - 1) for each in inner)


def _no_number(word: str) -> NoReturn:
    raise NotOursError(f"has {word} as a number")
