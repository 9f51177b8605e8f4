"""From a TOML file to a ``Config``, or to everything that is wrong with it. No device or broker is touched."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from dealer_daemon.config.broker import mqtt_problems
from dealer_daemon.config.errors import ConfigError, ConfigErrors
from dealer_daemon.config.lines import KeyPath, Lines
from dealer_daemon.config.monitoring import monitoring_problems
from dealer_daemon.config.outline import read_toml
from dealer_daemon.config.ports import read_ports
from dealer_daemon.config.screen import screen_problems
from dealer_daemon.config.tables import read_tables
from dealer_daemon.config.types import (
    Config,
    MonitoringConfig,
    MqttConfig,
    ScreenConfig,
    StationConfig,
    TableConfig,
    calibrations_folder,
)
from dealer_daemon.config.walk import Problem, nul_problems, read_struct, secret_problems, unknown_key
from dealer_daemon.redact import redact
from dealer_drivers.calibration import CalibrationStore
from dealer_drivers.secret_files import credential_problem, is_credential

S = TypeVar("S", bound=msgspec.Struct)

AlsoCheck = Callable[
    [StationConfig | None, MqttConfig | None, Mapping[str, TableConfig], ScreenConfig | None], Iterable[Problem]
]
"""Sections that could be read, and what is wrong with what they name."""

MOST_LEVELS = 50
"""Of tables and lists in each other; a table's device has five."""
SECTIONS = ("station", "mqtt", "screen", "monitoring", "tables", "ports")


def load_config(path: Path, also: AlsoCheck | None = None) -> Config:
    """The configuration in the file. Raises ``ConfigErrors`` with all that is wrong with it.

    ``also`` looks at what could be read of the sections and says what else is wrong.
    """
    try:
        if path.exists() and not path.is_file():
            raise _of_file(path, "is no file")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise _of_file(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _of_file(path, "is not UTF-8 text; save it as UTF-8") from error
    return parse_config(text, path, also)


def parse_config(text: str, path: Path, also: AlsoCheck | None = None) -> Config:
    """As ``load_config``, of a text already read; ``path`` names it and is where relative paths start."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise _of_file(path, f"is not TOML: {error}", int(line.group(1)) if line else None) from error
    except RecursionError as error:
        raise _of_file(path, "is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise _of_file(path, f"is not TOML: {error}") from error
    if _is_deep(values):
        raise _of_file(path, "is nested too deeply")
    problems: list[Problem] = []
    config = _read(values, path.absolute().parent, problems, also)
    if config is None or problems:
        lines = Lines(text)
        errors = [ConfigError(str(path), lines.line_of(p.path), _dotted(p.path), redact(p.reason)) for p in problems]
        raise ConfigErrors(sorted(errors, key=lambda error: error.line or 0))
    return config


def _is_deep(values: object) -> bool:
    """Whether it is nested deeper than a configuration is, as dotted keys can be: what reads it goes down by calls."""
    level = [values]
    for _ in range(MOST_LEVELS):
        tables = [value for value in level if isinstance(value, dict)]
        lists = [value for value in level if isinstance(value, list)]
        level = [inside for table in tables for inside in table.values()] + [inside for row in lists for inside in row]
    return bool(level)


def calibrations_of(path: Path) -> CalibrationStore:
    """The store that the configuration file at ``path`` names, whatever else is wrong with it: a calibration that
    cannot be used is put right with this. Raises ``ConfigErrors``."""
    station = read_toml(path).get("station")
    given = {key: station.get(key) for key in ("calibration_dir", "state_dir")} if isinstance(station, dict) else {}
    folder = path.absolute().parent
    for key, below in (("calibration_dir", "."), ("state_dir", "calibration")):
        if isinstance(name := given.get(key), str) and name and "\0" not in name:
            return CalibrationStore(folder / name / below)
    reason = "missing: calibration_dir or state_dir is needed"
    raise ConfigErrors([ConfigError(str(path), None, "station", reason)])


def _read(values: dict[str, Any], folder: Path, problems: list[Problem], also: AlsoCheck | None) -> Config | None:
    problems += nul_problems(values)
    if problems:  # no system takes such a path: nothing that is named here may be opened
        return None
    problems += secret_problems(values)
    problems += [Problem((key,), unknown_key(key, SECTIONS)) for key in values if key not in SECTIONS]
    station = read_struct(values.get("station", {}), StationConfig, ("station",), problems)
    mqtt = read_struct(values.get("mqtt", {}), MqttConfig, ("mqtt",), problems)
    if mqtt is not None:
        problems += [Problem(("mqtt", key), reason) for key, reason in mqtt_problems(mqtt)]
    screen = read_struct(values["screen"], ScreenConfig, ("screen",), problems) if "screen" in values else None
    if screen is not None:
        screen = _absolute(screen, folder, "cert_file", "key_file", "people_file")
        problems += [Problem(("screen", key), reason) for key, reason in screen_problems(screen)]
    monitoring = read_struct(values.get("monitoring", {}), MonitoringConfig, ("monitoring",), problems)
    if monitoring is not None:
        problems += [Problem(("monitoring", key), reason) for key, reason in monitoring_problems(monitoring, screen)]
    problems += _credential_problems(values)
    if station is not None:
        station = _absolute(station, folder, "state_dir", "signing_key_file", "calibration_dir")
    store = None if station is None else CalibrationStore(calibrations_folder(station))
    tables = read_tables(values.get("tables", {}), problems, store)
    named = read_ports(values.get("ports", {}), tables, problems)
    if mqtt is not None:
        mqtt = _absolute(mqtt, folder, "password_file", "ca_file", "cert_file", "key_file")
    if also is not None:
        said = {problem.path for problem in problems}
        problems += [problem for problem in also(station, mqtt, tables, screen) if problem.path not in said]
    if station is None or mqtt is None or monitoring is None:
        return None
    return Config(station=station, mqtt=mqtt, tables=tables, screen=screen, monitoring=monitoring, ports=named)


def _credential_problems(values: dict[str, Any]) -> Iterator[Problem]:
    for section in ("station", "mqtt", "screen"):
        keys = values.get(section)
        for key, value in keys.items() if isinstance(keys, dict) else ():
            if key.endswith("_file") and isinstance(value, str) and is_credential(value):
                reason = credential_problem(value)
                if reason is not None:
                    yield Problem((section, key), reason)


def _absolute(section: S, folder: Path, *keys: str) -> S:
    given = {key: getattr(section, key) for key in keys}
    paths = {key: value for key, value in given.items() if value is not None and not is_credential(value)}
    return msgspec.structs.replace(section, **{key: str(folder / value) for key, value in paths.items()})


def _of_file(path: Path, reason: str, line: int | None = None) -> ConfigErrors:
    return ConfigErrors([ConfigError(str(path), line, "", reason)])


def _dotted(path: KeyPath) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
