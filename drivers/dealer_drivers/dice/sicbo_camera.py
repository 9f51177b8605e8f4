"""Driver ``sicbo-camera``: a camera that looks straight down on the dice of a calibrated rig (``devices.md`` §4, §8).

Maturity: generic. Any camera that OpenCV opens. The pictures are read in the camera's own process, when asked, and only
once nothing moves any more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dealer_drivers.calibration.slot import CalibrationSlot
from dealer_drivers.camera.readings import Look, LookUnclear
from dealer_drivers.camera.scene_driver import SceneCameraOptions, scene_driver
from dealer_drivers.driver import Observes, SceneSource
from dealer_drivers.errors import OptionError


class SicboCameraOptions(SceneCameraOptions, frozen=True, kw_only=True):
    """Options of a camera over dice."""

    profile: str
    """The rig's profile, made by ``dealer-calibrate dice profile``: sizes, colours, and the empty plate's picture.
    Left out where ``calibration`` is given."""
    dice: int = 3
    """How many dice lie on the plate."""

    def problems(self) -> list[OptionError]:
        """Figures out of range, and a profile that cannot be used."""
        from dealer_drivers.dice.profile import ProfileError, load_profile

        problems = self.scene_problems()
        if not 1 <= self.dice <= 5:
            problems.append(OptionError("dice", f"{self.dice} is out of range; it must be 1 to 5"))
        try:
            load_profile(Path(self.profile))
        except ProfileError as error:
            problems.append(OptionError("profile", str(error)))
        return problems

    def scene_source(self) -> SceneSource:
        """See ``DriverOptions``."""
        return SceneSource(self.quiet_ms / 1000, self.dice)


def _seen(options: SicboCameraOptions, value: dict[str, Any], fields: dict[str, Any]) -> Look | None:
    from dealer_drivers.dice.camera_reader import faces_of
    from dealer_drivers.readings.dice import DiceSeen

    faces = faces_of(value, options.dice)
    return None if faces is None else DiceSeen(**fields, faces=faces)


def _unclear() -> type[LookUnclear]:
    from dealer_drivers.readings.dice import DiceUnclear

    return DiceUnclear


DRIVER = scene_driver(
    "sicbo-camera",
    "camera over the dice of a sic bo shaker or tower",
    "two readers that must agree; measured on photographs of dice and on a simulated rig, not on a table's",
    options=SicboCameraOptions,
    observes=Observes.DICE,
    reader="dealer_drivers.dice.camera_reader:make",
    reader_options=lambda options: {"profile": options.profile, "count": options.dice},
    seen=_seen,
    unclear=_unclear,
    calibration=CalibrationSlot("dice-rig", "profile", "profile.json"),
)
