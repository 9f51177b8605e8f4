"""Messages of a device's health, as ``DeviceBody``."""

from __future__ import annotations

from typing import Any


def health(**more: Any) -> dict[str, Any]:
    """A wheel that is well."""
    calibrated = {
        "id": "cal-1",
        "sha256": "sha256:1",
        "made": "2026-01-01T00:00:00Z",
        "by": "T. One",
        "serial": "1",
        "device_serial": None,
        "fits": "unknown",
        "warnings": ["it is 183 days old: calibrate anew"],
    }
    return {
        "driver": "cammegh-ss2",
        "maturity": "documented",
        "port": "/dev/dealer/wheel",
        "time": "2026-01-01T00:00:00.000Z",
        "link": "up",
        "link_reason": "",
        "link_since": "2026-01-01T00:00:00.000Z",
        "bytes_in": 91_231,
        "bytes_out": 0,
        "valid_frames": 3312,
        "rejected_bytes": 12,
        "opens": 1,
        "last_byte": "2026-01-01T00:00:00.000Z",
        "last_valid_frame": "2026-01-01T00:00:00.000Z",
        "last_reading": None,
        "faults": [],
        "held": None,
        "notices": {"version": "<b>SS2</b>"},
        "calibration": "cal-1",
        "flight_recorder": "recording",
        "calibrated": calibrated,
        "maintenance": None,
    } | more
