"""Log lines: readable by machines and people, without secrets, without floods, in one vocabulary."""

from __future__ import annotations

import ast
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from dealer_daemon.log import BURST, FIELDS, MAX_KINDS, STANDARD_FIELDS, WINDOW_S, RateLimit, configure, get_logger


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    configure(stream=stream)
    get_logger("dealer_daemon.x").warning("link_lost", table="r1", device="wheel", wait_s=0.5)
    (line,) = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {
        "event": "link_lost",
        "level": "warning",
        "logger": "dealer_daemon.x",
        "table": "r1",
        "device": "wheel",
        "wait_s": 0.5,
    }


def test_text_on_a_terminal_and_where_it_is_asked_for() -> None:
    terminal, plain, machine = Terminal(), io.StringIO(), Terminal()
    for log_format, stream in (("auto", terminal), ("text", plain), ("json", machine)):
        configure(log_format, stream=stream)  # type: ignore[arg-type]
        get_logger("x").info("link_up", device="wheel")
    assert "link_up" in terminal.getvalue()
    assert not terminal.getvalue().startswith("{")
    assert "device=wheel" in plain.getvalue()
    assert "\x1b" not in plain.getvalue()
    assert lines(machine)[0]["event"] == "link_up"


def test_lines_below_the_level_are_left_out() -> None:
    stream = io.StringIO()
    configure("json", "warning", stream)
    get_logger("x").info("quiet")
    logging.getLogger("other").info("quiet")
    get_logger("x").error("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_secrets_never_reach_a_line(log_format: str) -> None:
    stream = io.StringIO()
    configure(log_format, stream=stream)  # type: ignore[arg-type]
    log = get_logger("x")
    log.info("connecting", url="mqtts://pit:hunter2@broker", password="hunter2", detail={"a": [{"api_key": "hunter2"}]})
    logging.getLogger("paho").warning("to mqtt://pit:%s@broker", "hunter2")
    try:
        password = "hunter2"
        raise ValueError(len(password))
    except ValueError:
        log.exception("failed")
    assert "hunter2" not in stream.getvalue()
    assert "[redacted]@broker" in stream.getvalue()
    assert "ValueError: 7" in stream.getvalue()


def test_lines_of_other_libraries_look_the_same() -> None:
    stream = io.StringIO()
    configure("json", stream=stream)
    logging.getLogger("asyncio").error("Task %s failed", 7)
    (line,) = lines(stream)
    assert (line["event"], line["level"], line["logger"]) == ("Task 7 failed", "error", "asyncio")
    assert "time" in line


def test_a_kind_that_repeats_is_counted_not_written() -> None:
    stream, clock = io.StringIO(), Clock()
    configure("json", stream=stream, clock=clock)
    log = get_logger("x")
    for _ in range(206):
        log.warning("rotor_speed", table="r1", device="wheel")
    log.warning("rotor_speed", table="r2", device="wheel")
    log.warning("silent", table="r1", device="wheel")
    assert [line["event"] for line in lines(stream)] == ["rotor_speed"] * (BURST + 1) + ["silent"]
    clock.now += WINDOW_S
    for _ in range(2):
        log.warning("rotor_speed", table="r1", device="wheel")
    assert [line.get("suppressed") for line in lines(stream)[-2:]] == [206 - BURST, None]


def test_other_libraries_are_limited_too_and_critical_lines_never() -> None:
    stream = io.StringIO()
    configure("json", stream=stream, clock=Clock())
    for number in range(BURST + 3):
        logging.getLogger("paho").warning("retry %d", number)
        logging.getLogger("paho").critical("out of memory")
        get_logger("x").critical("journal_unwritable")
    events = [line["event"] for line in lines(stream)]
    assert events.count("journal_unwritable") == BURST + 3
    assert events.count("out of memory") == BURST + 3
    assert len(events) == BURST + 2 * (BURST + 3)


def test_what_is_remembered_of_kinds_is_bounded() -> None:
    limit = RateLimit(Clock(), burst=1)
    for number in range(MAX_KINDS + 50):
        assert limit.admit(number) == 0
    assert limit.admit(MAX_KINDS + 49) is None
    assert limit.admit(0) == 0, "the oldest kind was forgotten"
    assert len(limit._kinds) <= MAX_KINDS


LOG_METHODS = {"debug", "info", "warning", "error", "critical", "exception", "bind"}


def logged_fields(source: str) -> Iterator[tuple[int, str]]:
    """(line, field) of every call of a method of a name that ends in ``log``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOG_METHODS:
            owner = ast.unparse(node.func.value)
            if owner.rstrip("()").lower().endswith(("log", "logger")):
                yield from ((node.lineno, keyword.arg) for keyword in node.keywords if keyword.arg)


def test_every_line_uses_the_vocabulary(repository: Path) -> None:
    assert list(logged_fields("self._log.info('x', site=1)\nLOG.bind(a=1)\nother.info(b=2)")) == [(1, "site"), (2, "a")]
    known = {*FIELDS, "exc_info"}
    unknown = [
        f"{path.relative_to(repository)}:{line}: {field}"
        for folder in ("daemon", "drivers")
        for path in sorted((repository / folder).rglob("*.py"))
        for line, field in logged_fields(path.read_text())
        if field not in known
    ]
    assert not unknown, "fields that dealer_daemon.log.FIELDS does not have"


def test_every_field_is_documented(repository: Path) -> None:
    text = (repository / "docs/reference/logging.md").read_text()
    missing = [name for name, meaning in (FIELDS | STANDARD_FIELDS).items() if f"| `{name}` | {meaning} |" not in text]
    assert not missing


def test_a_terminal_does_not_obey_what_others_wrote() -> None:
    stream = io.StringIO()
    configure("text", stream=stream)
    get_logger("x").warning("seen", topic="a\x1b[31m", by="\u5e97\u202e", detail="one\nERROR two")
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert all(char.isprintable() for char in text.rstrip("\n"))
    assert "\u5e97" in text
    assert "\\x1b[31m" in text
