"""Keys and credentials that a configuration names: ``check-config`` refuses what a start refuses, all of it at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dealer_daemon.cli import main
from dealer_daemon.signing import make_key
from support.pki import Authority

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
signing_key_file = "keys/signing-key.pem"
[mqtt]
url = "mqtts://127.0.0.1:1"
username = "u"
password_file = "password"
ca_file = "pki/ca.pem"
cert_file = "pki/pc.pem"
key_file = "pki/pc.key"
[tables.s1]
game = "sic-bo"
[[tables.s1.devices]]
name = "shaker"
driver = "shaker-networked"
port = "mqtt://127.0.0.1:1/shaker"
username = "s"
password_file = "{folder}/shaker"
[[tables.s1.devices]]
name = "camera"
driver = "sicbo-camera"
port = "/dev/video0"
profile = "{folder}/none.json"
"""
ROULETTE = """
[tables.r1]
game = "roulette"
spin = {laps = "unobserved", unobserved = "accept"}
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""
SECRET = "hunter2"


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    make_key(tmp_path / "keys")
    (tmp_path / "pki").mkdir()
    authority = Authority(tmp_path / "pki", "ca")
    authority.issue("pc")
    authority.issue("other")
    for name in ("password", "shaker"):
        (tmp_path / name).write_text(SECRET)
        (tmp_path / name).chmod(0o640)
    (tmp_path / "pki" / "pc.key").chmod(0o640)
    write(tmp_path)
    return tmp_path


def write(station: Path, change: Callable[[str], str] = lambda text: text, tables: str = ROULETTE) -> None:
    text = CONFIG[: CONFIG.index("[tables.s1]")] + tables
    (station / "station.toml").write_text(change(text).replace("{folder}", str(station)))


def found(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    code = main(["check-config", "station.toml", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["ok"]) in ((0, True), (2, False))
    assert SECRET not in str(report)
    assert all(error["file"] == "station.toml" for error in report["errors"])
    lines = Path("station.toml").read_text().splitlines()
    for error in report["errors"]:
        assert error["key"].rpartition(".")[2] in lines[error["line"] - 1]
    return [(error["key"], error["reason"]) for error in report["errors"]]


def refused_by_a_start(capsys: pytest.CaptureFixture[str]) -> str:
    """What ``run`` says; it opens nothing."""
    assert main(["run", "--config", "station.toml"]) == 2
    assert not Path("state").exists()
    return capsys.readouterr().err


def test_what_is_whole_is_good(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys) == []
    assert main(["check-config", "station.toml"]) == 0
    assert "note" not in capsys.readouterr().out
    (station / "password").chmod(0o644)
    assert main(["check-config", "station.toml"]) == 0
    assert "note: " in (out := capsys.readouterr().out)
    assert "chmod 0640" in out, "what a start logs is said here too, and refuses nothing"


@pytest.mark.parametrize("deeper", ["", "/journals/r1"])
def test_a_file_in_the_place_of_the_state_directory(
    station: Path, deeper: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (station / "taken").write_text("")
    write(station, lambda text: text.replace('"state"', f'"taken{deeper}"'))
    ((key, reason),) = found(capsys)
    assert (key, f"{station}/taken is no folder" in reason) == ("station.state_dir", True)
    assert main(["run", "--config", "station.toml"]) == 2
    assert "station.toml:4: station.state_dir" in capsys.readouterr().err


def test_a_state_directory_that_only_a_start_can_refuse(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(station, lambda text: text.replace('"state"', '"/proc/dealer"'))
    assert main(["check-config", "station.toml"]) == 0
    assert "note: station.state_dir: /proc seems to be a file system without room" in capsys.readouterr().out
    assert main(["run", "--config", "station.toml"]) == 2
    assert "/proc/dealer: cannot be used" in capsys.readouterr().err


def gone(name: str) -> Callable[[Path], Any]:
    return lambda station: (station / name).unlink()


def holding(name: str, content: bytes) -> Callable[[Path], Any]:
    return lambda station: (station / name).write_bytes(content)


def encrypted(station: Path) -> None:
    (station / "pki/pc.key").write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )


@pytest.mark.parametrize(
    ("harm", "key", "words"),
    [
        (gone("keys/signing-key.pem"), "station.signing_key_file", "cannot be read (No such file"),
        (lambda at: (at / "keys/signing-key.pem").chmod(0o644), "station.signing_key_file", "mode 0644"),
        (
            lambda at: (at / "keys/signing-key.pub.pem").rename(at / "keys/signing-key.pem"),
            "station.signing_key_file",
            "holds a public key, and nothing can be signed with that",
        ),
        (holding("keys/signing-key.pem", b"x"), "station.signing_key_file", "no unencrypted private key"),
        (gone("password"), "mqtt.password_file", "No such file"),
        (holding("password", b"\n"), "mqtt.password_file", "is empty"),
        (holding("password", b"\xff"), "mqtt.password_file", "no UTF-8"),
        (gone("pki/ca.pem"), "mqtt.ca_file", "No such file"),
        (holding("pki/ca.pem", b"x"), "mqtt.ca_file", "holds no certificates"),
        (gone("pki/pc.pem"), "mqtt.cert_file", "No such file"),
        (gone("pki/pc.key"), "mqtt.key_file", "No such file"),
        (holding("pki/pc.pem", b"x"), "mqtt.key_file", "cannot be used"),
        (lambda at: (at / "pki/other.key").rename(at / "pki/pc.key"), "mqtt.key_file", "is not the key of cert_file"),
        (encrypted, "mqtt.key_file", "the key unencrypted"),
        (
            lambda at: ((at / "state/public-keys").mkdir(parents=True), holding("state/public-keys/a.pem", b"x")(at)),
            "station.state_dir",
            "is no public key",
        ),
    ],
)
def test_what_a_start_refuses_is_no_good_configuration(
    station: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], Any], key: str, words: str
) -> None:
    harm(station)
    (said,) = found(capsys)
    assert said[0] == key
    assert words in said[1]
    before = {path.name for path in station.glob("state/*")}
    assert main(["run", "--config", "station.toml"]) == 2
    assert capsys.readouterr().err.partition(f"{key}: ")[2].strip() == said[1], "in the same words"
    assert {path.name for path in station.glob("state/*")} == before, "and nothing was opened"


def test_everything_is_said_at_once(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also beside what is wrong with the tables, and of their devices."""
    for name in ("keys/signing-key.pem", "password", "pki/ca.pem", "pki/pc.pem", "pki/pc.key"):
        (station / name).unlink()
    keys = {"station.signing_key_file", *(f"mqtt.{key}_file" for key in ("password", "ca", "cert", "key"))}
    write(station, tables=ROULETTE.replace("cammegh-ss2", "sundial"))
    assert {key for key, _ in found(capsys)} == keys | {"tables.r1.devices[0].driver"}
    err = refused_by_a_start(capsys)
    assert all(key in err for key in keys)


