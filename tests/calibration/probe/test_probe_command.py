"""``dealer-calibrate probe``: each fault of a port by its name, at simulated devices and their wires."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_calibration.probe import others
from dealer_drivers.driver import SerialSettings, load_driver
from dealer_drivers.transports.serial import SerialTransport
from hw_sim.scenario import parse_scenario
from hw_sim.simulation import running
from support.uart_line import uart_line

SPEED = 10.0


async def probe(*arguments: str, speed: float = SPEED) -> tuple[int, dict[str, Any], str]:
    """Exit code, the result, and what was said."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dealer_calibration", "probe", *arguments, "--json", "--speed", f"{speed:g}",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, said = await child.communicate()
    assert child.returncode is not None
    return child.returncode, json.loads(out.splitlines()[-1]) if out else {}, said.decode()


def codes(result: dict[str, Any]) -> list[tuple[str, bool | None]]:
    return [(finding["code"], finding["ok"]) for finding in result["findings"]]


def last(result: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = result["findings"][-1]
    return found


GOOD = [("link", True), ("bytes", True), ("frames", True), ("readings", True)]
FAMILIES = {
    "cammegh-ss2": ('model = "ss2"', ()),
    "cammegh-m360": ('model = "m360"\ntable = "fast"', ()),
    "wheel-counter": ('model = "wheel-counter"', ()),
    "wheel-modbus": ('model = "wheel-modbus"', ()),
    "generic-shuffler": ('model = "shuffler"', ()),
    "shaker-relay": ('model = "shaker-relay"', ()),
}


@pytest.mark.parametrize("port", ["pty", "tcp"])
@pytest.mark.parametrize("driver", FAMILIES)
async def test_a_device_that_is_as_it_should_be(driver: str, port: str, tmp_path: Path) -> None:
    model, options = FAMILIES[driver]
    scenario = parse_scenario(f'title = "t"\n[[devices]]\nname = "device"\n{model}\nport = "{port}"\n', "t.toml")
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        code, result, said = await probe(driver, sim.ports["device"], "--seconds", "60", *options)
    assert (codes(result), code) == (GOOD, 0), (result, said)
    assert result["passed"] is True


async def test_it_is_recorded_where_that_is_asked_for(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        arguments = ("cammegh-ss2", sim.ports["wheel"], "--record", str(tmp_path / "r.rec.jsonl"))
        code, _, _ = await probe(*arguments)
        again, _, said = await probe(*arguments)
    assert code == 0
    assert (tmp_path / "r.rec.jsonl").read_text().count('"rx') >= 3
    assert (again, "r.rec.jsonl" in said) == (2, True), "an old recording is not written over"


def status_line() -> bytes:
    """A line of a wheel, from a real recording."""
    recording = Path(__file__).parents[2] / "recordings" / "lap-flip.rec.jsonl"
    for text in recording.read_text().splitlines()[1:]:
        entry = json.loads(text)
        if len(entry.get("rx", "")) > 12:
            return str(entry["rx"]).encode()
    raise AssertionError("no line in the recording")


@pytest.mark.parametrize("baud", [4800, 19200, 115200])
async def test_a_wrong_speed_is_named_with_the_right_one(baud: int, tmp_path: Path) -> None:
    with uart_line(tmp_path / "port", status_line(), baud) as port:
        code, result, said = await probe(driver_of_recording(), port, "--seconds", "2", speed=4)
    assert (last(result)["code"], code) == ("wrong_speed", 1), result
    assert last(result)["figures"]["right"] == f"{baud} 8N1"
    assert "set the device to that" in last(result)["do_next"]
    assert "trying" in said


def driver_of_recording() -> str:
    recording = Path(__file__).parents[2] / "recordings" / "lap-flip.rec.jsonl"
    return str(json.loads(recording.read_text().splitlines()[0])["driver"])


async def test_a_speed_that_is_an_option_is_said_as_one(tmp_path: Path) -> None:
    scenario = parse_scenario('title = "t"\n[[devices]]\nname = "device"\nmodel = "wheel-counter"\n', "t.toml")
    async with running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        recording = tmp_path / "r.rec.jsonl"
        await probe("wheel-counter", sim.ports["device"], "--record", str(recording))
    heard = "".join(json.loads(text).get("rx", "") for text in recording.read_text().splitlines()[1:])
    with uart_line(tmp_path / "port", heard.encode()[:600], 38400) as port:
        code, result, _ = await probe("wheel-counter", port, "--seconds", "2", speed=4)
    assert (last(result)["code"], code) == ("wrong_speed", 1), result
    assert "write baud = 38400" in last(result)["do_next"]


async def test_frames_of_another_device_are_named(tmp_path: Path) -> None:
    async with running("roulette", speed=SPEED, seed=3, run_dir=tmp_path / "dev") as sim:
        code, result, _ = await probe("wheel-counter", sim.ports["wheel"], "--seconds", "20")
    assert (last(result)["code"], code) == ("other_driver", 1), result
    assert "cammegh" in last(result)["said"]


async def test_noise_is_nobodys(tmp_path: Path) -> None:
    noise = bytes(range(1, 256)) * 2
    with uart_line(tmp_path / "port", noise, 9600) as port:
        code, result, _ = await probe("wheel-modbus", port, "--seconds", "2", speed=10)
    assert (last(result)["code"], code) == ("no_valid_frame", 1), result
    assert "no other driver knows them" in last(result)["said"]


async def test_a_line_that_reads_as_nul(tmp_path: Path) -> None:
    with uart_line(tmp_path / "port", b"\x00" * 40 + b"\x81", 9600) as port:
        code, result, _ = await probe("cammegh-ss2", port, "--seconds", "2", speed=10)
    assert (last(result)["code"], code) == ("inverted_line", 1), result
    assert "inverted" in last(result)["do_next"]


async def test_nothing_at_all(tmp_path: Path) -> None:
    with uart_line(tmp_path / "port", b"", 9600) as port:
        code, result, _ = await probe("cammegh-ss2", port, "--seconds", "2")
    assert (codes(result), code) == ([("link", True), ("nothing_at_all", False)], 1), result
    assert "powered? Are TX and RX crossed" in last(result)["do_next"]


async def test_a_scanner_that_nobody_uses_is_told_from_one_that_is_dead(tmp_path: Path) -> None:
    with uart_line(tmp_path / "port", b"", 9600) as port:
        code, result, _ = await probe("barcode-serial", port, "--option", "codebook=rank-suit", "--seconds", "1")
    assert (last(result)["code"], code) == ("nothing_at_all", 1), result
    assert "scan a card" in last(result)["do_next"]


async def test_a_silent_serial_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code, result, _ = await probe("cammegh-ss2", f"tcp://127.0.0.1:{server.getsockname()[1]}", "--seconds", "2")
    assert (last(result)["code"], code) == ("nothing_at_all", 1)
    assert "raw TCP" in last(result)["do_next"]


@pytest.mark.parametrize("port", ["/dev/dealer/no-such-wheel", "tcp://127.0.0.1:1"])
async def test_a_port_that_is_not_there(port: str) -> None:
    code, result, _ = await probe("cammegh-ss2", port)
    assert (codes(result), code) == ([("port_absent", False)], 3)


async def test_somebody_else_on_the_port_is_named(tmp_path: Path) -> None:
    with uart_line(tmp_path / "port", b"", 9600) as port:
        channel = await SerialTransport(port, SerialSettings()).open()
        try:
            code, result, _ = await probe("cammegh-ss2", port)
        finally:
            await channel.close()
    assert (codes(result), code) == ([("port_busy", False)], 3)
    assert f"process {os.getpid()}" in last(result)["said"]
    assert "--table T" in last(result)["do_next"]


def test_a_port_without_rights_names_the_group() -> None:
    """Judged without a port: root may open everything."""
    from dealer_calibration.probe.judge import Tried, findings_of
    from dealer_calibration.probe.listen import Heard
    from dealer_drivers.driver import load_driver
    from dealer_drivers.errors import PortForbidden

    driver = load_driver("cammegh-ss2")
    error = PortForbidden("port /dev/ttyS0 may not be opened by this user: add the station's user to the group dialout")
    (found,) = findings_of(
        driver, driver.parse_options({}), "/dev/ttyS0", "serial", Heard(0.1, refused=error), [], Tried()
    )
    assert (found.code, found.ok, "dialout" in found.said) == ("no_rights", False, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-driver", "/dev/x"), "no driver 'no-such-driver'"),
        (("cammegh-ss2", "wheel"), "is no port"),
        (("cammegh-ss2", "usb:0c2e:0901"), "no port of cammegh-ss2, which takes: recording, serial, tcp"),
        (("barcode-serial", "/dev/x"), "--option codebook=…: missing"),
        (("cammegh-ss2", "/dev/x", "--option", "warp=9"), "--option warp=…: unknown key"),
        (("cammegh-ss2", "/dev/x", "--option", "zeros=9"), "--option zeros=…"),
        (("cammegh-ss2",), "say DRIVER and PORT"),
        (("cammegh-ss2", "/dev/x", "--table", "r1", "--device", "d"), "say either"),
    ],
)
async def test_what_is_asked_wrongly_is_said(arguments: tuple[str, ...], said: str) -> None:
    code, result, told = await probe(*arguments)
    assert (code, result) == (2, {})
    assert said in told


async def test_frames_among_much_that_is_none(tmp_path: Path) -> None:
    spoilt = status_line() + b"\xfe" * 40 + b"\r\n" + b"*X;2;0" * 8 + b"\r\n"
    with uart_line(tmp_path / "port", spoilt, 9600) as port:
        code, result, _ = await probe(driver_of_recording(), port, "--seconds", "10")
    assert (codes(result)[2], code) == (("spoilt_bytes", False), 1), result
    assert "cable" in result["findings"][2]["do_next"]


def test_a_driver_that_takes_any_text_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    generic = load_driver("generic-number")

    class AnyOptions(generic.options, frozen=True, kw_only=True, forbid_unknown_fields=True):  # type: ignore[name-defined]
        pattern: str = r".*?(?P<number>\d+).*"

    taker = dataclasses.replace(generic, options=AnyOptions)
    monkeypatch.setattr(others, "driver_names", lambda: ["any-text"])
    monkeypatch.setattr(others, "load_driver", lambda _: taker)
    text = b"lap 1\r\nlap 2\r\nlap 3\r\n" * 4
    assert others.count(taker, taker.parse_options({}), text)[0] >= 2
    assert others.known_by(text, "serial", "cammegh-ss2") == []
