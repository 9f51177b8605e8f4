"""Where the station may listen: on loopback, unless it is said in as many words."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, MonitoringConfig, parse_config
from dealer_daemon.config.monitoring import monitoring_problems
from dealer_daemon.config.screen import ListenAddress, listen_address
from support.roulette_host import CONFIG


def loaded(section: str) -> MonitoringConfig:
    return parse_config(f"{section}\n{CONFIG}", Path("/nowhere/station.toml")).monitoring


def test_nothing_is_served_unless_it_is_asked_for() -> None:
    assert loaded("").listen is None


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:9464", "127.0.0.1", 9464),
        ("localhost:9464", "localhost", 9464),
        ("[::1]:80", "::1", 80),
        ("127.0.0.2:9464", "127.0.0.2", 9464),
    ],
)
def test_addresses_of_this_machine(text: str, host: str, port: int) -> None:
    assert listen_address(text) == ListenAddress(host, port)
    assert loaded(f'[monitoring]\nlisten = "{text}"').listen == text


@pytest.mark.parametrize(
    "text",
    ["9464", "127.0.0.1", "127.0.0.1:", ":9464", "table-pc:9464", "::1:9464", "127.0.0.1:65536", "127.0.0.1:-1",
     "127.0.0.1:0",
     "127.0.0.1:٣", "http://127.0.0.1:9464", "[127.0.0.1]:80x"],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_file_line_and_key(text: str) -> None:
    with pytest.raises(ConfigErrors, match=r"station\.toml:2: monitoring\.listen: "):
        loaded(f'[monitoring]\nlisten = "{text}"')


@pytest.mark.parametrize("text", ["0.0.0.0:9464", "192.168.1.7:9464", "[::]:9464"])
def test_what_other_machines_reach_is_said_in_as_many_words(text: str) -> None:
    with pytest.raises(ConfigErrors, match=r"monitoring\.listen: other machines reach .* off_loopback = true"):
        loaded(f'[monitoring]\nlisten = "{text}"')
    assert loaded(f'[monitoring]\nlisten = "{text}"\noff_loopback = true').listen == text


def test_two_listeners_at_one_port_are_refused_before_either_listens() -> None:
    with pytest.raises(ConfigErrors, match=r"monitoring\.listen: the screen is served there"):
        loaded('[screen]\nlisten = "127.0.0.1:9464"\n[monitoring]\nlisten = "127.0.0.1:9464"')


def test_a_word_that_means_nothing_is_refused() -> None:
    assert list(monitoring_problems(MonitoringConfig(off_loopback=True), None)) == [
        ("off_loopback", "is of no use without listen")
    ]
    with pytest.raises(ConfigErrors, match=r"monitoring\.listn"):
        loaded('[monitoring]\nlistn = "127.0.0.1:9464"')
