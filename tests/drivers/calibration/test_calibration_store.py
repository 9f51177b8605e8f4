"""The store of calibrations: what is kept is whole, what is wrong is said, and nothing is lost at any instant."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.calibration import KEEP, CalibrationError, CalibrationStore, Draft
from dealer_drivers.calibration.compare import changes

NOON = dt.datetime(2026, 1, 14, 12, 0, tzinfo=dt.UTC)
OPERATIONS: tuple[tuple[ModuleType, str], ...] = (
    (io, "open"),
    *((os, name) for name in ("open", "fsync", "mkdir", "rename", "replace", "unlink", "rmdir")),
)


def draft(**changed: Any) -> Draft:
    about: dict[str, Any] = {
        "kind": "dice-rig",
        "table": "r1",
        "device": "camera",
        "driver": "sicbo-camera",
        "serial": "77",
        "by": "technician",
        "tool": "test 1",
        "values": {"points": [[1.0, 2.0]]},
        "files": {"profile.json": b'{"die_px": 80.5}', "plate.png": b"\x89PNG"},
    }
    return Draft(**(about | changed))


def all_whole(store: CalibrationStore) -> list[str]:
    """Every id that is found, each of which must load; and so must the current one."""
    ids = store.ids("r1", "camera")
    for name in ids:
        store.load("r1", "camera", name)
    if store.current("r1", "camera") is not None:
        store.load("r1", "camera")
    return ids


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path / "a" / "b")
    assert store.current("r1", "camera") is None
    kept = store.save(draft(), NOON)
    assert store.load("r1", "camera") == kept == store.load("r1", "camera", kept.id)
    assert kept.id == "0001-20260114T120000Z"
    assert kept.file("profile.json").read_bytes() == b'{"die_px": 80.5}'
    assert (kept.envelope.serial, kept.envelope.values) == ("77", {"points": [[1.0, 2.0]]})
    with pytest.raises(CalibrationError, match=r"wheel\.toml"):
        kept.file("wheel.toml")


def test_the_newest_twenty_stay_and_what_is_in_use(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    first = store.save(draft(), NOON).id
    store.mark_in_use("r1", "camera", first)
    second = store.save(draft(), NOON).id
    store.choose("r1", "camera", second)
    # A clock that goes back must not make the newest the oldest.
    ids = [store.save(draft(), NOON - dt.timedelta(days=n), make_current=False).id for n in range(KEEP + 5)]
    assert all_whole(store) == [first, second, *ids[-KEEP:]]
    assert store.current("r1", "camera") == second
    assert not list(tmp_path.glob("r1/camera/.gone*"))


def test_going_back_and_what_cannot_be_chosen(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    old, new = store.save(draft(), NOON).id, store.save(draft(), NOON).id
    assert store.choose("r1", "camera", old) == new
    assert store.current("r1", "camera") == old
    (tmp_path / "r1/camera" / new / "plate.png").write_bytes(b"other")
    for wanted in (new, "0009-20260114T120000Z", "../../etc", ""):
        with pytest.raises(CalibrationError):
            store.choose("r1", "camera", wanted)
    assert store.current("r1", "camera") == old
    (tmp_path / "r1/camera/current").write_text("nonsense")
    with pytest.raises(CalibrationError, match="rollback"):
        store.load("r1", "camera")
    assert store.choose("r1", "camera", old) is None
    assert store.load("r1", "camera").id == old


def test_going_back_to_what_is_not_there_makes_no_folders(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path / "none")
    for change in (store.choose, store.mark_in_use):
        with pytest.raises(CalibrationError, match="there are: none"):
            change("r1", "camera", "0001-20260114T120000Z")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\n", "x" * 65])
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    for table, device in ((name, "camera"), ("r1", name)):
        with pytest.raises(CalibrationError, match="is no name"):
            CalibrationStore(tmp_path).folder(table, device)


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"files": {"../x": b""}}, "files"),
        ({"files": {"calibration.json": b""}}, "files"),
        ({"files": {"calibration.sha256": b""}}, "files"),
        ({"by": " "}, "by"),
        ({"serial": ""}, "serial"),
        ({"kind": "Dice Rig"}, "kind"),
        ({"based_on": "yesterday"}, "based_on"),
    ],
)
def test_what_is_no_calibration_is_not_kept(tmp_path: Path, changed: dict[str, Any], key: str) -> None:
    store = CalibrationStore(tmp_path)
    with pytest.raises(CalibrationError, match=key):
        store.save(draft(**changed), NOON)
    assert store.ids("r1", "camera") == []
    assert {path.name for path in tmp_path.glob("r1/camera/*")} == {".lock"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda values: values | {"calibration": 3}, "newer dealer-station"),
        (lambda values: values | {"calibration": 0}, "no such form"),
        (lambda values: values | {"table": "r2"}, "table: is 'r2'"),
        (lambda values: values | {"device": "lamp"}, "device: is 'lamp'"),
        (lambda values: values | {"id": "0002-20260114T120000Z"}, "id: is"),
        (lambda values: values | {"made": "2026-01-14"}, "made: "),
        (lambda values: values | {"serial": 5}, "serial: Expected"),
        (lambda values: {key: value for key, value in values.items() if key != "by"}, "by"),
        (lambda values: values | {"more": 1}, "more"),
        (lambda values: values | {"files": values["files"] | {"gone.png": "sha256:" + "0" * 64}}, "files.gone.png"),
        (lambda values: values | {"files": {"plate.png": "md5"}}, "files.plate.png: is no SHA-256"),
        (lambda values: values | {"values": {"points": [[1.0, 9.0]]}}, "was changed after it was made"),
        (lambda values: values | {"calibration": 1, "values": {}}, "was changed after it was made"),
        (lambda values: values | {"serial": None}, "dealer-calibrate files import"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]], said: str) -> None:
    store = CalibrationStore(tmp_path)
    path = store.save(draft(), NOON).folder / "calibration.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(CalibrationError) as raised:
        store.load("r1", "camera")
    assert raised.value.path == path
    assert any(said in problem for problem in raised.value.problems), raised.value.problems


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_changed_byte_goes_unseen(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    store = CalibrationStore(tmp_path_factory.mktemp("bytes"))
    kept = store.save(draft(), NOON)
    names = ["calibration.json", "calibration.sha256", "profile.json", "plate.png"]
    path = kept.folder / data.draw(st.sampled_from(names))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        again = store.load("r1", "camera")
    except CalibrationError:
        return
    assert path.name == "calibration.sha256", "white space, for `sha256sum` the same"
    assert again == kept


def test_the_seal_is_what_a_tool_of_every_pc_reads(tmp_path: Path) -> None:
    kept = CalibrationStore(tmp_path).save(draft(), NOON)
    command = ["sha256sum", "--check", "--strict", "calibration.sha256"]
    assert subprocess.run(command, cwd=kept.folder, capture_output=True, check=False).returncode == 0


def test_without_its_seal_nobody_can_tell(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    kept = store.save(draft(), NOON)
    (kept.folder / "calibration.sha256").unlink()
    with pytest.raises(CalibrationError, match=r"calibration\.sha256 beside it is missing"):
        store.load("r1", "camera")
    with pytest.raises(CalibrationError):
        store.mark_in_use("r1", "camera", kept.id)
    assert not (kept.folder / "calibration.sha256").exists(), "what may have been changed is not sealed"


def test_one_of_the_older_form_is_sealed_when_a_station_takes_it_up(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    kept = store.save(draft(), NOON)
    path = kept.folder / "calibration.json"
    older = path.read_text().replace('"calibration": 2', '"calibration": 1')
    path.write_text(older)
    path.with_name("calibration.sha256").unlink()
    assert store.load("r1", "camera").envelope.values == kept.envelope.values
    store.mark_in_use("r1", "camera", kept.id)
    assert store.load("r1", "camera").id == kept.id
    path.write_text(older.replace("2.0", "3.0"))
    with pytest.raises(CalibrationError, match="was changed after it was made"):
        store.load("r1", "camera")
    assert not list(kept.folder.parent.glob(".part*"))


def test_two_calibrations_are_compared_key_by_key(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    one = store.save(draft(), NOON)
    same = store.save(draft(by="another", tool="test 2"), NOON)
    assert changes(one, same) == []
    files = {"profile.json": b'{"die_px": 81, "faces": [1]}', "plate.png": b"\x89PNH"}
    other = store.save(draft(serial=None, values={"points": [[1.0, 3.0]]}, files=files), NOON)
    assert [(change.key, change.before, change.after) for change in changes(one, other)] == [
        ("plate.png", one.envelope.files["plate.png"], other.envelope.files["plate.png"]),
        ("profile.json.die_px", 80.5, 81),
        ("profile.json.faces[0]", None, 1),
        ("serial", "77", None),
        ("values.points[0][1]", 2.0, 3.0),
    ]


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Does the work in a child that is gone without a word at that call to the system. Says whether it got there."""
    child = os.fork()
    if child == 0:
        left = [step]
        for module, name in OPERATIONS:
            real = getattr(module, name)

            def call(*arguments: Any, _real: Any = real, **named: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    os._exit(9)
                return _real(*arguments, **named)

            setattr(module, name, call)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_killed_at_any_step_nothing_is_lost(tmp_path: Path) -> None:
    """At each call of a save that prunes, and of a rollback: before it all is as it was, after it as it was meant."""
    store = CalibrationStore(tmp_path)
    for _ in range(KEEP):
        store.save(draft(), NOON)
    steps = 0
    while True:
        before, current = store.ids("r1", "camera"), store.current("r1", "camera")
        killed = killed_at(steps, lambda: store.save(draft(), NOON))
        after = all_whole(store)
        assert set(before[1 - KEEP :]) <= set(after), "one was lost that was not due to go"
        assert len(set(after) - set(before)) <= 1
        assert store.current("r1", "camera") in (current, after[-1])
        steps += 1
        if not killed:
            break
    assert steps > 15
    assert len(store.ids("r1", "camera")) == KEEP, "what was left behind is cleared away"
    oldest, newest = store.ids("r1", "camera")[0], store.current("r1", "camera")
    for step in range(100):
        killed = killed_at(step, lambda: store.choose("r1", "camera", oldest))
        assert store.current("r1", "camera") in (oldest, newest)
        if not killed:
            break
    assert store.current("r1", "camera") == oldest


WRITER = """
import datetime as dt, sys
from pathlib import Path
from dealer_drivers.calibration import CalibrationStore, Draft
store = CalibrationStore(Path(sys.argv[1]))
for count in range(int(sys.argv[2])):
    one = Draft(kind="dice-rig", table="r1", device="camera", driver="d", serial=None, by="x", tool="t",
                values={"n": count}, files={"a.bin": bytes([count % 256]) * 50_000})
    print(store.save(one, dt.datetime.now(dt.UTC)).id, flush=True)
"""


@settings(max_examples=4, deadline=None)
@given(lines=st.integers(0, 25))
def test_killed_by_signal_every_calibration_said_to_be_kept_is(
    tmp_path_factory: pytest.TempPathFactory, lines: int
) -> None:
    folder = tmp_path_factory.mktemp("killed")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), "10000"], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline().strip() for _ in range(lines + 1)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.read().split()
    store = CalibrationStore(folder)
    kept = all_whole(store)
    assert said[-1] in kept
    assert store.current("r1", "camera") in (said[-1], kept[-1])
    assert store.save(draft(), NOON).id == all_whole(store)[-1]


