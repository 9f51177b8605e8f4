"""The daemon's control socket, over the socket: one answer a line, whatever the line is."""

from __future__ import annotations

import asyncio
import functools
from random import Random

import msgspec

from dealer_daemon.cli.enter import parse_result
from dealer_daemon.service.reload import Reloaded
from dealer_daemon.station.control import SOCKET_NAME, ControlServer
from dealer_daemon.station.lending import lease
from fuzz.folder import folder
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import TOKENS, damaged, json_noise


class ControlLines:
    """``control.sock``: several who ask one after the other; each is answered, or its line is too long."""

    name, share = "control-socket", 3.0

    def draw(self, rng: Random) -> Case:
        lend = {"ask": "lend", "table": "r1", "device": "wheel", "by": "Li", "wait_s": 2.5}
        good = ({"ask": "status"}, {"ask": "status", "x": 1}, {"ask": "stop"}, {"ask": ["status"]}, lend)
        return [text(json_noise(rng, good)[:6000].replace(b"\n", b" ") + b"\n") for _ in range(8)]

    def play(self, case: Case) -> int:
        asyncio.run(self._play(case))
        return len(case)

    async def _play(self, case: Case) -> None:
        unhandled: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unhandled.append(str(context)))
        server = ControlServer(
            folder(), lambda: {"site": "studio-1"}, functools.partial(lease, {}), lambda: Reloaded(ok=True)
        )
        await server.start()
        try:
            for line in case:
                reader, writer = await asyncio.open_unix_connection(folder() / SOCKET_NAME)
                try:
                    writer.write(data(line))
                    answer = await reader.readline()
                    if answer and not isinstance(msgspec.json.decode(answer), dict):
                        raise Wrong(f"{line!r} is answered {answer!r}")
                except ConnectionResetError:
                    pass  # what was not read when it closed: the line was too long
                finally:
                    writer.close()
        finally:
            await server.stop()
        if unhandled:
            raise Wrong("; ".join(unhandled))


class EnteredResults:
    """``dealer-daemon enter``: what is typed is a result or a sentence."""

    name, share = "entered-result", 6.0

    def draw(self, rng: Random) -> Case:
        good = (b"number=17", b"dice=1,3,6", b"segment=4 color=red", b"remainder=2")
        return damaged(rng.choice(good), rng, TOKENS).decode("utf-8", "surrogateescape")

    def play(self, case: Case) -> int:
        try:
            msgspec.json.encode(parse_result(case))
        except ValueError as error:
            if not str(error):
                raise Wrong("refused without a word") from error
        return 1


def kinds() -> list[Kind]:
    """Both."""
    return [ControlLines(), EnteredResults()]
