"""Each device's port: is it there, under a name that stays, may the station open it, and does its adapter dawdle."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from dealer_daemon.config import DeviceConfig
from dealer_daemon.doctor.finding import Finding, good, unreachable, warning, wrong
from dealer_daemon.doctor.machine import Machine, group_name, text_of
from dealer_drivers.attached import Attached
from dealer_drivers.transports.factory import port_kind
from dealer_drivers.transports.holders import holder

CONNECT_WITHIN_S = 2.0
NUMBERED = re.compile(r"/dev/(tty(USB|ACM)|video|input/event|hidraw)\d+")
RULES = "install udev's rules and a name under [ports] (docs/howto/add-a-table.md)"
OF_NETWORK = {"tcp": 0, "http": 80, "https": 443, "mqtt": 1883, "mqtts": 8883}
"""Schemes of ports on the network, and the number that is meant where none is written."""


def look_at_port(
    where: str, device: DeviceConfig, machine: Machine, attached: Iterable[Attached], *, station_runs: bool
) -> Iterator[Finding]:
    """One device's port. ``where`` names the device, ``table/device``."""
    kind, check = port_kind(device.port), f"port {where}"
    if kind in ("recording", "unix"):
        name = device.port.partition(":")[2]
        if kind == "recording" and not Path(name).is_file():
            yield wrong(check, f"the recording {name} is not there", "name a recording that is")
        return
    if urlsplit(device.port).scheme in OF_NETWORK:
        yield _network(check, device.port, station_runs=station_runs)
        return
    if kind == "usb":
        yield from _usb(check, device.port, machine, attached)
        return
    path = device.port.removeprefix("camera:").removeprefix("input:")
    node = machine.node(path)
    if not node.exists():
        others = ", ".join(one.port for one in attached if one.kind == kind) or "none"
        mend = f"plug it in, or set the port; attached of that kind: {others}"
        yield unreachable(check, f"{path} is not there", mend)
        return
    yield _rights(check, path, node, machine, os.R_OK if kind == "input" else os.R_OK | os.W_OK)
    if not station_runs and (other := holder(str(node), machine.proc)) is not None:
        yield wrong(check, f"{path} is open in {other}", "end that program: two readers steal each other's bytes")
    if NUMBERED.fullmatch(path):
        yield warning(check, f"{path} may be another device's after a restart", RULES)
    if kind == "serial":
        yield from _latency(check, node, machine)
    yield from _sleeps(check, node, machine)


def _rights(check: str, path: str, node: Path, machine: Machine, wanted: int) -> Finding:
    user = machine.user
    if user.may(node, wanted):
        return good(check, f"{path} is there and {user.name} may open it")
    group = group_name(node)
    mend = f"`usermod -aG {group} {user.name}` and start the station again, or {RULES}"
    return wrong(
        check, f"{user.name} may not open {path} (group {group}, mode {node.stat().st_mode & 0o777:04o})", mend
    )


def _latency(check: str, node: Path, machine: Machine) -> Iterator[Finding]:
    found = text_of(machine.sys / "class/tty" / node.name / "device/latency_timer")
    if found is not None and found.isdigit() and int(found) > 1:
        mend = "install udev's rules (systemd/udev) and plug it in again: they set it to 1 ms"
        yield wrong(check, f"its FTDI adapter waits {found} ms for more bytes", mend)


def _sleeps(check: str, node: Path, machine: Machine) -> Iterator[Finding]:
    for group in ("tty", "video4linux", "input"):
        place = machine.sys / "class" / group / node.name / "device"
        if not place.exists():
            continue
        above = place.resolve()
        usb = next((one for one in (above, *above.parents) if (one / "idVendor").is_file()), None)
        if usb is not None and text_of(usb / "power/control") == "auto":
            mend = "install udev's rules (systemd/udev) and plug it in again: they set power/control to on"
            yield warning(check, "USB may put it to sleep (autosuspend)", mend)


def _usb(check: str, port: str, machine: Machine, attached: Iterable[Attached]) -> Iterator[Finding]:
    there = [one for one in attached if one.kind == "usb"]
    found = next((one for one in there if one.port == port or f"usb:{one.usb}" == port), None)
    if found is None:
        others = ", ".join(one.port for one in there) or "none"
        mend = f"plug it in, switch it to the mode that the driver reads, or set the port; attached: {others}"
        yield unreachable(check, f"{port} is not there", mend)
    else:
        yield _rights(check, found.path, machine.node(found.path), machine, os.R_OK | os.W_OK)


def _network(check: str, port: str, *, station_runs: bool) -> Finding:
    parts = urlsplit(port)
    host, number = parts.hostname or "", parts.port or OF_NETWORK[parts.scheme]
    if station_runs and parts.scheme == "tcp":
        return good(check, f"{host}:{number} is the running station's: a serial server takes one connection")
    try:
        with socket.create_connection((host, number), timeout=CONNECT_WITHIN_S):
            return good(check, f"{host}:{number} answers")
    except OSError as error:
        mend = f"is it powered and cabled, is the address right, does a firewall stand between: `ping {host}`"
        return unreachable(check, f"{host}:{number} does not answer: {error}", mend)
