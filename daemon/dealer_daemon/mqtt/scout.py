"""Whether another station speaks for this table already: asked before every connection, under a client id of its own.

The table's own client id would throw the other one out, and the broker would say by its will that it is gone. So
somebody goes ahead who throws nobody out, says nothing that stands, and asks: a station that lives answers. One that
stands on the topic and is silent is dead, or cut off: then this one takes its place, and the other, when it is back,
asks in its turn and finds this one. Of two that ask at the same moment the one with the lower boot id goes first.

What the broker keeps on other topics can be looked at on the same way (``shown``): over a connection without a session
nothing waits in a queue that could be full, so that the broker would leave out just that.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import structlog

from dealer_daemon.mqtt.connection import Closing, Connection
from dealer_daemon.mqtt.errors import ConnectFailed, Contested, Ending, MqttError, Problem
from dealer_daemon.mqtt.messages import Incoming, Outgoing
from dealer_daemon.mqtt.presence_body import Said, ask_of, read_presence
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.topics import Topics

CONTESTED = "station_contested"
ANSWER_S = 5.0
"""A living station answers within a round trip. One that is stopped for longer than this is thrown out by our
connection, and finds us when it comes back."""
QUIET_S, QUIET_TRIPS = 0.1, 10
"""And so long, with so many times as long as our own question takes to come back, where nobody is said to be there."""
SHOWN_S = 5.0
"""A broker that has not given our own question back by then does not let us see who is there."""
QUESTIONS = 5
"""At most, in one look: births that come without end, and answer nothing, are no station's."""


class Look:
    """What one look has seen so far. Pure: messages in."""

    def __init__(self, boot: str, nonce: str) -> None:
        self._boot = boot
        self.nonce = nonce
        self.shown = False
        """Our question came back: what stood there before has come, too."""
        self.standing: Said | None = None
        """Another station that is said to be online."""
        self.living: Said | None = None
        """It answered."""
        self.first: str | None = None
        """Another station that looks at this moment, and goes first."""

    def decided(self) -> bool:
        """Another station lives, or goes first."""
        return self.living is not None or self.first is not None

    def told(self) -> bool:
        """Something came of our question."""
        return self.shown or self.decided()

    def ask_again(self, nonce: str) -> None:
        """Another question: what was answered to the one before no longer counts."""
        self.nonce, self.shown = nonce, False

    def received(self, message: Incoming) -> bool:
        """Takes note of a message on the presence topic. Says whether it is news of a station that must be asked, or
        must hear our question."""
        said = read_presence(message.payload)
        if said is None:
            if message.retained or not message.payload:
                self.standing = None
        elif said.asks is not None:
            self.shown |= said.boot == self.nonce
            if said.boot == self.nonce or said.asks == self._boot or message.retained:
                return False
            if said.asks > self._boot:
                return True  # it came after our question, and gives way when it hears one
            self.first = said.asks
        elif said.boot == self._boot:
            self.standing = None  # our own word, of the connection before
        elif said.answers is not None:
            if said.answers == self.nonce:
                self.living = said
        elif said.online:
            self.standing = said
            return not message.retained
        elif message.retained or (self.standing is not None and self.standing.boot == said.boot):
            self.standing = None
        return False


