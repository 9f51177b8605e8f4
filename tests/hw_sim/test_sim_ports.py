"""Real ports: another process reads them, plugs come and go, a host that does not read stops nothing."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hw_sim.adapter import BACKLOG, PtyPort, TcpPort
from hw_sim.scenario import Scenario, parse_scenario
from hw_sim.simulation import running

READER = """
import json, sys, serial
with serial.Serial(sys.argv[1], 9600, timeout=10) as port:
    port.write(b"*T D\\r\\n")
    lines = []
    while sum(line[:1] in b" 123" for line in lines) < 3:
        lines.append(port.readline())
        assert lines[-1], "nothing for 10 s"
print(json.dumps([line.decode() for line in lines]))
"""


def scenario(**options: Any) -> Scenario:
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    return parse_scenario(f'title = "test"\n[[devices]]\nname = "wheel"\nmodel = "ss2"\n{text}', "test.toml")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Host:
    """A pty's other end, opened as it is: no settings, no flushing."""

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.data = b""
        self.ended: OSError | str | None = None
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(self.fd, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self.fd, 4096)
        except OSError as error:
            self.ended, data = error, b""
        else:
            self.data += data
            self.ended = None if data else "end"
        if not data:
            self.stop()
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def stop(self) -> None:
        asyncio.get_running_loop().remove_reader(self.fd)

    def close(self) -> None:
        self.stop()
        os.close(self.fd)


@asynccontextmanager
async def host(path: str) -> AsyncIterator[Host]:
    opened = Host(path)
    try:
        yield opened
    finally:
        opened.close()


async def test_another_process_reads_a_pty_with_pyserial_at_speed_50() -> None:
    async with running(scenario(wait_for_host=True), speed=50, seed=1) as sim:
        reader = await asyncio.create_subprocess_exec(
            sys.executable, "-c", READER, sim.ports["wheel"], stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(reader.communicate(), 30)
        lines = json.loads(out)
        truth = sim.truth(in_play=True)
    assert reader.returncode == 0
    assert "*T d 12\r\n" in lines
    bare = [line.strip() for line in lines if line[0] in " 123"]
    assert bare == [record["bare"] for record in truth][:3]
    assert all(line.endswith("\r\n") for line in lines)
    assert sum(line.startswith("*X;4;") for line in lines) > 60


async def test_a_pty_is_raw_and_answers() -> None:
    async with running(scenario(), speed=50) as sim, host(sim.ports["wheel"]) as opened:
        os.write(opened.fd, b"*T D\r")
        await opened.until(lambda: b"*T d 12\r\n" in opened.data)
        assert b"*T D" not in opened.data, "no echo"
        await opened.until(lambda: opened.data.count(b"*X;") > 5)
        assert opened.data.count(b"\r\n") >= 6


async def test_unplug_ends_the_readers_port_and_replug_has_the_same_name() -> None:
    async with running(scenario(), speed=50) as sim:
        path = sim.ports["wheel"]
        async with host(path) as opened:
            await opened.until(lambda: b"*X;2" in opened.data)
            await sim.unplug("wheel")
            await opened.until(lambda: opened.ended is not None)
            assert opened.ended == "end" or getattr(opened.ended, "errno", 0) == errno.EIO
            with pytest.raises(OSError, match="Input/output error"):
                os.write(opened.fd, b"*X\r\n")
            assert names_in(sim.run_dir) == []
        await sim.replug("wheel")
        assert sim.ports["wheel"] == path
        async with host(path) as opened:
            await opened.until(lambda: b"*X;" in opened.data)
        assert sum("unplug" in record["faults"] for record in sim.truth(in_play=True)) == 1


async def test_a_fault_of_the_scenario_pulls_the_plug_and_puts_it_back() -> None:
    async with running(scenario(spins=["unplug"], wait_for_host=True), speed=50, seed=2) as sim:
        async with host(sim.ports["wheel"]) as opened:
            await opened.until(lambda: opened.ended is not None)
        await asyncio.wait_for(sim.until_truth(1), 10)
        async with host(sim.ports["wheel"]) as opened:
            await opened.until(lambda: b"*X;" in opened.data)


async def test_time_may_wait_for_the_host() -> None:
    (wheel,) = scenario(wait_for_host=True).devices
    (other,) = scenario().devices
    both = Scenario(title="two", devices=(wheel, msgspec.structs.replace(other, name="other")))
    async with running(both, speed=200) as sim:
        await asyncio.wait_for(sim.until_truth(1), 10)
        assert sim.truth()[0]["device"] == "other"
        assert sim.describe()[0]["unheard_bytes"] == 0
        async with host(sim.ports["wheel"]) as opened:
            await opened.until(lambda: b"\n" in opened.data)
            assert opened.data.startswith(b"*X;1;001;  ;0;"), "the first line of all"


async def test_nobody_listening_costs_bytes_and_no_time() -> None:
    async with running(scenario(), speed=500) as sim:
        records = await asyncio.wait_for(sim.until_truth(3), 10)
        assert [record["spin"] for record in records] == [1, 2, 3]
        assert sim.describe()[0]["unheard_bytes"] > 3000
        async with host(sim.ports["wheel"]) as opened:
            await opened.until(lambda: opened.data.count(b"\n") > 2)
            assert opened.data.startswith(b"*X;") or opened.data[:1] in b" 123", "nothing stale, nothing torn"


async def test_a_host_that_opens_and_does_not_read_loses_the_oldest(tmp_path: Path) -> None:
    port = PtyPort(tmp_path / "wheel", lambda _: None, lambda: None)
    await port.plug()
    async with host(port.address) as opened:
        opened.stop()
        lines = [f"{n:06d}\r\n".encode() for n in range(20_000)]
        for line in lines:
            port.write(line)
        assert port.dropped > 160_000 - BACKLOG - 100_000, "the kernel's own queue is under 100 kB"
        asyncio.get_running_loop().add_reader(opened.fd, opened._read)
        await opened.until(lambda: lines[-1] in opened.data)
        assert len(opened.data) == 160_000 - port.dropped
        assert opened.data.startswith(b"".join(lines[:200])), "the kernel's queue is not touched"
        assert opened.data.endswith(b"".join(lines[-200:])), "the newest came whole"
    port.unplug()


async def test_tcp_is_a_serial_server() -> None:
    async with running(scenario(port="tcp"), speed=100) as sim:
        address = sim.ports["wheel"]
        assert address.startswith("tcp://127.0.0.1:")
        name, port = address.removeprefix("tcp://").split(":")
        reader, writer = await asyncio.open_connection(name, int(port))
        writer.write(b"*T D\r\n")
        assert b"*T d 12\r\n" in [await reader.readline() for _ in range(20)]
        thief, steals = await asyncio.open_connection(name, int(port))
        first, second = await reader.readline(), await thief.readline()
        assert first.endswith(b"\r\n")
        assert second.endswith(b"\r\n"), "a second client steals bytes"
        await sim.unplug("wheel")
        await asyncio.wait_for(reader.read(), 10)
        assert reader.at_eof()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(name, int(port))
        for each in (writer, steals):
            each.close()
        await sim.replug("wheel")
        assert sim.ports["wheel"] == address
        reader, writer = await asyncio.open_connection(name, int(port))
        assert (await reader.readline()).endswith(b"\r\n")
        writer.close()


async def test_a_tcp_client_that_does_not_read_loses_bytes_and_stops_nothing() -> None:
    port = TcpPort(lambda _: None, lambda: None)
    await port.plug()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port.address.rsplit(":", 1)[1]))
    async with asyncio.timeout(10):
        while port.dropped == 0:
            port.write(b"x" * 65536)
            await asyncio.sleep(0)
    port.unplug()
    writer.close()
    assert not reader.at_eof()


