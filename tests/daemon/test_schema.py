"""The published schemas are those of the types, say yes to what the daemon sends and no to what it never would."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import jsonschema
import msgspec
import pytest
from jsonschema import Draft202012Validator

from dealer_daemon.bodies import DeviceBody, StateBody
from dealer_daemon.commands import Command, CommandName, Reply
from dealer_daemon.events import EVENT_TYPES, Event, EventData
from dealer_daemon.mqtt.command_codec import parse_command, reply_message
from dealer_daemon.mqtt.envelope import event_message
from dealer_daemon.mqtt.presence import will_of
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.round import TableState
from dealer_daemon.schema import DOCUMENTS, asyncapi_document
from dealer_daemon.schema.__main__ import files, main
from dealer_daemon.station.messages import device_message, state_message
from dealer_drivers.driver import load_driver
from dealer_drivers.instant import Instant
from dealer_drivers.link import LinkState
from dealer_drivers.supervised import LinkHealth

SAMPLES: dict[Any, Any] = {str: "x", int: 3, float: 1.5, bool: True}
COMMANDS: dict[CommandName, dict[str, Any]] = {
    CommandName.ROUND_OPEN: {"server": {"lucky": [7]}},
    CommandName.BETTING_CLOSE: {"round": "r1-7", "server": {}},
    CommandName.GATE_OPEN: {"gate": "call"},
    CommandName.CARD_EXPECT: {"seat": 3, "decision": "hit"},
    CommandName.CARD_CORRECT: {"position": "player.1", "card": "TD", "reason": "video"},
    CommandName.ROUND_VOID: {"reason": "power"},
    CommandName.OUTCOME_CORRECT: {"replaces": 12, "reason": "video", "number": "7"},
    CommandName.TABLE_PAUSE: {"reason": "cleaning"},
    CommandName.TABLE_RESUME: {"reason": "clean"},
    CommandName.SHOE_CHANGE: {"reason": "cards worn", "deck_set": "A", "verified": True},
    CommandName.DECK_VERIFY: {"deck_set": "red", "action": "start"},
    CommandName.DECK_INSERT: {"deck_set": "red"},
    CommandName.EVENTS_RESEND: {"from": 1},
    CommandName.ATTEMPT_CONFIRM: {},
    CommandName.ATTEMPT_REFUSE: {"round": "r1-7"},
    CommandName.ATTEMPT_DECIDE: {"reason": "video", "number": "7"},
    CommandName.ENTRY_ALLOW: {"reason": "the sensor is down"},
}


@cache
def validator_of(name: str) -> Draft202012Validator:
    schema = DOCUMENTS[name]()
    Draft202012Validator.check_schema(schema)
    return validator(schema)


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def sample_data(cls: type[EventData]) -> EventData:
    """An instance with something in every field that has no default."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(cls):
        if field.required:
            plain = getattr(field.type, "__origin__", field.type)
            if plain is Literal:
                values[field.name] = get_args(field.type)[0]
                continue
            values[field.name] = SAMPLES[plain] if plain in SAMPLES else plain()
    return cls(**values)


def sample_message(cls: type[EventData], subject: str | None = "r1-000007") -> Any:
    data = sample_data(cls)
    event = Event(
        table="r1", sequence=8, subject=subject, wall_ns=1_769_890_500_123_456_789, mono_ns=5, boot="b1", data=data
    )
    return json.loads(msgspec.json.encode(event_message("studio-1", event)))


@pytest.mark.parametrize("cls", EVENT_TYPES.values(), ids=EVENT_TYPES)
def test_every_event_is_valid_with_and_without_a_round(cls: type[EventData]) -> None:
    check = validator_of("events")
    check.validate(sample_message(cls))
    check.validate(sample_message(cls, subject=None))


