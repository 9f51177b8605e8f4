"""What a file says arrives; what is wrong with it is said all at once, with the line and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.config import ConfigErrors, load_config, parse_config, report


def test_a_good_file_arrives_with_its_defaults(read: Any) -> None:
    config = read.config()
    assert config.station.site == "studio-1"
    assert config.station.flight_recorder_days == 7
    assert (config.mqtt.protocol, config.mqtt.keepalive_s, config.mqtt.in_flight) == ("auto", 10, 16)
    table = config.tables["r1"]
    assert (table.name, table.game, table.round_source, table.tries_before_pause) == ("r1", "fake-game", "device", 3)
    assert table.settings.spin.min_laps == 4
    (device,) = table.devices
    assert (device.name, device.driver.name, device.port) == ("wheel", "fake-wheel", "/dev/dealer/wheel")
    assert device.options.baud == 9600
    assert device.for_game().name == "wheel"


def test_rounds_come_from_the_server_unless_said(read: Any) -> None:
    assert read.config(('round_source = "device"\n', "")).tables["r1"].round_source == "server"


def test_options_of_the_driver_stand_beside_its_port(read: Any) -> None:
    config = read.config(('port = "/dev/dealer/wheel"', 'port = "/dev/dealer/wheel"\nbaud = 4800'))
    assert config.tables["r1"].devices[0].options.baud == 4800


def test_relative_paths_start_at_the_file(read: Any) -> None:
    config = read.config(
        ("/var/lib/dealer-station", "state"), ('prefix = "dealer/v1"', 'username = "u"\npassword_file = "mqtt.pw"')
    )
    assert config.station.state_dir == "/etc/dealer-station/state"
    assert config.mqtt.password_file == "/etc/dealer-station/mqtt.pw"
    assert config.mqtt.ca_file is None


def test_every_mistake_is_reported_at_once_in_the_order_of_lines(read: Any) -> None:
    errors = read.all_errors("""
[station]
site = "no spaces"
state_dri = "/var/lib/dealer-station"

[mqtt]
protocol = "4"
keepalive_s = "ten"

[tables.r1]
game = "fake-game"
tries_before_pause = 0
round_source = "wheel"
[tables.r1.spin]
min_lap = 7
laps = 3

[[tables.r1.devices]]
name = "wheel"
driver = "fake-whee"
port = ""

[[tables.r1.devices]]
name = "second"
driver = "fake-wheel"
port = "/dev/b"
baud = 4800.5
bautd = 3
""")
    assert [(error.line, error.key) for error in errors] == [
        (2, "station.state_dir"),
        (3, "station.site"),
        (4, "station.state_dri"),
        (7, "mqtt.protocol"),
        (8, "mqtt.keepalive_s"),
        (12, "tables.r1.tries_before_pause"),
        (13, "tables.r1.round_source"),
        (15, "tables.r1.spin.min_lap"),
        (16, "tables.r1.spin.laps"),
        (20, "tables.r1.devices[0].driver"),
        (21, "tables.r1.devices[0].port"),
        (27, "tables.r1.devices[1].baud"),
        (28, "tables.r1.devices[1].bautd"),
    ]
    reasons = {error.key: error.reason for error in errors}
    assert reasons["station.state_dir"].startswith("missing")
    assert reasons["station.state_dri"] == "unknown key; did you mean 'state_dir'?"
    assert reasons["station.site"] == 'expected 1 to 64 letters, digits, _ or -, not "no spaces"'
    assert reasons["mqtt.protocol"] == 'expected one of "auto", "5", "3.1.1", not "4"'
    assert reasons["mqtt.keepalive_s"] == 'expected seconds, 1 to 65535, not "ten"'
    assert reasons["tables.r1.devices[1].baud"] == "expected a whole number, not 4800.5"
    assert "did you mean 'min_laps'" in reasons["tables.r1.spin.min_lap"]
    assert "did you mean 'baud'" in reasons["tables.r1.devices[1].bautd"]
    assert "installed are: fake-wheel" in reasons["tables.r1.devices[0].driver"]


def test_no_toml_names_the_line(read: Any) -> None:
    (error,) = read.all_errors('[station]\nsite = studio"\n')
    assert (error.line, error.key) == (2, "")
    assert error.reason.startswith("is not TOML")


def test_an_unclosed_text_at_the_end_is_no_crash(read: Any) -> None:
    (error,) = read.all_errors('[station]\nsite = """a')
    assert error.reason.startswith("is not TOML")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "tables"),
        ("station = 5", "station"),
        ("tables = 5", "tables"),
        ("tables = {}", "tables"),
        ("[tables]\nr1 = 5", "tables.r1"),
        ("[tables.r1]\ndevices = 3", "tables.r1.devices"),
        ("[tables.r1]\ndevices = []", "tables.r1.devices"),
        ("[tables.r1]\ndevices = [3]", "tables.r1.devices"),
        ('[tables.r1]\ngame = "fake-game"\nspin = 3', "tables.r1.spin"),
        ('[tables.r1]\ngame = "fake-game"\ndeflectors = [{min_laps = "x"}]', "tables.r1.deflectors[0].min_laps"),
        ("[statoin]", "statoin"),
        ('[tables."r 1"]', "tables.r 1"),
        ('[tables."r1\\n"]', "tables.r1\n"),
        ('[station]\nsite = "a\\n"', "station.site"),
        ('[mqtt]\nprefix = "/dealer"', "mqtt.prefix"),
        ('[mqtt]\nprefix = "dealer/#"', "mqtt.prefix"),
        ('[mqtt]\nprefix = "dealer//v1"', "mqtt.prefix"),
        ('[mqtt]\nprefix = "$SYS"', "mqtt.prefix"),
        ("[mqtt]\nin_flight = 0", "mqtt.in_flight"),
        ("[station]\nflight_recorder_days = -1", "station.flight_recorder_days"),
    ],
)
def test_shapes_that_cannot_be(read: Any, text: str, key: str) -> None:
    assert key in {error.key for error in read.all_errors(text)}


