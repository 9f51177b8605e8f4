"""Server-sent events of one table: the whole view when a browser comes and after each change, and a heartbeat between.

A browser has a place for one view, the newest: one that is slow misses those between, and one that takes nothing for
``SLOW_S`` is cut. The table waits for none. Nothing is computed while nobody looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

View = msgspec.Struct
"""What a page shows, whole: of any kind of page."""
BEAT_EVERY_S = 2.0
"""A page that hears nothing for 5 s says that it is not live."""
LOOK_EVERY_S = 1.0
"""What no commit tells (links, the broker) is looked at so often."""
SOON_S = 0.01
"""A view follows its commit by so much: what events are settled on goes out first."""
SLOW_S = 20.0
RETRY_MS = 1000

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Browser:
    """One page that is open. ``shown`` is the view that it has, or that waits for it as ``newest``."""

    def __init__(self, shown: View) -> None:
        self.shown = shown
        self.newest: bytes | None = None
        self.news = asyncio.Event()

    def offer(self, view: View, body: bytes) -> None:
        """Puts ``view`` in the place of one that was not taken."""
        self.shown, self.newest = view, body
        self.news.set()

    def take(self) -> bytes | None:
        """What is new."""
        body, self.newest = self.newest, None
        self.news.clear()
        return body


class Feed:
    """See the module. ``look`` makes the view as of now; ``now`` is the station's wall clock in Unix ns."""

    def __init__(self, look: Callable[[], View], now: Callable[[], int]) -> None:
        self._look = look
        self._now = now
        self._browsers: set[Browser] = set()
        self._serial = 0
        self._behind = False
        """The newest view could not be made: what pages show is old, and no heartbeat may say that it is not."""
        self._soon: asyncio.TimerHandle | None = None
        self._closed = asyncio.Event()

    @property
    def watched(self) -> int:
        """Pages that are open."""
        return len(self._browsers)

    def changed(self) -> None:
        """Something was committed, or a device's link changed: show it soon."""
        if self._browsers and self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_S, self.show)

    def show(self) -> None:
        """Offer the view to every page that shows another."""
        self._cancel()
        if not self._browsers:
            return
        self._behind = True
        view = self._look()
        self._behind = False
        others = [browser for browser in self._browsers if browser.shown != view]
        body = self._encode(view) if others else b""
        for browser in others:
            browser.offer(view, body)

    def close(self) -> None:
        """End every stream: the station stops."""
        self._closed.set()
        self._cancel()
        for browser in self._browsers:
            browser.news.set()

    def _encode(self, view: View) -> bytes:
        self._serial += 1
        data = msgspec.json.encode({"at": str(self._now()), "view": view})
        return b"id: %d\nevent: view\ndata: %b\n\n" % (self._serial, data)

    def _beat(self) -> bytes:
        return b'event: beat\ndata: {"at":"%d"}\n\n' % self._now()

    def _cancel(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    async def serve(self, receive: Receive, send: Send) -> None:
        """One stream, to its end: the browser leaves, is cut, or the station stops."""
        view = self._look()
        browser = Browser(view)
        self._browsers.add(browser)  # at once: what changes from now on is offered to it
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        gone = asyncio.create_task(_gone(receive), name="screen browser")
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await _put(send, b"retry: %d\n\n" % RETRY_MS + self._encode(view))
            while not gone.done() and not self._closed.is_set():
                news = await _within(browser.news, gone, BEAT_EVERY_S)
                if gone.done() or self._closed.is_set():
                    break
                if not news and self._soon is not None:
                    self.show()  # a heartbeat says that all until now was shown
                body = browser.take()
                if body is not None or not self._behind:
                    await _put(send, self._beat() if body is None else body)
            if not gone.done():
                await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            pass  # takes nothing: its page says that it is not live, and comes again
        finally:
            self._browsers.discard(browser)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)


async def _put(send: Send, body: bytes) -> None:
    async with asyncio.timeout(SLOW_S):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _within(news: asyncio.Event, gone: asyncio.Task[None], seconds: float) -> bool:
    """Whether there is news by then; ends early where the browser is gone."""
    waiting = asyncio.create_task(news.wait(), name="screen news")
    try:
        await asyncio.wait({waiting, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return news.is_set()
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
