"""The comparison of a day of play sees what is wrong, each kind of error made by hand."""

from __future__ import annotations

from typing import Any

from support.play_audit import audit, deck_sets, sent_as_committed


def shake(expect: str, *values: int, finished: bool = True) -> dict[str, Any]:
    return {"expect": expect, "values": list(values), "finished": finished}


def outcome(*values: int) -> dict[str, Any]:
    return {"type": "round.outcome", "data": {"facts": {"dice": list(values)}}}


def refused(word: str = "refused", reason: str = "stacked") -> dict[str, Any]:
    return {"type": f"attempt.{word}", "data": {"reason": reason, "detail": ""}}


PLAYED = [shake("accept", 1, 2, 3), shake("refuse", 4, 4, 5), shake("either", 2, 2, 6), shake("accept", 1, 1, 1)]


def wrong(*events: dict[str, Any]) -> bool:
    found = audit("sic-bo", PLAYED, events)
    return bool(found.wrong)


def test_right_answers_are_right() -> None:
    for middle in ([outcome(2, 2, 6)], [refused()], []):
        found = audit("sic-bo", PLAYED, [outcome(1, 2, 3), refused(), *middle, outcome(1, 1, 1)])
        assert (found.wrong, found.answered) == ([], 4)
        assert found.figures["outcome"] == 2 + (middle == [outcome(2, 2, 6)])


def test_what_is_still_to_come_is_not_wrong() -> None:
    found = audit("sic-bo", PLAYED, [outcome(1, 2, 3)])
    assert (found.wrong, found.answered) == ([], 1)


def test_errors_are_seen() -> None:
    assert wrong(outcome(1, 2, 4)), "another value"
    assert wrong(refused(), outcome(4, 4, 5)), "a good one refused"
    assert wrong(outcome(1, 2, 3), outcome(4, 4, 5)), "a bad one published"
    assert wrong(outcome(1, 2, 3), outcome(2, 2, 6)), "nothing said of a bad one"
    assert wrong(outcome(1, 2, 3), outcome(1, 2, 3)), "published twice"
    assert wrong(outcome(1, 2, 3), refused(), outcome(1, 1, 1), outcome(6, 6, 6)), "invented"


def test_a_good_one_may_be_held_for_lateness_alone() -> None:
    late = audit("sic-bo", PLAYED, [refused("held", "shaker_lost")])
    assert (late.wrong, late.figures["late"]) == ([], 1)
    assert wrong(refused("held", "dice_did_not_move"))


def test_what_was_played_in_a_pause_is_said_to_have_been() -> None:
    paused = {"type": "violation", "data": {"reason": "spin_while_paused", "detail": ""}}
    found = audit("sic-bo", PLAYED, [paused, paused, outcome(2, 2, 6), outcome(1, 1, 1)])
    assert (found.wrong, found.answered) == ([], 4)
    assert (found.figures["in a pause"], found.figures["in a pause: good"]) == (2, 1)
    assert wrong(outcome(1, 2, 3), refused(), paused, outcome(1, 1, 1), paused), "said of nothing"
    assert wrong(outcome(1, 2, 3), {**paused, "data": {"reason": "spin_without_round"}}, outcome(2, 2, 6)), "lost"


def test_a_card_drawn_again_is_refused_once_and_no_more() -> None:
    cards = {"player.1": "8S", "banker.1": "2D", "player.2": "KH", "banker.2": "5C"}
    struck = [{"expect": "rescan", "position": "banker.1"}, {"expect": "rescan", "position": "player.1"}]
    hand = {"game": "baccarat", "cards": cards, "struck": struck, "winner": "player", "finished": True}
    facts = {"player": {"cards": ["8S", "KH"]}, "banker": {"cards": ["2D", "5C"]}, "winner": "player"}
    end = {"type": "round.outcome", "data": {"facts": facts}}
    assert audit("baccarat", [hand], [refused(), end]).wrong == []
    assert audit("baccarat", [hand], [end]).wrong
    assert audit("baccarat", [hand], [refused(), refused(), end]).wrong
    last = audit("baccarat", [hand, hand | {"finished": False}], [refused(), end, refused()])
    assert (last.wrong, last.figures["accepted"], last.figures["under way"]) == ([], 1, 1)
    lost = audit("baccarat", [hand, hand], [refused(), end, refused()])
    assert lost.figures["under way"] == 0, "a hand that is over is not under way"


def test_shuffles_are_verified_or_failed() -> None:
    good, bad = {"job": 7, "expect": "verify"}, {"job": 8, "expect": "fail"}
    said = {word: {"type": f"deck.{word}", "data": {"job": job}} for word, job in (("verified", 7), ("failed", 8))}
    assert deck_sets([good, bad], list(said.values())) == []
    assert deck_sets([good, bad], [said["failed"]])
    assert deck_sets([good, bad], [said["verified"], {"type": "deck.verified", "data": {"job": 8}}])


def test_gaps_and_two_bodies_are_seen() -> None:
    journal = [{"table": "r1", "sequence": n, "type": "table.resumed", "data": {"reason": "x"}} for n in (1, 2)]
    first, second = (b'{"sequence": %d, "data": {"reason": "x"}}' % n for n in (1, 2))
    assert sent_as_committed(journal, [("r1", first), ("r1", second)]) == []
    assert sent_as_committed(journal, [("r1", second)]), "lost"
    assert sent_as_committed(journal, [("r1", second), ("r1", first)]), "out of order"
    assert sent_as_committed(journal[1:], [("r1", second)]), "a gap"
    assert sent_as_committed(journal, [("r1", first), ("r1", second), ("r1", b" " + second)]), "two bodies"
