"""The state directory, and the files with keys and credentials that a configuration names: whether a station could
start with them.

One rule for ``check-config`` and for the start. Reading a configuration does not need them: ``status`` and other
commands are for people who may not read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from dealer_daemon.config import Config, MqttConfig, ScreenConfig, StationConfig, TableConfig
from dealer_daemon.config.lines import KeyPath
from dealer_daemon.config.loader import AlsoCheck
from dealer_daemon.config.walk import Problem
from dealer_daemon.mqtt.settings import ca_problem, certificate_problems, password_problem
from dealer_daemon.people import PeopleFileError, read_people
from dealer_daemon.signing import KeyFileError, public_keys_in, read_signing_key
from dealer_drivers.secret_files import (
    DIRECTORY,
    CredentialMissing,
    endless,
    is_credential,
    open_to_others,
    secret_file,
)

PUBLIC_KEYS = "public-keys"
"""In the state directory, readable by all who may enter it: ``{id}.pem``."""


class _Named(NamedTuple):
    """A key of the configuration and the file or credential that it names."""

    path: KeyPath
    value: str


def files_check(*, starting: bool) -> AlsoCheck:
    """What ``load_config`` is given to look at the files, too. ``starting``: credentials of systemd must be there; else
    they are looked at only where systemd handed over any."""

    def check(
        station: StationConfig | None,
        mqtt: MqttConfig | None,
        tables: Mapping[str, TableConfig],
        screen: ScreenConfig | None,
    ) -> Iterator[Problem]:
        there = starting or DIRECTORY in os.environ
        if station is not None:
            yield from _station_problems(station, there)
        named = [*_of_mqtt(mqtt), *_of_screen(screen), *_of_devices(tables)]
        usable = []
        for one in named:
            found = list(_file_problems(one, there))
            usable += [] if found else [one]
            yield from found
        for section in ("mqtt", "screen"):
            pair = [one for one in usable if one.path in ((section, "cert_file"), (section, "key_file"))]
            if len(pair) == 2 and (there or not any(is_credential(one.value) for one in pair)):
                files = [secret_file(one.value) for one in pair]
                yield from (Problem((section, key), reason) for key, reason in certificate_problems(*files))

    return check


def remarks(config: Config) -> list[str]:
    """What is worth a word and refuses nothing: secrets that lie open, and what could not be looked at from here."""
    found = [*secrets_open(config), *_state_dir_remarks(Path(config.station.state_dir))]
    if DIRECTORY not in os.environ:
        named = (*_of_mqtt(config.mqtt), *_of_screen(config.screen), *_of_devices(config.tables))
        for one in (*_signing_key(config.station), *named):
            if is_credential(one.value):
                key = ".".join(map(str, one.path))
                found.append(f"{key}: {one.value} was not looked at: systemd hands it over when the station starts")
    return found


def secrets_open(config: Config) -> list[str]:
    """A sentence for each file with a secret that others may read."""
    return [problem for path in _secrets(config) if (problem := open_to_others(path)) is not None]


def _secrets(config: Config) -> Iterator[Path]:
    screen = [] if config.screen is None else [config.screen.key_file]
    for value in (config.mqtt.password_file, config.mqtt.key_file, *screen):
        if value is not None and not is_credential(value):
            yield Path(value)
    for one in _of_devices(config.tables):
        if one.path[-1] == "password_file" and not is_credential(one.value):
            yield Path(one.value)


def _station_problems(station: StationConfig, there: bool) -> Iterator[Problem]:
    for path, value in _signing_key(station):
        if there or not is_credential(value):
            try:
                read_signing_key(secret_file(value), guarded=is_credential(value))
            except (KeyFileError, CredentialMissing) as error:
                yield Problem(path, str(error))
    if (above := _no_folder(Path(station.state_dir))) is not None:
        yield Problem(("station", "state_dir"), f"{above} is no folder: name one, or a place where one can be made")
        return
    try:
        public_keys_in(Path(station.state_dir) / PUBLIC_KEYS)
    except KeyFileError as error:
        yield Problem(("station", "state_dir"), f"{error}: only public keys of this station belong into that folder")


def _no_folder(path: Path) -> Path | None:
    """What stands on the way to the folder, or in its place; ``None`` where it is there or could be made."""
    there = _nearest(path)
    return None if there.is_dir() else there


def _nearest(path: Path) -> Path:
    """The path, or what there is of it."""
    return next((one for one in (path, *path.parents) if os.path.lexists(one)), path)


def _state_dir_remarks(state_dir: Path) -> Iterator[str]:
    """What may keep the station from writing there, as far as it shows without writing: the station may be another
    user's."""
    there = _nearest(state_dir)
    try:
        if os.statvfs(there).f_blocks == 0:
            yield f"station.state_dir: {there} seems to be a file system without room for files, as /proc is"
        elif not os.access(there, os.W_OK | os.X_OK):
            yield f"station.state_dir: you may not write in {there}: see that the station's user may"
    except OSError as error:
        yield f"station.state_dir: {there} was not looked at: {error.strerror}"


def _file_problems(one: _Named, there: bool) -> Iterator[Problem]:
    if is_credential(one.value) and not there:
        return
    try:
        path = secret_file(one.value)
    except CredentialMissing as error:
        yield Problem(one.path, str(error))
        return
    if (reason := endless(path)) is not None:
        yield Problem(one.path, reason)
        return
    looks = {"password_file": password_problem, "ca_file": ca_problem, "people_file": people_problem}
    reason = looks.get(str(one.path[-1]), _unreadable)(path)
    if reason is not None:
        yield Problem(one.path, reason)


def people_problem(path: Path) -> str | None:
    """Why nobody could sign in by this file. One that others may read is refused: its PINs are short."""
    try:
        read_people(path)
    except PeopleFileError as error:
        return str(error)
    return None


def _unreadable(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}"
    return None


def _signing_key(station: StationConfig) -> Iterator[_Named]:
    if station.signing_key_file is not None:
        yield _Named(("station", "signing_key_file"), station.signing_key_file)


def _of_mqtt(mqtt: MqttConfig | None) -> Iterator[_Named]:
    return _file_keys(("mqtt",), mqtt) if mqtt is not None else iter(())


def _of_screen(screen: ScreenConfig | None) -> Iterator[_Named]:
    return _file_keys(("screen",), screen) if screen is not None else iter(())


def _of_devices(tables: Mapping[str, TableConfig]) -> Iterator[_Named]:
    for table in tables.values():
        for index, device in enumerate(table.devices):
            yield from _file_keys(("tables", table.name, "devices", index), device.options)


def _file_keys(path: KeyPath, section: msgspec.Struct) -> Iterator[_Named]:
    """Keys that end in ``_file`` name files with credentials, everywhere."""
    for key in section.__struct_fields__:
        value = getattr(section, key)
        if key.endswith("_file") and isinstance(value, str):
            yield _Named((*path, key), value)
