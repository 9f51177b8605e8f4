"""Devices that a table cannot play with are refused when the configuration is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, parse_config
from support.turns import plain_file

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


SETS = """
game = "baccarat"
[tables.t.shoe]
deck_sets = ["2c-3d", "as-2c-3d"]
[[tables.t.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/scanner"
codebook = "rank-suit"
"""
SHUFFLER = '[[tables.t.devices]]\nname = "shuffler"\ndriver = "generic-shuffler"\nport = "/dev/shuffler"\n'


def test_a_set_whose_name_the_shuffler_s_lines_are_thrown_away_for() -> None:
    """A machine that names the set would be said to tell the order of its cards, for ever."""
    assert wrong(SETS) == []
    (said,) = wrong(SETS + SHUFFLER)
    assert said.startswith('tables.t.shoe.deck_sets: "as-2c-3d" reads as cards in their order')


TURN = """
game = "rainbow-wheel"
[tables.t.turn]
wheel = "{wheel}"
{rules}
[[tables.t.devices]]
name = "encoder"
port = "/dev/encoder"
driver = "{driver}"
counts_per_turn = {counts}
"""


@pytest.mark.parametrize("driver", ["wheel-counter", "wheel-modbus"])
@pytest.mark.parametrize(
    ("rules", "counts", "said"),
    [
        ("", 900, ""),
        ("still_deg = 0.05", 3600, ""),
        ("still_deg = 0.05", 3599, "tables.t.turn.still_deg: one of the 3599 counts of 'encoder' is 0.10°"),
        ("still_s = 10\nwatch_s = 10\nmax_spin_s = 20", 4096, "tables.t.turn.max_spin_s: no turn would count: still_s"),
        ("max_spin_s = 6.69", 4096, "tables.t.turn.max_spin_s: no turn would count: untouched, this wheel needs 5.2 s"),
        ("max_spin_s = 6.7", 4096, ""),
        (
            "min_turns = 100\nmax_turns_per_s = 1.0",
            4096,
            "tables.t.turn.min_turns: no turn would count: to coast so far",
        ),
        ("min_turns = 100\nmax_turns_per_s = 1.1", 4096, ""),
        ("min_turns = 10.1\nmax_spin_s = 5.0\nmax_turns_per_s = 2.0", 4096, "tables.t.turn.min_turns: no turn would"),
    ],
)
def test_rules_by_which_no_turn_could_count(driver: str, rules: str, counts: int, said: str, tmp_path: Path) -> None:
    wheel = tmp_path / "wheel.toml"
    wheel.write_text(plain_file().replace("reference_deg = 10.0", "reference_deg = 0.0"))
    if driver == "wheel-modbus":
        rules += '\nreference = "unchecked"'
    found = wrong(TURN.format(wheel=wheel, rules=rules, driver=driver, counts=counts))
    assert len(found) == bool(said)
    assert "".join(found).startswith(said)


@pytest.mark.parametrize(
    ("options", "rules", "said"),
    [
        ("poll_ms = 100", "still_s = 0.6", ""),
        ("poll_ms = 100", "still_s = 0.59", "tables.t.turn.still_s: 'encoder' is asked every 100 ms"),
        ("poll_ms = 100\nreference_register = 16", "still_s = 0.84", ""),
        ("poll_ms = 100\nreference_register = 16", "still_s = 0.83", "tables.t.turn.still_s: "),
        ("baud = 2400\npoll_ms = 100\nanswer_ms = 75", "", ""),
        ("baud = 2400\npoll_ms = 100\nanswer_ms = 74", "", "tables.t.devices[0].answer_ms: must be 75 to 1000"),
        ("answer_ms = 24\nreference_register = 16", "", ""),
        ("answer_ms = 23\nreference_register = 16", "", "tables.t.devices[0].answer_ms: must be 24 to 1000"),
        ("baud = 1200", "", "tables.t.devices[0].baud: must be one of 2400"),
        ("reference_register = 2", "", ""),
        ("reference_register = 1", "", "tables.t.devices[0].reference_register: the mark's three registers from 1"),
        ("register = 5\nreference_register = 3", "", "tables.t.devices[0].reference_register: the mark's three"),
    ],
)
def test_an_encoder_that_is_asked_so_that_nothing_comes_of_it(
    options: str, rules: str, said: str, tmp_path: Path
) -> None:
    wheel = tmp_path / "wheel.toml"
    wheel.write_text(plain_file())
    rules += '\nreference = "unchecked"'
    found = wrong(TURN.format(wheel=wheel, rules=rules, driver="wheel-modbus", counts=4096) + options)
    assert len(found) == bool(said)
    assert "".join(found).startswith(said)


def test_a_socket_that_no_system_could_make() -> None:
    assert wrong('game = "fan-tan"\n' + KEYS.replace("/run/keys.sock", "/run/" + "x" * 102)) == []
    (said,) = wrong('game = "fan-tan"\n' + KEYS.replace("/run/keys.sock", "/run/" + "x" * 103))
    assert said.startswith("tables.t.devices[0].port: a socket's path has at most 107 bytes")


ENCODER = '[[tables.t.devices]]\nname = "encoder"\ndriver = "wheel-counter"\nport = "/dev/encoder"\n'


@pytest.mark.parametrize(
    ("table", "stray", "seen"),
    [
        (f'game = "roulette"\n{SS2}', SHUFFLER, "shuffler (generic-shuffler) gives deck, and roulette is played by"),
        (f'game = "roulette"\n{SS2}', ENCODER, "encoder (wheel-counter) gives angle, laps, and roulette is played by"),
        (SETS, ENCODER, "encoder (wheel-counter) gives angle, laps, and baccarat is played by card, deck"),
    ],
)
def test_a_device_at_the_wrong_table(table: str, stray: str, seen: str) -> None:
    """Taken for good, it would leave its own table without a device, and nobody would know why that stands."""
    assert wrong(table) == []
    (said,) = wrong(table + stray)
    assert said.startswith(f"tables.t.devices: {seen}")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("gates", '["first_four", "player_third", "first_four"]', '"first_four" is there more than once'),
        ("shoe.deck_sets", '["red", "red"]', '"red" is there more than once'),
        ("devices.0.no_read", '["NR", "??", "NR", "??"]', '"??", "NR" is there more than once'),
        ("devices.0.aim_ids", '["C0", "C0"]', '"C0" is there more than once'),
    ],
)
def test_a_list_of_names_has_each_once(key: str, value: str, said: str, tmp_path: Path) -> None:
    table = {"gates": "", "shoe.deck_sets": "", "devices.0.no_read": "", "devices.0.aim_ids": ""} | {
        key: f"{key.rpartition('.')[2]} = {value}"
    }
    text = f"""
[station]
site = "s"
state_dir = "state"
[tables.t]
game = "baccarat"
{table["gates"]}
[tables.t.shoe]
require_verified = false
{table["shoe.deck_sets"]}
[[tables.t.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/dealer/scanner"
codebook = "rank-suit"
{table["devices.0.no_read"]}
{table["devices.0.aim_ids"]}
"""
    with pytest.raises(ConfigErrors) as errors:
        parse_config(text, tmp_path / "station.toml")
    (message,) = [str(error) for error in errors.value.errors]
    assert f"{key.rpartition('.')[2]}: {said}: name each once" in message


def test_fallback_brokers_are_others_each(tmp_path: Path) -> None:
    text = '[mqtt]\nfallback_urls = ["mqtt://127.0.0.1:1", "mqtt://127.0.0.1:1"]\n'
    with pytest.raises(ConfigErrors, match="more than once"):
        parse_config(text, tmp_path / "station.toml")
