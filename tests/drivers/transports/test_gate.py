"""A device that is lent is closed to the station, whatever its link is doing at that moment."""

from __future__ import annotations

import asyncio

import pytest

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output, load_driver
from dealer_drivers.errors import Lent, LinkLost, PortAbsent
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.readings import DeviceFault
from dealer_drivers.transports.base import Channel
from dealer_drivers.transports.gate import GatedTransport


class Pipe:
    def __init__(self, port: Port) -> None:
        self._port = port
        self._over = asyncio.Event()

    async def read(self) -> bytes:
        await self._over.wait()
        raise LinkLost("closed by the station")

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None:
        if not self._over.is_set():
            self._over.set()
            self._port.open_now -= 1


class Port:
    """``slow``: opening waits for it."""

    name, hint, warning = "port", "", None

    def __init__(self) -> None:
        self.opens = self.open_now = 0
        self.slow = asyncio.Event()
        self.slow.set()
        self.absent = False

    async def open(self) -> Channel:
        await self.slow.wait()
        if self.absent:
            raise PortAbsent("not there")
        self.opens += 1
        self.open_now += 1
        return Pipe(self)


async def soon(condition: object) -> None:
    async with asyncio.timeout(20):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.005)


async def test_to_the_link_it_was_unplugged_and_is_back() -> None:
    port, said, states = Port(), list[DeviceFault](), list[LinkState]()
    gate = GatedTransport(port)

    def heard(output: Output, at: Instant) -> None:
        del at
        said.extend(reading for reading in output.readings if isinstance(reading, DeviceFault))

    link = Link(
        gate,
        load_driver("generic-number").session(
            load_driver("generic-number").parse_options({"pattern": r"(?P<number>\d+)"})
        ),
        SystemClock(100),
        on_output=heard,
        on_state=states.append,
    )
    running = asyncio.create_task(link.run())
    await soon(lambda: link.state.state == "up")
    await gate.lend("in the hands of Li")
    assert port.open_now == 0
    await soon(lambda: link.state.state == "waiting")
    assert [(fault.fault, fault.detail, fault.cleared) for fault in said] == [
        ("link_lost", "in the hands of Li", False)
    ]
    # As long as several attempts would take: there is none.
    clock = SystemClock(1000)
    await clock.sleep_until(clock.now().plus_s(100.0).mono_ns)
    assert port.opens == 1
    gate.give_back()
    await soon(lambda: link.state.state == "up")
    assert [fault.cleared for fault in said] == [False, True]
    await link.stop()
    await running


async def test_an_opening_that_is_under_way_ends_first_and_nothing_stays_open() -> None:
    port = Port()
    gate = GatedTransport(port)
    port.slow.clear()
    opening = asyncio.create_task(gate.open())
    await asyncio.sleep(0)
    lending = asyncio.create_task(gate.lend("Li"))
    await asyncio.sleep(0)
    assert not lending.done()
    port.slow.set()
    await lending
    assert (port.opens, port.open_now, opening.done()) == (1, 0, False)
    gate.give_back()
    channel = await opening
    assert port.open_now == 1
    await channel.close()


async def test_lent_again_in_the_moment_it_came_back() -> None:
    port = Port()
    gate = GatedTransport(port)
    await gate.lend("Li")
    opening = asyncio.create_task(gate.open())
    await asyncio.sleep(0)
    gate.give_back()
    await gate.lend("Chan")
    for _ in range(5):
        await asyncio.sleep(0)
    assert (port.opens, opening.done()) == (0, False)
    gate.give_back()
    await (await opening).close()


async def test_what_is_written_to_a_lent_device_goes_nowhere() -> None:
    port = Port()
    gate = GatedTransport(port)
    channel = await gate.open()
    await gate.lend("Li")
    with pytest.raises(Lent, match="Li"):
        await channel.write(b"x")
    with pytest.raises(Lent, match="Li"):
        await channel.read()
    with pytest.raises(RuntimeError, match="lent already"):
        await gate.lend("Chan")


async def test_a_port_that_is_not_there_can_be_lent() -> None:
    port = Port()
    port.absent = True
    gate = GatedTransport(port)
    with pytest.raises(PortAbsent):
        await gate.open()
    await gate.lend("Li")
    port.absent = False
    opening = asyncio.create_task(gate.open())
    gate.give_back()
    await (await opening).close()
