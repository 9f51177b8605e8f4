"""Driver ``acme-wheel``: a made-up wheel, to be read and copied."""

from __future__ import annotations

from acme_wheel.options import AcmeOptions
from acme_wheel.session import SILENT_AFTER_S, AcmeSession
from dealer_drivers.driver import DeviceAction, Driver, Maturity, Observes, SerialSettings


def _observes(options: AcmeOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.PHASE, Observes.NUMBER, Observes.LAPS})


def _actions(options: AcmeOptions) -> frozenset[DeviceAction]:
    return frozenset({DeviceAction.ACKNOWLEDGE_VOID} if options.control else ())


def _serial(options: AcmeOptions) -> SerialSettings:
    return SerialSettings(baud=options.baud)


DRIVER = Driver(
    name="acme-wheel",
    summary="Acme roulette wheel, status lines on RS-232",
    maturity=Maturity.DOCUMENTED,
    provenance="the maker's sheet of 2024, without a wheel at hand",
    options=AcmeOptions,
    session=AcmeSession,
    observes=_observes,
    serial=_serial,
    offline_after_s=SILENT_AFTER_S,
    actions=_actions,
)
