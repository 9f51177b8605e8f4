"""What a scanner tells: codes of a book that a station can load, with everything that scanners put around them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from dealer_drivers.shoe.codebook import BookKind, Foreign, KnownCard, KnownCut, Misread
from dealer_drivers.shoe.codebook_file import load_codebook
from hw_sim.shoe.blackjack import BOOKS
from hw_sim.shoe.rules import GAMES
from support.dealt import Deal, Dealt


def book(played: Dealt) -> dict[str, str]:
    """By code, the card; the cut card is ``cut``."""
    (text,) = played.device.files().values()
    content = tomllib.loads(text)
    return {row[0]: row[1] for row in (*content["cards"], *content["others"])}


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_dealt_as_its_record_says(scanner: Deal, game: str) -> None:
    played = scanner(game=game).hands(4)
    assert played.texts() == [card for record in played.truth for card in record["cards"].values()]
    assert all(record["complete"] for record in played.truth)
    assert played.truth[-1]["game"] == game


@pytest.mark.parametrize("book", BOOKS)
def test_blackjack_is_dealt_with_players_who_decide(scanner: Deal, book: str) -> None:
    played = scanner(game="blackjack", book=book, decision_s=[0.1, 0.2]).hands(12)
    assert played.texts() == [card for record in played.truth for card in record["cards"].values()]
    assert all(record["said"][-1] == {"action": "done"} for record in played.truth)
    assert len({tuple(record["cards"]) for record in played.truth}) > 3


def test_a_blackjack_dealer_waits_until_the_table_heard_what_was_decided(scanner: Deal) -> None:
    played = scanner(game="blackjack", starts="told")
    played.go_on(20)
    played.tell("deal")
    played.until(lambda: bool((played.device.in_play() or {})["said"]))
    played.go_on(10)
    assert not played.texts(), "the seats are named and no server said so to the table"
    played.tell("expected")
    played.go_on(10)
    assert played.texts()


def test_a_continuous_shuffler_takes_the_cards_back(scanner: Deal) -> None:
    played = scanner(game="blackjack", book="infinite-001", codes="unit", decision_s=[0.1, 0.2]).hands(90, 20_000)
    assert {record["shoe"] for record in played.truth} == {1}
    assert len(played.texts()) > 6 * 52
    assert len(set(played.texts())) < len(played.texts()), "some card came again"


@pytest.mark.parametrize("game", ["niu-niu", "andar-bahar"])
def test_games_of_one_deck_are_shuffled_for_every_hand(scanner: Deal, game: str) -> None:
    played = scanner(game=game).hands(30)
    assert [record["hand_in_shoe"] for record in played.truth] == [1] * 30
    assert len({tuple(record["cards"].values()) for record in played.truth}) == 30
    assert all(len(set(record["cards"].values())) == len(record["cards"]) for record in played.truth)


def test_dragon_tiger_burns_a_card_before_each_hand(scanner: Deal) -> None:
    played = scanner(game="dragon-tiger", burn=True).hands(3)
    assert all(list(record["cards"]) == ["burn", "dragon.1", "tiger.1"] for record in played.truth)


def test_a_new_shoe_burns_as_many_as_its_first_card_says(scanner: Deal) -> None:
    played = scanner(burn_by_first=True, top=["3H"]).hands(1)
    assert played.texts()[:4] == played.truth[0]["burnt"]
    assert len(played.truth[0]["burnt"]) == 4


@pytest.mark.parametrize(("suffix", "end"), [("CR", b"\r"), ("LF", b"\n"), ("CRLF", b"\r\n"), ("TAB", b"\t")])
def test_prefix_identifier_code_and_suffix(scanner: Deal, suffix: str, end: bytes) -> None:
    played = scanner(suffix=suffix, prefix="<", aim="]C0", top=["8S"], hands=["unreadable@2"]).hands(1)
    assert played.sent[0][1] == b"<]C08S" + end
    no_reads = [scanner(seed, aim="]C0", no_read="NOREAD", hands=["unreadable@1"]).hands(1) for seed in range(8)]
    assert "]A0NOREAD" in {played.texts()[0] for played in no_reads}


def test_without_a_suffix_every_text_comes_alone(scanner: Deal) -> None:
    played = scanner(suffix="none").hands(1)
    assert [data.decode() for _, data in played.sent] == list(played.truth[0]["cards"].values())


@pytest.mark.parametrize("codes", ["unit", "rank-suit-book"])
def test_a_station_can_load_the_book(scanner: Deal, codes: str, tmp_path: Path) -> None:
    played = scanner(codes=codes, deck_set="red-2")
    ((name, text),) = played.device.files().items()
    assert name == "scanner.codebook.toml"
    (tmp_path / name).write_text(text)
    loaded = load_codebook(tmp_path / name)
    assert (loaded.kind, loaded.deck_set) == (
        (BookKind.UNIT_CODED, "red-2") if codes == "unit" else (BookKind.RANK_SUIT, "red-2")
    )
    assert len(loaded.cards) == (416 if codes == "unit" else 52)
    played.hands(3)
    found = [loaded.lookup(code) for code in played.texts()]
    cards = [card for record in played.truth for card in record["cards"].values()]
    assert [each.card for each in found if isinstance(each, KnownCard)] == cards
    assert scanner(2, codes=codes, deck_set="red-2").device.files() == {name: text}, "the same in every run"
    assert scanner(codes=codes, deck_set="red-3").device.files() != {name: text}


def test_the_built_in_book_needs_no_file(scanner: Deal) -> None:
    assert scanner().device.files() == {}


def test_unit_codes_are_each_pieces_own_and_the_cut_card_has_one(scanner: Deal) -> None:
    played = scanner(codes="unit").hands(100)
    codes, known = played.texts(), book(played)
    cut = next(code for code, what in known.items() if what == "cut")
    assert codes.count(cut) == 1
    first_shoe = codes[: codes.index(cut)]
    assert len(set(first_shoe)) == len(first_shoe) > 380
    last = next(record for record in played.truth if record["last_hand"])
    assert played.truth[last["hand"]]["shoe"] == 2


def test_an_unreadable_card_is_told_in_every_way_a_scanner_has(scanner: Deal, tmp_path: Path) -> None:
    kinds: set[str] = set()
    for seed in range(12):
        played = scanner(seed, codes="unit", hands=["unreadable@1"]).hands(1)
        (tmp_path / "b.toml").write_text(next(iter(played.device.files().values())))
        loaded = load_codebook(tmp_path / "b.toml")
        first, second = played.texts()[:2]
        found = loaded.lookup(first)
        kinds.add("no read" if first == "NR" else str(found.trouble) if isinstance(found, Misread) else "?")
        right = loaded.lookup(second)
        assert isinstance(right, KnownCard)
        assert right.card == played.truth[0]["cards"]["player.1"]
    assert kinds == {"no read", "partial", "two_codes"}


def test_foreign_codes_once_and_twice(scanner: Deal, tmp_path: Path) -> None:
    for fault, times in (("foreign", 1), ("foreign_again", 2)):
        played = scanner(codes="unit", hands=[f"{fault}@1"]).hands(1)
        (tmp_path / "b.toml").write_text(next(iter(played.device.files().values())))
        loaded = load_codebook(tmp_path / "b.toml")
        texts = played.texts()
        assert len(set(texts[:times])) == 1
        assert isinstance(loaded.lookup(texts[0]), Foreign)
        assert isinstance(loaded.lookup(texts[times]), KnownCard)
        expects = [struck["expect"] for struck in played.truth[0]["struck"]]
        assert expects == ["rescan", "integrity"][:times]


def test_a_card_scanned_twice_within_the_window_and_passed_twice_after_it(scanner: Deal) -> None:
    for fault, least_s, most_s in (("double_scan", 0.1, 0.8), ("passed_twice", 1.4, 3.1)):
        played = scanner(codes="unit", hands=[f"{fault}@1"]).hands(1)
        (one_s, one), (other_s, other) = played.sent[:2]
        assert one == other
        assert least_s < other_s - one_s < most_s
        assert played.truth[0]["struck"][0]["expect"] == "ignore"


def test_a_dealer_at_a_scanner_sees_that_a_card_was_missed(scanner: Deal) -> None:
    played = scanner(hands=["skipped_card@2"]).hands(1)
    assert played.texts() == list(played.truth[0]["cards"].values())
    assert played.sent[1][0] - played.sent[0][0] > 3


def test_a_code_that_came_before_comes_again(scanner: Deal) -> None:
    played = scanner(codes="unit", hands=["good", "good", "good", "ninth_copy@1"]).hands(4)
    texts = played.texts()
    (record,) = [record for record in played.truth if record["faults"]]
    assert record["faults"] == ["ninth_copy"]
    assert record["complete"], "the right card took its place"
    (double,) = {text for text in texts if texts.count(text) == 2}
    assert book(played)[double] == record["burnt"][0]


def test_at_the_wrong_speed_the_card_is_passed_again(scanner: Deal) -> None:
    played = scanner(hands=["wrong_speed@1"]).hands(1)
    garbage, right = played.sent[0][1], played.sent[1][1]
    assert right.decode().strip() == played.truth[0]["cards"]["player.1"]
    assert garbage != right


def test_an_extra_card_is_one_text_more(scanner: Deal) -> None:
    played = scanner(hands=["extra_card"]).hands(1)
    assert played.texts() == [*played.truth[0]["cards"].values(), *played.truth[0]["burnt"]]


def test_cut_card_in_a_book(scanner: Deal, tmp_path: Path) -> None:
    played = scanner(codes="rank-suit-book", hands=["cut_card@1"]).hands(2)
    (tmp_path / "b.toml").write_text(next(iter(played.device.files().values())))
    assert isinstance(load_codebook(tmp_path / "b.toml").lookup(played.texts()[0]), KnownCut)
    assert [record["shoe"] for record in played.truth] == [1, 2]


def test_a_power_cut_loses_what_was_being_said_and_nothing_else(scanner: Deal) -> None:
    played = scanner().go_on(10)
    played.device.power_cycle()
    played.hands(2)
    assert played.texts() == [card for record in played.truth for card in record["cards"].values()]
    assert [struck["expect"] for struck in played.truth[0]["struck"]] == ["either"]


def test_a_dealer_who_waits_for_each_card_deals_one_at_a_word(scanner: Deal) -> None:
    played = scanner(game="dragon-tiger", starts="card_by_card").go_on(300)
    for number in range(1, 4):
        assert len(played.sent) == number - 1
        played.tell("deal")
        played.go_on(60)
        assert len(played.sent) == number
    assert len(played.truth) == 1, "two are a hand"
