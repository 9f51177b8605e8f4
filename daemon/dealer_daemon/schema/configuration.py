"""The schema of the configuration file, with the options of every installed driver and the settings of every game."""

from __future__ import annotations

from typing import Any

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
from dealer_daemon.schema.components import DIALECT, JsonObject, summary, type_schemas
from dealer_drivers.driver import driver_names, load_driver


def config_schema() -> JsonObject:
    """For the TOML file as an object. What goes together is checked by ``check-config`` alone."""
    drivers = {name: load_driver(name) for name in driver_names()}
    games = {name: load_game(name) for name in game_names()}
    definitions = type_schemas([StationConfig, MqttConfig, ScreenConfig, MonitoringConfig, PortKeys])
    for name, driver in drivers.items():
        _add(definitions, f"driver.{name}", driver.options, driver.summary)
        if driver.calibration is not None and driver.calibration.key:
            _needless(definitions[f"driver.{name}"], driver.calibration.key)
    for name, game in games.items():
        _add(definitions, f"game.{name}", game.settings, summary(game.settings))
        if game.calibration is not None:
            _needless_inside(definitions, f"game.{name}", game.calibration.key)
    _add(definitions, "table", TableKeys, summary(TableKeys))
    _add(definitions, "device", DeviceKeys, summary(DeviceKeys))
    definitions["table"]["properties"]["game"] = {"enum": list(games)}
    definitions["device"]["properties"]["driver"] = {"enum": list(drivers)}
    definitions["table"]["properties"]["devices"] = {
        "type": "array",
        "minItems": 1,
        "items": {
            "allOf": [{"$ref": "#/$defs/device"}, *_chosen("driver", drivers)],
            "unevaluatedProperties": False,
        },
    }
    return {
        "$schema": DIALECT,
        "$id": "urn:dealer-station:v1:config",
        "title": "Configuration of a dealer station",
        "type": "object",
        "required": ["station", "tables"],
        "properties": {
            "station": {"$ref": "#/$defs/StationConfig"},
            "mqtt": {"$ref": "#/$defs/MqttConfig"},
            "screen": {"$ref": "#/$defs/ScreenConfig"},
            "monitoring": {"$ref": "#/$defs/MonitoringConfig"},
            "ports": {
                "type": "object",
                "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
                "additionalProperties": {"$ref": "#/$defs/PortKeys"},
            },
            "tables": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
                "additionalProperties": {
                    "allOf": [{"$ref": "#/$defs/table"}, *_chosen("game", games)],
                    "unevaluatedProperties": False,
                },
            },
        },
        "additionalProperties": False,
        "$defs": definitions,
    }


def _add(definitions: JsonObject, name: str, cls: type, description: str) -> None:
    """Adds a section that shares its object with others: what else may stand there is said where they meet."""
    schemas = type_schemas([cls])
    own = schemas.pop(cls.__name__)
    own.pop("additionalProperties", None)
    own.pop("title", None)
    for other, schema in schemas.items():
        if definitions.setdefault(other, schema) != schema:
            raise ValueError(f"two types of the configuration are named {other}: rename one")
    definitions[name] = {**own, "description": description}


def _needless(schema: JsonObject, key: str) -> None:
    """The key may be left out: ``calibration`` of a device may stand for it."""
    schema["required"] = [name for name in schema.get("required", []) if name != key]
    if not schema["required"]:
        del schema["required"]


def _needless_inside(definitions: JsonObject, name: str, key: str) -> None:
    """The same for a dotted key, section by section; a section that need hold nothing need not stand there."""
    first, _, rest = key.partition(".")
    schema = definitions[name]
    if rest:
        inner = str(schema["properties"][first].get("$ref", "")).removeprefix("#/$defs/")
        if inner:
            _needless_inside(definitions, inner, rest)
        if inner and definitions[inner].get("required"):
            return
    _needless(schema, first)


def _chosen(key: str, names: dict[str, Any]) -> list[JsonObject]:
    return [
        {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": {"$ref": f"#/$defs/{key}.{name}"}}
        for name in names
    ]
