"""How two calibrations differ, key by key: their values, and what their attached JSON and TOML files say. Pure but for
reading those files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from dealer_drivers.calibration.form import Calibration, CalibrationError
from dealer_drivers.json_text import decode_json

ABOUT = ("kind", "driver", "serial")
"""Of the envelope: what makes two calibrations different in use. Who made them, and when, always differs."""


@dataclass(frozen=True, slots=True)
class Change:
    """One key that differs; ``None`` where it is missing on that side."""

    key: str
    before: Any
    after: Any


def contents(calibration: Calibration) -> dict[str, Any]:
    """Everything that the calibration says, by dotted key; a picture is its hash.

    Raises ``CalibrationError`` for a file that is not what its name says.
    """
    envelope = calibration.envelope
    found = {key: getattr(envelope, key) for key in ABOUT}
    found |= dict(_flat("values", envelope.values))
    for name, digest in sorted(envelope.files.items()):
        decoded = _decoded(calibration, name)
        found |= {name: digest} if decoded is None else dict(_flat(name, decoded))
    return found


def changes(before: Calibration, after: Calibration) -> list[Change]:
    """What is different, in the order of the keys. Raises as ``contents`` does."""
    old, new = contents(before), contents(after)
    return [
        Change(key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key) or (key in old) != (key in new)
    ]


def _decoded(calibration: Calibration, name: str) -> Any:
    """The values of a JSON or TOML file, ``None`` for any other."""
    path = calibration.file(name)
    if path.suffix not in (".json", ".toml"):
        return None
    try:
        data = path.read_bytes()
        return decode_json(data, dict) if path.suffix == ".json" else tomllib.loads(data.decode())
    except OSError as error:
        raise CalibrationError(path, [f"cannot be read: {error.strerror}"]) from error
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise CalibrationError(path, [f"is no {path.suffix[1:].upper()}: {error}"]) from error


def _flat(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _flat(f"{key}.{name}", inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _flat(f"{key}[{index}]", inner)
    elif value not in ({}, []):
        yield key, value
