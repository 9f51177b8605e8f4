"""A running station reads its configuration again: what counts then, what it says of the rest, and that it plays on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

from hw_sim.simulation import running
from support.live import Live, live, until
from support.notify_socket import notify_socket

SPEED = 25.0


async def reload(here: Live, *options: str) -> tuple[int, str, str]:
    command = (*here.daemon.command[:3], "reload", "--config", str(here.config), *options)
    child = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await child.communicate()
    return child.returncode or 0, out.decode(), err.decode()


def reconfigured(here: Live) -> list[dict[str, Any]]:
    return [event["data"] for event in here.events() if event["type"] == "table.reconfigured"]


async def test_what_may_change_counts_and_the_rest_is_refused_by_key_while_the_table_plays(tmp_path: Path) -> None:
    with notify_socket(tmp_path) as manager:
        async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
            here.configure(wheel.ports["wheel"], speed=SPEED)
            here.daemon.environment = manager.environment()
            text = here.config.read_text()
            assert (await reload(here))[0] == 3, "nobody is there"
            await here.daemon_up()
            code, out, _ = await reload(here)
            assert (code, out) == (0, "nothing has changed\n")

            here.config.write_text(text.replace("[tables.r1]", "[tables.r1]\ntries_before_pause = 7"))
            code, out, _ = await reload(here)
            assert (code, out) == (0, "tables.r1.tries_before_pause: was 3, is 7 from the next round on\n")
            changed = (await until(lambda: reconfigured(here), "the journal says since when"))[0]
            assert changed["changed"] == {"tries_before_pause": 7}

            here.config.write_text(text.replace("[mqtt]", 'log_level = "warning"\n[mqtt]\nprefix = "other"'))
            code, out, _ = await reload(here, "--json")
            answer = json.loads(out)
            assert code == 1
            assert [one["key"] for one in answer["applied"]] == ["station.log_level", "tables.r1.tries_before_pause"]
            assert answer["refused"] == [{"key": "mqtt.prefix", "reason": "needs a restart"}]
            assert "reloaded: 2 changes taken up, 1 not: mqtt.prefix" in manager.status
            assert here.daemon.said().count('"reloaded"') == 2, "this one is of no interest at the new level"
            assert '"configuration_not_taken_up"' in here.daemon.said()

            before = len([event for event in here.events() if event["type"] == "round.outcome"])
            here.config.write_text(text.replace('"roulette"', '"roulete"').replace("[mqtt]", "[mqtt]\nin_flight = 0"))
            code, out, err = await reload(here)
            assert (code, out) == (2, "")
            assert "tables.r1.game" in err
            assert "mqtt.in_flight" in err
            assert "reload refused, 2 errors" in manager.status
            await until(
                lambda: len([event for event in here.events() if event["type"] == "round.outcome"]) > before,
                "it plays on by the old one",
            )
            assert await here.daemon.end() == 0
            words = manager.words()
            assert words == ["READY", *["RELOADING", "READY"] * 4, "STOPPING"]


async def test_a_hang_up_signal_reloads_and_a_log_level_of_the_command_line_stays(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(str(tmp_path / "no-wheel"))
        here.daemon.command = (*here.daemon.command, "--log-level", "info")
        await here.daemon_up()
        here.config.write_text(here.config.read_text().replace("[mqtt]", 'log_level = "error"\n[mqtt]'))
        os.kill(here.daemon.process.pid, signal.SIGHUP)  # type: ignore[union-attr]
        await until(lambda: '"configuration_not_taken_up"' in here.daemon.said(), "the log says what became of it")
        assert "started with --log-level" in here.daemon.said()
        assert await here.daemon.end() == 0
