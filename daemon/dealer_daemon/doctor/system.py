"""The PC itself: its clock, the disk of the state directory, libraries, and programs that take hold of ports."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dealer_daemon.config import Config
from dealer_daemon.doctor.finding import Finding, good, unknown, warning, wrong
from dealer_daemon.doctor.machine import Machine
from dealer_daemon.udev import GENERAL_FILE, PORTS_FILE, general_rules, port_rules
from dealer_drivers.driver import installed_drivers
from dealer_drivers.transports.factory import port_kind

LEAST_FREE_BYTES = 256 * 1024 * 1024
"""The flight recorder stops at 64 MiB, for the journal; a table should not come near it between two visits."""
LITTLE_FREE_BYTES = 2 * 1024 * 1024 * 1024
"""Some weeks of one table's flight recorder."""
SLOW_MS, TOO_SLOW_MS = 50.0, 500.0
"""A commit waits for the disk, and with it every table of the station: a wheel sends a line each 500 ms."""
SYNCS = 7
CLOCKS = ("chronyd", "systemd-timesyn", "ntpd", "ptp4l", "openntpd")
"""As the kernel shortens the names of programs."""
GRABBERS = {"ModemManager": "modemmanager", "brltty": "brltty"}
"""Programs that open serial ports by themselves, and their packages (``devices.md`` §7)."""
_STA_UNSYNC, _TIME_ERROR = 0x40, 5
_STATUS_AT, _SIZE = 40, 256
"""Where ``struct timex`` has its status on 64-bit Linux, and more room than it takes (adjtimex(2))."""


def clock_set() -> bool | None:
    """Whether the kernel says that its clock is synchronised. ``None`` where it does not tell."""
    room = ctypes.create_string_buffer(_SIZE)
    state = ctypes.CDLL(None, use_errno=True).adjtimex(room)
    if state < 0:
        return None
    status = int.from_bytes(room.raw[_STATUS_AT : _STATUS_AT + 4], "little")
    return state != _TIME_ERROR and not status & _STA_UNSYNC


def look_at_clock(machine: Machine, is_set: Callable[[], bool | None] = clock_set) -> Iterator[Finding]:
    """Times of events are evidence: is somebody setting the clock, and is it set."""
    running = machine.running(CLOCKS)
    if not running:
        mend = "`apt-get install chrony`, and name the studio's time servers in /etc/chrony/chrony.conf"
        yield wrong("clock", "no program sets this PC's clock (chrony, systemd-timesyncd)", mend)
    found = is_set()
    if found is None:
        yield unknown("clock", "the kernel does not tell whether its clock is set")
    elif found:
        yield good("clock", f"it is set by {', '.join(running) or 'somebody'}")
    else:
        mend = "`chronyc tracking` or `timedatectl timesync-status` says why; are the time servers reachable (UDP 123)?"
        yield wrong("clock", "the kernel says that its clock is not synchronised", mend)


def look_at_disk(state_dir: Path, machine: Machine) -> Iterator[Finding]:
    """Room, speed and rights of the state directory, or of where it will be made."""
    folder = next(one for one in (state_dir, *state_dir.parents) if one.is_dir())
    made = folder == state_dir
    try:
        if not machine.user.may(folder, os.R_OK | os.W_OK):
            mend = f"`install -d -o {machine.user.name} -m 0750 {state_dir}`"
            yield wrong("disk", f"{machine.user.name} may not write {folder}", mend)
        room = os.statvfs(folder)
    except OSError as error:
        yield wrong("disk", f"{folder}: {error.strerror}", "mount it, or name another state_dir")
        return
    free = room.f_bavail * room.f_frsize
    said = f"{free / 2**30:.1f} GiB are free at {folder}"
    if free < LEAST_FREE_BYTES or (room.f_files and room.f_favail < 1000):
        yield wrong(
            "disk", f"{said}, {room.f_favail} files", "free the disk: the journal stops every table when it is full"
        )
    elif free < LITTLE_FREE_BYTES:
        yield warning("disk", said, "free the disk, or lower flight_recorder_days and retention_days")
    else:
        yield good("disk", said)
    kind = _file_system(folder, machine)
    if kind in ("tmpfs", "ramfs", "overlay"):
        yield wrong(
            "disk", f"{folder} is a {kind}: a power cut loses the journal", "put state_dir on a disk of this PC"
        )
    elif kind.startswith(("nfs", "cifs", "smb", "fuse")):
        mend = "put state_dir on a disk of this PC: SQLite's log and locks do not hold over a network"
        yield wrong("disk", f"{folder} is on a {kind} file system", mend)
    if made:
        yield _sync(folder)


