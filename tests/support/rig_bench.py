"""A rig's profile as a table's calibration."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from dealer_calibration.bench import device_of
from dealer_drivers.calibration import Calibration, Draft
from dealer_drivers.dice.profile import RigProfile, dump_profile


def keep_rig(config: Path, profile: RigProfile, expect: dict[str, dict[str, float]] | None = None) -> Calibration:
    """The rig's profile as the camera's current calibration."""
    text, plate = dump_profile(profile)
    device = device_of(config, "s1", "camera", calibrated=False)
    draft = Draft(
        kind="dice-rig",
        table="s1",
        device="camera",
        driver="sicbo-camera",
        serial=None,
        by="A. Technician",
        tool="test",
        values={"expect": expect or {}},
        files={"profile.json": text, profile.content.plate: plate},
    )
    return device.store.save(draft, dt.datetime.now(dt.UTC))
