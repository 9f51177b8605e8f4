"""The screen's addresses: pages, feeds and acts of every table, as one ASGI application.

``/`` lists the tables; ``/tables/{table}`` is the dealer's page, ``…/feed`` its server-sent events,
``POST …/acts/{act}`` a button and ``POST …/entry`` a result keyed in twice. ``…/board`` is the scoreboard, with a feed
of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dealer_daemon.commands import Command, Reply
from dealer_daemon.screen.buttons import ACTS, keypad_of
from dealer_daemon.screen.entry import BadEntry, Entered, enter
from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import Gatekeeper, Needs, Person, Refused
from dealer_daemon.screen.guard import App, Guard, Receive, Scope, Send
from dealer_daemon.screen.pages import filled, static_files
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.texts import Text, plain, say, word
from dealer_daemon.words import Language
from dealer_daemon.words.table_screen import PHRASES

AnyTable = TypeVar("AnyTable")

CLIENT = "screen"
"""In commands and logs: where they came from."""
LONGEST_BODY = 4096
LATEST_NS = 60_000_000_000
"""What a press is about was on the screen at most so long ago: a page that hears nothing takes no press."""


class ScreenTable(Protocol):
    """A table as the station lends it to the screen."""

    feed: Feed
    board: Feed
    """Of its scoreboard."""

    def feeds(self) -> Iterable[Feed]:
        """Every feed of the table, this one too."""
        ...

    def sight(self) -> Sight:
        """All that its view is made from, as of now."""
        ...

    def command(self, command: Command) -> Reply:
        """As ``TableHost.command``."""
        ...

    def now_ns(self) -> int:
        """The station's wall clock, Unix ns."""
        ...


