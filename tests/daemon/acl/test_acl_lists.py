"""The list of clients, and what is wrong with it; and the command that writes access lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.acl import ClientsError, read_clients
from dealer_daemon.cli import main
from dealer_daemon.config import Config, load_config

STATION = """
[station]
site = "studio-1"
state_dir = "state"
[mqtt]
{mqtt}
[tables.r1]
game = "roulette"
spin = {{laps = "unobserved", unobserved = "accept"}}
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


def station(folder: Path, mqtt: str = 'username = "table-pc"') -> Path:
    path = folder / "station.toml"
    path.write_text(STATION.format(mqtt=mqtt))
    return path


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load_config(station(tmp_path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[clients.a]\nkind = "server"\ntables = ["r9"]', "no table 'r9'; there are: r1"),
        ('[clients.a]\nkind = "boss"\ntables = ["r1"]', "boss"),
        ('[clients.a]\nkind = "server"', "tables"),
        ('[clients.a]\nkind = "server"\ntables = []', "tables"),
        ('[clients.a]\nkind = "server"\ntables = ["r1"]\npassword = "x"', "password"),
        ('[clients."a b"]\nkind = "server"\ntables = ["r1"]', "clients"),
        ('[clients."+"]\nkind = "server"\ntables = ["r1"]', "clients"),
        ('[clients.a]\nkind = "server"\ntables = ["r1"]\nname = "x/#"', "name"),
        ("[clients", "is not TOML"),
        (
            '[clients.a]\nkind = "server"\ntables = ["r1"]\n'
            '[clients.b]\nkind = "consumer"\ntables = ["r1"]\nname = "a"',
            "both called 'a'",
        ),
    ],
)
def test_what_is_wrong_with_a_list_is_said(tmp_path: Path, config: Config, text: str, words: str) -> None:
    path = tmp_path / "clients.toml"
    path.write_text(text)
    with pytest.raises(ClientsError) as refusal:
        read_clients(path, config)
    assert str(path) in str(refusal.value)
    assert words in str(refusal.value)


def test_a_list_that_is_not_there_is_said(tmp_path: Path, config: Config) -> None:
    with pytest.raises(ClientsError, match="cannot be read"):
        read_clients(tmp_path / "absent", config)


def test_without_a_list_the_station_alone_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["acl", "mosquitto", "--config", str(station(tmp_path))]) == 0
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if line.startswith("user ")] == ["user table-pc"]
    assert "topic read dealer/v1/studio-1/r1/commands" in text.splitlines()
    assert "commands/+" not in text, "without roles_by_topic nobody speaks there"


def test_without_roles_by_topic_every_role_speaks_on_one_topic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clients = tmp_path / "clients.toml"
    clients.write_text('[clients.pit]\nkind = "manager"\ntables = ["*"]\n')
    assert main(["acl", "mosquitto", "--config", str(station(tmp_path)), "--clients", str(clients)]) == 0
    assert "topic write dealer/v1/studio-1/r1/commands" in capsys.readouterr().out.split("user pit")[1].splitlines()


def test_without_roles_by_topic_a_consumer_has_a_topic_on_which_it_commands_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clients = tmp_path / "clients.toml"
    clients.write_text('[clients.dwh]\nkind = "consumer"\ntables = ["*"]\n')
    assert main(["acl", "mosquitto", "--config", str(station(tmp_path)), "--clients", str(clients)]) == 0
    of_station, of_consumer = capsys.readouterr().out.split("user dwh")
    assert "topic read dealer/v1/studio-1/r1/commands/consumer/+" in of_station.splitlines()
    writes = {line for line in of_consumer.splitlines() if "write" in line}
    at = "dealer/v1/studio-1/r1"
    assert writes == {f"topic readwrite {at}/acks/dwh", f"topic write {at}/commands/consumer/dwh"}
    assert f"topic read {at}/replies/dwh" in of_consumer.splitlines()


def test_a_station_without_a_user_and_a_client_with_its_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = station(tmp_path, "")
    assert main(["acl", "mosquitto", "--config", str(nameless)]) == 2
    assert "--station-user" in capsys.readouterr().err
    clients = tmp_path / "clients.toml"
    clients.write_text('[clients.pc]\nkind = "consumer"\ntables = ["r1"]\n')
    assert main(["acl", "ejabberd", "--config", str(nameless), "--station-user", "pc", "--clients", str(clients)]) == 2
    assert "the station's own user" in capsys.readouterr().err
    assert main(["acl", "ejabberd", "--config", str(nameless), "--station-user", "pc", "--host", "h"]) == 0
    assert 'user: "pc@h"' in capsys.readouterr().out
