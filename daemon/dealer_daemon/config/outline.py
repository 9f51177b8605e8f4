"""Which tables a configuration has, what they play and with which devices, whatever else is wrong with it.

For tools that put right what is wrong with it: a device whose calibration is missing has no configuration yet.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dealer_daemon.config.errors import ConfigError, ConfigErrors


@dataclass(frozen=True, slots=True)
class TableOutline:
    """A table as it is written. ``game`` is ``None`` where none is named; ``drivers`` are those of its devices by name,
    ``None`` where one names none."""

    game: str | None
    drivers: dict[str, str | None] = field(default_factory=dict)


def read_toml(path: Path) -> dict[str, Any]:
    """The values of the configuration file. Raises ``ConfigErrors`` where it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except (ValueError, RecursionError) as error:  # what UTF-8 and TOML decoding raise
        reason = f"is not TOML: {error}"
    raise ConfigErrors([ConfigError(str(path), None, "", reason)])


def state_dir_in(path: Path) -> Path:
    """The state directory that the configuration file names, whatever else is wrong with it. Raises ``ConfigErrors``
    where it names none."""
    station = read_toml(path).get("station")
    name = station.get("state_dir") if isinstance(station, Mapping) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise ConfigErrors(
            [ConfigError(str(path), None, "station.state_dir", "missing: where is the station's state?")]
        )
    return path.absolute().parent / name


def tables_in(path: Path) -> dict[str, TableOutline]:
    """The tables of the configuration file, and what is no table left out. Raises ``ConfigErrors`` as ``read_toml``."""
    tables = read_toml(path).get("tables")
    found = tables.items() if isinstance(tables, Mapping) else ()
    return {name: _outline(values) for name, values in found if isinstance(values, Mapping)}


def _outline(values: Mapping[str, Any]) -> TableOutline:
    devices = values.get("devices")
    named = [one for one in (devices if isinstance(devices, list) else []) if isinstance(one, Mapping)]
    drivers = {name: _text(one.get("driver")) for one in named if (name := _text(one.get("name"))) is not None}
    return TableOutline(_text(values.get("game")), drivers)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
