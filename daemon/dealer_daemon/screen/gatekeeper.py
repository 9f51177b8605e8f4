"""Who may act at the screen. Everything that acts asks here, once, before anything else of the request is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from dealer_daemon.commands import Role
from dealer_daemon.screen.texts import Text, say


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in, and stands in the events as their author."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nobody acts. ``status`` is HTTP's: 401 sign in first, 403 not this person, 429 too often."""

    status: int
    text: Text


class Needs(StrEnum):
    """What is asked of who asks."""

    DEALER = "dealer"
    """Something of the dealer's page; whoever does it does it as a dealer."""
    MANAGER = "manager"
    """To look at what a manager has before them."""
    MANAGER_ACT = "manager_act"
    """Something that only a manager may do: with the second factor."""
    TECHNICIAN = "technician"
    """To look at the devices."""


MAY: dict[Needs, frozenset[Role]] = {
    Needs.DEALER: frozenset({Role.DEALER, Role.MANAGER}),
    Needs.MANAGER: frozenset({Role.MANAGER}),
    Needs.MANAGER_ACT: frozenset({Role.MANAGER}),
    Needs.TECHNICIAN: frozenset({Role.TECHNICIAN, Role.MANAGER}),
}
"""Who may."""


class Gatekeeper(Protocol):
    """Decides about one request."""

    async def authorise(self, request: Request, act: str, needs: Needs = Needs.DEALER) -> Person | Refused:
        """Who asks for ``act`` (a word of ``buttons.ACTS``, ``enter``, …), or why they may not."""
        ...

    def routes(self) -> list[BaseRoute]:
        """Its own addresses; ``/session`` is among them."""
        ...

    def stays(self, request: Request) -> Callable[[], bool]:
        """For a stream that was authorised: whether who asked for it is signed in still."""
        ...


class NobodyMayAct:
    """Where there is no credential file nobody can be known, so nobody acts."""

    async def authorise(self, request: Request, act: str, needs: Needs = Needs.DEALER) -> Person | Refused:
        """Refuses."""
        del request, act, needs
        return Refused(403, say("refused_act", "nobody_may_act"))

    def routes(self) -> list[BaseRoute]:
        """``/session`` says that there is none."""
        return [Route("/session", _no_session)]

    def stays(self, request: Request) -> Callable[[], bool]:
        """Nobody is."""
        del request
        return lambda: False


async def _no_session(request: Request) -> Response:
    del request
    return JSONResponse({"csrf": "", "person": None})