class Pressed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a page sends with a press: ``at`` is the newest time that it had heard from the feed, ``id`` is of this one
    press: sent again it is carried out once."""

    id: str
    at: str
    about: dict[str, str | int | None] = {}


class Screen:
    """See the module. ``more`` are routes of further pages."""

    def __init__(
        self,
        tables: Mapping[str, ScreenTable],
        gatekeeper: Gatekeeper,
        names: Iterable[str] = (),
        boot: str = "",
        more: Iterable[BaseRoute] = (),
    ) -> None:
        self.tables = tables
        self.gatekeeper = gatekeeper
        self.boot = boot
        self.files = static_files()
        self._log = structlog.get_logger()
        routes: list[BaseRoute] = [
            Route("/", self._list),
            Route("/tables/{table}", self._page),
            Route("/tables/{table}/feed", _Stream(self, lambda table: table.feed)),
            Route("/tables/{table}/board", self._board),
            Route("/tables/{table}/board/feed", _Stream(self, lambda table: table.board)),
            Route("/tables/{table}/acts/{act}", self._act, methods=["POST"]),
            Route("/tables/{table}/entry", self._entry, methods=["POST"]),
            Route("/static/{name}", self._file),
            Route("/words/{place}", self._words),
            *gatekeeper.routes(),
            *more,
        ]
        inner = Starlette(routes=routes)
        inner.state.screen = self
        self.app: App = Guard(inner, names)

    def close(self) -> None:
        """End the feeds."""
        for table in self.tables.values():
            for feed in table.feeds():
                feed.close()

    # -- pages ---------------------------------------------------------------------------------------------------

    def table(self, request: Request) -> ScreenTable:
        """The table of the address. Raises ``HTTPException``, 404."""
        return table_of(self.tables, request)

    def page(self, request: Request, name: str) -> Response:
        """A page of ``static/`` about the table of the address, in the table's language or the one that is asked for
        (``?lang=zh-Hans``)."""
        sight = self.table(request).sight()
        asked = request.query_params.get("lang", "")
        language = asked if asked in list(Language) else str(sight.face.config.screen_language)
        body, kind = self.files[name]
        values = {"lang": language, "table": request.path_params["table"], "boot": self.boot}
        return Response(filled(body, **values), media_type=kind)

    async def _page(self, request: Request) -> Response:
        return self.page(request, "table.html")

    async def _board(self, request: Request) -> Response:
        return self.page(request, "board.html")

    async def _list(self, request: Request) -> Response:
        del request
        body, kind = self.files["list.html"]
        start, _, end = body.decode().partition("{{tables}}")
        item = (
            '<li><a href="/tables/{{table}}">{{table}}</a> <span>{{game}}</span> '
            '<a href="/tables/{{table}}/board">board 牌路</a> '
            '<a href="/tables/{{table}}/manager">manager 经理</a> '
            '<a href="/tables/{{table}}/technician">technician 技术员</a></li>'
        )
        tables = b"".join(
            filled(item.encode(), table=name, game=table.sight().face.config.game)
            for name, table in sorted(self.tables.items())
        )
        return Response(start.encode() + tables + end.encode(), media_type=kind)

    async def _file(self, request: Request) -> Response:
        found = self.files.get(request.path_params["name"])
        if found is None or found[1].startswith("text/html"):
            raise HTTPException(404, "there is no such file\n")
        return Response(found[0], media_type=found[1])

    async def _words(self, request: Request) -> Response:
        """The phrases of one place in every language, for what a page says by itself; ``{parts}`` are filled there."""
        found = PHRASES.get(request.path_params["place"])
        if found is None:
            raise HTTPException(404, "there are no such words\n")
        body = {
            code: Text(code=code, english=phrase.english, simplified=phrase.simplified, traditional=phrase.traditional)
            for code, phrase in found.items()
        }
        return Response(msgspec.json.encode(body), media_type="application/json")

    # -- acts ----------------------------------------------------------------------------------------------------

    async def authorise(self, request: Request, act: str, needs: Needs = Needs.DEALER) -> Person | Response:
        """Who acts, or the answer to give. Everything that acts begins with this."""
        found = await self.gatekeeper.authorise(request, act, needs)
        if not isinstance(found, Refused):
            return found
        self._log.warning("screen_act_refused", name=act, reason=found.text.code)
        return answer(found.status, found.text)

    async def _act(self, request: Request) -> Response:
        table, pressed_on = self.table(request), request.path_params["act"]
        act = ACTS.get(pressed_on)
        if act is None:
            return answer(404, say("refused_act", "no_such_act"))
        person = await self.authorise(request, pressed_on)
        if isinstance(person, Response):
            return person
        pressed = await read_body(request, Pressed)
        at_ns = None if pressed is None else shown_at(pressed.at, table.now_ns())
        if pressed is None or at_ns is None or set(pressed.about) - set(act.about):
            return answer(400, say("refused_act", "request_wrong"))
        reply = table.command(
            Command(
                id=pressed.id,
                name=act.command,
                client=CLIENT,
                role=person.role,
                by=person.name,
                args={**pressed.about, **(act.args or {})},
                sent_ns=at_ns,
            )
        )
        return replied(reply)

    async def _entry(self, request: Request) -> Response:
        table = self.table(request)
        person = await self.authorise(request, "enter")
        if isinstance(person, Response):
            return person
        entered = await read_body(request, Entered)
        if entered is None:
            return answer(400, say("refused_act", "request_wrong"))
        sight = table.sight()
        keypad, socket = keypad_of(sight), sight.face.entry_socket
        if keypad is None or socket is None or keypad.round != entered.round:
            return answer(409, say("refused_act", "entry_not_open"))
        try:
            said = await enter(socket, person.name, keypad, entered)
        except BadEntry as error:
            return answer(400, say("refused_act", "request_wrong"), str(error))
        except (OSError, TimeoutError, msgspec.MsgspecError) as error:
            return answer(503, say("refused_act", "entry_unheard"), str(error))
        if said.state == "entered":
            return answer(200, say("answer", "entered"))
        text = word("entries_differ") if said.state == "differ" else say("refused_act", "entry_unheard")
        return answer(409, text, said.reason)


def table_of(tables: Mapping[str, AnyTable], request: Request) -> AnyTable:
    """That of ``tables`` which the address names. Raises ``HTTPException``, 404."""
    found = tables.get(request.path_params["table"])
    if found is None:
        raise HTTPException(404, "there is no such table\n")
    return found


async def read_body(request: Request, kind: type[Any]) -> Any | None:
    """The body as ``kind``; ``None`` where it is none, or too long."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return None
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            return None
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def answer(status: int, text: Text, detail: str = "") -> Response:
    """An answer that the page shows: a text in every language, and a sentence for whoever looks into it."""
    body = msgspec.json.encode({"ok": status == 200, "text": text, "detail": detail})
    return Response(body, status_code=status, media_type="application/json")


def replied(reply: Reply) -> Response:
    """A command's reply for the page."""
    if reply.ok:
        return answer(200, say("answer", "done"))
    code = str(reply.error)
    return answer(409, say("answer", code) if reply.error is not None else plain(code), reply.message)


def shown_at(at: str, now_ns: int) -> int | None:
    """When the page last heard from the feed; ``None`` for what cannot be."""
    if not (at.isascii() and at.isdigit() and len(at) <= 20):
        return None
    return int(at) if now_ns - LATEST_NS <= int(at) <= now_ns else None


class _Stream:
    """A feed's address: an ASGI application of its own, for it outlasts any answer."""

    def __init__(self, screen: Screen, of: Callable[[ScreenTable], Feed]) -> None:
        self._screen = screen
        self._of = of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        table = self._screen.table(Request(scope))
        await self._of(table).serve(receive, send)
