"""Devices that a table cannot play with are refused when the configuration is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, parse_config

STATION = '[station]\nsite = "s"\nstate_dir = "state"\n[tables.t]\n'
WHEEL = """
[tables.t.spin]
laps = "unobserved"
[[tables.t.devices]]
name = "wheel"
port = "/dev/wheel"
"""
NUMBER = WHEEL + 'driver = "generic-number"\npattern = "(?P<number>[0-9]{1,2})"\n'
SS2 = WHEEL + 'driver = "cammegh-ss2"\n'
KEYS = '[[tables.t.devices]]\nname = "keys"\ndriver = "manual-entry"\nport = "unix:/run/keys.sock"\n'


def wrong(table: str) -> list[str]:
    """Everything that is wrong with a station of this one table: key and reason."""
    try:
        parse_config(STATION + table, Path("station.toml"))
    except ConfigErrors as errors:
        return [f"{error.key}: {error.reason}" for error in errors.errors]
    return []


@pytest.mark.parametrize("device", [NUMBER, SS2])
def test_a_wheel_with_more_zeros_than_the_game(device: str) -> None:
    assert wrong(f'game = "roulette"\n{device}zeros = 1\n') == []
    (said,) = wrong(f'game = "roulette"\n{device}zeros = 2\n')
    assert said.startswith("tables.t.devices: 'wheel' ")
    assert "is set to 2 zeros, and this game has 1 (0)" in said


@pytest.mark.parametrize("game", ["roulette", "sic-bo", "fan-tan"])
def test_results_by_hand_need_a_server_to_close_the_bets(game: str) -> None:
    assert wrong(f'game = "{game}"\n{KEYS}') == []
    (said,) = wrong(f'game = "{game}"\nround_source = "device"\n{KEYS}')
    assert said.startswith('tables.t.round_source: "device", but keys is keyed in by hand')


@pytest.mark.parametrize("role", ["witness", "fallback"])
def test_results_by_hand_beside_a_wheel_do_not(role: str) -> None:
    assert wrong(f'game = "roulette"\nround_source = "device"\n{SS2}{KEYS}role = "{role}"\n') == []
