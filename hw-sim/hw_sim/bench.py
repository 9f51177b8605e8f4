"""What ``hw-sim run`` writes for a person who is to work with a scenario by hand: a station's configuration, where the
control port is, and on standard error how to go on."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from hw_sim.scenario import Scenario, ScenarioError
from hw_sim.simulation import Simulation
from hw_sim.telling import CONTROL_FILE

PLACE = re.compile(r"@([A-Za-z0-9_-]+)@")
RUN_DIR, CONFIG = "RUN_DIR", "station.toml"


def write_bench(scenario: Scenario, simulation: Simulation, control: str) -> dict[str, Any]:
    """Writes it beside the ports, where the scenario has a station; what programs are to know of it. A configuration
    that is there already is written anew: ports change from run to run.

    Raises ``ScenarioError`` for a place that is no device's, and ``OSError``.
    """
    folder = simulation.run_dir.absolute()
    (folder / CONTROL_FILE).write_text(control + "\n", encoding="utf-8")
    if not scenario.station:
        return {}
    config = folder / CONFIG
    ports = {name: port if ":" in port else str(Path(port).absolute()) for name, port in simulation.ports.items()}
    config.write_text(station_text(scenario.station, ports, str(folder)), encoding="utf-8")
    return {"config": str(config)}


def say_where(scenario: Scenario, simulation: Simulation) -> None:
    """The same for a person, on standard error; nothing of a scenario without a station."""
    if not scenario.station:
        return
    folder = simulation.run_dir
    print(f"configuration: {(folder / CONFIG).absolute()}", file=sys.stderr)
    for sheet in simulation.answers.values():
        print(f"answer sheet: {Path(sheet).absolute()}", file=sys.stderr)
    print(f"hands and eyes: hw-sim tell {folder} DEVICE, hw-sim look {folder} DEVICE", file=sys.stderr, flush=True)


def station_text(template: str, ports: dict[str, str], run_dir: str) -> str:
    """The template with its places filled. Raises ``ScenarioError``."""
    known = {**ports, RUN_DIR: run_dir}

    def fill(place: re.Match[str]) -> str:
        if place[1] not in known:
            raise ScenarioError(
                "scenario", "station", f"there is no device {place[1]!r}; there are: {', '.join(known)}"
            )
        return json.dumps(known[place[1]], ensure_ascii=False)[1:-1]

    return PLACE.sub(fill, template)