def test_missing_keys_are_named_with_their_section(read: Any) -> None:
    errors = read.all_errors("[tables.r1]\n[[tables.r1.devices]]\n")
    found = {error.key: error.line for error in errors if error.reason.startswith("missing")}
    assert found == {
        "station.site": None,
        "station.state_dir": None,
        "tables.r1.game": 1,
        "tables.r1.devices[0].name": 2,
        "tables.r1.devices[0].driver": 2,
        "tables.r1.devices[0].port": 2,
    }


def test_an_unknown_game_lists_the_games_and_hides_no_other_mistake(read: Any) -> None:
    errors = read.errors(('game = "fake-game"', 'game = "roulete"'), ('name = "wheel"', 'name = ""'))
    assert set(errors) == {"tables.r1.game", "tables.r1.devices[0].name"}
    assert "there are: fake-game" in errors["tables.r1.game"]


def test_all_impossible_options_are_named(read: Any) -> None:
    errors = read.errors(('port = "/dev/dealer/wheel"', 'port = "/dev/w"\nbaud = 0\nparity = "E"'))
    assert errors == {
        "tables.r1.devices[0].baud": "0 is no speed",
        "tables.r1.devices[0].parity": "even needs a speed",
    }


@pytest.mark.parametrize("port", ["COM3", "tcp://host", "tcp://host:x", "recording:", "udp://host:5"])
def test_a_port_that_no_transport_takes(read: Any, port: str) -> None:
    errors = read.errors(("/dev/dealer/wheel", port))
    assert set(errors) == {"tables.r1.devices[0].port"}


@pytest.mark.parametrize("port", ["/dev/serial/by-id/x", "tcp://192.0.2.7:4001", "recording:/tmp/a.rec.jsonl"])
def test_ports_of_every_transport(read: Any, port: str) -> None:
    assert read.config(("/dev/dealer/wheel", port)).tables["r1"].devices[0].port == port


def test_the_game_checks_what_its_devices_see(read: Any) -> None:
    errors = read.all_errors(read.text(("min_laps = 4", 'min_laps = 4\nlaps = "counted"')))
    assert [(error.key, error.line, error.reason) for error in errors] == [
        ("tables.r1.spin.laps", 16, "no device counts laps")
    ]


def test_a_device_that_could_not_be_read_is_not_called_missing_by_the_game(read: Any) -> None:
    bad = (
        ("min_laps = 4", 'min_laps = 4\nlaps = "counted"'),
        ('port = "/dev/dealer/wheel"', 'port = "/dev/w"\nbaud = 0'),
    )
    assert set(read.errors(*bad)) == {"tables.r1.devices[0].baud"}


SECOND = """
[tables.r2]
game = "fake-game"
[[tables.r2.devices]]
name = "wheel"
driver = "fake-wheel"
port = "{port}"
"""


@pytest.mark.parametrize("port", ["/dev/dealer/wheel", "/dev/dealer/../dealer/wheel"])
def test_two_devices_never_share_a_port(read: Any, port: str) -> None:
    (error,) = read.all_errors(read.good + SECOND.format(port=port))
    assert (error.key, error.line) == ("tables.r2.devices[0].port", 27)
    assert "is the port of r1/wheel already" in error.reason


