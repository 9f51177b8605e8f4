"""One device of a table, as the configuration says."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dealer_calibration.cli.exit_codes import WRONG
from dealer_daemon.config import (
    Config,
    ConfigError,
    ConfigErrors,
    MqttConfig,
    StationConfig,
    TableConfig,
    calibrations_of,
    load_config,
)
from dealer_daemon.config.types import DeviceKeys
from dealer_daemon.config.walk import Problem, read_struct
from dealer_daemon.games import Game, UnknownGame, load_game
from dealer_drivers.calibration import Calibration, CalibrationStore
from dealer_drivers.driver import Driver, DriverOptions, UnknownDriver, load_driver


class BenchError(Exception):
    """A guided command cannot go on. The text says why and what to do next; ``code`` is the command's exit code."""

    def __init__(self, text: str, code: int = WRONG) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchDevice:
    """A device of a table.

    ``settings`` (of the game) and ``config`` are ``None`` only where ``device_of`` was asked for a device that may be
    without calibration, and one is missing; ``options`` where it is the driver's own. ``uncalibrated`` then says so, in
    sentences. ``written`` are the driver's options as they stand in the file. ``calibration`` is what the station would
    take up.
    """

    config_path: Path
    site: str
    table: str
    game: str
    settings: Any
    name: str
    driver: Driver
    port: str
    options: DriverOptions | None
    written: Mapping[str, Any]
    store: CalibrationStore
    calibration: Calibration | None
    state_dir: Path
    config: Config | None
    uncalibrated: tuple[str, ...] = ()

    @property
    def table_config(self) -> TableConfig:
        """The whole table. Raises ``BenchError`` where its calibration is missing."""
        if self.config is None:
            raise self._missing()
        return self.config.tables[self.table]

    def ready_options(self) -> DriverOptions:
        """The driver's options. Raises ``BenchError`` where the calibration that they need is missing."""
        if self.options is None:
            raise self._missing()
        return self.options

    def _missing(self) -> BenchError:
        return BenchError(
            "\n".join([f"device {self.name} of table {self.table} is not calibrated:", *self.uncalibrated])
        )


def device_of(config: Path, table: str, device: str, *, calibrated: bool = True) -> BenchDevice:
    """What the configuration file says of the device. With ``calibrated=False`` a calibration that is missing or cannot
    be used is no mistake: the command is about to make one. That of another table never is.

    Raises ``ConfigErrors`` with all that is wrong with the file, and ``BenchError`` for a table or device that is not
    in it.
    """
    try:
        loaded = _loaded(config, table)
    except ConfigErrors as errors:
        if calibrated:
            raise
        return _uncalibrated(config, table, device, errors)
    if table not in loaded.tables:
        raise _no_table(config, table, _written_tables(config))
    found = loaded.tables[table]
    for one in found.devices:
        if one.name == device:
            return BenchDevice(
                config_path=config,
                site=loaded.station.site,
                table=table,
                game=found.game,
                settings=found.settings,
                name=device,
                driver=one.driver,
                port=one.port,
                options=one.options,
                written=_written(config, table, device)[1],
                store=CalibrationStore(loaded.calibrations),
                calibration=None if one.calibration is None else one.calibration.stored,
                state_dir=Path(loaded.station.state_dir),
                config=loaded,
            )
    raise _no_device(config, table, device, [one.name for one in found.devices])


def first_device_of(config: Path, table: str) -> BenchDevice:
    """The first device of a table, for what is done to all of them. Raises as ``device_of``."""
    loaded = _loaded(config, table)
    if table not in loaded.tables:
        raise _no_table(config, table, _written_tables(config))
    return device_of(config, table, loaded.tables[table].devices[0].name)


def _loaded(config: Path, table: str) -> Config:
    """The configuration, without the tables that wait for their calibration: a house is commissioned table by table.
    Raises ``ConfigErrors`` where anything else is wrong, or at ``table`` itself."""
    read: list[tuple[StationConfig | None, MqttConfig | None, Mapping[str, TableConfig]]] = []

    def take(
        station: StationConfig | None, mqtt: MqttConfig | None, tables: Mapping[str, TableConfig], *_others: object
    ) -> list[Problem]:
        read.append((station, mqtt, tables))
        return []

    try:
        return load_config(config, take)
    except ConfigErrors as errors:
        if not read:
            raise
        station, mqtt, tables = read[0]
        wrong = {error.key for error in errors.errors}
        ours = f"tables.{table}"
        if station is None or mqtt is None or any(key == ours or key.startswith(f"{ours}.") for key in wrong):
            raise
        written = _written_tables(config)
        if not wrong <= _calibration_keys(written):
            raise
        return Config(station=station, mqtt=mqtt, tables=dict(tables))


