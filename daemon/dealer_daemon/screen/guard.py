"""What every request and every answer of the screen must have, whatever page it is about: an ASGI application around
another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
SAFE = frozenset({"GET", "HEAD"})


class Guard:
    """Refuses requests for another name than the screen's (DNS rebinding), and requests to change something that
    another site's page makes; sets the headers of every answer. ``names`` are those of the configuration."""

    def __init__(self, app: App, names: Iterable[str]) -> None:
        self._app = app
        self._names = HERE | {name.strip("[]").lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=dict(scope))

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(raw=list(message.get("headers", [])))
                for name, value in HEADERS.items():
                    out[name] = value
                out.setdefault("cache-control", "no-store")
                message = {**message, "headers": out.raw}
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await PlainTextResponse(refusal, status_code=403)(dict(scope), receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        name = _name_of(host)
        server = scope.get("server")
        own = set(self._names) | ({str(server[0]).lower()} if server else set())
        if name is None or name not in own:
            return (
                "This screen is not served under that name. Ask for the address that it listens at, or have the name "
                "put into [screen] names.\n"
            )
        if scope["method"] in SAFE:
            return None
        origin = headers.get("origin")
        if origin is None or origin != f"{scope['scheme']}://{host}":
            return "What acts is asked for by the screen's own pages only.\n"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "What acts is asked for by the screen's own pages only.\n"
        return None


def _name_of(host: str) -> str | None:
    """The name in a ``Host`` header, without port and brackets, in small letters."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return None
    if not name or any(sign in host for sign in "/@?# "):
        return None
    return name
