"""Driver ``angel-eye``: the Angel Eye II-EX baccarat shoe by serial line or TCP serial server (``devices.md`` §2).

Maturity: documented. The telegrams follow published descriptions and vectors; none of our own recordings
stands behind it yet. Inferred and to be checked on hardware: whether the host must acknowledge, and which
bytes the BCC of a command covers; both are options.
"""

from __future__ import annotations

from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.driver import DeviceAction, Driver, DriverOptions, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.angel_eye_codec import BccRule
from dealer_drivers.shoe.angel_eye_session import COMMANDS, AngelEyeSession


class AngelEyeOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of a shoe."""

    baud: int = 4800
    """4800 by the maker; one box in the field ran 9600."""
    control: bool = False
    """Whether the station may lock, unlock, clear errors and read presets. Off: nothing is ever asked."""
    acknowledge: bool = False
    """Whether each telegram is answered with ACK."""
    command_bcc: BccRule = BccRule.STX_EXCLUDED
    """Whether a command's BCC covers STX. A shoe that refuses commands with NAK 02 wants the other rule."""

    def problems(self) -> list[OptionError]:
        """A speed that no serial port has."""
        if not 300 <= self.baud <= 115_200:
            return [OptionError("baud", f"{self.baud} is no speed of a shoe; the maker's is 4800, some run 9600")]
        return []


def _session(options: AngelEyeOptions) -> AngelEyeSession:
    return AngelEyeSession(control=options.control, acknowledge=options.acknowledge, command_bcc=options.command_bcc)


def _observes(options: AngelEyeOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD, Observes.RESULT})


def _actions(options: AngelEyeOptions) -> frozenset[DeviceAction]:
    can = (*COMMANDS, DeviceAction.CLEAR_SHOE_ERROR)
    return frozenset(can if options.control else ())


def _serial(options: AngelEyeOptions) -> SerialSettings:
    return SerialSettings(baud=options.baud)


DRIVER = Driver(
    name="angel-eye",
    summary="Angel Eye II-EX card shoe: cards with their places, cut card, errors, the shoe's own result",
    maturity=Maturity.DOCUMENTED,
    provenance="published telegram descriptions and vectors; acknowledgement and command BCC inferred",
    options=AngelEyeOptions,
    calibration=CARD_READER,
    session=_session,
    observes=_observes,
    serial=_serial,
    offline_after_s=5.0,
    actions=_actions,
)
