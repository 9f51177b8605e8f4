"""``[ports]``: which plugged-in device has which name below ``/dev/dealer``. udev's rules are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dealer_daemon.config.types import Name, PortKeys, TableConfig
from dealer_daemon.config.walk import Problem, read_struct
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.factory import port_kind

FOLDER = "/dev/dealer/"


def read_ports(values: object, tables: Mapping[str, TableConfig], problems: list[Problem]) -> dict[str, PortKeys]:
    """All ports that could be read. What is wrong is added to ``problems``."""
    if not isinstance(values, Mapping):
        problems.append(Problem(("ports",), "expected a section: [ports.NAME]"))
        return {}
    used = port_kinds(tables)
    found: dict[str, PortKeys] = {}
    for name, keys in values.items():
        path = ("ports", name)
        read = read_struct(keys, PortKeys, path, problems)
        if read is None:
            continue
        if reason := _wrong(name, read, used, found):
            problems.append(Problem(path, reason))
        else:
            found[name] = read
    return found


def port_kinds(tables: Mapping[str, TableConfig]) -> dict[str, str]:
    """Names below ``/dev/dealer`` that devices have for a port, and the kind of each."""
    found = {}
    for table in tables.values():
        for device in table.devices:
            _, named, name = device.port.partition(FOLDER)
            try:
                kind = port_kind(device.port)
            except OptionError:  # said with the device
                continue
            if named and kind in ("serial", "camera", "input"):
                found[name] = kind
    return found


def _wrong(name: str, keys: PortKeys, used: Mapping[str, str], others: Mapping[str, Any]) -> str | None:
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        return "a port's name is 1 to 64 letters, digits, _ or -"
    if keys.serial is None and keys.path is None:
        return "missing: say by which serial number or in which socket (path) the device is known"
    if name not in used:
        return f"no device has the port {FOLDER}{name}: write it there, or take this section out"
    same = next((other for other, known in others.items() if known == keys and used[other] == used[name]), None)
    return None if same is None else f"it is the same device as [ports.{same}]: it can have one name only"
