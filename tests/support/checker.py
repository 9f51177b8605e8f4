"""What was committed, what of it is sent, and what of what really happened may be published.

The promise itself, as rules over a whole history, is in ``chaos/checker.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dealer_daemon.events import EVENT_TYPES
from dealer_daemon.journal import FILE_NAME, export_file, verify_file
from hw_sim.truth import RULE_BREAKING


def committed(state_dir: Path) -> list[dict[str, Any]]:
    """The events in the journal; checks that the journal verifies."""
    path = state_dir / FILE_NAME
    report = verify_file(path)
    assert report.ok, report.problems
    return [line for line in export_file(path) if line["kind"] == "event"]


def sent_of(event: dict[str, Any]) -> dict[str, Any]:
    """What servers are sent of a committed event's data: all but what never leaves the station."""
    secret = EVENT_TYPES[event["type"]].secret
    return {key: value for key, value in event["data"].items() if key not in secret}


def may_count(throw: dict[str, Any], laps_seen: bool) -> bool:
    """Whether the rules let this throw be published. A short spin is one only where somebody counts the laps."""
    if throw["expect"] != "refuse":
        return True
    broken = {fault.value for fault in RULE_BREAKING} & set(throw["faults"])
    return not laps_seen and throw["shown"] is not None and throw["ball"] != throw["rotor"] and not broken
