"""Reads plain values into a struct key by key, so that every mistake is found and not only the first."""

from __future__ import annotations

import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec

from dealer_daemon.config.lines import KeyPath
from dealer_daemon.redact import is_secret_key

S = TypeVar("S", bound=msgspec.Struct)


_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake, before it is known in which file and on which line."""

    path: KeyPath
    reason: str


def unknown_key(name: str, known: Iterable[str]) -> str:
    """The reason for a key that nobody reads, with the nearest that somebody does."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"unknown key; did you mean {near[0]!r}?" if near else f"unknown key; known are: {', '.join(sorted(known))}"


def read_struct(
    values: object, cls: type[S], path: KeyPath, problems: list[Problem], *, also: Iterable[str] = ()
) -> S | None:
    """``values`` as a ``cls``, or ``None`` after adding what is wrong to ``problems``.

    ``also`` are keys that the section may have beside these; they are named in suggestions and otherwise ignored.
    Keys that look like secrets are left to ``secret_problems``.
    """
    if not isinstance(values, Mapping):
        problems.append(Problem(path, f"expected a section, not {_shown(values)}"))
        return None
    before = len(problems)
    fields = _fields(cls)
    known = [*fields, *also]
    problems += [
        Problem((*path, key), unknown_key(key, known)) for key in values if key not in known and not is_secret_key(key)
    ]
    for name, field in fields.items():
        if name in values:
            _read_value(values[name], field.type, (*path, name), problems)
        elif field.required:
            problems.append(Problem((*path, name), f"missing: {_expected(field.type) or 'it'} is needed"))
    if len(problems) > before:
        return None
    try:
        return msgspec.convert({name: values[name] for name in fields if name in values}, cls, strict=True)
    except msgspec.ValidationError as error:  # what concerns several keys at once
        problems.append(Problem(path, str(error)))
        return None


@cache
def _fields(cls: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(cls)}


def secret_problems(values: object, path: KeyPath = ()) -> list[Problem]:
    """Every key, at any depth, that would hold a secret. What it holds is not repeated."""
    found = []
    if isinstance(values, Mapping):
        for key, value in values.items():
            if is_secret_key(key) and not isinstance(value, Mapping):
                reason = "credentials by file, never here: put it into a file that only the daemon may read"
                hint = f" and name that file ({key}_file)" if not path or path[0] == "mqtt" else ""
                found.append(Problem((*path, key), reason + hint))
            else:
                found += secret_problems(value, (*path, key))
    elif isinstance(values, list):
        for index, value in enumerate(values):
            found += secret_problems(value, (*path, index))
    return found


def nul_problems(values: object, path: KeyPath = ()) -> list[Problem]:
    """Every text, at any depth, that holds the character NUL."""
    if isinstance(values, str):
        return [Problem(path, "holds the character NUL, which no name and no path may have")] if "\0" in values else []
    if isinstance(values, Mapping):
        inside: Iterable[tuple[str | int, object]] = values.items()
    else:
        inside = enumerate(values) if isinstance(values, list) else ()
    return [problem for key, value in inside for problem in nul_problems(value, (*path, key))]


def _read_value(value: object, tp: Any, path: KeyPath, problems: list[Problem]) -> None:
    """Adds what is wrong with one value; goes into structs, and into lists and maps of structs."""
    if isinstance(value, float) and not math.isfinite(value):
        problems.append(Problem(path, f"expected {_expected(tp) or 'a number'}, not {value}"))
        return
    plain = _struct_in(tp)
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        read_struct(value, plain, path, problems)
        return
    origin, args = typing.get_origin(plain), typing.get_args(plain)
    is_row = (origin is list and typing.get_origin(args[0]) is not dict) or (origin is tuple and args[-1] is ...)
    if is_row and isinstance(value, list):
        before = len(problems)
        for index, item in enumerate(value):
            _read_value(item, args[0], (*path, index), problems)
        if _is_struct(args[0]) or len(problems) > before:
            return
        twice = sorted({item for item in value if isinstance(item, str) and value.count(item) > 1})
        if twice:  # every list of texts says which, none how often
            problems.append(Problem(path, f"{', '.join(map(_shown, twice))} is there more than once: name each once"))
            return
    if origin is dict and isinstance(value, Mapping) and _is_struct(args[1]):
        for key, item in value.items():
            _read_value(item, args[1], (*path, key), problems)
        return
    try:
        msgspec.convert(value, tp, strict=True)
    except msgspec.ValidationError as error:
        expected = _expected(tp)
        reason = f"expected {expected}, not {_shown(value)}" if expected else f"{error}, not {_shown(value)}"
        problems.append(Problem(path, reason))


def _expected(tp: Any) -> str | None:
    """What the type asks for, in words; ``None`` where msgspec's own message is the best there is."""
    tp = _without_none(tp)
    if typing.get_origin(tp) is Annotated:
        metas = [meta for meta in typing.get_args(tp)[1:] if isinstance(meta, msgspec.Meta)]
        described = next((meta.description for meta in metas if meta.description), None)
        plain_words = _expected(typing.get_args(tp)[0])
        return described or (plain_words and ", ".join([plain_words, *filter(None, map(_limits, metas))]))
    if typing.get_origin(tp) in (list, tuple):
        return "a list"
    plain = _struct_in(tp)
    if typing.get_origin(plain) is Literal:
        return "one of " + ", ".join(_shown(choice) for choice in typing.get_args(plain))
    if isinstance(plain, type) and issubclass(plain, Enum):
        return "one of " + ", ".join(_shown(choice.value) for choice in plain)
    if plain is not tp:
        return _expected(plain)
    if _is_struct(plain):
        return "this section"
    return _WORDS.get(plain)


def _limits(meta: msgspec.Meta) -> str:
    """What a value of the type may be, where it is not any."""
    if meta.max_length is not None:
        return f"at most {meta.max_length} long"
    if meta.ge is not None and meta.le is not None:
        return f"{meta.ge:g} to {meta.le:g}"
    words = (
        (meta.ge, "{:g} or more"),
        (meta.gt, "more than {:g}"),
        (meta.le, "at most {:g}"),
        (meta.lt, "less than {:g}"),
    )
    return ", ".join(word.format(limit) for limit, word in words if limit is not None)


def _shown(value: object) -> str:
    """The value as TOML has it, long ones cut."""
    if isinstance(value, Mapping):
        return "a section"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return str(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"


def _struct_in(tp: Any) -> Any:
    """The type without ``Annotated`` around a struct, and without ``None``."""
    if typing.get_origin(tp) is Annotated:
        return _struct_in(typing.get_args(tp)[0])
    inner = _without_none(tp)
    return tp if inner is tp else _struct_in(inner)


def _without_none(tp: Any) -> Any:
    if typing.get_origin(tp) in (Union, types.UnionType):
        members = [member for member in typing.get_args(tp) if member is not type(None)]
        return members[0] if len(members) == 1 else tp
    return tp


def _is_struct(tp: Any) -> bool:
    plain = _struct_in(tp)
    return isinstance(plain, type) and issubclass(plain, msgspec.Struct)
