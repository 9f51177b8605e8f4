"""A technician at a simulated colour wheel, and its table's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dealer_calibration.bench import Result
from dealer_calibration.wheel.command import run_wheel
from dealer_daemon.validation.turn_map import SEGMENT_DEG
from hw_sim.truth import TruthLog
from hw_sim.wheel.device import ColourWheel, colour_wheel
from hw_sim.wheel.options import WheelCounterOptions, WheelModbusOptions
from support.virtual_bench import Person, VirtualLink, virtual

CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[tables.w1]
game = "rainbow-wheel"
[[tables.w1.devices]]
name = "encoder"
port = "{port}"
"""
DRIVERS = {
    "wheel-modbus": 'driver = "wheel-modbus"\nreference_register = 16\ncontrol = true\n',
    "wheel-counter": 'driver = "wheel-counter"\n',
}


def wheel_table(folder: Path, driver: str, port: str = "/dev/wheel", more: str = "") -> Path:
    """A station of one rainbow wheel; ``more`` are further lines of its encoder."""
    path = folder / "station.toml"
    (folder / "state").mkdir(exist_ok=True)
    path.write_text(CONFIG.format(state=folder / "state", port=port) + DRIVERS[driver] + more)
    return path


def simulated(driver: str, seed: int = 3, **options: Any) -> ColourWheel:
    """A wheel that does what it is told."""
    kind = WheelModbusOptions if driver == "wheel-modbus" else WheelCounterOptions
    return colour_wheel(kind(name="wheel", starts="told", turns=(3.8, 6.0), **options), seed, TruthLog())


class WheelPerson(Person):
    """Spins, steps and puts the pointer where he is told. ``colors``: what he types instead, by segment; ``first``: the
    segment of the map in which he begins the walk."""

    def __init__(self, wheel: ColourWheel, *, first: int = 0, colors: dict[int, str] | None = None) -> None:
        super().__init__()
        self.wheel, self.first, self.colors = wheel, first, colors or {}
        self.words: dict[str, str] = {}
        """Said to the wheel instead of its own word, by question."""

    def hears(self, text: str) -> None:
        if (text.startswith(("Spin the wheel", "Spin ")) and not self._last_spin(text)) or any(
            words in text for words in ("again, please", "spin it harder", "One more spin")
        ):
            self.do("spin", rest=False)
        elif text.startswith("Walk through"):
            self.do(f"boundary {self.first}")
            self.do("step")
        elif "turn it back" in text:
            self.do("back")

    @staticmethod
    def _last_spin(text: str) -> bool:
        words = text.split()
        return words[1].isdigit() and words[1] == words[3].rstrip(":")

    def do(self, word: str, *, rest: bool = True) -> None:
        self.wheel.tell(word)
        if rest:
            self.link.run(6.0)

    def answers(self, key: str, prompt: str) -> str:
        del prompt
        name, _, number = key.partition(".")
        match name:
            case "segment":
                color = self.wheel.table.segments[int(self.wheel.table.angle() % 360 / SEGMENT_DEG)]
                if int(number) < 51:
                    self.do(self.words.get(key, "step"))
                return self.colors.get(int(number), color)
            case "boundary":
                self.do(self.words.get(key, f"boundary {(int(number) + self.first) % 52}"))
                return ""
            case "zero_place":
                self.do("boundary 0")
                return ""
            case _:
                return self.words.get(key, "y")


def calibrate(config: Path, wheel: ColourWheel, person: WheelPerson | None = None, *words: str, **more: Any) -> Result:
    """One run of ``dealer-calibrate wheel``."""
    typed = ["wheel", "--config", str(config), "--table", "w1", "--device", "encoder", "--by", "Li", *words]
    return virtual(run_wheel, typed, config, wheel, person or WheelPerson(wheel), **more)


__all__ = ["VirtualLink", "WheelPerson", "calibrate", "simulated", "wheel_table"]
