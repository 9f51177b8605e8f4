"""Who may act at the screen. Everything that acts asks here, once, before anything else of the request is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

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


class Gatekeeper(Protocol):
    """Decides about one request."""

    async def authorise(self, request: Request, act: str) -> Person | Refused:
        """Who asks for ``act`` (a word of ``buttons.ACTS``, or ``enter``), or why they may not."""
        ...


class NobodyMayAct:
    """Where there is no credential file nobody can be known, so nobody acts."""

    async def authorise(self, request: Request, act: str) -> Person | Refused:
        """Refuses."""
        del request, act
        return Refused(403, say("refused_act", "nobody_may_act"))
