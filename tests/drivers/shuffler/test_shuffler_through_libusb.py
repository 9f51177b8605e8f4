"""The shuffler's driver through the real pyusb and the real libusb; umockdev stands for the kernel and the machine."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_drivers.shuffler.frames import OrderOffered, encode
from hw_sim.scenario import build_device, parse_scenario
from hw_sim.shuffler import lines, usb
from hw_sim.shuffler.device import CapturedShuffler
from hw_sim.truth import TruthLog

from .conftest import ORDER

TESTS = Path(__file__).parent.parent.parent


def host(folder: Path, pieces: list[bytes], port: str = usb.PORT) -> list[dict[str, Any]]:
    """What the driver says of a machine that is asked for its state, says these, and is pulled out."""
    described, captured = folder / "shuffler.umockdev", folder / "shuffler.pcap"
    described.write_text(usb.description(), encoding="ascii")
    captured.write_bytes(usb.capture(pieces))
    return under(usb.run_line(described, captured), port)


def under(run_line: str, port: str) -> list[dict[str, Any]]:
    """What the driver says of the machine that this shows to it."""
    if shutil.which("umockdev-run") is None:
        pytest.fail("umockdev-run is missing: sudo apt-get install umockdev libusb-1.0-0")
    command = [*shlex.split(run_line), sys.executable, "-m", "support.shuffler_host", port]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=40, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_shuffle_over_a_bulk_pair_cut_into_packets_anyhow(tmp_path: Path) -> None:
    said = [
        lines.status(1, "shuffling", 7, "red"),
        lines.status(2, "shuffling", 7, "red", flags=["jam"]),
        lines.order(ORDER),
        lines.status(3, "ready", 8, "red", counted=416),
    ]
    stream = b"".join(said)
    told = host(tmp_path, [stream[at : at + 57] for at in range(0, len(stream), 57)])
    assert [entry["link"] for entry in told if "link" in entry] == ["opening", "up", "waiting", "stopped"]
    readings = [entry for entry in told if "reading" in entry]
    reports = [(entry["state"], entry["job"]) for entry in readings if entry["reading"] == "DeckReport"]
    assert reports == [("shuffling", 7), ("shuffling", 7), ("ready", 8)]
    assert [entry["fault"] for entry in readings if entry["reading"] == "DeviceFault"] == [
        "shuffler_jam",
        "shuffler_order_offered",
        "shuffler_order_offered",
        "shuffler_jam",
        "link_lost",
    ]
    assert encode(OrderOffered()).decode() in [entry["raw"] for entry in readings]
    assert not [entry for entry in told if "8S,8H" in json.dumps(entry) or "QS,KS" in json.dumps(entry)]


def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    told = host(tmp_path, [], "usb:1209:0001")
    assert "is not there" in told[1]["detail"]
    assert told[1]["fault"] == "link_refused"


def test_the_simulators_shuffler_at_usb(tmp_path: Path) -> None:
    """A whole run of it, as ``hw-sim`` writes it: every shuffle that was whole is called so."""
    text = (
        'title = "t"\n[[devices]]\nname = "s"\nmodel = "shuffler"\nport = "umockdev"\ncount = 5\nshuffles = ["jam"]\n'
    )
    truth = TruthLog()
    machine = build_device(parse_scenario(text, "t.toml").devices[0], 3, truth)
    assert isinstance(machine, CapturedShuffler)
    for name, contents in machine.files().items():
        (tmp_path / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    told = under(machine.run_line(tmp_path), machine.usb_port)
    ready = {entry["job"] for entry in told if entry.get("reading") == "DeckReport" and entry["state"] == "ready"}
    assert {record["job"] for record in truth.records if record["expect"] == "verify"} <= ready
    assert [entry["fault"] for entry in told if entry.get("fault")] == ["shuffler_jam", "shuffler_jam", "link_lost"]


def test_a_machine_that_leaves_the_bus_and_comes_back(tmp_path: Path) -> None:
    """The kernel gives it a new address each time: that is the tamper event."""
    if shutil.which("umockdev-wrapper") is None:
        pytest.fail("umockdev-wrapper is missing: sudo apt-get install umockdev libusb-1.0-0")
    command = ["umockdev-wrapper", sys.executable, "-m", "support.usb_replug", str(tmp_path), "12", "13", "14"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=40, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert [" ".join(plugged.split()) for plugged in done.stdout.split("up\n")] == [
        "opening",
        "DeckReport waiting",
        "ShufflerTampered DeckReport waiting",
        "ShufflerTampered DeckReport waiting stopped",
    ]
