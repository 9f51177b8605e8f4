"""What an Angel Eye shoe tells of the hands that are dealt from it, fault by fault."""

from __future__ import annotations

from functools import reduce
from operator import xor

import pytest

from support.dealt import Deal, Dealt, words_of


def of_hand(played: Dealt, number: int) -> list[str]:
    """The shoe's words from the hand's stand-by to the next one's."""
    hands: list[list[str]] = []
    for word in played.words():
        if word == "P":
            hands.append([])
        elif hands:
            hands[-1].append(word)
    return hands[number - 1]


def cards_told(words: list[str]) -> dict[str, str]:
    return {place: card for word in words if word.startswith("D ") for _, place, card in [word.split()]}


def struck(played: Dealt, number: int) -> list[tuple[str, str | None, str]]:
    return [(s["fault"], s["position"], s["expect"]) for s in played.truth[number - 1]["struck"]]


def test_good_hands_are_told_as_they_were_dealt(shoe: Deal) -> None:
    played = shoe().hands(80)
    assert played.words()[0] == "S"
    assert "damaged" not in played.words()
    winners = set()
    for number, record in enumerate(played.truth[:-1], 1):
        words = [word for word in of_hand(played, number) if word != "C"]
        assert cards_told(words) == record["cards"]
        result = words[len(record["cards"])]
        assert result.split(",")[0] == f"G {record['winner']}"
        for side in ("player", "banker"):
            first, second = (record["cards"][f"{side}.{n}"] for n in (1, 2))
            assert (f"{side} pair" in result) == (first[0] == second[0])
        winners.add(record["winner"])
        assert (record["complete"], record["swept"], record["faults"]) == (True, False, [])
    assert winners == {"player", "banker", "tie"}


def test_a_seed_repeats_its_hands_however_time_is_cut(shoe: Deal) -> None:
    rates = {"unreadable": 0.2, "wrong_checksum": 0.2, "restart": 0.1, "unplug": 0.1}
    one, other = shoe(5, rates=rates), shoe(5, rates=rates)
    one.go_on(500)
    while other.device.now_s < 500:
        other.keep(other.device.advance(min(other.device.now_s + 0.013, 500)))
    assert one.stream == other.stream
    assert one.truth == other.truth
    assert shoe(6, rates=rates).go_on(500).stream != one.stream


def test_the_whole_shoe_is_dealt_to_its_cut_card_and_no_card_twice(shoe: Deal) -> None:
    played = shoe(burn_by_first=True)
    played.until(lambda: any(record["last_hand"] for record in played.truth), 3000)
    played.until(lambda: played.words().count("S") == 2).go_on(1)
    told = played.words()
    assert told.count("C") == 1
    assert [word for word in told[told.index("C") :] if word == "P"] == [], "no hand after the last one"
    record = played.truth[-1]
    assert (record["last_hand"], record["shoe"]) == (True, 1)
    cards = [card for each in played.truth for card in (*each["burnt"], *each["cards"].values())]
    assert 52 * 8 - 20 <= len(cards) <= 52 * 8 - 8
    assert all(cards.count(card) <= 8 for card in cards)


@pytest.mark.parametrize(("first", "count"), [("AS", 1), ("7D", 7), ("KH", 10)])
def test_burnt_cards_are_as_many_as_the_first_says(shoe: Deal, first: str, count: int) -> None:
    played = shoe(burn_by_first=True, top=[first]).hands(1)
    before = played.words()[1 : played.words().index("P")]
    assert before[0] == f"D first_burn.1 {first}"
    assert [word.split()[1] for word in before[1:]] == [f"burn_count.{n}" for n in range(1, count + 1)]
    assert played.truth[0]["burnt"] == [word.split()[2] for word in before]


def test_each_message_comes_three_times_until_it_is_acknowledged(shoe: Deal) -> None:
    silent, polite, once = shoe(), shoe(), shoe(sends=1)
    polite.answer = lambda data: b"\x06" if data.startswith(b"\x05") else b""
    for played in (silent, polite, once):
        played.hands(3)
    assert silent.words() == polite.words() == once.words()
    # The last message may still be on its way.
    assert len(silent.words(copies=True)) == pytest.approx(3 * len(silent.words()), abs=2)
    assert polite.words(copies=True) == once.words(copies=True) == once.words()


