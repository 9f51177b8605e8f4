"""Driver ``bean-camera``: a camera over a fan-tan cloth (``games.md`` §8).

Maturity: generic. Any camera that OpenCV opens. The pictures are read in the camera's own process, when asked, and only
once nothing moves any more.
"""

from __future__ import annotations

from typing import Any

from dealer_drivers.calibration.slot import CalibrationSlot
from dealer_drivers.camera.readings import Look, LookUnclear
from dealer_drivers.camera.scene_driver import SceneCameraOptions, scene_driver
from dealer_drivers.driver import Observes
from dealer_drivers.errors import OptionError


class BeanCameraOptions(SceneCameraOptions, frozen=True, kw_only=True):
    """Options of a camera over beans."""

    profile: str
    """The cloth's profile, made by ``dealer-calibrate beans profile``: size of the beans, region, colours. Left
    out where ``calibration`` is given."""

    def problems(self) -> list[OptionError]:
        """Figures out of range, and a profile that cannot be used."""
        from dealer_drivers.beans.camera_reader import find_profile
        from dealer_drivers.beans.profile import BadProfile

        problems = self.scene_problems()
        try:
            find_profile(self.profile)
        except BadProfile as error:
            problems.append(OptionError("profile", str(error)))
        return problems


def _seen(_options: BeanCameraOptions, value: dict[str, Any], fields: dict[str, Any]) -> Look | None:
    from dealer_drivers.beans.camera_reader import count_of
    from dealer_drivers.readings.beans import BeansSeen

    said = count_of(value)
    if said is None:
        return None
    return BeansSeen(**fields, beans=said.beans, groups=said.groups, remainder=said.remainder)


def _unclear() -> type[LookUnclear]:
    from dealer_drivers.readings.beans import BeansUnclear

    return BeansUnclear


DRIVER = scene_driver(
    "bean-camera",
    "camera over the cloth of a fan-tan table",
    "two readers that must agree; measured on a simulated cloth, not on a table's",
    options=BeanCameraOptions,
    observes=Observes.BEANS,
    reader="dealer_drivers.beans.camera_reader:make",
    reader_options=lambda options: {"profile": options.profile},
    seen=_seen,
    unclear=_unclear,
    calibration=CalibrationSlot("bean-cloth", "profile", "profile.json"),
)
