"""udev's rules: udev reads them, each device gets its name and its rights, and the file that is shipped is new."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.cli import main
from dealer_daemon.config import Config, ConfigErrors, parse_config
from dealer_daemon.udev import GENERAL_FILE, general_rules, port_rules
from dealer_drivers.driver import installed_drivers

BASE = """
[station]
site = "studio-1"
state_dir = "/tmp/none"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
[tables.c1]
game = "dragon-tiger"
round_source = "server"
[[tables.c1.devices]]
name = "camera"
driver = "barcode-camera"
port = "camera:/dev/dealer/cam"
codebook = "rank-suit"
symbology = "code128"
[tables.b1]
game = "dragon-tiger"
round_source = "server"
[[tables.b1.devices]]
name = "scanner"
driver = "barcode-hidpos"
port = "usb:0c2e:0b81:S123"
codebook = "rank-suit"
"""
WHEEL = '[ports.wheel]\nserial = "A50285BI"\n'
TOKEN = re.compile(r'[A-Z]+(\{[^}"]+\})?(==|!=|=|\+=|:=)"[^"]*"')
KEYS = {
    "ACTION",
    "SUBSYSTEM",
    "SUBSYSTEMS",
    "KERNEL",
    "DRIVERS",
    "ATTR",
    "ATTRS",
    "ENV",
    "TEST",
    "GROUP",
    "MODE",
    "TAG",
} | {
    "GOTO",
    "LABEL",
    "SYMLINK",
}


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def assert_syntax(text: str) -> None:
    """What udev takes for a rule (udev(7)), as far as these rules use it; every jump has its label."""
    for line in lines(text):
        for token in line.split(", "):
            assert TOKEN.fullmatch(token), token
            assert re.split(r"[{=!+:]", token)[0] in KEYS, token
    gotos = set(re.findall(r'GOTO="(\w+)"', text))
    assert gotos == set(re.findall(r'LABEL="(\w+)"', text))


def config(ports: str = "", base: str = BASE) -> Config:
    return parse_config(base + ports, Path("/etc/station.toml"))


def problems(ports: str, base: str = BASE) -> list[str]:
    with pytest.raises(ConfigErrors) as errors:
        config(ports, base)
    return [f"{error.line} {error.key}: {error.reason}" for error in errors.value.errors]


def test_the_rules_that_are_shipped_are_those_of_the_manifests(repository: Path) -> None:
    shipped = (repository / "systemd/udev" / GENERAL_FILE).read_text()
    assert shipped == general_rules(installed_drivers()), "write them anew: dealer-daemon udev > systemd/udev/…"
    assert_syntax(shipped)


def test_each_maker_of_a_manifest_has_rights_and_nobody_else_takes_hold_of_it() -> None:
    rules = lines(general_rules(installed_drivers()))
    makers = {usb for driver in installed_drivers() for one in driver.attachments for usb in one.usb}
    assert makers
    for maker in makers:
        (rule,) = [rule for rule in rules if f'ATTR{{idVendor}}=="{maker}"' in rule]
        assert 'GROUP="dealer", MODE="0660"' in rule
        assert 'ID_MM_DEVICE_IGNORE}="1"' in rule
    assert any('"ftdi_sio", ATTR{latency_timer}="1"' in rule for rule in rules)


def test_without_drivers_of_cameras_and_serial_ports_nothing_is_said_of_these() -> None:
    text = general_rules([driver for driver in installed_drivers() if driver.name == "shaker-networked"])
    assert "video4linux" not in text
    assert "tty" not in text
    assert_syntax(text)


def test_a_port_has_its_name_by_serial_number_or_by_socket() -> None:
    socket = '[ports.cam]\npath = "pci-0000:00:14.0-usb-0:2:1.0"\nusb = "046d:085e"\ninterface = "00"\n'
    text = port_rules(config(WHEEL + socket))
    assert_syntax(text)
    (wheel,) = [rule for rule in lines(text) if "dealer/wheel" in rule]
    assert wheel.startswith(
        'SUBSYSTEM=="tty", ENV{ID_SERIAL_SHORT}=="A50285BI", SYMLINK+="dealer/wheel", GROUP="dealer"'
    )
    (camera,) = [rule for rule in lines(text) if "dealer/cam" in rule]
    assert camera.startswith(
        'SUBSYSTEM=="video4linux", ATTR{index}=="0", ENV{ID_PATH}=="pci-0000:00:14.0-usb-0:2:1.0", '
    )
    assert 'ENV{ID_VENDOR_ID}=="046d", ENV{ID_MODEL_ID}=="085e", ENV{ID_USB_INTERFACE_NUM}=="00"' in camera


def test_a_scanner_that_is_read_as_a_usb_device_may_be_opened() -> None:
    (rule,) = [rule for rule in lines(port_rules(config())) if "0b81" in rule]
    assert 'ATTR{idVendor}=="0c2e", ATTR{idProduct}=="0b81", ATTR{serial}=="S123", GROUP="dealer", MODE="0660"' in rule


@pytest.mark.parametrize(
    ("ports", "key", "reason"),
    [
        ("[ports.wheel]\n", "ports.wheel", "by which serial number or in which socket"),
        ('[ports.weel]\nserial = "A"\n', "ports.weel", "no device has the port /dev/dealer/weel"),
        ('[ports.wheel]\nserial = "A\\"B"\n', "ports.wheel.serial", "letters, digits"),
        ('[ports.wheel]\nserial = "*"\n', "ports.wheel.serial", "letters, digits"),
        ('[ports.wheel]\nserial = "A"\nserail = "B"\n', "ports.wheel.serail", "did you mean 'serial'"),
        ('[ports.wheel]\nserial = "A"\nusb = "403:6001"\n', "ports.wheel.usb", "VID:PID"),
        ('[ports]\nwheel = "A"\n', "ports.wheel", "expected a section"),
    ],
)
def test_what_is_wrong_with_a_port_is_said_by_key(ports: str, key: str, reason: str) -> None:
    (said,) = problems(ports)
    assert f" {key}: " in said
    assert reason in said


def test_one_device_cannot_have_two_names() -> None:
    second = BASE[BASE.index("[tables.r1]") : BASE.index("[tables.c1]")].replace("r1", "r2")
    second = second.replace("/dev/dealer/wheel", "/dev/dealer/wheel2") + '[ports.wheel2]\nserial = "A50285BI"\n'
    (said,) = problems(WHEEL + second)
    assert "ports.wheel2: it is the same device as [ports.wheel]" in said


@given(text=st.from_regex(r"[A-Za-z0-9_.:#@=+-]{1,40}", fullmatch=True))
def test_no_serial_number_breaks_out_of_its_rule(text: str) -> None:
    rules = port_rules(config(f'[ports.wheel]\nserial = "{text}"\n'))
    assert_syntax(rules)
    assert f'ENV{{ID_SERIAL_SHORT}}=="{text}"' in rules


def test_the_command_prints_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "station.toml"
    file.write_text(BASE + WHEEL)
    assert main(["udev", "--config", str(file)]) == 0
    printed = capsys.readouterr().out
    rules = tmp_path / "99.rules"
    rules.write_text(printed)
    assert main(["udev", "--config", str(file), "--check", str(rules)]) == 0
    rules.write_text(printed.replace("A50285BI", "A50285BX"))
    assert main(["udev", "--config", str(file), "--check", str(rules)]) == 1
    assert "write them anew: dealer-daemon udev --config" in capsys.readouterr().err
    assert main(["udev", "--check", str(tmp_path / "none")]) == 1


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("udevadm") is None or shutil.which("unshare") is None,
    reason="udev's own look at the rules needs root (a mount name space), udevadm and unshare",
)
def test_udev_itself_reads_every_rule(tmp_path: Path) -> None:
    for name, text in (
        ("98-a.rules", general_rules(installed_drivers())),
        ("98-b.rules", port_rules(config(WHEEL))),
    ):
        (tmp_path / name).write_text(text.replace('GROUP="dealer"', 'GROUP="dialout"'))
    (tmp_path / "98-wrong.rules").write_text('SUBSYSTEM=="tty", NOKEY=="1"\n')
    look = (
        f"mount -t tmpfs none /run && mkdir -p /run/udev/rules.d && cp {tmp_path}/*.rules /run/udev/rules.d/ && "
        "udevadm test /sys/class/tty/tty 2>&1"
    )
    said = subprocess.run(
        ["unshare", "--mount", "sh", "-c", look], capture_output=True, text=True, check=False, timeout=60
    )
    complaints = [line for line in said.stdout.splitlines() if "98-" in line and "Reading rules file" not in line]
    assert any("98-wrong.rules" in line for line in complaints), said.stdout
    assert not [line for line in complaints if "98-wrong.rules" not in line]