@pytest.mark.parametrize(("fault", "error"), [("unreadable", "E1!"), ("foreign", "E6!"), ("backwards", "E4! E5!")])
def test_a_card_that_is_not_read_is_drawn_again_for_its_place(shoe: Deal, fault: str, error: str) -> None:
    played = shoe(hands=[f"{fault}@2"]).hands(2)
    words = of_hand(played, 1)
    assert words[0].startswith("D player.1")
    assert words[1] in error.split()
    assert words[2] == f"e{words[1][1]}"
    assert words[3].startswith("D banker.1")
    assert cards_told(words) == played.truth[0]["cards"]
    assert [(f, at) for f, at, _ in struck(played, 1)] == [(fault, "banker.1")]


def test_three_times_in_a_row(shoe: Deal) -> None:
    words = of_hand(shoe(hands=["unreadable_often@1"]).hands(2), 1)
    assert words[:6] == ["E1!", "e1"] * 3


def test_the_dealer_scans_again_when_told_to(shoe: Deal) -> None:
    """... and not before the time that a dealer takes who is not told."""
    patient, told = (shoe(hands=["unreadable@1"], rescan_s=[50, 60]) for _ in range(2))
    for played in (patient, told):
        played.until(lambda played=played: "E1!" in played.words())  # type: ignore[misc]
    told.tell("rescan")
    assert any(word.startswith("D") for word in told.go_on(5).words())
    assert not any(word.startswith("D") for word in patient.go_on(45).words())
    assert any(word.startswith("D") for word in patient.go_on(16).words())


def test_a_telegram_that_is_lost_altogether_is_missing_and_nothing_else(shoe: Deal) -> None:
    played = shoe(hands=["skipped_card@2"]).hands(2)
    record = played.truth[0]
    assert cards_told(of_hand(played, 1)) == {at: card for at, card in record["cards"].items() if at != "banker.1"}
    assert record["complete"]
    assert struck(played, 1) == [("skipped_card", "banker.1", "hold")]


@pytest.mark.parametrize(
    ("fault", "copies", "expect"),
    [
        ("lost_telegram", ["D"], "accept"),
        ("wrong_checksum", ["damaged", "D", "D"], "rescan"),
        ("repeated_telegram", ["D"] * 6, "accept"),
        ("announced_twice", ["D"] * 6, "ignore"),
    ],
)
def test_what_the_line_does_to_a_telegram(shoe: Deal, fault: str, copies: list[str], expect: str) -> None:
    played = shoe(hands=[f"{fault}@1"]).hands(2)
    told = words_of(played.stream)
    begin, end = (next(i for i, (_, word) in enumerate(told) if at in word) for at in ("D player.1", "D banker.1"))
    begin = next(i for i in range(begin - 1, -1, -1) if told[i][1] == "P") + 1
    assert [word.split()[0] for _, word in told[begin:end]] == copies
    assert len({sequence for sequence, _ in told[begin:end]}) == (2 if fault == "announced_twice" else 1)
    assert struck(played, 1) == [(fault, "player.1", expect)]


@pytest.mark.parametrize("fault", ["lost_telegram", "wrong_checksum"])
def test_a_shoe_that_sends_once_loses_what_the_line_loses(shoe: Deal, fault: str) -> None:
    played = shoe(hands=[f"{fault}@1"], sends=1).hands(2)
    assert "player.1" not in cards_told(of_hand(played, 1))
    assert struck(played, 1) == [(fault, "player.1", "hold")]


def test_a_restart_in_mid_hand_forgets_the_hand(shoe: Deal) -> None:
    played = shoe(hands=["restart@3"]).hands(2)
    words, record = of_hand(played, 1), played.truth[0]
    at = words.index("S")
    assert list(cards_told(words[:at])) == ["player.1", "banker.1"]
    cards = list(record["cards"].values())
    assert words[at + 1 : at + 3] == [f"D player.1 {cards[2]}", f"D banker.1 {cards[3]}"]
    assert words[-1] == "G force quit", "the dealer must end the shoe's hand"
    assert struck(played, 1) == [("restart", "player.2", "hold")]


