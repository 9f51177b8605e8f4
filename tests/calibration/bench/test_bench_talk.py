"""Questions to the technician: by pipe, on a terminal, beforehand, or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_calibration.bench import NoAnswer, Talk
from dealer_calibration.bench.line_input import LineInput

SCRIPT = """
import asyncio, json, sys
from dealer_calibration.bench import BenchCommand, Finding, Result, run_bench
from dealer_calibration.cli.bench_options import add_bench_options
import argparse

async def body(command):
    talk = command.talk
    talk.step("spin")
    laps = await talk.whole("laps", "How many laps?", least=1, most=40)
    talk.event("laps", laps=laps)
    sure = await talk.confirm("sure", "Sure?")
    return Result(command="trial", table="r1", device="wheel", figures={"laps": laps, "sure": sure},
                  findings=[Finding(code="asked", ok=True, said="asked")])

parser = argparse.ArgumentParser()
add_bench_options(parser)
sys.exit(run_bench(parser.parse_args(), body))
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    from support.bench import wheel_config

    config = wheel_config(tmp_path, "/dev/dealer/wheel")
    script = tmp_path / "trial.py"
    script.write_text(SCRIPT)
    return [sys.executable, str(script), "--config", str(config), "--table", "r1", "--device", "wheel"]


def run(command: list[str], given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)


def test_answers_by_pipe_and_a_wrong_one_is_asked_again(command: list[str], tmp_path: Path) -> None:
    done = run(command, "many\n7\ny\n")
    assert done.returncode == 0
    assert "expected a whole number from 1 to 40" in done.stdout
    assert "\x1b" not in done.stdout
    kept = json.loads((tmp_path / "state/bench/r1/wheel/trial.json").read_text())
    assert kept["figures"] == {"laps": 7, "sure": True}


def test_json_is_alone_on_standard_output(command: list[str]) -> None:
    done = run([*command, "--json"], "7\nn\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("event") for line in lines] == ["laps", None]
    assert lines[-1]["figures"] == {"laps": 7, "sure": False}
    assert "How many laps?" in done.stderr


def test_answers_beforehand_and_nobody_asked(command: list[str]) -> None:
    done = run([*command, "--yes", "--answer", "laps=9", "--json"], "")
    assert json.loads(done.stdout.splitlines()[-1])["figures"] == {"laps": 9, "sure": True}
    refused = run([*command, "--yes"], "")
    assert refused.returncode == 2
    assert "--answer laps=" in refused.stderr
    wrong = run([*command, "--answer", "laps=99"], "")
    assert (wrong.returncode, "from 1 to 40" in wrong.stderr) == (2, True)


def test_input_that_ends_keeps_nothing(command: list[str], tmp_path: Path) -> None:
    done = run(command, "7\n")
    assert done.returncode == 2
    assert "standard input ended" in done.stderr
    assert not (tmp_path / "state/bench/r1").exists()


def test_ctrl_c_at_a_question_on_a_terminal_keeps_nothing(command: list[str], tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    child = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, start_new_session=True)
    os.close(follower)
    said = b""
    try:
        while b"How many laps?" not in said:
            said += os.read(leader, 4096)
        os.write(leader, b"1")  # in the middle of a line
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 130
    finally:
        child.kill()
        child.wait()
        os.close(leader)
    assert not (tmp_path / "state/bench/r1").exists()


WAITING = """
import asyncio
from dealer_calibration.bench import Talk

async def body():
    talk = Talk()
    with talk.waiting("listening [to all]"):
        await asyncio.sleep(0.3)
        if await talk.confirm("all", "Was that the whole pile?"):
            talk.say("so it was")
        await asyncio.Event().wait()

asyncio.run(body())
"""


class Screen:
    """What a terminal shows of a process, as it comes."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._unread = b""

    def until(self, words: bytes) -> bytes:
        """Everything up to these words."""
        while words not in self._unread:
            assert select.select([self._leader], [], [], 20)[0], self._unread
            self._unread += os.read(self._leader, 4096)
        before, _, self._unread = self._unread.partition(words)
        return before

    def within(self, seconds: float) -> bytes:
        """What comes next, within so long."""
        came, _, _ = select.select([self._leader], [], [], seconds)
        return self._unread + (os.read(self._leader, 4096) if came else b"")


def test_a_question_while_something_turns_can_be_read_and_the_turning_goes_on_after() -> None:
    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    child = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        env=env,
    )
    os.close(follower)
    screen = Screen(leader)
    try:
        screen.until(b"listening [to all]")
        before = screen.until(b"Was that the whole pile? [y/n] ")
        assert screen.within(1.0) == b"", "nothing is written over a question"
        assert b"\x1b[?25h" in before, "the cursor is seen where one types"
        os.write(leader, b"y\n")
        screen.until(b"so it was")
        screen.until(b"listening [to all]")
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) != 0
    finally:
        child.kill()
        child.wait()
        os.close(leader)


EVENTS = """
from dealer_calibration.bench import Talk

talk = Talk(as_json=True)
with talk.waiting("listening"):
    talk.event("card", read=1)
    talk.say("heard")
"""


def test_what_a_program_reads_stays_its_own_though_the_talk_is_on_a_terminal() -> None:
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", EVENTS],
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=follower,
            timeout=60,
            env={**os.environ, "TERM": "xterm"},
            check=True,
        )
        assert done.stdout == b'{"event": "card", "read": 1}\n'
        Screen(leader).until(b"heard")
    finally:
        os.close(follower)
        os.close(leader)


async def test_the_loop_goes_on_while_somebody_thinks() -> None:
    read, write = os.pipe()
    try:
        lines = LineInput(read)
        question = asyncio.create_task(lines.line())
        await asyncio.sleep(0)
        os.write(write, b"7")
        await asyncio.sleep(0)
        assert not question.done()
        os.write(write, "\nzwölf\nrest".encode())
        assert await question == "7"
        assert await lines.line() == "zwölf"
        os.close(write)
        write = -1
        assert await lines.line() == "rest"
        assert await lines.line() is None
    finally:
        os.close(read)
        if write >= 0:
            os.close(write)


async def test_a_question_that_must_be_answered_by_a_person_is_not_taken_as_yes() -> None:
    talk = Talk(ask=False)
    assert await talk.confirm("a", "Go on?") is True
    with pytest.raises(NoAnswer):
        await talk.confirm("b", "Is the plate empty?", sure=False)
