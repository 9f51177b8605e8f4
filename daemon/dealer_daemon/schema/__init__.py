"""JSON Schemas and the AsyncAPI document, made from the types. Nothing here is written by hand twice."""

from __future__ import annotations

from dealer_daemon.schema.asyncapi import asyncapi_document
from dealer_daemon.schema.commands import commands_schema
from dealer_daemon.schema.configuration import config_schema
from dealer_daemon.schema.events import events_schema

__all__ = ["DOCUMENTS", "asyncapi_document", "commands_schema", "config_schema", "events_schema"]

DOCUMENTS = {
    "asyncapi": asyncapi_document,
    "commands": commands_schema,
    "config": config_schema,
    "events": events_schema,
}
"""By the word of ``dealer-daemon schema``."""
