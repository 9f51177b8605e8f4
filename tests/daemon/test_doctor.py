"""The doctor of a PC: what it finds in trees of files made for it, how each is mended, and what the command answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Iterable
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.config import Config, parse_config
from dealer_daemon.doctor import Finding, Machine, State, examine
from dealer_daemon.doctor.broker import look_at_credentials
from dealer_daemon.doctor.machine import User
from dealer_daemon.doctor.system import clock_set, look_at_clock, look_at_disk, look_at_libraries, look_at_others
from dealer_daemon.udev import GENERAL_FILE, PORTS_FILE, general_rules, port_rules
from dealer_drivers.driver import installed_drivers
from support.mqtt_brokers import free_port, mosquitto
from support.plugged import Machine as Tree

CONFIG = """
[station]
site = "studio-1"
state_dir = "{folder}/state"
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
{mqtt}
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{port}"
{more}
"""
DEALER = User("dealer", 4711, frozenset({4711}))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    found = Tree(tmp_path / "pc")
    found.arguments()
    return found


def machine(tree: Tree, user: User | None = None) -> Machine:
    rules = tree.root / "rules"
    rules.mkdir(exist_ok=True)
    (tree.root / "proc").mkdir(exist_ok=True)
    me = User("me", os.geteuid(), frozenset({os.getegid()}))
    return Machine(tree.sys, tree.dev, tree.root / "proc", (rules,), user or me)


def runs(tree: Tree, *names: str) -> None:
    for number, name in enumerate(names, 100):
        folder = tree.root / f"proc/{number}"
        folder.mkdir(parents=True)
        (folder / "comm").write_text(name + "\n")


def config(folder: Path, port: str = "/dev/dealer/wheel", *, broker: int = 1, mqtt: str = "", more: str = "") -> Config:
    text = CONFIG.format(folder=folder, port=port, broker=broker, mqtt=mqtt, more=more)
    return parse_config(text, folder / "station.toml")


def of(findings: Iterable[Finding], check: str) -> list[Finding]:
    found = [finding for finding in findings if finding.check == check]
    assert all(finding.mend for finding in found if finding.state not in (State.GOOD, State.UNKNOWN)), "it says how"
    return found


def ports(tree: Tree, folder: Path, port: str, user: User | None = None) -> list[Finding]:
    return of(examine(config(folder, port), machine(tree, user)), "port r1/wheel")


def test_a_port_that_is_good_is_said_once(tree: Tree, tmp_path: Path) -> None:
    node = tree.serial(tree.usb("0403:6001"), "ttyUSB0")
    (tree.dev / "dealer").mkdir()
    (tree.dev / "dealer/wheel").symlink_to(node)
    (found,) = ports(tree, tmp_path, "/dev/dealer/wheel")
    assert found.state is State.GOOD


def test_a_port_that_is_not_there_names_what_is(tree: Tree, tmp_path: Path) -> None:
    tree.serial(tree.usb("0403:6001"), "ttyUSB0", by_id="usb-FTDI-if00")
    (found,) = ports(tree, tmp_path, "/dev/dealer/wheel")
    assert found.state is State.UNREACHABLE
    assert "serial/by-id/usb-FTDI-if00" in found.mend


def test_a_port_that_the_station_may_not_open_names_the_group(tree: Tree, tmp_path: Path) -> None:
    node = tree.serial(tree.usb("0403:6001"), "ttyUSB0")
    node.chmod(0o660)
    found = ports(tree, tmp_path, "/dev/ttyUSB0", DEALER)
    assert found[0].state is State.WRONG
    assert "dealer may not open /dev/ttyUSB0" in found[0].what
    assert "usermod -aG" in found[0].mend
    assert found[1].state is State.WARNING, "a name with a number"
    allowed = User("dealer", 4711, frozenset({node.stat().st_gid}))
    assert ports(tree, tmp_path, "/dev/ttyUSB0", allowed)[0].state is State.GOOD


def test_an_adapter_that_dawdles_or_sleeps_is_found(tree: Tree, tmp_path: Path) -> None:
    usb = tree.usb("0403:6001")
    tree.serial(usb, "ttyUSB0", by_id="usb-FTDI")
    (usb / f"{usb.name}:1.0/ttyUSB0/latency_timer").write_text("16\n")
    (usb / "power").mkdir()
    (usb / "power/control").write_text("auto\n")
    good, latency, sleeps = ports(tree, tmp_path, "/dev/serial/by-id/usb-FTDI")
    assert good.state is State.GOOD
    assert (latency.state, "16 ms" in latency.what) == (State.WRONG, True)
    assert (sleeps.state, "autosuspend" in sleeps.what) == (State.WARNING, True)
    (usb / f"{usb.name}:1.0/ttyUSB0/latency_timer").write_text("1\n")
    (usb / "power/control").write_text("on\n")
    assert len(ports(tree, tmp_path, "/dev/serial/by-id/usb-FTDI")) == 1


def test_a_port_on_the_network_is_asked(tree: Tree, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        (found,) = ports(tree, tmp_path, f"tcp://127.0.0.1:{server.getsockname()[1]}")
        assert found.state is State.GOOD
    (found,) = ports(tree, tmp_path, f"tcp://127.0.0.1:{free_port()}")
    assert found.state is State.UNREACHABLE


@pytest.mark.parametrize(
    ("programs", "is_set", "states"),
    [
        (["chronyd"], True, [State.GOOD]),
        ([], True, [State.WRONG, State.GOOD]),
        (["systemd-timesyn"], False, [State.WRONG]),
        (["ntpd"], None, [State.UNKNOWN]),
    ],
)
def test_a_clock_that_nobody_sets_is_found(
    tree: Tree, programs: list[str], is_set: bool | None, states: list[State]
) -> None:
    runs(tree, *programs)
    assert [one.state for one in of(look_at_clock(machine(tree), lambda: is_set), "clock")] == states


def test_the_kernel_tells_of_its_clock() -> None:
    assert clock_set() in (True, False)


def test_the_disk_is_measured_where_the_state_is_and_may_not_be_memory(tree: Tree, tmp_path: Path) -> None:
    state = tmp_path / "state"
    mounts = machine(tree).proc / "self"
    mounts.mkdir(parents=True)
    (mounts / "mounts").write_text(f"/dev/sda / ext4 rw 0 0\ntmpfs {tmp_path} tmpfs rw 0 0\n")
    found = of(look_at_disk(state, machine(tree)), "disk")
    assert [one.what for one in found if one.state is State.WRONG] == [
        f"{tmp_path} is a tmpfs: a power cut loses the journal"
    ]
    (mounts / "mounts").write_text("/dev/sda / ext4 rw 0 0\n")
    state.mkdir()
    found = of(look_at_disk(state, machine(tree)), "disk")
    assert any("a write is on the disk after" in one.what for one in found)
    assert not [one for one in found if one.state is State.WRONG]
    assert list(state.iterdir()) == [], "it leaves nothing"


def test_a_state_directory_that_the_station_may_not_write_is_found(tree: Tree, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o750)
    found = of(look_at_disk(state, machine(tree, DEALER)), "disk")
    assert any(one.state is State.WRONG and "dealer may not write" in one.what for one in found)


def test_programs_that_take_ports_are_wrong_unless_the_rules_keep_them_away(tree: Tree, tmp_path: Path) -> None:
    runs(tree, "ModemManager", "brltty", "bash")
    pc = machine(tree)
    found = list(look_at_others(None, pc))
    assert [one.what.split()[0] for one in of(found, "other programs") if one.state is State.WRONG] == [
        "ModemManager",
        "brltty",
    ]
    assert of(found, "udev")[0].state is State.WARNING
    named = config(tmp_path, more='[ports.wheel]\nserial = "A"\n')
    (pc.rules[0] / GENERAL_FILE).write_text(general_rules(installed_drivers()))
    (pc.rules[0] / PORTS_FILE).write_text(port_rules(named))
    assert {one.state for one in look_at_others(named, pc)} == {State.GOOD}
    (pc.rules[0] / PORTS_FILE).write_text(port_rules(named).replace('"A"', '"B"'))
    assert [one.state for one in of(look_at_others(named, pc), "udev")] == [State.GOOD, State.WARNING]


def test_an_address_that_the_station_shall_serve_at_must_be_free(tree: Tree, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken, free = other.getsockname()[1], free_port()
        more = f'[monitoring]\nlisten = "127.0.0.1:{taken}"\n[screen]\nlisten = "127.0.0.1:{free}"\n'
        findings = list(examine(config(tmp_path, more=more), machine(tree)))
    (found,) = of(findings, "[monitoring] listen")
    assert found.state is State.WRONG
    assert f"sport = :{taken}" in found.mend
    assert [one.state for one in of(findings, "[screen] listen")] == [State.GOOD]
    more = '[monitoring]\nlisten = "192.0.2.77:9464"\noff_loopback = true\n'
    (found,) = of(examine(config(tmp_path, more=more), machine(tree)), "[monitoring] listen")
    assert (found.state, found.mend) == (State.WRONG, "write an address of this PC")


def test_libraries_are_asked_of_only_where_a_device_needs_them(tmp_path: Path) -> None:
    assert list(look_at_libraries(config(tmp_path))) == []
    assert {one.what.split()[0] for one in look_at_libraries(None)} >= {"cv2", "libzbar", "libusb-1.0"}


def test_a_library_that_a_device_needs_and_that_is_missing_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda _: None)
    scanner = (
        '[tables.b1]\ngame = "dragon-tiger"\nround_source = "server"\n[[tables.b1.devices]]\nname = "scanner"\n'
        'driver = "barcode-hidpos"\nport = "usb:0c2e:0b81"\ncodebook = "rank-suit"\n'
    )
    (found,) = look_at_libraries(config(tmp_path, more=scanner))
    assert (found.state, "libusb-1.0-0" in found.mend) == (State.WRONG, True)


def test_credentials_that_the_station_cannot_read_are_found(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret")
    (tmp_path / "password").chmod(0o600)
    mqtt = 'username = "u"\npassword_file = "password"\n'
    (found,) = look_at_credentials(config(tmp_path, mqtt=mqtt), machine(tree, DEALER))
    assert found.state is State.WRONG
    handed = config(tmp_path, mqtt=mqtt.replace('"password"', '"credential:password"'))
    (unknown,) = look_at_credentials(handed, machine(tree, DEALER))
    assert (unknown.state, "LoadCredential=password:" in unknown.mend) == (State.UNKNOWN, True)
    assert "secret" not in str(found)


def test_the_command_answers_by_what_is_worst(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "station.toml"
    broker = mosquitto(tmp_path)
    asyncio.run(broker.start())
    with socket.create_server(("127.0.0.1", 0)) as server, contextlib.ExitStack() as ends:
        ends.callback(broker.stop)
        port = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        file.write_text(CONFIG.format(folder=tmp_path, port=port, broker=broker.port, mqtt="", more=""))
        code = main(["doctor", "--config", str(file), "--json"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    states = {one["state"] for one in found}
    assert code == (1 if "wrong" in states else 3 if "unreachable" in states else 0)
    assert [one["state"] for one in found if one["check"] in ("broker", "port r1/wheel")] == ["good", "good"]
    main(["doctor", "--config", str(file), "--json"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["state"] for one in found if one["check"] == "broker"] == ["unreachable"]
    file.write_text(file.read_text().replace('"roulette"', '"roulete"'))
    assert main(["doctor", "--config", str(file)]) == 2
    assert main(["doctor", "--user", "nobody-of-that-name"]) == 2