def _sync(folder: Path) -> Finding:
    took_ms = []
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file:
            for _ in range(SYNCS):
                file.write(b"\0" * 4096)
                file.flush()
                began = time.perf_counter()
                os.fsync(file.fileno())
                took_ms.append((time.perf_counter() - began) * 1000)
    except OSError as error:
        return unknown(
            "disk", f"{folder} cannot be written by who asks: {error.strerror}", "ask as root, or as the station"
        )
    usual_ms, most_ms = statistics.median(took_ms), max(took_ms)
    said = f"a write is on the disk after {usual_ms:.1f} ms, {most_ms:.1f} ms at most"
    mend = "each commit waits so long: is the disk worn out (`smartctl -a`), or do others write to it?"
    if usual_ms > TOO_SLOW_MS:
        return wrong("disk", said, mend)
    return warning("disk", said, mend) if usual_ms > SLOW_MS else good("disk", said)


def _file_system(folder: Path, machine: Machine) -> str:
    """The type of what is mounted there."""
    best, kind = -1, "unknown"
    try:
        lines = (machine.proc / "self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return kind
    resolved = folder.resolve()
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        at = Path(fields[1].replace("\\040", " "))
        if (at == resolved or at in resolved.parents) and len(at.parts) >= best:
            best, kind = len(at.parts), fields[2]
    return kind


def look_at_libraries(config: Config | None) -> Iterator[Finding]:
    """Libraries that the configured devices need; of none where nothing needs it."""
    devices = [] if config is None else [device for table in config.tables.values() for device in table.devices]
    kinds = {port_kind(device.port) for device in devices}
    everything = config is None
    for module, needed in (("cv2", "camera" in kinds), ("zxingcpp", "camera" in kinds), ("numpy", "camera" in kinds)):
        if needed or everything:
            yield _module(module)
    zbar = any(getattr(device.options, "second_reader", False) for device in devices)
    for library, package, needed in (("usb-1.0", "libusb-1.0-0", "usb" in kinds), ("zbar", "libzbar0", zbar)):
        if not needed and not everything:
            continue
        if ctypes.util.find_library(library) is not None:
            yield good("libraries", f"lib{library} is there")
        elif needed:
            yield wrong("libraries", f"lib{library} is missing, and a device needs it", f"`apt-get install {package}`")
        else:
            mend = f"where a table has such a device: `apt-get install {package}`"
            yield warning("libraries", f"lib{library} is missing", mend)


def _module(name: str) -> Finding:
    try:
        importlib.import_module(name)
    except ImportError as error:
        return wrong("libraries", f"{name} cannot be loaded: {error}", "install the package dealer-station again")
    return good("libraries", f"{name} is there")


def look_at_others(config: Config | None, machine: Machine) -> Iterator[Finding]:
    """udev's rules, and programs that they keep away."""
    general = machine.rule_file(GENERAL_FILE)
    again = "then `udevadm control --reload; udevadm trigger`"
    named = {} if config is None else config.ports
    wanted = [(GENERAL_FILE, general, general_rules(installed_drivers()), "dealer-daemon udev")]
    if config is not None and named:
        wanted.append(
            (PORTS_FILE, machine.rule_file(PORTS_FILE), port_rules(config), "dealer-daemon udev --config FILE")
        )
    for name, found, rules, command in wanted:
        mend = f"`{command} > /etc/udev/rules.d/{name}`, {again}"
        if found is None:
            yield warning("udev", f"the rules {name} are not installed", mend)
        elif found != rules:
            yield warning("udev", f"the rules {name} are not those of this version and configuration", mend)
        else:
            yield good("udev", f"the rules {name} are installed")
    for program in machine.running(GRABBERS):
        if general is None:
            mend = f"install udev's rules, which keep it away, or `apt-get purge {GRABBERS[program]}`"
            yield wrong("other programs", f"{program} runs and opens serial ports", mend)
        else:
            yield good("other programs", f"{program} runs, and the rules keep it away")
