"""Code books: looked up exactly, checked on load with everything that is wrong, made so that misreads are noticed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.cards import DECK
from dealer_drivers.errors import FixConfigError
from dealer_drivers.readings.shoe import CardTrouble, CardUnit, ForeignKind
from dealer_drivers.shoe.check_character import ALPHABET, MAX_BODY, check_character, is_checked
from dealer_drivers.shoe.codebook import RANK_SUIT, BookKind, CodeBook, Foreign, KnownCard, KnownCut, Misread
from dealer_drivers.shoe.codebook_file import CodeBookError, dump_codebook, find_codebook, load_codebook
from dealer_drivers.shoe.codebook_maker import make_codebook


@pytest.fixture(scope="module")
def blue() -> CodeBook:
    return make_codebook(decks=8, deck_set="blue", prefix="B7", seed="blue", cut_cards=2, jokers=2, adverts=1)


def test_deck_is_the_notation_of_messages() -> None:
    assert len(set(DECK)) == 52
    assert {"AS", "TD", "9C", "KH"} <= set(DECK)


def test_rank_suit_code_is_the_card() -> None:
    assert {code: RANK_SUIT.lookup(code) for code in DECK} == {code: KnownCard(code) for code in DECK}


@pytest.mark.parametrize("code", ["8s", "10S", "8S ", " 8S", "1S", "8X", "Z", "8SX", "NR"])
def test_what_is_not_exactly_a_code_is_foreign(code: str) -> None:
    assert RANK_SUIT.lookup(code) == Foreign(ForeignKind.UNKNOWN)


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("8", CardTrouble.PARTIAL),
        ("S", CardTrouble.PARTIAL),
        ("8SKD", CardTrouble.TWO_CODES),
        ("8S8S", CardTrouble.TWO_CODES),
        ("8S KD", CardTrouble.TWO_CODES),
        ("8S;KD,AH ", CardTrouble.TWO_CODES),
        ("8S]C0KD", CardTrouble.TWO_CODES),
    ],
)
def test_pieces_and_several_at_once_are_misread(code: str, trouble: CardTrouble) -> None:
    found = RANK_SUIT.lookup(code)
    assert isinstance(found, Misread)
    assert found.trouble is trouble


def test_made_book_knows_every_physical_card(blue: CodeBook) -> None:
    assert len(blue.cards) == 416
    units = [known.unit for known in blue.cards.values()]
    assert len(set(units)) == 416
    for deck in range(1, 9):
        cards = [known.card for known in blue.cards.values() if known.unit and known.unit.deck == str(deck)]
        assert sorted(cards) == sorted(DECK)
    assert [type(other) for other in blue.others.values()] == [KnownCut, KnownCut, Foreign, Foreign, Foreign]


def test_made_codes_suit_code_128_and_data_matrix(blue: CodeBook) -> None:
    assert blue.lengths() == {8}
    assert all(code.startswith("B7") and set(code) <= set(ALPHABET) for code in blue.codes())


def test_made_codes_are_three_characters_apart(blue: CodeBook) -> None:
    nearest = min(sum(a != b for a, b in zip(one, two, strict=True)) for one, two in combinations(blue.codes(), 2))
    assert nearest >= 3


def test_one_or_two_misread_characters_are_never_another_card(blue: CodeBook) -> None:
    code = next(iter(blue.cards))
    for place in range(len(code)):
        for wrong in ALPHABET.replace(code[place], ""):
            found = blue.lookup(code[:place] + wrong + code[place + 1 :])
            assert isinstance(found, Misread)
            assert found.trouble is CardTrouble.CHECK_CHARACTER
    swapped = code[:4] + code[5] + code[4] + code[6:]
    assert code[4] != code[5]
    assert isinstance(blue.lookup(swapped), Misread)


def test_card_of_another_set_is_foreign_not_misread(blue: CodeBook) -> None:
    red = make_codebook(decks=1, deck_set="red", prefix="R2", seed="blue")
    assert all(blue.lookup(code) == Foreign() for code in red.cards)


def test_jokers_and_cut_cards_are_told_apart(blue: CodeBook) -> None:
    kinds = [blue.lookup(code) for code in blue.others]
    assert kinds == [
        KnownCut(),
        KnownCut(),
        Foreign(ForeignKind.JOKER),
        Foreign(ForeignKind.JOKER),
        Foreign(ForeignKind.ADVERT),
    ]


def test_same_seed_same_book(blue: CodeBook) -> None:
    arguments = {"decks": 8, "deck_set": "blue", "prefix": "B7", "cut_cards": 2, "jokers": 2, "adverts": 1}
    assert make_codebook(**arguments, seed="blue") == blue  # type: ignore[arg-type]
    assert not set(make_codebook(**arguments, seed="other").cards) & set(blue.cards)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"decks": 0}, {"decks": 17}, {"prefix": "O1"}, {"prefix": "ABCDEFG"}, {"deck_set": ""}, {"jokers": -1}]
)
def test_impossible_books_are_not_made(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must|cannot"):
        make_codebook(**{"decks": 1, "deck_set": "x", "prefix": "X", "seed": "x", **wrong})  # type: ignore[arg-type]


@given(body=st.text(ALPHABET, min_size=1, max_size=MAX_BODY), data=st.data())
def test_check_character_notices_a_wrong_and_two_exchanged_characters(body: str, data: st.DataObject) -> None:
    code = body + check_character(body)
    assert is_checked(code)
    place = data.draw(st.integers(0, len(code) - 1))
    wrong = data.draw(st.sampled_from(ALPHABET))
    assert is_checked(code[:place] + wrong + code[place + 1 :]) is (wrong == code[place])
    one, two = sorted(data.draw(st.tuples(st.integers(0, len(body)), st.integers(0, len(body)))))
    letters = list(code)
    letters[one], letters[two] = letters[two], letters[one]
    assert is_checked("".join(letters)) is (code[one] == code[two])


@pytest.mark.parametrize("code", ["", "A", "a2", "O11", "B7é", "2" * 31])
def test_what_has_no_check_character(code: str) -> None:
    assert not is_checked(code)


def test_file_round_trip(tmp_path: Path, blue: CodeBook) -> None:
    for book in (blue, RANK_SUIT, make_codebook(decks=1, deck_set='a "quoted" \\ name', prefix="", seed="1")):
        path = tmp_path / "book.toml"
        path.write_text(dump_codebook(book), encoding="utf-8")
        assert load_codebook(path) == book
        assert find_codebook(str(path)) == book
    assert find_codebook("rank-suit") is RANK_SUIT


def write(
    path: Path, head: str, cards: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]] | None = None
) -> Path:
    rows = ",\n".join(str(list(row)).replace("'", '"') for row in cards)
    extra = f"others = {[list(row) for row in others]}\n".replace("'", '"') if others is not None else ""
    path.write_text(f"codebook = 1\n{head}\ncards = [\n{rows}\n]\n{extra}", encoding="utf-8")
    return path


def units(deck: str = "1") -> list[tuple[str, ...]]:
    return [(f"{deck}-{number:03d}", card, deck, str(number)) for number, card in enumerate(DECK)]


UNIT_HEAD = 'kind = "unit-coded"\ndeck_set = "x"\ndecks = 1'
RANK_HEAD = 'kind = "rank-suit"\ndeck_set = "x"'


def test_books_of_suppliers_load(tmp_path: Path) -> None:
    book = load_codebook(write(tmp_path / "unit.toml", UNIT_HEAD, units(), [("CUT", "cut"), ("JOK", "joker")]))
    assert book.lookup("1-007") == KnownCard(DECK[7], CardUnit("x", "1", "7"))
    assert book.lookup("CUT") == KnownCut()
    assert (book.kind, book.decks, book.checked) == (BookKind.UNIT_CODED, 1, False)
    plain = load_codebook(
        write(tmp_path / "rank.toml", RANK_HEAD, [(f"C{n:02d}", card) for n, card in enumerate(DECK)])
    )
    assert plain.lookup("C00") == KnownCard(DECK[0])
    assert plain.decks is None


@pytest.mark.parametrize(
    ("head", "cards", "others", "problems"),
    [
        (UNIT_HEAD, units()[:-1], None, ["deck 1 lacks KD", "51 cards; 1 decks have 52"]),
        (
            UNIT_HEAD,
            [*units(), ("X", "8S", "1", "99")],
            None,
            ["deck 1 has more than once 8S", "53 cards; 1 decks have 52"],
        ),
        (UNIT_HEAD, [*units()[:-1], ("1-000", "KD", "1", "51")], None, ["code 1-000 stands 2 times"]),
        (UNIT_HEAD, [*units()[:-1], ("X", "KD", "1", "0")], None, ["deck 1 serial 0 is given to 2 cards"]),
        (UNIT_HEAD, [*units()[:-1], ("X", "KD", "1", "")], None, ["code X has no deck or no serial"]),
        (UNIT_HEAD, [*units()[:-1], ("X", "10D", "1", "51")], None, ["'10D' of code X is no card", "deck 1 lacks KD"]),
        (
            UNIT_HEAD.replace("decks = 1", "decks = 2"),
            units(),
            None,
            ["decks = 2, and the cards are of 1: 1", "52 cards; 2 decks have 104"],
        ),
        (UNIT_HEAD.replace("decks = 1", ""), units(), None, ["decks must be 1 to 16"]),
        (UNIT_HEAD.replace("decks = 1", "decks = true"), units(), None, ["decks must be 1 to 16"]),
        (UNIT_HEAD, units(), [("1-000", "cut")], ["code 1-000 stands 2 times"]),
        (UNIT_HEAD, units(), [("J", "wild")], ["others: 'wild' of code J must be one of cut, joker, advert"]),
        (UNIT_HEAD, units(), [("1-0", "cut")], ["is the head of 1-000"]),
        (UNIT_HEAD, units(), [("051", "cut")], ["code 051 is the tail of 1-051"]),
        (
            UNIT_HEAD,
            units(),
            [("cut", "cut"), ("Cut", "cut")],
            ["codes Cut and cut differ only in upper and lower case"],
        ),
        (UNIT_HEAD, units(), [("]C0X", "cut")], ["begins like an AIM identifier"]),
        (UNIT_HEAD, units(), [("", "cut")], ["printable ASCII"]),
        (UNIT_HEAD, units(), [("a b", "cut")], ["printable ASCII"]),
        (UNIT_HEAD, units(), [("é", "cut")], ["printable ASCII"]),
        (UNIT_HEAD, units(), [("X" * 49, "cut")], ["printable ASCII"]),
        (UNIT_HEAD + '\ncheck = "weighted-31"', units(), None, ["code 1-000 has a wrong check character"]),
        (UNIT_HEAD + '\ncheck = "luhn"', units(), None, ["check must be"]),
        (UNIT_HEAD + "\ncolour = 1", units(), None, ["key 'colour' is not known"]),
        (UNIT_HEAD.replace('"x"', '""'), units(), None, ["deck_set must name"]),
        (RANK_HEAD, units(), None, ["cards, row 1 must be 2 strings", "cards, row 52 must be 2 strings"]),
        (RANK_HEAD + "\ndecks = 8", [(card, card) for card in DECK], None, ["a rank-suit book has no decks"]),
        (RANK_HEAD, [(card, card) for card in DECK[1:]], None, ["the book lacks AS"]),
        (RANK_HEAD.replace("rank-suit", "other"), units(), None, ["kind must be one of rank-suit, unit-coded"]),
    ],
)
def test_everything_wrong_with_a_book_is_listed(
    tmp_path: Path, head: str, cards: list[tuple[str, ...]], others: list[tuple[str, ...]] | None, problems: list[str]
) -> None:
    path = write(tmp_path / "bad.toml", head, cards, others)
    with pytest.raises(CodeBookError) as caught:
        load_codebook(path)
    assert isinstance(caught.value, FixConfigError)
    assert str(path) in str(caught.value)
    for problem in problems:
        assert any(problem in listed for listed in caught.value.problems), caught.value.problems


def test_the_formats_version_is_a_number(tmp_path: Path) -> None:
    path = write(tmp_path / "b.toml", UNIT_HEAD, units())
    path.write_text(path.read_text().replace("codebook = 1", "codebook = true"), encoding="utf-8")
    with pytest.raises(CodeBookError, match="codebook must be 1"):
        load_codebook(path)


def test_checked_codes_have_one_length(tmp_path: Path, blue: CodeBook) -> None:
    path = tmp_path / "book.toml"
    text = dump_codebook(blue).replace("others = [\n", f'others = [\n  ["{"Q" + check_character("Q")}", "cut"],\n')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CodeBookError) as caught:
        load_codebook(path)
    assert caught.value.problems == ["codes with check characters must all have one length"]


def test_problems_of_different_kinds_are_listed_together(tmp_path: Path) -> None:
    cards = [("1-001", "8S", "1", "0"), ("1-001", "9Z", "1", "0")]
    with pytest.raises(CodeBookError) as caught:
        load_codebook(write(tmp_path / "bad.toml", UNIT_HEAD + "\nx = 1", cards, [("q", "wild")]))
    assert len(caught.value.problems) >= 7


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such file"),
        (b"\xff\xfe", "no TOML"),
        (b"cards = [", "no TOML"),
        (b"", "kind must be"),
        (b"cards = 3\nkind = 'rank-suit'", "list of rows"),
    ],
)
def test_files_that_are_no_book(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "book.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CodeBookError, match=says):
        load_codebook(path)


def test_a_folder_is_no_book(tmp_path: Path) -> None:
    with pytest.raises(CodeBookError, match="cannot be read"):
        load_codebook(tmp_path)
