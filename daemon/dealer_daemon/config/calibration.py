"""Calibrations where they are used: from ``calibration = "current"`` to the option or setting that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from dealer_daemon.config.lines import KeyPath
from dealer_daemon.config.types import CalibrationInUse, DeviceConfig, DeviceKeys
from dealer_daemon.config.walk import Problem
from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.games import Game
from dealer_drivers.calibration import Calibration, CalibrationError, CalibrationSlot, CalibrationStore
from dealer_drivers.calibration.drift import expectations
from dealer_drivers.calibration.form import ENVELOPE, sha256_of
from dealer_drivers.driver import Driver, DriverOptions

_ANEW = "calibrate it anew, and use what is made then"
_TAKE_IN = 'dealer-calibrate files import, and calibration = "current" instead of the path'


class Fitted:
    """The calibrations of one table's devices, put where the configuration would else have a path or values."""

    def __init__(self, table: str, store: CalibrationStore | None, path: KeyPath) -> None:
        self._table = table
        self._store = store
        self._path = path
        self._for_game: list[tuple[KeyPath, Calibration]] = []
        self._filled: KeyPath | None = None
        """The device's key that filled the game's setting: what is wrong with that is said there."""
        self._failed = False
        """A calibration could not be used: that the game then misses its setting need not be said, too."""

    def into_device(
        self,
        keys: DeviceKeys | None,
        options: dict[str, Any],
        driver: Driver,
        path: KeyPath,
        problems: list[Problem],
    ) -> tuple[dict[str, Any], CalibrationInUse | None]:
        """The device's options with its calibration in them, and what is in use. A calibration that is no option of the
        driver's is left for the game."""
        if keys is None or keys.calibration is None or self._store is None:
            return options, None
        place = (*path, "calibration")
        try:
            found = self._store.load(self._table, keys.name, keys.calibration)
            if found.envelope.driver != driver.name:
                reason = f"driver: it was made with {found.envelope.driver}, and the device has {driver.name}"
                raise CalibrationError(found.folder / ENVELOPE, [reason])
            if self._store.is_withdrawn(self._table, keys.name, found.id):
                reason = f"it was withdrawn, for the device was changed since: {_ANEW}"
                reason += f"; if it was not changed: dealer-calibrate files rollback --to {found.id}"
                raise CalibrationError(found.folder, [reason])
            expected = expectations(found.envelope.values)
            slot = driver.calibration
            if slot is None or not slot.takes(found.envelope.kind):
                self._for_game.append((place, found))
            elif slot.key:
                options = _filled(options, slot, found, slot.key.split("."))
        except CalibrationError as error:
            self._failed = True
            problems += [Problem(place, f"{error.path}: {problem}") for problem in error.problems]
            return options, None
        except ValueError as error:  # of what it expects, or of a key that stands twice
            self._failed = True
            problems.append(Problem(place, str(error)))
            return options, None
        return options, CalibrationInUse(
            ref=CalibrationRef(id=found.id, sha256=found.sha256), stored=found, expected=expected
        )

    def into_game(self, settings: dict[str, Any], game: Game, problems: list[Problem]) -> dict[str, Any]:
        """The game's settings with the calibration of one of its devices in them."""
        slot = game.calibration
        for place, found in self._for_game:
            file = found.folder / ENVELOPE
            if slot is None or not slot.takes(found.envelope.kind):
                reason = f'kind: nothing here takes "{found.envelope.kind}"; calibrate this device anew'
                problems.append(Problem(place, f"{file}: {reason}"))
                continue
            try:
                settings = _filled(settings, slot, found, slot.key.split("."))
                self._filled = place
            except CalibrationError as error:
                problems += [Problem(place, f"{error.path}: {problem}") for problem in error.problems]
            except ValueError as error:
                problems.append(Problem(place, str(error)))
        return settings

    def placed(self, found: list[Problem], game: Game) -> list[Problem]:
        """The problems, those of a setting that a calibration filled at the calibration's key."""
        if game.calibration is None:
            return found
        at = (*self._path, *game.calibration.key.split("."))
        if self._filled is None:
            return [one for one in found if not self._failed or one.path[: len(at)] != at]
        return [
            Problem(self._filled, ".".join([game.calibration.key, *map(str, one.path[len(at) :])]) + f": {one.reason}")
            if one.path[: len(at)] == at
            else one
            for one in found
        ]

    def by_path(self, devices: list[DeviceConfig], settings: msgspec.Struct, game: Game) -> list[DeviceConfig]:
        """The devices, those that are calibrated by a path or by values in the configuration with its hash."""
        return [device if device.calibration is not None else _named(device, settings, game) for device in devices]

    def withdrawn(self, devices: list[DeviceConfig], game: Game) -> list[Problem]:
        """What is used by path, and was measured before its device was changed."""
        found = []
        for index, device in enumerate(devices):
            used = device.calibration
            if used is None or used.ref.id is not None or self._store is None:
                continue
            own, shared = device.driver.calibration, game.calibration
            slot = own if own is not None else shared
            assert slot is not None  # or nothing of it would be in use
            before = ("devices", index) if own is not None else ()
            place = (*self._path, *before, *slot.key.split("."))
            try:
                if used.ref.sha256 in self._store.withdrawal(self._table, device.name).files:
                    reason = f"it was measured before {device.name} was changed: {_ANEW}"
                    found.append(Problem(place, f"{reason}; if it was not changed, take it in: {_TAKE_IN}"))
            except CalibrationError as error:
                found += [Problem(place, f"{error.path}: {problem}") for problem in error.problems]
        return found


def _filled(values: Mapping[str, Any], slot: CalibrationSlot, found: Calibration, key: list[str]) -> dict[str, Any]:
    """``values`` with the calibration at the key. Raises ``ValueError`` where something stands there already."""
    section = slot.section_of(found.envelope.kind)
    if section is not None and section not in found.envelope.values:
        return dict(values)
    first, *rest = key
    inner = values.get(first)
    if rest:
        if inner is not None and not isinstance(inner, Mapping):
            return dict(values)  # no section: said with the other keys
        return {**values, first: _filled(inner or {}, slot, found, rest)}
    if inner is not None:
        raise ValueError(f"{slot.key} is given beside it; keep one of both")
    whole = found.envelope.values
    figures: Any = whole[section] if section else {name: value for name, value in whole.items() if name != "expect"}
    return {**values, first: figures if slot.file is None else str(found.file(slot.file))}


def _named(device: DeviceConfig, settings: msgspec.Struct, game: Game) -> DeviceConfig:
    own, shared = device.driver.calibration, game.calibration
    if own is not None:
        value = _at(device.options, own.key) if own.key else None
    elif shared is not None and game.calibrates in device.driver.observes(device.options) and device.role == "main":
        value = _at(settings, shared.key)
    else:
        return device
    if value is None:
        return device
    if isinstance(value, str):
        try:
            data = Path(value).read_bytes()
        except OSError:
            return device  # said by whoever needs the file
    else:
        data = msgspec.json.encode(value, order="sorted")
    return replace(device, calibration=CalibrationInUse(ref=CalibrationRef(id=None, sha256=sha256_of(data))))


def _at(values: DriverOptions | msgspec.Struct, key: str) -> Any:
    found: Any = values
    for name in key.split("."):
        found = getattr(found, name)
    return found
