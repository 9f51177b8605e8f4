"""The documentation says what is: links lead somewhere, examples work, every key, command and field is described."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from dealer_daemon.commands import CommandName, ErrorCode, Role
from dealer_daemon.config import parse_config
from dealer_daemon.config.types import DeviceKeys, MqttConfig, StationConfig, TableKeys
from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.games import load_game
from dealer_daemon.schema import commands_schema, events_schema
from dealer_daemon.schema.commands import COMMAND_DATA
from dealer_daemon.table.orders import MAY
from dealer_drivers.driver import load_driver

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
DOCUMENTED_DRIVERS = ("cammegh-ss2", "cammegh-m360", "generic-number")


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


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_configurations_in_the_text_are_valid(path: Path) -> None:
    for text in blocks(path.read_text(encoding="utf-8"), "toml"):
        if "[station]" in text:
            parse_config(text, path)


def test_there_are_configurations_in_the_text() -> None:
    assert sum("[station]" in text for path in PAGES for text in blocks(path.read_text("utf-8"), "toml")) >= 3


def test_make_targets_in_the_text_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name for path in PAGES for name in re.findall(r"\bmake ([a-z]+)\b(?=[`\s]*(?:[A-Z#]|`|$))", path.read_text())
    }
    assert {"demo", "test"} <= named
    assert named <= targets


def shown(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, list | dict) else ""


@pytest.mark.parametrize("cls", [StationConfig, MqttConfig, TableKeys, DeviceKeys])
def test_every_key_is_described_with_its_default(cls: type[msgspec.Struct]) -> None:
    for field in msgspec.structs.fields(cls):
        row = row_of(page("configuration.md"), field.encode_name)
        default = row.split(" | ")[1]
        if field.required:
            assert default == "needed"
        elif field.default is not None:
            assert default == f"`{shown(field.default)}`", field.name


def test_every_setting_of_a_game_and_option_of_a_driver_is_described() -> None:
    text = page("configuration.md")
    settings = load_game("roulette").settings
    nested = [field.type for field in msgspec.structs.fields(settings)]
    for cls in [*nested, *(load_driver(name).options for name in DOCUMENTED_DRIVERS)]:
        for field in msgspec.structs.fields(cls):
            row = row_of(text, field.encode_name)
            if isinstance(field.default, str | int | float):
                assert f"`{shown(field.default)}`" in row, field.name


@pytest.mark.parametrize("name", CommandName)
def test_every_command_is_described_with_who_may_and_what_it_takes(name: CommandName) -> None:
    row = row_of(page("commands.md"), name)
    _, who, takes, _ = row.strip("| ").split(" | ")
    roles = [role for role in Role if role in MAY[name]]
    assert who == ("all" if roles == list(Role) else ", ".join(roles))
    for field in msgspec.structs.fields(COMMAND_DATA[name]):
        if field.encode_name not in ("by", "role"):
            needed = " (needed)" if field.required else ""
            assert f"`{field.encode_name}`{needed}" in takes


def test_every_error_is_described() -> None:
    for code in ErrorCode:
        row_of(page("commands.md"), code)


@pytest.mark.parametrize("word", EVENT_TYPES)
def test_every_event_is_described_with_its_data(word: str) -> None:
    data = row_of(page("events.md"), word).strip("| ").split(" | ")[2]
    assert re.findall(r"`(\w+)`", data) == [field.name for field in msgspec.structs.fields(EVENT_TYPES[word])]


def examples() -> Iterator[Any]:
    for name, schema in (("commands.md", commands_schema()), ("events.md", events_schema())):
        for text in blocks(page(name), "json"):
            yield pytest.param(json.loads(text), schema, id=f"{name} {json.loads(text)['type']}")


@pytest.mark.parametrize(("message", "schema"), list(examples()))
def test_messages_in_the_text_are_valid(message: Any, schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate(message)


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
