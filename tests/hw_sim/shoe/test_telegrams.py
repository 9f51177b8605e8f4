"""The shoe's telegrams byte for byte, how often they are sent, and what becomes of them on the way."""

from __future__ import annotations

import math
from random import Random

import pytest

from hw_sim.shoe.telegrams import (
    CANNOT_READ,
    FORCE_QUIT,
    OVERDRAW,
    RESULTS,
    TO_BANKER,
    TO_PLAYER,
    Fate,
    Sender,
    card_bytes,
    result_byte,
    telegram,
)

STOPPED = 0x40


@pytest.mark.parametrize(
    ("made", "published"),
    [
        (telegram("1", "D", card_bytes(TO_PLAYER, 1, 8, "S")), "05 31 44 81 B8 03 34 46"),
        (telegram("9", "D", card_bytes(TO_BANKER, 1, 5, "C")), "05 39 44 91 A5 03 34 41"),
        (telegram("2", "G", result_byte(RESULTS["player"], player_pair=True)), "05 32 47 91 03 45 37"),
        (telegram("A", "G", result_byte(RESULTS["banker"])), "05 41 47 C0 03 43 35"),
        (telegram("3", "C"), "05 33 43 03 37 33"),
        (telegram("4", "E", (STOPPED | CANNOT_READ,)), "05 34 45 C1 03 42 33"),
        (telegram("8", "e", (CANNOT_READ,)), "05 38 65 81 03 44 46"),
        (telegram("D", "E", (STOPPED | OVERDRAW,)), "05 44 45 C2 03 43 30"),
    ],
)
def test_the_published_vectors(made: bytes, published: str) -> None:
    assert made.hex(" ").upper() == published


def test_a_force_quit_and_both_pairs() -> None:
    assert result_byte(FORCE_QUIT) == (0x70,)
    assert result_byte(RESULTS["tie"], True, True) == (0x23,)


def sent(sender: Sender, until_s: float = 60.0) -> list[tuple[float, bytes]]:
    out = []
    while (at_s := sender.next_s()) <= until_s:
        out.append((round(at_s, 3), sender.due(at_s)))
    return out


def test_each_message_is_sent_so_often_and_one_after_the_other() -> None:
    sender = Sender(Random(1), sends=3, gap_s=0.3)
    sender.put(1.0, "P")
    sender.put(1.1, "C")
    copies = sent(sender)
    assert [at_s for at_s, _ in copies] == [1.0, 1.3, 1.6, 1.65, 1.95, 2.25]
    assert [data for _, data in copies] == [telegram("1", "P")] * 3 + [telegram("2", "C")] * 3
    assert sender.next_s() == math.inf


def test_an_acknowledgement_spares_the_other_copies_and_no_other_message() -> None:
    sender = Sender(Random(1), sends=3, gap_s=0.3)
    sender.put(0.0, "P")
    sender.put(0.0, "C")
    assert sender.due(0.0) == telegram("1", "P")
    sender.acknowledged()
    assert [data for _, data in sent(sender)] == [telegram("2", "C")] * 3


def test_the_sequence_goes_round_and_begins_anew_after_a_restart() -> None:
    sender = Sender(Random(1), sends=1, gap_s=0.3)
    for _ in range(17):
        sender.put(0.0, "P")
    assert "".join(chr(data[1]) for _, data in sent(sender)) == "123456789ABCDEF01"
    sender.put(0.0, "C")
    sender.restart()
    assert sender.next_s() == math.inf, "what waited is forgotten"
    sender.put(0.0, "S")
    assert sender.due(0.0) == telegram("1", "S")


def test_fates() -> None:
    sender = Sender(Random(1), sends=3, gap_s=0.3)
    sender.put(0.0, "P", fates=(Fate.LOST, Fate.WHOLE, Fate.LOST))
    assert [data for _, data in sent(sender)] == [b"", telegram("1", "P"), b""]


def test_a_damaged_copy_is_a_telegram_with_one_wrong_bit_after_its_code() -> None:
    whole = telegram("1", "D", card_bytes(TO_PLAYER, 1, 8, "S"))
    places = set()
    for seed in range(200):
        sender = Sender(Random(seed), sends=1, gap_s=0.3)
        sender.put(0.0, "D", card_bytes(TO_PLAYER, 1, 8, "S"), (Fate.DAMAGED,))
        damaged = sender.due(0.0)
        assert damaged[:3] == whole[:3]
        (place,) = [at for at in range(len(whole)) if damaged[at] != whole[at]]
        assert (damaged[place] ^ whole[place]).bit_count() == 1
        places.add(place)
    assert places == {3, 4, 6, 7}, "payload and check, never the end of text"
