"""The pages: ``/metrics``, ``/livez``, ``/readyz``, ``/healthz``. Read only, and answered by the station's own loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer_daemon.monitoring.exposition import CONTENT_TYPE, exposition
from dealer_daemon.monitoring.figures import StationFigures
from dealer_daemon.monitoring.ready import why_not_live, why_not_ready

FRESH_S = 1.0
"""An answer serves for so long: whoever asks without end costs the tables one answer a second, of some ms."""
NO_STORE = {"cache-control": "no-store"}


def application(figures: Callable[[], StationFigures], health: Callable[[], dict[str, Any]]) -> Starlette:
    """The ASGI application. ``figures`` are those of the moment, ``health`` is what ``dealer-daemon status`` shows."""

    text = _Fresh(lambda: exposition(figures()))
    body = _Fresh(lambda: msgspec.json.encode(health()))

    async def metrics(request: Request) -> Response:
        del request
        return Response(text.get(), media_type=CONTENT_TYPE, headers=NO_STORE)

    async def live(request: Request) -> Response:
        del request
        return _plain(why_not_live(figures()))

    async def ready(request: Request) -> Response:
        del request
        return _plain(why_not_ready(figures()))

    async def healthy(request: Request) -> Response:
        del request
        return Response(body.get(), media_type="application/json", headers=NO_STORE)

    pages = {"/metrics": metrics, "/livez": live, "/readyz": ready, "/healthz": healthy}
    return Starlette(routes=[Route(path, page, methods=["GET"]) for path, page in pages.items()])


class _Fresh:
    """What ``make`` gave last, for ``FRESH_S``."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._make = make
        self._made: tuple[float, bytes] | None = None

    def get(self) -> bytes:
        now_s = time.monotonic()
        if self._made is None or now_s - self._made[0] >= FRESH_S:
            self._made = (now_s, self._make())
        return self._made[1]


def _plain(reasons: list[str]) -> Response:
    text = "\n".join(reasons or ["ok"]) + "\n"
    return Response(text, status_code=503 if reasons else 200, media_type="text/plain", headers=NO_STORE)
