"""Command lines: an exit code of the list, never a traceback. Commands that serve or draw are parsed and not run."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from dealer_calibration.cli import main as calibrate
from dealer_daemon.cli import build_parser
from dealer_daemon.cli import main as daemon
from fuzz import stations
from fuzz.folder import ROOT, folder
from fuzz.kind import Case, Kind, Wrong
from fuzz.noise import damaged

CODES = range(4)
DIGITS = ("²".encode(), "٣".encode(), b"9" * 4400)
PARSED_ONLY = {"run", "demo", "record"}
WORDS = (
    "--json", "--config", "--table", "t1", "--device", "d0", "-", "--", "", "-1", "0", "1", "9" * 30, "nan", "inf",
    "1e9", "--help", "-h", "--no-such", "x" * 300, "é", "\udcff", "=", "--also", "d0=x", "..", "/", "/dev/null",
    "--speed", "--seconds", "--by", "x", "--round", "--expect-head", "0:" + "0" * 64, "²:" + "0" * 64, "--evidence",
    "--dice", "3", "--profile", "--symbology", "code128", "datamatrix", "--length", "--decks", "8", "--deck",
    "--one-reader", "17=x",
)  # fmt: skip


class CommandLines:
    """One of the commands."""

    share = 0.3

    def __init__(self, name: str, main: Callable[[Sequence[str]], int], good: Callable[[], list[list[str]]]) -> None:
        self.name = f"arguments/{name}"
        self._main, self._make_good = main, good

    @cached_property
    def good(self) -> list[list[str]]:
        return self._make_good()

    def draw(self, rng: Random) -> Case:
        words = list(rng.choice(self.good))
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            place = rng.randrange(len(words) + 1)
            match rng.randrange(4):
                case 0:
                    del words[place : place + 1]
                case 1 if place < len(words):
                    new = damaged(words[place].encode("utf-8", "surrogateescape"), rng, DIGITS)
                    words[place] = new.replace(b"\0", b"").decode("utf-8", "surrogateescape")
                case 2:
                    words[place:place] = [rng.choice(WORDS)]
                case _:
                    words[place : place + 1] = [rng.choice(WORDS)]
        return words

    def play(self, case: Case) -> int:
        out, said = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape"), io.StringIO()
        asked, sys.stdin = sys.stdin, io.StringIO("number=17\nnumber=17\n")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
                code = self._main(case)
        except SystemExit as ended:  # argparse
            code = ended.code if isinstance(ended.code, int) else 2 if ended.code else 0
        finally:
            sys.stdin = asked
        if code not in CODES:
            raise Wrong(f"{case} exits with {code}")
        if code == 2 and not said.getvalue() and "--json" not in case:
            raise Wrong(f"{case} is wrong, and nothing says why")
        return 1


def _daemon(words: Sequence[str]) -> int:
    if PARSED_ONLY & set(words):
        build_parser().parse_args(words)
        return 0
    return daemon(words)


def _daemon_lines() -> list[list[str]]:
    config = folder() / "station.toml"
    config.write_text(stations.texts()["roulette-ss2"], encoding="utf-8")
    recording = str(next(iter(sorted((ROOT / "tests/recordings").glob("*.jsonl")))))
    short = folder() / "short.rec.jsonl"
    short.write_bytes(b"".join(Path(recording).read_bytes().splitlines(keepends=True)[:40]))
    broken = folder() / "broken.sqlite3"
    broken.write_bytes(b"SQLite format 3\0" + bytes(200))
    table = ["--config", str(config), "--table", "t1"]
    return [
        ["check-config", str(config), "--json"],
        ["check-config", "--config", str(config)],
        ["status", "--state-dir", str(folder())],
        ["replay", *table, "--device", "d0", str(short), "--json"],
        ["journal", "verify", str(broken), "--json"],
        ["journal", "verify", str(broken), "--expect-head", "12:" + "0" * 64],
        ["journal", "export", str(broken)],
        ["journal", "verify", str(broken), "--public-key", str(broken), "--site", "s", "--signed-from", "3"],
        ["journal", "salvage", str(broken), "--to", str(folder() / "to"), "--by", "x", "--after", "t1=4"],
        ["acl", "mosquitto", "--config", str(config), "--station-user", "pc"],
        ["acl", "ejabberd", "--config", str(config), "--clients", str(broken), "--station-user", "pc", "--host", "h"],
        ["keys", "show", str(broken), "--json"],
        ["schema", "events"],
        ["enter", *table, "--by", "x"],
        ["run", "--config", str(config)],
        ["demo", "--seconds", "3", "--speed", "4"],
        ["record", *table, "--device", "d0", "out.rec.jsonl"],
    ]


def _calibrate_lines() -> list[list[str]]:
    here = folder()
    picture = here / "none.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    book = here / "book.toml"
    book.write_text("codebook = 1\n", encoding="utf-8")
    return [
        ["dice", "read", "--dice", "3", str(picture), "--json"],
        ["dice", "read", "--dice", "3", "--profile", str(here / "conformance-dice.json"), str(picture)],
        ["card", "decode", "--symbology", "datamatrix", str(picture), "--json"],
        ["codebook", "check", str(book), "--json"],
        ["files", "list", "--dir", str(here / "none"), "--table", "t1", "--device", "d0", "--json"],
        ["files", "rollback", "--dir", str(here / "none"), "--table", "t1", "--device", "d0", "--to", "x"],
        [
            *("files", "import", "--dir", str(here / "none"), "--table", "t1", "--device", "d0", "--by", "x"),
            *("--driver", "bean-camera", "--kind", "bean-cloth", str(picture)),
        ],
        ["statistics", "--export", str(book), "--json"],
        ["beans", "read", "--profile", str(here / "conformance-beans.json"), str(picture)],
    ]


def kinds() -> list[Kind]:
    """Both commands."""
    return [CommandLines("daemon", _daemon, _daemon_lines), CommandLines("calibrate", calibrate, _calibrate_lines)]
