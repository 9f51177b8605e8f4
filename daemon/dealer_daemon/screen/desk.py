"""The service manager's addresses of a table: page, feed, acts, and the evidence that may be looked at.

``/tables/{table}/manager``, ``…/manager/feed``, ``POST …/manager/acts/{act}``, ``…/manager/evidence`` and
``…/manager/evidence/{hash}``. All of it is for managers; an act asks for the PIN too (``Needs.MANAGER_ACT``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from dealer_daemon.commands import Command, CommandName
from dealer_daemon.evidence import Evidence
from dealer_daemon.screen.app import CLIENT, Screen, ScreenTable, answer, read_body, replied, shown_at, table_of
from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import Needs
from dealer_daemon.screen.guarded import GuardedFeed, to_sign_in
from dealer_daemon.screen.memory import Memory, may_be_seen
from dealer_daemon.screen.texts import say

LONGEST_REASON = 300
MOST_PICTURES = 40
PICTURES = frozenset({"image/png", "image/jpeg", "image/webp"})


class DeskTable(ScreenTable, Protocol):
    """A table as the manager's page needs it."""

    desk: Feed
    """Of ``ManagerView``."""

    @property
    def memory(self) -> Memory:
        """What may be gone back to."""
        ...

    def evidence_type(self, name: str) -> str | None:
        """Its media type, cheaply."""
        ...

    def evidence(self, name: str) -> Evidence | None:
        """A piece of evidence out of the journal."""
        ...


@dataclass(frozen=True, slots=True)
class ManagerAct:
    """A command of the manager's. ``about`` must come back from the page, of ``takes`` what was filled in."""

    command: CommandName
    about: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()


def _act(command: CommandName, *about: str, takes: str = "") -> ManagerAct:
    return ManagerAct(command, frozenset(about), frozenset(takes.split()))


RESULT = "number dice segment color remainder cards expects"
ACTS: dict[str, ManagerAct] = {
    "pause": _act(CommandName.TABLE_PAUSE),
    "resume": _act(CommandName.TABLE_RESUME, "pause"),
    "void": _act(CommandName.ROUND_VOID, "round"),
    "card": _act(CommandName.CARD_CORRECT, "round", takes="position card"),
    "refuse": _act(CommandName.ATTEMPT_REFUSE, "round"),
    "decide": _act(CommandName.ATTEMPT_DECIDE, "round", takes=RESULT),
    "decide_card": _act(CommandName.ATTEMPT_DECIDE, "round", takes="position card"),
    "decide_hand": _act(CommandName.ATTEMPT_DECIDE, "round", takes="cards expects"),
    "correct": _act(CommandName.OUTCOME_CORRECT, "replaces", takes=RESULT),
    "shoe": _act(CommandName.SHOE_CHANGE, takes="deck_set"),
    "allow_entry": _act(CommandName.ENTRY_ALLOW, "round"),
}
"""By the word in the address. A held attempt is decided, refused or voided: there is no way to let it go undecided."""


class Decided(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the page sends with an act."""

    id: str
    at: str
    reason: str
    about: dict[str, str | int | None] = {}
    args: dict[str, Any] = {}


class Desk:
    """See the module."""

    def __init__(self, tables: Mapping[str, DeskTable]) -> None:
        self._tables = tables

    def routes(self) -> Iterator[BaseRoute]:
        """Its addresses."""
        here = "/tables/{table}/manager"
        yield Route(here, self._page)
        yield Route(f"{here}/feed", GuardedFeed(lambda request: self._table(request).desk, Needs.MANAGER))
        yield Route(f"{here}/acts/{{act}}", self._decide, methods=["POST"])
        yield Route(f"{here}/evidence", self._list)
        yield Route(f"{here}/evidence/{{hash}}", self._picture)

    def _table(self, request: Request) -> DeskTable:
        return table_of(self._tables, request)

    async def _page(self, request: Request) -> Response:
        self._table(request)
        return await to_sign_in(request, Needs.MANAGER) or screen_of(request).page(request, "manager.html")

    async def _decide(self, request: Request) -> Response:
        table, act = self._table(request), ACTS.get(request.path_params["act"])
        if act is None:
            return answer(404, say("refused_act", "no_such_act"))
        person = await screen_of(request).authorise(request, request.path_params["act"], Needs.MANAGER_ACT)
        if isinstance(person, Response):
            return person
        sent = await read_body(request, Decided)
        at_ns = None if sent is None else shown_at(sent.at, table.now_ns())
        if sent is None or at_ns is None or set(sent.about) != act.about or not set(sent.args) <= act.takes:
            return answer(400, say("refused_act", "request_wrong"))
        if None in sent.about.values():
            return answer(400, say("refused_act", "request_wrong"))
        reason = " ".join(sent.reason.split())
        if not reason or len(reason) > LONGEST_REASON:
            return answer(400, say("manager", "reason_needed"))
        command = Command(
            id=sent.id,
            name=act.command,
            client=CLIENT,
            role=person.role,
            by=person.name,
            args={**sent.args, **sent.about, "reason": reason},
            sent_ns=at_ns,
        )
        return replied(table.command(command))

    async def _list(self, request: Request) -> Response:
        found = await screen_of(request).authorise(request, "evidence", Needs.MANAGER)
        if isinstance(found, Response):
            return found
        table = self._table(request)
        return listed(table, may_be_seen(table.sight(), table.memory))

    async def _picture(self, request: Request) -> Response:
        found = await screen_of(request).authorise(request, "evidence", Needs.MANAGER)
        if isinstance(found, Response):
            return found
        table = self._table(request)
        return picture(table, request.path_params["hash"], may_be_seen(table.sight(), table.memory))


def listed(table: DeskTable, names: Mapping[str, str]) -> Response:
    """The pictures among the evidence ``names``, the newest last, each with its round."""
    found = [{"hash": name, "round": of} for name, of in names.items() if table.evidence_type(name) in PICTURES]
    return JSONResponse(found[-MOST_PICTURES:])


def picture(table: DeskTable, name: str, names: Mapping[str, str]) -> Response:
    """The picture, if it is one of ``names``. Raises ``HTTPException``, 404, for all others alike."""
    piece = table.evidence(name) if name in names else None
    if piece is None or piece.media_type not in PICTURES:
        raise HTTPException(404, "there is no such picture, or it may not be seen yet\n")
    return Response(piece.body, media_type=piece.media_type)


def screen_of(request: Request) -> Screen:
    """The screen that serves the request."""
    screen: Screen = request.app.state.screen
    return screen
