"""From a scenario's options to devices with dice."""

from __future__ import annotations

from collections.abc import Mapping

from hw_sim.device import SimDevice
from hw_sim.dice.camera import DiceTower, DomeCamera
from hw_sim.dice.networked import NetworkedShaker
from hw_sim.dice.options import DomeCameraOptions, NetworkedOptions, RelayOptions, TowerOptions
from hw_sim.dice.relay import RelayShaker
from hw_sim.dice.thrower import Thrower
from hw_sim.truth import TruthLog


def build_dice(
    options: NetworkedOptions | RelayOptions | TowerOptions | DomeCameraOptions,
    seed: int,
    truth: TruthLog,
    others: Mapping[str, SimDevice],
) -> SimDevice:
    """The device; a camera looks at the shaker of ``others`` that it names."""
    match options:
        case NetworkedOptions():
            return NetworkedShaker(options, seed, truth)
        case RelayOptions():
            return RelayShaker(options, seed, truth)
        case TowerOptions():
            return DiceTower(options, seed, truth)
        case DomeCameraOptions():
            shaker = others[options.shaker]
            assert isinstance(shaker, Thrower)
            return DomeCamera(options, shaker)
