"""Brings everything up: broker, simulated devices, the dice camera's profile, the station.

The simulator's process writes the files that a technician would have made of a table and that it knows (the colour
wheel's map, the bean table's profile). What a dice camera must know is measured: ``hw-sim pictures`` draws what a
technician takes pictures of, and ``dealer-calibrate`` measures them. All of them are processes, for the packages know
nothing of each other.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from dealer_daemon.demo.broker import start_broker
from dealer_daemon.demo.processes import Part, free_port, wait_until
from dealer_daemon.demo.tables import LINES, PICTURES, PICTURES_UP_TO, Plugged, present, station_toml
from dealer_daemon.demo.viewer import Viewer
from dealer_daemon.journal import FILE_NAME

PREFIX, SITE = "dealer/v1", "demo"
PYTHON = [sys.executable, "-m"]
STARTS_WITHIN_S = 30.0
UP_WITHIN_S = 60.0


@dataclass
class Demo:
    """What runs. ``parts`` in the order in which they were started."""

    folder: Path
    speed: float
    seed: int
    console: Console
    parts: list[Part] = field(default_factory=list)
    began_s: float = field(default_factory=time.monotonic)

    @property
    def journal(self) -> Path:
        """The station's journal."""
        return self.folder / "state" / FILE_NAME

    def say(self, text: str) -> None:
        """What is being done, with how long all of it took so far."""
        since_s = time.monotonic() - self.began_s
        self.console.print(f"{since_s:5.1f} s  {text}", style="dim", highlight=False, markup=False, soft_wrap=True)

    def part(self, name: str, *command: str) -> Part:
        """Starts one of our own programs; its log is ``NAME.log``."""
        part = Part(name, [*PYTHON, *command], self.folder / f"{name}.log")
        self.parts.append(part)
        return part


def start(demo: Demo, broker_kind: str, heard: Callable[[str, dict[str, Any]], None]) -> Viewer:
    """Everything, until every device's link is up. Raises ``DemoFailed``."""
    port = free_port()
    demo.say("starting the broker")
    broker, broker_name = start_broker(port, demo.folder, broker_kind)
    demo.parts.append(broker)
    demo.say(f"{broker_name} on 127.0.0.1:{port}, topics {PREFIX}/{SITE}/TABLE/...")
    viewer = Viewer(port, PREFIX, SITE, demo.console, heard)
    devices = _devices(demo, f"mqtt://127.0.0.1:{port}")
    config = demo.folder / "station.toml"
    state_dir, screen = str(demo.folder / "state"), free_port()
    config.write_text(
        station_toml(devices, state_dir=state_dir, port=port, screen=screen, prefix=PREFIX, speed=demo.speed)
    )
    demo.say(f"starting the station: {config}")
    station = demo.part("dealer-daemon", "dealer_daemon", "run", "--config", str(config), "--speed", f"{demo.speed:g}")
    demo.say(f"its log: {station.log}")
    wait_until(demo.journal.exists, station, "the station did not begin its journal", STARTS_WITHIN_S)
    tables = present(devices)
    wanted = {(table.name, device) for table in tables for device in table.devices}
    wait_until(lambda: _all_up(viewer, wanted), station, "a device's link did not come up", UP_WITHIN_S)
    demo.say(f"{len(tables)} tables, {len(wanted)} devices, all links up")
    demo.say(f"the tables' screens: http://127.0.0.1:{screen}/")
    return viewer


def _all_up(viewer: Viewer, wanted: Collection[tuple[str, str]]) -> bool:
    viewer.poll(0.05)
    return all(viewer.links.get(which) == "up" for which in wanted)


def _devices(demo: Demo, broker: str) -> list[Plugged]:
    """Every simulated device, with the files that it needs."""
    options = ["--speed", f"{demo.speed:g}", "--seed", str(demo.seed), "--broker", broker]
    demo.say(f"starting simulated devices, {demo.speed:g} times as fast as real")
    lines = demo.part(f"hw-sim-{LINES}", "hw_sim", "run", LINES, *options, *_folder(demo, LINES))
    if demo.speed > PICTURES_UP_TO:
        demo.say(f"without sic bo and fan tan: pictures are not faster than life; they play up to {PICTURES_UP_TO:g}")
        return _printed(demo, lines)
    cameras = demo.part(f"hw-sim-{PICTURES}", "hw_sim", "run", PICTURES, *options, *_folder(demo, PICTURES))
    drawn = demo.folder / "pictures"
    drawing = demo.part("hw-sim-pictures", "hw_sim", "pictures", PICTURES, "--out", str(drawn))
    devices = _printed(demo, lines) + _printed(demo, cameras)
    pictures: dict[str, dict[str, list[str]]] = json.loads(_done(demo, drawing))
    profiles = {}
    for camera, files in pictures.items():
        if "plate" not in files:
            continue  # beans, which the demo's camera counts without a profile
        demo.say(f"measuring the profile of camera {camera}: {', '.join(map(_kind, files.items()))}")
        profile = demo.folder / f"{camera}.dice.json"
        measure = ["dice", "profile", "--plate", *files["plate"], "--dice", *files["dice"], "-o", str(profile)]
        _done(demo, demo.part(f"dealer-calibrate-{camera}", "dealer_calibration", *measure))
        profiles[camera] = str(profile)
    return [
        replace(device, files=(profiles[device.name],)) if device.name in profiles else device for device in devices
    ]


def _folder(demo: Demo, scenario: str) -> list[str]:
    """Each simulation has a folder of its own."""
    return ["--run-dir", str(demo.folder / scenario)]


def _kind(item: tuple[str, list[str]]) -> str:
    return f"{len(item[1])} pictures of {'the empty plate' if item[0] == 'plate' else item[0]}"


def _printed(demo: Demo, simulator: Part) -> list[Plugged]:
    devices = [Plugged.of(printed) for printed in json.loads(simulator.first_line())["devices"]]
    for device in devices:
        demo.say(f"{device.name}, for driver {device.driver}: {device.port}")
    return devices


def _done(demo: Demo, part: Part) -> str:
    """What a program that ends by itself printed. Raises ``DemoFailed`` when it fails."""
    line = part.first_line()
    part.process.wait()
    if part.process.returncode:
        part.alive()
    demo.parts.remove(part)
    part.stop()
    return line
