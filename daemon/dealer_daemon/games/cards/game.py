"""A card game as the table knows it: its procedure, its settings with the shoe's, and results keyed in by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import msgspec

from dealer_daemon.games.cards.card import Card, CardNotationError
from dealer_daemon.games.cards.procedure import CardDue, CardStep, Complete, GateDue, GateStep, History, Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import BadFacts, CardGame, TableDevice
from dealer_daemon.verdicts import Remedy
from dealer_drivers.driver import Observes


def card_game(module: ModuleType) -> CardGame:
    """The game of a module with ``GAME_NAME``, ``Settings`` and ``make``."""
    name: str = module.GAME_NAME
    own: type[msgspec.Struct] = module.Settings
    settings = msgspec.defstruct(
        f"{name.title().replace('-', '')}Settings",
        [("shoe", ShoeRules, ShoeRules())],
        bases=(own,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
        module=__name__,
    )

    def procedure(chosen: Any, gates_open: bool) -> Procedure:
        made: Procedure = module.make(msgspec.structs.replace(chosen, gates_open=gates_open or chosen.gates_open))
        return made

    def stated(chosen: Any, args: Mapping[str, Any]) -> dict[str, Any]:
        return facts_of(procedure(chosen, True), args)

    return CardGame(
        name=name, settings=settings, remedy=Remedy.RESCAN, check=_check, stated=stated, procedure=procedure
    )


def _check(settings: Any, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:  # noqa: ARG001
    if any(Observes.CARD in device.observes for device in devices):
        return []
    return [("devices", "a card table needs a device that reads cards; it has none")]


def facts_of(procedure: Procedure, args: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a whole hand that a person keyed in: ``cards`` maps every position to its card.

    Raises ``BadFacts`` with the position that is missing, too many or no card.
    """
    cards = args.get("cards")
    if not isinstance(cards, Mapping):
        raise BadFacts('"cards" is needed: every position of the hand with its card, {"player.1": "8S", ...}')
    history: History = ()
    left = dict(cards)
    while True:
        wanted = procedure.due(history)
        match wanted:
            case Complete():
                break
            case GateDue(gate=gate):
                history = (*history, GateStep(gate))
            case CardDue(position=position):
                try:
                    history = (*history, CardStep(position, Card.parse(str(left.pop(position)))))
                except KeyError:
                    raise BadFacts(f"the card on {position} is missing") from None
                except CardNotationError as error:
                    raise BadFacts(f"{position}: {error}") from error
            case _:
                raise BadFacts("this game cannot be keyed in card by card: void the round instead")
    if left:
        raise BadFacts(f"no card is due on {', '.join(sorted(left))}")
    return procedure.facts(history)
