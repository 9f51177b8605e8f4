"""The control files of the package: what it needs, and the scripts that dpkg runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "systemd/debian"
NAME = "dealer-station"
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")

DEPENDS = (
    "python3 (>= 3.11)",  # the environment below /opt uses Debian's interpreter …
    "python3 (<< 3.12)",  # … and its packages are built for this one
    "libc6 (>= 2.36)",
    "libgcc-s1",
    "libstdc++6 (>= 12)",
    "libusb-1.0-0",  # pyusb loads it by name
    "libzbar0 (>= 0.23)",  # pyzbar too
    "init-system-helpers (>= 1.65~)",
    "systemd",  # with sysusers and tmpfiles, which make the user and its folders
    "udev",
)
RECOMMENDS = ("mosquitto", "chrony | time-daemon")
SUGGESTS = ("bash-completion", "mosquitto-clients")


def project_version() -> str:
    """The version of ``pyproject.toml``."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        version: str = tomllib.load(file)["project"]["version"]
    return version


def control(version: str, architecture: str, installed_kib: int) -> str:
    """The fields of ``DEBIAN/control``."""
    description = (DEBIAN / "description").read_text(encoding="utf-8").strip("\n").splitlines()
    fields: Mapping[str, str] = {
        "Package": NAME,
        "Version": version,
        "Architecture": architecture,
        "Maintainer": "dealer-station <dealer-station@localhost>",
        "Installed-Size": str(installed_kib),
        "Depends": ", ".join(DEPENDS),
        "Recommends": ", ".join(RECOMMENDS),
        "Suggests": ", ".join(SUGGESTS),
        "Section": "misc",
        "Priority": "optional",
        "Description": description[0] + "".join("\n " + (line or ".") for line in description[1:]),
    }
    return "".join(f"{key}: {value}\n" for key, value in fields.items())


def maintainer_script(name: str, schema_version: int) -> str:
    """One of ``SCRIPTS``, with the schema of the journal that this version writes put in."""
    text = (DEBIAN / name).read_text(encoding="utf-8")
    return text.replace("@SCHEMA_VERSION@", str(schema_version))


def changelog(version: str, epoch_s: int) -> str:
    """Debian's changelog. What changed is told by the commits; dpkg wants the version and the time."""
    return (
        f"{NAME} ({version}) bookworm; urgency=medium\n\n  * Version {version}.\n\n"
        f" -- dealer-station <dealer-station@localhost>  {formatdate(epoch_s)}\n"
    )
