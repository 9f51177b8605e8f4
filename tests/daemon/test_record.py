"""``dealer-daemon record`` and ``replay``: a technician's bug report is a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.replay import merged
from dealer_drivers.recording import read_recording

FRAMES = b"*X;1;003; 5;0;158;0\r\n" * 3
CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "PORT"
"""


@pytest.fixture
def port() -> Iterator[tuple[int, str]]:
    master, slave = os.openpty()
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


def config(folder: Path, port: str) -> Path:
    file = folder / "station.toml"
    file.write_text(CONFIG.replace("PORT", port))
    return file


def test_what_a_device_says_is_recorded_and_plays_back(
    tmp_path: Path, port: tuple[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    master, name = port
    file, recording = config(tmp_path, name), tmp_path / "wheel.rec.jsonl"
    command = [sys.executable, "-m", "dealer_daemon", "record", "--config", str(file), "--table", "r1", "--device"]
    with subprocess.Popen([*command, "wheel", "--note", "stuck at 5", str(recording)], stdout=subprocess.PIPE) as job:
        while b"*" not in os.read(master, 100):  # it asks who is there: the port is open
            pass
        os.write(master, FRAMES)
        while FRAMES.count(b"\n") > recording.read_bytes().count(b"158;0"):
            pass
        job.send_signal(signal.SIGINT)
        assert job.stdout is not None
        said = job.stdout.read().decode()
    assert job.returncode == 0
    assert "3 valid frames" in said
    read = read_recording(recording)
    assert (read.driver, read.device, read.note) == ("cammegh-ss2", "wheel", "stuck at 5")
    assert b"".join(entry.data for entry in read.entries if entry.kind == "rx") == FRAMES
    assert any(entry.kind == "tx" for entry in read.entries)
    base = ["replay", "--config", str(file), "--table", "r1", "--device", "wheel"]
    assert main([*base, str(recording), "--json"]) == 0
    events = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
    assert events[:2] == ["table.started", "round.opened"]


def test_a_recording_is_never_overwritten(tmp_path: Path, port: tuple[int, str]) -> None:
    file = config(tmp_path, port[1])
    base = ["record", "--config", str(file), "--table", "r1", "--device", "wheel", "--seconds", "0.1"]
    assert main([*base, str(file)]) == 2
    assert main([*base, str(tmp_path / "no" / "x.rec.jsonl")]) == 1
    assert file.read_text().startswith("\n[station]")


def test_a_device_that_is_not_there_or_says_nothing(tmp_path: Path, port: tuple[int, str]) -> None:
    base = ["--table", "r1", "--device", "wheel", "--seconds", "0.3"]
    absent = config(tmp_path, "/dev/dealer/no-such-wheel")
    assert main(["record", "--config", str(absent), *base, str(tmp_path / "a.rec.jsonl")]) == 3
    assert not (tmp_path / "a.rec.jsonl").exists(), "the next try may have its name"
    silent = config(tmp_path, port[1])
    assert main(["record", "--config", str(silent), *base, str(tmp_path / "b.rec.jsonl")]) == 1


def written(path: Path, started: str | None, *lines: tuple[float, str]) -> Path:
    head = {"recording": 1, "driver": "cammegh-ss2", "device": path.stem}
    head |= {} if started is None else {"started": started}
    body = [json.dumps({"t": t, "rx": rx}) for t, rx in lines]
    path.write_text("\n".join([json.dumps(head), *body]) + "\n")
    return path


def test_recordings_of_one_time_are_put_in_one_order(tmp_path: Path) -> None:
    one = read_recording(written(tmp_path / "one", "2026-01-31T20:00:00.500000Z", (0.0, "b"), (2.0, "d")))
    two = read_recording(written(tmp_path / "two", "2026-01-31T20:00:00Z", (0.0, "a"), (1.0, "c")))
    lines = [(name, entry.t_s, entry.data) for name, entry in merged({"one": one, "two": two})]
    assert lines == [("two", 0.0, b"a"), ("one", 0.5, b"b"), ("two", 1.0, b"c"), ("one", 2.5, b"d")]
    bad = read_recording(written(tmp_path / "bad", "yesterday", (0.0, "a")))
    with pytest.raises(ValueError, match="yesterday"):
        list(merged({"one": one, "bad": bad}))
    silent = read_recording(written(tmp_path / "silent", None, (0.0, "a")))
    with pytest.raises(ValueError, match="does not say when it was made"):
        list(merged({"one": one, "silent": silent}))


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2026-01-31T20:00:00"])
def test_a_time_that_no_recording_has_is_refused(tmp_path: Path, time: str) -> None:
    with pytest.raises(ValueError, match="which is no time"):
        list(merged({"one": read_recording(written(tmp_path / "one", time, (0.0, "a")))}))


def test_events_of_a_replay_are_of_the_time_when_it_was_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = config(tmp_path, "/dev/dealer/wheel")
    base = ["replay", "--config", str(file), "--table", "r1", "--device", "wheel", "--json"]
    assert main([*base, str(written(tmp_path / "dated", "2026-01-31T20:00:00.500000Z", (1.0, "x")))]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[0])["time"] == "2026-01-31T20:00:00.500000Z"
    assert said.err == ""
    assert main([*base, str(written(tmp_path / "silent", None, (1.0, "x")))]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[0])["time"].startswith("1970-01-01T00:00:00")
    assert "does not say when it was made" in said.err


def test_replay_says_what_is_wrong_with_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = config(tmp_path, "/dev/dealer/wheel")
    good = written(tmp_path / "good", None, (0.0, "x"))
    base = ["replay", "--config", str(file), "--table", "r1", "--device", "wheel", str(good)]
    for also, code, said in (
        ("wheel=" + str(good), 2, "each device once"),
        ("camera", 2, "DEVICE=RECORDING"),
        ("camera=" + str(good), 2, "it has: wheel"),
    ):
        assert main([*base, "--also", also]) == code
        assert said in capsys.readouterr().err