def test_two_tables_never_share_a_shaker_however_its_address_is_written(read: Any) -> None:
    """One would take the other's shake for its own."""
    table = """
[tables.{name}]
game = "sic-bo"
[[tables.{name}.devices]]
name = "shaker"
driver = "shaker-networked"
port = "{port}"
"""
    tables = [("s1", "mqtt://127.0.0.1:1883/shaker/1"), ("s2", "mqtt://localhost/shaker/1")]
    text = read.good + "".join(table.format(name=name, port=port) for name, port in tables)
    shared = [error.key for error in read.all_errors(text) if "is the port of s1/shaker already" in error.reason]
    assert shared == ["tables.s2.devices[0].port"]


def test_names_of_devices_are_unique_within_a_table_only(read: Any) -> None:
    assert set(read.config(("[station]", SECOND.format(port="/dev/b") + "[station]")).tables) == {"r1", "r2"}
    device = '\n[[tables.r1.devices]]\nname = "wheel"\ndriver = "fake-wheel"\nport = "/dev/b"\n'
    (error,) = read.all_errors(read.good + device)
    assert error.key == "tables.r1.devices[1].name"


def test_secrets_are_refused_and_never_repeated(read: Any) -> None:
    text = read.text(
        ('prefix = "dealer/v1"', 'password = "hunter2"\napi_token = "hunter2"'),
        ('port = "/dev/dealer/wheel"', 'port = "/dev/w"\nsecret = "hunter2"'),
    )
    errors = read.all_errors(text)
    assert [error.key for error in errors] == ["mqtt.password", "mqtt.api_token", "tables.r1.devices[0].secret"]
    assert all(error.reason.startswith("credentials by file") for error in errors)
    assert "password_file" in errors[0].reason
    assert "hunter2" not in str(ConfigErrors(errors))
    with_user = read.all_errors(read.text(("/dev/dealer/wheel", "tcp://pit:hunter2@192.0.2.7:4001")))
    assert [error.key for error in with_user] == ["tables.r1.devices[0].port"]
    assert "hunter2" not in str(ConfigErrors(with_user))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigErrors, match=r"absent\.toml: cannot be read: No such file"):
        load_config(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b'site = "\xe9"')
    with pytest.raises(ConfigErrors, match="not UTF-8"):
        load_config(tmp_path / "latin.toml")


def test_load_reads_the_file(read: Any, tmp_path: Path) -> None:
    (tmp_path / "station.toml").write_text(read.good)
    assert load_config(tmp_path / "station.toml").station.site == "studio-1"


def test_the_hash_follows_what_decides_the_table_and_nothing_else(read: Any) -> None:
    first = read.config().tables["r1"].config_hash
    assert first.startswith("sha256:")
    assert len(first) == 71
    assert read.config(("min_laps = 4", "min_laps = 4 # as in the club")).tables["r1"].config_hash == first
    assert read.config(('site = "studio-1"', 'site = "studio-2"')).tables["r1"].config_hash == first
    explicit = ('port = "/dev/dealer/wheel"', 'port = "/dev/dealer/wheel"\nbaud = 9600')
    assert read.config(explicit).tables["r1"].config_hash == first
    for change in [
        ("min_laps = 4", "min_laps = 5"),
        ('round_source = "device"', 'round_source = "server"'),
        ('round_source = "device"', 'round_source = "device"\ntries_before_pause = 4'),
        ("/dev/dealer/wheel", "/dev/dealer/wheel2"),
        ('port = "/dev/dealer/wheel"', 'port = "/dev/dealer/wheel"\nbaud = 4800'),
    ]:
        assert read.config(change).tables["r1"].config_hash != first


def test_the_report_is_plain_json(read: Any) -> None:
    errors = read.all_errors("[station]\nsite = 5")
    body = json.loads(json.dumps(report(errors)))
    assert body["ok"] is False
    assert body["errors"][-1] == {
        "file": "station.toml",
        "line": 2,
        "key": "station.site",
        "reason": "expected 1 to 64 letters, digits, _ or -, not 5",
    }
    assert report([]) == {"ok": True, "errors": []}


def test_the_text_of_the_error_is_one_line_a_mistake(read: Any) -> None:
    errors = read.all_errors(read.text(('site = "studio-1"', "site = 5"), ("min_laps = 4", 'min_laps = "x"')))
    assert str(ConfigErrors(errors)).splitlines() == [
        "station.toml:3: station.site: expected 1 to 64 letters, digits, _ or -, not 5",
        'station.toml:15: tables.r1.spin.min_laps: expected a whole number, not "x"',
    ]


@pytest.mark.parametrize("text", ["[x]\n" + ".".join("a" * 2000) + " = 1\n", "[" + ".".join("a" * 2000) + "]\n"])
def test_keys_of_very_many_parts_are_refused_as_what_they_are(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigErrors, match="is nested too deeply"):
        parse_config(text, tmp_path / "station.toml")
