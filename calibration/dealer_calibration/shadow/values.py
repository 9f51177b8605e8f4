"""One value of a result, made comparable: two systems write the same number, card or dice in their own ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WORDS = re.compile(r"[^\W_]+", re.UNICODE)
_TENS = re.compile(r"(?i)\b10([shdc])\b")
_UNORDERED = frozenset({"dice"})
"""Facts whose order means nothing."""
_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})


class NoFact(LookupError):  # noqa: N818
    """The facts have nothing under that name. The text lists the names that they have."""


def fact_at(facts: Mapping[str, Any], path: str) -> Any:
    """The fact under a dotted name: ``number``, ``player.cards``. Raises ``NoFact``."""
    found: Any = facts
    for step in path.split("."):
        if not isinstance(found, Mapping) or step not in found:
            raise NoFact(f'no fact "{path}"; there are: {", ".join(names(facts))}')
        found = found[step]
    return found


def names(facts: Mapping[str, Any], before: str = "") -> list[str]:
    """The dotted names of all facts, in their order."""
    found = []
    for key, value in facts.items():
        found += names(value, f"{before}{key}.") if isinstance(value, Mapping) else [f"{before}{key}"]
    return found


def comparable(path: str, value: Any) -> tuple[str, ...]:
    """The value as words that are equal where two systems mean the same: ``07`` and 7, ``10s`` and ``TS``,
    ``3, 1, 2`` and ``[1, 2, 3]`` for dice. A value of several parts keeps their order, but for dice."""
    words = [_word(word) for word in _WORDS.findall(_TENS.sub(r"T\1", _text(value)))]
    return tuple(sorted(words) if path.rpartition(".")[2] in _UNORDERED else words)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_text(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    return "" if value is None else str(value)


def _word(word: str) -> str:
    if word.isdecimal():
        return str(int(word))
    lower = word.casefold()
    return "true" if lower in _TRUE else "false" if lower in _FALSE else lower