async def test_nothing_is_left_open(tmp_path: Path) -> None:
    async with running(scenario(), run_dir=tmp_path) as sim, host(sim.ports["wheel"]):
        pass
    before = names_in(Path("/proc/self/fd"))
    for kind in ("pty", "tcp"):
        async with running(scenario(port=kind), speed=100, run_dir=tmp_path, truth=tmp_path / "truth") as sim:
            await asyncio.wait_for(sim.until_truth(1), 10)
            await sim.unplug("wheel")
            await sim.replug("wheel")
    assert names_in(Path("/proc/self/fd")) == before
    assert names_in(tmp_path) == ["truth"]


async def test_a_temporary_run_dir_is_removed() -> None:
    async with running("roulette") as sim:
        folder = sim.run_dir
        assert names_in(folder) == ["wheel"]
    assert folder.name not in names_in(folder.parent)


async def test_the_loop_sleeps_between_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """At speed 1 with a host attached: two lines a second, and hardly more wake-ups."""
    async with running(scenario(), speed=1) as sim, host(sim.ports["wheel"]) as opened:
        await opened.until(lambda: opened.data.count(b"\n") >= 1)
        device = sim._devices["wheel"].device
        calls, advance = 0, device.advance

        def counted(to_s: float) -> list[Any]:
            nonlocal calls
            calls += 1
            return advance(to_s)

        monkeypatch.setattr(device, "advance", counted)
        await opened.until(lambda: opened.data.count(b"\n") >= 4)
    assert 3 <= calls <= 12


async def watched() -> None:
    async with running(scenario()) as sim:
        assert sim.task is not None
        await asyncio.wait({sim.task})


async def test_a_host_may_leave_and_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = 0, os.read

    def counted(fd: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        return read(fd, size)

    async with running(scenario(), speed=200) as sim:
        for _ in range(3):
            async with host(sim.ports["wheel"]) as opened:
                await opened.until(lambda: b"*X;" in opened.data)
        monkeypatch.setattr("hw_sim.adapter.os.read", counted)
        await asyncio.wait_for(sim.until_truth(1), 10)
        assert reads <= 1, "one to notice that the host left, and no more"


async def test_a_port_nobody_has_open_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(scenario(), speed=1) as sim:
        device = sim._devices["wheel"].device
        calls, lines, enough, advance = 0, 0, asyncio.Event(), device.advance

        def counted(to_s: float) -> list[Any]:
            nonlocal calls, lines
            calls += 1
            actions = advance(to_s)
            lines += len(actions)
            if lines >= 2:
                enough.set()
            return actions

        monkeypatch.setattr(device, "advance", counted)
        await asyncio.wait_for(enough.wait(), 10)
    assert calls <= 25, "ten looks a second"


async def test_what_a_device_dies_of_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hw_sim.roulette.device.WheelDevice.advance", lambda *_: 1 / 0)
    with pytest.raises(ExceptionGroup) as died:
        await watched()
    assert died.group_contains(ZeroDivisionError)
