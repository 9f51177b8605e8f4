"""The deck sets' part of the fold: which set is whole, and where it is (``games.md`` §10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from dealer_daemon.events import (
    DeckFailed,
    DeckInserted,
    DeckRemoved,
    DeckScanRefused,
    DeckScanStarted,
    DeckShuffling,
    DeckVerified,
    Event,
    ShufflerChange,
    ShufflerTamper,
)
from dealer_daemon.state import Decks, DeckSet, FoldError, TableState

DECK_EVENTS = (
    DeckInserted,
    DeckShuffling,
    DeckRemoved,
    DeckScanStarted,
    DeckScanRefused,
    DeckVerified,
    DeckFailed,
    ShufflerTamper,
    ShufflerChange,
)
T = TypeVar("T")


def deck_event(state: TableState, event: Event) -> TableState:
    """The table after something happened to its deck sets. Raises ``FoldError``."""
    return replace(state, decks=_after(state.decks, event))


def played(decks: Decks, deck_set: str | None, *, ended: bool) -> Decks:
    """The sets after a shoe was made of one, or after it ended. A set that failed while in play stays so.

    A shoe that began ends a change of cards that nobody saw the end of: a person said of what it is.
    """
    decks = decks if ended else replace(decks, stage=None)
    if deck_set is None:
        return decks
    before = decks.sets.get(deck_set, DeckSet())
    if ended and before.status != "in_play":
        return decks
    return _set(decks, deck_set, status="used" if ended else "in_play")


def _after(decks: Decks, event: Event) -> Decks:
    match event.data:
        case DeckInserted() as data:
            # What the machine itself has in its care (``inside``) is not moved by a person's word.
            told = replace(decks, told={**decks.told, data.device: data.deck_set})
            if data.device not in decks.unnamed:
                return told
            # It was shuffled since it was verified, if ever it was.
            return _set(
                replace(told, unnamed=_cut(decks.unnamed, data.device)), data.deck_set, status="unknown", how=None
            )
        case DeckShuffling(deck_set=None) as data:
            return replace(decks, unnamed={**decks.unnamed, data.device: data.job})
        case DeckShuffling() as data:
            assert data.deck_set is not None
            lies = {**_without(decks.inside, data.deck_set), data.device: data.deck_set}
            jobs = {**decks.jobs, data.device: data.job}
            suspect = [device for device in decks.suspect if device != data.device]
            shuffled = replace(decks, inside=lies, told=_cut(decks.told, data.device), jobs=jobs, suspect=suspect)
            return _set(shuffled, data.deck_set, status="shuffling", how=None, device=data.device, reason=None)
        case DeckRemoved() as data:
            return replace(decks, inside=_out(decks.inside, data), told=_out(decks.told, data))
        case DeckScanStarted() as data:
            taken = replace(decks, told=_without(decks.told, data.deck_set), scan=data.deck_set)
            return _set(taken, data.deck_set, status="unknown", how=None, device=None, reason=None)
        case DeckVerified() as data:
            loaded = replace(decks, stage=None)
            done = replace(loaded, scan=None) if data.how == "scan" else replace(loaded, old_cards=False)
            proof = {"how": data.how, "device": data.device, "verification": event.sequence}
            return _set(done, data.deck_set, status="verified", reason=None, **proof)
        case DeckFailed() as data:
            # What a shuffler says ends no scan: its cards still pass, and are no hand.
            its_scan = decks.scan == data.deck_set and data.device is None
            done = replace(decks, scan=None) if its_scan else decks
            return _set(done, data.deck_set, status="failed", how=None, reason=data.reason)
        case ShufflerChange() as data:
            return _changed(decks, data.stage)
        case ShufflerTamper() as data:
            if data.cause == "usb_reenumerated" or data.job is None:  # an order of whatever shuffle is under way
                return replace(decks, suspect=sorted({*decks.suspect, data.device}))
            return replace(decks, jobs={**decks.jobs, data.device: data.job})
        case DeckScanRefused():
            return decks
        case other:
            raise FoldError(f"{other.type} is no event of a deck set")


def _changed(decks: Decks, stage: str) -> Decks:
    match stage:
        case "loading":
            return replace(decks, stage=stage, old_cards=decks.old_cards or decks.stage != "empty")
        case "empty":
            return replace(decks, stage=stage, old_cards=False)
        case "feeding":
            return replace(decks, stage=None)
        case _:
            return replace(decks, stage=stage)


def _set(decks: Decks, name: str, **changes: Any) -> Decks:
    return replace(decks, sets={**decks.sets, name: replace(decks.sets.get(name, DeckSet()), **changes)})


def _without(inside: Mapping[str, str], deck_set: str) -> dict[str, str]:
    """A set is at one place."""
    return {device: there for device, there in inside.items() if there != deck_set}


def _out(by_device: Mapping[str, str], data: DeckRemoved) -> dict[str, str]:
    """The set is not in that device, whatever else may be."""
    return {name: there for name, there in by_device.items() if (name, there) != (data.device, data.deck_set)}


def _cut(by_device: Mapping[str, T], device: str) -> dict[str, T]:
    return {name: value for name, value in by_device.items() if name != device}