def test_a_devices_credentials_are_looked_at_too(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from support.driver_examples import sicbo_camera

    sicbo_camera.prepare(station)
    shaker = CONFIG[CONFIG.index("[tables.s1]") :].replace("none.json", sicbo_camera.NAME)
    write(station, tables=shaker)
    assert found(capsys) == []
    (station / "shaker").unlink()
    ((key, reason),) = found(capsys)
    assert key == "tables.s1.devices[0].password_file"
    assert "No such file" in reason
    assert key in refused_by_a_start(capsys)


def credentials(text: str) -> str:
    for name in ("keys/signing-key.pem", "password", "pki/pc.pem", "pki/pc.key"):
        text = text.replace(f'"{name}"', f'"credential:{Path(name).name}"')
    return text


def test_credentials_of_the_service_manager(
    station: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand nobody has them: that is said, and is no mistake. A start without them is refused."""
    write(station, credentials)
    assert found(capsys) == []
    assert main(["check-config", "station.toml"]) == 0
    assert capsys.readouterr().out.count("was not looked at: systemd hands it over") == 4
    err = refused_by_a_start(capsys)
    assert err.count("LoadCredential=") == 4, "all at once"
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(station / "handed"))
    (station / "handed").mkdir()
    (station / "password").rename(station / "handed/password")
    assert {key for key, _ in found(capsys)} == {"station.signing_key_file", "mqtt.cert_file", "mqtt.key_file"}
    for name in ("keys/signing-key.pem", "pki/pc.pem", "pki/pc.key"):
        (station / name).rename(station / "handed" / Path(name).name)
    (station / "handed/signing-key.pem").chmod(0o644)  # whose it is, the service manager sees to
    assert found(capsys) == []


def test_other_commands_do_without_the_keys(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who may ask how the station is need not be allowed to read its secrets."""
    for name in ("keys/signing-key.pem", "password"):
        (station / name).unlink()
    assert main(["status", "--config", "station.toml"]) == 3
    assert "signing_key_file" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["password", "pki/ca.pem", "pki/pc.key", "keys/signing-key.pem"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(
    station: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = station / name
    path.unlink()
    os.mkfifo(path, 0o600)
    [(_, reason)] = found(capsys)
    assert name in reason
    assert "a pipe" in reason
    assert "a pipe" in refused_by_a_start(capsys)
