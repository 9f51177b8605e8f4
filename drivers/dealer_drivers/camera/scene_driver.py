"""What drivers of cameras over a scene share: options, transport, session, manifest. The family brings its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from dealer_drivers.calibration.slot import CalibrationSlot
from dealer_drivers.camera.ports import CameraOptions, camera_transport
from dealer_drivers.camera.readings import Look, LookUnclear
from dealer_drivers.camera.scene_session import SceneSession
from dealer_drivers.camera.settings import SceneTask
from dealer_drivers.clock import Clock
from dealer_drivers.driver import DeviceAction, Driver, Maturity, Observes, SceneSource, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.transports.base import Transport

O = TypeVar("O", bound="SceneCameraOptions")  # noqa: E741


USUAL_QUIET_MS, QUIET_MS = 500, (200, 5000)
"""How long nothing may have moved before things lie still: unless it is said, and from and to what it may be said."""


class SceneCameraOptions(CameraOptions, frozen=True, kw_only=True):
    """Options of a camera over a scene that comes to rest."""

    quiet_ms: int = USUAL_QUIET_MS
    """So long nothing may have moved before anything is read."""

    def scene_problems(self) -> list[OptionError]:
        """Figures out of range."""
        problems = self.camera_problems()
        least, most = QUIET_MS
        if not least <= self.quiet_ms <= most:
            problems.append(OptionError("quiet_ms", f"{self.quiet_ms} is out of range; it must be {least} to {most}"))
        return problems

    def scene_source(self) -> SceneSource:
        """See ``DriverOptions``."""
        return SceneSource(self.quiet_ms / 1000)


def scene_driver(
    name: str,
    summary: str,
    provenance: str,
    *,
    options: type[O],
    observes: Observes,
    reader: str,
    reader_options: Callable[[O], Mapping[str, Any]],
    seen: Callable[[O, dict[str, Any], dict[str, Any]], Look | None],
    unclear: Callable[[], type[LookUnclear]],
    calibration: CalibrationSlot | None = None,
) -> Driver:
    """A driver's manifest. ``reader`` names the function that makes the reader in the camera's process, out of what
    ``reader_options`` says; ``seen`` turns a look's value and common fields into a reading, or ``None`` for a value
    that cannot be; ``unclear`` is the reading of a look without a value."""

    def transport(port: str, chosen: O, clock: Clock) -> Transport:
        task = SceneTask(reader=reader, options=dict(reader_options(chosen)), quiet_s=chosen.quiet_ms / 1000)
        return camera_transport(port, chosen, task, clock)

    def session(chosen: O) -> SceneSession:
        return SceneSession(lambda value, fields: seen(chosen, value, fields), unclear())

    return Driver(
        name=name,
        summary=summary,
        maturity=Maturity.GENERIC,
        provenance=provenance,
        options=options,
        session=session,
        observes=lambda chosen: frozenset({observes}),  # noqa: ARG005
        serial=lambda chosen: SerialSettings(),  # noqa: ARG005
        transport=transport,
        actions=lambda chosen: frozenset({DeviceAction.LOOK}),  # noqa: ARG005
        offline_after_s=5.0,
        transports=frozenset({"camera", "recording"}),
        calibration=calibration,
    )
