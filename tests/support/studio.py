"""A table and its consumer over any broker or cluster.

The table plays on, the consumer does what the documentation asks, and in the end every event must have been handled
once, in order, in the table's own bytes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dealer_daemon.commands import Command, Reply
from dealer_daemon.config.broker import BrokerAddress
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.mqtt.uplink import Uplink
from support.mqtt_link import until
from support.mqtt_outbox import MemoryOutbox, opened, outcome
from support.mqtt_uplink import TOPICS, uplink_to
from support.mqtt_wire import V5, Publish, Witness

ASK_AFTER_S = 0.3
"""How long a gap may stay before the consumer asks: what is missing is usually on its way."""
ASKS = 5
"""Asked so often in a row without an answer, it connects anew: a broker can have lost its subscription."""
PACE_S = 0.01


def more_than(count: int) -> Callable[[list[Publish]], bool]:
    return lambda seen: len(seen) > count


class Settler:
    """A consumer of one table. ``handled`` are the bodies of events 1, 2, … as it handled them."""

    NAME = "settler"

    def __init__(self, ports: Sequence[int], *, version: int = V5, filter_: str = "events/+", user: str = "") -> None:
        self._ports, self._version, self._filter, self._user = list(ports), version, filter_, user
        self.handled: list[bytes] = []
        self.received = 0
        self.asked = 0
        self.strange: list[str] = []
        """What must never be seen: an event with two bodies."""
        self.away = False
        """Set: it leaves without a goodbye, and comes back when it is cleared."""
        self.connected = False
        self.port = 0
        """Where it is, or was last."""
        self._bodies: dict[int, bytes] = {}
        self._newest = 0

    async def run(self) -> None:
        """For ever: at the next of its ports when one is lost."""
        at = 0
        while True:
            try:
                if not self.away:
                    await self._session(self._ports[at % len(self._ports)])
            except (ConnectionError, OSError, asyncio.IncompleteReadError, TimeoutError):
                at += 1
            self.connected = False
            await asyncio.sleep(0.02)

    async def _session(self, port: int) -> None:
        async with Witness.connected(
            port, self.NAME, version=self._version, clean=False, username=self._user, password=self._user and "x"
        ) as witness:
            # Not with a wildcard: some brokers show retained messages to plain subscriptions alone.
            for leaf in (self._filter, "state"):
                await witness.subscribe(f"{TOPICS.base}/{leaf}")
            self.connected, self.port = True, port
            taken, moved_s, asks = 0, time.monotonic(), 0
            while not self.away:
                try:
                    seen = await witness.until(more_than(taken), timeout_s=ASK_AFTER_S)
                except TimeoutError:
                    seen = witness.seen
                before = len(self.handled)
                for message in seen[taken:]:
                    self._take(message)
                taken = len(seen)
                if len(self.handled) > before:
                    moved_s, asks = time.monotonic(), 0
                    position = json.dumps({"sequence": len(self.handled)}).encode()
                    await witness.publish(TOPICS.acks(self.NAME), position, retain=True)
                elif self._newest > len(self.handled) and time.monotonic() - moved_s > ASK_AFTER_S:
                    moved_s, asks = time.monotonic(), asks + 1
                    if asks > ASKS:
                        raise ConnectionError("nothing of what was asked for came")
                    await self._ask(witness)

    def _take(self, message: Publish) -> None:
        body = json.loads(message.payload)
        if message.topic == TOPICS.state:
            self._newest = max(self._newest, body["last_sequence"])
            return
        self.received += 1
        sequence = body["sequence"]
        self._newest = max(self._newest, sequence)
        if self._bodies.setdefault(sequence, message.payload) != message.payload:
            self.strange.append(f"event {sequence} has two bodies")
        if sequence == len(self.handled) + 1:
            self.handled.append(message.payload)

    async def _ask(self, witness: Witness) -> None:
        self.asked += 1
        data = {"by": self.NAME, "role": "consumer", "from": len(self.handled) + 1}
        request = {"id": f"ask-{self.asked}", "type": "events.resend", "source": f"/{self.NAME}", "data": data}
        await witness.publish(TOPICS.commands_by("consumer", self.NAME), json.dumps(request).encode())


class Studio:
    """See the module."""

    def __init__(self, uplink: Uplink, outbox: MemoryOutbox, settler: Settler) -> None:
        self.uplink, self.outbox, self.settler = uplink, outbox, settler
        self._stop = asyncio.Event()

    def stop_playing(self) -> None:
        self._stop.set()

    async def play(self) -> None:
        """Rounds, until ``finish``."""
        while not self._stop.is_set():
            number = str(len(self.outbox.stored) // 2 % 37)
            last = self.outbox.commit(opened(), outcome(number))[-1].sequence
            self.uplink.set_state({"last_sequence": last})
            await asyncio.sleep(PACE_S)  # the table's own pace

    async def handled_more(self, events: int, timeout_s: float = 30) -> None:
        await self._handled(len(self.settler.handled) + events, timeout_s)

    async def _handled(self, wanted: int, timeout_s: float) -> None:
        settler = self.settler
        try:
            await until(lambda: len(settler.handled) >= wanted, timeout_s)
        except TimeoutError:
            raise AssertionError(
                f"handled {len(settler.handled)} of {wanted} wanted and {len(self.outbox.stored)} made, "
                f"published {self.uplink.published}, consumer connected: {settler.connected}, "
                f"received {settler.received}, asked {settler.asked} times, problems: {self.uplink.problems}"
            ) from None

    async def finish(self, timeout_s: float = 30) -> dict[str, int]:
        """The table stops; waits until the consumer has everything and checks it. The figures."""
        self._stop.set()
        settler = self.settler
        await self._handled(len(self.outbox.stored), timeout_s)
        assert settler.handled == [encode_event(TOPICS.site, event) for event in self.outbox.stored]
        assert settler.strange == []
        return {"events": len(self.outbox.stored), "received": settler.received, "asked": settler.asked}


@asynccontextmanager
async def studio(
    ports: Sequence[int], settler: Settler, *, user: str = "", folder: Path | None = None, **changes: Any
) -> AsyncIterator[Studio]:
    """A table that plays over ``ports`` (the first, then its fallbacks) and its consumer."""
    outbox = MemoryOutbox()
    if user:
        assert folder is not None
        changes |= {"username": user, "password_file": folder / "password"}
        (folder / "password").write_text("x\n")
    fallbacks = tuple(BrokerAddress("127.0.0.1", port, tls=False) for port in ports[1:])

    async def handler(_table: str, command: Command) -> Reply:
        return Reply(command=command.id, ok=True, result={"events": here.uplink.resend(command.args["from"])})

    async with uplink_to(ports[0], outbox, fallbacks=fallbacks, handler=handler, **changes) as uplink:
        here = Studio(uplink, outbox, settler)
        tasks = [asyncio.create_task(here.play()), asyncio.create_task(settler.run())]
        try:
            yield here
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error
