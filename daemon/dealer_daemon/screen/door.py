"""Signing in: the gatekeeper of everything that acts, where there is a credential file, and its own addresses.

``/sign-in`` is the page; ``POST /sign-in`` and ``/sign-out``; ``POST /pin`` a manager's second factor; ``/session`` who
is signed in at this browser, and the token that all it asks for must carry (``x-csrf-token``).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dealer_daemon.commands import Role
from dealer_daemon.people import CheckFailed, Hash, PeopleFile, fits
from dealer_daemon.people import Person as Entry
from dealer_daemon.people.file import folded
from dealer_daemon.people.hashing import nobody
from dealer_daemon.screen.app import answer, read_body
from dealer_daemon.screen.gatekeeper import MAY, Needs, Person, Refused
from dealer_daemon.screen.guard import SAFE
from dealer_daemon.screen.pages import filled, static_files
from dealer_daemon.screen.sessions import MOST_PINS_WRONG, PIN_FOR_S, Session, Sessions, new_cookie
from dealer_daemon.screen.slower import Slower
from dealer_daemon.screen.texts import say
from dealer_daemon.words import Language
from dealer_daemon.words.table_screen import PHRASES

TOKEN = "x-csrf-token"
MOST_WAITING = 8
"""Checks that wait for the one before; who comes then is told to try again."""
_BACK_TO = re.compile(r"/(tables/[^/?#\\]{1,100}(/manager|/technician)?)?")


class SignIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is sent to sign in."""

    name: str
    password: str


