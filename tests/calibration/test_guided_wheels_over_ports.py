"""The guided commands for wheels as a technician starts them: processes on real ports, answered on their terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hw_sim.roulette.options import Ss2Options
from hw_sim.scenario import Scenario
from hw_sim.simulation import Simulation, running
from hw_sim.wheel.options import WheelCounterOptions, WheelModbusOptions
from support.bench import wheel_config
from support.wheel_bench import wheel_table

LONGEST_S = 90.0


class Process:
    """A command under way: ``until`` reads what it says, ``type`` answers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stderr is not None
        assert process.stdout is not None
        self.process, self.stdin, self.stderr, self.stdout = process, process.stdin, process.stderr, process.stdout
        self.said = ""

    async def until(self, text: str) -> None:
        begin = len(self.said)
        while text not in self.said[begin:]:
            data = await self.stderr.read(1)
            assert data, f"it ended before {text!r}: {self.said[-600:]}"
            self.said += data.decode("latin-1")

    def type(self, text: str) -> None:
        self.stdin.write(text.encode() + b"\n")

    async def end(self) -> tuple[int, list[dict[str, object]]]:
        """Its exit code, and the JSON lines that it printed."""
        out, err = await self.process.communicate()
        self.said += err.decode("utf-8", "replace")
        code = self.process.returncode
        assert code is not None
        return code, [json.loads(line) for line in out.splitlines()]


@contextlib.asynccontextmanager
async def started(*words: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dealer_calibration",
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(LONGEST_S):
            yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def last_laps(sim: Simulation, spins: int) -> int:
    return int((await sim.until_truth(spins))[-1]["laps"])


async def test_a_roulette_wheel_over_a_pseudo_terminal(tmp_path: Path) -> None:
    speed = 15.0
    scenario = Scenario(title="bench", devices=(Ss2Options(name="wheel"),))
    async with running(scenario, speed=speed, seed=4, run_dir=tmp_path / "dev") as sim:
        config = wheel_config(tmp_path, sim.ports["wheel"])
        words = ["roulette", "--config", str(config), "--table", "r1", "--device", "wheel", "--speed", str(speed)]
        async with started(
            *words, "--json", "--by", "Li", "--step", "settings", "--step", "spins", "--spins", "2"
        ) as command:
            for _ in range(2):
                await command.until("Laps you counted")
                command.type(str(await last_laps(sim, 1)))
                await command.until("The ball lies in")
                command.type("")
            await command.until("Keep this")
            command.type("y")
            code, lines = await command.end()
    assert code == 0, command.said
    result = lines[-1]
    assert result["passed"] is True
    assert [line["event"] for line in lines[:-1]] == ["spin", "spin"]
    kept = tmp_path / "state/calibration/r1/wheel" / str(result["calibration"]) / "calibration.json"
    assert json.loads(kept.read_text())["values"]["parameters"]["m"] == "2.0"
    assert json.loads((tmp_path / "state/bench/r1/wheel/roulette.json").read_text())["passed"] is True


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
async def test_a_command_that_ends_at_a_question_leaves_nothing(sent: signal.Signals, tmp_path: Path) -> None:
    speed = 20.0
    scenario = Scenario(title="bench", devices=(Ss2Options(name="wheel"),))
    async with running(scenario, speed=speed, seed=4, run_dir=tmp_path / "dev") as sim:
        config = wheel_config(tmp_path, sim.ports["wheel"])
        words = ["roulette", "--config", str(config), "--table", "r1", "--device", "wheel", "--speed", str(speed)]
        async with started(*words, "--json", "--step", "spins", "--spins", "1") as command:
            await command.until("Laps you counted")
            command.process.send_signal(sent)
            code, lines = await command.end()
    assert code == (130 if sent is signal.SIGINT else -signal.SIGKILL)
    assert lines == []
    assert not (tmp_path / "state/calibration").exists()
    assert not list((tmp_path / "state").rglob("roulette.json"))


@pytest.mark.parametrize(
    ("driver", "options"),
    [
        ("wheel-counter", WheelCounterOptions(name="wheel", port="tcp", starts="told", turns=(3.6, 4.2))),
        ("wheel-modbus", WheelModbusOptions(name="wheel", starts="told", turns=(3.6, 4.2))),
    ],
    ids=["counter over tcp", "modbus over a pseudo-terminal"],
)
async def test_a_colour_wheel_over_its_port(
    driver: str, options: WheelCounterOptions | WheelModbusOptions, tmp_path: Path
) -> None:
    speed = 3.0
    async with running(Scenario(title="b", devices=(options,)), speed=speed, seed=3, run_dir=tmp_path / "dev") as sim:
        config = wheel_table(tmp_path, driver, sim.ports["wheel"])
        words = ["wheel", "--config", str(config), "--table", "w1", "--device", "encoder", "--speed", str(speed)]
        async with started(*words, "--json", "--step", "friction", "--spins", "2", "--yes") as command:
            await command.until("Spin the wheel")
            for number in range(1, 3):
                await sim.tell("wheel", "spin")
                await command.until(f"Spin {number} of 2")
            code, lines = await command.end()
    assert code == 0, command.said
    result = lines[-1]
    assert "run the step" not in command.said
    assert result["calibration"] is None, "segments and zero are not known yet"
    codes = {finding["code"]: finding["ok"] for finding in result["findings"]}  # type: ignore[attr-defined]
    assert codes["friction"] is True
    assert codes["mark"] is True


async def test_a_counter_at_another_speed_is_named(tmp_path: Path) -> None:
    """Pseudo-terminals know no speed: the wheel's bytes are another device's."""
    scenario = Scenario(title="bench", devices=(Ss2Options(name="wheel"),))
    async with running(scenario, speed=10.0, seed=4, run_dir=tmp_path / "dev") as sim:
        config = wheel_table(tmp_path, "wheel-counter", sim.ports["wheel"])
        words = ["wheel", "--config", str(config), "--table", "w1", "--device", "encoder", "--speed", "10", "--json"]
        async with started(*words) as command:
            code, _ = await command.end()
    assert code == 1
    assert "wrong speed" in command.said


@pytest.mark.parametrize("name", ["wheel", "roulette"])
async def test_help_has_an_example(name: str) -> None:
    async with started(name, "--help") as command:
        out, _ = await command.process.communicate()
    assert f"example:\n  dealer-calibrate {name} --table" in out.decode()
