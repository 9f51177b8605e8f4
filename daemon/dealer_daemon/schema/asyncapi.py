"""The AsyncAPI 3.0 document of all topics, from the station's side: it sends events and receives commands."""

from __future__ import annotations

from collections.abc import Iterable

from dealer_daemon.boards import BoardBody
from dealer_daemon.bodies import AckBody, DeviceBody, JournalBody, PresenceBody, StateBody
from dealer_daemon.commands import CommandName
from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.mqtt.envelope import CONTENT_TYPE
from dealer_daemon.mqtt.messages import JSON
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.schema.commands import command_definitions
from dealer_daemon.schema.components import JsonObject, summary, type_schemas
from dealer_daemon.schema.events import event_definitions

_REF = "#/components/schemas/{name}"
_BODIES = {
    "state": StateBody,
    "board": BoardBody,
    "device": DeviceBody,
    "presence": PresenceBody,
    "ack": AckBody,
    "journal": JournalBody,
}
_OUTCOMES = ("round.outcome", "outcome.corrected")
_PARAMETERS = {
    "site": "`site` of the station's configuration.",
    "table": "Name of the table.",
    "type": "Type word of the event.",
    "device": "Name of the device.",
    "client": "Name of the client: the last segment of its command's `source`.",
    "consumer": "Name that a consumer gives itself.",
    "role": "`server`, `dealer`, `manager` or `technician`: the one that the command names.",
}


def asyncapi_document(prefix: str = "dealer/v1") -> JsonObject:
    """All channels, messages and operations. ``prefix`` is the configured one."""
    topics = Topics(prefix=prefix, site="{site}", table="{table}")
    commands = list(map(str, CommandName))
    channels = {
        "events": _channel(topics.events("{type}"), EVENT_TYPES, "Every event, in order, not retained."),
        "outcome": _channel(topics.outcome, _OUTCOMES, "The newest final outcome, for late joiners."),
        "state": _channel(topics.state, ["state"], "What the table is doing."),
        "board": _channel(topics.board, ["board"], "The scoreboard, for displays."),
        "devices": _channel(topics.device("{device}"), ["device"], "Health of one device."),
        "presence": _channel(topics.presence, ["presence"], "Birth, goodbye and will."),
        "journal": _channel(topics.journal, ["journal"], "The head of the station's journal."),
        "commands": _channel(topics.commands, commands, "What a table is asked to do."),
        "roleCommands": _channel(
            f"{topics.commands}/{{role}}",
            commands,
            "The same, where the station has `roles_by_topic`: one role each.",
        ),
        "namedCommands": _channel(
            f"{topics.commands}/{{role}}/{{client}}",
            commands,
            "The same, where the station has `names_by_topic`: one role and client each.",
        ),
        "consumerCommands": _channel(
            topics.commands_by("consumer", "{consumer}"),
            ["events.resend"],
            "What one consumer asks for, at every station.",
        ),
        "replies": _channel(topics.replies("{client}"), ["reply"], "Answers to one client."),
        "acks": _channel(topics.acks("{consumer}"), ["ack"], "How far one consumer has come."),
    }
    answer = {"channel": {"$ref": "#/channels/replies"}, "messages": _messages("replies", ["reply"])}
    operations = {
        "sendEvents": _operation("send", "events", EVENT_TYPES, retain=False),
        "sendOutcome": _operation("send", "outcome", _OUTCOMES, retain=True),
        "sendState": _operation("send", "state", ["state"], retain=True),
        "sendBoard": _operation("send", "board", ["board"], retain=True),
        "sendDevice": _operation("send", "devices", ["device"], retain=True),
        "sendPresence": _operation("send", "presence", ["presence"], retain=True),
        "receiveCommand": _operation("receive", "commands", commands, retain=False) | {"reply": answer},
        "sendJournal": _operation("send", "journal", ["journal"], retain=True),
        "receiveRoleCommand": _operation("receive", "roleCommands", commands, retain=False) | {"reply": answer},
        "receiveNamedCommand": _operation("receive", "namedCommands", commands, retain=False) | {"reply": answer},
        "receiveConsumerCommand": _operation("receive", "consumerCommands", ["events.resend"], retain=False)
        | {"reply": answer},
        "receiveAck": _operation("receive", "acks", ["ack"], retain=True),
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "dealer-station",
            "version": "1",
            "description": "What a dealer table says and what it may be asked, over MQTT 5 or 3.1.1, QoS 1. "
            "Within v1 types and fields are only added: ignore what you do not know.",
        },
        "defaultContentType": JSON,
        "servers": {
            "broker": {
                "host": "{host}",
                "protocol": "mqtt",
                "variables": {"host": {"default": "127.0.0.1:1883", "description": "`[mqtt] url` of the station."}},
            }
        },
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": _all_messages(),
            "schemas": event_definitions(_REF) | command_definitions(_REF) | type_schemas(_BODIES.values(), _REF),
        },
    }


def _channel(address: str, messages: Iterable[str], description: str) -> JsonObject:
    return {
        "address": address,
        "description": description,
        "parameters": {
            name: {"description": meaning} for name, meaning in _PARAMETERS.items() if f"{{{name}}}" in address
        },
        "messages": {word: {"$ref": f"#/components/messages/{word}"} for word in messages},
    }


def _messages(channel: str, words: Iterable[str]) -> list[JsonObject]:
    return [{"$ref": f"#/channels/{channel}/messages/{word}"} for word in words]


def _operation(action: str, channel: str, words: Iterable[str], *, retain: bool) -> JsonObject:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": _messages(channel, words),
        "bindings": {"mqtt": {"qos": 1, "retain": retain, "bindingVersion": "0.2.0"}},
    }


def _all_messages() -> JsonObject:
    found: JsonObject = {word: _message(word, summary(cls), CONTENT_TYPE) for word, cls in EVENT_TYPES.items()}
    definitions = command_definitions(_REF)
    for word in map(str, CommandName):
        found[word] = _message(word, definitions[word]["description"], CONTENT_TYPE)
        found[word]["correlationId"] = {"location": "$message.payload#/id"}
    found["reply"] = _message("reply", definitions["reply"]["description"], CONTENT_TYPE)
    found["reply"]["correlationId"] = {"location": "$message.payload#/data/command"}
    for word, cls in _BODIES.items():
        found[word] = _message(word, summary(cls), JSON, cls.__name__)
    return found


def _message(word: str, text: str, content_type: str, schema: str | None = None) -> JsonObject:
    return {
        "name": word,
        "summary": text,
        "contentType": content_type,
        "payload": {"$ref": _REF.format(name=schema or word)},
    }
