"""What a view is made from: all of it committed, or about the station and its devices and not about a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_daemon.bodies import HeldBody
from dealer_daemon.config import TableConfig
from dealer_daemon.games import AttemptGame, CardGame, load_game
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.round import TableState
from dealer_daemon.screen.recall import Recall
from dealer_drivers.driver import Observes
from dealer_drivers.transports.listening import UNIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """What of a table's configuration its screen needs, worked out once."""

    config: TableConfig
    game: AttemptGame | CardGame
    procedure: Procedure | None
    """Of a card table."""
    by_hand: bool
    """The table has no sensor: every result is keyed in."""
    has_shaker: bool
    entry_device: str | None
    """Where results are keyed in, at the table's own socket."""
    entry_socket: str | None

    @property
    def serves(self) -> bool:
        """A game server opens and closes the rounds."""
        return self.config.round_source == "server"


def face_of(config: TableConfig) -> Face:
    """The face of a table as configured."""
    game = load_game(config.game)
    main = [device.driver.observes(device.options) for device in config.devices if device.role == "main"]
    entry = next((one for one in config.devices if one.port.startswith(UNIX)), None)
    return Face(
        config=config,
        game=game,
        # Nobody opens gates where the device opens the rounds.
        procedure=game.procedure(config.settings, config.round_source == "device")
        if isinstance(game, CardGame)
        else None,
        by_hand=bool(main) and all(Observes.ENTRY in observes for observes in main),
        has_shaker=any(Observes.SHAKE in observes for observes in main),
        entry_device=None if entry is None else entry.name,
        entry_socket=None if entry is None else entry.port.removeprefix(UNIX),
    )


@dataclass(frozen=True, slots=True)
class DeviceSight:
    """A device as far as a dealer needs to know. ``link`` as in ``DeviceBody``."""

    link: str
    link_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """See the module. ``heard``: the table's connection to the broker is up."""

    face: Face
    boot: str
    state: TableState
    recall: Recall = field(default_factory=Recall)
    devices: Mapping[str, DeviceSight] = field(default_factory=dict)
    stalled: str | None = None
    held: HeldBody | None = None
    heard: bool = True
