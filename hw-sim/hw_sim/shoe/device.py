"""A card table with its reader and its plug: a ``SimDevice``. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from hw_sim.device import Action, Bytes, UnknownWord
from hw_sim.faults import Fault, UnknownFault
from hw_sim.shoe import hidpos
from hw_sim.shoe.angel_eye import AngelEye
from hw_sim.shoe.bench import WORDS as BENCH_WORDS
from hw_sim.shoe.bench import BenchDealer
from hw_sim.shoe.codes import Codes
from hw_sim.shoe.dealer import WORDS, Dealer, Word
from hw_sim.shoe.faults import HandDesk, parse_strikes
from hw_sim.shoe.options import AngelEyeOptions, CardWindowOptions, HidPosOptions, ScannerOptions
from hw_sim.shoe.reader import Reader
from hw_sim.shoe.scanner import HidPosScanner, Scanner
from hw_sim.shoe.truth import Hand
from hw_sim.shoe.window_reader import WindowReader
from hw_sim.truth import TruthLog

if TYPE_CHECKING:
    from hw_sim.mjpeg import Paint

TableOptions: TypeAlias = AngelEyeOptions | ScannerOptions | CardWindowOptions | HidPosOptions


class CardDevice:
    """One card table of a scenario. The same options, seed and calls give the same bytes."""

    def __init__(self, options: TableOptions, seed: int, truth: TruthLog) -> None:
        self.name = options.name
        self.options = options
        # A stream of chance for each part, so that a fault of one changes nothing of the others.
        self.reader = _reader(options, Random(f"{seed}/{options.name}/reader"))
        self.driver, self.model = self.reader.driver, self.reader.model
        least = options.rules().least
        desk = HandDesk(
            Random(f"{seed}/{options.name}/faults"),
            options.rates,
            [parse_strikes(entry, options.faults(), least) for entry in options.hands],
            least,
        )
        self._desk = desk
        self._truth = truth
        who = BenchDealer if options.work == "bench" else Dealer
        self.dealer = who(options, Random(f"{seed}/{options.name}/cards"), desk, self.reader, self._finished)

    def _finished(self, hand: Hand) -> None:
        self._truth.add(hand)

    @property
    def now_s(self) -> float:
        """The table's present moment."""
        return self.dealer.now_s

    def next_s(self) -> float:
        """When something happens next."""
        return self.dealer.next_s()

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        return self.dealer.go_on(to_s)

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now; what the reader answers comes with the next ``advance``."""
        self.dealer.receive(data)
        return self.dealer.go_on(self.dealer.now_s)

    def attached(self) -> None:
        """A host opened the port: readers do not notice."""

    def inject(self, fault: str) -> None:
        """The next hand gets this fault. Raises ``UnknownFault``."""
        known = {each.value: each for each in self.options.faults()}
        if fault not in known:
            raise UnknownFault(f"a {self.model} has no fault {str(fault)!r}; it has: {', '.join(sorted(known))}")
        self._desk.inject(known[fault])

    def note(self, fault: Fault) -> None:
        """Something was done from outside: a table that hangs loses nothing."""

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in from outside, now."""
        self.dealer.plugged(inserted)

    def tell(self, word: str) -> None:
        """Somebody says something to the dealer. Raises ``UnknownWord``."""
        if isinstance(self.dealer, BenchDealer):
            self.dealer.tell_bench(word)
            return
        words: dict[str, Word] = {each: each for each in get_args(Word)}
        if word not in words:
            raise UnknownWord(f"a dealer does not know {word!r}; there are: {', '.join(words)}")
        self.dealer.tell(words[word])

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return BENCH_WORDS if isinstance(self.dealer, BenchDealer) else WORDS

    def files(self) -> Mapping[str, str | bytes]:
        """The code book, where the station needs one."""
        return self.reader.files()

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        self.dealer.power_cycle()

    def in_play(self) -> dict[str, Any] | None:
        """The unfinished record of the hand in play, and why the dealer calls the manager, if so."""
        hand = self.dealer.hand
        return None if hand is None else {**hand.as_json(), "calls": self.dealer.calls}


class WindowDevice(CardDevice):
    """A card table whose reader is a camera."""

    def shot(self) -> Paint:
        """What the camera sees now."""
        assert isinstance(self.reader, WindowReader)
        return self.reader.picture(self.now_s)


class CapturedDevice(CardDevice):
    """A card table whose hands were dealt before anybody looks: its port is a capture (``hidpos.py``)."""

    options: HidPosOptions
    usb_port = hidpos.PORT

    def __init__(self, options: HidPosOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._sent: list[bytes] = []
        before = len(truth.records)
        while len(truth.records) - before < options.count:
            actions = super().advance(super().next_s())
            self._sent += [action.data for action in actions if isinstance(action, Bytes)]

    def next_s(self) -> float:
        """Never: all has happened."""
        return math.inf

    def advance(self, to_s: float) -> list[Action]:  # noqa: ARG002
        """Nothing comes any more."""
        return []

    def files(self) -> Mapping[str, str | bytes]:
        """The code book, and what umockdev needs: the device, and what it says."""
        length = hidpos.REPORT_BYTES
        stream = b"".join(self._sent)
        reports = [stream[at : at + length] for at in range(0, len(stream), length)]
        described: dict[str, str | bytes] = {
            f"{self.name}.umockdev": hidpos.description(),
            f"{self.name}.pcap": hidpos.capture(reports),
        }
        return {**super().files(), **described}

    def run_line(self, folder: Path) -> str:
        """Before the command of a host that is to see this scanner."""
        return hidpos.run_line(folder / f"{self.name}.umockdev", folder / f"{self.name}.pcap")


def _reader(options: TableOptions, rng: Random) -> Reader:
    if isinstance(options, AngelEyeOptions):
        stx_in_bcc = options.command_bcc == "stx_included"
        return AngelEye(rng, sends=options.sends, gap_s=options.repeat_s, stx_in_bcc=stx_in_bcc)
    codes = Codes(options.codes, options.deck_set, options.all_decks(), options.exchanged)
    book_name = f"{options.name}.codebook.toml"
    if isinstance(options, CardWindowOptions):
        seed = rng.getrandbits(32)
        return WindowReader(
            rng, codes, symbology=options.symbology, seed=seed, rest_s=options.rest_s, book_name=book_name
        )
    if isinstance(options, HidPosOptions):
        aim, no_read = options.aim, options.no_read
        return HidPosScanner(rng, codes, suffix="none", prefix="", aim=aim, no_read=no_read, book_name=book_name)
    return Scanner(
        rng,
        codes,
        suffix=options.suffix,
        prefix=options.prefix,
        aim=options.aim,
        no_read=options.no_read,
        book_name=book_name,
    )
