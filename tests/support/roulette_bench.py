"""A technician at a simulated roulette wheel, and its table's configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dealer_calibration.bench import Result
from dealer_calibration.roulette.command import run_roulette
from hw_sim.roulette.device import WheelDevice
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.truth import TruthLog
from support.virtual_bench import Person, virtual

CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
{spin}
[[tables.r1.devices]]
name = "wheel"
port = "/dev/wheel"
"""
SS2 = 'driver = "cammegh-ss2"\ncontrol = true\nlap_events = true\n'
M360 = 'driver = "cammegh-m360"\nextended = true\ncontrol = true\n'


def roulette_table(folder: Path, device: str = SS2, *, laps: str = "counted", more: str = "") -> Path:
    """A station of one roulette table; ``more`` are further lines of the wheel's."""
    path = folder / "station.toml"
    (folder / "state").mkdir(exist_ok=True)
    path.write_text(CONFIG.format(state=folder / "state", spin=f'laps = "{laps}"') + device + more)
    return path


class Floor:
    """A simulated wheel and what really happened at it."""

    def __init__(self, options: Ss2Options | M360Options, seed: int = 4) -> None:
        self.truth = TruthLog()
        self.sim = WheelDevice(options, seed, self.truth)

    def last(self) -> Mapping[str, Any]:
        """The newest throw that is over."""
        record: Mapping[str, Any] = self.truth.records[-1]
        return record


class Croupier(Person):
    """Counts laps and looks at rotor and ball. ``words``: what he types instead, by key."""

    def __init__(self, floor: Floor, words: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.floor, self.words = floor, dict(words or {})

    def answers(self, key: str, prompt: str) -> str:
        del prompt
        last = self.floor.last() if self.floor.truth.records else {}
        name = key.partition(".")[0]
        if key in self.words or name in self.words:
            return self.words.get(key, self.words.get(name, ""))
        match name:
            case "laps":
                return str(last["laps"])
            case "pocket" | "place":
                return str(last["number"])
            case "rotor":
                return "cw" if last["rotor"] == "clockwise" else "ccw"
            case _:
                return "y"


def bench(config: Path, floor: Floor, person: Croupier | None = None, *words: str, **more: Any) -> Result:
    """One run of ``dealer-calibrate roulette``."""
    typed = ["roulette", "--config", str(config), "--table", "r1", "--device", "wheel", "--by", "Li", *words]
    return virtual(run_roulette, typed, config, floor.sim, person or Croupier(floor), **more)


class Line:
    """A line that changes whole lines of the wheel."""

    def __init__(self) -> None:
        self._held = b""

    def __call__(self, data: bytes) -> bytes:
        *lines, self._held = (self._held + data).split(b"\n")
        return b"".join(self.line(line + b"\n") for line in lines)

    def line(self, line: bytes) -> bytes:
        """What becomes of a line."""
        return line


class OtherNumbers(Line):
    """The wheel names other pockets."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names

    def line(self, line: bytes) -> bytes:
        return re.sub(rb"^(\*X;[345];\d{3};|\*bn |)([ \d]\d)(?=;|\r)", self._other, line)

    def _other(self, match: re.Match[bytes]) -> bytes:
        name = match[2].decode().strip()
        return match[1] + self.names.get(name, name).rjust(2).encode()


class SwappedDirection(Line):
    """Its direction sensors are swapped."""

    def line(self, line: bytes) -> bytes:
        return re.sub(rb"^(\*X;.*;\d{3};)([01])(;?\r)", lambda m: m[1] + (b"1" if m[2] == b"0" else b"0") + m[3], line)


class BlindSensor(Line):
    """One of the rim sensors sees nothing."""

    def line(self, line: bytes) -> bytes:
        return b"" if line.startswith(b"*bs 2") else line


class Drops(Line):
    """Five lines in a row are lost now and then."""

    count = 0

    def line(self, line: bytes) -> bytes:
        self.count += 1
        return b"" if self.count % 60 < 5 else line
