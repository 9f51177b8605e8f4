"""The demonstration from start to end."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from dealer_daemon.demo.broker import start_broker
from dealer_daemon.demo.processes import DemoFailed, Part, free_port, wait_until
from dealer_daemon.demo.viewer import Viewer
from dealer_daemon.journal import FILE_NAME, verify_file

PREFIX = "dealer/v1"
SCENARIO = "demo"

STATION = """\
[station]
site = "demo"
state_dir = {state_dir}

[mqtt]
url = "mqtt://127.0.0.1:{port}"
prefix = "{prefix}"

[tables.r1]
game = "roulette"
round_source = "device"

[tables.r1.spin]
laps = "counted"

[[tables.r1.devices]]
name = "wheel"
driver = {driver}
port = {wheel}
extended = true
"""


def show(seconds: float | None, speed: float, seed: int, broker: str, console: Console) -> bool:
    """Run it for ``seconds`` or until Ctrl-C. Says whether there was an outcome and the journal verifies.

    Raises ``DemoFailed`` when a part does not start or ends early.
    """
    with tempfile.TemporaryDirectory(prefix="dealer-demo-") as name:
        folder = Path(name)
        parts: list[Part] = []
        try:
            viewer = _start(folder, parts, speed, seed, broker, console)
            _watch(viewer, parts, seconds, console)
        finally:
            # The station before its broker, so that it can say goodbye.
            for part in reversed(parts):
                part.stop()
        return _summary(viewer, folder, console)


def _start(folder: Path, parts: list[Part], speed: float, seed: int, kind: str, console: Console) -> Viewer:
    with console.status("starting the broker") as status:
        port = free_port()
        broker, broker_name = start_broker(port, folder, kind)
        parts.append(broker)
        viewer = Viewer(port, PREFIX, console)
        status.update("starting the simulated wheel")
        python = [sys.executable, "-m"]
        run_dir = folder / "devices"
        options = ["--speed", f"{speed:g}", "--seed", str(seed), "--run-dir", str(run_dir)]
        wheel = Part("hw-sim", [*python, "hw_sim", "run", SCENARIO, *options], folder / "hw-sim.log")
        parts.append(wheel)
        device = json.loads(wheel.first_line())["devices"][0]
        status.update("starting the station")
        config = folder / "station.toml"
        state_dir = folder / "state"
        config.write_text(
            STATION.format(
                state_dir=json.dumps(str(state_dir)),
                port=port,
                prefix=PREFIX,
                driver=json.dumps(device["driver"]),
                wheel=json.dumps(device["port"]),
            )
        )
        command = [*python, "dealer_daemon", "run", "--config", str(config), "--speed", f"{speed:g}"]
        station = Part("dealer-daemon", command, folder / "station.log")
        parts.append(station)
        journal = state_dir / FILE_NAME
        wait_until(journal.exists, station, "the station did not begin its journal", 20)
    console.print(
        f"broker    {broker_name} on 127.0.0.1:{port}, topics {PREFIX}/demo/r1/...", highlight=False, soft_wrap=True
    )
    console.print(
        f"wheel     {device['driver']} at {device['port']}, {speed:g} times as fast as real",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"station   {config}; its log: {station.log}", highlight=False, soft_wrap=True)
    console.print("What a game server sees (Ctrl-C ends it):\n")
    return viewer


def _watch(viewer: Viewer, parts: list[Part], seconds: float | None, console: Console) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    try:
        while end is None or time.monotonic() < end:
            viewer.poll(0.2)
            for part in parts:
                part.alive()
    except KeyboardInterrupt:
        console.print()
    viewer.close()


def _summary(viewer: Viewer, folder: Path, console: Console) -> bool:
    report = verify_file(folder / "state" / FILE_NAME)
    outcomes, refused = viewer.counts["round.outcome"], viewer.counts["attempt.refused"]
    verified = "verifies" if report.ok else "DOES NOT VERIFY"
    console.print(
        f"\n{outcomes} outcomes, {refused} refused and thrown again, {viewer.counts['attempt.held']} held; "
        f"the journal ({report.rows} rows) {verified}.",
        highlight=False,
        soft_wrap=True,
    )
    return outcomes > 0 and report.ok


__all__ = ["DemoFailed", "show"]
