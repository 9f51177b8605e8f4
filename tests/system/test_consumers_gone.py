"""A consumer that is gone is seen: in the state, in ``status``, once in the log; one that leaves is forgotten."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import paho.mqtt.publish as publish

from support.live import BASE, Live, live, until


def state(here: Live) -> dict[str, Any]:
    states = [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/state"]
    return states[-1] if states else {"boot": None, "consumers": {}}


def consumers(here: Live) -> dict[str, dict[str, Any]]:
    return state(here)["consumers"]  # type: ignore[no-any-return]


def ack(here: Live, body: str) -> None:
    publish.single(f"{BASE}/acks/lobby", body, qos=1, retain=True, hostname="127.0.0.1", port=here.port)


async def status(here: Live) -> str:
    command = (sys.executable, "-m", "dealer_daemon", "status", "--config", str(here.config))
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    return out.decode()


async def test_a_consumer_that_goes_returns_and_leaves(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(str(tmp_path / "no-wheel"))  # the start and the fault are events enough
        here.config.write_text(here.config.read_text().replace("[mqtt]", "[mqtt]\nconsumer_gone_s = 0.4", 1))
        await here.daemon_up()
        ack(here, '{"sequence": 0}')
        await until(lambda: consumers(here).get("lobby", {}).get("gone"), "it is shown as gone")
        assert consumers(here)["game-server"]["gone"] is False
        said = await status(here)
        assert "consumer lobby: at 0, " in said
        assert ": gone" in said
        ack(here, '{"sequence": 1}')
        await until(lambda: consumers(here)["lobby"]["gone"] is False, "it is back")
        assert consumers(here)["lobby"]["sequence"] == 1
        for words in ("consumer gone", "consumer is back"):
            assert here.daemon.said().count(words) == 1
        ack(here, "")
        await until(lambda: "lobby" not in consumers(here), "it has left")
        assert await here.daemon.end() == 0
        boot = state(here)["boot"]
        await here.daemon_up()
        await until(lambda: state(here)["boot"] != boot and "game-server" in consumers(here), "a new state")
        assert "lobby" not in consumers(here)
        assert await here.daemon.end() == 0
