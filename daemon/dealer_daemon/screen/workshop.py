"""The technician's addresses of a table: page, feed, and the pictures of rounds that are over.

``/tables/{table}/technician``, ``…/technician/feed``, ``…/technician/evidence`` and ``…/technician/evidence/{hash}``.
Nothing here acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dealer_daemon.screen.app import table_of
from dealer_daemon.screen.desk import DeskTable, listed, picture, screen_of
from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import Needs
from dealer_daemon.screen.guarded import GuardedFeed, to_sign_in
from dealer_daemon.screen.technician_view import ended_pictures


class WorkshopTable(DeskTable, Protocol):
    """A table as the technician's page needs it."""

    workshop: Feed
    """Of ``TechnicianView``."""


class Workshop:
    """See the module."""

    def __init__(self, tables: Mapping[str, WorkshopTable]) -> None:
        self._tables = tables

    def routes(self) -> Iterator[BaseRoute]:
        """Its addresses."""
        here = "/tables/{table}/technician"
        yield Route(here, self._page)
        yield Route(f"{here}/feed", GuardedFeed(lambda request: self._table(request).workshop, Needs.TECHNICIAN))
        yield Route(f"{here}/evidence", self._list)
        yield Route(f"{here}/evidence/{{hash}}", self._picture)

    def _table(self, request: Request) -> WorkshopTable:
        return table_of(self._tables, request)

    async def _page(self, request: Request) -> Response:
        self._table(request)
        return await to_sign_in(request, Needs.TECHNICIAN) or screen_of(request).page(request, "technician.html")

    async def _list(self, request: Request) -> Response:
        found = await screen_of(request).authorise(request, "evidence", Needs.TECHNICIAN)
        if isinstance(found, Response):
            return found
        table = self._table(request)
        return listed(table, ended_pictures(table.memory))

    async def _picture(self, request: Request) -> Response:
        found = await screen_of(request).authorise(request, "evidence", Needs.TECHNICIAN)
        if isinstance(found, Response):
            return found
        table = self._table(request)
        return picture(table, request.path_params["hash"], ended_pictures(table.memory))
