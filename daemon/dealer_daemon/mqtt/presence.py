"""Whether the table is there: birth and will on one retained topic, told apart by the boot id."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import structlog

from dealer_daemon.bodies import PresenceBody
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.messages import Incoming, Will
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from dealer_drivers.json_text import decode_json


class _Presence(msgspec.Struct, frozen=True):
    online: bool
    boot: str


def will_of(topics: Topics, boot: str) -> Will:
    """What the broker says of us when we vanish."""
    return Will(topics.presence, msgspec.json.encode({"online": False, "boot": boot}))


class Presence:
    """Keeps the presence topic true while this boot of the daemon lives.

    An old will may arrive after our birth (a broker that noticed late that the old connection is dead). So the
    topic is watched, and the birth published again when anything else than it stands there.
    """

    def __init__(
        self,
        topics: Topics,
        retained: RetainedTopics,
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
        self._boot = boot
        self._body = PresenceBody(
            online=True, boot=boot, version=version, since=since, key=key, public_keys=dict(public_keys or {})
        )
        self._log = structlog.get_logger().bind(table=topics.table)
        self._seen = False
        self._came_back: Callable[[], None] = lambda: None
        self.problem: Problem | None = None

    def on_birth_back(self, callback: Callable[[], None]) -> None:
        """``callback()`` when the birth that was just published was delivered to us.

        A broker that keeps the order of one connection has by then delivered what was retained when we subscribed.
        """
        self._came_back = callback

    def connected(self, _session_present: bool, version: MqttVersion) -> None:
        """A session began: the birth says over which protocol."""
        self._seen = False
        self._body = msgspec.structs.replace(self._body, protocol=str(version))
        self._retained.set(self._topic, msgspec.json.encode(self._body), urgent=True)

    def received(self, message: Incoming) -> None:
        """Something stands on our topic. Until our own birth came back, it is what was there before."""
        try:
            found = decode_json(message.payload, _Presence)
        except (msgspec.MsgspecError, RecursionError):
            found = None
        if found is not None and found.online and found.boot == self._boot:
            self._seen = True
            self.problem = None
            if not message.retained:
                self._came_back()
            return
        if not self._seen or message.retained:
            return
        if found is not None and found.online:
            if self.problem is None:
                self._log.warning("another station answers for this table", boot=found.boot)
            self.problem = Problem(
                "presence_contested",
                f"another station (boot {found.boot}) says that it is this table: find it and stop it, or give every "
                "station its own site and table names",
            )
        else:
            self._log.info("birth published again", detail=message.payload[:200].decode("utf-8", "replace"))
        self._seen = False
        self._retained.repeat(self._topic)

    async def goodbye(self) -> None:
        """Says that the table leaves on purpose; call it after the last event was acknowledged."""
        self._seen = False  # what stands there from now on is nobody's business
        body = msgspec.json.encode(msgspec.structs.replace(self._body, online=False))
        # Is it not delivered, the will says the same in our place.
        await self._retained.leave(self._topic, body, "goodbye")
