"""A camera whose driver needs a profile that is not made yet: probed without one. Pictures come, and none is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dealer_drivers.camera.ports import camera_transport
from dealer_drivers.camera.readings import LookUnclear
from dealer_drivers.camera.scene_driver import SceneCameraOptions
from dealer_drivers.camera.scene_session import SceneSession
from dealer_drivers.camera.settings import SceneTask
from dealer_drivers.clock import Clock
from dealer_drivers.driver import Driver
from dealer_drivers.transports.base import Transport


class BlindOptions(SceneCameraOptions, frozen=True, kw_only=True):
    """How the camera itself is set."""


class BlindReader:
    """Says of every picture that nobody knows how to read it."""

    summary = "pictures alone: there is no profile yet"

    def read(self, picture: object) -> BlindReader:
        """Nothing that is read."""
        del picture
        return self

    @property
    def reasons(self) -> tuple[str, ...]:
        """None: nobody asks."""
        return ()

    detail = "there is no profile yet"

    def same(self, one: object, other: object) -> bool:
        """There are no values."""
        return one is other

    def encode(self, value: object) -> dict[str, Any]:
        """There are no values."""
        del value
        return {}


def make() -> BlindReader:
    """For the camera's process."""
    return BlindReader()


def needs_profile(driver: Driver, given: set[str]) -> bool:
    """Whether the driver is a camera's whose profile is not among the keys that are given."""
    slot = driver.calibration
    return "camera" in driver.transports and slot is not None and slot.file is not None and slot.key not in given


def blind(driver: Driver) -> Driver:
    """The driver without its reader."""

    def transport(port: str, options: BlindOptions, clock: Clock) -> Transport:
        task = SceneTask(reader=f"{__name__}:make", options={}, quiet_s=options.quiet_ms / 1000)
        return camera_transport(port, options, task, clock)

    def session(options: BlindOptions) -> SceneSession:
        del options
        return SceneSession(_nothing, LookUnclear)

    return replace(driver, options=BlindOptions, transport=transport, session=session, calibration=None)


def _nothing(value: dict[str, Any], fields: dict[str, Any]) -> None:
    del value, fields
