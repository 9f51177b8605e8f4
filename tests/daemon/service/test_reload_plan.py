"""Which change of a configuration counts from when, and which needs a restart: key by key, and nothing unsaid."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_daemon.config import Config, MqttConfig, StationConfig, parse_config
from dealer_daemon.service import reload
from dealer_daemon.service.reload import Applied, Plan, plan

BASE = """
[station]
site = "studio-1"
state_dir = "/tmp/none"
{station}
[mqtt]
url = "mqtt://127.0.0.1:1883"
{mqtt}
[tables.r1]
game = "roulette"
round_source = "device"
{table}
[tables.r1.spin]
laps = "unobserved"
unobserved = "{unobserved}"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{port}"
{device}
{more}
"""
EMPTY = {
    "station": "",
    "mqtt": "",
    "table": "",
    "device": "",
    "more": "",
    "port": "/dev/dealer/wheel",
    "unobserved": "accept",
}
SECOND = """
[tables.r2]
game = "roulette"
round_source = "device"
[tables.r2.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r2.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel2"
"""


def config(**parts: str) -> Config:
    return parse_config(BASE.format(**(EMPTY | parts)), Path("/etc/station.toml"))


def from_base(**parts: str) -> Plan:
    return plan(config(), config(**parts))


def test_a_file_that_is_the_same_changes_nothing_even_where_it_now_writes_defaults() -> None:
    found = from_base(station="retention_days = 90", table="tries_before_pause = 3")
    assert (found.applied, found.refused, found.tables) == ((), (), ())
    assert found.config == config()


@pytest.mark.parametrize(
    ("part", "text", "key", "was", "now", "since"),
    [
        ("station", "retention_days = 5", "station.retention_days", 90, 5, "now"),
        ("station", "flight_recorder_days = 3", "station.flight_recorder_days", 7, 3, "now"),
        ("station", "calibration_max_age_days = 9", "station.calibration_max_age_days", 180, 9, "now"),
        ("station", 'log_level = "debug"', "station.log_level", "info", "debug", "now"),
        ("mqtt", "command_max_age_s = 5", "mqtt.command_max_age_s", 0, 5, "now"),
        ("mqtt", "consumer_gone_s = 5", "mqtt.consumer_gone_s", 120, 5, "now"),
        ("table", "tries_before_pause = 5", "tables.r1.tries_before_pause", 3, 5, "the next round"),
    ],
)
def test_what_is_taken_up_and_from_when(part: str, text: str, key: str, was: Any, now: Any, since: str) -> None:
    found = from_base(**{part: text})
    assert found.applied == (Applied(key, was, now, since),)
    assert found.refused == ()
    assert found.config == config(**{part: text})
    assert found.tables == (("r1",) if part == "table" else ())


@pytest.mark.parametrize(
    ("parts", "keys"),
    [
        ({"mqtt": 'prefix = "other/v1"'}, ["mqtt.prefix"]),
        ({"port": "/dev/dealer/other"}, ["tables.r1.devices.wheel.port"]),
        ({"device": "control = true"}, ["tables.r1.devices.wheel.control"]),
        ({"unobserved": "confirm"}, ["tables.r1.spin"]),
        ({"table": "witness_wait_s = 5"}, ["tables.r1.witness_wait_s"]),
        ({"more": SECOND}, ["tables.r2"]),
        ({"station": "flight_recorder_days = 0"}, ["station.flight_recorder_days"]),
    ],
)
def test_what_needs_a_restart_is_named_and_left_as_it_was(parts: dict[str, str], keys: list[str]) -> None:
    found = from_base(**parts)
    assert [one.key for one in found.refused] == keys
    assert all("restart" in one.reason for one in found.refused)
    assert found.applied == ()
    assert found.config == config()


def test_a_table_is_taken_up_as_one_or_not_at_all_so_that_its_hash_is_of_what_it_plays_by() -> None:
    found = from_base(table="tries_before_pause = 5", port="/dev/dealer/other", station="retention_days = 5")
    assert [one.key for one in found.refused] == ["tables.r1.devices.wheel.port", "tables.r1.tries_before_pause"]
    assert [one.key for one in found.applied] == ["station.retention_days"]
    assert found.config.tables == config().tables


def test_a_second_time_there_is_nothing_left_to_take_up() -> None:
    wanted = config(table="tries_before_pause = 5", mqtt='prefix = "other/v1"')
    first = plan(config(), wanted)
    again = plan(first.config, wanted)
    assert (again.applied, again.refused) == ((), first.refused)


def test_a_table_that_is_gone_from_the_file_plays_on() -> None:
    found = plan(config(more=SECOND), config())
    assert [(one.key, one.reason) for one in found.refused] == [
        ("tables.r2", "the table is gone from the file: needs a restart")
    ]
    assert "r2" in found.config.tables


@pytest.mark.parametrize(
    ("section", "live"), [(StationConfig, reload.STATION), (MqttConfig, reload.MQTT)], ids=["station", "mqtt"]
)
def test_the_keys_that_are_taken_up_exist(section: type[msgspec.Struct], live: dict[str, str]) -> None:
    assert live.keys() <= {field.name for field in msgspec.structs.fields(section)}


def test_the_pages_need_a_restart_key_by_key() -> None:
    begun = plan(config(), config(more="[screen]\n"))
    assert [one.key for one in begun.refused] == ["screen"]
    assert begun.config.screen is None
    moved = plan(config(more="[screen]\n"), config(more='[screen]\nlisten = "127.0.0.1:8481"\n'))
    assert [one.key for one in moved.refused] == ["screen.listen"]
    language = from_base(table='screen_language = "zh-Hans"')
    assert [one.key for one in language.refused] == ["tables.r1.screen_language"]


def test_names_of_ports_are_udevs_affair_and_taken_as_they_are() -> None:
    found = from_base(more='[ports.wheel]\nserial = "A"\n')
    assert (found.applied, found.refused) == ((), ())
    assert found.config.ports


def test_where_the_figures_are_served_needs_a_restart_and_is_said() -> None:
    begun = from_base(more='[monitoring]\nlisten = "127.0.0.1:9464"\n')
    assert [(one.key, one.reason) for one in begun.refused] == [("monitoring.listen", "needs a restart")]
    assert begun.config == config()
    assert (begun.applied, begun.tables) == ((), ())


def test_there_is_no_section_of_which_a_reload_says_nothing() -> None:
    """A new section is to be thought of here; ``ports`` are read by ``dealer-daemon udev`` alone."""
    said = {"station", "mqtt", "tables", "screen", "monitoring"}
    assert {field.name for field in dataclasses.fields(Config)} == said | {"ports"}
