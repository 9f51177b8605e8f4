"""The second reader may abort, hang or be missing: this process goes on, and says so."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from dealer_drivers.codes.second_reader import SecondReader, SecondReaderMissing
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.codes.zbar_child import MISSING, REQUEST, serve

Grey = npt.NDArray[np.uint8]
PICTURE: Grey = np.full((40, 60), 255, np.uint8)
READY = "import os, sys, time; os.write(1, b'\\x02\\0\\0\\0[]')\n"


def child(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def test_texts_of_one_symbology(zbar: SecondReader, printed: Callable[..., Grey]) -> None:
    picture = printed("8S-0017", Symbology.CODE128)
    assert zbar.read(picture, Symbology.CODE128) == {"8S-0017"}
    assert zbar.read(picture, Symbology.CODE39) == frozenset()
    assert zbar.read(picture, Symbology.DATAMATRIX) is None, "zbar has no Data Matrix"
    assert zbar.read(printed("01234567890", Symbology.UPCA), Symbology.UPCA) == {"0012345678905"}
    assert zbar.read(printed("978020137962", Symbology.EAN13), Symbology.UPCA) == frozenset()
    assert zbar.lost == 0


@pytest.mark.parametrize(
    "then",
    [
        "os.read(0, 10); os.abort()",
        "time.sleep(60)",
        "os.write(1, b'\\xff\\xff\\xff\\xff')",
        "os.write(1, b'\\x01\\0\\0\\0[')",
    ],
)
def test_a_child_that_aborts_hangs_or_babbles_costs_one_picture(then: str) -> None:
    with SecondReader(child(f"{READY}{then}\ntime.sleep(60)"), read_s=0.3) as reader:
        began = time.monotonic()
        assert reader.read(PICTURE, Symbology.CODE128) is None
        assert reader.read(PICTURE, Symbology.CODE128) is None, "it was started anew, and failed anew"
        assert reader.lost == 2
        assert time.monotonic() - began < 5


def test_the_next_picture_after_an_abort_is_read(tmp_path: object, printed: Callable[..., Grey]) -> None:
    once = f"{tmp_path}/once"
    program = (
        f"import os, sys\nif not os.path.exists({once!r}):\n"
        f"    open({once!r}, 'w').close(); os.write(1, b'\\x02\\0\\0\\0[]'); os.read(0, 1); os.abort()\n"
        "from dealer_drivers.codes.zbar_child import serve\n"
        "sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))"
    )
    with SecondReader(child(program)) as reader:
        picture = printed("8S", Symbology.QRCODE)
        assert reader.read(picture, Symbology.QRCODE) is None
        assert reader.read(picture, Symbology.QRCODE) == {"8S"}
        assert reader.lost == 1


def test_without_zbar_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with SecondReader(child(f"import sys; sys.exit({MISSING})")) as reader:
        with pytest.raises(SecondReaderMissing, match="apt-get install libzbar0"):
            reader.start()
        with pytest.raises(SecondReaderMissing):
            reader.read(PICTURE, Symbology.CODE128)
    monkeypatch.setitem(sys.modules, "pyzbar", None)
    assert serve(io.BytesIO(), io.BytesIO()) == MISSING


def test_the_child_ends_with_its_parent() -> None:
    """Its requests end in mid-picture when the parent is killed."""
    pytest.importorskip("pyzbar.pyzbar")
    answers = io.BytesIO()
    assert serve(io.BytesIO(REQUEST.pack(40, 60, b"CODE128") + bytes(100)), answers) == 0
    assert answers.getvalue() == b"\x02\0\0\0[]"
    assert serve(io.BytesIO(b"\0"), io.BytesIO()) == 0
