"""Files of pictures, one after the other, through the reading that card windows use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dealer_calibration.picture_files import bytes_of
from dealer_drivers.codes.decode import Decoded, NotRead, decode
from dealer_drivers.codes.picture import grey_of_file
from dealer_drivers.codes.second_reader import NAMES, SecondReader, SecondReaderMissing
from dealer_drivers.codes.symbology import Doubt, Symbology


@dataclass(frozen=True, slots=True)
class Judged:
    """One picture. ``text`` is ``None`` exactly when it is refused; ``reasons`` are words of ``Doubt``."""

    file: Path
    text: str | None
    reasons: tuple[str, ...]
    ms: float

    @property
    def accepted(self) -> bool:
        """Whether the text may be used."""
        return self.text is not None

    @property
    def verdict(self) -> str:
        """``accepted`` or ``refused``."""
        return "accepted" if self.accepted else "refused"

    def as_json(self) -> dict[str, Any]:
        """The line that other programs read."""
        return {
            "file": str(self.file),
            "verdict": self.verdict,
            "text": self.text,
            "reasons": list(self.reasons),
            "ms": round(self.ms, 2),
        }


class CardPictures:
    """Judges pictures of one symbology. ``note`` says what is not as it should be, and stops nothing."""

    def __init__(self, symbology: Symbology, length: int | None = None, *, second: bool = True) -> None:
        self.note = ""
        self._symbology = symbology
        self._length = length
        self._second = SecondReader() if second and symbology in NAMES else None

    def __enter__(self) -> Self:
        if self._second is not None:
            try:
                self._second.start()
            except SecondReaderMissing as error:
                self._second = None
                self.note = f"note: {error}; going on with one reader"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._second is not None:
            self._second.close()

    def judge(self, file: Path) -> Judged:
        """One file. Raises ``OSError`` when it cannot be read; whatever its bytes are, they are judged."""
        data = bytes_of(file)
        began = time.perf_counter()
        answer = self._read(data)
        ms = (time.perf_counter() - began) * 1000
        if isinstance(answer, Decoded):
            return Judged(file, answer.text, (), ms)
        return Judged(file, None, tuple(map(str, answer.reasons)), ms)

    def _read(self, data: bytes) -> Decoded | NotRead:
        picture = grey_of_file(data)
        if isinstance(picture, Doubt):
            return NotRead((picture,))
        second = None if self._second is None else self._second.read
        return decode(picture, self._symbology, second=second, length=self._length)