def wrong_messages() -> Iterator[Any]:
    good = sample_message(EVENT_TYPES["round.outcome"])
    for key, value in [
        ("specversion", "0.3"),
        ("sequence", "8"),
        ("sequence", 0),
        ("time", "yesterday"),
        ("type", "round.opened"),
        ("type", "round.finished"),
        ("id", "studio-1/r1"),
        ("monons", 5),
        ("subject", ""),
        ("data", {**good["data"], "facts": "red"}),
        ("data", {**good["data"], "attempts": None}),
    ]:
        yield pytest.param({**good, key: value}, id=f"{key}={value if key != 'data' else '…'}")
    for key in ("specversion", "id", "source", "type", "time", "sequence", "boot", "monons", "data"):
        yield pytest.param({k: v for k, v in good.items() if k != key}, id=f"no {key}")
    yield pytest.param({**good, "data": {k: v for k, v in good["data"].items() if k != "facts"}}, id="no facts")


@pytest.mark.parametrize("message", list(wrong_messages()))
def test_what_is_no_event_is_refused(message: Any) -> None:
    assert not validator_of("events").is_valid(message)


def test_events_may_grow() -> None:
    message = sample_message(EVENT_TYPES["round.outcome"])
    message["data"]["tomorrow"] = 1
    message["traceparent"] = "00-1"
    validator_of("events").validate(message)


def command_message(name: CommandName, **changes: Any) -> dict[str, Any]:
    data = {"by": "pit-3", "role": "manager", **COMMANDS[name], **changes}
    return {"specversion": "1.0", "id": "c1", "source": "/lobby/lobby-7", "type": name.value, "data": data}


@pytest.mark.parametrize("name", CommandName)
def test_the_schema_and_the_daemon_take_the_same_commands(name: CommandName) -> None:
    check = validator_of("commands")
    good = command_message(name)
    check.validate(good)
    assert isinstance(parse_command(json.dumps(good).encode()), Command)
    for wrong in (
        command_message(name, by=""),
        command_message(name, role="player"),
        {**good, "id": ""},
        {**good, "type": "no"},
    ):
        assert not check.is_valid(wrong)
        assert not isinstance(parse_command(json.dumps(wrong).encode()), Command)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (CommandName.GATE_OPEN, "gate"),
        (CommandName.CARD_CORRECT, "card"),
        (CommandName.SHOE_CHANGE, "reason"),
        (CommandName.ROUND_VOID, "reason"),
        (CommandName.OUTCOME_CORRECT, "replaces"),
        (CommandName.OUTCOME_CORRECT, "reason"),
        (CommandName.EVENTS_RESEND, "from"),
        (CommandName.ATTEMPT_DECIDE, "reason"),
        (CommandName.ENTRY_ALLOW, "reason"),
    ],
)
def test_what_a_command_needs_is_required(name: CommandName, key: str) -> None:
    message = command_message(name)
    del message["data"][key]
    assert not validator_of("commands").is_valid(message)


def test_replies_are_valid() -> None:
    check = validator_of("commands")
    for reply in (Reply(command="c1", ok=True, result={"round": "r1-7"}), Reply(command="c1", ok=False, message="no")):
        check.validate(json.loads(msgspec.json.encode(reply_message("studio-1", "r1", "lobby-7", reply))))


