"""The page of all configuration keys: nothing is missing on it, and every key says what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
import pytest

from dealer_daemon.config.types import DeviceKeys, MqttConfig, ScreenConfig, StationConfig, TableKeys
from dealer_daemon.games import game_names, load_game
from dealer_daemon.schema.docstrings import field_docs, one_line
from dealer_daemon.schema.option_notes import NOTES
from dealer_daemon.schema.options import _type, meanings, options_page
from dealer_daemon.validation.spin_rules import LapCurve
from dealer_drivers.driver import UnknownDriver, driver_names, load_driver


class Colour(StrEnum):
    RED = "red"
    """Like blood."""
    BLUE = "blue"


class Base(msgspec.Struct, kw_only=True):
    """A base. ``shade``: how dark | it is; ``light`` is no key. ``size``: in metres."""

    shade: int = 0
    size: float = 1.0
    depth: int = 0
    """Of the base."""


class Section(Base, kw_only=True):
    """A section."""

    depth: int = 1
    """Of the ``section`` (`devices.md` §1),
    on two lines."""
    colour: Colour = Colour.RED
    bare: str = ""


SECTIONS = ("spin", "shoe", "shake", "beans", "turn")
"""Keys of a game that are sections of their own."""


def sections() -> Iterator[Any]:
    """Every type of the configuration that has keys of its own."""
    found: list[type[msgspec.Struct]] = [StationConfig, MqttConfig, ScreenConfig, TableKeys, DeviceKeys, LapCurve]
    for name in game_names():
        settings = load_game(name).settings
        nested = [field.type for field in msgspec.structs.fields(settings) if field.name in SECTIONS]
        found += [settings, *nested]
    for name in driver_names():
        with suppress(UnknownDriver):  # one that cannot be loaded breaks its own tests, and not these
            found.append(load_driver(name).options)
    yield from (pytest.param(cls, id=cls.__name__) for cls in dict.fromkeys(found))


@cache
def rows() -> dict[str, list[tuple[str, str, str]]]:
    """By key: (type, default, meaning) of each row of the page's tables."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for line in options_page().splitlines():
        if match := re.fullmatch(r"\| `(\w+)` \| (.+?) \| (.+?) \| (.*) \|", line):
            found.setdefault(match[1], []).append((match[2], match[3], match[4]))
    return found


@pytest.mark.parametrize("cls", list(sections()))
def test_every_key_is_on_the_page_and_says_what_it_means(cls: type[msgspec.Struct]) -> None:
    page, said = rows(), meanings(cls)
    for field in msgspec.structs.fields(cls):
        if field.name in SECTIONS:
            continue
        meaning = said.get(field.name, "")
        assert meaning.endswith(".") or "`" in meaning, f"{cls.__name__}.{field.name}: give it a docstring"
        default = "needed" if field.required else "none" if field.default is None else None
        assert any(row[2] == meaning and default in (None, row[1]) for row in page[field.encode_name]), field.name


def test_the_page_has_the_defaults_that_count() -> None:
    page = rows()
    assert [row[:2] for row in page["min_laps"]] == [("whole number", "`7`")]
    assert [row[:2] for row in page["require_verified"]] == [("true or false", "`true`")]
    assert [row[:2] for row in page["decks"]] == [("whole number, 1 to 16", "none")]
    assert {row[1] for row in page["expected_parameters"]} == {"`{}`"}
    assert page["gates"][0][:2] == ('list of `"first_four"`, `"player_third"`', "`[]`")
    assert page["points"][0][:2] == ("list of [number, number]", "needed")
    assert {"`4800`", "`9600`"} <= {row[1] for row in page["baud"]}
    page_text = options_page()
    for name in (*game_names(), *driver_names()):
        assert f'"{name}"' in page_text


def test_notes_are_about_keys_that_there_are() -> None:
    owners = {owner.__name__: owner for param in sections() for owner in param.values[0].__mro__}
    for name, notes in NOTES.items():
        assert notes.keys() <= owners[name].__annotations__.keys(), name


def test_a_type_speaks_for_its_fields_below_them_or_in_its_docstring() -> None:
    assert field_docs(Base) == {
        "shade": "How dark \\| it is; `light` is no key.",
        "size": "In metres.",
        "depth": "Of the base.",
    }
    assert field_docs(Section)["depth"] == "Of the `section`, on two lines."
    assert field_docs(Section)["size"] == "In metres."
    assert "bare" not in field_docs(Section)
    assert meanings(Section)["colour"] == "`red`: Like blood."


def test_a_type_without_source_says_nothing() -> None:
    made = msgspec.defstruct("Made", [("x", int, 0)], bases=(Section,))
    assert field_docs(made) == field_docs(Section)
    assert field_docs(int) == {}
    assert one_line("a\n  ``b``") == "a `b`"


@pytest.mark.parametrize(
    ("tp", "words"),
    [
        (bool, "true or false"),
        (int | None, "whole number"),
        (Literal["a", 2], '`"a"`, `2`'),
        (Colour, '`"red"`, `"blue"`'),
        (dict[str, list[float]], "table of text to list of number"),
        (tuple[str, ...], "list of text"),
        (tuple[str, int], "[text, whole number]"),
        (Annotated[int, msgspec.Meta(ge=2, le=5)], "whole number, 2 to 5"),
        (Annotated[float, msgspec.Meta(ge=0)] | None, "number, 0 or more"),
        (Annotated[str, msgspec.Meta(description="a | b")], "a \\| b"),
        (Section | None, "a section of its own"),
    ],
)
def test_types_in_words(tp: Any, words: str) -> None:
    assert _type(tp) == words
