"""Two people at two screens and one socket, at the same time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from dealer_daemon.entering import enter_lines
from dealer_drivers.entry.session import EntrySession
from dealer_drivers.errors import LinkLost
from dealer_drivers.instant import Instant
from dealer_drivers.readings.entry import ResultEntered
from dealer_drivers.transports.listening import ListeningTransport

NOW = Instant(10**12, 10**18)


@contextlib.asynccontextmanager
async def station(path: Path) -> AsyncIterator[list[ResultEntered]]:
    """Listens, and keeps what was entered."""
    channel = await ListeningTransport(str(path)).open()
    session = EntrySession(60)
    entered: list[ResultEntered] = []

    async def serve() -> None:
        with contextlib.suppress(LinkLost):
            while True:
                output = session.feed(await channel.read(), NOW)
                entered.extend(reading for reading in output.readings if isinstance(reading, ResultEntered))
                for data in output.send:
                    await channel.write(data)

    serving = asyncio.create_task(serve())
    try:
        yield entered
    finally:
        await channel.close()
        await serving


async def enter(path: Path, screen: str, number: str) -> list[str]:
    lines = [
        msgspec.json.encode({"id": screen, "nth": nth, "by": "Li", "round": "r1-4", "result": {"number": number}})
        for nth in (1, 2)
    ]
    return [answer["state"] for answer in await enter_lines(str(path), screen, lines)]


@pytest.mark.parametrize("other", ["17", "18"])
async def test_each_hears_what_became_of_its_own_entries(tmp_path: Path, other: str) -> None:
    path = tmp_path / "entry.sock"
    async with station(path) as entered:
        first, second = await asyncio.gather(enter(path, "a", "17"), enter(path, "b", other))
    made = [said for said in (first, second) if said == ["again", "entered"]]
    assert len(entered) == len(made)
    for reading in entered:
        one, two = map(msgspec.json.decode, reading.raw.splitlines())
        assert one["id"] == two["id"]
        assert (one["nth"], two["nth"]) == (1, 2)
    if other == "17":
        assert len(entered) >= 1
