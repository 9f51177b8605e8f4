"""A driver and a game of the tests' own, so that these tests are about the loader alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import msgspec
import pytest

from dealer_daemon.config import Config, ConfigError, ConfigErrors, parse_config
from dealer_daemon.config import tables as tables_module
from dealer_daemon.games import TableDevice, UnknownGame
from dealer_drivers.driver import Driver, DriverOptions, Maturity, Observes, SerialSettings, UnknownDriver
from dealer_drivers.errors import OptionError


class FakeOptions(DriverOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    baud: int = 9600
    parity: Literal["N", "E"] = "N"

    def problems(self) -> list[OptionError]:
        found = []
        if self.baud == 0:
            found.append(OptionError("baud", "0 is no speed"))
        if self.baud == 0 and self.parity == "E":
            found.append(OptionError("parity", "even needs a speed"))
        return found


class FakeSpin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    min_laps: int = 7
    laps: Literal["counted", "unobserved"] = "unobserved"


class FakeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    spin: FakeSpin = FakeSpin()
    deflectors: list[FakeSpin] = []


def _unused(*_: object) -> Any:
    raise AssertionError("the loader only reads")


def _check(settings: FakeSettings, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
    if settings.spin.laps == "counted" and not any(Observes.LAPS in device.observes for device in devices):
        return [("spin.laps", "no device counts laps")]
    return []


DRIVER = Driver(
    name="fake-wheel",
    summary="",
    maturity=Maturity.GENERIC,
    provenance="",
    options=FakeOptions,
    session=_unused,
    observes=lambda _: frozenset({Observes.NUMBER}),
    serial=lambda _: SerialSettings(),
    offline_after_s=5.0,
)
# Of a game the loader uses these alone.
GAME = SimpleNamespace(
    name="fake-game",
    settings=FakeSettings,
    check=_check,
    played_by=frozenset(),
    needs_server=lambda settings: None,  # noqa: ARG005
    load=lambda settings: settings,
    calibration=None,
)

GOOD = """
[station]
site = "studio-1"
state_dir = "/var/lib/dealer-station"

[mqtt]
url = "mqtt://127.0.0.1:1883"
prefix = "dealer/v1"

[tables.r1]
game = "fake-game"
round_source = "device"

[tables.r1.spin]
min_laps = 4

[[tables.r1.devices]]
name = "wheel"
driver = "fake-wheel"
port = "/dev/dealer/wheel"
"""


def _load_driver(name: str) -> Driver:
    if name != DRIVER.name:
        raise UnknownDriver(f"no driver {name!r}; installed are: {DRIVER.name}")
    return DRIVER


def _load_game(name: str) -> Any:
    if name != GAME.name:
        raise UnknownGame(f"no game {name!r}; there are: {GAME.name}")
    return GAME


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "load_driver", _load_driver)
    monkeypatch.setattr(tables_module, "load_game", _load_game)


class Read:
    """Reads configurations that are the good one with changes."""

    good = GOOD

    def text(self, *changes: tuple[str, str]) -> str:
        text = GOOD
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return text

    def config(self, *changes: tuple[str, str]) -> Config:
        return parse_config(self.text(*changes), Path("/etc/dealer-station/station.toml"))

    def errors(self, *changes: tuple[str, str]) -> dict[str, str]:
        """Key to reason."""
        return {error.key: error.reason for error in self.all_errors(self.text(*changes))}

    def all_errors(self, text: str) -> tuple[ConfigError, ...]:
        with pytest.raises(ConfigErrors) as raised:
            parse_config(text, Path("station.toml"))
        return raised.value.errors


@pytest.fixture
def read() -> Read:
    return Read()
