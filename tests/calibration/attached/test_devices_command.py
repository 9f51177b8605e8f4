"""``dealer-calibrate devices``: everything that is plugged in is listed by a name that stays, with what reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.cli import main
from dealer_daemon.config import ConfigErrors, load_config
from support.plugged import Machine
from support.umockdev import HIDPOS_DESCRIPTOR, KEYBOARD_DESCRIPTOR

FTDI, SCANNER = "0403:6001", "0c2e:0901"


def devices(machine: Machine, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, dict[str, Any]]:
    """By port, relative to the tree."""
    assert main(["devices", "--json", *machine.arguments(), *more]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {line["port"].removeprefix(f"{machine.dev}/"): line for line in lines}


def sure(line: dict[str, Any]) -> list[str]:
    return [fit["driver"] for fit in line["drivers"] if fit["sure"]]


def test_a_serial_adapter_by_its_stable_name_and_every_driver_of_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path)
    adapter = machine.usb(FTDI, "FTDI", "FT232R", "A10K")
    node = machine.serial(adapter, "ttyUSB0", by_id="usb-FTDI_FT232R_A10K-if00-port0")
    (line,) = devices(machine, capsys).values()
    assert line["port"] == str(machine.dev / "serial/by-id/usb-FTDI_FT232R_A10K-if00-port0")
    assert (line["path"], line["usb"], line["serial"]) == (str(node), FTDI, "A10K")
    assert (line["kind"], line["warning"], line["held_by"]) == ("serial", "", None)
    assert {"cammegh-ss2", "angel-eye", "wheel-modbus"} <= {fit["driver"] for fit in line["drivers"]}
    assert sure(line) == [], "an adapter may have anything behind it"


def test_the_studios_own_name_comes_first_and_no_name_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path)
    node = machine.serial(machine.usb(FTDI), "ttyUSB0", by_id="usb-FTDI-if00")
    (machine.dev / "dealer").mkdir()
    (machine.dev / "dealer/wheel").symlink_to(node)
    machine.serial(machine.usb(FTDI), "ttyUSB1")
    machine.serial(None, "ttyS0", kind="4")
    machine.serial(None, "ttyS1", kind="0")
    found = devices(machine, capsys)
    assert sorted(found) == ["dealer/wheel", "ttyS0", "ttyUSB1"], "ttyS1 has no UART"
    assert [port for port, line in found.items() if line["warning"]] == ["ttyUSB1"]


def test_a_scanner_says_itself_what_it_is_in_each_of_its_modes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path)
    machine.hid(machine.usb(SCANNER, "Honeywell", serial="S1"), HIDPOS_DESCRIPTOR)
    machine.serial(machine.usb(SCANNER), "ttyACM0", by_id="usb-Honeywell-if00")
    typing = machine.usb(SCANNER)
    machine.hid(typing, KEYBOARD_DESCRIPTOR)
    machine.keyboard(typing, "event3", by_id="usb-Honeywell")
    found = devices(machine, capsys)
    assert {port: sure(line) for port, line in found.items()} == {
        f"usb:{SCANNER}:S1": ["barcode-hidpos"],
        "serial/by-id/usb-Honeywell-if00": ["barcode-serial"],
        "input/by-id/usb-Honeywell-event-kbd": ["barcode-keyboard"],
    }


def test_a_keyboard_and_a_mouse_are_no_scanner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    machine.keyboard(machine.usb("046d:c31c"), "event1", by_id="usb-Logitech")
    machine.keyboard(machine.usb("046d:c077"), "event2", events="17")
    machine.hid(machine.usb("046d:c31c"), KEYBOARD_DESCRIPTOR)
    found = devices(machine, capsys)
    assert list(found) == ["input/by-id/usb-Logitech-event-kbd"]
    assert sure(found["input/by-id/usb-Logitech-event-kbd"]) == []


def test_a_camera_and_not_its_metadata(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    camera = machine.usb("046d:085e", "Logitech", "BRIO", "C1")
    machine.camera(camera, "video0", by_id="usb-BRIO-video-index0")
    machine.camera(camera, "video1", by_id="usb-BRIO-video-index1", index=1)
    found = devices(machine, capsys)
    assert list(found) == ["v4l/by-id/usb-BRIO-video-index0"]
    drivers = {fit["driver"] for fit in found["v4l/by-id/usb-BRIO-video-index0"]["drivers"]}
    assert drivers == {"barcode-camera", "bean-camera", "sicbo-camera"}


def test_a_bulk_interface_that_no_driver_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    machine.bulk(machine.usb("1209:0001", "Shuffler"))
    machine.bulk(machine.usb("0403:6001"), taken=True)
    found = devices(machine, capsys)
    assert list(found) == ["usb:1209:0001"]
    assert [fit["driver"] for fit in found["usb:1209:0001"]["drivers"]] == ["generic-shuffler"]


def test_who_has_a_port_open_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    node = machine.serial(machine.usb(FTDI), "ttyUSB0")
    with node.open():
        (line,) = devices(machine, capsys).values()
    assert line["held_by"] == "this process"
    assert os.getpid()


def test_ports_that_nothing_lists_are_named_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    found = devices(machine, capsys, "--also", "tcp://10.0.7.20:4001", "--also", str(tmp_path / "pty"))
    assert [line["kind"] for line in found.values()] == ["tcp", "serial"]
    assert main(["devices", *machine.arguments(), "--also", "wheel"]) == 2
    assert "is no port" in capsys.readouterr().err


def test_an_empty_machine_and_one_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(tmp_path)
    assert main(["devices", *machine.arguments()]) == 0
    assert "nothing is attached" in capsys.readouterr().out
    machine.serial(machine.usb(FTDI, "FTDI"), "ttyUSB0", by_id="usb-FTDI")
    assert main(["devices", *machine.arguments()]) == 0
    assert "`dealer-calibrate probe DRIVER" in capsys.readouterr().out
    assert main(["devices", "--drivers", "--json"]) == 0
    drivers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"driver": "barcode-hidpos", "ports": ["usb"]}.items() <= next(
        one for one in drivers if one["driver"] == "barcode-hidpos"
    ).items()


def test_a_first_station_passes_its_check_with_what_was_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, file = Machine(tmp_path / "machine"), tmp_path / "station.toml"
    machine.serial(machine.usb(FTDI, serial='A"10'), "ttyUSB0", by_id="usb-FTDI_A10")
    machine.serial(machine.usb(FTDI, serial="B20"), "ttyUSB1", by_id="usb-FTDI_B20")
    machine.serial(machine.usb(FTDI), "ttyUSB2", by_id="usb-FTDI_C30")
    wheel, shoe = (str(machine.dev / f"serial/by-id/usb-FTDI_{name}") for name in ("A10", "B20"))
    asked = ["--use", f"{wheel}=cammegh-ss2", "--use", f"{shoe}=angel-eye", "--write-config", str(file)]
    assert main(["devices", *machine.arguments(), *asked]) == 0
    assert "2 tables; 1 ports are left to you" in capsys.readouterr().err
    config = load_config(file)
    ports = {name: (table.game, table.devices[0].port) for name, table in config.tables.items()}
    assert ports == {"r1": ("roulette", wheel), "b1": ("baccarat", shoe)}
    assert "usb-FTDI_C30" in file.read_text()
    before = file.read_text()
    assert main(["devices", *machine.arguments(), *asked]) == 2
    assert "is there already" in capsys.readouterr().err
    assert file.read_text() == before


def test_what_a_first_station_lacks_is_what_the_technician_makes_next(tmp_path: Path) -> None:
    machine, file = Machine(tmp_path / "machine"), tmp_path / "station.toml"
    machine.camera(machine.usb("046d:085e"), "video0", by_id="usb-BRIO-video-index0")
    machine.hid(machine.usb(SCANNER), HIDPOS_DESCRIPTOR)
    camera = str(machine.dev / "v4l/by-id/usb-BRIO-video-index0")
    asked = ["--use", f"{camera}=sicbo-camera", "--write-config", str(file)]
    # The simulated /dev is no /dev of cameras: there the kind is told by the path.
    assert main(["devices", *machine.arguments(), *asked]) == 0
    with pytest.raises(ConfigErrors) as caught:
        load_config(file)
    said = {error.key.rpartition(".")[2] for error in caught.value.errors}
    assert {"calibration", "codebook"} <= said


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("/dev/nothing=cammegh-ss2", "no such port"),
        ("tcp://h:1=cammegh", "no driver 'cammegh'"),
        ("tcp://h:1=barcode-hidpos", "does not read a port of the kind tcp"),
    ],
)
def test_a_choice_that_cannot_be_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], use: str, said: str
) -> None:
    file = tmp_path / "station.toml"
    machine = Machine(tmp_path / "machine")
    asked = ["--also", "tcp://h:1", "--use", use, "--write-config", str(file)]
    assert main(["devices", *machine.arguments(), *asked]) == 2
    assert said in capsys.readouterr().err
    assert not file.exists()
