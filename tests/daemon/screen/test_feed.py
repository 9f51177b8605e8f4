"""The feed: the whole view on coming, each change, a heartbeat; and no browser in the table's way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any

import pytest

from dealer_daemon.screen import feed as feed_module
from dealer_daemon.screen.build import view
from dealer_daemon.screen.feed import Feed
from dealer_daemon.words import Language
from support.screen_play import ScreenPlay
from support.screen_scenes import SCENES


class Reader:
    """A browser. ``slow``: it takes nothing until ``go`` is set."""

    def __init__(self, feed: Feed, *, slow: bool = False) -> None:
        self.go = asyncio.Event()
        if not slow:
            self.go.set()
        self.left = asyncio.Event()
        self.bodies: asyncio.Queue[bytes] = asyncio.Queue()
        self.task = asyncio.create_task(feed.serve(self._receive, self._send))

    async def _receive(self) -> MutableMapping[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body":
            await self.go.wait()
            if message["body"]:
                self.bodies.put_nowait(message["body"])

    async def next(self, kind: str) -> dict[str, Any]:
        """The next event of that kind; others are passed over."""
        while True:
            async with asyncio.timeout(10):
                body = await self.bodies.get()
            assert body.count(b"event:") <= 1, "one view at a time"
            lines = dict(line.split(": ", 1) for line in body.decode().strip().split("\n") if ": " in line)
            if lines.get("event") == kind:
                found: dict[str, Any] = json.loads(lines["data"])
                return found

    async def leave(self) -> None:
        self.left.set()
        async with asyncio.timeout(5):
            await self.task


def feed_of(table: ScreenPlay) -> Feed:
    return Feed(lambda: view(table.sight), lambda: 17)


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "BEAT_EVERY_S", 0.02)


def baccarat() -> ScreenPlay:
    return SCENES["baccarat_third_card"](Language.ENGLISH)


async def test_who_comes_gets_the_whole_view_then_each_change() -> None:
    table = baccarat()
    feed = feed_of(table)
    feed.changed()
    reader = Reader(feed)
    first = await reader.next("view")
    assert first["at"] == "17"
    assert first["view"]["due"]["text"]["en"] == "Player: third card"
    table.cards("6D")
    feed.changed()
    feed.changed()
    assert (await reader.next("view"))["view"]["sequence"] == first["view"]["sequence"] + 1
    feed.show()
    assert reader.bodies.empty(), "nothing changed, nothing is sent"
    await reader.leave()
    assert feed.watched == 0


@pytest.mark.usefixtures("fast")
async def test_a_heartbeat_says_the_time_where_nothing_happens() -> None:
    reader = Reader(feed_of(baccarat()))
    await reader.next("view")
    assert (await reader.next("beat"))["at"] == "17"
    assert (await reader.next("beat"))["at"] == "17"
    await reader.leave()


async def test_a_slow_browser_gets_the_newest_view_alone_and_holds_nobody_up() -> None:
    table = baccarat()
    feed = feed_of(table)
    slow, quick = Reader(feed, slow=True), Reader(feed)
    await quick.next("view")
    for card in ("6D", "9C"):
        table.cards(card)
        feed.show()
        await quick.next("view")
    table.outcome()
    feed.show()
    last = await quick.next("view")
    slow.go.set()
    assert (await slow.next("view"))["view"]["felt"]["settled"] is False
    assert await slow.next("view") == last
    await slow.leave()
    await quick.leave()


async def test_a_browser_that_takes_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "SLOW_S", 0.05)
    feed = feed_of(baccarat())
    stuck = Reader(feed, slow=True)
    async with asyncio.timeout(5):
        await stuck.task
    assert feed.watched == 0


async def test_who_comes_between_a_commit_and_its_view_takes_it_from_nobody() -> None:
    table = baccarat()
    feed = feed_of(table)
    first = Reader(feed)
    await first.next("view")
    table.cards("6D")
    feed.changed()
    second = Reader(feed)
    assert (await second.next("view"))["view"]["sequence"] == table.sight.state.sequence
    assert (await first.next("view"))["view"]["sequence"] == table.sight.state.sequence
    await first.leave()
    await second.leave()


async def test_what_was_wrong_and_is_over_is_shown_as_over_to_who_came_meanwhile() -> None:
    table = baccarat()
    feed = feed_of(table)
    before = Reader(feed)
    await before.next("view")
    await before.leave()
    table.sight = replace(table.sight, heard=False)
    reader = Reader(feed)
    assert (await reader.next("view"))["view"]["alarms"][0]["code"] == "no_server"
    table.sight = replace(table.sight, heard=True)
    feed.show()
    assert (await reader.next("view"))["view"]["alarms"] == []
    await reader.leave()


async def test_a_stop_ends_every_stream() -> None:
    feed = feed_of(baccarat())
    readers = [Reader(feed) for _ in range(3)]
    for reader in readers:
        await reader.next("view")
    feed.close()
    async with asyncio.timeout(5):
        await asyncio.gather(*(reader.task for reader in readers))


@pytest.mark.usefixtures("fast")
async def test_a_view_that_cannot_be_made_leaves_no_old_one_that_looks_live() -> None:
    table, broken = baccarat(), False

    def look() -> Any:
        if broken:
            raise KeyError("a fault of ours")
        return view(table.sight)

    feed = Feed(look, lambda: 0)
    reader = Reader(feed)
    await reader.next("beat")
    broken = True
    with pytest.raises(KeyError):
        feed.show()
    while not reader.bodies.empty():
        reader.bodies.get_nowait()
    await asyncio.sleep(5 * feed_module.BEAT_EVERY_S)
    assert reader.bodies.empty(), "without a heartbeat the page says that it is not live"
    broken = False
    table.cards("6D")
    feed.show()
    assert (await reader.next("view"))["view"]["sequence"] == table.sight.state.sequence
    await reader.next("beat")
    await reader.leave()


async def test_nothing_is_computed_while_nobody_looks() -> None:
    looks = 0
    table = baccarat()

    def look() -> Any:
        nonlocal looks
        looks += 1
        return view(table.sight)

    feed = Feed(look, lambda: 0)
    feed.changed()
    feed.show()
    await asyncio.sleep(2 * feed_module.SOON_S)
    assert looks == 0
