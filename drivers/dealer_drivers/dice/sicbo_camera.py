"""Driver ``sicbo-camera``: a camera that looks straight down on the dice of a calibrated rig (``devices.md`` §4, §8).

Maturity: generic. Any camera that OpenCV opens. The pictures are read in the camera's own process, when asked, and only
once nothing moves any more.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from dealer_drivers.camera.ports import CameraOptions, camera_transport
from dealer_drivers.camera.readings import Look
from dealer_drivers.camera.scene_session import SceneSession
from dealer_drivers.camera.settings import SceneTask
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction, Driver, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.base import Transport


class SicboCameraOptions(CameraOptions, frozen=True, kw_only=True):
    """Options of a camera over dice."""

    profile: str
    """The rig's profile, made by ``dealer-calibrate dice profile``: sizes, colours, and the empty plate's picture."""
    dice: int = 3
    """How many dice lie on the plate."""
    quiet_ms: int = 500
    """So long nothing may have moved before the dice are read."""

    def problems(self) -> list[OptionError]:
        """Figures out of range, and a profile that cannot be used."""
        from dealer_drivers.dice.profile import ProfileError, load_profile

        problems = self.camera_problems()
        problems += [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (("dice", self.dice, 1, 5), ("quiet_ms", self.quiet_ms, 200, 5_000))
            if not low <= value <= high
        ]
        try:
            load_profile(Path(self.profile))
        except ProfileError as error:
            problems.append(OptionError("profile", str(error)))
        return problems


def _seen(count: int, value: dict[str, Any], fields: dict[str, Any]) -> Look | None:
    from dealer_drivers.dice.camera_reader import faces_of
    from dealer_drivers.dice.readings import DiceSeen

    faces = faces_of(value, count)
    return None if faces is None else DiceSeen(**fields, faces=faces)


def _session(options: SicboCameraOptions) -> SceneSession:
    from dealer_drivers.dice.readings import DiceUnclear

    return SceneSession(partial(_seen, options.dice), DiceUnclear)


def _transport(port: str, options: SicboCameraOptions, clock: Clock) -> Transport:
    task = SceneTask(
        reader="dealer_drivers.dice.camera_reader:make",
        options={"profile": options.profile, "count": options.dice},
        quiet_s=options.quiet_ms / 1000,
    )
    return camera_transport(port, options, task, clock)


def _observes(options: SicboCameraOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.DICE})


def _actions(options: SicboCameraOptions) -> frozenset[DeviceAction]:  # noqa: ARG001
    return frozenset({DeviceAction.LOOK})


def _serial(options: SicboCameraOptions) -> SerialSettings:  # noqa: ARG001
    return SerialSettings()


DRIVER = Driver(
    name="sicbo-camera",
    summary="camera over the dice of a sic bo shaker or tower",
    maturity=Maturity.GENERIC,
    provenance="two readers that must agree; measured on photographs of dice and on a simulated rig, not on a table's",
    options=SicboCameraOptions,
    session=_session,
    observes=_observes,
    serial=_serial,
    transport=_transport,
    actions=_actions,
    offline_after_s=5.0,
    transports=frozenset({"camera", "recording"}),
)
