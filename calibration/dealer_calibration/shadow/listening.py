"""Results that another system publishes over MQTT, written down as the CSV that the report reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dealer_calibration.shadow.theirs import TIME
from dealer_calibration.shadow.values import NoFact, fact_at
from dealer_drivers.transports.mqtt_lines import MqttMessage

MOST_PAYLOAD = 64 * 1024 // 4
"""Bytes of a message that are looked at: a result has less."""
RECEIVED = "received"
"""The name that stands for the time of arrival in the place of a member of the message."""


class NoResult(ValueError):  # noqa: N818
    """A message is no result. The text says why; it is left out."""


def columns_line(wanted: Mapping[str, str]) -> str:
    """The CSV's first line. ``wanted`` names the columns, and of each the member of the message, dotted."""
    return _line(wanted)


def result_line(message: MqttMessage, wanted: Mapping[str, str], arrived: datetime) -> str:
    """The CSV's line of one message. Raises ``NoResult``.

    A message that the broker had kept is left out: it may be of any age.
    """
    if message.kept:
        raise NoResult("the broker kept it from before, and it may be of any age")
    try:
        body: Any = json.loads(message.payload)
    except (ValueError, RecursionError) as error:
        raise NoResult(f"no JSON: {error}") from error
    if not isinstance(body, dict):
        raise NoResult("no JSON object")
    cells = []
    for column, member in wanted.items():
        if column == TIME and member == RECEIVED:
            cells.append(arrived.isoformat())
            continue
        try:
            value = fact_at(body, member)
        except NoFact as error:
            raise NoResult(str(error)) from error
        if value is None or isinstance(value, dict):
            raise NoResult(f"{member} has no value")
        cells.append(" ".join(map(str, value)) if isinstance(value, list) else str(value))
    return _line(cells)


def _line(cells: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