def _uncalibrated(config: Path, table: str, device: str, errors: ConfigErrors) -> BenchDevice:
    """The device of a file in which nothing but calibrations is wrong. Raises ``errors`` where there is more."""
    try:
        values = tomllib.loads(config.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        raise errors from None  # the file as a whole: said already
    tables = values.get("tables")
    allowed = _calibration_keys(tables) if isinstance(tables, dict) else set()
    if any(error.key not in allowed for error in errors.errors):
        raise errors
    keys, written = _written(config, table, device)
    try:
        driver = load_driver(keys["driver"])
    except UnknownDriver:
        raise errors from None
    options = _options(config, driver, written, table, device)
    return BenchDevice(
        config_path=config,
        site=values["station"]["site"],
        table=table,
        game=values["tables"][table]["game"],
        settings=None,
        name=device,
        driver=driver,
        port=keys["port"],
        options=options,
        written=written,
        store=calibrations_of(config),
        calibration=None,
        state_dir=config.absolute().parent / values["station"]["state_dir"],
        config=None,
        uncalibrated=tuple(map(str, errors.errors)),
    )


def _options(config: Path, driver: Driver, written: Mapping[str, Any], table: str, device: str) -> DriverOptions | None:
    """The device's options, which the loader does not read where a calibration is missing; ``None`` where it is one of
    these that is missing. Raises ``ConfigErrors``."""
    problems: list[Problem] = []
    slot = "" if driver.calibration is None else driver.calibration.key
    options = read_struct(written, driver.options, (), problems)
    if options is not None and not slot:
        problems += [Problem(tuple(error.key.split(".")), error.reason) for error in options.problems()]
    wrong = [
        ConfigError(str(config), None, f"{table}.{device}.{'.'.join(map(str, problem.path))}", problem.reason)
        for problem in problems
        if ".".join(map(str, problem.path)) != slot
    ]
    if wrong:
        raise ConfigErrors(wrong)
    return None if slot else options


def _calibration_keys(tables: Mapping[str, Any]) -> set[str]:
    """Every key, dotted, at which a calibration may be missing."""
    keys = set()
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            continue
        game = _game(table.get("game"))
        if game is not None and game.calibration is not None:
            parts = game.calibration.key.split(".")
            keys |= {".".join(["tables", name, *parts[: end + 1]]) for end in range(len(parts))}
        devices = table.get("devices")
        for index, device in enumerate(devices if isinstance(devices, list) else []):
            place = f"tables.{name}.devices[{index}]"
            keys.add(f"{place}.calibration")
            try:
                slot = load_driver(str(device.get("driver"))).calibration if isinstance(device, Mapping) else None
            except UnknownDriver:
                continue
            if slot is not None and slot.key:
                keys.add(f"{place}.{slot.key}")
    return keys


def _game(name: object) -> Game | None:
    try:
        return load_game(str(name))
    except UnknownGame:
        return None


def _written(config: Path, table: str, device: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The device's keys as they stand in a file that was read before: those of every device, and its driver's."""
    tables = _written_tables(config)
    if table not in tables:
        raise _no_table(config, table, tables)
    devices = tables[table]["devices"]
    for one in devices:
        if one["name"] == device:
            common = set(DeviceKeys.__struct_fields__)
            shared = {key: value for key, value in one.items() if key in common}
            return shared, {key: value for key, value in one.items() if key not in common}
    raise _no_device(config, table, device, [one["name"] for one in devices])


def _written_tables(config: Path) -> dict[str, Any]:
    """All tables of a file that was read before, as they stand there, those that wait for a calibration among them."""
    tables: dict[str, Any] = tomllib.loads(config.read_bytes().decode("utf-8-sig"))["tables"]
    return tables


def _no_table(config: Path, table: str, known: Mapping[str, Any]) -> BenchError:
    return BenchError(f"{config}: no table {table!r}; there are: {', '.join(known)}")


def _no_device(config: Path, table: str, device: str, known: list[str]) -> BenchError:
    return BenchError(f"{config}: table {table} has no device {device!r}; it has: {', '.join(known)}")
