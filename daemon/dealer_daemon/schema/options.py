"""``docs/reference/configuration-options.md``: every key of the configuration, from the types."""

from __future__ import annotations

import typing
from collections.abc import Iterable
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union

import msgspec

from dealer_daemon.config.types import (
    DeviceKeys,
    MonitoringConfig,
    MqttConfig,
    PortKeys,
    ScreenConfig,
    StationConfig,
    TableKeys,
)
from dealer_daemon.games import game_names, load_game
from dealer_daemon.games.game import CardGame
from dealer_daemon.schema.docstrings import field_docs, one_line, sentence
from dealer_daemon.schema.option_notes import NOTES
from dealer_drivers.driver import Driver, driver_names, load_driver

HEAD = """# Every key of the configuration

<!-- Written by `make schema` from the types: change their docstrings, or dealer_daemon/schema/option_notes.py. -->

All keys with type, default and meaning. What goes together, and examples, are in [configuration.md](configuration.md).
A key is needed where its default says so; `none` means that leaving it out is a choice of its own."""

_WORDS: dict[Any, str] = {bool: "true or false", int: "whole number", float: "number", str: "text"}


def options_page() -> str:
    """The page."""
    games = {name: load_game(name) for name in game_names()}
    cards = {name: game for name, game in games.items() if isinstance(game, CardGame)}
    others = {name: game for name, game in games.items() if name not in cards}
    parts = [HEAD]
    parts += _section("## `[station]`", StationConfig)
    parts += _section("## `[mqtt]`", MqttConfig)
    parts += _section("## `[screen]`", ScreenConfig)
    parts += _section("## `[monitoring]`", MonitoringConfig)
    parts += _section("## `[tables.NAME]`", TableKeys)
    parts += _section("## `[[tables.NAME.devices]]`", DeviceKeys)
    parts += _section("## `[ports.NAME]`", PortKeys)
    for name, game in others.items():
        parts += _game(name, game.settings)
    if cards:
        shoe = _field_type(next(iter(cards.values())).settings, "shoe")
        parts += _section("## `[tables.NAME.shoe]`, all card games", shoe)
    for name, game in cards.items():
        parts += _section(f"## `[tables.NAME]` with `game = {_quoted(name)}`, beside `shoe`", game.settings, {"shoe"})
    for name in driver_names():
        parts += _driver(load_driver(name))
    return "\n".join(parts) + "\n"


def meanings(cls: type[msgspec.Struct]) -> dict[str, str]:
    """What each field means, by its name: the note, else the type's own words, and what the choices of an enumeration
    are. Missing where nothing says it."""
    found = field_docs(cls)
    for owner in reversed(cls.__mro__):
        found |= NOTES.get(owner.__name__, {})
    for field in msgspec.structs.fields(cls):
        choices = field_docs(field.type) if _is_enum(field.type) else {}
        said = [f"`{field.type[name]}`: {text}" for name, text in choices.items()]
        if said:
            found[field.name] = " ".join([*found.get(field.name, "").split(), *said])
    return found


def _game(name: str, settings: type[msgspec.Struct]) -> list[str]:
    parts = []
    for field in msgspec.structs.fields(settings):
        where = f"tables.NAME.{field.encode_name}"
        parts += _section(f"## `[{where}]` with `game = {_quoted(name)}`", field.type)
        for inner in msgspec.structs.fields(field.type):
            nested = _plain(inner.type)
            if _is_struct(nested):
                parts += _section(f"### `[{where}.{inner.encode_name}]`", nested)
    return parts


def _driver(driver: Driver) -> list[str]:
    ports = ", ".join(f"`{port}`" for port in sorted(driver.transports))
    facts = f"{sentence(driver.summary)}. Maturity: {driver.maturity}. {sentence(driver.provenance)}. Ports: {ports}."
    return _section(f"## `driver = {_quoted(driver.name)}`", driver.options, before=facts)


def _section(title: str, cls: type[msgspec.Struct], without: Iterable[str] = (), *, before: str = "") -> list[str]:
    fields = [field for field in msgspec.structs.fields(cls) if field.encode_name not in without]
    meaning = meanings(cls)
    rows = [
        f"| `{field.encode_name}` | {_type(field.type)} | {_default(field)} | {meaning.get(field.name, '')} |"
        for field in fields
    ]
    intro = ["", before] if before else []
    return ["", title, *intro, "", "| key | type | default | meaning |", "|---|---|---|---|", *rows]


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "needed"
    if field.default_factory is not msgspec.NODEFAULT:
        return f"`{_toml(field.default_factory())}`"
    return "none" if field.default is None else f"`{_toml(field.default)}`"


def _toml(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _quoted(text: str) -> str:
    return f'"{text}"'


def _type(tp: Any) -> str:
    """The type in words, with its limits."""
    if typing.get_origin(tp) is Annotated:
        plain, *metas = typing.get_args(tp)
        meta = next((meta for meta in metas if isinstance(meta, msgspec.Meta)), msgspec.Meta())
        return one_line(meta.description) if meta.description else f"{_type(plain)}{_limits(meta)}"
    plain = _plain(tp)
    if plain is not tp:
        return _type(plain)
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if origin is Literal:
        return ", ".join(f"`{_toml(choice)}`" for choice in arguments)
    if _is_enum(tp):
        return ", ".join(f"`{_toml(choice.value)}`" for choice in tp)
    if _is_struct(tp):
        return "a section of its own"
    if origin is dict:
        return f"table of {_type(arguments[0])} to {_type(arguments[1])}"
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return f"[{', '.join(map(_type, arguments))}]"
    if origin in (list, tuple):
        return f"list of {_type(arguments[0])}"
    return _WORDS[tp]


def _limits(meta: msgspec.Meta) -> str:
    if meta.ge is not None and meta.le is not None:
        return f", {meta.ge:g} to {meta.le:g}"
    return f", {meta.ge:g} or more" if meta.ge is not None else ""


def _plain(tp: Any) -> Any:
    """The type without ``None``."""
    if typing.get_origin(tp) in (Union, UnionType):
        members = [member for member in typing.get_args(tp) if member is not NoneType]
        return members[0] if len(members) == 1 else tp
    return tp


def _field_type(cls: type[msgspec.Struct], name: str) -> type[msgspec.Struct]:
    found: type[msgspec.Struct] = next(field.type for field in msgspec.structs.fields(cls) if field.name == name)
    return found


def _is_struct(tp: Any) -> bool:
    return isinstance(tp, type) and issubclass(tp, msgspec.Struct)


def _is_enum(tp: Any) -> bool:
    return isinstance(tp, type) and issubclass(tp, Enum)
