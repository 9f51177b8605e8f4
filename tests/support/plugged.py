"""A machine's ``/sys`` and ``/dev`` with devices plugged in, as a tree of plain files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Machine:
    """The tree below ``root``; each method plugs something in."""

    root: Path
    ports: int = field(default=0)

    @property
    def sys(self) -> Path:
        return self.root / "sys"

    @property
    def dev(self) -> Path:
        return self.root / "dev"

    def arguments(self) -> list[str]:
        self.sys.mkdir(parents=True, exist_ok=True)
        self.dev.mkdir(parents=True, exist_ok=True)
        return ["--sys", str(self.sys), "--dev", str(self.dev)]

    def usb(self, ids: str, maker: str = "", product: str = "", serial: str = "") -> Path:
        """A USB device; its folder."""
        self.ports += 1
        folder = self.sys / f"devices/usb1/1-{self.ports}"
        vendor, _, number = ids.partition(":")
        for name, text in (
            ("idVendor", vendor),
            ("idProduct", number),
            ("manufacturer", maker),
            ("product", product),
            ("serial", serial),
            ("busnum", "1"),
            ("devnum", str(10 + self.ports)),
        ):
            if text:
                _write(folder / name, text)
        _link(self.sys / f"bus/usb/devices/{folder.name}", folder)
        _write(self.dev / f"bus/usb/001/{10 + self.ports:03d}", "")
        return folder

    def serial(self, usb: Path | None, name: str, *, by_id: str = "", kind: str = "") -> Path:
        """A serial port; its node."""
        place = self.sys / "devices/platform/serial8250" if usb is None else usb / f"{usb.name}:1.0" / name
        return self._node(place, "tty", name, self.dev / name, f"serial/by-id/{by_id}" if by_id else "", kind)

    def camera(self, usb: Path, name: str, *, by_id: str = "", index: int = 0) -> Path:
        """A camera's node."""
        node = self._node(
            usb / f"{usb.name}:1.0", "video4linux", name, self.dev / name, f"v4l/by-id/{by_id}" if by_id else ""
        )
        _write(self.sys / f"class/video4linux/{name}/index", str(index))
        return node

    def keyboard(self, usb: Path, name: str, *, by_id: str = "", events: str = "120013") -> Path:
        """An input device; by default one that types."""
        place = usb / f"{usb.name}:1.0/0003:1/input/{name}"
        _write(place / "capabilities/ev", events)
        return self._node(
            place, "input", name, self.dev / "input" / name, f"input/by-id/{by_id}-event-kbd" if by_id else ""
        )

    def hid(self, usb: Path, descriptor: bytes) -> None:
        """A HID interface with this report descriptor."""
        interface = usb / f"{usb.name}:1.0"
        _write(interface / "bInterfaceClass", "03")
        path = interface / "0003:0C2E:0901.0001/report_descriptor"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(descriptor)

    def bulk(self, usb: Path, *, taken: bool = False) -> None:
        """An interface of the maker's own; ``taken``: a driver of the kernel has it."""
        _write(usb / f"{usb.name}:1.0/bInterfaceClass", "ff")
        if taken:
            (usb / f"{usb.name}:1.0/driver").mkdir()

    def _node(self, place: Path, group: str, name: str, node: Path, stable: str, kind: str = "") -> Path:
        place.mkdir(parents=True, exist_ok=True)
        entry = self.sys / f"class/{group}/{name}"
        entry.mkdir(parents=True, exist_ok=True)
        _link(entry / "device", place)
        if kind:
            _write(entry / "type", kind)
        _write(node, "")
        if stable:
            _link(self.dev / stable, node)
        return node


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def _link(path: Path, to: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