def test_two_writers_do_not_take_each_others_place(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), "8"]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [line for writer in writers for line in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(said) == 16
    assert sorted(said) == all_whole(CalibrationStore(tmp_path))


def test_what_was_withdrawn_stays_so_whatever_comes_after(tmp_path: Path) -> None:
    """Until it is chosen again: who has it in memory, or by its id, must not go on because there is a newer one."""
    store = CalibrationStore(tmp_path)
    one, two = (store.save(draft(), NOON).id for _ in range(2))
    assert not store.is_withdrawn("r1", "camera", one), "it only does not count"
    assert store.withdraw("r1", "camera", ["sha256:of a file"]) == two
    new = store.save(draft(), NOON).id
    assert [store.is_withdrawn("r1", "camera", each) for each in (one, two, new)] == [True, True, False]
    store.withdraw("r1", "camera")
    assert store.withdrawal("r1", "camera").times == 2
    assert store.withdrawal("r1", "camera").files == ("sha256:of a file",)
    assert store.is_withdrawn("r1", "camera", new)
    store.choose("r1", "camera", one)
    assert not any(store.is_withdrawn("r1", "camera", each) for each in (one, two, new)), "it was not changed after all"
    assert store.withdrawal("r1", "camera").times == 2
    (store.folder("r1", "camera") / "withdrawn").write_text('{"newest": "yesterday"}')
    with pytest.raises(CalibrationError, match="remove this file"):
        store.is_withdrawn("r1", "camera", two)
