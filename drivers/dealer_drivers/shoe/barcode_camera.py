"""Driver ``barcode-camera``: a camera that looks at the cards' codes through a window (``devices.md`` §3).

Maturity: generic. Any camera that OpenCV opens. Prefer Data Matrix or Code 128 in new decks: Code 39 and ITF carry no
check, and the check digit of EAN and UPC does not save soft pictures.
"""

from __future__ import annotations

from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.camera.ports import CameraOptions, camera_transport
from dealer_drivers.camera.settings import CodesTask
from dealer_drivers.clock import Clock
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.driver import Driver, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.barcode_codec import MAX_FRAME
from dealer_drivers.shoe.camera_session import CameraSession
from dealer_drivers.shoe.card_text import TextRules
from dealer_drivers.shoe.codebook import CodeBook
from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook
from dealer_drivers.shoe.scan_options import repeat_problems
from dealer_drivers.transports.base import Transport


class BarcodeCameraOptions(CameraOptions, frozen=True, kw_only=True):
    """Options of a card window."""

    codebook: str
    """``rank-suit``, or the path of a code book file."""
    symbology: Symbology
    """The one kind of code that is looked for."""
    code_length: int | None = None
    """Characters that every card's code has; another length is no card."""
    second_reader: bool = True
    """Whether zbar must not contradict zxing-cpp. It needs Debian's libzbar0, and knows no Data Matrix."""
    gone_ms: int = 300
    """A window seen empty for so long is empty. Ours: some pictures of ten a second."""
    repeat_window_ms: int = 1000
    """The same code within this time of when it was last in view may be the same card again."""

    def load_book(self) -> CodeBook:
        """The code book. Raises ``OptionError`` that names the file and all that is wrong with it."""
        try:
            return find_codebook(self.codebook)
        except CodeBookError as error:
            raise OptionError("codebook", str(error)) from error

    def problems(self) -> list[OptionError]:
        """Figures out of range, and whatever is wrong with the code book."""
        problems = self.camera_problems()
        problems += [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (
                ("gone_ms", self.gone_ms, 50, 5_000),
                ("repeat_window_ms", self.repeat_window_ms, 0, 60_000),
                ("code_length", self.code_length, 1, MAX_FRAME),
            )
            if value is not None and not low <= value <= high
        ]
        try:
            book = self.load_book()
        except OptionError as error:
            return [*problems, error]
        problems += repeat_problems(self.repeat_window_ms, book)
        if self.code_length is not None and not any(len(code) == self.code_length for code in book.cards):
            problems.append(OptionError("code_length", f"no card of code book {book.deck_set} has this length"))
        return problems


def _session(options: BarcodeCameraOptions) -> CameraSession:
    rules = TextRules(
        book=options.load_book(),
        code_length=options.code_length,
        no_read=(),
        repeat_window_ms=options.repeat_window_ms,
    )
    return CameraSession(rules, options.gone_ms)


def _transport(port: str, options: BarcodeCameraOptions, clock: Clock) -> Transport:
    task = CodesTask(symbology=options.symbology, length=options.code_length, second_reader=options.second_reader)
    return camera_transport(port, options, task, clock)


def _observes(options: BarcodeCameraOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD})


def _serial(options: BarcodeCameraOptions) -> SerialSettings:  # noqa: ARG001
    return SerialSettings()


DRIVER = Driver(
    name="barcode-camera",
    summary="camera over a card window: cards drawn face over a window in the table",
    maturity=Maturity.GENERIC,
    provenance="codes by two published readers; measured on photographs of codes, not on a table's window",
    options=BarcodeCameraOptions,
    calibration=CARD_READER,
    session=_session,
    observes=_observes,
    serial=_serial,
    transport=_transport,
    offline_after_s=5.0,
    transports=frozenset({"camera", "recording"}),
)