class Scout:
    """Looks for another living station of a table. ``boot`` is the id of this run."""

    def __init__(
        self,
        topics: Topics,
        boot: str,
        nonce: Callable[[], str] = lambda: secrets.token_hex(8),
        *,
        shown: Mapping[str, Callable[[Incoming], None]] | None = None,
    ) -> None:
        """``shown``: topics, and who gets what is retained there before a look ends that lets the table connect."""
        self._topics = topics
        self._boot = boot
        self._nonce = nonce
        self._shown = dict(shown or {})
        self._log = structlog.get_logger().bind(table=topics.table)

    async def look(self, settings: BrokerSettings, version: MqttVersion) -> None:
        """Returns when the table may connect to this node of the broker.

        Raises ``Contested`` where another station answered, and ``ConnectFailed``.
        """
        visit = _Visit(self._topics, self._boot, self._nonce, self._shown)
        ours = replace(settings, client_id=f"{settings.client_id}-look-{self._boot[:8]}", lasting=False)
        connection = Connection(ours, version, None, visit)
        try:
            await connection.open()
            try:
                await self._wait(connection, visit)
            finally:
                visit.ended = True
            await connection.close()
        finally:
            connection.abort(Closing(Ending.LOST, "looked"))
        if (other := visit.look.living) is not None:
            raise Contested(_contested(self._topics, other))
        if visit.look.first is not None:
            detail = (
                f"another station (boot {visit.look.first}) of this name asks at the same moment whether somebody is "
                "there: it goes first, and this one asks again"
            )
            raise ConnectFailed(Ending.UNSEEN, detail)
        for message in visit.kept.values():  # before the connection that is made now can tell anything
            asyncio.get_running_loop().call_soon(self._shown[message.topic], message)
        if (silent := visit.look.standing) is not None:
            self._log.warning(
                "another station is silent",
                boot=silent.boot,
                detail=f"it is said to be online and has not answered for {ANSWER_S:g} s: it is taken for dead. Was it "
                "cut off only, it holds itself when it is back",
            )

    async def _wait(self, connection: Connection, visit: _Visit) -> None:
        """Until another station answers or goes first, or the time is over in which one that lives would have."""
        loop, look = asyncio.get_running_loop(), visit.look
        while not look.decided():
            questions, asked_s = visit.questions, loop.time()
            while not look.told():
                if loop.time() >= asked_s + SHOWN_S:
                    raise ConnectFailed(Ending.UNSEEN, self._unseen(visit))
                await _change(connection, visit, asked_s + SHOWN_S)
            shown_s = loop.time()
            quiet_s = QUIET_S + QUIET_TRIPS * (shown_s - asked_s)
            while not look.decided() and visit.questions == questions:
                # What is retained at another node of a cluster may not be shown here: silence is listened for, too.
                limit_s = shown_s + (quiet_s if look.standing is None else ANSWER_S)
                if loop.time() >= limit_s:
                    return
                await _change(connection, visit, limit_s)

    def _unseen(self, visit: _Visit) -> str:
        return (
            f"the broker does not show who is on {self._topics.presence}, so the table does not connect: another "
            "station may speak for it. Let the station read and write that topic in the broker's access list, and look "
            f"at the line to it{visit.refused}"
        )


class _Visit:
    """The owner of the scout's connection (``connection.Owner``)."""

    def __init__(self, topics: Topics, boot: str, nonce: Callable[[], str], shown: Collection[str]) -> None:
        self._topics = topics
        self._others = [*shown]
        self.kept: dict[str, Incoming] = {}
        """What is retained on the other topics."""
        self._boot = boot
        self._nonce = nonce
        self._connection: Connection | None = None
        self.look = Look(boot, nonce())
        self.questions = 0
        self.refused = ""
        self.ended = False
        self.changed = asyncio.Event()

    def opened(self, connection: Connection, _session_present: bool) -> None:
        self._connection = connection
        connection.subscribe([*self._others, self._topics.presence])  # this last: its echo says that all was shown
        self._ask()

    def received(self, message: Incoming) -> None:
        if not self.ended and message.topic == self._topics.presence and self.look.received(message):
            # Not from within paho's callback. Its birth may have been on its way since before it died: it is asked.
            asyncio.get_running_loop().call_soon(self._ask_again)
        elif message.retained and message.topic in self._others:
            self.kept[message.topic] = message
        self.changed.set()

    def subscription_refused(self, _topic_filter: str, reason: str) -> None:
        self.refused = f" (it refuses the subscription: {reason})"

    def _ask_again(self) -> None:
        if not self.ended and not self.look.decided() and self.questions < QUESTIONS:
            self.look.ask_again(self._nonce())
            self._ask()
            self.changed.set()

    def _ask(self) -> None:
        assert self._connection is not None
        self.questions += 1
        question = Outgoing(self._topics.presence, ask_of(self.look.nonce, self._boot))
        try:
            self._connection.publish(question).add_done_callback(self._asked)
        except MqttError as error:  # the connection ends, and whoever waits hears of that
            self.refused = f" ({error})"

    def _asked(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            self.refused = f" ({error})"


async def _change(connection: Connection, visit: _Visit, until_s: float) -> None:
    """Waits until something was seen, or that time of the loop. Raises ``ConnectFailed`` when the connection ends."""
    visit.changed.clear()
    changed = asyncio.create_task(visit.changed.wait(), name="scout")
    either: set[asyncio.Future[Any]] = {changed, connection.closed}
    try:
        timeout_s = until_s - asyncio.get_running_loop().time()
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        changed.cancel()
    if connection.closed.done():
        raise ConnectFailed(Ending.LOST, connection.closed.result().detail)


def _contested(topics: Topics, other: Said) -> Problem:
    """Names the other one by what it says of itself."""
    since = f", there since {other.since}" if other.since else ""
    detail = (
        f"another station (boot {other.boot}{since}) speaks for table {topics.table} of site {topics.site} at this "
        "broker, and answers: this one says nothing, takes no command and opens no round until it is started again. "
        "Find the other one. Is this one too many, stop it, or give it another site or table name; is the other one, "
        "stop that and start this one again"
    )
    return Problem(CONTESTED, detail)
