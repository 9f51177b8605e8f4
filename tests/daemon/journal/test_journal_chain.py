"""The chain's form is fixed for ever, and others can compute it from an export with the description alone."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dealer_daemon.journal import Journal, JournalDamaged, JournalUnreadable, export_file, verify_file
from dealer_daemon.journal.chain import encode_fields, genesis, link

FIELDS = st.lists(st.none() | st.integers() | st.text() | st.binary(), max_size=6)


def decode(encoded: bytes) -> list[int | str | bytes | None]:
    """The fields again, written from the description in ``chain.py``."""
    fields: list[int | str | bytes | None] = []
    while encoded:
        letter, length, rest = encoded[:1], int.from_bytes(encoded[1:9], "big"), encoded[9:]
        content, encoded = rest[:length], rest[length:]
        assert len(content) == length
        fields.append(None if letter == b"n" else {b"i": int, b"s": bytes.decode, b"b": bytes}[letter](content))
    return fields


@given(FIELDS)
@example([1, "1", b"1", None, ""])
@example(["a", "bc"])
@example(["ab", "c"])
def test_no_two_rows_have_one_encoding(fields: list[int | str | bytes | None]) -> None:
    """What can be decoded again is unambiguous."""
    again = decode(encode_fields(fields))
    assert [(type(field), field) for field in again] == [(type(field), field) for field in fields]


def test_the_form_does_not_change() -> None:
    """A journal of this year must verify in ten."""
    assert encode_fields([None, -7, "骰", b"\x00"]).hex() == (
        "6e00000000000000006900000000000000022d37730000000000000003e9aab062000000000000000100"
    )
    assert genesis("id", 5).hex() == hashlib.sha256(encode_fields(["dealer-station journal", 1, "id", 5])).hexdigest()
    assert link(b"before", ["x"]) == hashlib.sha256(b"before" + b"s" + (1).to_bytes(8, "big") + b"x").digest()


def test_an_export_proves_the_chain(journal: Journal, maker: Any) -> None:
    for number in range(4):
        maker.round(journal, "r1", number)
    lines = [json.loads(json.dumps(line)) for line in export_file(journal.path, evidence=True)]
    first, *rest = lines
    assert (first["kind"], first["data"]["journal_id"]) == ("journal", journal.journal_id)
    previous = hashlib.sha256(
        encode_fields(["dealer-station journal", 1, first["data"]["journal_id"], first["data"]["created_wall_ns"]])
    ).digest()
    blobs = 0
    for line in rest:
        if line["kind"] == "evidence":
            body = base64.b64decode(line["data"]["base64"])
            assert line["data"]["hash"] == "sha256:" + hashlib.sha256(body).hexdigest()
            blobs += 1
            continue
        names = (
            "row",
            "table",
            "kind",
            "sequence",
            "type",
            "subject",
            "wall_ns",
            "mono_ns",
            "boot",
            "client",
            "command",
        )
        fields = [line.get(name) for name in names]
        fields.append(msgspec.json.encode(line["data"]))
        fields.append(json.dumps(line["evidence"], separators=(",", ":")))
        previous = hashlib.sha256(previous + encode_fields(fields)).digest()
        assert line["hash"] == previous.hex()
    assert blobs == 4
    assert (rest[-1]["row"], rest[-1]["hash"]) == journal.head()


def test_the_lines_of_an_export(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    record = maker.command("r1", "c1")
    journal.commit([maker.outcome("r1", 17, [blob])], [blob], record)
    journal.commit([maker.closed("b1")])
    lines = list(export_file(journal.path))
    assert [line["kind"] for line in lines] == ["journal", "command", "event", "event"]
    for line in lines:
        assert {"type", "sequence", "time", "subject", "data"} <= line.keys()
    _, command, outcome, closed = lines
    assert command["data"]["reply"] == {"command": "c1", "ok": True, "error": None, "message": "", "result": {}}
    assert (command["client"], command["command"], command["type"]) == ("server-1", "c1", "round.void")
    assert outcome["type"] == "round.outcome"
    assert outcome["time"] == "2023-11-14T22:13:20.000000Z"
    assert outcome["subject"] == "r1-7"
    assert outcome["data"]["facts"] == {"number": "17", "laps": None}
    assert outcome["evidence"] == [[blob.hash, blob.media_type]]
    assert (closed["table"], closed["sequence"]) == ("b1", 1)


def test_one_table_and_each_blob_once(journal: Journal, maker: Any) -> None:
    blob = maker.evidence(1)
    journal.commit([maker.outcome("r1", 1, [blob]), maker.outcome("r2", 1, [blob])], [blob])
    journal.commit([maker.outcome("r1", 1, [blob])])
    lines = [(line["kind"], line.get("table")) for line in export_file(journal.path, "r1", evidence=True)]
    assert lines == [("journal", None), ("evidence", None), ("event", "r1"), ("event", "r1")]
    assert [line["kind"] for line in export_file(journal.path, "r9")] == ["journal"]


def test_an_export_is_of_one_moment_and_may_be_left(journal: Journal, maker: Any) -> None:
    journal.commit([maker.closed("r1")])
    with closing(export_file(journal.path)) as lines:
        next(lines)
        journal.commit([maker.closed("r1")])
        assert [line["sequence"] for line in lines] == [1]
    with closing(export_file(journal.path)) as lines:
        next(lines)
    journal.commit([maker.closed("r1")])
    assert verify_file(journal.path).rows == 3


def test_an_export_of_what_is_no_journal(tmp_path: Any, state_dir: Any, maker: Any, tamper: Any) -> None:
    with pytest.raises(JournalUnreadable):
        next(export_file(tmp_path / "absent"))
    (tmp_path / "text").write_text("a text that is long enough to be looked at, " * 40)
    with pytest.raises(JournalDamaged):
        next(export_file(tmp_path / "text"))
    with closing(Journal.open(state_dir, boot="boot-1")) as journal:
        maker.round(journal, "r1", 1)
    tamper("DELETE FROM evidence")
    assert len(list(export_file(journal.path))) == 5
    with pytest.raises(JournalDamaged, match="row 4 names evidence"):
        list(export_file(journal.path, evidence=True))
    tamper("UPDATE entries SET body = x'7b' WHERE id = 2")
    with pytest.raises(JournalDamaged, match="row 2 cannot be read"):
        list(export_file(journal.path))
