"""A web server in the station's event loop (uvicorn, HTTP/1.1): starts, serves an ASGI application, stops in order.

It takes no signals, starts no thread and reads no file while it serves: applications have no synchronous endpoints
and keep what they send in memory (decision 0005).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from dealer_daemon.web.connections import HurriedProtocol, Listening

Application = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]
"""An ASGI 3 application."""

STOP_WITHIN_S = 1.0
"""What still streams is cut after this: a stop of the station waits for no browser."""
MOST_CONNECTIONS = 200
"""That are answered at once. A table has a handful of screens; who opens more is told 503, or is closed at once
(``connections``), and the table is not slowed."""
BACKLOG = 64


class BindError(OSError):
    """Nothing can listen there. The text says where, why, and what to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Where to listen. ``port`` 0 takes a free one. With ``cert_file`` and ``key_file`` it is HTTPS."""

    host: str
    port: int
    cert_file: Path | None = None
    key_file: Path | None = None

    @property
    def tls(self) -> bool:
        """Whether it is HTTPS."""
        return self.cert_file is not None


class _Server(uvicorn.Server):
    """Signals are the station's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WebServer:
    """Serves ``app`` at ``listen`` from ``start`` to ``stop``."""

    def __init__(self, app: Application, listen: Listen) -> None:
        self._app = app
        self._listen = listen
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None
        self.url = ""

    async def start(self) -> None:
        """Bind and serve. Raises ``BindError``, and ``OSError`` or ``ssl.SSLError`` when a key or certificate cannot
        be used."""
        listen = self._listen
        bound = _bind(listen.host, listen.port)
        try:
            config = uvicorn.Config(
                self._app,
                lifespan="off",
                log_config=None,
                access_log=False,
                http=HurriedProtocol,
                ws="none",
                proxy_headers=False,
                server_header=False,
                date_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=int(STOP_WITHIN_S),
                ssl_certfile=listen.cert_file,
                ssl_keyfile=listen.key_file,
                ssl_version=ssl.PROTOCOL_TLS_SERVER,
            )
            config.load()
        except BaseException:
            bound.close()
            raise
        host, port = bound.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if listen.tls else 'http'}://{shown}:{port}"
        self._bound = bound
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[bound]), name=f"web {self.url}")

    async def stop(self) -> None:
        """Serve no more: what is being answered may end within ``STOP_WITHIN_S``. Idempotent."""
        if self._server is None or self._task is None:
            return
        self._server.should_exit = True
        try:
            await self._task
        finally:
            self._bound.close()
        self._server = self._task = None


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = Listening(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise BindError(
            f"nothing can listen at {host} port {port} ({error.strerror}): is the port another's, the address this "
            "machine's?"
        ) from error
    return bound
