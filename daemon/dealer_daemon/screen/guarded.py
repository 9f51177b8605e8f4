"""Pages and feeds that are for some people alone."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import Needs
from dealer_daemon.screen.guard import Receive, Scope, Send


async def to_sign_in(request: Request, needs: Needs) -> Response | None:
    """The way to sign in, where nobody is or it is another person's page; ``None`` for who may see it."""
    found = await request.app.state.screen.authorise(request, f"see {needs}", needs)
    if not isinstance(found, Response):
        return None
    if found.status_code == 401:
        query = urlencode({"to": request.url.path, "lang": request.query_params.get("lang", "")})
        return RedirectResponse(f"/sign-in?{query}", 303)
    return found


class GuardedFeed:
    """The address of a feed: an ASGI application. It ends when who asked for it is signed in no more, within a
    heartbeat."""

    def __init__(self, feed: Callable[[Request], Feed], needs: Needs) -> None:
        self._feed = feed
        self._needs = needs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        feed, screen = self._feed(request), request.app.state.screen
        found = await screen.authorise(request, f"follow {self._needs}", self._needs)
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        stays = screen.gatekeeper.stays(request)

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if not stays():
                raise TimeoutError("signed out")  # as for a browser that takes nothing: the stream is cut
            await send(message)

        await feed.serve(receive, guarded)