CONFIG = """
[station]
site = "studio-1"
state_dir = "/var/lib/dealer-station"
[mqtt]
url = "mqtt://127.0.0.1:1883"
prefix = "dealer/v1"
[tables.r1]
game = "roulette"
round_source = "device"
tries_before_pause = 3
[tables.r1.spin]
min_laps = 7
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


def test_the_configuration_schema_knows_games_and_drivers() -> None:
    check = validator_of("config")
    good = tomllib.loads(CONFIG)
    check.validate(good)
    for change in (
        lambda c: c["station"].update(sit="x"),
        lambda c: c["mqtt"].update(prefix="/x"),
        lambda c: c.update(tables={}),
        lambda c: c["tables"].update({"r 1": c["tables"]["r1"]}),
        lambda c: c["tables"]["r1"].update(game="roulete"),
        lambda c: c["tables"]["r1"].update(spinn={}),
        lambda c: c["tables"]["r1"]["spin"].update(min_lap=3),
        lambda c: c["tables"]["r1"]["spin"].update(laps="guessed"),
        lambda c: c["tables"]["r1"].update(devices=[]),
        lambda c: c["tables"]["r1"]["devices"][0].update(driver="cammegh-ss3"),
        lambda c: c["tables"]["r1"]["devices"][0].update(no_such_option=1),
        lambda c: c["tables"]["r1"]["devices"][0].pop("port"),
    ):
        wrong = copy.deepcopy(good)
        change(wrong)
        assert not check.is_valid(wrong), wrong


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_reference_leads_somewhere(name: str) -> None:
    document = DOCUMENTS[name]()
    found = set(references(document))
    assert found
    for reference in found:
        place: Any = document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_the_asyncapi_document_is_one(repository: Path) -> None:
    path = repository / "tests/js/node_modules/@asyncapi/specs/schemas/3.0.0.json"
    if not path.exists():
        pytest.skip("the official AsyncAPI schema is not installed: run `make test`")
    official = json.loads(path.read_text())
    check = jsonschema.Draft7Validator(official)
    check.validate(asyncapi_document())
    wrong = asyncapi_document()
    wrong["operations"]["sendEvents"]["action"] = "publish"
    assert not check.is_valid(wrong)


SENT_RETAINED = ("Outcome", "State", "Board", "Device", "Presence", "Journal")


def test_the_asyncapi_document_names_every_topic_and_type() -> None:
    document = asyncapi_document("casino/x")
    addresses = {channel["address"] for channel in document["channels"].values()}
    base = "casino/x/{site}/{table}"
    assert addresses == {
        f"{base}/{tail}"
        for tail in (
            "commands/{role}/{client}",
            "events/{type}",
            "outcome",
            "state",
            "board",
            "devices/{device}",
            "presence",
            "journal",
            "commands",
            "commands/{role}",
            "commands/consumer/{consumer}",
            "replies/{client}",
            "acks/{consumer}",
        )
    }
    for channel in document["channels"].values():
        assert all(f"{{{name}}}" in channel["address"] for name in channel["parameters"])
        assert channel["address"].count("{") == len(channel["parameters"])
    assert set(document["channels"]["events"]["messages"]) == set(EVENT_TYPES)
    assert set(document["channels"]["commands"]["messages"]) == set(CommandName)
    retained = {name for name, operation in document["operations"].items() if operation["bindings"]["mqtt"]["retain"]}
    assert retained == {f"send{name}" for name in SENT_RETAINED} | {"receiveAck"}


def test_what_the_station_retains_is_what_the_schema_says() -> None:
    at = Instant(5, 1_769_890_500_123_456_789)
    state = state_message(TableState(table="r1"), "roulette", "b1", at, None)
    link = LinkState("up", "", at)
    wheel = load_driver("cammegh-ss2")
    device = device_message(wheel, "/dev/w", link, LinkHealth(last_byte=at), ["silent"], {}, at)
    components = asyncapi_document()["components"]
    for body, message in ((StateBody, state), (DeviceBody, device | {"flight_recorder": "recording"})):
        schema = components["schemas"][body.__name__]
        assert set(message) == set(schema["properties"]) == set(schema["required"])
        validator(schema | {"components": components}).validate(message)


def test_presence_and_acknowledgements_are_valid() -> None:
    schemas = asyncapi_document()["components"]["schemas"]
    will = json.loads(will_of(Topics("dealer/v1", "s", "r1"), "b1").payload)
    birth = will | {"online": True, "version": "1", "since": "2026-01-01T00:00:00Z", "protocol": "5"}
    for message in (will, birth):
        validator(schemas["PresenceBody"]).validate(message)
    validator(schemas["PresenceBody"]).validate(birth | {"key": "0" * 16, "public_keys": {"0" * 16: "A" * 43}})
    validator(schemas["AckBody"]).validate({"sequence": 0})
    assert not validator(schemas["AckBody"]).is_valid({"sequence": "0"})


def test_the_files_in_docs_are_those_of_the_types(repository: Path) -> None:
    for name, text in files().items():
        path = repository / "docs/reference" / name
        assert path.read_text(encoding="utf-8") == text, f"{path} is not what the types say: run `make schema`"
    written = {path.name for path in (repository / "docs/reference/schemas").iterdir()}
    assert written == {f"{name}.json" for name in DOCUMENTS}


def test_make_schema_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")} == set(files())
    assert str(tmp_path / "schemas/events.json") in capsys.readouterr().out
