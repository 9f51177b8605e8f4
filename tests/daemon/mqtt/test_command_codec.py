"""Commands from anybody: a command, or a reply that says what would be right. Never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.mqtt.command_codec import (
    MAX_COMMAND_BYTES,
    MAX_SERVER_BYTES,
    Malformed,
    encode_reply,
    parse_command,
)

GOOD: dict[str, Any] = {
    "specversion": "1.0",
    "id": "c-1",
    "type": "round.open",
    "source": "/platform/lobby-7",
    "data": {"by": "settlement", "role": "server", "round": "r1-8", "server": {"lucky": [7, 12]}},
}


def parsed(**changes: Any) -> Command | Malformed:
    return parse_command(json.dumps({**GOOD, **changes}).encode())


def refused(message: Command | Malformed) -> Malformed:
    assert isinstance(message, Malformed)
    assert message.reply.ok is False
    assert message.reply.message
    return message


def test_a_command_is_read() -> None:
    assert parsed() == Command(
        id="c-1",
        name=CommandName.ROUND_OPEN,
        client="lobby-7",
        role=Role.SERVER,
        by="settlement",
        args={"round": "r1-8", "server": {"lucky": [7, 12]}},
    )


@pytest.mark.parametrize("name", list(CommandName))
def test_every_command_there_is_can_be_sent(name: CommandName) -> None:
    command = parsed(type=str(name), source="lobby")
    assert isinstance(command, Command)
    assert (command.name, command.client) == (name, "lobby")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"type": "round.opne"}, ErrorCode.UNKNOWN_COMMAND),
        ({"type": 3}, ErrorCode.MALFORMED),
        ({"specversion": "2.0"}, ErrorCode.MALFORMED),
        ({"data": None}, ErrorCode.MALFORMED),
        ({"data": [1]}, ErrorCode.MALFORMED),
        ({"data": {"role": "server"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "", "role": "server"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "x" * 129, "role": "server"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "a\nb", "role": "server"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "x"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "x", "role": "owner"}}, ErrorCode.MALFORMED),
        ({"data": {"by": "x", "role": ["server"]}}, ErrorCode.MALFORMED),
        ({"data": {"by": "x", "role": "server", "server": [1]}}, ErrorCode.BAD_ARGUMENT),
        ({"data": {"by": "x", "role": "server", "server": {"a": "x" * MAX_SERVER_BYTES}}}, ErrorCode.BAD_ARGUMENT),
    ],
)
def test_what_is_wrong_is_answered_to_the_one_who_asked(changes: dict[str, Any], code: ErrorCode) -> None:
    message = refused(parsed(**changes))
    assert message.client == "lobby-7"
    assert message.reply.command == "c-1"
    assert message.reply.error is code


@pytest.mark.parametrize("command_id", [None, "", 7, "x" * 129, "a\x00b"])
def test_without_an_id_there_is_no_command(command_id: object) -> None:
    message = refused(parsed(id=command_id))
    assert (message.client, message.reply.command, message.reply.error) == ("lobby-7", "", ErrorCode.MALFORMED)


@pytest.mark.parametrize("source", [None, "", "/", "/lobby/", "/a+b", "/#", 7, "/" + "x" * 129, "/\x00", "/$SYS"])
def test_without_a_client_that_can_be_answered_there_is_no_command(source: object) -> None:
    message = refused(parsed(source=source))
    assert (message.client, message.reply.command) == (None, "c-1")


def test_sizes_are_limited_exactly() -> None:
    at_limit = {"by": "x", "role": "server", "server": {"a": "x" * (MAX_SERVER_BYTES - len('{"a":""}'))}}
    assert isinstance(parsed(data=at_limit), Command)
    body = json.dumps(GOOD).encode()
    assert isinstance(parse_command(body + b" " * (MAX_COMMAND_BYTES - len(body))), Command)
    assert "bytes" in refused(parse_command(body + b" " * (MAX_COMMAND_BYTES - len(body) + 1))).reply.message


def test_deep_nesting_is_refused_and_not_followed() -> None:
    refused(parse_command(b"[" * 60_000))
    deep: object = 1
    for _ in range(40):
        deep = {"a": deep}
    data = {"by": "x", "role": "server", "facts": deep}
    assert refused(parsed(data=data)).reply.error is ErrorCode.BAD_ARGUMENT


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(payload: bytes) -> None:
    assert isinstance(parse_command(payload), Command | Malformed)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(list(CommandName)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(GOOD, VALUES)), VALUES, st.sampled_from(["by", "role", "server"])
)
def test_any_json_gets_an_answer_and_a_command_can_always_be_kept(
    changes: dict[str, object], value: object, key: str
) -> None:
    for message in ({**GOOD, **changes}, {**GOOD, "data": {**GOOD["data"], key: value}}, changes):
        answer = parse_command(json.dumps(message).encode())
        if isinstance(answer, Command):
            assert len(answer.digest()) == 64
            assert answer.id
            assert answer.client
        else:
            assert json.loads(encode_reply("s", "t", answer.client, answer.reply))["type"] == "reply"


def test_a_reply_is_the_same_message_however_often_it_is_given() -> None:
    reply = Reply(command="c-1", ok=False, error=ErrorCode.NOT_NOW, message="no round is open", result={"round": None})
    first = encode_reply("studio-1", "r1", "lobby-7", reply)
    assert first == encode_reply("studio-1", "r1", "lobby-7", reply)
    assert json.loads(first) == {
        "specversion": "1.0",
        "id": "studio-1/r1/replies/lobby-7/c-1",
        "source": "/studio-1/r1",
        "type": "reply",
        "datacontenttype": "application/json",
        "data": {
            "command": "c-1",
            "ok": False,
            "error": "not_now",
            "message": "no round is open",
            "result": {"round": None},
        },
    }