def test_equal_cards_in_a_row_are_two_pieces(shoe: Deal) -> None:
    played = shoe(hands=["equal_cards@2"]).hands(2)
    assert played.truth[0]["cards"]["player.1"] == played.truth[0]["cards"]["banker.1"]
    assert cards_told(of_hand(played, 1)) == played.truth[0]["cards"]


def test_a_misread_card_has_the_value_of_the_right_one(shoe: Deal) -> None:
    played = shoe(rates={"misread": 1.0}).hands(40)
    for number, record in enumerate(played.truth[:-1], 1):
        told = cards_told(of_hand(played, number))
        ((position, read),) = record["read_as"].items()
        right = record["cards"][position]
        assert told == record["cards"] | {position: read}
        assert read != right
        assert read[0] == right[0] or {read[0], right[0]} <= set("TJQK")


def test_a_ninth_copy_comes_only_when_eight_came_before_and_the_hand_is_given_up(shoe: Deal) -> None:
    played = shoe(hands=["ninth_copy"])
    played.until(lambda: any(record["faults"] for record in played.truth), 5000)
    (record,) = [record for record in played.truth if record["faults"]]
    ((fault, position, expect),) = struck(played, record["hand"])
    assert (fault, expect) == ("ninth_copy", "integrity")
    (copy,) = record["burnt"]
    before = [card for each in played.truth[:-1] if each["shoe"] == record["shoe"] for card in each["cards"].values()]
    assert before.count(copy) == 8
    words = played.words()
    assert f"D {position} {copy}" in words
    assert record["swept"]
    assert position not in record["cards"]


def test_the_cut_card_anywhere(shoe: Deal) -> None:
    for place, position in ((1, "player.1"), (4, "banker.2")):
        played = shoe(hands=["good", f"cut_card@{place}"]).hands(3)
        words = of_hand(played, 2)
        assert words.index("C") == place - 1
        assert (played.truth[1]["last_hand"], played.truth[2]["shoe"]) == (True, 2)
        assert struck(played, 2) == [("cut_card", position, "last_hand")]


def test_an_extra_card_is_overdrawn_and_put_away(shoe: Deal) -> None:
    played = shoe(hands=["extra_card"]).hands(2)
    words, record = of_hand(played, 1), played.truth[0]
    assert words[-3:] == ["E2!", f"d {record['burnt'][0]}", "e2"]
    assert words[-4].startswith("G "), "the hand itself was over"
    assert record["complete"]


def test_an_overdrawn_card_begins_the_next_hand(shoe: Deal) -> None:
    played = shoe(hands=["overdrawn"]).hands(3)
    words = of_hand(played, 1)
    assert words[-3] == "E2!"
    assert words[-2] == f"R player.1 {played.truth[1]['cards']['player.1']}"
    assert of_hand(played, 2)[0] == words[-2].replace("R", "D")


def test_results_that_are_lost_or_wrong(shoe: Deal) -> None:
    played = shoe(hands=["lost_result", "wrong_result"]).hands(3)
    assert not any(word.startswith("G") for word in of_hand(played, 1))
    (result,) = [word for word in of_hand(played, 2) if word.startswith("G")]
    assert result.split(",")[0] != f"G {played.truth[1]['winner']}"


def test_an_empty_shoe_says_nothing_and_the_dealer_calls(shoe: Deal) -> None:
    played = shoe(hands=["shoe_empty@3"])
    played.until(lambda: bool((played.device.in_play() or {}).get("calls")))
    assert played.device.in_play()["calls"] == "shoe_empty"  # type: ignore[index]
    before = len(played.go_on(1).sent)
    assert len(played.go_on(20).sent) == before
    played.tell("void")
    played.hands(2)
    first, second = played.truth
    assert (first["complete"], first["swept"], second["shoe"]) == (False, True, 2)


