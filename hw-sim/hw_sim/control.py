"""The control port: breaks things while they run. JSON lines over loopback TCP, one answer a request.

A request is an object with ``do``. With ``device``: ``inject`` (and ``fault``), ``unplug`` (with ``seconds`` it comes
back by itself), ``replug``, ``power_cycle``, ``pause``, ``resume``, ``tell`` (and ``word``, to the dealer there),
``words`` (what may be said), ``look`` (what a person sees). Without: ``truth`` (``since``: how many records are known
already) and ``status``. An answer has ``ok``, and ``error`` where that is false.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from hw_sim.device import UnknownWord
from hw_sim.faults import UnknownFault
from hw_sim.simulation import Simulation, UnknownDevice


class _Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"):
    device: str


class _Inject(_Device, frozen=True, kw_only=True, tag="inject"):
    fault: str


class _Unplug(_Device, frozen=True, kw_only=True, tag="unplug"):
    seconds: float | None = None


class _Replug(_Device, frozen=True, kw_only=True, tag="replug"):
    pass


class _Tell(_Device, frozen=True, kw_only=True, tag="tell"):
    word: str


class _Words(_Device, frozen=True, kw_only=True, tag="words"):
    pass


class _Look(_Device, frozen=True, kw_only=True, tag="look"):
    pass


class _PowerCycle(_Device, frozen=True, kw_only=True, tag="power_cycle"):
    pass


class _Pause(_Device, frozen=True, kw_only=True, tag="pause"):
    pass


class _Resume(_Device, frozen=True, kw_only=True, tag="resume"):
    pass


class _Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="truth"):
    since: int = 0


class _Status(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="status"):
    pass


Request = _Inject | _Tell | _Words | _Look | _Unplug | _Replug | _PowerCycle | _Pause | _Resume | _Truth | _Status


class ControlPort:
    """Serves one simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._tasks: set[asyncio.Task[None]] = set()
        self._clients: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def answer(self, line: bytes) -> dict[str, Any]:
        """Does what one request asks for; the answer."""
        try:
            request = msgspec.json.decode(line, type=Request)
            return {"ok": True, **await self._do(request)}
        except (msgspec.DecodeError, UnknownDevice, UnknownFault, UnknownWord, OSError) as error:
            return {"ok": False, "error": str(error)}

    async def _do(self, request: Request) -> dict[str, Any]:
        simulation = self._simulation
        match request:
            case _Inject(device=device, fault=fault):
                simulation.inject(device, fault)
            case _Tell(device=device, word=word):
                await simulation.tell(device, word)
            case _Words(device=device):
                return {"words": simulation.words(device)}
            case _Look(device=device):
                return {"seen": await simulation.look(device)}
            case _Unplug(device=device, seconds=seconds):
                await simulation.unplug(device)
                if seconds is not None:
                    task = asyncio.create_task(self._replug_after(device, seconds))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
            case _Replug(device=device):
                await simulation.replug(device)
            case _PowerCycle(device=device):
                await simulation.power_cycle(device)
            case _Pause(device=device):
                await simulation.pause(device)
            case _Resume(device=device):
                await simulation.resume(device)
            case _Truth(since=since):
                over = simulation.truth()
                return {"truth": over[since:], "in_play": simulation.truth(in_play=True)[len(over) :]}
            case _Status():
                return {"devices": simulation.describe(), "seed": simulation.seed}
        return {}

    async def _replug_after(self, device: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._simulation.replug(device)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, until it leaves."""
        task = asyncio.current_task()
        assert task is not None
        self._clients[task] = writer
        try:
            while line := await reader.readline():
                writer.write(msgspec.json.encode(await self.answer(line)) + b"\n")
                await writer.drain()
        except (ValueError, ConnectionError):
            pass  # a line over 64 KiB, or the client is gone: its connection ends, nothing else
        finally:
            del self._clients[task]
            writer.close()

    async def stop(self) -> None:
        """Ends all clients and what still waits."""
        for waiting in self._tasks:
            waiting.cancel()
        for writer in self._clients.values():
            writer.close()  # not cancelled: asyncio would log that as an error
        await asyncio.gather(*self._tasks, *self._clients, return_exceptions=True)


@contextlib.asynccontextmanager
async def control_port(simulation: Simulation, port: int = 0) -> AsyncIterator[str]:
    """Serves a simulation for as long as the block lasts; its address, ``tcp://127.0.0.1:PORT``."""
    control = ControlPort(simulation)
    server = await asyncio.start_server(control.serve, "127.0.0.1", port)
    try:
        yield f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await control.stop()
