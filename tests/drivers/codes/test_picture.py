"""Bytes of a file become pixels or a reason, within bounds, and nothing ends the process."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealer_drivers.codes.decode import Decoded, decode
from dealer_drivers.codes.picture import MAX_BYTES, grey, grey_of_file
from dealer_drivers.codes.symbology import Doubt, Symbology

Grey = npt.NDArray[np.uint8]
Draw = Callable[..., Grey]


def as_file(picture: npt.NDArray[np.generic], suffix: str) -> bytes:
    done, data = cv2.imencode(suffix, np.asarray(picture))
    assert done
    return data.tobytes()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tiff"])
def test_every_kind_of_file_is_read(suffix: str, printed: Draw) -> None:
    picture = grey_of_file(as_file(printed("8S", Symbology.CODE128), suffix))
    assert not isinstance(picture, Doubt)
    answer = decode(picture, Symbology.CODE128)
    assert isinstance(answer, Decoded)
    assert answer.text == "8S"


def test_colour_sixteen_bits_and_what_is_transparent(printed: Draw) -> None:
    drawn = printed("8S", Symbology.DATAMATRIX)
    clear = np.dstack([np.zeros_like(drawn)] * 3 + [255 - drawn])  # black ink on nothing
    for pixels in (cv2.cvtColor(drawn, cv2.COLOR_GRAY2BGR), drawn.astype(np.uint16) * 256, clear):
        picture = grey_of_file(as_file(pixels, ".png"))
        assert not isinstance(picture, Doubt)
        assert int(np.abs(picture.astype(int) - drawn).max()) <= 1


def png_head(width: int, height: int) -> bytes:
    """A sound PNG that promises more pixels than it has."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def test_what_is_no_picture_and_what_is_too_large() -> None:
    for data in (b"", b"\x89PNG", b"GIF89a", b"<svg/>", bytes(1000)):
        assert grey_of_file(data) is Doubt.NO_PICTURE
    assert grey_of_file(bytes(MAX_BYTES + 1)) is Doubt.TOO_LARGE
    assert grey(np.zeros((30, 30, 7), np.uint8)) is Doubt.NO_PICTURE
    assert grey(np.zeros((30, 30), np.float64)) is Doubt.NO_PICTURE
    assert grey(np.zeros((0, 30), np.uint8)) is Doubt.NO_PICTURE
    assert grey(np.broadcast_to(np.zeros((), np.uint8), (10_000, 10_000))) is Doubt.TOO_LARGE


def test_a_file_that_promises_a_thousand_million_pixels_gets_no_memory(tmp_path: Path) -> None:
    """In a process of its own, as the station's are: OpenCV reads its limit once, when it is loaded."""
    file = tmp_path / "huge.png"
    file.write_bytes(png_head(30_000, 30_000))
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "from dealer_drivers.codes.picture import grey_of_file\n"
        "print(repr(grey_of_file(open(sys.argv[1], 'rb').read())))"
    )
    done = subprocess.run([sys.executable, "-c", program, file], capture_output=True, text=True, check=True)
    assert "too_large" in done.stdout
    assert done.stderr == ""


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_give_the_text_or_none(printed: Draw, data: st.DataObject) -> None:
    suffix = data.draw(st.sampled_from([".png", ".jpg", ".webp", ".bmp", ".tiff"]))
    file = bytearray(as_file(printed("8S-0017", Symbology.DATAMATRIX), suffix))
    for place in data.draw(st.lists(st.integers(0, len(file) - 1), max_size=8)):
        file[place] = data.draw(st.integers(0, 255))
    picture = grey_of_file(bytes(file[: data.draw(st.integers(0, len(file)))]))
    if not isinstance(picture, Doubt) and picture.size < 1_000_000:
        answer = decode(picture, Symbology.DATAMATRIX)
        assert not isinstance(answer, Decoded) or answer.text == "8S-0017"