def test_at_the_wrong_speed_nothing_is_a_telegram_until_the_hand_is_over(shoe: Deal) -> None:
    played = shoe(hands=["wrong_speed@2"]).hands(2)
    words = of_hand(played, 1)
    assert list(cards_told(words)) == ["player.1"]
    assert not any(word.startswith("G") for word in words)
    assert len(played.stream) > sum(len(word) for word in words)
    assert cards_told(of_hand(played, 2)) == played.truth[1]["cards"]


def test_the_dealer_waits_while_the_plug_is_out(shoe: Deal) -> None:
    played = shoe(hands=["unplug@2"]).hands(2)
    (out_s, out), (in_s, inserted) = played.plugs
    assert (out, inserted) == (False, True)
    assert 2 <= in_s - out_s <= 8
    cards = [at_s for at_s, data in played.sent if data[2:3] == b"D"]
    assert not [at_s for at_s in cards if out_s + 0.7 < at_s < in_s], "no new card, at most copies of the last one"
    assert cards_told(of_hand(played, 1)) == played.truth[0]["cards"]


def test_the_dealer_stops_finishes_and_gives_up_as_told(shoe: Deal) -> None:
    played = shoe(patience_s=100)
    played.until(lambda: any(word.startswith("D banker.1") for word in played.words()))
    played.tell("stop")
    played.go_on(90)
    assert list(cards_told(of_hand(played, 1))) == ["player.1", "banker.1"]
    played.tell("finish")
    played.hands(1)
    assert played.truth[0]["complete"]
    assert played.go_on(60).words().count("P") == 1, "and stops before the next hand"
    played.tell("go_on")
    played.until(lambda: played.words().count("P") == 2 and bool(cards_told(of_hand(played, 2))))
    played.tell("void")
    played.hands(2)
    assert (played.truth[1]["swept"], of_hand(played, 2)[-1]) == (True, "G force quit")


def test_a_dealer_whom_nobody_tells_anything_goes_on_by_itself(shoe: Deal) -> None:
    played = shoe(patience_s=5)
    played.until(lambda: any(word.startswith("D") for word in played.words()))
    played.tell("stop")
    played.hands(2, limit_s=100)


def test_hands_that_wait_for_the_word(shoe: Deal) -> None:
    played = shoe(starts="told").go_on(300)
    assert (played.truth, played.words()) == ([], ["S", "P"])
    played.tell("deal")
    played.hands(1, limit_s=60).go_on(300)
    assert len(played.truth) == 1


def command(body: bytes) -> bytes:
    frame = body + b"\x03"
    return b"\x02" + frame + b"%02X" % reduce(xor, frame, 0)


def test_commands(shoe: Deal) -> None:
    played = shoe(hands=["unreadable@1"], rescan_s=[50, 60])
    played.until(lambda: "E1!" in played.words())

    def say(data: bytes) -> bytes:
        before = len(played.stream)
        played.keep(played.device.receive(data))
        return played.stream[before:]

    assert say(command(b"OPGP00")).startswith(b"\x02GP")
    assert say(b"\x02OPLK02\x03FF") == b"\x1502", "a wrong check"
    assert say(command(b"OPXX00")) == b"\x1514"
    assert say(command(b"XYLK02")) == b"\x1513"
    assert say(command(b"OPLK2")) == b"\x1511"
    assert say(b"\x02" + b"O" * 40) == b"\x1503"
    assert say(command(b"OPEC01")).startswith(b"\x06")
    assert say(command(b"OPLK02")) == b"\x06"
    played.go_on(5)
    assert {"e1", "L 1"} <= set(played.words())
    assert not any(word.startswith("D") for word in played.go_on(200).words()), "no card out of a locked shoe"
    assert say(command(b"OPLK01")).startswith(b"\x06")
    assert any(word.startswith("D") for word in played.go_on(10).words())
    assert "L 0" in played.words()


def test_the_other_rule_for_the_check_of_a_command(shoe: Deal) -> None:
    for rule, answer in (("stx_included", b"\x06"), ("stx_excluded", b"\x1502")):
        played = shoe(command_bcc=rule).go_on(2)
        before = len(played.stream)
        played.keep(played.device.receive(b"\x02OPLK02\x031B"))
        assert played.stream[before:].startswith(answer)
