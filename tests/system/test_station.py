"""The daemon as a process: commands over MQTT, plugs, full disks, stops, and what it says of itself."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from hw_sim.simulation import running
from support.checker import committed
from support.game_server import Server
from support.live import BASE, Live, live, until

SPEED = 25.0
"""A second and a half of silence is 60 ms of the host's: enough for a busy machine."""


def kinds(here: Live) -> list[str]:
    return [event["type"] for event in here.events()]


def online(here: Live) -> bool:
    births = [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/presence"]
    return bool(births) and births[-1]["online"] is True


def outcomes(here: Live) -> list[dict[str, Any]]:
    return [event for event in here.events() if event["type"] == "round.outcome"]


async def test_a_servers_round_from_open_to_correction(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], source="server", speed=SPEED)
        await here.daemon_up()
        server = Server(here.port)
        await until(lambda: "violation" in kinds(here), "a spin without a round is said")
        opened = await server.ask("a-1", "round.open", server={"lucky": [17]})
        assert opened["ok"] is True
        again = await server.ask("a-1", "round.open", server={"lucky": [17]})
        assert again == opened
        other = await server.ask("a-1", "round.open", server={"lucky": [18]})
        assert other["error"] == "id_reused"
        assert (await server.ask("a-2", "betting.close"))["ok"] is True
        outcome = (await until(lambda: outcomes(here), "an outcome"))[0]
        assert outcome["data"]["server"] == [{"lucky": [17]}]
        assert (await server.ask("a-3", "round.void", reason="x"))["error"] == "not_allowed"
        right = {"replaces": outcome["sequence"], "number": "0", "reason": "video"}
        corrected = await server.ask("a-4", "outcome.correct", role="manager", **right)
        assert corrected["ok"] is True
        await until(lambda: "outcome.corrected" in kinds(here), "the correction")
        assert kinds(here).count("round.opened") == 1
        # A stop and a start: the same id has the same answer still.
        await here.daemon.end()
        await here.daemon_up()
        assert await server.ask("a-1", "round.open", server={"lucky": [17]}) == opened
        server.close()
        assert await here.daemon.end() == 0
    retained = [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/outcome"]
    assert retained[-1]["type"] == "outcome.corrected"
    topics = [m["topic"] for m in here.messages()]
    boards = [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/board"]
    assert boards[0] == boards[0] | {"table": "r1", "sequence": 0, "results": []}
    first = topics.index(f"{BASE}/board", topics.index(f"{BASE}/board") + 1)
    assert topics.index(f"{BASE}/events/round.outcome") < first, "the outcome goes out before the board that has it"
    newest = boards[-1]["results"][0]
    assert (newest["sequence"], newest["value"], newest["corrected"]) == (corrected["result"]["sequence"], "0", True)
    assert {tally["plays"] for tally in boards[-1]["tallies"]} == {1}


async def test_unplugged_and_plugged_in_again(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: outcomes(here), "an outcome")
        await wheel.unplug("wheel")
        await until(lambda: "device.fault" in kinds(here), "the fault is said")
        fault = next(event["data"] for event in here.events() if event["type"] == "device.fault")
        assert (fault["device"], fault["fault"]) == ("wheel", "link_lost")
        before = len(outcomes(here))
        await wheel.replug("wheel")
        await until(lambda: "device.recovered" in kinds(here), "the recovery is said")
        await until(lambda: len(outcomes(here)) > before, "outcomes go on")


async def test_a_second_daemon_on_the_same_state_is_refused(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(str(tmp_path / "no-wheel"))
        await here.daemon_up()
        second = await asyncio.create_subprocess_exec(*here.daemon.command, stderr=asyncio.subprocess.PIPE)
        _, said = await second.communicate()
        assert second.returncode == 1
        assert str(here.daemon.process.pid).encode() in said  # type: ignore[union-attr]


async def test_a_port_that_is_taken_is_refused_and_says_by_whom(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: '"state": "up"' in here.daemon.said(), "the link is up")
        other = Live(tmp_path / "other") if (tmp_path / "other").mkdir() is None else None
        assert other is not None
        other.port = here.port
        other.configure(wheel.ports["wheel"], speed=SPEED)
        try:
            await other.daemon_up()
            said = await until(lambda: "in use by process" in other.daemon.said() and other.daemon.said(), "it is said")
            assert f"process {here.daemon.process.pid}" in said  # type: ignore[union-attr]
        finally:
            await other.daemon.kill()


async def test_status_shows_the_running_station_and_says_when_there_is_none(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)

        async def status(*options: str) -> tuple[int, str, str]:
            command = (*here.daemon.command[:3], "status", "--config", str(here.config), *options)
            child = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
            out, err = await child.communicate()
            return child.returncode or 0, out.decode(), err.decode()

        code, _, said = await status()
        assert code == 3
        assert "no daemon runs" in said
        await here.daemon_up()
        await until(lambda: outcomes(here), "an outcome")
        code, out, _ = await status("--json")
        assert code == 0
        table = json.loads(out)["tables"]["r1"]
        assert table["devices"]["wheel"]["link"] == "up"
        assert table["devices"]["wheel"]["valid_frames"] > 10
        assert table["mqtt"]["connected"] is True
        code, out, _ = await status()
        assert code == 0
        assert "cammegh-ss2" in out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_told_to_stop_it_says_goodbye_and_leaves_the_round_recoverable(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: outcomes(here), "an outcome")
        assert await here.daemon.end(number) == code
        presence = [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/presence"]
        await until(lambda: presence[-1]["online"] is False or here.messages(), "goodbye")
        last = committed(here.state)[-1]["sequence"]
        await until(lambda: max(event["sequence"] for event in here.events()) >= last, "everything was sent")


async def test_a_full_disk_stalls_the_table_says_so_and_loses_nothing(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=6, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED)
        await here.daemon_up()
        await until(lambda: outcomes(here), "an outcome")
        states = lambda: [json.loads(m["body"]) for m in here.messages() if m["topic"] == f"{BASE}/state"]  # noqa: E731
        # No file of the daemon may grow: what a full disk does to SQLite's log.
        pid = here.daemon.process.pid  # type: ignore[union-attr]
        await _limit_files(pid, "1")
        await until(lambda: states() and states()[-1]["stalled"], "the table says that it stands")
        count = len(wheel.truth())
        await wheel.until_truth(count + 2)
        await _limit_files(pid, "unlimited")
        await until(lambda: states()[-1]["stalled"] is None, "the table goes on")
        await until(lambda: len(outcomes(here)) >= 4, "outcomes go on", 60)
        assert await here.daemon.end() == 0
    numbers = {(event["data"]["facts"]["spin"], event["data"]["facts"]["number"]) for event in outcomes(here)}
    good = {
        (spin["counter"], spin["number"]) for spin in wheel.truth()[count : count + 2] if spin["expect"] == "accept"
    }
    assert good <= numbers


async def _limit_files(pid: int, size: str) -> None:
    child = await asyncio.create_subprocess_exec("prlimit", "--pid", str(pid), f"--fsize={size}:unlimited")
    assert await child.wait() == 0


WRONG_WAY = """
title = "one throw in two runs with the rotor"
[[devices]]
name = "wheel"
model = "ss2"
table = "fast"
[devices.rates]
same_direction_in_rim = 0.5
"""


@pytest.mark.parametrize("control", [True, False])
async def test_a_rethrow_is_acknowledged_to_the_wheel_only_where_that_is_allowed(tmp_path: Path, control: bool) -> None:
    scenario = tmp_path / "wrong-way.toml"
    scenario.write_text(WRONG_WAY)
    async with live(tmp_path) as here, running(scenario, speed=SPEED, seed=3, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], speed=SPEED, options=f"control = {str(control).lower()}")
        await here.daemon_up()
        await until(lambda: kinds(here).count("attempt.refused") >= 2, "two refusals")
        await until(lambda: outcomes(here), "an outcome")
        refused = [event["data"] for event in here.events() if event["type"] == "attempt.refused"]
        assert "same_direction" in {data["reason"] for data in refused}
        assert "device.fault" not in kinds(here), "the wheel answered what it was told"
        await here.daemon.end()
    sent = "".join(path.read_text() for path in (here.state / "recordings").rglob("*.rec.jsonl"))
    assert ('"tx":"*R' in sent.replace(" ", "")) is control


async def test_a_command_retained_while_the_station_was_down_is_stale(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(str(tmp_path / "no-wheel"), source="server")
        await here.daemon_up()
        await until(lambda: online(here), "the station's birth")
        server = Server(here.port)
        assert (await server.ask("a-1", "round.open"))["ok"] is True
        assert (await server.ask("a-2", "round.void", role="manager", reason="test"))["ok"] is True
        await here.daemon.end()
        server.say("a-3", "round.open", retain=True)
        await here.daemon_up()
        assert (await server.ask("a-4", "betting.close"))["error"] == "not_now"
        assert kinds(here).count("round.opened") == 1
        server.close()
