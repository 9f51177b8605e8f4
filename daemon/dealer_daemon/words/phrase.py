"""A sentence of a screen in every language, with what it is about put in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec


class Phrase(NamedTuple):
    """Templates of ``str.format``; all three name the same parts."""

    english: str
    simplified: str
    traditional: str


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What a person reads, in each language; ``code`` is what it is for a program."""

    code: str
    english: str = msgspec.field(name="en")
    simplified: str = msgspec.field(name="zh-Hans")
    traditional: str = msgspec.field(name="zh-Hant")


Part = Text | str | int | float


def plain(text: str, code: str = "") -> Text:
    """What is the same in every language: a name, a figure, a person's own words."""
    return Text(code=code, english=text, simplified=text, traditional=text)


def fill(code: str, phrase: Phrase, parts: Mapping[str, Part]) -> Text:
    """The phrase with its parts; a part that is a ``Text`` goes in by its own language. Raises ``KeyError`` for one
    that is missing."""
    as_texts = {name: part if isinstance(part, Text) else plain(f"{part}") for name, part in parts.items()}
    return Text(
        code=code,
        english=phrase.english.format(**{name: part.english for name, part in as_texts.items()}),
        simplified=phrase.simplified.format(**{name: part.simplified for name, part in as_texts.items()}),
        traditional=phrase.traditional.format(**{name: part.traditional for name, part in as_texts.items()}),
    )
