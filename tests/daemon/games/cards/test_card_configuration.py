"""A card table that could not play is said to be impossible before the station starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, parse_config
from dealer_drivers.shoe.codebook_file import dump_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook

STATION = '[station]\nsite = "studio-1"\nstate_dir = "state"\n'
SCANNER = 'driver = "barcode-serial"\nport = "/dev/dealer/scanner"\ncodebook = "rank-suit"'
SHOE = 'driver = "angel-eye"\nport = "/dev/dealer/shoe"'
WITNESS = '[[tables.t1.devices]]\nname = "second"\nrole = "witness"\n'
BACCARAT = 'game = "baccarat"\nround_source = "device"'


def problems(folder: Path, table: str, *, shoe: str = "", device: str = SCANNER, more: str = "") -> str:
    """What is wrong with a table; empty where nothing is."""
    parts = [STATION, "[tables.t1]", table, "[tables.t1.shoe]", "require_verified = false", shoe]
    parts += ["[[tables.t1.devices]]", 'name = "reader"', device, more]
    try:
        parse_config("\n".join(parts), folder / "station.toml")
    except ConfigErrors as errors:
        return str(errors)
    return ""


def scanner_of(folder: Path, decks: int) -> str:
    """A scanner whose code book knows each card of so many decks by itself."""
    book = folder / f"{decks}.toml"
    book.write_text(dump_codebook(make_codebook(decks=decks, deck_set="set", prefix="AB", seed="7")))
    return SCANNER.replace("rank-suit", str(book))


@pytest.fixture
def one_deck(tmp_path: Path) -> str:
    return scanner_of(tmp_path, 1)


@pytest.mark.parametrize("source", ["device", "server"])
def test_a_shoe_that_deals_in_its_own_order_needs_a_table_that_does(tmp_path: Path, source: str) -> None:
    table = f'game = "baccarat"\nround_source = "{source}"\norder = "open"'
    assert "tables.t1.order" in problems(tmp_path, table, device=SHOE)
    assert "tables.t1.order" in problems(tmp_path, table, more=WITNESS + SHOE)
    assert problems(tmp_path, table) == ""
    assert problems(tmp_path, table.replace("open", "deal"), device=SHOE) == ""


def test_a_shoe_of_baccarat_is_no_witness_of_another_game(tmp_path: Path) -> None:
    said = problems(tmp_path, 'game = "dragon-tiger"\nround_source = "device"', more=WITNESS + SHOE)
    assert "not of dragon-tiger" in said
    assert said.count("not of dragon-tiger") == 1
    assert problems(tmp_path, BACCARAT, more=WITNESS + SHOE) == ""


@pytest.mark.parametrize("rules", ["classic-001", "classic-003", "free-bet-001", "switch-001", "infinite-001"])
def test_a_round_that_begins_with_the_servers_word_is_the_servers(tmp_path: Path, rules: str) -> None:
    table = f'game = "blackjack"\nround_source = "device"\nrules = "{rules}"'
    assert ("tables.t1.round_source" in problems(tmp_path, table)) is (rules != "infinite-001")
    assert problems(tmp_path, table.replace('"device"', '"server"')) == ""


@pytest.mark.parametrize("game", ["baccarat", "dragon-tiger", "niu-niu", "three-cards", "holdem", "san-gong", "koi"])
def test_nothing_is_withheld_where_nobody_bets(tmp_path: Path, game: str) -> None:
    table = f'game = "{game}"\nround_source = "device"\nearly = "withhold"'
    assert "tables.t1.early" in problems(tmp_path, table)
    assert problems(tmp_path, table.replace('"device"', '"server"')) == ""
    assert problems(tmp_path, table.replace("withhold", "forbid")) == ""


@pytest.mark.parametrize("game", ["niu-niu", "three-cards", "holdem", "san-gong", "koi", "brawl", "andar-bahar"])
def test_games_of_one_deck_have_one(tmp_path: Path, game: str) -> None:
    table = f'game = "{game}"\nround_source = "device"'
    for decks, good in ((1, True), (2, False), (8, False)):
        said = problems(tmp_path, table, shoe=f"decks = {decks}")
        assert ("tables.t1.shoe.decks" in said) is not good
    assert problems(tmp_path, table) == ""


@pytest.mark.parametrize(
    ("shoe", "key"), [("burn = 2", ""), ("burn = 3", "shoe.burn"), ("burn_by_first = true", "shoe.burn_by_first")]
)
def test_what_is_burnt_leaves_the_cards_of_the_longest_round(tmp_path: Path, shoe: str, key: str) -> None:
    """Andar bahar: the joker, and at most 49 cards until one has its rank."""
    said = problems(tmp_path, 'game = "andar-bahar"', shoe=shoe)
    assert f"tables.t1.{key}: a round of andar-bahar may need 50 cards: at most 2" in said if key else said == ""
    assert problems(tmp_path, 'game = "niu-niu"', shoe="burn = 20") == ""


@pytest.mark.parametrize(
    ("table", "shoe", "said"),
    [
        ("", "decks = 0", "shoe.decks: expected a whole number, 1 to 16, not 0"),
        ("", "decks = 17", "shoe.decks: expected a whole number, 1 to 16, not 17"),
        ("", "result_wait_s = nan", "shoe.result_wait_s: expected a number, 0 to 60, not nan"),
        ("", "early_change_after = 0", "shoe.early_change_after: expected a whole number, 1 or more, not 0"),
        ("", 'deck_sets = ["Red one"]', "shoe.deck_sets[0]: expected 1 to 16 small letters, digits, _ or -"),
        (
            "",
            'deck_sets = ["a", "b", "c", "d", "e"]',
            "shoe.deck_sets: expected a list, at most 4 long, not a list of 5",
        ),
        ('gates = ["call"]', "", 'gates[0]: expected one of "first_four", "player_third", not "call"'),
        ('gates = "call"', "", 'gates: expected a list, not "call"'),
    ],
)
def test_what_a_value_may_be_is_said(tmp_path: Path, table: str, shoe: str, said: str) -> None:
    assert f"tables.t1.{said}" in problems(tmp_path, f"{BACCARAT}\n{table}", shoe=shoe)


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_other_games_have_as_many_as_the_table_says(tmp_path: Path, decks: int) -> None:
    assert problems(tmp_path, BACCARAT, shoe=f"decks = {decks}") == ""
    assert problems(tmp_path, 'game = "blackjack"\nrules = "infinite-001"', shoe=f"decks = {decks}") == ""


def test_a_book_that_knows_each_card_has_the_decks_of_the_shoe(tmp_path: Path, one_deck: str) -> None:
    assert "1 decks and the shoe 8" in problems(tmp_path, BACCARAT, device=one_deck)
    assert problems(tmp_path, BACCARAT, shoe="decks = 1", device=one_deck) == ""
    witness = WITNESS + one_deck.replace("scanner", "second")
    assert '"second" has 1 decks' in problems(tmp_path, BACCARAT, more=witness)


def test_or_those_of_all_sets_that_the_table_has(tmp_path: Path) -> None:
    device, table = scanner_of(tmp_path, 2), 'game = "koi"\nround_source = "device"'
    assert "has 2 decks" in problems(tmp_path, table, device=device)
    assert problems(tmp_path, table, shoe='deck_sets = ["red", "blue"]', device=device) == ""
