"""The credential file, its rules, and the check of a secret in another process."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import time
from pathlib import Path

import pytest

from dealer_daemon.people import (
    BadSecret,
    CheckFailed,
    Hash,
    PeopleFile,
    PeopleFileError,
    Person,
    checker,
    fits,
    hashed,
    read_people,
    write_people,
)
from dealer_daemon.people.hashing import nobody
from dealer_daemon.people.rules import check_name, check_password, check_pin

CHEAP = 2**4


def person(name: str = "dealer-7", **more: object) -> Person:
    fields = {"role": "dealer", "password": str(hashed("904417", cost=CHEAP))} | more
    return Person(name=name, **fields)  # type: ignore[arg-type]


async def test_a_secret_is_checked_in_another_process_and_no_other_fits() -> None:
    hash_ = hashed("904417", cost=CHEAP)
    assert await fits("904417", hash_)
    assert not await fits("904418", hash_)
    assert not await fits("x" * 100_000, hash_)
    assert not await fits("904417", nobody(CHEAP))
    unusual = hashed("密码 \n\0 é", cost=CHEAP)
    assert await fits("密码 \n\0 é", unusual)
    assert Hash.parse(str(hash_)) == hash_
    assert str(hashed("904417", cost=CHEAP)) != str(hash_), "each has a salt of its own"


async def test_the_loop_goes_on_while_a_secret_is_checked() -> None:
    hash_ = hashed("904417")
    check = asyncio.create_task(fits("904417", hash_))
    longest, before = 0.0, time.monotonic()
    while not check.done():
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    assert await check
    began = time.monotonic()
    hashed("904417")
    assert longest < max(0.05, (time.monotonic() - began) * 0.7), "the loop stood for as long as a hash takes"


async def test_a_check_that_cannot_be_made_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dies = tmp_path / "dies.py"
    dies.write_text("raise SystemExit(1)")
    monkeypatch.setattr(checker, "_CHILD", dies)
    with pytest.raises(CheckFailed, match="the process that checks passwords"):
        await fits("904417", hashed("904417", cost=CHEAP))
    monkeypatch.setattr(checker.sys, "executable", str(tmp_path / "absent"))
    with pytest.raises(CheckFailed, match="no process can be started"):
        await fits("904417", hashed("904417", cost=CHEAP))


@pytest.mark.parametrize("text", ["", "scrypt$16$8$1$00$00", "scrypt$15$8$1$" + "0" * 32 + "$" + "0" * 64,
                                  "scrypt$4194304$8$1$" + "0" * 32 + "$" + "0" * 64, "md5$x"])  # fmt: skip
def test_what_is_no_hash_or_costs_too_much_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="scrypt"):
        Hash.parse(text)


def test_names_passwords_and_pins_have_rules() -> None:
    for name in ("dealer-7", "李 娜", "A.B_c"):
        check_name(name)
    for name in ("", "x" * 41, "<script>", "a\nb", " a", "a  b", "station", "Station", "a\x00"):
        with pytest.raises(BadSecret):
            check_name(name)
    check_password("904417", "dealer-7", "dealer")
    for bad in ("90441", "111111", "123456", "654321", "xdealer-7x", "x" * 257):
        with pytest.raises(BadSecret):
            check_password(bad, "dealer-7", "dealer")
    with pytest.raises(BadSecret, match="10 characters"):
        check_password("904417", "m", "manager")
    check_pin("904417")
    for bad in ("90441", "abcdef", "000000", "345678", "９０４４１７"):
        with pytest.raises(BadSecret):
            check_pin(bad)


def test_the_file_is_written_whole_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    write_people(path, [person("b"), person("A")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(read_people(path)) == ["a", "b"]
    path.chmod(0o640)
    write_people(path, [person()])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["people.json"]
    assert "904417" not in path.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another group")
def test_what_root_writes_the_daemon_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    os.chown(folder, 0, 54321)
    path = folder / "people.json"
    for _ in range(2):
        write_people(path, [person()])
        found = path.stat()
        assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (0, 54321, 0o640)
    os.chown(path, 54322, 54321)
    path.chmod(0o600)
    write_people(path, [person()])
    found = path.stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (54322, 0o600)


def test_what_others_may_read_or_is_no_file_of_people_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    write_people(path, [person()])
    for mode in (0o604, 0o660, 0o644):
        path.chmod(mode)
        with pytest.raises(PeopleFileError, match="chmod 0640"):
            read_people(path)
    path.chmod(0o600)
    good = json.loads(path.read_text())
    bad = [
        ("x", "malformed"),
        (json.dumps({"people": [good["people"][0] | {"role": "boss"}]}), "boss"),
        (json.dumps({"people": [good["people"][0] | {"password": "904417"}]}), "person 1: expected scrypt"),
        (json.dumps({"people": [good["people"][0], good["people"][0] | {"name": "DEALER-7"}]}), "twice"),
        (json.dumps({"people": [good["people"][0] | {"name": "<b>"}]}), "letters and digits"),
        ("[" * 1000, "dealer-daemon people"),
    ]
    for text, why in bad:
        path.write_text(text)
        with pytest.raises(PeopleFileError, match=why):
            read_people(path)
    with pytest.raises(PeopleFileError, match="cannot be read"):
        read_people(tmp_path / "absent")


def test_the_file_is_read_anew_when_it_changed_and_a_bad_one_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    write_people(path, [person()])
    file = PeopleFile(path)
    assert list(file.now()) == ["dealer-7"]
    write_people(path, [person(), person("dealer-8")])
    assert list(file.now()) == ["dealer-7", "dealer-8"]
    path.chmod(0o644)
    assert list(file.now()) == ["dealer-7", "dealer-8"]
    assert file.problem is not None
    assert "0644" in file.problem
    path.chmod(0o600)
    assert list(file.now()) == ["dealer-7", "dealer-8"]
    assert file.problem is None
    path.unlink()
    assert list(file.now()) == ["dealer-7", "dealer-8"]
    assert "cannot be read" in str(file.problem)
