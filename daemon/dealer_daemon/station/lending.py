"""Devices in the hands of a technician's bench: one connection is one lease, and ends with it however it ends.

The table says whether it may stand now; only when that is committed is the device's port closed and lent.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec
import structlog

from dealer_daemon.handover import Answer, GiveBack, Lend
from dealer_daemon.journal import JournalError
from dealer_daemon.station.device import DeviceHost
from dealer_daemon.station.host import TableHost
from dealer_daemon.table.arguments import Refusal
from dealer_drivers.json_text import decode_json

BENCH_GONE, GIVEN_BACK = "bench_gone", "given_back"
Say = Callable[[Answer], Awaitable[None]]


class LendingTable(Protocol):
    """What a lease needs of a table."""

    host: TableHost
    devices: dict[str, DeviceHost]

    def news(self) -> asyncio.Future[None]:
        """Done after the next thing that the table commits."""
        ...

    def show(self) -> None:
        """Say anew what the table and its devices are doing."""
        ...


async def lease(
    tables: Mapping[str, LendingTable], asked: Lend, heard: Callable[[], Awaitable[bytes]], say: Say
) -> None:
    """Serve one bench, from its question to the device's return.

    ``heard`` gives its next line, ``b""`` once it is gone; ``say`` raises ``OSError`` when it is. A station that stops
    cancels this, and takes the device back when it starts again.
    """
    table = tables.get(asked.table)
    device = None if table is None else table.devices.get(asked.device)
    if table is None or device is None:
        known = ", ".join(f"{name}/{one}" for name, its in tables.items() for one in its.devices)
        reason = (
            f"this station has no device {asked.table}/{asked.device}; it has: {known}. Does it run with this file?"
        )
        await say(Answer(state="refused", reason=reason))
        return
    line = asyncio.ensure_future(heard())
    try:
        if await _granted(table, asked, line, say):
            await _lent(table, device, asked, line, say)
    finally:
        line.cancel()
        await asyncio.gather(line, return_exceptions=True)


async def _granted(table: LendingTable, asked: Lend, line: asyncio.Future[bytes], say: Say) -> bool:
    """Whether the table stands and the device is lent, within the time that the bench waits."""
    loop = asyncio.get_running_loop()
    until = loop.time() + asked.wait_s
    try:
        table.host.lend(asked.device, asked.by)
        return True
    except (Refusal, JournalError) as refusal:
        reason = str(refusal)
        if asked.wait_s == 0 or isinstance(refusal, JournalError):  # of which the station ends by itself
            await say(Answer(state="refused", reason=reason))
            return False
    try:
        table.host.wish(asked.device, asked.by)
    except Refusal as refusal:
        await say(Answer(state="refused", reason=str(refusal)))
        return False
    granted = False
    try:
        await say(Answer(state="waiting", reason=reason))
        while not granted and (left_s := until - loop.time()) > 0 and not line.done():
            news = table.news()
            awaited: list[asyncio.Future[Any]] = [news, line]
            await asyncio.wait(awaited, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            granted = _now(table.host, asked)
    finally:
        if not granted:
            table.host.unwish(asked.device)
    if not granted and not line.done():
        await say(Answer(state="refused", reason=f"after {asked.wait_s:g} s still: {reason}"))
    return granted


def _now(host: TableHost, asked: Lend) -> bool:
    """Whether the device is lent: by the end of the round, or because the table stands now for another reason. Nobody
    else can have it, as long as this bench waits for it."""
    if asked.device in host.committed.lent:
        return True
    with contextlib.suppress(Refusal, JournalError):
        host.lend(asked.device, asked.by, wished=True)
        return True
    return False


async def _lent(table: LendingTable, device: DeviceHost, asked: Lend, line: asyncio.Future[bytes], say: Say) -> None:
    log = structlog.get_logger().bind(table=asked.table, device=asked.device, by=asked.by)
    given: GiveBack | None = None
    try:
        await device.gate.lend(f"{asked.device} is in the hands of the technicians' bench ({asked.by})")
        table.show()
        log.info("device_lent")
        await say(Answer(state="lent"))
        given = _give_back(await line)
    except OSError:
        pass  # it is gone: the same as a line that ends
    except asyncio.CancelledError:
        raise  # the station stops: the device stays closed, and the next start says that it is back
    resume = given is not None and given.resume
    stays = _take_back(table, device, BENCH_GONE if given is None else GIVEN_BACK, resume=resume)
    log.info("device_returned", detail=stays)
    if given is not None:
        await say(Answer(state="returned", reason=stays, resumed=table.host.committed.paused is None))


def _take_back(table: LendingTable, device: DeviceHost, reason: str, *, resume: bool) -> str:
    """The device is the station's again. A sentence on what the table does now."""
    name = device.config.name
    newer = [found for one in table.devices.values() if (found := one.newer_calibration()) is not None]
    try:
        # With the measures of before it would play on what the bench has just found to be otherwise.
        table.host.take_back(name, reason, resume=resume and not newer)
    except JournalError as error:  # the station ends of it by itself
        return f"the station cannot write: {error}"
    device.gate.give_back()
    table.show()
    state = table.host.committed
    if state.paused is None:
        return f"{name} is given back, and the table goes on"
    if state.lent:
        return f"{name} is given back; the table stands until {', '.join(sorted(state.lent))} is given back, too"
    first = "".join(f"; {said}" for said in newer)
    first += ": start it again first; then" if newer else ":"
    return f"{name} is given back; the table stands ({state.paused}){first} a service manager resumes it (table.resume)"


def _give_back(line: bytes) -> GiveBack | None:
    try:
        return decode_json(line, GiveBack)
    except msgspec.MsgspecError:
        return None  # gone, or nothing that was agreed
