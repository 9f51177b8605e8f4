"""Driver ``barcode-camera``: a camera that looks at the cards' codes through a window (``devices.md`` §3).

Maturity: generic. Any camera that OpenCV opens. Prefer Data Matrix or Code 128 in new decks: Code 39 and ITF carry no
check, and the check digit of EAN and UPC does not save soft pictures.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from dealer_drivers.camera.settings import CameraSettings
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.driver import Driver, DriverOptions, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.barcode_codec import MAX_FRAME
from dealer_drivers.shoe.camera_session import CameraSession
from dealer_drivers.shoe.card_text import TextRules
from dealer_drivers.shoe.codebook import CodeBook
from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook
from dealer_drivers.transports.base import Transport
from dealer_drivers.transports.camera import CAMERA, CameraTransport


class BarcodeCameraOptions(DriverOptions, frozen=True, kw_only=True):
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
    """A code unseen for so long has left the window. Ours: some pictures of ten a second."""
    repeat_window_ms: int = 1000
    """The same code within this time of when it was last in view may be the same card again."""
    exposure: float | None = None
    """In the camera's own units, with its automatic exposure off. V4L cameras only, as the next three."""
    focus: float | None = None
    """In the camera's own units, with its automatic focus off."""
    width: int | None = None
    """Pixels of the picture."""
    height: int | None = None
    """Pixels of the picture."""

    def load_book(self) -> CodeBook:
        """The code book. Raises ``OptionError`` that names the file and all that is wrong with it."""
        try:
            return find_codebook(self.codebook)
        except CodeBookError as error:
            raise OptionError("codebook", str(error)) from error

    def problems(self) -> list[OptionError]:
        """Figures out of range, and whatever is wrong with the code book."""
        problems = [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (
                ("gone_ms", self.gone_ms, 50, 5_000),
                ("repeat_window_ms", self.repeat_window_ms, 0, 60_000),
                ("code_length", self.code_length, 1, MAX_FRAME),
                ("width", self.width, 160, 8_192),
                ("height", self.height, 120, 8_192),
            )
            if value is not None and not low <= value <= high
        ]
        try:
            book = self.load_book()
        except OptionError as error:
            return [*problems, error]
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


def _transport(port: str, options: BarcodeCameraOptions) -> Transport:
    settings = CameraSettings(
        source=port.removeprefix(CAMERA),
        symbology=options.symbology,
        length=options.code_length,
        second_reader=options.second_reader,
        exposure=options.exposure,
        focus=options.focus,
        width=options.width,
        height=options.height,
    )
    if not settings.is_stream and not settings.source.startswith("/"):
        raise OptionError("port", f"{port!r} is no camera: write camera:/dev/..., a path under /dev/v4l, or http://...")
    if settings.is_stream:
        _check_address(settings.source)
        for key in ("exposure", "focus", "width", "height"):
            if getattr(options, key) is not None:
                raise OptionError(key, "a camera on the network is set at the camera: leave this out")
    return CameraTransport(settings)


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise OptionError("port", f"{address!r} is no address: {error}") from error
    if not whole:
        raise OptionError("port", f"{address!r} is no address: write http://host:port/path")
    if parts.username is not None or parts.password is not None:
        # It would stand in every log line and in the list of processes.
        raise OptionError("port", "the address holds a user name or password: open the stream to the table's network")


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
    session=_session,
    observes=_observes,
    serial=_serial,
    transport=_transport,
    offline_after_s=5.0,
    transports=frozenset({"camera", "recording"}),
)
