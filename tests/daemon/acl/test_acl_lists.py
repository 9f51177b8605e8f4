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
        (
            '[clients.a]\nkind = "boss"\ntables = ["r1"]',
            'clients.toml:2: clients.a.kind: expected one of "server", "dealer", "manager", "technician", "consumer", '
            'not "boss"',
        ),
        ('[clients.a]\nkind = "server"', "clients.a.tables: missing: a list of tables"),
        ('[clients.a]\nkind = "server"\ntables = []', "clients.a.tables: expected a list of tables"),
        ('[clients.a]\nkind = "server"\ntables = "r1"', "clients.a.tables: expected a list of tables"),
        ("", "clients: missing: each user of the broker is a section"),
        ("clients = 5", "clients: missing: each user"),
        ("[clients]\na = 5", "clients.a: expected a section, not 5"),
        ('[client.a]\nkind = "server"', "unknown key; did you mean 'clients'?"),
        ('[clients.a]\nkind = "server"\ntable = ["r1"]', "clients.a.table: unknown key; did you mean 'tables'?"),
        (
            '[clients.a]\nkind = "server"\ntables = ["r9"]',
            "Is it of another station, give that one's configuration too",
        ),
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


def test_everything_that_is_wrong_with_a_list_is_said_at_once(tmp_path: Path, config: Config) -> None:
    path = tmp_path / "clients.toml"
    path.write_text(
        '[clients.a]\nkind = "boss"\ntables = ["r1"]\n[clients.b]\nkind = "server"\ntables = ["x", "r1", "y"]\n'
        '[clients.c]\nkind = "server"\ntables = ["*"]\nname = "b"\n[more]\n'
    )
    with pytest.raises(ClientsError) as refusal:
        read_clients(path, config)
    said = [line.removeprefix(f"{path}:") for line in str(refusal.value).splitlines()]
    assert [line.split(": ")[:2] for line in said] == [
        ["11", "more"],
        ["2", "clients.a.kind"],
        ["6", "clients.b.tables"],
        ["6", "clients.b.tables"],
        ["10", "clients.c.name"],
    ]


def another(folder: Path, name: str, table: str, user: str, **changes: str) -> list[str]:
    """The option for a second station's configuration."""
    text = STATION.format(mqtt=f'username = "{user}"').replace("tables.r1", f"tables.{table}")
    for old, new in changes.items():
        text = text.replace(old, new)
    (folder / f"{name}.toml").write_text(text)
    return ["--config", str(folder / f"{name}.toml")]


def test_one_list_of_clients_for_all_stations_of_a_broker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clients = tmp_path / "clients.toml"
    clients.write_text(
        '[clients.lobby]\nkind = "server"\ntables = ["r1", "b1"]\n[clients.dwh]\nkind = "consumer"\ntables = ["*"]\n'
        '[clients.desk]\nkind = "server"\ntables = ["b1"]\n'
    )
    first = ["--config", str(station(tmp_path)), "--clients", str(clients)]
    assert main(["acl", "mosquitto", *first]) == 2
    assert "there is no table 'b1'; there are: r1. Is it of another station" in capsys.readouterr().err
    second = another(tmp_path, "second", "b1", "table-pc-2")
    assert main(["acl", "mosquitto", *first, *second]) == 0
    parts = dict(part.split("\n", 1) for part in capsys.readouterr().out.split("user ")[1:])
    assert list(parts) == ["table-pc", "table-pc-2", "lobby", "dwh", "desk"]
    at = "dealer/v1/studio-1"
    for user, tables in (
        ("table-pc", {"r1"}), ("table-pc-2", {"b1"}), ("lobby", {"r1", "b1"}), ("dwh", {"r1", "b1"}), ("desk", {"b1"}),
    ):  # fmt: skip
        topics = [line.split(" ", 2)[2] for line in parts[user].splitlines() if line]
        assert {topic.removeprefix(f"{at}/").split("/")[0] for topic in topics} == tables
    assert f"topic write {at}/b1/commands" in parts["lobby"].splitlines()
    assert main(["acl", "ejabberd", *first, *second]) == 0
    assert capsys.readouterr().out.count("  dealer_lobby:\n") == 1


def test_two_stations_that_would_be_one_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = ["--config", str(station(tmp_path))]
    for second, words in (
        (another(tmp_path, "same-user", "b1", "table-pc"), "two stations are the user table-pc"),
        (another(tmp_path, "same-table", "r1", "pc-2"), "table-pc and pc-2 both publish dealer/v1/studio-1/r1"),
        (another(tmp_path, "no-user", "b1", "x", username="#username"), "no-user.toml: mqtt.username: missing"),
        (["--config", str(tmp_path / "absent.toml")], "absent.toml"),
        ([*another(tmp_path, "good", "b1", "pc-2"), "--station-user", "x"], "--station-user is of one station"),
    ):
        assert main(["acl", "mosquitto", *first, *second]) == 2
        said = capsys.readouterr()
        assert words in said.err
        assert said.out == ""
    elsewhere = another(tmp_path, "other-site", "r1", "pc-2", **{"studio-1": "studio-2"})
    assert main(["acl", "mosquitto", *first, *elsewhere]) == 0, "the same table of another site is another one"


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
