"""Requests to the screen as they are on the wire, and a gatekeeper that lets everybody be one dealer."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from starlette.requests import Request

from dealer_daemon.commands import Role
from dealer_daemon.screen.gatekeeper import Needs, NobodyMayAct, Person


class Dealer(NobodyMayAct):
    """Everybody is this dealer."""

    async def authorise(self, request: Request, act: str, needs: Needs = Needs.DEALER) -> Person:
        del request, act, needs
        return Person("dealer-7", Role.DEALER)


async def ask(
    url: str, path: str, method: str = "GET", body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    host, _, port = url.removeprefix("http://").partition(":")
    sent = {"host": f"{host}:{port}", "connection": "close", "content-length": str(len(body))} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, rest = answer.partition(b"\r\n\r\n")
    first, *more = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in more), rest


async def press(url: str, path: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
    sent = {"origin": url, "content_type": "application/json"} | headers
    status, _, answer = await ask(url, path, "POST", json.dumps(body).encode(), **sent)
    with contextlib.suppress(ValueError):
        return status, json.loads(answer)
    return status, {}
