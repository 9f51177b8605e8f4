"""A card game as the table knows it: its procedure, its settings with the shoe's, and results keyed in by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import msgspec

from dealer_daemon.games.cards.card import Card, CardNotationError
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    Complete,
    Early,
    ExpectDue,
    ExpectStep,
    GateDue,
    GateStep,
    History,
    Procedure,
    Refusal,
    Step,
)
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import BadFacts, CardGame, TableDevice
from dealer_daemon.verdicts import Remedy
from dealer_drivers.cards import CARDS_IN_DECK, reads_as_order
from dealer_drivers.driver import Observes

MOST_BY_FIRST = 1 + 10
"""Cards burnt where a ten, or a face card, says how many (``ShoeRules.burn_by_first``)."""


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
        made = procedure(chosen, True)
        return made.facts(keyed_in(made, args, chosen.shoe.decks or made.decks))

    def check(chosen: Any, devices: Sequence[TableDevice]) -> list[tuple[str, str]]:
        made = procedure(chosen, True)
        return check_table(made, getattr(chosen, "order", "deal"), chosen.shoe, devices)

    def needs_server(chosen: Any) -> tuple[str, str] | None:
        if getattr(chosen, "early", Early.FORBID) == Early.WITHHOLD:
            return "early", 'nobody bets where a device opens the rounds: "withhold" needs round_source = "server"'
        if isinstance(procedure(chosen, True).due(()), ExpectDue):
            return "round_source", f'a round of {name} begins with what the server says (card.expect): set "server"'
        return None

    return CardGame(
        name=name,
        settings=settings,
        remedy=Remedy.RESCAN,
        check=check,
        played_by=frozenset({Observes.CARD, Observes.DECK}),
        stated=stated,
        needs_server=needs_server,
        procedure=procedure,
    )


def check_table(
    procedure: Procedure, order: str, shoe: ShoeRules, devices: Sequence[TableDevice]
) -> list[tuple[str, str]]:
    """What a card table cannot be, as (key, reason)."""
    found = []
    game, decks = procedure.game, shoe.decks or procedure.decks
    if procedure.composition == "round" and procedure.decks == 1 and decks != 1:
        found.append(("shoe.decks", f"{game} is dealt from one deck, which is shuffled for every round"))
    readers = [device.name for device in devices if Observes.CARD in device.observes]
    if not readers:
        found.append(("devices", "a card table needs a device that reads cards; it has none"))
    if len(readers) > 1:
        reason = f"a card table takes one device that reads cards; it has: {', '.join(readers)}"
        found.append(("devices", reason))
    shufflers = [device.name for device in devices if Observes.DECK in device.observes]
    if len(shufflers) > 1:
        found.append(("devices", f"a card table takes one shuffler; it has: {', '.join(shufflers)}"))
    if len(set(shoe.deck_sets)) < len(shoe.deck_sets):
        found.append(("shoe.deck_sets", "every deck set has an id of its own"))
    if shufflers:
        found += [
            ("shoe.deck_sets", f'"{name}" reads as cards in their order, which no shuffler may tell: call the set else')
            for name in shoe.deck_sets
            if reads_as_order(name)
        ]
    for device in devices:
        if Observes.RESULT in device.observes and game != "baccarat":
            reason = (
                f'"{device.name}" ({device.driver}) names the places and the result of baccarat hands, not of {game}'
            )
            found.append(("devices", reason))
        elif Observes.RESULT in device.observes and order != "deal":
            reason = f'"{device.name}" ({device.driver}) deals P1 B1 P2 B2, whatever the table does: set order = "deal"'
            found.append(("order", reason))
        possible = (decks, decks * len(shoe.set_names()))
        if device.decks is not None and device.decks not in possible:
            reason = (
                f'the code book of "{device.name}" has {device.decks} decks and the shoe {decks}: set shoe.decks, or'
                " make another book"
            )
            found.append(("devices", reason))
    burnt, key = (MOST_BY_FIRST, "shoe.burn_by_first") if shoe.burn_by_first else (shoe.burn, "shoe.burn")
    if burnt and burnt + procedure.longest > decks * CARDS_IN_DECK:
        left = decks * CARDS_IN_DECK - procedure.longest
        reason = f"a round of {game} may need {procedure.longest} cards: at most {left} may be burnt, not {burnt}"
        found.append((key, reason))
    if shoe.burn and shoe.burn_by_first:
        found.append(("shoe.burn", "the first card says how many more are burnt (burn_by_first): set one of the two"))
    return found


def keyed_in(procedure: Procedure, args: Mapping[str, Any], decks: int) -> History:
    """A whole hand that a person keyed in: ``cards`` maps every position to its card; ``expects`` lists what the server
    said with ``card.expect``, in order, where the game asks it.

    Raises ``BadFacts`` with the position that is missing, too many, or holds a card that there is not.
    """
    cards, said = args.get("cards"), args.get("expects", [])
    if not isinstance(cards, Mapping):
        raise BadFacts('"cards" is needed: every position of the hand with its card, {"player.1": "8S", ...}')
    if not isinstance(said, list) or not all(isinstance(word, Mapping) for word in said):
        raise BadFacts('"expects" is a list of what card.expect said, [{"action": "seats", "seats": [1]}, ...]')
    history: History = ()
    left, words = dict(cards), list(said)
    while True:
        match procedure.due(history):
            case Complete():
                break
            case GateDue(gate=gate):
                step: Step = GateStep(gate)
            case CardDue(position=position):
                if position not in left:
                    raise BadFacts(f"the card on {position} is missing")
                step = CardStep(position, _card(position, left.pop(position)))
            case ExpectDue(actions=actions):
                if not words:
                    raise BadFacts(f'what the server said is missing in "expects": one of {", ".join(actions)}')
                step = ExpectStep(words.pop(0))
        answer = procedure.advance(history, step)
        if isinstance(answer, Refusal):
            raise BadFacts(f"{answer.reason}: {answer.message}")
        history = answer
    if left or words:
        too_many = ", ".join(sorted(left)) or f"{len(words)} of expects"
        raise BadFacts(f"the hand is complete without {too_many}")
    _check_copies(history, decks)
    return history


def _card(position: str, text: object) -> Card:
    try:
        return Card.parse(str(text))
    except CardNotationError as error:
        raise BadFacts(f"{position}: {error}") from error


def _check_copies(history: History, decks: int) -> None:
    counts = Counter(step.card for step in history if isinstance(step, CardStep))
    for card, count in counts.items():
        if count > decks:
            raise BadFacts(f"{card} is there {count} times, and the shoe has {decks}")
