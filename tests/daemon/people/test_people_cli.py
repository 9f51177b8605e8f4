"""``dealer-daemon people``: who may sign in, without a secret on the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.people import Hash, hashing, read_people


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "hashed", lambda secret: hashing.Hash.parse(str(_CHEAP(secret, cost=16))))
    monkeypatch.setattr("dealer_daemon.people.hashed", lambda secret: _CHEAP(secret, cost=16))


_CHEAP = hashing.hashed


def people(monkeypatch: pytest.MonkeyPatch, path: Path, *arguments: str, typed: str = "") -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return main(["people", *arguments, "--file", str(path)])


def fits(stored: str | None, secret: str) -> bool:
    hash_ = Hash.parse(stored or "")
    return hash_.is_of(hashing.derived(secret, hash_.n, hash_.r, hash_.p, hash_.salt))


def test_people_are_added_listed_changed_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.json"
    assert people(monkeypatch, path, "add", "dealer-7", "--role", "dealer", typed="904417\n904417\n") == 0
    typed = "long enough 1\nlong enough 1\n775533\n775533\n"
    assert people(monkeypatch, path, "add", "manager-1", "--role", "manager", typed=typed) == 0
    kept = read_people(path)
    assert fits(kept["dealer-7"].password, "904417")
    assert fits(kept["manager-1"].pin, "775533")
    capsys.readouterr()
    assert people(monkeypatch, path, "list", "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        {"name": "dealer-7", "role": "dealer", "pin": False},
        {"name": "manager-1", "role": "manager", "pin": True},
    ]
    assert people(monkeypatch, path, "set-pin", "Manager-1", typed="112299\n112299\n") == 0
    assert people(monkeypatch, path, "set-password", "dealer-7", typed="551177\n551177\n") == 0
    kept = read_people(path)
    assert fits(kept["manager-1"].pin, "112299")
    assert fits(kept["dealer-7"].password, "551177")
    assert people(monkeypatch, path, "remove", "dealer-7") == 0
    assert list(read_people(path)) == ["manager-1"]


def test_what_cannot_be_is_refused_with_a_reason_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.json"
    add = ("add", "dealer-7", "--role", "dealer")
    assert people(monkeypatch, path, *add, typed="904417\n904418\n") == 2
    assert "not the same password" in capsys.readouterr().err
    assert people(monkeypatch, path, *add, typed="90\n90\n") == 2
    assert "at least 6 characters" in capsys.readouterr().err
    assert people(monkeypatch, path, "add", "<b>", "--role", "dealer", typed="904417\n904417\n") == 2
    assert not path.exists()
    assert people(monkeypatch, path, *add, typed="904417\n904417\n") == 0
    before = path.read_bytes()
    assert people(monkeypatch, path, *add, typed="904417\n904417\n") == 1
    assert people(monkeypatch, path, "set-pin", "dealer-7", typed="904417\n904417\n") == 1
    assert people(monkeypatch, path, "remove", "dealer-8") == 2
    assert "there is no 'dealer-8'" in capsys.readouterr().err
    assert path.read_bytes() == before
    with pytest.raises(SystemExit):
        main(["people", "add", "x", "--role", "dealer", "--password", "904417"])
    absent = tmp_path / "no" / "people.json"
    assert people(monkeypatch, absent, *add, typed="904417\n904417\n") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_file_is_the_configurations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "station.toml"
    text = (
        '[station]\nsite = "s"\nstate_dir = "state"\n[mqtt]\nurl = "mqtt://127.0.0.1"\n{screen}'
        '[tables.r1]\ngame = "roulette"\n[tables.r1.spin]\nunobserved = "accept"\n'
        '[[tables.r1.devices]]\nname = "wheel"\ndriver = "cammegh-ss2"\nport = "/dev/x"\n'
    )
    config.write_text(text.format(screen=""))
    monkeypatch.setattr("sys.stdin", io.StringIO("904417\n904417\n"))
    add = ["people", "add", "dealer-7", "--role", "dealer", "--config", str(config)]
    assert main(add) == 2
    config.write_text(text.format(screen='[screen]\npeople_file = "people.json"\n'))
    assert main(add) == 0
    assert list(read_people(tmp_path / "people.json")) == ["dealer-7"]
