"""Commands and replies as messages. Pure: bytes in, a command or the reason why it is none out; never raises."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, TypeGuard

import msgspec

from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.mqtt.topics import TopicError, checked_name

MAX_COMMAND_BYTES = 64 * 1024
MAX_SERVER_BYTES = 4 * 1024
"""Of a server's own object, as compact JSON (``interfaces.md``)."""
MAX_TEXT = 128
"""Characters in an id, a client's name and a person's name."""
MAX_DEPTH = 32
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class Malformed:
    """No command. ``client`` is who gets the reply, where the message told."""

    client: str | None
    reply: Reply


class _Refusal(Exception):  # noqa: N818
    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def parse_command(payload: bytes) -> Command | Malformed:
    """A command from a CloudEvent: ``id``, ``type`` (the command), ``source`` (the client), ``data: {by, role, ...}``.

    The last path segment of ``source`` is the client's name. What is wrong is answered with the code and a sentence
    that says what would be right.
    """
    if len(payload) > MAX_COMMAND_BYTES:
        return _malformed(None, "", f"the message has {len(payload)} bytes; at most {MAX_COMMAND_BYTES} are read")
    try:
        message = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, RecursionError) as error:
        return _malformed(None, "", f"the message is no JSON: {error}")
    if not isinstance(message, dict):
        return _malformed(None, "", "the message must be a JSON object, a CloudEvent")
    client = _client(message.get("source"))
    command_id = message.get("id")
    if not _text(command_id):
        return _malformed(client, "", f"id must be a text of 1 to {MAX_TEXT} characters, unique for the client")
    if client is None:
        return _malformed(None, command_id, 'source must be a text ending in the client\'s name, such as "/lobby-7"')
    try:
        return _command(message, command_id, client)
    except _Refusal as refusal:
        reply = Reply(command=command_id, ok=False, error=refusal.code, message=str(refusal))
        return Malformed(client, reply)


def reply_message(site: str, table: str, client: str | None, reply: Reply) -> dict[str, Any]:
    """The reply as a CloudEvent. The same reply to the same command is always the same message."""
    return {
        "specversion": "1.0",
        "id": f"{site}/{table}/replies/{client or ''}/{reply.command}",
        "source": f"/{site}/{table}",
        "type": "reply",
        "datacontenttype": "application/json",
        "data": msgspec.to_builtins(reply),
    }


def encode_reply(site: str, table: str, client: str | None, reply: Reply) -> bytes:
    """``reply_message`` as JSON."""
    return msgspec.json.encode(reply_message(site, table, client, reply))


def _command(message: dict[str, Any], command_id: str, client: str) -> Command:
    if message.get("specversion", "1.0") != "1.0":
        raise _Refusal(ErrorCode.MALFORMED, 'specversion must be "1.0"')
    name = message.get("type")
    if not isinstance(name, str):
        raise _Refusal(ErrorCode.MALFORMED, "type must name the command")
    if name not in set(CommandName):
        raise _Refusal(
            ErrorCode.UNKNOWN_COMMAND, f"there is no command {name[:MAX_TEXT]!r}; there are: {', '.join(CommandName)}"
        )
    data = message.get("data")
    if not isinstance(data, dict):
        raise _Refusal(ErrorCode.MALFORMED, "data must be an object with by and role")
    by = data.get("by")
    if not _text(by):
        raise _Refusal(
            ErrorCode.MALFORMED, f"data.by must say who answers for the command, in 1 to {MAX_TEXT} characters"
        )
    role = data.get("role")
    if not isinstance(role, str) or role not in set(Role):
        raise _Refusal(ErrorCode.MALFORMED, f"data.role must be one of {', '.join(Role)}")
    if _deeper_than(data, MAX_DEPTH):
        raise _Refusal(ErrorCode.BAD_ARGUMENT, f"data is nested more than {MAX_DEPTH} levels deep")
    args = {key: value for key, value in data.items() if key not in ("by", "role")}
    _check_server(args)
    return Command(
        id=command_id,
        name=CommandName(name),
        client=client,
        role=Role(role),
        by=by,
        args=args,
        sent_ns=_sent_ns(message.get("time")),
    )


def _sent_ns(time: object) -> int | None:
    """When a command says that it was sent; what is no RFC 3339 says nothing."""
    try:
        moment = msgspec.convert(time, dt.datetime, strict=True)
    except msgspec.ValidationError:
        return None
    if moment.tzinfo is None:
        return None
    return (moment - _EPOCH) // dt.timedelta(microseconds=1) * 1000


def _check_server(args: dict[str, Any]) -> None:
    if "server" not in args:
        return
    server = args["server"]
    if not isinstance(server, dict):
        raise _Refusal(ErrorCode.BAD_ARGUMENT, "data.server must be an object")
    size = len(msgspec.json.encode(server))
    if size > MAX_SERVER_BYTES:
        raise _Refusal(ErrorCode.BAD_ARGUMENT, f"data.server has {size} bytes; at most {MAX_SERVER_BYTES} are kept")


def _client(source: object) -> str | None:
    if not isinstance(source, str):
        return None
    name = source.rsplit("/", 1)[-1]
    if not _text(name):
        return None
    try:
        return checked_name("the client", name)
    except TopicError:
        return None


def _text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= MAX_TEXT and value.isprintable()


def _deeper_than(value: object, levels: int) -> bool:
    if levels < 0:
        return True
    if isinstance(value, dict):
        return any(_deeper_than(item, levels - 1) for item in value.values())
    if isinstance(value, list):
        return any(_deeper_than(item, levels - 1) for item in value)
    return False


def _malformed(client: str | None, command_id: str, message: str) -> Malformed:
    return Malformed(client, Reply(command=command_id, ok=False, error=ErrorCode.MALFORMED, message=message))
