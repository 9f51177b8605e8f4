"""What a configuration that was read again changes: key by key, from when it counts, or that it needs a restart.

Pure. Taken up is only what touches no round in play and what the running station can change wholly. A table is taken
as one: where one of its keys needs a restart, none is taken up, so that ``config_hash`` is of what it plays by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from dealer_daemon.config import Config, DeviceConfig, TableConfig

NOW, NEXT_CONNECTION, NEXT_ROUND = "now", "the next connection to the broker", "the next round"
STATION: Final = {
    "calibration_max_age_days": NOW,
    "flight_recorder_days": NOW,
    "log_level": NOW,
    "retention_days": NOW,
}
MQTT: Final = {
    "ca_file": NEXT_CONNECTION,
    "cert_file": NEXT_CONNECTION,
    "command_max_age_s": NOW,
    "consumer_gone_s": NOW,
    "key_file": NEXT_CONNECTION,
    "password_file": NEXT_CONNECTION,
    "username": NEXT_CONNECTION,
}
TABLE: Final = {"tries_before_pause": NEXT_ROUND}
"""What a reload takes up, and from when; every other key needs a restart (``docs/howto/reload.md``)."""
RESTART = "needs a restart"


class Applied(msgspec.Struct, frozen=True):
    """A key that is taken up. ``since``: from when it counts."""

    key: str
    was: Any
    now: Any
    since: str


class NotTaken(msgspec.Struct, frozen=True):
    """A key that stays as it was, and why."""

    key: str
    reason: str


class Reloaded(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a reload. ``errors``: all that is wrong with the file, of which then nothing is taken up."""

    ok: bool
    applied: list[Applied] = []
    refused: list[NotTaken] = []
    errors: list[str] = []

    @property
    def summary(self) -> str:
        """A few words."""
        if self.errors:
            return f"reload refused, {len(self.errors)} errors in the configuration: {self.errors[0]}"
        keys = ", ".join(one.key for one in self.refused)
        left = f", {len(self.refused)} not: {keys}" if self.refused else ""
        return f"reloaded: {len(self.applied)} changes taken up{left}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do. ``config``: what the station goes by when it is done; ``tables``: those of it that changed."""

    applied: tuple[Applied, ...]
    refused: tuple[NotTaken, ...]
    config: Config
    tables: tuple[str, ...]


def plan(running: Config, found: Config) -> Plan:
    """From what the station runs by to what the file says now. A second time, with the same file, applies nothing."""
    applied: list[Applied] = []
    refused: list[NotTaken] = []
    station = _section("station", running.station, found.station, STATION, applied, refused)
    mqtt = _section("mqtt", running.mqtt, found.mqtt, MQTT, applied, refused)
    if 0 in (running.station.flight_recorder_days, found.station.flight_recorder_days):
        station = _not_after_all("flight_recorder_days", running.station, station, applied, refused)
    refused += _screen(running.screen, found.screen)
    moved = _differing(running.monitoring, found.monitoring)
    refused += [NotTaken(f"monitoring.{key}", RESTART) for key, _, _ in moved]
    tables, changed = dict(running.tables), []
    for name in sorted(running.tables.keys() | found.tables.keys()):
        was, now = running.tables.get(name), found.tables.get(name)
        if was is None or now is None:
            what = "is new" if was is None else "is gone from the file"
            refused.append(NotTaken(f"tables.{name}", f"the table {what}: {RESTART}"))
            continue
        needs = list(_needs_restart(was, now))
        live = _live(was, now)
        if needs:
            refused += needs
            refused += [NotTaken(one.key, f"another key of the table {RESTART}") for one in live]
        elif live:
            applied += live
            tables[name] = now
            changed.append(name)
    taken = replace(running, station=station, mqtt=mqtt, tables=tables, ports=found.ports)  # those are udev's
    return Plan(tuple(applied), tuple(refused), taken, tuple(changed))


def _screen(was: msgspec.Struct | None, now: msgspec.Struct | None) -> Iterator[NotTaken]:
    if was is None or now is None:
        if was is not now:
            yield NotTaken("screen", RESTART)
        return
    for key, _, _ in _differing(was, now):
        yield NotTaken(f"screen.{key}", RESTART)


def _section(
    name: str, was: Any, now: Any, live: Mapping[str, str], applied: list[Applied], refused: list[NotTaken]
) -> Any:
    taken = {}
    for key, before, after in _differing(was, now):
        if key in live:
            applied.append(Applied(f"{name}.{key}", before, after, live[key]))
            taken[key] = after
        else:
            refused.append(NotTaken(f"{name}.{key}", RESTART))
    return msgspec.structs.replace(was, **taken)


def _not_after_all(key: str, was: Any, taken: Any, applied: list[Applied], refused: list[NotTaken]) -> Any:
    """Recorders are made, and ended, with the devices' links."""
    if getattr(was, key) == getattr(taken, key):
        return taken
    applied[:] = [one for one in applied if one.key != f"station.{key}"]
    refused.append(NotTaken(f"station.{key}", f"to begin or to end it {RESTART}"))
    return msgspec.structs.replace(taken, **{key: getattr(was, key)})


def _live(was: TableConfig, now: TableConfig) -> list[Applied]:
    return [
        Applied(f"tables.{was.name}.{key}", getattr(was, key), getattr(now, key), since)
        for key, since in TABLE.items()
        if getattr(was, key) != getattr(now, key)
    ]


def _needs_restart(was: TableConfig, now: TableConfig) -> Iterator[NotTaken]:
    base = f"tables.{was.name}"
    found = [
        key
        for key in ("game", "round_source", "screen_language", "shadow", "witness_wait_s")
        if getattr(was, key) != getattr(now, key)
    ]
    if type(was.written) is type(now.written):
        found += [key for key, _, _ in _differing(was.written, now.written)]
    for key in found:
        yield NotTaken(f"{base}.{key}", RESTART)
    before = {device.name: device for device in was.devices}
    after = {device.name: device for device in now.devices}
    devices = [
        NotTaken(f"{base}.devices.{name}{key}", RESTART)
        for name in sorted(before.keys() | after.keys())
        for key in _of_device(before.get(name), after.get(name))
    ]
    yield from devices
    if not found and not devices and was.fixed_hash != now.fixed_hash:
        yield NotTaken(base, f"a calibration or the order of its devices is another: {RESTART}")


def _of_device(was: DeviceConfig | None, now: DeviceConfig | None) -> Iterator[str]:
    """What differs, as the end of a key."""
    if was is None or now is None:
        yield ""
        return
    if was.driver.name != now.driver.name:
        yield ".driver"
        return
    if was.port != now.port:
        yield ".port"
    if was.role != now.role:
        yield ".role"
    if _calibration(was) != _calibration(now):
        yield ".calibration"
    for key, _, _ in _differing(was.options, now.options):
        yield f".{key}"


def _calibration(device: DeviceConfig) -> str | None:
    return None if device.calibration is None else device.calibration.ref.sha256


def _differing(was: msgspec.Struct, now: msgspec.Struct) -> Iterator[tuple[str, Any, Any]]:
    for key in was.__struct_fields__:
        before, after = getattr(was, key), getattr(now, key)
        if before != after:
            yield key, before, after
