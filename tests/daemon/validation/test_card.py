"""One card pass judged alone: against what lies there, and against what came out of the shoe."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.validation.card import (
    Again,
    Alarm,
    CardReason,
    Doubt,
    Fresh,
    Lies,
    Rescan,
    hinted_position,
    judge_again,
    judge_card,
    judge_unread,
)
from dealer_drivers.instant import Instant
from dealer_drivers.readings.shoe import (
    CardForeign,
    CardRead,
    CardTrouble,
    CardUnit,
    CardUnreadable,
    ForeignKind,
    PositionHint,
    ShoeSlot,
)

AT = Instant(0, 0)
UNIT = CardUnit("set-a", "3", "0017")
LYING = [Lies("player.1", "8S", "set-a/3/0017"), Lies("banker.1", "KD", None)]


def read(card: str = "8S", slot: ShoeSlot | None = None, index: int = 1, **more: Any) -> CardRead:
    hint = None if slot is None else PositionHint(slot, index)
    return CardRead(at=AT, raw=card.encode(), card=card, hint=hint, **more)


def unreadable(reason: CardTrouble) -> CardUnreadable:
    return CardUnreadable(at=AT, raw=b"?", reason=reason, detail="half a code")


def foreign(code: str) -> CardForeign:
    return CardForeign(at=AT, raw=code.encode(), code=code, kind=ForeignKind.JOKER)


@pytest.mark.parametrize(
    ("slot", "index", "position"),
    [
        (ShoeSlot.PLAYER, 3, "player.3"),
        (ShoeSlot.BANKER, 1, "banker.1"),
        (ShoeSlot.BURN, 2, "burn"),
        (ShoeSlot.FIRST_BURN, 1, "burn"),
        (ShoeSlot.BURN_COUNT, 4, "burn"),
        (None, 1, None),
    ],
)
def test_the_place_that_a_shoe_names(slot: ShoeSlot | None, index: int, position: str | None) -> None:
    assert hinted_position(read(slot=slot, index=index)) == position


def test_within_the_repeat_window_it_is_the_same_pass_whatever_lies_there() -> None:
    assert judge_again(read(repeated=True), LYING) == Again(CardReason.SAME_PASS)
    assert judge_again(read("2C", repeated=True), []) == Again(CardReason.SAME_PASS)


def test_outside_the_window_two_equal_cards_are_two_cards() -> None:
    assert judge_again(read("8S"), LYING) is None
    assert judge_again(read("KD"), LYING) is None


def test_the_same_physical_card_is_known_by_its_code() -> None:
    assert judge_again(read(unit=UNIT), LYING) == Again(CardReason.SAME_UNIT)
    assert judge_again(read(unit=CardUnit("set-a", "4", "0017")), LYING) is None
    assert judge_again(read(unit=UNIT), []) is None


def test_the_same_place_and_card_is_a_repeat_and_another_card_there_is_doubt() -> None:
    assert judge_again(read("KD", ShoeSlot.BANKER), LYING) == Again(CardReason.SAME_SLOT)
    doubt = judge_again(read("KC", ShoeSlot.BANKER), LYING)
    assert isinstance(doubt, Doubt)
    assert doubt.reason is CardReason.SLOT_OVERWRITTEN
    assert "banker.1" in doubt.detail
    assert "KC" not in doubt.detail
    assert "KD" not in doubt.detail
    assert judge_again(read("KD", ShoeSlot.BANKER, 2), LYING) is None
    assert judge_again(read("KD", ShoeSlot.BURN), LYING) is None


def test_a_card_counts_for_the_place_that_is_due() -> None:
    assert judge_card(read(), "player.1", {}, [], 8) == Fresh("8S", None)
    assert judge_card(read(slot=ShoeSlot.PLAYER), "player.1", {"8S": 7}, [], 8) == Fresh("8S", None)
    assert judge_card(read(unit=UNIT), "player.1", {}, ["set-a/4/0017"], 8) == Fresh("8S", "set-a/3/0017")


def test_a_card_for_another_place_than_the_one_due_means_that_one_was_missed() -> None:
    judged = judge_card(read(slot=ShoeSlot.BANKER), "player.1", {}, [], 8)
    assert isinstance(judged, Doubt)
    assert judged.reason is CardReason.CARD_SKIPPED
    assert "banker.1" in judged.detail
    assert "player.1" in judged.detail


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_more_copies_than_decks_is_an_alarm(decks: int) -> None:
    assert isinstance(judge_card(read(), "player.1", {"8S": decks - 1}, [], decks), Fresh)
    judged = judge_card(read(), "player.1", {"8S": decks}, [], decks)
    assert isinstance(judged, Alarm)
    assert judged.reason is CardReason.COPIES_USED_UP
    assert ("the only copy" in judged.detail) is (decks == 1)
    assert "8S" not in judged.detail


def test_the_same_physical_card_from_an_earlier_hand_is_an_alarm() -> None:
    judged = judge_card(read(unit=UNIT), "player.1", {}, ["set-a/3/0017"], 8)
    assert isinstance(judged, Alarm)
    assert judged.reason is CardReason.UNIT_SEEN_BEFORE


@pytest.mark.parametrize("reason", CardTrouble)
def test_every_kind_of_unreadable_is_scanned_again(reason: CardTrouble) -> None:
    judged = judge_unread(unreadable(reason), None)
    assert isinstance(judged, Rescan)
    assert judged.reason == reason
    assert "scan the same card again" in judged.detail


def test_a_foreign_code_is_scanned_again_once() -> None:
    assert isinstance(judge_unread(foreign("J1"), None), Rescan)
    assert isinstance(judge_unread(foreign("J2"), "J1"), Rescan)
    judged = judge_unread(foreign("J1"), "J1")
    assert isinstance(judged, Alarm)
    assert judged.reason is CardReason.FOREIGN_CARD_AGAIN
    assert isinstance(judge_unread(unreadable(CardTrouble.NO_READ), "J1"), Rescan)
