"""Who speaks to the tables: a game server with a service manager that do their work, and somebody who should not."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter, deque
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from chaos.faults import Fault
from chaos.game_server import CLIENT, GameServer
from chaos.tables import BASE, SERVED, TABLE_OF
from support.mqtt_wire import V5, Witness

TABLES = tuple(TABLE_OF.values())
RECONNECT_S = 0.2
LOOK_S = 0.02


class Speakers:
    """Keeps a connection to the broker, sends what the game server wants and what a fault says.

    ``port`` is the broker's, ``now_s`` tells seconds of play.
    """

    def __init__(self, port: int, run: str, now_s: Callable[[], float]) -> None:
        self.port = port
        self.figures: Counter[str] = Counter()
        self.forged: set[str] = set()
        self._now_s = now_s
        self._run = run
        self._ids = count(1)
        self._server = GameServer(run, SERVED)
        self._out: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._sent: deque[tuple[str, dict[str, Any]]] = deque(maxlen=50)
        self._ended: dict[str, str] = {}
        """By table, a round that ended."""

    def heard(self, table: str, event: Mapping[str, Any]) -> None:
        """An event of a table; each once, in order."""
        self._server.heard(table, event, self._now_s())
        if event["type"] in ("round.outcome", "round.voided"):
            self._ended[table] = event["subject"]

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            with contextlib.suppress(OSError, TimeoutError, AssertionError, asyncio.IncompleteReadError):
                async with Witness.connected(self.port, CLIENT, version=V5) as witness:
                    await self._speak(witness)
            await asyncio.sleep(RECONNECT_S)

    async def _speak(self, witness: Witness) -> None:
        while witness.lost is None:
            for table, body in self._server.due(self._now_s()):
                self._sent.append((table, body))
                await self._send(witness, table, json.dumps(body).encode())
            while not self._out.empty():
                await self._send(witness, *self._out.get_nowait())
            await asyncio.sleep(LOOK_S)

    async def _send(self, witness: Witness, table: str, body: bytes) -> None:
        async with asyncio.timeout(3):
            await witness.publish(f"{BASE}/{table}/commands", body)
        self.figures["commands sent"] += 1

    def inflict(self, fault: Fault, chance: float) -> bool:
        """Somebody says what nobody should; whether there was something to say it about."""
        table = TABLES[int(chance * len(TABLES))]
        match fault:
            case Fault.REPEATED if self._sent:
                where, body = self._sent[int(chance * len(self._sent))]
                for _ in range(3):
                    self._put(where, body)
            case Fault.ID_REUSED if self._sent:
                where, body = self._sent[int(chance * len(self._sent))]
                self._put(where, {**body, "data": {**body["data"], "by": "somebody-else"}})
            case Fault.REORDERED:
                self._put("b1", self._body("betting.close", "server"))
                self._put("b1", self._body("round.open", "server"))
            case Fault.FORGED_ROLE:
                self._forge(table, "round.void", "owner", reason="because")
            case Fault.WRONG_ROLE:
                self._forge(table, "round.void", "server", reason="because")
                self._forge(table, "table.resume", "server", reason="because")
                self._forge(table, "outcome.correct", "dealer", replaces=1, number="0", reason="because")
            case Fault.OTHER_TABLE if self._ended:
                other = next(iter(self._ended))
                self._forge(next(each for each in TABLES if each != other), "round.void", "manager", other)
            case Fault.ENDED_ROUND if self._ended:
                ended = list(self._ended)[int(chance * len(self._ended))]
                self._forge(ended, "round.void", "manager", ended)
            case Fault.NO_COMMAND:
                for junk in (b"\xff\x00{", b"[" * 5000, b'{"id": "x"', b"x" * 70_000, b""):
                    self._out.put_nowait((table, junk))
            case _:
                return False
        return True

    def _forge(self, table: str, name: str, role: str, ended: str | None = None, **args: Any) -> None:
        if ended is not None:
            args = {"round": self._ended[ended], "reason": "because"}
        body = self._body(name, role, **args)
        self.forged.add(body["id"])
        self._put(table, body)

    def _body(self, name: str, role: str, **args: Any) -> dict[str, Any]:
        return {
            "specversion": "1.0",
            "id": f"{self._run}-forged-{next(self._ids)}",
            "source": "/somebody",
            "type": name,
            "data": {"by": "somebody", "role": role, **args},
        }

    def _put(self, table: str, body: Mapping[str, Any]) -> None:
        self._out.put_nowait((table, json.dumps(body).encode()))