class Pin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The second factor."""

    pin: str


class Door:
    """See the module. ``now`` is a clock that only goes on, in seconds."""

    def __init__(
        self,
        people: PeopleFile,
        now: Callable[[], float] = time.monotonic,
        check: Callable[[str, Hash], Awaitable[bool]] = fits,
    ) -> None:
        self._people = people
        self._now = now
        self._check = check
        self._sessions = Sessions()
        self._slower = Slower()
        self._nobody = nobody()
        self._one = asyncio.Lock()
        self._waiting = 0
        self._told: str | None = None
        self._page = static_files()["sign-in.html"]
        self._log = structlog.get_logger()

    def routes(self) -> list[BaseRoute]:
        """Its addresses."""
        return [
            Route("/sign-in", self._show, methods=["GET"]),
            Route("/sign-in", self._sign_in, methods=["POST"]),
            Route("/sign-out", self._sign_out, methods=["POST"]),
            Route("/pin", self._pin, methods=["POST"]),
            Route("/session", self._session, methods=["GET"]),
        ]

    # -- who asks ------------------------------------------------------------------------------------------------

    async def authorise(self, request: Request, act: str, needs: Needs = Needs.DEALER) -> Person | Refused:
        """As ``Gatekeeper``: a session, the token of its page, the role, and for a manager's acts the PIN."""
        del act
        cookie = request.cookies.get(cookie_name(request), "")
        session = self._sessions.of(cookie, self._everybody(), self._now())
        if session is None:
            return Refused(401, say("refused_act", "sign_in_first"))
        changes = request.method not in SAFE
        if changes and not self._sessions.is_csrf(cookie, request.headers.get(TOKEN, "")):
            return Refused(403, say("sign_in", "page_old"))
        role = Role(session.person.role)
        if role not in MAY[needs]:
            return Refused(403, say("refused_act", "not_your_role"))
        if needs is Needs.MANAGER_ACT:
            if session.person.pin is None:
                return Refused(403, say("sign_in", "pin_unset"))
            if self._now() >= session.pin_until:
                return Refused(403, say("sign_in", "pin_first"))
        if changes:  # a page that looks by itself keeps nobody signed in
            session.used = self._now()
        # At the dealer's page everybody acts as a dealer does: a manager's own acts ask for the PIN, and a reason.
        return Person(session.person.name, Role.DEALER if needs is Needs.DEALER else role)

    def stays(self, request: Request) -> Callable[[], bool]:
        """Whether who asked for a stream is still signed in, whenever it is asked; looking on is no act."""
        cookie = request.cookies.get(cookie_name(request), "")
        session = self._sessions.of(cookie, self._everybody(), self._now())
        return lambda: session is not None and self._sessions.still(session, self._everybody(), self._now())

    def _everybody(self) -> dict[str, Entry]:
        people = self._people.now()
        if self._people.problem != self._told:
            self._told = self._people.problem
            if self._told is not None:
                self._log.error("people_file", state="the one before is in force", detail=self._told)
            else:
                self._log.info("people_file", state="read anew")
        return dict(people)

    # -- signing in ----------------------------------------------------------------------------------------------

    async def _show(self, request: Request) -> Response:
        asked = request.query_params.get("lang", "")
        language = Language(asked) if asked in list(Language) else Language.ENGLISH
        back = request.query_params.get("to", "")
        back = back if _BACK_TO.fullmatch(back) else "/"
        body, kind = self._page
        words = {code: msgspec.to_builtins(say("sign_in", code, n=""))[language] for code in PHRASES["sign_in"]}
        return Response(filled(body, lang=str(language), to=back, **words), media_type=kind)

    async def _session(self, request: Request) -> Response:
        cookie = request.cookies.get(cookie_name(request), "")
        session = self._sessions.of(cookie, self._everybody(), self._now())
        fresh = not cookie
        cookie = cookie or new_cookie()  # of a browser that is not signed in: its token is of it alone, too
        person = None if session is None else {"name": session.person.name, "role": session.person.role}
        body = msgspec.json.encode({"csrf": self._sessions.csrf(cookie), "person": person})
        response = Response(body, media_type="application/json")
        if fresh:
            _set_cookie(request, response, cookie)
        return response

    async def _sign_in(self, request: Request) -> Response:
        before = request.cookies.get(cookie_name(request), "")
        if not before or not self._sessions.is_csrf(before, request.headers.get(TOKEN, "")):
            return answer(403, say("sign_in", "page_old"))
        asked = await read_body(request, SignIn)
        if asked is None:
            return answer(400, say("refused_act", "request_wrong"))
        name, address = folded(asked.name), _address(request)
        entry = self._everybody().get(name)
        secret = self._nobody if entry is None else Hash.parse(entry.password)
        refused = await self._tried(asked.password, secret, name[:64], address)
        if refused is None and entry is None:  # cannot be: no secret has that hash
            refused = answer(401, say("sign_in", "wrong"))
        if refused is not None:
            # An unknown name may be a password in the wrong field: it is not told to the log.
            known = "-" if entry is None else entry.name
            self._log.warning("sign_in_refused", by=known, client=address, code=refused.status_code)
            return refused
        assert entry is not None
        self._sessions.end(before)
        response = answer(200, say("sign_in", "done"))
        _set_cookie(request, response, self._sessions.begin(entry, self._now()))
        self._log.info("signed_in", by=entry.name, role=entry.role, client=address)
        return response

    async def _tried(self, secret: str, hash_: Hash, name: str, address: str) -> Response | None:
        """The answer to a try that fails; ``None`` for one that is right. One try at a time: they are counted before
        the next is looked at."""
        if self._waiting >= MOST_WAITING:
            return answer(429, say("sign_in", "busy"))
        self._waiting += 1
        try:
            async with self._one:
                wait_s = self._slower.wait_s(name, address, self._now())
                if wait_s > 0:
                    seconds = int(wait_s) + 1
                    slow = answer(429, say("sign_in", "slow", n=seconds))
                    slow.headers["retry-after"] = str(seconds)
                    return slow
                try:
                    right = await self._check(secret, hash_)
                except CheckFailed as error:
                    self._log.error("sign_in_check", detail=str(error))
                    return answer(503, say("sign_in", "cannot_check"))
                if right:
                    self._slower.right(name, address)
                    return None
                self._slower.wrong(name, address, self._now())
                return answer(401, say("sign_in", "wrong"))
        finally:
            self._waiting -= 1

    async def _sign_out(self, request: Request) -> Response:
        cookie = request.cookies.get(cookie_name(request), "")
        if not cookie or not self._sessions.is_csrf(cookie, request.headers.get(TOKEN, "")):
            return answer(403, say("sign_in", "page_old"))
        session = self._sessions.of(cookie, self._everybody(), self._now())
        self._sessions.end(cookie)
        if session is not None:
            self._log.info("signed_out", by=session.person.name)
        response = answer(200, say("sign_in", "out"))
        _set_cookie(request, response, new_cookie())
        return response

    async def _pin(self, request: Request) -> Response:
        found = await self.authorise(request, "pin", Needs.MANAGER)
        if isinstance(found, Refused):
            return answer(found.status, found.text)
        cookie = request.cookies.get(cookie_name(request), "")
        session = self._sessions.of(cookie, self._everybody(), self._now())
        asked = await read_body(request, Pin)
        if session is None or asked is None:
            return answer(400, say("refused_act", "request_wrong"))
        if session.person.pin is None:
            return answer(403, say("sign_in", "pin_unset"))
        hash_ = Hash.parse(session.person.pin)
        refused = await self._tried(asked.pin, hash_, f"\npin {folded(session.person.name)}", _address(request))
        if refused is None:
            return self._pin_right(session)
        if refused.status_code != 401:
            return refused
        session.pins_wrong += 1
        session.pin_until = 0.0
        self._log.warning("pin_refused", by=session.person.name, client=_address(request))
        if session.pins_wrong >= MOST_PINS_WRONG:  # whoever sits there is not the person who signed in
            self._sessions.end(cookie)
        return answer(403, say("sign_in", "pin_wrong"))

    def _pin_right(self, session: Session) -> Response:
        session.pins_wrong = 0
        session.pin_until = self._now() + PIN_FOR_S
        return answer(200, say("sign_in", "pin_good"))


def cookie_name(request: Request) -> str:
    """Ports of one machine share their cookies: each screen has its own. Over TLS no other may set it (``__Host-``)."""
    server = request.scope.get("server")
    name = f"dealer-{server[1] if server else 0}"
    return f"__Host-{name}" if request.url.scheme == "https" else name


def _set_cookie(request: Request, response: Response, value: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(cookie_name(request), value, path="/", httponly=True, samesite="strict", secure=secure)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
