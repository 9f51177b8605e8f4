"""The tables that are fuzzed whole: every game with the devices that it can have, as configurations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dealer_daemon.config import TableConfig, parse_config
from dealer_drivers.conformance import Example
from fuzz.folder import WHEEL, examples, folder
from fuzz.noise import toml_text

HEAD = '[station]\nsite = "studio-1"\nstate_dir = "state"\n[mqtt]\nurl = "mqtt://127.0.0.1:1883"\n'
PORTS = {
    "barcode-hidpos": "usb:0c2e:0901",
    "barcode-keyboard": "input:/dev/dealer/scanner",
    "barcode-camera": "camera:/dev/v4l/by-path/window",
    "sicbo-camera": "camera:/dev/v4l/by-path/dome",
    "bean-camera": "camera:/dev/v4l/by-path/cloth",
    "shaker-networked": "mqtt://127.0.0.1:1883/shaker/1",
    "manual-entry": "unix:/run/dealer-station/entry.sock",
}
BOOKS = ("classic-001", "classic-003", "infinite-001", "free-bet-001", "switch-001")


def _toml(game: str, source: str, settings: str, *devices: str) -> str:
    lines = [HEAD, f'[tables.t1]\ngame = "{game}"\nround_source = "{source}"\n{settings}']
    for number, device in enumerate(devices):
        driver, _, more = device.partition("\n")
        port = PORTS.get(driver, f"/dev/dealer/device-{number}")
        options = {key: value for key, value in _first(driver).options.items() if f"{key} =" not in more}
        head = f'name = "d{number}"\ndriver = "{driver}"\nport = "{port}"\n'
        lines.append(f"[[tables.t1.devices]]\n{head}{toml_text(options)}{more}")
    return "\n".join(lines)


def _first(driver: str) -> Example:
    return next(play for play in examples(driver).plays if not play.recorded)


def _shoe(more: str = "") -> str:
    return f"[tables.t1.shoe]\nrequire_verified = false\n{more}"


def _all() -> Iterator[tuple[str, str]]:
    accept, confirm = '[tables.t1.spin]\nunobserved = "accept"\n', '[tables.t1.spin]\nunobserved = "confirm"\n'
    yield "roulette-ss2", _toml("roulette", "device", accept, "cammegh-ss2")
    yield "roulette-ss2-confirm", _toml("roulette", "device", confirm, "cammegh-ss2")
    yield "roulette-m360", _toml("roulette", "server", accept, "cammegh-m360")
    yield "roulette-number", _toml("roulette", "server", accept, "generic-number")
    witness = 'manual-entry\nrole = "witness"\n'
    yield "roulette-witness", _toml("roulette", "server", accept, "cammegh-ss2", witness)
    yield "roulette-fallback", _toml("roulette", "device", accept, "cammegh-ss2", 'manual-entry\nrole = "fallback"\n')
    yield "roulette-entry", _toml("roulette", "server", accept, "manual-entry")
    yield "sic-bo", _toml("sic-bo", "server", "", "shaker-networked", "sicbo-camera")
    yield "sic-bo-relay", _toml("sic-bo", "device", "", "shaker-relay", "sicbo-camera")
    yield "sic-bo-tower", _toml("sic-bo", "server", "", "sicbo-camera")
    wheel = f'[tables.t1.turn]\nwheel = "{folder() / WHEEL}"\n'
    yield "rainbow-modbus", _toml("rainbow-wheel", "server", wheel + 'reference = "unchecked"\n', "wheel-modbus")
    yield "rainbow-counter", _toml("rainbow-wheel", "device", wheel, "wheel-counter")
    yield "fan-tan", _toml("fan-tan", "server", "", "bean-camera")
    yield "fan-tan-device", _toml("fan-tan", "device", "", "bean-camera")
    yield "baccarat-angel-eye", _toml("baccarat", "device", _shoe(), "angel-eye")
    yield "baccarat-angel-eye-server", _toml("baccarat", "server", _shoe(), "angel-eye")
    serial = 'barcode-serial\ncodebook = "rank-suit"\nsuffix = "line"\n'
    sets = '[tables.t1.shoe]\ndeck_sets = ["red", "blue"]\nearly_change_after = 1\nburn_by_first = true\n'
    yield "baccarat-shuffler", _toml("baccarat", "server", sets, serial, "generic-shuffler")
    pair = 'barcode-keyboard\nrole = "witness"\n'
    yield "baccarat-pair", _toml("baccarat", "server", 'order = "open"\n' + _shoe(), serial, pair)
    yield "dragon-tiger-camera", _toml("dragon-tiger", "server", "burn = true\n" + _shoe(), "barcode-camera")
    yield "niu-niu-hidpos", _toml("niu-niu", "server", 'early = "withhold"\n' + _shoe(), "barcode-hidpos")
    yield "holdem-deal", _toml("holdem", "server", 'order = "deal"\nearly = "withhold"\n' + _shoe(), serial)
    for game in ("dragon-tiger", "niu-niu", "three-cards", "holdem", "san-gong", "koi", "brawl", "andar-bahar"):
        for source in ("server", "device"):
            yield f"{game}-{source}", _toml(game, source, _shoe(), serial)
    for book in BOOKS:
        yield f"blackjack-{book}", _toml("blackjack", "server", f'rules = "{book}"\n' + _shoe(), serial)


@cache
def texts() -> dict[str, str]:
    """The configurations by name."""
    return dict(_all())


@cache
def table(name: str) -> TableConfig:
    """One of them, read."""
    return parse_config(texts()[name], Path("/etc/dealer-station/station.toml")).tables["t1"]
