"""Scenarios: TOML files that say which devices there are and what goes wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import msgspec

from hw_sim.beans.options import BeanTableOptions
from hw_sim.beans.table import BeanTable
from hw_sim.device import SimDevice
from hw_sim.dice.options import DomeCameraOptions, NetworkedOptions, RelayOptions, TowerOptions
from hw_sim.roulette.device import NeverThere, WheelDevice
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.shoe.device import CapturedDevice, CardDevice, WindowDevice
from hw_sim.shoe.options import AngelEyeOptions, CardWindowOptions, HidPosOptions, ScannerOptions
from hw_sim.shuffler.device import CapturedShuffler, NoSuchTable, ShufflerDevice
from hw_sim.shuffler.options import ShufflerOptions
from hw_sim.truth import TruthLog
from hw_sim.wheel.device import colour_wheel
from hw_sim.wheel.options import WheelCounterOptions, WheelModbusOptions

_WHERE = re.compile(r"(.*) - at (?:`key` in )?`\$\.?(.*)`", re.DOTALL)
"""How msgspec says where in a file something is wrong."""

DiceOptions = NetworkedOptions | RelayOptions | TowerOptions | DomeCameraOptions
CardTableOptions = AngelEyeOptions | ScannerOptions | CardWindowOptions | HidPosOptions
ColourWheelOptions = WheelModbusOptions | WheelCounterOptions
DeviceOptions = (
    Ss2Options | M360Options | CardTableOptions | DiceOptions | BeanTableOptions | ColourWheelOptions | ShufflerOptions
)
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
    station: str = ""
    """A station's configuration for these devices, in which ``@NAME@`` stands for a device's port and ``@RUN_DIR@`` for
    the folder of the ports; ``hw-sim run`` writes it there. Empty: none."""


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
        if isinstance(device, DomeCameraOptions):
            before = scenario.devices[:index]
            shakers = [each.name for each in before if isinstance(each, NetworkedOptions | RelayOptions)]
            if device.shaker not in shakers:
                reason = f"no shaker {device.shaker!r} stands before it in the file; there are: {', '.join(shakers)}"
                raise ScenarioError(file, f"devices[{index}].shaker", reason)
    return scenario


def with_broker(scenario: Scenario, url: str) -> Scenario:
    """The same with every networked device at this broker. Raises ``ScenarioError``."""
    devices = []
    for device in scenario.devices:
        if isinstance(device, NetworkedOptions):
            device = msgspec.structs.replace(device, broker=url)
            for key, reason in device.problems():
                raise ScenarioError("broker", f"devices.{device.name}.{key}", reason)
        devices.append(device)
    return msgspec.structs.replace(scenario, devices=tuple(devices))


def build_device(
    options: DeviceOptions, seed: int, truth: TruthLog, others: Mapping[str, SimDevice] = MappingProxyType({})
) -> SimDevice:
    """The device that the options describe; ``others`` are those before it in the scenario, by name.

    Raises ``ScenarioError`` when it can never be where it is to start.
    """
    if isinstance(options, DiceOptions):
        from hw_sim.dice.build import build_dice  # draws pictures: what has none starts without cv2

        return build_dice(options, seed, truth, others)
    if isinstance(options, BeanTableOptions):
        return BeanTable(options, seed, truth)
    if isinstance(options, ColourWheelOptions):
        return colour_wheel(options, seed, truth)
    if isinstance(options, ShufflerOptions):
        made = CapturedShuffler if options.port == "umockdev" else ShufflerDevice
        try:
            return made(options, seed, truth, others)
        except NoSuchTable as error:
            raise ScenarioError("scenario", f"devices.{options.name}.serves", str(error)) from error
    if isinstance(options, HidPosOptions):
        return CapturedDevice(options, seed, truth)
    if isinstance(options, CardWindowOptions):
        return WindowDevice(options, seed, truth)
    if isinstance(options, AngelEyeOptions | ScannerOptions):
        return CardDevice(options, seed, truth)
    try:
        return WheelDevice(options, seed, truth)
    except NeverThere as error:
        raise ScenarioError("scenario", f"devices.{options.name}.start", str(error)) from error
