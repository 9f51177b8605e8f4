"""What a table asks of its readers: to look for a code while a card is due, and to give none while it stands."""

from __future__ import annotations

import pytest

from dealer_daemon.commands import CommandName
from dealer_drivers.driver import DeviceAction, load_driver
from support.card_tables import NATURAL, CardTable, bare

ON, OFF, LOCK, UNLOCK = (
    DeviceAction.SCAN_ON,
    DeviceAction.SCAN_OFF,
    DeviceAction.LOCK_SHOE,
    DeviceAction.UNLOCK_SHOE,
)
SCANNER, SHOE = frozenset({ON, OFF}), frozenset({LOCK, UNLOCK})


def asked(table: CardTable) -> list[DeviceAction]:
    """What was asked since the last call."""
    said, table.asked = table.asked, []
    return said


def test_a_scanner_looks_for_a_code_from_where_one_is_due_to_the_end_of_the_hand() -> None:
    table = CardTable(source="server", actions=SCANNER)
    assert asked(table) == [OFF]
    table.open()
    assert asked(table) == []
    table.close()
    assert asked(table) == [ON]
    table.deal("8S")
    assert asked(table) == [ON], "its first word: before it the link may not have been up"
    table.deal("5C AD")
    assert asked(table) == []
    table.deal("3H")
    assert asked(table) == [OFF], "the hand is over"


def test_a_table_that_opens_its_own_rounds_looks_always_but_when_it_stands() -> None:
    table = CardTable(actions=SCANNER)
    table.deal(bare(NATURAL))
    assert asked(table) == [ON, ON]
    table.manager(CommandName.TABLE_PAUSE)
    assert asked(table) == [OFF]
    table.resume()
    assert asked(table) == [ON]


def test_once_a_card_lies_it_looks_at_gates_and_between_the_servers_words_too() -> None:
    """A card that comes too early there is a violation; were it not read, the next would be laid to its place."""
    table = CardTable(source="server", actions=SCANNER, gates=["first_four"])
    table.bets_closed()
    table.deal("2S 5C 2D QH")
    assert asked(table)[-1] is ON
    table.deal("6D")
    assert table.words()[-2:] == ["violation:card_before_gate", "table.paused:violation"]
    assert asked(table) == [OFF]
    table.resume()
    assert asked(table) == [ON]
    table.did(CommandName.GATE_OPEN, gate="first_four")
    assert asked(table) == []
    blackjack = CardTable("blackjack", "server", actions=SCANNER)
    blackjack.bets_closed()
    assert asked(blackjack) == [OFF], "nobody said yet who is in play"
    blackjack.did(CommandName.CARD_EXPECT, action="seats", seats=[1])
    assert asked(blackjack) == [ON]
    blackjack.deal("5S 9C 4D")
    assert asked(blackjack) == [ON], "its first word, and no more: the players decide"


def test_while_a_hand_waits_for_a_person_it_does_not_look() -> None:
    table = CardTable(source="server", actions=SCANNER)
    table.bets_closed()
    table.deal("8S")
    table.restart()
    table.deal("8S")
    assert table.words()[-1] == "attempt.held:perhaps_repeated"
    assert asked(table)[-1] is OFF
    table.manager(CommandName.ATTEMPT_REFUSE)
    assert asked(table) == [ON]


def test_burn_cards_are_looked_for_before_the_round() -> None:
    table = CardTable(source="server", actions=SCANNER, shoe={"burn": 1})
    assert asked(table) == [ON]
    table.deal("2S")
    assert asked(table)[-1] is OFF


def test_asked_again_when_the_device_was_away_and_after_a_restart() -> None:
    table = CardTable(actions=SCANNER)
    table.deal("8S")
    asked(table)
    table.lost()
    table.back()
    assert asked(table) == [ON, OFF, ON], "not before somebody said where the hand stands"
    table.restart()
    assert asked(table) == [OFF, OFF, ON], "again at its first word"


def test_a_card_that_is_asked_for_again_is_still_looked_for() -> None:
    table = CardTable(actions=SCANNER)
    table.deal("8S")
    asked(table)
    table.unread()
    assert asked(table) == []


@pytest.mark.parametrize("lock", [True, False])
def test_a_shoe_is_locked_while_the_table_is_paused_where_the_table_says_so(lock: bool) -> None:
    table = CardTable(places=True, actions=SHOE, shoe={"lock_when_paused": lock})
    table.deal("P1 8S")
    asked(table)
    table.manager(CommandName.TABLE_PAUSE)
    assert asked(table) == ([LOCK] if lock else [])
    table.shoe_started()
    assert asked(table) == ([LOCK] if lock else []), "power failed: it may be unlocked"
    table.resume()
    assert asked(table) == ([UNLOCK] if lock else [])


def test_nothing_is_asked_of_a_device_that_cannot() -> None:
    table = CardTable(shoe={"lock_when_paused": True})
    table.deal(bare(NATURAL))
    table.manager(CommandName.TABLE_PAUSE)
    assert asked(table) == []


@pytest.mark.parametrize(
    ("driver", "options", "can"),
    [
        ("barcode-serial", {"codebook": "rank-suit"}, frozenset()),
        ("barcode-serial", {"codebook": "rank-suit", "trigger_on": "16540D", "trigger_off": "16550D"}, SCANNER),
        ("barcode-hidpos", {"codebook": "rank-suit", "trigger_on": "0401"}, SCANNER),
        ("barcode-keyboard", {"codebook": "rank-suit"}, frozenset()),
        ("angel-eye", {}, frozenset()),
        ("angel-eye", {"control": True}, SHOE | {DeviceAction.CLEAR_SHOE_ERROR, DeviceAction.READ_PRESETS}),
    ],
)
def test_which_readers_can_be_asked(driver: str, options: dict[str, object], can: frozenset[DeviceAction]) -> None:
    loaded = load_driver(driver)
    assert loaded.actions(loaded.parse_options(options)) == can
