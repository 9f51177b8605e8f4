"""An MQTT 5 broker that misbehaves as a script says, one step at a time, and behaves when the script is at its end.

It keeps what a subscriber of ``events/+`` would have been sent (``stored``), in order, and what it retains.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from enum import StrEnum

from support.mqtt_wire import (
    DISCONNECT,
    PINGREQ,
    PINGRESP,
    PUBLISH,
    SUBSCRIBE,
    V5,
    Packet,
    Peer,
    Publish,
    connack_packet,
    packet,
    puback_packet,
    suback_packet,
)

LATE_S = 0.06
"""How late a late acknowledgement is: within the time that the tests' clients allow."""
BAD_SESSION_S = 0.15
"""How long a session with a bad limit lasts, where nothing else ends it."""
FORGOTTEN = 3
"""Of what it had stored, a broker that forgets loses the newest so many."""
ALIAS = 35
RECEIVE_MAXIMUM, MAXIMUM_QOS, MAXIMUM_PACKET_SIZE = 33, 36, 39


class Step(StrEnum):
    """What it does with the next CONNECT, or the next PUBLISH."""

    # with a CONNECT
    BUSY = "busy"
    NO_QOS_1 = "no_qos_1"
    RECEIVE_1 = "receive_1"
    RECEIVE_0 = "receive_0"
    SMALL_PACKETS = "small_packets"
    FORGET = "forget"
    FORGET_AND_LIE = "forget_and_lie"
    MUTE_CONNECT = "mute_connect"
    HALF_CONNACK = "half_connack"
    DEAF = "deaf"
    # with a PUBLISH
    GOOD = "good"
    SILENT = "silent"
    LOSE = "lose"
    LATE = "late"
    SWAPPED = "swapped"
    QUOTA = "quota"
    NOT_AUTHORIZED = "not_authorized"
    NO_SUBSCRIBERS = "no_subscribers"
    SHUT_DOWN = "shut_down"
    CUT = "cut"
    HALF = "half"
    HALF_AND_CUT = "half_and_cut"
    FROZEN = "frozen"
    TWICE = "twice"
    UNKNOWN = "unknown"
    ALIAS = "alias"


AT_CONNECT = frozenset(list(Step)[: list(Step).index(Step.GOOD)])
CODES = {Step.QUOTA: 0x97, Step.NOT_AUTHORIZED: 0x87, Step.NO_SUBSCRIBERS: 0x10}
LIMITS: dict[Step, dict[int, object]] = {
    Step.RECEIVE_1: {RECEIVE_MAXIMUM: 1},
    Step.RECEIVE_0: {RECEIVE_MAXIMUM: 0},
    Step.NO_QOS_1: {MAXIMUM_QOS: 0},
    Step.SMALL_PACKETS: {MAXIMUM_PACKET_SIZE: 600},
}


class BadBroker:
    """Give ``serve`` to ``scripted_broker``. ``script`` may be added to at any time."""

    def __init__(self, script: Iterable[Step] = (), looks: Iterable[Step] = ()) -> None:
        """``looks`` is what it does to who goes ahead and looks; ``script`` to all others."""
        self.script = deque(script)
        self.looks = deque(looks)
        self.sent: list[int] = []
        """Sequences as they came over the wire, whatever became of them."""
        self.stored: list[bytes] = []
        self.retained: dict[str, bytes] = {}
        self.sessions = 0
        self.births = 0
        self.deaf = False
        """It takes subscriptions, and delivers nothing."""
        self._sessions: set[str] = set()
        self._deaf_session = False
        self._held: list[Publish] = []

    async def serve(self, peer: Peer, _number: int) -> None:
        said = await peer.read_connect()
        looks = "-look-" in said.client_id
        script = self.looks if looks else self.script
        step = script.popleft() if script and script[0] in AT_CONNECT else Step.GOOD
        if step in (Step.MUTE_CONNECT, Step.HALF_CONNACK):
            peer.send(connack_packet(V5)[:3] if step is Step.HALF_CONNACK else b"")
            await peer.read()  # for ever, until the client has enough
        if step is Step.BUSY:
            peer.send(connack_packet(V5, 0x89))
            return
        if step in (Step.FORGET, Step.FORGET_AND_LIE):
            del self.stored[-FORGOTTEN:]
            self.retained.clear()
            self._sessions.clear()
        if looks:
            peer.send(connack_packet(V5, values=LIMITS.get(step)))
            await self._session(peer, script)
            return
        present = said.client_id in self._sessions or step is Step.FORGET_AND_LIE
        self._sessions.add(said.client_id)
        self._held.clear()
        self.sessions += 1
        self._deaf_session = step is Step.DEAF
        peer.send(connack_packet(V5, session_present=present, values=LIMITS.get(step)))
        if step in LIMITS:
            try:
                async with asyncio.timeout(BAD_SESSION_S):
                    await self._session(peer, script)
            except TimeoutError:
                return
        await self._session(peer, script)

    async def _session(self, peer: Peer, script: deque[Step]) -> None:
        while True:
            got = await peer.read()
            if got.kind == DISCONNECT:
                return
            if got.kind == SUBSCRIBE:
                peer.send(suback_packet(V5, got))
            elif got.kind == PINGREQ:
                peer.send(packet(PINGRESP, 0, b""))
            elif got.kind == PUBLISH and not await self._publish(peer, got, script):
                return

    async def _publish(self, peer: Peer, got: Packet, script: deque[Step]) -> bool:
        """Whether the session goes on."""
        message = got.publish(V5)
        if "/events/" in message.topic:
            self.sent.append(json.loads(message.payload)["sequence"])
        step = script[0] if script else Step.GOOD
        if step in AT_CONNECT:
            return False  # the next connection is to meet it
        if script:
            script.popleft()
        if step not in (Step.QUOTA, Step.NOT_AUTHORIZED, Step.LOSE, Step.FROZEN, Step.CUT):
            self._store(message)
            self.births += message.topic.endswith("/presence") and message.retain
            deaf = self.deaf or self._deaf_session
            if message.topic.endswith("/presence") and (script is self.looks or not deaf):
                peer.send(Publish(message.topic, message.payload).encode(V5))
        match step:
            case Step.SILENT | Step.LOSE:
                return True
            case Step.SWAPPED:
                self._held.append(message)  # answered after the next one
                return True
            case Step.SHUT_DOWN:
                peer.send(packet(DISCONNECT, 0, b"\x8b\x00"))
                return False
            case Step.CUT:
                return False
            case Step.HALF | Step.HALF_AND_CUT:
                peer.send(puback_packet(V5, message.mid)[:3])
                return step is Step.HALF and await self._frozen(peer)
            case Step.FROZEN:
                return await self._frozen(peer)
            case Step.LATE:
                await asyncio.sleep(LATE_S)  # its lateness is what is tested
            case Step.UNKNOWN:
                peer.send(puback_packet(V5, message.mid + 7000))
            case Step.ALIAS:
                peer.send(Publish("", b"{}", properties={ALIAS: 1}).encode(V5))
            case _:
                pass
        for each in (message, *self._held):
            peer.send(puback_packet(V5, each.mid, CODES.get(step, 0) if each is message else 0))
        self._held.clear()
        if step is Step.TWICE:
            peer.send(puback_packet(V5, message.mid))
        return True

    async def _frozen(self, peer: Peer) -> bool:
        """Reads on, for the end of the connection must be seen, and does nothing."""
        while True:
            await peer.read()

    def _store(self, message: Publish) -> None:
        if message.retain:
            self.retained[message.topic] = message.payload
        elif "/events/" in message.topic:
            self.stored.append(message.payload)
