"""A camera's live picture in a browser on this machine: a page that asks for the newest picture again and again.

Loopback only, and only for a browser that came by that name: a page from elsewhere cannot look through the camera. Over
SSH forward the port (``ssh -L 8400:127.0.0.1:8400``).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
LONGEST_REQUEST = 8192
REQUEST_S = 10.0
TITLE = "@TITLE@"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>@TITLE@</title>
<style>body{font:16px sans-serif;background:#181818;color:#eee;margin:1em}img{max-width:100%;background:#000}
table{border-spacing:1em 0}td:first-child{color:#aaa}#told{min-height:1.5em}</style>
<h1>@TITLE@</h1><img id="picture" alt="no picture yet"><p id="told"></p><table id="figures"></table>
<script>
async function next(){
  try{
    const said=await (await fetch("figures.json")).json();
    const rows=Object.entries(said).map(([name,value])=>{
      const row=document.createElement("tr");
      for(const text of [name,Array.isArray(value)?value.join(" "):value??"-"]){
        const cell=document.createElement("td");cell.textContent=text;row.append(cell)}
      return row});
    document.getElementById("figures").replaceChildren(...rows);
    const picture=document.getElementById("picture");
    await new Promise(done=>{picture.onload=picture.onerror=done;picture.src="picture.jpg?"+Date.now()});
    document.getElementById("told").textContent="";
  }catch(error){
    document.getElementById("told").textContent="The command has ended.";
    await new Promise(done=>setTimeout(done,1000))}
  setTimeout(next,50)}
next();
</script></html>
"""


class LivePage:
    """Shows what ``show`` was told last. ``port`` 0: any that is free."""

    def __init__(self, title: str, port: int = 0) -> None:
        self._title = title
        self._port = port
        self._server: asyncio.Server | None = None
        self._jpeg = b""
        self._figures: Mapping[str, Any] = {}
        self._serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return f"http://{HOST}:{self._port}/"

    async def start(self) -> None:
        """Listens. Raises ``OSError`` when the port is taken."""
        self._server = await asyncio.start_server(self._serve, HOST, self._port, limit=LONGEST_REQUEST)
        self._port = self._server.sockets[0].getsockname()[1]

    def show(self, jpeg: bytes, figures: Mapping[str, Any]) -> None:
        """The newest picture and what is said of it."""
        self._jpeg, self._figures = jpeg, figures

    async def close(self) -> None:
        """Listens no more, and ends what a browser holds open: it opens connections for later."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        for writer in self._serving.values():
            writer.close()  # not cancelled: asyncio would print that as an error
        await asyncio.gather(*self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving[task] = writer
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(REQUEST_S):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(self._answer(head))
                    await writer.drain()
        finally:
            del self._serving[task]
            writer.close()

    def _answer(self, head: bytes) -> bytes:
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        host = next((line.partition(":")[2].strip() for line in lines[1:] if line.lower().startswith("host:")), "")
        if host not in {f"{name}:{self._port}" for name in NAMES}:
            return _response("403 Forbidden", "text/plain", b"this page is for the machine's own browser\n")
        if len(words) != 3 or words[0] != "GET":
            return _response("405 Method Not Allowed", "text/plain", b"\n")
        match words[1].partition("?")[0]:
            case "/":
                return _response("200 OK", "text/html", PAGE.replace(TITLE, _plain(self._title)).encode())
            case "/picture.jpg" if self._jpeg:
                return _response("200 OK", "image/jpeg", self._jpeg)
            case "/figures.json":
                return _response("200 OK", "application/json", json.dumps(self._figures).encode())
            case _:
                return _response("404 Not Found", "text/plain", b"\n")


def _response(status: str, kind: str, body: bytes) -> bytes:
    head = (
        f"HTTP/1.0 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'self' "
        "'unsafe-inline'\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _plain(text: str) -> str:
    from html import escape

    return escape(text)
