"""Serial ports, USB devices, cameras and keyboards, as the kernel's ``/sys`` shows them. Opens none of them.

Libraries list serial ports or USB devices, each in its own way, and neither cameras nor keyboards; ``/sys`` has all of
them with the same words, needs no rights, and can be a tree that a test made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dealer_drivers.transports.factory import port_kind
from dealer_drivers.transports.hid_descriptor import application_pages
from dealer_drivers.transports.holders import holder

NAME_FOLDERS = ("dealer", "serial/by-id", "serial/by-path", "v4l/by-id", "v4l/by-path", "input/by-id", "input/by-path")
"""Below ``/dev``, names that stay: the most telling first."""
NUMBERED = "this name may be another device's after a restart: give it one of its own with a udev rule"
HID, VENDOR_SPECIFIC = "03", "ff"
"""USB interface classes (USB-IF, defined class codes)."""
EV_KEY, EV_REP = 1, 20
"""Kinds of events of an input device (Linux, ``input-event-codes.h``): a keyboard has keys, and repeats them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """One thing to which a device may be attached.

    ``port`` is how the configuration names it, by the most stable name there is; ``warning`` says so where that is
    none. ``kind`` as in ``Driver.transports``. ``usb`` is ``VID:PID``; empty texts where nothing is known.
    ``hid_pages``: what its reports are for. ``held_by``: who has it open, as far as the system tells.
    """

    port: str
    kind: str
    path: str = ""
    names: tuple[str, ...] = ()
    usb: str = ""
    serial: str = ""
    maker: str = ""
    product: str = ""
    hid_pages: frozenset[int] = field(default_factory=frozenset)
    held_by: str | None = None
    warning: str = ""


def find_attached(sys: Path = Path("/sys"), dev: Path = Path("/dev"), proc: Path = Path("/proc")) -> list[Attached]:
    """All that is plugged in, by kind and name. What goes away meanwhile is left out."""
    names = _stable_names(dev)
    found = [
        *_nodes(sys, dev, proc, names, "class/tty", "serial", _is_serial),
        *_nodes(sys, dev, proc, names, "class/video4linux", "camera", _is_camera),
        *_nodes(sys, dev, proc, names, "class/input", "input", _is_keyboard),
        *_usb(sys, dev, proc),
    ]
    return sorted(found, key=lambda one: (one.kind, one.port))


def named_by_hand(port: str, proc: Path = Path("/proc")) -> Attached:
    """A port that nothing lists: a network address, a simulated device. Raises ``OptionError`` for what is no port."""
    kind = port_kind(port)
    held = holder(port, proc) if port.startswith("/") else None
    return Attached(port=port, kind=kind, path=port if port.startswith("/") else "", held_by=held)


def _stable_names(dev: Path) -> dict[str, list[str]]:
    """By what they lead to, names that stay."""
    names: dict[str, list[str]] = {}
    for folder in NAME_FOLDERS:
        try:
            links = sorted(link for link in (dev / folder).iterdir() if link.is_symlink())
        except OSError:
            continue
        for link in links:
            names.setdefault(str(link.resolve()), []).append(str(link))
    return names


def _nodes(
    sys: Path, dev: Path, proc: Path, names: dict[str, list[str]], below: str, kind: str, wanted: Callable[[Path], bool]
) -> Iterator[Attached]:
    for entry in _children(sys / below):
        place = "input/" if kind == "input" else ""
        node = dev / f"{place}{entry.name}"
        if not wanted(entry) or not node.exists():
            continue
        usb = _identity(_usb_above(entry / "device"))
        stable = tuple(names.get(str(node.resolve()), ()))
        if kind == "input":
            stable = tuple(name for name in stable if name.endswith("-event-kbd") or "/dealer/" in name)
        yield Attached(
            port=stable[0] if stable else str(node),
            kind=kind,
            path=str(node),
            names=stable,
            usb=usb.id,
            serial=usb.serial,
            maker=usb.maker,
            product=usb.product,
            held_by=holder(str(node), proc),
            warning=NUMBERED if usb.id and not stable else "",
        )


def _usb(sys: Path, dev: Path, proc: Path) -> Iterator[Attached]:
    """USB devices that are read as such: HID reports, or an interface of the maker's own that no driver has taken."""
    for device in _children(sys / "bus/usb/devices"):
        if not (device / "idVendor").is_file():
            continue
        pages: set[int] = set()
        bulk = False
        for interface in _children(device.resolve()):
            kind = _text(interface / "bInterfaceClass")
            if kind == HID:
                for report in interface.glob("*/report_descriptor"):
                    pages |= application_pages(_bytes(report))
            bulk |= kind == VENDOR_SPECIFIC and not (interface / "driver").exists()
        telling = frozenset(page for page in pages if page != 1)  # generic desktop: keyboards and mice
        if not telling and not bulk:
            continue
        usb = _identity(device)
        telling_serial = usb.serial and usb.serial.isprintable() and " " not in usb.serial
        bus, number = _text(device / "busnum"), _text(device / "devnum")
        path = dev / f"bus/usb/{bus.zfill(3)}/{number.zfill(3)}"
        yield Attached(
            port=f"usb:{usb.id}" + (f":{usb.serial}" if telling_serial else ""),
            kind="usb",
            path=str(path),
            usb=usb.id,
            serial=usb.serial,
            maker=usb.maker,
            product=usb.product,
            hid_pages=telling,
            held_by=holder(str(path), proc),
        )


def _is_serial(entry: Path) -> bool:
    """There is a device behind it; of the ports that a PC has names for, a UART was found."""
    return (entry / "device").exists() and _text(entry / "type") != "0"


def _is_camera(entry: Path) -> bool:
    """Pictures come from it: a camera's further nodes are for metadata."""
    return _text(entry / "index") in ("", "0")


def _is_keyboard(entry: Path) -> bool:
    if not entry.name.startswith("event"):
        return False
    try:
        events = int(_text(entry / "device/capabilities/ev"), 16)
    except ValueError:
        return False
    return bool(events >> EV_KEY & 1 and events >> EV_REP & 1)


def _usb_above(place: Path) -> Path | None:
    """The USB device that a node belongs to."""
    resolved = place.resolve()
    return next((one for one in (resolved, *resolved.parents) if (one / "idVendor").is_file()), None)


class _Usb(NamedTuple):
    id: str = ""
    serial: str = ""
    maker: str = ""
    product: str = ""


def _identity(usb: Path | None) -> _Usb:
    if usb is None:
        return _Usb()
    names = (_text(usb / name) for name in ("serial", "manufacturer", "product"))
    return _Usb(f"{_text(usb / 'idVendor')}:{_text(usb / 'idProduct')}", *names)


def _children(folder: Path) -> Iterable[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(path: Path) -> str:
    return _bytes(path).decode(errors="replace").strip()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
