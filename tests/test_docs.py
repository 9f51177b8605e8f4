"""The documentation says what is: links lead somewhere, examples work, every key, command and field is described."""

from __future__ import annotations

import argparse
import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator

from dealer_calibration.cli import build_parser as build_calibration_parser
from dealer_daemon.bodies import AckBody, DeviceBody, PresenceBody, StateBody
from dealer_daemon.cli import build_parser
from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.config import parse_config
from dealer_daemon.config.types import DeviceKeys, MonitoringConfig, MqttConfig, ScreenConfig, StationConfig, TableKeys
from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.games import CardGame, game_names, load_game
from dealer_daemon.games.cards.blackjack_hands import SeatAction
from dealer_daemon.games.cards.blackjack_infinite import LineAction
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    Complete,
    ExpectDue,
    ExpectStep,
    Facts,
    GateDue,
    GateStep,
    History,
    Procedure,
    Step,
)
from dealer_daemon.games.roulette import RouletteSettings
from dealer_daemon.mqtt.consumers import MAX_CONSUMERS
from dealer_daemon.mqtt.publisher import MAX_REPLAY, Publisher
from dealer_daemon.schema import asyncapi_document, commands_schema, events_schema
from dealer_daemon.schema.commands import COMMAND_DATA
from dealer_daemon.table.orders import MAY

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ACTIONS = {*get_args(SeatAction), *get_args(LineAction)}
CARD_GAMES = {name: game for name in game_names() if isinstance(game := load_game(name), CardGame)}


