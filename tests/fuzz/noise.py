"""Damage, from a seed: to bytes, to JSON and to TOML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

TOKENS = (
    b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\r", b"\t",
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"*", b";", b"=", b"%", b"#", b"-1", b"0", b"9" * 25, b"1e999",
    b"NaN", b"Infinity", b"null", b"true", b"{}", b"[]", b'\\ud800', b"\\u0000", b"\xe2\x80\xae", b"\xd9\xa3", b"+",
    b"/", b"\x02", b"\x03", b"\x1b[2J", b"0x10", b"1_000", b"\xc2\xb2", b"9" * 4400,
)  # fmt: skip
"""What parsers stumble over; the last ones are digits to ``str.isdigit``, and none to ``int`` or JSON."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40, 0.5, -0.0, 1e-320, 1.7e308,
    float("nan"), float("inf"), "", " ", "\0", "a\0b", "\ud800", "\u202e", "²", "٣", "١٧", "17", "0x11", "\n",
    "x" * 129, "9" * 5000, "8S", "because", "é" * 70, [], {}, [[]], {"": None}, [None] * 40,
    {"a": {"b": {"c": [1, "2", None]}}}, "../../etc/passwd", "/", "/dev/null", "1979-05-27", "$SYS/x", "a/b", "+", "#",
)  # fmt: skip


def damaged(data: bytes, rng: Random, others: Sequence[bytes] = (b"",)) -> bytes:
    """``data`` changed in one to five places."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        begin = rng.randrange(len(changed) + 1)
        end = min(len(changed), begin + rng.choice((1, 1, 1, 2, 4, 16, 200)))
        match rng.randrange(10):
            case 0 if begin < len(changed):
                changed[begin] ^= 1 << rng.randrange(8)
            case 1 if begin < len(changed):
                changed[begin] = rng.randrange(256)
            case 2:
                del changed[begin:end]
            case 3:
                changed[begin:begin] = changed[begin:end] * rng.choice((1, 2, 50))
            case 4:
                changed[begin:begin] = rng.randbytes(rng.choice((1, 3, 40)))
            case 5:
                del changed[begin:]
            case 6:
                other = rng.choice(others)
                changed[begin:end] = other[rng.randrange(len(other) + 1) :][: rng.choice((4, 40, 4000))]
            case 7 if changed:
                digits = [n for n, byte in enumerate(changed) if 0x30 <= byte <= 0x39]
                if digits:
                    changed[rng.choice(digits)] = rng.choice(b"0123456789")
            case _:
                changed[begin : rng.choice((begin, end))] = rng.choice(TOKENS)
    return bytes(changed)


def odd(rng: Random) -> Any:
    """A value that was not expected."""
    if rng.random() < 0.03:
        value: Any = 1
        for _ in range(rng.choice((31, 33, 200))):
            value = [value] if rng.random() < 0.5 else {"a": value}
        return value
    return deepcopy(rng.choice(ODD))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside, as far down as anybody looks."""
    found = [path] if path else []
    if len(path) > 24:
        return found
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        found += places(item, (*path, key))
    return found


def changed(value: Any, rng: Random, likely: Sequence[Any] = ()) -> Any:
    """A copy with one to three values in it odd, gone, renamed or in two places."""
    value = deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 3))):
        ways = places(value)
        if not ways:
            return value
        *way, last = rng.choice(ways)
        holder = value
        for key in way:
            holder = holder[key]
        match rng.randrange(6):
            case 0:
                del holder[last]
            case 1 if isinstance(holder, dict):
                holder[rng.choice((f"{last}x", "", "\0", "password", str(last).upper()))] = holder.pop(last)
            case 2:
                *_, name = rng.choice(ways)
                new = deepcopy(rng.choice(likely)) if likely else odd(rng)
                if isinstance(holder, dict):
                    holder[str(name)] = new
                else:
                    holder.append(new)
            case 3 if likely:
                holder[last] = deepcopy(rng.choice(likely))
            case _:
                holder[last] = odd(rng)
    return value


def json_text(value: Any, rng: Random) -> bytes:
    """The value as JSON, as others might write it: with NaN, lone surrogates, a key twice, blanks, raw letters."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.7, separators=rng.choice((None, (",", ":"))))
    if isinstance(value, dict) and value and rng.random() < 0.1:
        key = rng.choice(sorted(value))
        text = "{" + f"{json.dumps(key)}: {json.dumps(odd(rng))}, " + text[1:]
    return text.encode("utf-8", "surrogatepass")


def json_noise(rng: Random, good: Sequence[Any]) -> bytes:
    """Something like one of ``good``, damaged in what it says or in how it is written; or noise."""
    chance = rng.random()
    if chance < 0.03:
        return rng.randbytes(rng.choice((0, 1, 7, 300, 4096, 65_537)))
    if chance < 0.05:
        return rng.choice((b"[", b'{"a":')) * rng.choice((30, 1000, 20_000))
    text = json_text(rng.choice(good), rng)
    if chance < 0.35:
        return damaged(text, rng, [json_text(one, rng) for one in good[:3]])
    return json_text(changed(rng.choice(good), rng), rng)


def toml_text(values: dict[str, Any]) -> str:
    """The values as TOML, a line a section. Raises ``ValueError`` for what TOML has no word for."""
    return "".join(f"{_toml_key(key)} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if value == 10**40:
        return "9" * 4400  # more digits than Python makes a number of
    if isinstance(value, float):
        return repr(value) if "e" not in repr(value) else f"{value:e}"
    if value is None:
        return "1979-05-27T07:32:00Z"
    return json.dumps(value).replace("\x7f", "\\u007f")


def _toml_key(key: str) -> str:
    return json.dumps(key).replace("\x7f", "\\u007f")
