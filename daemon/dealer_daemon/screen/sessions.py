"""Who is signed in, in memory: a session dies with the run of the station, by its times, and when its person's entry in
the credential file is another. Pure: time is an argument, in seconds of a clock that only goes on.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_daemon.people import Person, PersonRole
from dealer_daemon.people.file import folded

PIN_FOR_S = 60.0
"""A PIN is good for what follows within a minute, and is asked again."""
MOST_PINS_WRONG = 5
"""A session in which so many PINs were wrong in a row ends."""
MOST_SESSIONS = 500


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a session lives: without an act, and at all. In seconds."""

    idle_s: float
    whole_s: float


HOUR = 3600.0
LIMITS: dict[PersonRole, Limits] = {
    "dealer": Limits(4 * HOUR, 12 * HOUR),
    "manager": Limits(HOUR / 4, 8 * HOUR),
    "technician": Limits(HOUR / 2, 8 * HOUR),
}
"""A dealer's is a shift, in which there may be nothing to press for hours. What a manager does asks for the PIN too."""


@dataclass(slots=True, eq=False)
class Session:
    """One person at one browser."""

    person: Person
    since: float
    used: float
    pin_until: float = 0.0
    pins_wrong: int = 0
    ended: bool = False

    def alive(self, now: float) -> bool:
        """Whether it is still one, by its times."""
        limits = LIMITS[self.person.role]
        return not self.ended and now - self.used < limits.idle_s and now - self.since < limits.whole_s


@dataclass(slots=True)
class Sessions:
    """See the module. Cookies are kept as hashes: whoever reads the memory of the table gets no session out of it."""

    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _sessions: dict[str, Session] = field(default_factory=dict)

    def begin(self, person: Person, now: float) -> str:
        """A new session: the value of its cookie. It is never one that a browser brought."""
        for key in [key for key, session in self._sessions.items() if not session.alive(now)]:
            del self._sessions[key]
        while len(self._sessions) >= MOST_SESSIONS:
            oldest = min(self._sessions, key=lambda key: self._sessions[key].used)
            self._sessions.pop(oldest).ended = True
        cookie = new_cookie()
        self._sessions[_kept(cookie)] = Session(person, now, now)
        return cookie

    def of(self, cookie: str, people: Mapping[str, Person], now: float) -> Session | None:
        """The session of a cookie, which goes on by what is asked now."""
        session = self._sessions.get(_kept(cookie))
        if session is None:
            return None
        if not self.still(session, people, now):
            del self._sessions[_kept(cookie)]
            return None
        return session

    def still(self, session: Session, people: Mapping[str, Person], now: float) -> bool:
        """Whether a session lives: by its times, and by the file as it is now."""
        entry = people.get(folded(session.person.name))
        same = entry is not None and (entry.name, entry.role, entry.password) == (
            session.person.name,
            session.person.role,
            session.person.password,
        )
        if not same or not session.alive(now):
            session.ended = True
        elif entry is not None:
            session.person = entry  # the PIN may be another
        return not session.ended

    def end(self, cookie: str) -> None:
        """Sign out."""
        session = self._sessions.pop(_kept(cookie), None)
        if session is not None:
            session.ended = True

    def csrf(self, cookie: str) -> str:
        """What a page of this browser sends with all that it asks for: nobody else can make it, or read it."""
        return hmac.new(self._key, b"csrf " + cookie.encode(), hashlib.sha256).hexdigest()

    def is_csrf(self, cookie: str, token: str) -> bool:
        """Whether ``token`` is the one of the browser with this cookie."""
        return hmac.compare_digest(self.csrf(cookie).encode(), token.encode())


def new_cookie() -> str:
    """The value of a cookie: 256 random bits."""
    return secrets.token_urlsafe(32)


def _kept(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
