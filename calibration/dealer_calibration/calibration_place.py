"""Whether a calibration is for a device that the station has, by its configuration."""

from __future__ import annotations

from pathlib import Path

from dealer_daemon.config import tables_in
from dealer_daemon.games import UnknownGame, load_game
from dealer_drivers.driver import UnknownDriver, load_driver


class WrongPlace(ValueError):  # noqa: N818
    """The configuration has no such table or device, or another driver for it. The text says what there is."""


def see_device(config: Path, table: str, device: str) -> str | None:
    """The driver of the device in the configuration; ``None`` where it names none.

    Raises ``WrongPlace``, and ``ConfigErrors`` where the file cannot be read.
    """
    tables = tables_in(config)
    if table not in tables:
        raise WrongPlace(f"{config}: there is no table {table!r}; there are: {_named(tables)}")
    drivers = tables[table].drivers
    if device not in drivers:
        raise WrongPlace(f"{config}: table {table} has no device {device!r}; it has: {_named(drivers)}")
    return drivers[device]


def see_place(config: Path, table: str, device: str, driver: str, kind: str) -> None:
    """That the configuration has a place for a calibration of this kind.

    Raises ``WrongPlace``, and ``ConfigErrors`` where the file cannot be read.
    """
    there = see_device(config, table, device)
    if there != driver:
        has = "names no driver" if there is None else f"has the driver {there}"
        raise WrongPlace(f"{config}: device {device} of table {table} {has}, not {driver}: say --driver {there or '…'}")
    name = tables_in(config)[table].game
    try:
        of_driver = load_driver(driver).calibration
        of_game = None if name is None else load_game(name).calibration
    except (UnknownDriver, UnknownGame) as error:
        raise WrongPlace(f"{config}: table {table}: {error}") from error
    kinds = [slot.kind for slot in (of_driver, of_game) if slot is not None]
    if kind not in kinds:
        takes = " or ".join(kinds) or "no calibration"
        raise WrongPlace(
            f"{config}: nothing at table {table} ({name}) takes --kind {kind} of {device}; it takes: {takes}"
        )


def _named(names: object) -> str:
    return ", ".join(names) if isinstance(names, dict) and names else "none"
