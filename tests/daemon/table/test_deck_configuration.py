"""What a table with shufflers and deck sets cannot be."""

from __future__ import annotations

import msgspec
import pytest

from dealer_daemon.games import TableDevice, load_game
from dealer_drivers.driver import Observes


def test_what_a_table_cannot_be() -> None:
    game = load_game("baccarat")
    reader = TableDevice(name="scanner", driver="barcode-serial", observes=frozenset({Observes.CARD}))
    machines = [
        TableDevice(name=name, driver="generic-shuffler", observes=frozenset({Observes.DECK}))
        for name in ("one", "two")
    ]
    settings = msgspec.convert({"shoe": {"deck_sets": ["red", "red"]}}, game.settings)
    assert [key for key, _ in game.check(settings, [reader, *machines])] == ["devices", "shoe.deck_sets"]
    assert [key for key, _ in game.check(settings, [machines[0]])] == ["devices", "shoe.deck_sets"], (
        "nothing reads cards"
    )
    good = msgspec.convert({"shoe": {"deck_sets": ["red", "blue"]}}, game.settings)
    assert game.check(good, [reader, machines[0]]) == []
    for name in ("Red", "", "a b", "x" * 17):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"shoe": {"deck_sets": [name]}}, game.settings)
