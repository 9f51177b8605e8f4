"""``[screen]``: what goes together, and that nothing but this machine reaches it without TLS and sign-in."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.config import Config, ConfigErrors, parse_config
from dealer_daemon.station.named_files import files_check
from dealer_daemon.words import Language
from support.pki import Authority
from support.roulette_host import CONFIG

HERE = Path("/nowhere/station.toml")


def parsed(section: str, table: str = "") -> Config:
    text = CONFIG.replace('game = "roulette"\n', f'game = "roulette"\n{table}')
    return parse_config(section + text, HERE)


def problems(section: str, table: str = "") -> dict[str, str]:
    with pytest.raises(ConfigErrors) as raised:
        parsed(section, table)
    return {error.key: error.reason for error in raised.value.errors}


def test_no_section_no_screen() -> None:
    assert parsed("").screen is None
    assert parsed("").tables["r1"].screen_language is Language.ENGLISH


def test_a_section_serves_on_this_machine() -> None:
    config = parsed("[screen]\n", 'screen_language = "zh-Hant"\n')
    assert config.screen is not None
    assert config.screen.listen == "127.0.0.1:8480"
    assert config.tables["r1"].screen_language is Language.TRADITIONAL


def test_the_language_is_no_rule_of_the_table() -> None:
    hashes = {parsed("", line).tables["r1"].config_hash for line in ("", 'screen_language = "zh-Hans"\n')}
    assert len(hashes) == 1


def test_files_are_meant_from_the_folder_of_the_configuration() -> None:
    section = (
        '[screen]\nlisten = "0.0.0.0:443"\ncert_file = "c.pem"\nkey_file = "/k.pem"\npeople_file = "people.json"\n'
    )
    screen = parsed(section).screen
    assert screen is not None
    assert (screen.cert_file, screen.key_file, screen.people_file) == (
        "/nowhere/c.pem",
        "/k.pem",
        "/nowhere/people.json",
    )


@pytest.mark.parametrize("address", ["0.0.0.0:8480", "192.168.7.3:8480", "[::]:8480", "[fd00::7]:8480"])
def test_other_machines_reach_it_only_with_tls_and_sign_in(address: str) -> None:
    found = problems(f'[screen]\nlisten = "{address}"\n')
    assert list(found) == ["screen.listen"]
    assert "cert_file, key_file, people_file are missing" in found["screen.listen"]
    half = f'[screen]\nlisten = "{address}"\ncert_file = "c"\nkey_file = "k"\n'
    assert "people_file is missing" in problems(half)["screen.listen"]
    assert parsed(f'{half}people_file = "p"\n').screen is not None


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.9.9.9:8480", "[::1]:8480", "localhost:65535"])
def test_this_machines_addresses_need_neither(address: str) -> None:
    screen = parsed(f'[screen]\nlisten = "{address}"\n').screen
    assert screen is not None
    assert screen.listen == address


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('listen = "8480"', "an address and a port"),
        ('listen = "127.0.0.1:http"', "an address and a port"),
        ('listen = "127.0.0.1:0"', "an address and a port"),
        ('listen = "127.0.0.1:65536"', "an address and a port"),
        ('listen = "::1:8480"', "in brackets"),
        ('listen = "table-7:8480"', "no address of this machine"),
        ('listen = ""', ""),
        ('cert_file = "c"', "needs key_file"),
        ('key_file = "c"', "needs cert_file"),
        ('names = ["table-7:8480"]', "without the port"),
        ('nmaes = ["table-7"]', "names"),
        ('password = "x"', "by file"),
    ],
)
def test_what_cannot_be_is_refused_with_the_key_and_the_reason(line: str, words: str) -> None:
    key = line.partition(" ")[0]
    assert words in problems(f"[screen]\n{line}\n")[f"screen.{key}"]


def test_a_language_that_there_is_not() -> None:
    assert '"zh-Hans"' in problems("", 'screen_language = "fr"\n')["tables.r1.screen_language"]


def test_the_files_of_the_screen_are_looked_at(tmp_path: Path) -> None:
    Authority(tmp_path, "ca").issue("one")
    Authority(tmp_path, "other").issue("two")
    (tmp_path / "people.json").write_text('{"people": []}')
    (tmp_path / "people.json").chmod(0o600)
    section = """[screen]
listen = "0.0.0.0:8443"
cert_file = "one.pem"
key_file = "KEY"
people_file = "PEOPLE"
"""

    def said(key: str, people: str) -> dict[str, str]:
        text = section.replace("KEY", key).replace("PEOPLE", people) + CONFIG
        try:
            parse_config(text, tmp_path / "station.toml", files_check(starting=True))
        except ConfigErrors as errors:
            return {error.key: error.reason for error in errors.errors}
        return {}

    assert said("one.key", "people.json") == {}
    found = said("nothing.key", "nobody.json")
    assert "cannot be read" in found["screen.key_file"]
    assert "cannot be read" in found["screen.people_file"]
    assert list(said("two.key", "people.json")) == ["screen.key_file"]
    (tmp_path / "people.json").chmod(0o644)
    assert "chmod 0640" in said("one.key", "people.json")["screen.people_file"], "PINs are short: nobody else reads it"


def test_a_port_that_is_taken_stops_the_start_with_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = CONFIG.replace('"state"', f'"{tmp_path}/state"')
        config = tmp_path / "station.toml"
        config.write_text(f'[screen]\nlisten = "127.0.0.1:{port}"\n{text}')
        assert main(["run", "--config", str(config)]) == 2
    said = capsys.readouterr().err
    assert f"[screen] listen: nothing can listen at 127.0.0.1 port {port}" in said
