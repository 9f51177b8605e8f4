"""From which deck set a shoe may start, and what stands against one (``games.md`` §10). By the table's state alone."""

from __future__ import annotations

from collections.abc import Iterator

from dealer_daemon.commands import ErrorCode
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.state import DeckSet, TableState
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.validation.card import CardReason
from dealer_daemon.validation.decks import ShoeReason
from dealer_drivers.readings import Fault
from dealer_drivers.readings.shuffler import ShufflerFault

UNHEARD = frozenset({Fault.LINK_LOST, Fault.LINK_REFUSED, Fault.SILENT, Fault.NO_VALID_FRAME, ShoeReason.NOT_HEARD})
"""Faults of a device of which nothing is known now."""
REPORTED = {
    ShufflerFault.JAM: "the shuffler reports a jam: clear it",
    ShufflerFault.DOOR_OPEN: "a door of the shuffler is open: close it",
    ShufflerFault.COUNT_OFF: "the shuffler's count is off: make the set in it whole",
    ShufflerFault.MISREAD: "the shuffler could not recognise a card: look for a damaged one",
}


class NoShoe(Refusal):
    """No hand may be dealt: there is no shoe, and none may begin. The text says what to do."""

    def __init__(self, message: str, reason: str = CardReason.SHOE_NOT_VERIFIED) -> None:
        super().__init__(ErrorCode.NOT_NOW, message)
        self.reason = reason
        """Of a violation, where a card was drawn all the same."""


def check_shufflers(state: TableState) -> None:
    """Raises ``NoShoe`` for what stands against any shoe: what the shuffler reports, or a set that is being scanned."""
    for faults in state.faults.values():
        if UNHEARD & set(faults):
            continue  # it reports nothing now; a set in it may not be played (``choose``)
        for fault, message in REPORTED.items():
            if fault in faults:
                raise NoShoe(f"{message}; no shoe starts before that", str(fault))
    if state.decks.unnamed:
        message = "a set was shuffled and nobody said which one: say it (deck.insert); no shoe starts before that"
        raise NoShoe(message, ShoeReason.SET_UNCLEAR)
    if state.decks.scan is not None:
        raise NoShoe(
            f"the deck set {state.decks.scan} is being scanned: end that first (deck.verify)", ShoeReason.SCANNING
        )


def check_change(state: TableState) -> None:
    """Raises ``NoShoe`` while a continuous shuffler's cards are changed; a person who names the set goes past it."""
    if state.decks.stage is not None:
        message = (
            "the shuffler's cards are being changed: wait until it is loaded and ready; where it stands, scan a set"
            " (deck.verify) or say which one is in the shoe (shoe.change with deck_set)"
        )
        raise NoShoe(message, ShoeReason.CHANGING)


def choose(state: TableState, rules: ShoeRules, named: str | None) -> tuple[str, DeckSet]:
    """The verified set that the next shoe is made of, and how it was verified. Raises ``NoShoe`` and ``Refusal``.

    Where nobody names one there must be a single one that it can be: the station does not guess which lies there.
    """
    check_name(rules, named)
    if named is None:
        check_change(state)
    verified = [name for name in rules.set_names() if _set(state, name).status == "verified"]
    if named is not None:
        verified = [name for name in verified if name == named]
    if not verified:
        raise _none_verified(state, rules, named)
    if len(verified) > 1:
        message = f"{' and '.join(verified)} are verified: say which is in the shoe (shoe.change with deck_set)"
        raise NoShoe(message, ShoeReason.SET_UNCLEAR)
    name = verified[0]
    for device in _devices_with(state, name):
        if UNHEARD & set(state.faults.get(device, ())):
            message = f"the deck set {name} lies in {device}, which is not heard: see to its connection"
            raise NoShoe(message, ShoeReason.NOT_HEARD)
    return name, _set(state, name)


def check_name(rules: ShoeRules, named: str | None) -> None:
    """Raises ``Refusal`` for a set that the table does not have."""
    if named is not None and (rules.deck_sets or rules.require_verified) and named not in rules.set_names():
        sets = ", ".join(rules.set_names())
        raise Refusal(ErrorCode.BAD_ARGUMENT, f"this table has no deck set {named!r}; it has: {sets}")


def only_verified(state: TableState, rules: ShoeRules) -> tuple[str | None, DeckSet | None]:
    """The set and its proof where there is a single one; for tables that need none. Raises ``NoShoe``."""
    check_change(state)
    verified = [name for name in rules.set_names() if _set(state, name).status == "verified"]
    return (verified[0], _set(state, verified[0])) if len(verified) == 1 else (None, None)


def check_in_play(state: TableState, rules: ShoeRules) -> None:
    """Raises ``NoShoe`` where the set in play is not that any more, of whatever cause: no further hand is dealt from
    it."""
    shoe = state.shoe
    if shoe is None or shoe.deck_set is None or not rules.require_verified:
        return
    known = _set(state, shoe.deck_set)
    if known.status == "failed":
        message = f"the deck set in play failed ({known.reason}): verify a set and change the shoe"
        raise NoShoe(message, ShoeReason.SET_FAILED)
    if known.status != "in_play":
        message = f"the deck set of this shoe, {shoe.deck_set}, is {_spoken(known)}: verify a set and change the shoe"
        raise NoShoe(message, CardReason.SHOE_NOT_VERIFIED)


def holder(state: TableState, deck_set: str) -> str | None:
    """The shuffler that is heard and has the set in its care; ``None`` where there is none."""
    for device, there in state.decks.inside.items():
        if there == deck_set and not UNHEARD & set(state.faults.get(device, ())):
            return device
    return None


def _devices_with(state: TableState, deck_set: str) -> Iterator[str]:
    """The shufflers in which the set may lie. One that was not heard while the set was scanned does not have it."""
    if _set(state, deck_set).how != "scan":
        yield from (device for device, there in state.decks.inside.items() if there == deck_set)
    yield from (device for device, there in state.decks.told.items() if there == deck_set)


def _none_verified(state: TableState, rules: ShoeRules, named: str | None) -> NoShoe:
    names = rules.set_names() if named is None else (named,)
    told = "; ".join(f"{name} is {_spoken(_set(state, name))}" for name in names)
    failed = all(_set(state, name).status == "failed" for name in names)
    reason = ShoeReason.SET_FAILED if failed else CardReason.SHOE_NOT_VERIFIED
    return NoShoe(f"no verified deck set: {told}. Shuffle one, or scan it (deck.verify)", reason)


def _spoken(deck_set: DeckSet) -> str:
    match deck_set.status:
        case "failed":
            return f"out ({deck_set.reason})"
        case "in_play":
            return "in play"
        case "used":
            return "used and not shuffled since"
        case "shuffling":
            return "being shuffled"
        case _:
            return "not verified"


def _set(state: TableState, name: str) -> DeckSet:
    return state.decks.sets.get(name, DeckSet())
