"""``[tables.X]``: one table's keys, its devices against their drivers, and its settings against its game."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from dealer_daemon.config.calibration import Fitted
from dealer_daemon.config.lines import KeyPath
from dealer_daemon.config.places import place
from dealer_daemon.config.roles import check_devices
from dealer_daemon.config.types import DeviceConfig, DeviceKeys, TableConfig, TableKeys
from dealer_daemon.config.walk import Problem, read_struct
from dealer_daemon.games import AttemptGame, CardGame, Game, UnknownGame, UnreadableFile, load_game
from dealer_drivers.calibration import CalibrationStore
from dealer_drivers.driver import Driver, UnknownDriver, load_driver
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.factory import device_transport, port_kind

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TABLE_KEYS = tuple(TableKeys.__struct_fields__)
_DEVICE_KEYS = tuple(DeviceKeys.__struct_fields__)


def read_tables(
    values: object, problems: list[Problem], store: CalibrationStore | None = None
) -> dict[str, TableConfig]:
    """Every table that could be read; what is wrong with the others, and between them, goes to ``problems``.
    ``store`` is where calibrations are, ``None`` where that could not be read."""
    if not isinstance(values, Mapping) or not values:
        problems.append(Problem(("tables",), "missing: at least one [tables.NAME] is needed"))
        return {}
    tables = {}
    ports: dict[str, str] = {}
    for name, table_values in values.items():
        path = ("tables", name)
        if not _NAME.fullmatch(name):
            problems.append(Problem(path, "a table's name is 1 to 64 letters, digits, _ or -"))
        if not isinstance(table_values, Mapping):
            problems.append(Problem(path, f"a table is a section of its own: [tables.{name}]"))
            continue
        _check_ports(table_values.get("devices"), path, ports, problems)
        table = _read_table(name, table_values, path, problems, store)
        if table is not None:
            tables[name] = table
    return tables


def _read_table(
    name: str, values: Mapping[str, Any], path: KeyPath, problems: list[Problem], store: CalibrationStore | None
) -> TableConfig | None:
    before = len(problems)
    base = {key: value for key, value in values.items() if key in _TABLE_KEYS}
    keys = read_struct(base, TableKeys, path, problems)
    fitted = Fitted(name, store, path)
    devices = _read_devices(base.get("devices"), (*path, "devices"), problems, fitted)
    game = _find_game(base.get("game"), (*path, "game"), problems)
    if game is None:  # whose keys the others are, nobody knows
        return None
    rest = {key: value for key, value in values.items() if key not in _TABLE_KEYS}
    rest = fitted.into_game(rest, game, problems)
    found: list[Problem] = []
    settings = read_struct(rest, game.settings, path, found, also=_TABLE_KEYS)
    problems += fitted.placed(found, game)
    if keys is None or settings is None or len(problems) > before:
        return None
    devices = fitted.by_path(devices, settings, game)
    problems += fitted.withdrawn(devices, game)
    checked = check_devices(game, settings, [device.for_game() for device in devices], keys.round_source)
    problems += fitted.placed([Problem((*path, *key.split(".")), reason) for key, reason in checked], game)
    needs = game.needs_server(settings) if isinstance(game, AttemptGame | CardGame) else None
    if needs is not None and keys.round_source == "device":
        problems.append(Problem((*path, *needs[0].split(".")), needs[1]))
    if keys.shadow and keys.round_source == "server":
        reason = 'no server commands a shadow: its devices open and close the rounds; write round_source = "device"'
        problems.append(Problem((*path, "shadow"), reason))
    if len(problems) > before:
        return None
    try:
        loaded = game.load(settings)
    except UnreadableFile as error:  # gone since it was checked
        problems.append(Problem((*path, *error.key.split(".")), str(error)))
        return None
    return TableConfig(
        name=name,
        game=keys.game,
        round_source=keys.round_source,
        tries_before_pause=keys.tries_before_pause,
        witness_wait_s=keys.witness_wait_s,
        shadow=keys.shadow,
        devices=tuple(devices),
        settings=loaded,
        written=settings,
        config_hash=_hash(_resolved(name, keys, devices, settings)),
        fixed_hash=_hash(_resolved(name, keys, devices, settings) | {"tries_before_pause": None}),
        screen_language=keys.screen_language,
    )


def _find_game(name: object, path: KeyPath, problems: list[Problem]) -> Game | None:
    if not isinstance(name, str) or not name:
        return None  # said with the other keys
    try:
        return load_game(name)
    except UnknownGame as error:
        problems.append(Problem(path, str(error)))
        return None


def _read_devices(values: object, path: KeyPath, problems: list[Problem], fitted: Fitted) -> list[DeviceConfig]:
    devices: list[DeviceConfig] = []
    names: set[str] = set()
    for index, device_values in enumerate(values if isinstance(values, list) else []):
        if not isinstance(device_values, Mapping):
            continue  # said with the other keys
        place = (*path, index)
        name = device_values.get("name")
        if isinstance(name, str) and name in names:
            problems.append(
                Problem((*place, "name"), f'"{name}" is another device of this table; give it its own name')
            )
        if isinstance(name, str):
            names.add(name)
        device = _read_device(device_values, place, problems, fitted)
        if device is not None:
            devices.append(device)
    return devices


def _read_device(
    values: Mapping[str, Any], path: KeyPath, problems: list[Problem], fitted: Fitted
) -> DeviceConfig | None:
    base = {key: value for key, value in values.items() if key in _DEVICE_KEYS}
    keys = read_struct(base, DeviceKeys, path, problems)
    driver = _find_driver(base.get("driver"), (*path, "driver"), problems)
    if driver is None:
        return None
    rest = {key: value for key, value in values.items() if key not in _DEVICE_KEYS}
    known = len(problems)
    rest, calibration = fitted.into_device(keys, rest, driver, path, problems)
    if len(problems) > known:
        return None
    options = read_struct(rest, driver.options, path, problems, also=_DEVICE_KEYS)
    if options is None:
        return None
    impossible = options.problems()
    if keys is not None and not impossible:
        try:
            kind = port_kind(keys.port)
            if kind not in driver.transports:
                ports = ", ".join(sorted(driver.transports))
                hint = f"; write camera:{keys.port}" if kind == "serial" and "camera" in driver.transports else ""
                raise OptionError(
                    "port", f'"{keys.port}" is of the kind {kind}; driver {driver.name} takes: {ports}{hint}'
                )
            device_transport(driver, keys.port, options)  # opens nothing
        except OptionError as error:
            impossible = [error]
    slot = driver.calibration if calibration is not None else None
    for wrong in impossible:
        key = "calibration" if slot is not None and wrong.key == slot.key else wrong.key
        problems.append(Problem((*path, *key.split(".")), wrong.reason))
    if keys is None or impossible:
        return None
    return DeviceConfig(
        name=keys.name, driver=driver, port=keys.port, options=options, role=keys.role, calibration=calibration
    )


def _find_driver(name: object, path: KeyPath, problems: list[Problem]) -> Driver | None:
    if not isinstance(name, str) or not name:
        return None  # said with the other keys
    try:
        return load_driver(name)
    except UnknownDriver as error:
        problems.append(Problem(path, str(error)))
    return None


def _check_ports(values: object, path: KeyPath, ports: dict[str, str], problems: list[Problem]) -> None:
    """No two devices of the station on one port: the second reader would steal the first one's bytes."""
    for index, device in enumerate(values if isinstance(values, list) else []):
        port = device.get("port") if isinstance(device, Mapping) else None
        if not isinstance(port, str) or not port:
            continue
        key = place(port)
        here = f"{path[1]}/{device.get('name', index)}"
        if key in ports:
            reason = f'"{port}" is the port of {ports[key]} already; each device has its own'
            problems.append(Problem((*path, "devices", index, "port"), reason))
        else:
            ports[key] = here


def _resolved(name: str, keys: TableKeys, devices: list[DeviceConfig], settings: msgspec.Struct) -> dict[str, Any]:
    """All that decides how the table works, defaults included."""
    return {
        "name": name,
        "game": keys.game,
        "round_source": keys.round_source,
        "tries_before_pause": keys.tries_before_pause,
        "witness_wait_s": keys.witness_wait_s,
        "devices": [
            {
                "name": device.name,
                "driver": device.driver.name,
                "port": device.port,
                "options": device.options,
                "role": device.role,
            }
            | ({} if device.calibration is None else {"calibration": device.calibration.ref.sha256})
            for device in devices
        ],
        "settings": settings,
    } | ({"shadow": True} if keys.shadow else {})


def _hash(resolved: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON."""
    return "sha256:" + hashlib.sha256(msgspec.json.encode(resolved, order="sorted")).hexdigest()
