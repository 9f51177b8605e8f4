"""Debian's Chromium without a window, driven over its debugging pipe: no driver to download, no port to listen at."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

ANSWER_WITHIN_S = 30.0
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ABSENT = "no chromium: `make system-test` installs it"

SIZES = {"1280x800": (1280, 800), "1920x1080": (1920, 1080)}


class BrowserError(RuntimeError):
    """The browser refused, or a page's script failed. The text says what it said."""


class Page:
    """One page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.complaints: list[str] = []
        """What its console and its content policy said, in order."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._browser.call(method, params, self._session)

    async def size(self, width: int, height: int) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def go(self, url: str) -> None:
        await self.call("Page.navigate", url=url)

    async def run(self, script: str) -> Any:
        """The value of an expression in the page, which may be a promise. Raises ``BrowserError``."""
        answer = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    async def until(self, script: str, within_s: float = 15.0) -> Any:
        """The value of an expression as soon as it is true. Raises ``TimeoutError`` with what the page shows."""
        end = asyncio.get_running_loop().time() + within_s
        while asyncio.get_running_loop().time() < end:
            with contextlib.suppress(BrowserError):  # the page is being loaded anew
                if value := await self.run(script):
                    return value
            await asyncio.sleep(0.05)
        shown = await self.run("document.body ? document.body.innerText : ''")
        raise TimeoutError(f"{script!r} did not come true; the page shows {shown!r}, its console {self.complaints}")

    async def picture(self) -> bytes:
        """What it looks like, as PNG."""
        answer = await self.call("Page.captureScreenshot", format="png")
        return base64.b64decode(answer["data"])


class Browser:
    """See the module."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._next = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}

    def launch(self) -> None:
        """Start the process and take hold of its pipe."""
        assert CHROMIUM is not None, ABSENT
        here_read, there_write = os.pipe()
        there_read, here_write = os.pipe()
        command = [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--font-render-hinting=none",
            f"--user-data-dir={self._folder}",
            "--remote-debugging-pipe",
        ]
        # It reads commands at descriptor 3 and writes at 4.
        script = f'exec "$@" 3<&{there_read} 4>&{there_write} {there_read}<&- {there_write}>&-'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", script, "chromium", *command],
            pass_fds=(there_read, there_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(there_read)
        os.close(there_write)
        self._out = os.fdopen(here_write, "wb", buffering=0)
        self._in = os.fdopen(here_read, "rb", buffering=0)

    async def listen(self) -> None:
        """Hear what it says."""
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=1 << 26)
        self._transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._in)
        self._task = asyncio.create_task(self._listen(reader))

    async def stop(self) -> None:
        with contextlib.suppress(TimeoutError, BrowserError, OSError):
            async with asyncio.timeout(5):
                await self.call("Browser.close", {})
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._out.close()
        self._transport.close()
        loop = asyncio.get_running_loop()
        kill_at = loop.time() + 10
        while self._process.poll() is None:
            if loop.time() > kill_at:
                os.killpg(self._process.pid, 9)
            await asyncio.sleep(0.02)

    async def page(self, width: int = 1280, height: int = 800) -> Page:
        """A new page, of its own profile."""
        context = (await self.call("Target.createBrowserContext", {}))["browserContextId"]
        target = await self.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})
        attached = await self.call("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        page = Page(self, attached["sessionId"])
        self._pages[attached["sessionId"]] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            await page.call(f"{domain}.enable")
        await page.size(width, height)
        return page

    async def call(self, method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        self._next += 1
        number = self._next
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        self._out.write(json.dumps(message).encode() + b"\0")
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                return await answer
        finally:
            self._answers.pop(number, None)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while True:
            message = json.loads((await reader.readuntil(b"\0"))[:-1])
            answer = self._answers.get(message.get("id", 0))
            if answer is not None and not answer.done():
                if "error" in message:
                    answer.set_exception(BrowserError(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])
            page = self._pages.get(message.get("sessionId", ""))
            if page is not None:
                _complain(page, message)


def _complain(page: Page, message: dict[str, Any]) -> None:
    params = message.get("params", {})
    match message.get("method"):
        case "Runtime.exceptionThrown":
            page.complaints.append(json.dumps(params["exceptionDetails"])[:400])
        case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning"):
            page.complaints.append(json.dumps(params["args"])[:400])
        case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
            page.complaints.append(params["entry"]["text"])


@contextlib.asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Browser]:
    """Chromium, until the block ends."""
    made = Browser(folder)
    made.launch()
    await made.listen()
    try:
        yield made
    finally:
        await made.stop()
