"""Stations as processes that may not speak: one with an old journal, and one of a name that another has."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from hw_sim.simulation import running
from support.game_server import Server
from support.live import BASE, Child, Live, live, until

SPEED = 25.0


def retained(here: Live, leaf: str) -> list[dict[str, Any]]:
    """All that was said on a topic, in order."""
    return [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/{leaf}"]


async def status(here: Live, config: Path, *options: str) -> str:
    command = (*here.daemon.command[:3], "status", "--config", str(config), *options)
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    assert child.returncode == 0
    return out.decode()


async def test_an_old_journal_stands_says_so_everywhere_and_obeys_nobody(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: retained(here, "outcome"), "an outcome")
        await here.daemon.end()
        shutil.copytree(here.state, tmp_path / "backup")
        played = len(retained(here, "outcome"))
        await here.daemon_up()
        await until(lambda: len(retained(here, "outcome")) > played, "it plays on")
        await here.daemon.end()
        shutil.rmtree(here.state)
        shutil.copytree(tmp_path / "backup", here.state)

        before, said = len(here.events()), len(retained(here, "state"))
        await here.daemon_up()
        server = Server(here.port)
        reply = await server.ask("a-1", "events.resend", **{"from": 1})
        assert (reply["ok"], reply["error"]) == (False, "unavailable")
        assert "journal_behind" in reply["message"]
        state = (await until(lambda: retained(here, "state")[said:], "a state"))[-1]
        assert (state["held"]["reason"], state["phase"], state["paused"]) == (
            "journal_behind",
            "paused",
            "journal_behind",
        )
        assert "journal adopt" in state["held"]["detail"]
        resume = {"reason": "x", "pause": state["paused_at"]}
        assert "journal_behind" in (await server.ask("a-2", "table.resume", role="manager", **resume))["message"]
        shown = json.loads(await status(here, here.config, "--json"))["tables"]["r1"]
        assert shown["state"]["held"] == state["held"]
        assert shown["devices"]["wheel"]["held"] == "journal_behind"
        text = await status(here, here.config)
        assert "held: journal_behind" in text
        assert "journal adopt --table r1 --after" in text, "the command stands in one piece, however wide the screen"
        truth = len(wheel.truth())
        await wheel.until_truth(truth + 2)
        server.close()
        assert await here.daemon.end() == 0
        assert {each["held"]["reason"] for each in retained(here, "state")[said:]} == {"journal_behind"}, "never well"
        assert len(here.events()) == before
        exported = await asyncio.create_subprocess_exec(
            *here.daemon.command[:3], "journal", "export", str(here.state / "journal.sqlite3"), "--json",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, _ = await exported.communicate()
        types = [json.loads(line).get("type") for line in out.splitlines()]
        assert "round.opened" not in types[len(types) - types[::-1].index("table.paused") :], "no round after the pause"


async def test_a_second_station_of_a_name_stands_and_leaves_the_first_alone(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: retained(here, "outcome"), "an outcome")
        boot = retained(here, "state")[-1]["boot"]
        other = tmp_path / "other.toml"
        text = here.config.read_text().replace(str(here.state), str(tmp_path / "state-2"))
        other.write_text(text.replace(wheel.ports["wheel"], str(tmp_path / "no-wheel")))
        command = [str(other) if part == str(here.config) else part for part in here.daemon.command]
        second = Child(*command, log=tmp_path / "second.log")
        await second.start()
        try:
            await until(
                lambda: "problem=station_contested" in second.said() or '"station_contested"' in second.said(),
                "it sees",
            )
            shown = json.loads(await status(here, other, "--json"))["tables"]["r1"]
            assert shown["state"]["held"]["reason"] == shown["state"]["paused"] == "station_contested"
            assert boot in shown["state"]["held"]["detail"]
            assert "held: station_contested" in await status(here, other)
            played = len(retained(here, "outcome"))
            await until(lambda: len(retained(here, "outcome")) > played, "the first plays on")
        finally:
            await second.kill()
        assert {state["boot"] for state in retained(here, "state")} == {boot}
        assert {said["boot"] for said in retained(here, "presence") if "asks" not in said} == {boot}
        assert "mqtt session lost" not in here.daemon.said()
