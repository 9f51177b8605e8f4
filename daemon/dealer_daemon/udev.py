"""udev's rules for the devices of dealer tables: rights, names that stay, and nobody else who takes hold of them.

Pure: manifests and configuration in, text out. ``general_rules`` are from the manifests of the installed drivers and
the same on every PC of a version; ``port_rules`` are one PC's own, from ``[ports]`` of its configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dealer_daemon.config import Config
from dealer_daemon.config.ports import port_kinds
from dealer_daemon.config.types import PortKeys
from dealer_drivers.driver import Driver
from dealer_drivers.transports.factory import port_kind

GROUP = "dealer"
RIGHTS = f'GROUP="{GROUP}", MODE="0660"'
ALONE = 'ENV{ID_MM_DEVICE_IGNORE}="1", ENV{ID_MM_PORT_IGNORE}="1", ENV{BRLTTY_BRAILLE_DRIVER}="", ENV{SYSTEMD_WANTS}=""'
"""ModemManager would talk to it, and brltty take it for a Braille display: both are known to (``devices.md`` §7)."""
USB_DEVICE = 'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device"'
NODES: Mapping[str, str] = {
    "serial": 'SUBSYSTEM=="tty"',
    "camera": 'SUBSYSTEM=="video4linux", ATTR{index}=="0"',
    "input": 'SUBSYSTEM=="input", KERNEL=="event*"',
    "usb": USB_DEVICE,
}
"""By the kind of a port, which nodes are meant: a camera has further ones for metadata."""
GENERAL_FILE, PORTS_FILE = "99-dealer-station.rules", "99-dealer-station-ports.rules"
"""Late: what other packages' rules say of these devices is said over."""


def general_rules(drivers: Iterable[Driver]) -> str:
    """For all devices that the drivers can read. A name of its own gives a device ``[ports]``."""
    known = sorted(drivers, key=lambda driver: driver.name)
    kinds = {kind for driver in known for kind in driver.transports}
    lines = [
        "# Written by `dealer-daemon udev` from the manifests of the installed drivers. Not to be changed by hand:",
        "# what a site adds stands in [ports] of its station.toml (docs/howto/add-a-table.md).",
        'ACTION=="remove", GOTO="dealer_station_end"',
    ]
    if "serial" in kinds:
        lines += [
            "",
            "# FTDI adapters wait 16 ms for more bytes; a line of a wheel then comes late and in lumps.",
            'SUBSYSTEM=="usb-serial", DRIVERS=="ftdi_sio", ATTR{latency_timer}="1"',
            "# Serial adapters: every port behind USB is a table's device.",
            f'SUBSYSTEM=="tty", SUBSYSTEMS=="usb", {RIGHTS}, {ALONE}, TAG+="systemd"',
        ]
    if "camera" in kinds:
        lines += ["", "# Cameras.", f'SUBSYSTEM=="video4linux", {RIGHTS}, TAG+="systemd"']
    lines += [
        "",
        "# A device that sleeps loses the first bytes, or is gone for a moment.",
        f'{USB_DEVICE}, TEST=="power/control", ATTR{{power/control}}="on"',
        "",
    ]
    for usb, names in sorted(_by_usb(known).items()):
        lines += [f"# {', '.join(sorted(names))}", *_vendor_rules(usb)]
    return "\n".join([*lines, "", 'LABEL="dealer_station_end"', ""])


def _by_usb(drivers: Iterable[Driver]) -> dict[str, set[str]]:
    """The ids by which devices show themselves, and the drivers that they are for."""
    found: dict[str, set[str]] = {}
    for driver in drivers:
        for attachment in driver.attachments:
            for usb in attachment.usb:
                found.setdefault(usb, set()).add(driver.name)
    return found


def _vendor_rules(usb: str) -> list[str]:
    """One scanner may be a serial port, a keyboard, or be read as a USB device: by a setting of its own."""
    vendor, _, product = usb.partition(":")
    here = f'ATTR{{idVendor}}=="{vendor}"' + (f', ATTR{{idProduct}}=="{product}"' if product else "")
    above = here.replace("ATTR{", "ATTRS{")
    return [
        f"{USB_DEVICE}, {here}, {RIGHTS}, {ALONE}",
        f'SUBSYSTEM=="hidraw", {above}, {RIGHTS}',
        f'SUBSYSTEM=="input", KERNEL=="event*", {above}, {RIGHTS}',
    ]


def port_rules(config: Config) -> str:
    """For the ports that ``[ports]`` names, and the USB devices that are read as such."""
    kinds = port_kinds(config.tables)
    lines = [
        "# Written by `dealer-daemon udev --config …` from [ports] and the devices of that file. Not to be changed by",
        "# hand: change the file, and write the rules again.",
        'ACTION=="remove", GOTO="dealer_ports_end"',
        "",
    ]
    for name, keys in sorted(config.ports.items()):
        lines.append(f'{_match(kinds[name], keys)}, SYMLINK+="dealer/{name}", {RIGHTS}, {ALONE}, TAG+="systemd"')
        if keys.serial is not None:  # brltty takes hold of the whole device
            lines.append(f'{USB_DEVICE}, ATTR{{serial}}=="{keys.serial}", {ALONE}')
    lines += [_usb_port(port) for port in sorted(_usb_ports(config))]
    return "\n".join([*lines, "", 'LABEL="dealer_ports_end"', ""])


def _match(kind: str, keys: PortKeys) -> str:
    parts = [NODES[kind]]
    if keys.serial is not None:
        parts.append(f'ENV{{ID_SERIAL_SHORT}}=="{keys.serial}"')
    if keys.path is not None:
        parts.append(f'ENV{{ID_PATH}}=="{keys.path}"')
    if keys.usb is not None:
        vendor, _, product = keys.usb.partition(":")
        parts += [f'ENV{{ID_VENDOR_ID}}=="{vendor}"', f'ENV{{ID_MODEL_ID}}=="{product}"']
    if keys.interface is not None:
        parts.append(f'ENV{{ID_USB_INTERFACE_NUM}}=="{keys.interface}"')
    return ", ".join(parts)


def _usb_ports(config: Config) -> Iterator[str]:
    for table in config.tables.values():
        for device in table.devices:
            if port_kind(device.port) == "usb":
                yield device.port


def _usb_port(port: str) -> str:
    _, vendor, product, *serial = port.split(":")
    parts = [USB_DEVICE, f'ATTR{{idVendor}}=="{vendor.lower()}"', f'ATTR{{idProduct}}=="{product.lower()}"']
    parts += [f'ATTR{{serial}}=="{text}"' for text in serial]
    return ", ".join([*parts, RIGHTS, ALONE])
