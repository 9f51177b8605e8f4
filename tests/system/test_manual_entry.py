"""A table without a sensor: results keyed in twice, through the real station."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from support.game_server import Server
from support.live import Live, live, until


async def entered(here: Live, round_id: str, *lines: str) -> tuple[int, str]:
    command = ["enter", "--config", str(here.config), "--table", "r1", "--by", "D. Li", "--round", round_id]
    job = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dealer_daemon",
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await job.communicate("".join(f"{line}\n" for line in lines).encode())
    assert job.returncode is not None
    return job.returncode, said.decode()


async def test_a_number_keyed_in_twice_is_the_outcome(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(f"unix:{tmp_path / 'entry.sock'}", driver="manual-entry", source="server")
        await here.daemon_up()
        await until(lambda: '"state": "up"' in here.daemon.said(), "the station listens")
        server = Server(here.port)
        opened = await server.ask("open", "round.open")
        round_id = opened["result"]["round"]
        assert (await server.ask("close", "betting.close"))["ok"]
        code, said = await entered(here, round_id, "number=17", "number=18")
        assert code == 1
        assert "differ" in said
        assert (await entered(here, round_id, "number=17", "seventeen"))[0] == 2
        code, said = await entered(here, round_id, "number=17", "number=17")
        assert code == 0, said

        def outcome() -> dict[str, object] | None:
            return next((event for event in here.events() if event["type"] == "round.outcome"), None)

        event = await until(outcome, "an outcome")
        data = event["data"]
        assert (data["facts"]["number"], data["source"], data["by"]) == ("17", "manual", "D. Li")
        assert len(data["evidence"]) == 1
        server.close()


async def test_nobody_listens(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(f"unix:{tmp_path / 'entry.sock'}", driver="manual-entry", source="server")
        code, said = await entered(here, "r1-1", "number=17", "number=17")
        assert code == 3
        assert "Does it run?" in said
