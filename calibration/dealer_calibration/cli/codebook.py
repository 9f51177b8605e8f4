"""``dealer-calibrate codebook``: make a code book, check one, print test cards of one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli.common import Subcommands, add_command, count
from dealer_calibration.cli.exit_codes import DONE, NO, WRONG, complain
from dealer_drivers.codes.symbology import Symbology

if TYPE_CHECKING:
    from dealer_drivers.shoe.codebook import CodeBook


def few(text: str) -> int:
    """How many cut cards or jokers a set may have, for argparse: far more than any has, and few enough to find codes
    for."""
    from dealer_drivers.shoe.codebook_maker import MOST_OTHERS  # whose folder may be absent

    if not text.isascii() or not text.isdigit() or int(text) > MOST_OTHERS:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0 to {MOST_OTHERS}")
    return int(text)


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("codebook", help="make and check code books, print test cards")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_make(actions)
    checker = add_command(
        actions,
        "check",
        "say everything that is wrong with a code book",
        "dealer-calibrate codebook check blue-7.toml --decks 8",
        check,
    )
    checker.add_argument("file", metavar="FILE|rank-suit", help="the book's TOML file, or the built-in book")
    checker.add_argument("--decks", type=count, metavar="N", help="also say when a unit-coded book is not of N decks")
    checker.add_argument(
        "--json", action="store_true", help="print a JSON object: file, ok, problems, kind, deck_set, decks, cards"
    )
    sheet_maker = add_command(
        actions,
        "sheet",
        "make a page of test cards, to be printed on A4 in full size",
        "dealer-calibrate codebook sheet blue-7.toml --symbology code128 --deck 1 -o sheet.html",
        sheet,
    )
    sheet_maker.add_argument("book", metavar="FILE|rank-suit", help="the book's TOML file, or the built-in book")
    sheet_maker.add_argument(
        "--symbology",
        required=True,
        choices=[str(Symbology.CODE128), str(Symbology.DATAMATRIX)],
        metavar="S",
        help=f"the kind of code: {Symbology.CODE128}, {Symbology.DATAMATRIX}",
    )
    sheet_maker.add_argument("--deck", metavar="D", help="this deck alone, with the cut card and jokers")
    _add_output(sheet_maker, "the HTML page")


def _add_make(actions: Subcommands) -> None:
    maker = add_command(
        actions,
        "make",
        "make the code book of a new deck set, in which every card has a code of its own",
        "dealer-calibrate codebook make --decks 8 --deck-set blue-7 --prefix B7 -o blue-7.toml",
        make,
    )
    maker.add_argument("--decks", type=count, required=True, metavar="N", help="how many decks the set has")
    maker.add_argument("--deck-set", required=True, metavar="ID", help="the set's name, in the unit of every card")
    maker.add_argument(
        "--prefix", default="", metavar="P", help="how its codes begin: sets of different prefixes share no code"
    )
    maker.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same book; drawn if left out")
    maker.add_argument("--cut-cards", type=few, default=1, metavar="N", help="cut cards, 0 to 99 (default 1)")
    maker.add_argument("--jokers", type=few, default=0, metavar="N", help="jokers, 0 to 99 (default 0)")
    maker.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object: file, deck_set, decks, cards, cut_cards, jokers, prefix, seed",
    )
    _add_output(maker, "the book's TOML file")


def _add_output(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=f"where to write {what}")
    parser.add_argument("--force", action="store_true", help="write it even where there is a file already")


def make(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the book is written, 2 it cannot be made or written."""
    import secrets

    from dealer_drivers.shoe.codebook_file import dump_codebook
    from dealer_drivers.shoe.codebook_maker import make_codebook

    # Drawn, not fixed: who knows the seed knows which code is which card.
    seed = secrets.randbelow(2**53) if arguments.seed is None else arguments.seed
    try:
        book = make_codebook(
            decks=arguments.decks,
            deck_set=arguments.deck_set,
            prefix=arguments.prefix,
            seed=str(seed),
            cut_cards=arguments.cut_cards,
            jokers=arguments.jokers,
        )
    except ValueError as error:
        return complain(f"no code book can be made: {error}", WRONG)
    if not _written(arguments, dump_codebook(book)):
        return WRONG
    said = {
        "file": str(arguments.output),
        "deck_set": book.deck_set,
        "decks": book.decks,
        "cards": len(book.cards),
        "cut_cards": arguments.cut_cards,
        "jokers": arguments.jokers,
        "prefix": arguments.prefix,
        "seed": seed,
    }
    if arguments.json:
        print(json.dumps(said, ensure_ascii=False))
    else:
        print(
            "{file}: written: deck set {deck_set}, decks: {decks}, cards: {cards}, cut cards: {cut_cards}, "
            "jokers: {jokers}, seed: {seed}".format(**said)
        )
    if not arguments.prefix:
        complain("note: without --prefix another deck set may by chance have one of these codes", DONE)
    return DONE


def check(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the book is good, 1 something is wrong with it, 2 the file cannot be read."""
    book, problems = _loaded(arguments.file)
    if book is not None and book.decks is not None and arguments.decks not in (None, book.decks):
        problems = [f"the book is of {book.decks} decks, not of {arguments.decks}"]
    if arguments.json:
        said = {"file": arguments.file, "ok": not problems, "problems": problems}
        if book is not None:
            said |= {"kind": book.kind, "deck_set": book.deck_set, "decks": book.decks, "cards": len(book.cards)}
        print(json.dumps(said, ensure_ascii=False))
    elif problems:
        for problem in problems:
            complain(f"{arguments.file}: {problem}", NO)
    elif book is not None:
        decks = "" if book.decks is None else f", decks: {book.decks}"
        print(f"{arguments.file}: good: {book.kind}, deck set {book.deck_set}{decks}, cards: {len(book.cards)}")
    if not problems:
        return DONE
    return NO if book is not None or _readable(Path(arguments.file)) else WRONG


def sheet(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 the page is written, 2 the book cannot be used or the page cannot be made or written."""
    from dealer_calibration.codebook_drawing import CodeTooLongError
    from dealer_calibration.codebook_sheet import NoSuchDeckError, make_sheet
    from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook

    try:
        made = make_sheet(find_codebook(arguments.book), Symbology(arguments.symbology), arguments.deck)
    except CodeBookError as error:
        for problem in error.problems:
            complain(f"{arguments.book}: {problem}", WRONG)
        return WRONG
    except (CodeTooLongError, NoSuchDeckError) as error:
        return complain(f"{arguments.book}: {error}", WRONG)
    if not _written(arguments, made.html):
        return WRONG
    print(f"{arguments.output}: written: test cards: {made.cards}, pages: {made.pages}; print on A4 at 100 %")
    return DONE


def _loaded(name: str) -> tuple[CodeBook | None, list[str]]:
    from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook

    try:
        return find_codebook(name), []
    except CodeBookError as error:
        return None, error.problems


def _readable(path: Path) -> bool:
    try:
        path.open("rb").close()
    except OSError:
        return False
    return True


def _written(arguments: argparse.Namespace, text: str) -> bool:
    """Whether the output was written; says on stderr why not."""
    from dealer_drivers.whole_files import write_whole

    path: Path = arguments.output
    try:
        write_whole(path, text, replace=arguments.force)
    except FileExistsError:
        complain(f"{path}: there is a file already; choose another name, or say --force to replace it", WRONG)
    except OSError as error:
        complain(f"{path}: cannot be written: {error.strerror or error}", WRONG)
    else:
        return True
    return False
