"""Results keyed in at the page: both entries reach the device's own session at its socket, as they were made."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.screen.buttons import keypad_of
from dealer_daemon.screen.entry import BadEntry, Entered, enter, result_of
from dealer_daemon.screen.view import Keypad
from dealer_daemon.words import Language
from dealer_drivers.entry.session import EntrySession
from dealer_drivers.instant import Instant
from dealer_drivers.readings.entry import ResultEntered
from support.screen_app import PlayedTable, served
from support.screen_client import Dealer, press
from support.screen_scenes import SCENES


def now() -> Instant:
    return Instant(time.monotonic_ns(), time.time_ns())


@contextlib.asynccontextmanager
async def device(path: Path) -> AsyncIterator[list[ResultEntered]]:
    """The other side of the socket: the driver's session, and what was entered there."""
    session = EntrySession(60.0)
    entered: list[ResultEntered] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            output = session.feed(data, now())
            entered.extend(reading for reading in output.readings if isinstance(reading, ResultEntered))
            for send in output.send:
                writer.write(send)
        writer.close()

    server = await asyncio.start_unix_server(talk, path)
    try:
        yield entered
    finally:
        server.close()


def pad(name: str) -> Keypad:
    found = keypad_of(SCENES[name](Language.ENGLISH).sight)
    assert found is not None
    return found


def made(first: list[str], second: list[str] | None = None, one: str = "e-1") -> Entered:
    return Entered(id=one, round="r2-1", first=first, second=first if second is None else second)


async def test_what_was_keyed_in_twice_is_entered_once_however_often_it_is_sent(tmp_path: Path) -> None:
    socket = tmp_path / "entry.sock"
    async with device(socket) as entered:
        for _ in range(2):
            answer = await enter(str(socket), "dealer-7", pad("roulette_keypad"), made(["17"]))
            assert answer.state == "entered"
        differ = await enter(str(socket), "dealer-7", pad("roulette_keypad"), made(["17"], ["18"], "e-2"))
        assert differ.state == "differ"
    assert [(one.by, one.round, one.result) for one in entered] == [("dealer-7", "r2-1", {"number": "17"})]


@pytest.mark.parametrize(
    ("scene", "keyed", "result"),
    [("roulette_keypad", ["0"], {"number": "0"}), ("sic_bo_keypad", ["6", "1", "6"], {"dice": [6, 1, 6]})],
)
def test_the_result_is_the_games_own(scene: str, keyed: list[str], result: dict[str, Any]) -> None:
    assert result_of(pad(scene), keyed) == result


@pytest.mark.parametrize("keyed", [[], ["37"], ["00"], ["1", "2"], ["-1"], [" 1"]])
def test_what_no_key_says_is_no_result(keyed: list[str]) -> None:
    with pytest.raises(BadEntry):
        result_of(pad("roulette_keypad"), keyed)


async def test_the_page_enters_at_the_device_for_the_round_that_it_shows(tmp_path: Path) -> None:
    socket = tmp_path / "entry.sock"
    table = PlayedTable(SCENES["roulette_keypad"](Language.ENGLISH))
    face = replace(table.play.sight.face, entry_socket=str(socket))
    table.play.sight = replace(table.play.sight, face=face)
    body = {"id": "e-1", "round": "r2-1", "first": ["17"], "second": ["17"]}
    async with served({"r2": table}, Dealer()) as url:
        status, answer = await press(url, "/tables/r2/entry", body)
        assert (status, answer["text"]["code"]) == (503, "entry_unheard"), "nobody listens there"
        async with device(socket) as entered:
            assert (await press(url, "/tables/r2/entry", body | {"round": "r2-0"}))[0] == 409
            assert (await press(url, "/tables/r2/entry", body | {"first": ["99"]}))[0] == 400
            assert (await press(url, "/tables/r2/entry", body | {"by": "somebody"}))[0] == 400
            assert entered == []
            status, answer = await press(url, "/tables/r2/entry", body)
            assert (status, answer["ok"], answer["text"]["code"]) == (200, True, "entered")
            assert [one.by for one in entered] == ["dealer-7"]
            status, answer = await press(url, "/tables/r2/entry", body | {"id": "e-2", "second": ["18"]})
            assert (status, answer["text"]["code"]) == (409, "entries_differ")
