"""What the bench leaves behind is of everybody who may write in the state directory, whoever made it, and under what
umask; and a result that cannot be kept is shown."""

from __future__ import annotations

import datetime as dt
import os
import stat
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_calibration.bench import BenchCommand, BenchError, Finding, Result, device_of, keep_result, run_bench
from dealer_calibration.bench.lease import bench_lock
from dealer_calibration.bench.results import NotKept
from dealer_drivers.calibration import CalibrationStore, Draft
from support.bench import wheel_config

RESULT = Result(
    command="roulette", table="r1", device="wheel", findings=[Finding(code="link", ok=True, said="it talks")]
)
DRAFT = Draft(
    kind="roulette-wheel",
    table="r1",
    device="wheel",
    driver="cammegh-ss2",
    serial=None,
    by="Li",
    tool="test",
    values={"parameters": {"m": "2.0"}},
)
STATION, GROUP = 2001, 2002


@pytest.fixture(autouse=True)
def strict_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def used(folder: Path, mode: int) -> list[tuple[Path, os.stat_result]]:
    """The state directory after a bench has used it."""
    config = wheel_config(folder, "/dev/dealer/wheel")
    state = folder / "state"
    if os.geteuid() == 0:
        os.chown(state, STATION, GROUP)
    state.chmod(mode)
    device = device_of(config, "r1", "wheel")
    with bench_lock(device):
        keep_result(device, RESULT, {"laps.png": b"picture"})
        device.store.save(DRAFT, dt.datetime.now(dt.UTC))
    return [(path, path.lstat()) for path in sorted(state.rglob("*"))]


def test_who_may_write_there_may_go_on_there(tmp_path: Path) -> None:
    found = used(tmp_path, 0o770)
    folders = [(path, what) for path, what in found if stat.S_ISDIR(what.st_mode)]
    assert len(folders) >= 7
    assert [path for path, what in folders if what.st_mode & 0o070 != 0o070] == []
    locks = [what for path, what in found if path.name.endswith("lock")]
    assert len(locks) == 2
    assert all(what.st_mode & 0o060 == 0o060 for what in locks)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes what is another's")
def test_what_root_made_is_the_stations(tmp_path: Path) -> None:
    found = used(tmp_path, 0o770)
    shared = [(path, what) for path, what in found if path.is_dir() or path.name.endswith("lock")]
    assert {(what.st_uid, what.st_gid) for _, what in shared} == {(STATION, GROUP)}


def test_who_may_only_look_there_may_only_look(tmp_path: Path) -> None:
    assert [path for path, what in used(tmp_path, 0o750) if what.st_mode & 0o022] == []


def test_a_lock_that_leads_elsewhere_is_none(tmp_path: Path) -> None:
    """Else who may write there lets root empty any file of the machine."""
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "state" / "bench").mkdir()
    (tmp_path / "state" / "bench" / "r1.wheel.lock").symlink_to(victim)
    with pytest.raises(BenchError, match="cannot be written"), bench_lock(device):
        pytest.fail("it was locked")
    folder = CalibrationStore(tmp_path / "state" / "calibration").folder("r1", "wheel")
    folder.mkdir(parents=True)
    (folder / ".lock").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        device.store.save(DRAFT, dt.datetime.now(dt.UTC))
    assert victim.read_text() == "precious"


def test_a_result_that_cannot_be_kept_is_not_lost(tmp_path: Path) -> None:
    device = device_of(wheel_config(tmp_path, "/dev/dealer/wheel"), "r1", "wheel")
    (tmp_path / "state" / "bench").write_text("no folder")
    with pytest.raises(NotKept, match="Make room, or look at the disk") as caught:
        keep_result(device, RESULT)
    assert caught.value.result.findings == RESULT.findings


def test_and_a_command_shows_it_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = wheel_config(tmp_path, "/dev/dealer/wheel")
    (tmp_path / "state" / "bench").write_text("no folder")

    async def body(command: BenchCommand) -> Result:
        return command.judged(RESULT)

    arguments = Namespace(config=config, table="r1", device="wheel", answer=[], json=False, yes=True, resume=False)
    assert run_bench(arguments, body) == 2
    shown = capsys.readouterr()
    assert "it talks" in shown.out
    assert "cannot be written" in shown.err
