"""Scenarios: TOML files that say which devices there are and what goes wrong with them."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import msgspec

from hw_sim.device import SimDevice
from hw_sim.roulette.device import NeverThere, WheelDevice
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.shoe.device import CardDevice
from hw_sim.shoe.options import AngelEyeOptions, ScannerOptions
from hw_sim.truth import TruthLog

_WHERE = re.compile(r"(.*) - at (?:`key` in )?`\$\.?(.*)`", re.DOTALL)
"""How msgspec says where in a file something is wrong."""

DeviceOptions = Ss2Options | M360Options | AngelEyeOptions | ScannerOptions
"""One structure a model; ``model`` in the file chooses."""


class ScenarioError(ValueError):
    """A scenario cannot be used. The text names file, key and reason."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}")
        self.file, self.key, self.reason = file, key, reason


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is simulated together."""

    title: str
    """One line for ``hw-sim list``."""
    devices: tuple[DeviceOptions, ...]
    seed: int | None = None
    """``None``: a new one each run, printed at its begin."""


def scenario_names() -> list[str]:
    """The scenarios that come with the simulator."""
    files = resources.files("hw_sim") / "scenarios"
    return sorted(file.name.removesuffix(".toml") for file in files.iterdir() if file.name.endswith(".toml"))


def load_scenario(scenario: str | Path) -> Scenario:
    """A scenario by name, or by path (anything with a slash or ending in ``.toml``). Raises ``ScenarioError``."""
    name = str(scenario)
    if isinstance(scenario, Path) or "/" in name or name.endswith(".toml"):
        try:
            return parse_scenario(Path(name).read_text(encoding="utf-8"), name)
        except (OSError, UnicodeDecodeError) as error:
            raise ScenarioError(name, "file", f"cannot be read: {error}") from error
    if name not in scenario_names():
        raise ScenarioError(name, "scenario", f"there is none of that name; there are: {', '.join(scenario_names())}")
    file = resources.files("hw_sim") / "scenarios" / f"{name}.toml"
    return parse_scenario(file.read_text(encoding="utf-8"), f"{name}.toml")


def parse_scenario(text: str, file: str) -> Scenario:
    """A scenario from TOML text; ``file`` is for messages. Raises ``ScenarioError``."""
    try:
        scenario = msgspec.toml.decode(text, type=Scenario)
    except msgspec.ValidationError as error:
        found = _WHERE.fullmatch(str(error))
        reason, key = (found[1], found[2]) if found else (str(error), "")
        raise ScenarioError(file, key or "scenario", reason) from error
    except msgspec.DecodeError as error:
        raise ScenarioError(file, "syntax", str(error)) from error
    if not scenario.devices:
        raise ScenarioError(file, "devices", "there must be at least one")
    names = [device.name for device in scenario.devices]
    for index, device in enumerate(scenario.devices):
        if device.name in names[:index]:
            raise ScenarioError(file, f"devices[{index}].name", f"{device.name!r} is taken by another device")
        for key, reason in device.problems():
            raise ScenarioError(file, f"devices[{index}].{key}", reason)
    return scenario


def build_device(options: DeviceOptions, seed: int, truth: TruthLog) -> SimDevice:
    """The device that the options describe. Raises ``ScenarioError`` when it can never be where it is to start."""
    if isinstance(options, AngelEyeOptions | ScannerOptions):
        return CardDevice(options, seed, truth)
    try:
        return WheelDevice(options, seed, truth)
    except NeverThere as error:
        raise ScenarioError("scenario", f"devices.{options.name}.start", str(error)) from error
