"""Files that people write or tools make: configurations, code books, profiles, wheels, recordings, journals."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from dealer_calibration.statistics.outcomes import BadExportError, read_outcomes
from dealer_daemon.acl import ClientsError, read_clients
from dealer_daemon.config import Config, ConfigErrors, calibrations_of, parse_config, report, tables_in
from dealer_daemon.mqtt.settings import ca_problem, certificate_problems, password_problem
from dealer_daemon.replay import Player
from dealer_daemon.round import TableState
from dealer_daemon.signing.keys import KeyFileError, read_public_key, read_signing_key
from dealer_daemon.station.setup import table_setup
from dealer_daemon.table import Table
from dealer_daemon.validation.turn_map import WheelFileError, load_wheel
from dealer_drivers.beans.profile import BadProfile, parse_profile
from dealer_drivers.dice.profile import ProfileError, load_profile
from dealer_drivers.recording import RecordingError, read_recording
from dealer_drivers.shoe.codebook_file import CodeBookError, dump_codebook, load_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook
from fuzz import stations
from fuzz.devices import START
from fuzz.folder import ROOT, WHEEL, all_blocks, folder
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import changed, damaged, json_text, toml_text
from support.pki import Authority
from support.wheel_health import line, roulette_facts

CLIENTS = b"""\
[clients.lobby-7]
kind = "server"
tables = ["t1"]
[clients.pit]
kind = "manager"
name = "boss"
tables = ["*"]
"""
STATION = Path("/etc/dealer-station/station.toml")
LIKELY: tuple[Any, ...] = (
    "device", "server", "witness", "main", "fallback", "rank-suit", "cammegh-ss2", "angel-eye", "barcode-serial",
    "manual-entry", "generic-number", "wheel-modbus", "roulette", "blackjack", "sic-bo", "usb:0c2e:0901",
    "/dev/ttyUSB0", "tcp://h:1", "tcp://[::1", "mqtt://h:99999/x", "mqtt://u:p@h/x", "unix:/x", "recording:", "camera:",
    "http://[", "", "a\0b", "x" * 300, "²", -1, 0, 1, 3, 8, 2**40, 10**30, 0.5, float("nan"), float("inf"), True, [],
    [1, 2], {}, {"a": 1}, ["red", "red"], None,
)  # fmt: skip


class Configurations:
    """Whatever the text is: a configuration that a table can be made of, or errors that say where and why."""

    name, share = "config", 5.0

    @cached_property
    def good(self) -> list[str]:
        pages = [block for block in all_blocks("toml") if "[tables" in block and "[station]" in block]
        return [*stations.texts().values(), *pages]

    def draw(self, rng: Random) -> Case:
        good = rng.choice(self.good)
        if rng.random() < 0.5:
            return text(damaged(good.encode(), rng, [rng.choice(self.good).encode()]))
        return text(toml_text(changed(_plain(tomllib.loads(good)), rng, LIKELY)).encode("utf-8", "surrogatepass"))

    def play(self, case: Case) -> int:
        try:
            config = parse_config(data(case).decode(), STATION)
        except UnicodeDecodeError:
            return 1  # said by whoever reads the file
        except ConfigErrors as errors:
            if not errors.errors or any(one.file != str(STATION) or not one.reason for one in errors.errors):
                raise Wrong(f"{errors.errors}") from errors
            json.dumps(report(errors.errors))
            str(errors).encode()
            return 1
        self._use(config)
        return 1

    def _use(self, config: Config) -> None:
        """What is called good makes a table and its sessions."""
        for table in config.tables.values():
            for device in table.devices:
                device.driver.session(device.options).opened(START)
                device.driver.serial(device.options)
                device.driver.offline_s(device.options)
            Table(table_setup(table), TableState(table=table.name), "boot").start(START)


def _plain(values: Any) -> Any:
    return json.loads(json.dumps(values, default=str))


class Files:
    """A reader of one sort of file: what is refused is refused by its own error."""

    def __init__(
        self, name: str, share: float, suffix: str, read: Callable[[Path], object], error: type[Exception], *good: bytes
    ) -> None:
        self.name, self.share = f"file/{name}", share
        self._path = f"fuzzed{suffix}"
        self._read, self._error, self._good = read, error, good

    def draw(self, rng: Random) -> Case:
        good = rng.choice(self._good)
        if rng.random() < 0.4:
            try:
                return text(self._changed(good, rng))
            except ValueError:  # neither JSON nor TOML in a line: as bytes, then
                pass
        return text(damaged(good, rng, self._good))

    def _changed(self, good: bytes, rng: Random) -> bytes:
        if self._path.endswith(".toml"):
            return toml_text(changed(_plain(tomllib.loads(good.decode())), rng)).encode("utf-8", "surrogatepass")
        if self._path.endswith(".jsonl"):
            lines = good.splitlines()
            number = rng.randrange(len(lines))
            lines[number] = json_text(changed(json.loads(lines[number]), rng), rng).replace(b"\n", b" ")
            return b"\n".join(lines) + b"\n"
        return json_text(changed(json.loads(good), rng), rng)

    def play(self, case: Case) -> int:
        path = folder() / self._path
        path.write_bytes(data(case))
        try:
            self._read(path)
        except self._error as error:
            str(error).encode("utf-8", "replace")
            if not str(error):
                raise Wrong(f"{error!r} says nothing") from error
        return 1


class Replays:
    """A damaged recording that is one, through its device's driver and a table."""

    name, share = "file/replay", 1.0

    @cached_property
    def good(self) -> list[bytes]:
        return [_head(path) for path in _recordings()]

    def draw(self, rng: Random) -> Case:
        table = rng.choice(sorted(stations.texts()))
        return {"table": table, "recording": text(damaged(rng.choice(self.good), rng, self.good))}

    def play(self, case: Case) -> int:
        path = folder() / "fuzzed.rec.jsonl"
        path.write_bytes(data(case["recording"]))
        try:
            recording = read_recording(path)
        except RecordingError:
            return 1
        table = stations.table(case["table"])
        player = Player(table, table.devices[0], TableState(table="t1"))
        for _ in player.play(recording.entries):
            pass
        return 1


