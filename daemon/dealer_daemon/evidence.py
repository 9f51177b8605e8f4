"""What led to an event, kept byte for byte in the recording format, and named by its SHA-256.

A piece of evidence can be replayed as it stands (``dealer-daemon replay``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Picture


@dataclass(frozen=True, slots=True)
class EvidenceFrame:
    """One frame as it came from a device."""

    device: str
    at: Instant
    raw: bytes
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A blob and its name."""

    hash: str
    body: bytes
    media_type: str = "application/vnd.dealer-station.recording+jsonl"


def recording_of(driver: str, device: str, frames: Sequence[EvidenceFrame]) -> Evidence:
    """The frames as a recording: a head line, then one line a frame, ``t`` in seconds from the first."""
    start = frames[0].at if frames else None
    head: dict[str, object] = {"recording": 1, "driver": driver, "device": device}
    if start is not None:
        head["started"] = start.rfc3339()
    lines = [msgspec.json.encode(head)]
    for frame in frames:
        assert start is not None
        t = round((frame.at.mono_ns - start.mono_ns) / NS_PER_S, 6)
        lines.append(msgspec.json.encode({"t": t, "rxh": frame.raw.hex()}))
    body = b"\n".join(lines) + b"\n"
    return Evidence(hash="sha256:" + hashlib.sha256(body).hexdigest(), body=body)


def picture_of(picture: Picture) -> Evidence:
    """The picture as it came, under its own hash."""
    return Evidence(hash="sha256:" + picture.sha256, body=picture.data, media_type=picture.media_type)
