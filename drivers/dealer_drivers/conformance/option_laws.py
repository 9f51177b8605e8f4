"""Laws about options: what cannot be is refused by name, and each says what it is for."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Literal, get_args, get_origin

import msgspec

from dealer_drivers.conformance.check import Broken
from dealer_drivers.conformance.examples import Examples
from dealer_drivers.driver import Driver, DriverOptions
from dealer_drivers.errors import OptionError

PORT_WORDS = frozenset({"baud", "data_bits", "parity", "stop_bits"})
"""Of every serial port: the reference describes them for all drivers."""
UNKNOWN = "no_such_option"
FAR = 10**12
NESTED: tuple[object, ...] = ([{"no": ["option"]}], {"no": [["option"]]})


def unknown_are_refused(driver: Driver, examples: Examples) -> None:
    """A key that no option has is refused, and named."""
    if not issubclass(driver.options, DriverOptions):
        raise Broken(f"options must be a DriverOptions, and is {driver.options!r}")
    _refused(driver, {**_base(examples), UNKNOWN: 1}, UNKNOWN)


def needed_are_asked_for(driver: Driver, examples: Examples) -> None:
    """An option without a default that is left out is named."""
    for field in msgspec.structs.fields(driver.options):
        if field.required:
            _refused(
                driver,
                {key: value for key, value in _base(examples).items() if key != field.encode_name},
                field.encode_name,
            )


def wrong_types_are_refused(driver: Driver, examples: Examples) -> None:
    """Values of another type are refused, and a text is never taken for a number."""
    for field in msgspec.structs.fields(driver.options):
        for value in (*NESTED, *_strangers(field.type)):
            _refused(driver, {**_base(examples), field.encode_name: value}, field.encode_name)


def _base(examples: Examples) -> Mapping[str, object]:
    return examples.plays[0].options


def _strangers(kind: Any) -> tuple[object, ...]:
    plain = _plain(kind)
    if plain is int:
        return "7", 7.5, True
    if plain is float:
        return "7.5", True
    if plain is bool:
        return 1, "true"
    if plain is str or (isinstance(plain, type) and issubclass(plain, Enum)):
        return 7, True
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return ("7",) if choices and all(isinstance(choice, int) for choice in choices) else (7,)


def _plain(kind: Any) -> Any:
    """The type itself where it is one, also behind ``| None``; else ``None``."""
    chosen = [one for one in getattr(kind, "__args__", ()) if one is not type(None)]
    if getattr(kind, "__origin__", None) is not None:
        return kind
    return kind if isinstance(kind, type) else chosen[0] if len(chosen) == 1 else None


def numbers_have_bounds(driver: Driver, examples: Examples) -> None:
    """A number that no device can have is refused: ``nan`` and ``inf``, which TOML knows, and far too small or large
    ones."""
    for field in msgspec.structs.fields(driver.options):
        plain = _plain(field.type)
        if plain is float:
            for value in (math.nan, math.inf, -math.inf):
                _refused(driver, {**_base(examples), field.encode_name: value}, field.encode_name)
        if plain in (int, float) and field.encode_name not in examples.unbounded:
            for value in (plain(-FAR), plain(FAR)):
                _refused(driver, {**_base(examples), field.encode_name: value}, field.encode_name)


def stated_are_refused(driver: Driver, examples: Examples) -> None:
    """What the examples say must be refused is refused."""
    for key, values in examples.refused.items():
        for value in values:
            _refused(driver, {**_base(examples), key: value}, key)


def _refused(driver: Driver, values: Mapping[str, object], key: str) -> None:
    try:
        driver.parse_options(values)
    except OptionError as error:
        if key not in str(error):
            raise Broken(f"{key} = {values.get(key, 'left out')!r} is refused, and not named: {error}") from error
    except Exception as error:
        raise Broken(
            f"{key} = {values.get(key, 'left out')!r} raises {type(error).__name__}: {error}; it must be an OptionError"
        ) from error
    else:
        raise Broken(f"{key} = {values.get(key, 'left out')!r} is taken; it must be refused with an OptionError")


def options_are_described(driver: Driver) -> None:
    """Each option has a text below it, which becomes its line in the reference."""
    described = set(PORT_WORDS)
    for owner in driver.options.__mro__:
        if owner is not DriverOptions and issubclass(owner, DriverOptions):
            described |= set(_described(owner))
    left = [
        field.name
        for field in msgspec.structs.fields(driver.options)
        if field.name not in described and not _own_words(field.type)
    ]
    if left:
        raise Broken(f"options without a docstring below them: {', '.join(left)}")


def _described(owner: type) -> Iterator[str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for node, after in zip(tree.body, tree.body[1:], strict=False):
        text = after.value if isinstance(after, ast.Expr) else None
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(text, ast.Constant):
            yield node.target.id


def _own_words(kind: Any) -> bool:
    """Whether the type is an enumeration whose members say what they are."""
    plain = _plain(kind)
    return isinstance(plain, type) and issubclass(plain, Enum) and '"""' in inspect.getsource(plain)
