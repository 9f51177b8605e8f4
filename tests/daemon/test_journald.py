"""Lines in systemd's journal: the fields stand beside the message, and where the journal is away nothing is lost."""

from __future__ import annotations

import io
import json
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from dealer_daemon import journald
from dealer_daemon.journald import JournaldHandler, datagram, is_journal
from dealer_daemon.log import BURST, WINDOW_S, configure, get_logger, tell_left_out


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The socket of a journal that reads nothing by itself."""
    path = tmp_path / "journal.socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(path))
        listening.settimeout(5)
        monkeypatch.setattr(JournaldHandler.__init__, "__defaults__", (path,))
        yield listening


def parsed(body: bytes) -> dict[str, str]:
    """The fields of a datagram, as systemd.journal-fields(7) describes its format."""
    found: dict[str, str] = {}
    while body:
        line, _, rest = body.partition(b"\n")
        name, equals, text = line.partition(b"=")
        if equals:
            found[name.decode()] = text.decode()
        else:
            size = int.from_bytes(rest[:8], "little")
            found[name.decode()] = rest[8 : 8 + size].decode()
            assert rest[8 + size : 9 + size] == b"\n"
            rest = rest[9 + size :]
        body = rest
    return found


def test_a_line_stands_in_the_journal_with_its_fields(journal: socket.socket) -> None:
    stream = io.StringIO()
    configure("journald", stream=stream)
    get_logger("dealer_daemon.x").warning("link_lost", table="r1", device="wheel", wait_s=0.5, detail="two\nlines")
    fields = parsed(journal.recv(1 << 16))
    assert fields["MESSAGE"] == 'link_lost table=r1 device=wheel wait_s=0.5 detail="two\\nlines"'
    assert (fields["PRIORITY"], fields["SYSLOG_IDENTIFIER"]) == ("4", "dealer-daemon")
    assert (fields["DEALER_EVENT"], fields["DEALER_TABLE"], fields["DEALER_DEVICE"]) == ("link_lost", "r1", "wheel")
    assert fields["DEALER_DETAIL"] == "two\nlines"
    assert "DEALER_TIME" not in fields, "the journal has its own"
    assert stream.getvalue() == ""


def test_a_secret_does_not_reach_the_journal_either(journal: socket.socket) -> None:
    configure("journald", stream=io.StringIO())
    get_logger("x").info("connecting", url="mqtts://pit:hunter2@broker", password="hunter2")
    assert b"hunter2" not in journal.recv(1 << 16)


def test_a_line_too_long_for_a_datagram_is_sent_as_a_file(journal: socket.socket) -> None:
    configure("journald", stream=io.StringIO())
    get_logger("x").info("long", detail="x" * 400_000)
    body, descriptors, _, _ = socket.recv_fds(journal, 1 << 16, 1)
    assert body == b""
    (descriptor,) = descriptors
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        fields = parsed(file.read())
    assert len(fields["DEALER_DETAIL"]) == 400_000


def test_where_the_journal_is_away_the_line_is_on_stderr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JournaldHandler.__init__, "__defaults__", (tmp_path / "nothing",))
    stream = io.StringIO()
    configure("journald", stream=stream)
    get_logger("x").error("loud", table="r1")
    (line,) = (json.loads(text) for text in stream.getvalue().splitlines())
    assert (line["event"], line["table"]) == ("loud", "r1")


def test_a_journal_that_is_full_holds_nobody_up(journal: socket.socket) -> None:
    stream = io.StringIO()
    configure("journald", stream=stream)
    for number in range(3000):
        get_logger("x").critical(f"line {number}")
    told = len(stream.getvalue().splitlines())
    assert 0 < told < 3000
    journal.setblocking(False)
    assert told + sum(1 for _ in iter(lambda: _taken(journal), None)) == 3000


def _taken(journal: socket.socket) -> bytes | None:
    try:
        return journal.recv(1 << 16)
    except BlockingIOError:
        return None


def test_the_journal_is_known_by_device_and_inode(tmp_path: Path) -> None:
    with (tmp_path / "stderr").open("w") as stream:
        told = os.fstat(stream.fileno())
        environment = {"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino}"}
        assert is_journal(stream, environment)
        assert not is_journal(stream, {"JOURNAL_STREAM": f"{told.st_dev}:{told.st_ino + 1}"})
        assert not is_journal(stream, {})
        assert not is_journal(io.StringIO(), environment)


def test_auto_takes_the_journal_where_stderr_leads_there(
    journal: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "stderr").open("w") as stream:
        told = os.fstat(stream.fileno())
        monkeypatch.setitem(os.environ, "JOURNAL_STREAM", f"{told.st_dev}:{told.st_ino}")
        configure("auto", stream=stream)
        get_logger("x").info("begun")
    assert parsed(journal.recv(1 << 16))["DEALER_EVENT"] == "begun"


def test_a_traceback_is_part_of_the_message_and_of_no_field() -> None:
    fields = parsed(datagram({"event": "failed", "level": "error", "exception": "Traceback\n  here"}))
    assert fields["MESSAGE"] == "failed\nTraceback\n  here"
    assert fields["PRIORITY"] == "3"
    assert set(fields) == {"MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "DEALER_EVENT"}
    assert Path("/run/systemd/journal/socket") == journald.SOCKET


def test_what_was_left_out_is_told_even_when_its_kind_never_comes_again() -> None:
    stream, now = io.StringIO(), [100.0]
    configure("json", stream=stream, clock=lambda: now[0])
    for _ in range(BURST + 7):
        get_logger("x").warning("rotor_speed", table="r1", device="wheel")
        logging.getLogger("paho").warning("retry %d", 1)
    tell_left_out()
    now[0] += WINDOW_S
    tell_left_out()
    tell_left_out()
    lines: list[dict[str, Any]] = [json.loads(text) for text in stream.getvalue().splitlines()]
    assert len(lines) == 2 * BURST + 2
    last, other = lines[-2:]
    assert (other["event"], other["line_event"], other["suppressed"]) == ("lines_left_out", "retry %d", 7)
    assert (last["event"], last["line_event"], last["suppressed"]) == ("lines_left_out", "rotor_speed", 7)
    assert (last["table"], last["device"]) == ("r1", "wheel")
