"""Serves the figures where the configuration wants it, and never stands in the way of a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import structlog

from dealer_daemon.config import MonitoringConfig
from dealer_daemon.config.screen import listen_address
from dealer_daemon.monitoring import StationFigures

if TYPE_CHECKING:
    from dealer_daemon.web import WebServer

RETRY_S = 30.0
"""Before a port that another program has is tried again."""


class MonitoringServer:
    """See the module. ``told`` hears why nothing is served, and ``None`` once it is."""

    def __init__(
        self,
        config: MonitoringConfig,
        figures: Callable[[], StationFigures],
        health: Callable[[], dict[str, Any]],
        told: Callable[[str | None], None],
    ) -> None:
        self._listen = config.listen
        self._figures = figures
        self._health = health
        self._told = told
        self._server: WebServer | None = None
        self._log = structlog.get_logger()

    @property
    def url(self) -> str | None:
        """Where it is served."""
        return None if self._server is None else self._server.url

    async def start(self) -> None:
        """Serve as soon as the port is free. Ends once it is, or where nothing is to be served."""
        if self._listen is None:
            return
        # Not above: a station that serves nothing is spared the libraries.
        from dealer_daemon.monitoring.app import application
        from dealer_daemon.web import BindError, Listen, WebServer

        address = listen_address(self._listen)
        listen = Listen(host=address.host, port=address.port)
        said: str | None = None
        while True:
            server = WebServer(application(self._figures, self._health), listen)
            try:
                await server.start()
            except BindError as error:
                if str(error) != said:  # it is tried again and again, and said once
                    self._log.error("monitoring_not_served", detail=str(error), wait_s=RETRY_S)
                    said = str(error)
                self._told(str(error))
                await asyncio.sleep(RETRY_S)
            else:
                self._server = server
                self._told(None)
                self._log.info("monitoring_served", url=server.url)
                return

    async def stop(self) -> None:
        """Serve no more. Idempotent."""
        if self._server is not None:
            await self._server.stop()
            self._server = None