def page(name: str) -> str:
    return (ROOT / "docs/reference" / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| `")]


def row_of(text: str, word: str) -> str:
    """The table row that begins with the word, alone or among others."""
    for row in rows(text):
        if f"`{word}`" in row.split(" | ", 1)[0]:
            return row
    pytest.fail(f"no table row for {word}")


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def anchors(path: Path) -> set[str]:
    """What ``#…`` may follow the page's name: its headings as hosts of Markdown write them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8")):
        place = path.parent / target if target else path
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), f"{target}#{anchor}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_configurations_in_the_text_are_valid(path: Path) -> None:
    for text in blocks(path.read_text(encoding="utf-8"), "toml"):
        if "[station]" in text:
            parse_config(text, path)


def test_there_are_configurations_in_the_text() -> None:
    assert sum("[station]" in text for path in PAGES for text in blocks(path.read_text("utf-8"), "toml")) >= 3


def test_make_targets_in_the_text_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for path in PAGES
        for name in re.findall(r"\bmake ([a-z][a-z-]*)\b(?=[`\s]*(?:[A-Z#]|`|$))", path.read_text())
    }
    assert {"demo", "test"} <= named
    assert named <= targets


def shown(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, list | dict) else ""


@pytest.mark.parametrize("cls", [StationConfig, MqttConfig, ScreenConfig, MonitoringConfig, TableKeys, DeviceKeys])
def test_every_key_is_described_with_its_default(cls: type[msgspec.Struct]) -> None:
    for field in msgspec.structs.fields(cls):
        row = row_of(page("configuration-options.md"), field.encode_name)
        default = cells(row)[2]
        if field.required:
            assert default == "needed"
        elif field.default is not None:
            assert default == f"`{shown(field.default)}`", field.name


@pytest.mark.parametrize("name", sorted(CARD_GAMES))
def test_every_card_game_is_described_with_its_decks_gates_and_settings(name: str) -> None:
    game = CARD_GAMES[name]
    settings = game.settings()
    procedure = game.procedure(settings, False)
    _, decks, over, gates, keys = cells(row_of(page("configuration.md"), name))
    assert (int(decks), over) == (procedure.decks, f"the {procedure.composition}")
    assert set(procedure.gates) <= set(re.findall(r"`(\w+)`", gates))
    assert re.findall(r"`(\w+)`", keys) == [
        field.name
        for field in sorted(msgspec.structs.fields(game.settings), key=lambda field: field.name == "early")
        if field.name not in ("shoe", "gates_open")
    ]


def test_infinite_blackjack_is_described_with_its_decks() -> None:
    game = CARD_GAMES["blackjack"]
    procedure = game.procedure(msgspec.convert({"rules": "infinite-001"}, game.settings), False)
    row = next(row for row in rows(page("configuration.md")) if "infinite-001" in row)
    assert cells(row)[1:3] == [str(procedure.decks), f"the {procedure.composition}"]


@pytest.mark.parametrize("name", CommandName)
def test_every_command_is_described_with_who_may_and_what_it_takes(name: CommandName) -> None:
    row = row_of(page("commands.md"), name)
    _, who, takes, _ = cells(row)
    roles = [role for role in Role if role in MAY[name]]
    assert who == ("all" if roles == list(Role) else ", ".join(roles))
    for field in msgspec.structs.fields(COMMAND_DATA[name]):
        if field.encode_name not in ("by", "role"):
            needed = " (needed)" if field.required else ""
            assert f"`{field.encode_name}`{needed}" in takes


@pytest.mark.parametrize("action", sorted(ACTIONS, key=lambda action: action.__name__))
def test_every_action_of_a_blackjack_server_is_described(action: type[msgspec.Struct]) -> None:
    section = page("commands.md").partition("### `card.expect`")[2]
    row = cells(row_of(section, str(action.__struct_config__.tag)))
    assert re.findall(r"`(\w+)`", row[1]) == [field.name for field in msgspec.structs.fields(action)]


def test_every_reason_to_refuse_such_an_action_is_described() -> None:
    section = page("commands.md").partition("### `card.expect`")[2]
    games = ROOT / "daemon/dealer_daemon/games/cards"
    source = "".join(path.read_text() for path in games.glob("blackjack*.py"))
    reasons = set(re.findall(r'Refusal\("(\w+)"', source))
    assert len(reasons) >= 15
    assert reasons <= set(re.findall(r"`(\w+)`", section))


def subcommands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from subcommands(inner, f"{name} {word}".strip())
            return
    yield name, parser


@pytest.mark.parametrize(("name", "parser"), list(subcommands(build_parser())), ids=lambda value: str(value)[:20])
def test_every_subcommand_is_described_with_its_options(name: str, parser: argparse.ArgumentParser) -> None:
    row = next(row for row in rows(page("commands.md")) if row.startswith(f"| `{name} "))
    options = {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}
    assert options - {"--speed"} <= set(re.findall(r"--[a-z-]+", row))
    assert set(re.findall(r"--[a-z-]+", cells(row.replace("\\|", "/"))[0])) <= options


@pytest.mark.parametrize(
    ("name", "parser"), list(subcommands(build_calibration_parser())), ids=lambda value: str(value)[:20]
)
def test_every_subcommand_of_the_bench_is_described_with_its_options(
    name: str, parser: argparse.ArgumentParser
) -> None:
    section = page("commands.md").partition("## `dealer-calibrate`")[2].partition("\n## ")[0]
    row = next(row for row in rows(section) if row.startswith(f"| `{name} "))
    written = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", cells(row.replace("\\|", "/"))[0])
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    options = [set(action.option_strings) for action in shown if action.option_strings]
    assert all(option & set(written) for option in options if "--help" not in option)
    assert set(written) <= set().union(*options)


@pytest.mark.parametrize("name", sorted(set(game_names()) - CARD_GAMES.keys()))
def test_what_a_person_states_of_a_game_without_cards_is_described(name: str) -> None:
    section = page("commands.md").partition("### The game's result")[2].partition("\n##")[0]
    assert re.search(r"`\w+`: ", row_of(section.replace(f"| {name} |", f"| `{name}` |"), name))


def test_every_error_is_described() -> None:
    for code in ErrorCode:
        row_of(page("commands.md"), code)


@pytest.mark.parametrize("word", EVENT_TYPES)
def test_every_event_is_described_with_its_data(word: str) -> None:
    cls = EVENT_TYPES[word]
    data = cells(row_of(page("events.md"), word))[2]
    sent = [field.name for field in msgspec.structs.fields(cls) if field.name not in cls.secret]
    assert re.findall(r"`(\w+)`", data) == sent


def played(procedure: Procedure) -> Facts:
    """The facts of a hand dealt from the top of a deck; at blackjack one seat that stands."""
    history: History = ()
    deck = iter(DECK)
    while not isinstance(due := procedure.due(history), Complete):
        match due:
            case CardDue(position=position):
                step: Step = CardStep(position, next(deck))
            case GateDue(gate=gate):
                step = GateStep(gate)
            case ExpectDue(actions=actions):
                step = ExpectStep({"action": "seats", "seats": [1]} if "seats" in actions else {"action": "done"})
        after = procedure.advance(history, step)
        assert isinstance(after, tuple), after
        history = after
    return procedure.facts(history)


def keys_of(value: Any) -> set[str]:
    """Every key of the facts, at any depth; not the names of seats and sides, which are values as keys."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*map(keys_of, value.values()))


@pytest.mark.parametrize("name", sorted(CARD_GAMES))
def test_every_fact_of_a_card_game_is_described(name: str) -> None:
    game = CARD_GAMES[name]
    section = re.search(rf"^### .*`{name}`.*?(?=^##)", page("events.md") + "##", re.DOTALL | re.MULTILINE)
    assert section, name
    described = set(re.findall(r"`(\w+)`", section[0]))
    rules = [{}] if name != "blackjack" else [{"rules": "classic-001"}, {"rules": "infinite-001"}]
    for chosen in rules:
        facts = played(game.procedure(msgspec.convert(chosen, game.settings), True))
        assert keys_of(facts) <= described


def test_every_fact_of_roulette_is_described() -> None:
    facts = load_game("roulette").stated(RouletteSettings(), {"number": "17"})
    section = page("events.md").partition("### `roulette`")[2].partition("\n##")[0]
    assert set(facts) <= set(re.findall(r"`(\w+)`", section))


def examples() -> Iterator[Any]:
    for name, schema in (("commands.md", commands_schema()), ("events.md", events_schema())):
        for text in blocks(page(name), "json"):
            yield pytest.param(json.loads(text), schema, id=f"{name} {json.loads(text)['type']}")


@pytest.mark.parametrize(("message", "schema"), list(examples()))
def test_messages_in_the_text_are_valid(message: Any, schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate(message)


@pytest.mark.parametrize(
    ("topic", "body"), [("state", StateBody), ("devices", DeviceBody), ("presence", PresenceBody), ("acks", AckBody)]
)
def test_retained_bodies_in_the_text_are_valid(topic: str, body: type[msgspec.Struct]) -> None:
    section = page("mqtt.md").partition(f"### `{topic}")[2].partition("\n##")[0]
    (text,) = blocks(section, "json")
    msgspec.json.decode(text, type=body)
    assert set(json.loads(text)) == {field.name for field in msgspec.structs.fields(body)}


def test_the_numbers_in_the_text_are_those_of_the_code() -> None:
    text = " ".join(page("mqtt.md").split())
    assert f"at most {MAX_REPLAY:,} events" in text
    assert f"at most {MAX_CONSUMERS} consumers" in text
    replay = inspect.signature(Publisher).parameters["replay_after_broker_loss"].default
    assert f"at least the last {replay} events" in text


def test_every_topic_is_described() -> None:
    for channel in asyncapi_document()["channels"].values():
        row_of(page("mqtt.md"), channel["address"].removeprefix("dealer/v1/{site}/{table}/"))


def test_the_code_book_in_the_text_is_one_but_for_its_cards() -> None:
    from dealer_drivers.shoe.check_character import is_checked
    from dealer_drivers.shoe.codebook_file import KEYS

    (text,) = blocks(page("codebooks.md"), "toml")
    book = tomllib.loads(text)
    assert book.keys() == KEYS
    assert all(f"| `{key}` |" in page("codebooks.md") for key in KEYS)
    codes = [row[0] for row in (*book["cards"], *book["others"])]
    assert len(codes) == 2
    assert all(map(is_checked, codes))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_the_text_are_understood(path: Path) -> None:
    for text in blocks(path.read_text(encoding="utf-8"), "sh"):
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0].endswith("dealer-daemon"):
                build_parser().parse_args(words[1:])
            if words and words[0] == "dealer-calibrate":
                build_calibration_parser().parse_args(words[1:])


def test_there_are_commands_in_the_text() -> None:
    text = "".join(block for path in PAGES for block in blocks(path.read_text("utf-8"), "sh"))
    assert {"run", "check-config", "status", "replay", "journal"} <= set(re.findall(r"dealer-daemon ([a-z-]+)", text))


def test_lock_files_hold_versions_and_hashes_and_no_hosts() -> None:
    for name in ("requirements.lock", "requirements-test.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text
        pins = re.findall(r"^[a-z0-9-]+==", text, re.MULTILINE)
        assert len(pins) > 10
        assert len(re.findall(r"^[a-z0-9-]+==.*\\\n    --hash=sha256:", text, re.MULTILINE)) == len(pins)
    lock = json.loads((ROOT / "tests/js/package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert not [name for name, package in packages.items() if "resolved" in package or "integrity" not in package]


def test_both_lock_files_agree() -> None:
    def versions(name: str) -> dict[str, str]:
        return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE))

    runtime, test = versions("requirements.lock"), versions("requirements-test.lock")
    assert runtime.items() <= test.items()
