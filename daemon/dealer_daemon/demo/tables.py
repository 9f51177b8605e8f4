"""The demonstration's tables: which simulated device stands at which, and the station's configuration for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LINES = "demo"
"""The simulator's scenario of devices that send bytes."""
PICTURES = "demo-cameras"
"""And of those that a camera sees, with their shaker. In a process of its own: drawing must not hold up the lines."""
PICTURES_UP_TO = 4.0
"""Pictures are of our time whatever the speed; faster than this too few of them show dice at rest."""

STATION = """\
[station]
site = "demo"
state_dir = {state_dir}

[mqtt]
url = "mqtt://127.0.0.1:{port}"
prefix = "{prefix}"
"""
SCREEN = """\
[screen]
listen = "127.0.0.1:{screen}"
"""


@dataclass(frozen=True, slots=True)
class Plugged:
    """A simulated device as ``hw-sim run`` prints it."""

    name: str
    driver: str
    port: str
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, printed: Mapping[str, Any]) -> Plugged:
        """From the JSON object of one device."""
        return cls(printed["name"], printed["driver"], printed["port"], tuple(printed.get("files", ())))


@dataclass(frozen=True, slots=True)
class DemoTable:
    """One table. ``settings`` are its lines in the configuration; ``devices`` the options of each of its devices."""

    name: str
    game: str
    settings: str
    devices: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    """Keys of ``settings`` and ``devices`` in braces, each with the device whose file it is."""


TABLES = (
    DemoTable(
        "r1",
        "roulette",
        'round_source = "device"\n\n[tables.r1.spin]\nlaps = "counted"\n',
        {"wheel": "extended = true\n"},
    ),
    DemoTable(
        "b1",
        "baccarat",
        'round_source = "device"\n\n[tables.b1.shoe]\nrequire_verified = false\n',
        {"shoe": ""},
    ),
    DemoTable(
        "c1",
        "three-cards",
        'round_source = "device"\n\n[tables.c1.shoe]\ndeck_sets = ["red", "blue"]\n',
        {"scanner": 'codebook = "rank-suit"\nsuffix = "line"\n', "shuffler": ""},
    ),
    DemoTable(
        "w1",
        "rainbow-wheel",
        'round_source = "device"\n\n[tables.w1.turn]\nwheel = {map}\n',
        {"rainbow": ""},
        {"map": "rainbow"},
    ),
    DemoTable(
        "s1",
        "sic-bo",
        'round_source = "server"\n\n[tables.s1.shake]\nstart = "station"\n'
        + "look_s = {look_s:g}\nsettle_s = {settle_s:g}\n",
        {"shaker": "control = true\n", "dome": "profile = {profile}\n"},
        {"profile": "dome"},
    ),
    DemoTable(
        "f1",
        "fan-tan",
        'round_source = "device"\n\n[tables.f1.beans]\nlook_s = {look_s:g}\npatience_s = 28\nconfirm = "uncovered"\n',
        {"cloth": "profile = {profile}\n"},
        {"profile": "cloth"},
    ),
)
"""Every kind of table. One, sic bo, has a server that opens and closes its rounds: the station starts its shaker, and
that it does after betting alone. At the others the device's own doings open and close them."""


def present(devices: Iterable[Plugged]) -> list[DemoTable]:
    """The tables whose devices are all there."""
    names = {device.name for device in devices}
    return [table for table in TABLES if table.devices.keys() <= names]


def station_toml(
    devices: Iterable[Plugged], *, state_dir: str, port: int, prefix: str, speed: float, screen: int | None = None
) -> str:
    """The station's configuration with every table whose devices are all there. ``port`` is the broker's, ``speed`` how
    fast the station's clock runs, ``screen`` the port of the tables' pages, where they are served."""
    by_name = {device.name: device for device in devices}
    # A camera and whoever reads its pictures take their own time, whatever the clock says. (Fan tan's patience is more
    # than the bowl stands there: a dealer who clears what was refused covers the next beans within the same attempt.)
    patience = {"look_s": 8.0 * max(1.0, speed), "settle_s": 10.0 * max(1.0, speed / 2)}
    sections = [STATION.format(state_dir=json.dumps(state_dir), port=port, prefix=prefix)]
    sections += [] if screen is None else [SCREEN.format(screen=screen)]
    for table in present(by_name.values()):
        files = {key: json.dumps(by_name[device].files[0]) for key, device in table.files.items()}
        settings = table.settings.format(**files, **patience)
        sections.append(f'[tables.{table.name}]\ngame = "{table.game}"\n{settings}')
        for name, options in table.devices.items():
            device = by_name[name]
            sections.append(
                f'[[tables.{table.name}.devices]]\nname = "{name}"\ndriver = "{device.driver}"\n'
                f"port = {json.dumps(device.port)}\n{options.format(**files)}"
            )
    return "\n".join(sections)
