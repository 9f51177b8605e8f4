"""Many tables at once, for load: the wheels, and a station configuration that fits them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from hw_sim.scenario import Scenario, load_scenario


def fleet_scenario(tables: int) -> Scenario:
    """The wheel of scenario ``roulette``, once for each table: ``r001``, ``r002``, ..."""
    wheel = load_scenario("roulette").devices[0]
    devices = tuple(msgspec.structs.replace(wheel, name=f"r{number:03d}") for number in range(1, tables + 1))
    return Scenario(title=f"{tables} wheels", devices=devices)


def station_config(ports: dict[str, str], drivers: dict[str, str], url: str, state_dir: Path) -> str:
    """A station's configuration (TOML) with one roulette table for each device; by name, port and driver."""
    text = [
        f'[station]\nsite = "fleet"\nstate_dir = {json.dumps(str(state_dir))}\n',
        f'[mqtt]\nurl = {json.dumps(url)}\nprefix = "dealer/v1"\n',
    ]
    for name, port in ports.items():
        text.append(
            f'[tables.{name}]\ngame = "roulette"\nround_source = "device"\n\n'
            f'[tables.{name}.spin]\nmin_laps = 7\nlaps = "unobserved"\nunobserved = "accept"\n\n'
            f'[[tables.{name}.devices]]\nname = "wheel"\ndriver = {json.dumps(drivers[name])}\n'
            f"port = {json.dumps(port)}\n"
        )
    return "\n".join(text)
