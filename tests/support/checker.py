"""The promise, as rules over what was committed, what arrived, and what really happened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
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


def broken_promises(
    journal: Sequence[dict[str, Any]], received: Sequence[bytes], truth: Sequence[dict[str, Any]]
) -> list[str]:
    """What of the promise does not hold, in sentences; empty when all of it does."""
    found = []
    bodies: dict[int, bytes] = {}
    for body in received:
        sequence = json.loads(body)["sequence"]
        if bodies.setdefault(sequence, body) != body:
            found.append(f"sequence {sequence} came with two bodies")
    wanted = [event["sequence"] for event in journal]
    if wanted != list(range(1, len(wanted) + 1)):
        found.append("the journal's sequence has gaps")
    if missing := sorted(set(wanted) - set(bodies)):
        found.append(f"committed and never received: {missing}")
    if invented := sorted(set(bodies) - set(wanted)):
        found.append(f"received and never committed: {invented}")
    for event in journal:
        body = bodies.get(event["sequence"])
        if body is not None and json.loads(body)["data"] != sent_of(event):
            found.append(f"sequence {event['sequence']} was sent otherwise than it was committed")
    firsts = list(dict.fromkeys(json.loads(body)["sequence"] for body in received))
    if firsts != sorted(firsts):
        found.append("first arrivals are out of order")
    found += _rounds(journal) + _numbers(journal, truth)
    return found


def sent_of(event: dict[str, Any]) -> dict[str, Any]:
    """What servers are sent of a committed event's data: all but what never leaves the station."""
    secret = EVENT_TYPES[event["type"]].secret
    return {key: value for key, value in event["data"].items() if key not in secret}


def _rounds(journal: Sequence[dict[str, Any]]) -> list[str]:
    opened = [event["subject"] for event in journal if event["type"] == "round.opened"]
    ends = Counter(event["subject"] for event in journal if event["type"] in ("round.outcome", "round.voided"))
    found = [f"round {subject} ended {count} times" for subject, count in ends.items() if count != 1]
    found += [f"round {subject} never ended" for subject in opened[:-1] if subject not in ends]
    return found


def _numbers(journal: Sequence[dict[str, Any]], truth: Sequence[dict[str, Any]]) -> list[str]:
    """Every outcome is a spin that happened, with its number; told apart by the wheel's counter, in order."""
    outcomes = [event["data"]["facts"] for event in journal if event["type"] == "round.outcome"]
    found, at = [], 0
    for facts in outcomes:
        while at < len(truth) and not (
            truth[at]["counter"] == facts["spin"] and may_count(truth[at], facts["laps"] is not None)
        ):
            at += 1
        if at == len(truth):
            found.append(f"outcome {facts['number']} of spin {facts['spin']} never happened")
            break
        if truth[at]["number"] != facts["number"]:
            found.append(f"spin {facts['spin']} gave {truth[at]['number']} and {facts['number']} was published")
        at += 1
    return found


def may_count(throw: dict[str, Any], laps_seen: bool) -> bool:
    """Whether the rules let this throw be published. A short spin is one only where somebody counts the laps."""
    if throw["expect"] != "refuse":
        return True
    broken = {fault.value for fault in RULE_BREAKING} & set(throw["faults"])
    return not laps_seen and throw["shown"] is not None and throw["ball"] != throw["rotor"] and not broken