def _read_clients(path: Path) -> object:
    return read_clients(path, parse_config(stations.texts()["roulette-ss2"], STATION))


def _signing_key(path: Path) -> object:
    return read_signing_key(path, guarded=True)


class UnusedError(Exception):
    """Never raised: what is wrong with a file is an answer."""


def _read_credentials(path: Path) -> None:
    """Each answer is a sentence with the file in it, or nothing."""
    found = [password_problem(path), ca_problem(path), *(reason for _, reason in certificate_problems(path, path))]
    for reason in found:
        if reason is not None and str(path) not in reason:
            raise Wrong(reason)


def _certificates() -> list[bytes]:
    made = folder() / "pki"
    made.mkdir(exist_ok=True)
    Authority(made, "ca").issue("pc")
    both = (made / "pc.pem").read_bytes() + (made / "pc.key").read_bytes()
    return [b"correct-horse\n", (made / "ca.pem").read_bytes(), both]


def _read_outline(path: Path) -> None:
    for table in tables_in(path).values():
        sorted(table.drivers)
    calibrations_of(path)


def _read_statistics(path: Path) -> None:
    with path.open("rb") as lines:
        read_outcomes(lines)


def _export() -> bytes:
    lost = {"from_sequence": 1, "to_sequence": 6, "reason": "journal_adopted", "by": "x"}
    begun = b'{"kind": "journal", "type": "journal.begun", "data": {"journal_id": "j"}}\n'
    spins = [line("roulette", number, roulette_facts(number % 37)) for number in range(1, 6)]
    corrected = line("roulette", 6, roulette_facts(3), replaces=4)
    given_up = json.dumps({"kind": "event", "type": "events.lost", "table": "r1", "sequence": 7, "data": lost}).encode()
    return b"".join([begun, *spins, corrected, begun, *spins[:3], line("roulette", 4, roulette_facts(9)), given_up])


def _pem(*, public: bool = False) -> bytes:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    if public:
        return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _recordings() -> list[Path]:
    return sorted([*(ROOT / "tests/recordings").glob("*.jsonl"), *(ROOT / "docs").rglob("*.rec.jsonl")])


def _head(path: Path) -> bytes:
    """The beginning of a recording: long ones take long."""
    with path.open("rb") as opened:
        return b"".join(islice(opened, 60))


def _books() -> list[bytes]:
    made = make_codebook(decks=1, deck_set="blue-7", prefix="B7", seed="1", cut_cards=1, jokers=1)
    shown = [block.encode() for block in all_blocks("toml") if block.startswith("codebook = 1")]
    return [dump_codebook(made).encode(), *shown]


def kinds() -> list[Kind]:
    """All of them."""
    here = folder()
    beans, dice = sorted(here.glob("*beans*.json")), sorted(here.glob("*dice*.json"))
    return [
        Configurations(),
        Files("clients", 2.0, ".toml", _read_clients, ClientsError, CLIENTS),
        Files("signing-key", 1.0, ".pem", _signing_key, KeyFileError, _pem()),
        Files("public-key", 1.0, ".pem", read_public_key, KeyFileError, _pem(public=True)),
        Files("code-book", 3.0, ".toml", load_codebook, CodeBookError, *_books()),
        Files("wheel", 3.0, ".wheel.toml", load_wheel, WheelFileError, (here / WHEEL).read_bytes()),
        Files("dice-profile", 3.0, ".json", load_profile, ProfileError, *(path.read_bytes() for path in dice)),
        Files(
            "beans-profile",
            3.0,
            ".json",
            lambda path: parse_profile(path.read_bytes()),
            BadProfile,
            *(path.read_bytes() for path in beans),
        ),
        Files(
            "outline", 2.0, ".toml", _read_outline, ConfigErrors, *(text.encode() for text in stations.texts().values())
        ),
        Files("credentials", 1.0, ".pem", _read_credentials, UnusedError, *_certificates()),
        Files("statistics", 3.0, ".jsonl", _read_statistics, BadExportError, _export()),
        Files("recording", 5.0, ".rec.jsonl", read_recording, RecordingError, *map(_head, _recordings())),
        Replays(),
    ]
