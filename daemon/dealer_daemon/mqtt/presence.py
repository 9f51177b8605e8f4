"""Whether the table is there: birth and will on one retained topic, told apart by the boot id."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping

import msgspec
import structlog

from dealer_daemon.bodies import PresenceBody
from dealer_daemon.mqtt.errors import MqttError, Problem
from dealer_daemon.mqtt.link import Publishing
from dealer_daemon.mqtt.messages import Incoming, Outgoing, Will
from dealer_daemon.mqtt.presence_body import Said, answer_of, read_presence
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics


def will_of(topics: Topics, boot: str) -> Will:
    """What the broker says of us when we vanish."""
    return Will(topics.presence, msgspec.json.encode({"online": False, "boot": boot}))


class Presence:
    """Keeps the presence topic true while this boot of the daemon lives.

    An old will may arrive after our birth (a broker that noticed late that the old connection is dead). So the
    topic is watched, and the birth published again when anything else than it stands there. Another station that asks
    whether somebody is there (``scout``) is answered. One that was born beside us is none that asked before: the
    connection is made anew, and with it the question who is there.
    """

    def __init__(
        self,
        topics: Topics,
        retained: RetainedTopics,
        link: Publishing,
        *,
        boot: str,
        version: str,
        since: str,
        key: str | None = None,
        public_keys: Mapping[str, str] | None = None,
    ) -> None:
        """``version`` is the daemon's; ``since`` when this boot began, RFC 3339; ``key`` the id of the signing key, and
        ``public_keys`` all that signed so far, by id, in base64url."""
        self._topic = topics.presence
        self._retained = retained
        self._link = link
        self._boot = boot
        self._body = PresenceBody(
            online=True, boot=boot, version=version, since=since, key=key, public_keys=dict(public_keys or {})
        )
        self._log = structlog.get_logger().bind(table=topics.table)
        self._seen = False
        self._came_back: Callable[[], None] = lambda: None
        self._contested: Callable[[str], None] = lambda _reason: None
        self.problem: Problem | None = None

    def on_birth_back(self, callback: Callable[[], None]) -> None:
        """``callback()`` when the birth that was just published was delivered to us.

        A broker that keeps the order of one connection has by then delivered what was retained when we subscribed.
        """
        self._came_back = callback

    def on_contested(self, callback: Callable[[str], None]) -> None:
        """``callback(reason)`` when another station was born while we are here."""
        self._contested = callback

    def connected(self, _session_present: bool, version: MqttVersion) -> None:
        """A session began: the birth says over which protocol."""
        self._seen = False
        # A birth of the connection before may still come, from the broker's queue for our session.
        self._body = msgspec.structs.replace(self._body, protocol=str(version), connection=secrets.token_hex(8))
        self._retained.set(self._topic, msgspec.json.encode(self._body), urgent=True, always=True)

    def received(self, message: Incoming) -> None:
        """Something stands on our topic. Until our own birth came back, it is what was there before."""
        said = read_presence(message.payload)
        if said is not None and said.online and said.boot == self._boot:
            if said.answers is None and said.connection == self._body.connection:
                self._seen = True
                self.problem = None
                if not message.retained:
                    self._came_back()
            return
        if not self._seen or message.retained:
            return
        if said is not None and (said.asks is not None or said.answers is not None):
            self._asked(said)
            return
        self._seen = False
        self._retained.repeat(self._topic)
        if said is not None and said.online:
            self._meet(said.boot)
            self._contested(f"another station (boot {said.boot}) was born beside this one")
        else:
            self._log.info("birth published again", detail=message.payload[:200].decode("utf-8", "replace"))

    def _asked(self, said: Said) -> None:
        """Says that we are here, to who asks under this question's id alone."""
        if said.asks is None or said.asks == self._boot:
            return
        self._meet(said.asks)
        answer = Outgoing(self._topic, answer_of(self._body, said.boot))
        try:
            self._link.publish(answer).add_done_callback(lambda done: done.exception())
        except MqttError as error:  # who is not connected is not there
            self._log.info("answer to another station not sent", detail=str(error))

    def _meet(self, boot: str) -> None:
        if self.problem is None:
            self._log.warning("another station answers for this table", boot=boot)
        self.problem = Problem(
            "presence_contested",
            f"another station (boot {boot}) says that it is this table: find it and stop it, or give every "
            "station its own site and table names",
        )

    async def goodbye(self) -> None:
        """Says that the table leaves on purpose; call it after the last event was acknowledged."""
        self._seen = False  # what stands there from now on is nobody's business
        body = msgspec.json.encode(msgspec.structs.replace(self._body, online=False))
        # Is it not delivered, the will says the same in our place.
        await self._retained.leave(self._topic, body, "goodbye")
