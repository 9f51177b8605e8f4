"""A picture gives the one text that is in it, or the reason why not; never a choice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_drivers.codes.decode import Decoded, NotRead, decode, ways_needed
from dealer_drivers.codes.second_reader import SecondReader
from dealer_drivers.codes.symbology import Doubt, Symbology, doubt_of

Grey = npt.NDArray[np.uint8]
Draw = Callable[..., Grey]
TEXTS = {
    Symbology.CODE128: "8S-0017",
    Symbology.CODE39: "8S0017",
    Symbology.ITF: "08170017",
    Symbology.EAN13: "9780201379624",
    Symbology.EAN8: "12345670",
    Symbology.UPCA: "0012345678905",
    Symbology.DATAMATRIX: "8S-0017",
    Symbology.QRCODE: "8S-0017",
}


def print_text(symbology: Symbology) -> str:
    """As the writer wants it: it adds check digits, and a UPC-A has no leading 0 on paper."""
    text = TEXTS[symbology]
    if symbology is Symbology.UPCA:
        return text[1:-1]
    return text[:-1] if symbology in (Symbology.EAN13, Symbology.EAN8) else text


@pytest.mark.parametrize("symbology", Symbology)
@pytest.mark.parametrize("turned", [0, 1, 2, 3])
def test_every_symbology_is_read_whichever_way_the_card_lies(
    symbology: Symbology, turned: int, printed: Draw, zbar: SecondReader
) -> None:
    picture = np.ascontiguousarray(np.rot90(printed(print_text(symbology), symbology), turned))
    answer = decode(picture, symbology, second=zbar.read)
    assert isinstance(answer, Decoded)
    assert answer.text == TEXTS[symbology]
    assert answer.ways >= ways_needed(symbology)
    assert decode(picture, symbology, second=zbar.read) == answer, "the same picture gives the same answer"
    assert zbar.lost == 0


@pytest.mark.parametrize("symbology", Symbology)
def test_only_the_symbology_of_the_table_is_looked_for(symbology: Symbology, printed: Draw) -> None:
    for other in Symbology:
        upc_as_ean = (other, symbology) == (Symbology.UPCA, Symbology.EAN13)  # one and the same code
        if other is symbology or upc_as_ean:
            continue
        answer = decode(printed(print_text(other), other), symbology)
        assert isinstance(answer, NotRead), (other, answer)
        assert not answer.seen or Doubt.LENGTH in answer.reasons, (other, answer)


@pytest.mark.parametrize("symbology", Symbology)
def test_two_cards_in_view_are_no_card(symbology: Symbology, printed: Draw) -> None:
    others = {
        Symbology.ITF: "99990000",
        Symbology.EAN13: "400781732709",
        Symbology.EAN8: "8067431",
        Symbology.UPCA: "03660230146",
    }
    one, two = printed(print_text(symbology), symbology), printed(others.get(symbology, "KD-0001"), symbology)
    width = max(one.shape[1], two.shape[1])
    rows = [
        cv2.copyMakeBorder(each, 0, 0, 0, width - each.shape[1], cv2.BORDER_CONSTANT, value=255) for each in (one, two)
    ]
    answer = decode(np.vstack(rows).astype(np.uint8), symbology)
    assert isinstance(answer, NotRead)
    assert answer.reasons == (Doubt.TWO_CODES,)
    assert len(answer.seen) == 2
    both_corners = decode(np.vstack([one, one]), symbology)
    assert isinstance(both_corners, Decoded), "one text printed in two corners of a card is one text"


def test_readers_that_differ_are_refused_and_one_that_knows_nothing_is_not(printed: Draw) -> None:
    picture = printed("8S-0017", Symbology.CODE128)
    for said, expected in (
        (frozenset({"8S-0018"}), Doubt.READERS_DIFFER),
        (frozenset({"8S-0017", "X"}), Doubt.READERS_DIFFER),
    ):
        answer = decode(picture, Symbology.CODE128, second=lambda _picture, _symbology, said=said: said)
        assert isinstance(answer, NotRead)
        assert answer.reasons == (expected,)
        assert "8S-0017" in answer.seen
    for nothing in (None, frozenset[str]()):
        assert isinstance(decode(picture, Symbology.CODE128, second=lambda _p, _s, said=nothing: said), Decoded)


@pytest.mark.parametrize("symbology", Symbology)
def test_a_quick_look_is_as_strict(symbology: Symbology, printed: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    from dealer_drivers.codes import decode as module

    picture = printed(print_text(symbology), symbology)
    answer = decode(picture, symbology, quick=True)
    assert isinstance(answer, Decoded)
    assert (answer.text, answer.ways >= ways_needed(symbology)) == (TEXTS[symbology], True)
    original, looked = module._read, []
    monkeypatch.setattr(module, "_read", lambda view, each: looked.append(view) or original(view, each))
    decode(np.full((200, 200), 255, np.uint8), symbology, quick=True)
    assert len(looked) == (1 if symbology.is_matrix else 5)


def test_ways_that_are_needed() -> None:
    three = {symbology for symbology in Symbology if ways_needed(symbology) == 3}
    one = {symbology for symbology in Symbology if ways_needed(symbology) == 1}
    assert three == {Symbology.CODE39, Symbology.ITF}, "their texts carry no check"
    assert one == {Symbology.DATAMATRIX, Symbology.QRCODE}, "they correct errors"


def test_bars_seen_in_one_way_only_are_unconfirmed(printed: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    from dealer_drivers.codes import decode as module

    original = module.views
    ways = 1
    monkeypatch.setattr(module, "views", lambda picture: list(original(picture))[:ways])
    for symbology in Symbology:
        picture = printed(print_text(symbology), symbology)
        ways = ways_needed(symbology) - 1
        answer = decode(picture, symbology)
        if ways:
            assert answer == NotRead((Doubt.UNCONFIRMED,), (TEXTS[symbology],))
            confirmed = decode(picture, symbology, second=lambda _picture, each: frozenset({TEXTS[each]}))
            assert isinstance(confirmed, Decoded)
        else:
            assert answer == NotRead((Doubt.NO_CODE,))


def test_views_that_differ_are_refused(printed: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    from dealer_drivers.codes import decode as module
    from dealer_drivers.codes.preparations import View

    pictures = [printed(text, Symbology.CODE128) for text in ("8S", "8S", "8S", "9S")]
    monkeypatch.setattr(module, "views", lambda _picture: map(View, pictures))
    assert decode(pictures[0], Symbology.CODE128) == NotRead((Doubt.READERS_DIFFER,), ("8S", "9S"))


def test_the_table_s_length_is_held_to(printed: Draw) -> None:
    picture = printed("0817", Symbology.ITF)
    assert isinstance(decode(picture, Symbology.ITF, length=4), Decoded)
    assert decode(picture, Symbology.ITF, length=6) == NotRead((Doubt.LENGTH,), ("0817",))
    assert decode(printed("08", Symbology.ITF), Symbology.ITF) == NotRead((Doubt.LENGTH,), ("08",))


@pytest.mark.parametrize(
    ("text", "symbology", "doubt"),
    [
        ("", Symbology.CODE128, Doubt.EMPTY),
        ("", Symbology.QRCODE, Doubt.EMPTY),
        ("0817", Symbology.ITF, None),
        ("081", Symbology.ITF, Doubt.NOT_DIGITS),
        ("08١٧", Symbology.ITF, Doubt.NOT_DIGITS),
        ("08", Symbology.ITF, Doubt.LENGTH),
        ("9780201379624", Symbology.EAN13, None),
        ("9780201379625", Symbology.EAN13, Doubt.CHECK_DIGIT),
        ("9780201379264", Symbology.EAN13, Doubt.CHECK_DIGIT),
        ("978020137962X", Symbology.EAN13, Doubt.NOT_DIGITS),
        ("12345670", Symbology.EAN8, None),
        ("12345670", Symbology.EAN13, Doubt.LENGTH),
        ("0012345678905", Symbology.UPCA, None),
        ("9780201379624", Symbology.UPCA, Doubt.LENGTH),
    ],
)
def test_what_a_text_must_be(text: str, symbology: Symbology, doubt: Doubt | None) -> None:
    assert doubt_of(text, symbology) is doubt


@pytest.mark.parametrize("symbology", Symbology)
def test_paper_without_a_code_gives_nothing(symbology: Symbology) -> None:
    noise = np.random.default_rng(7).integers(0, 256, (240, 320), np.uint8)
    stripes = np.tile(np.repeat(np.array([0, 255], np.uint8), 5), (200, 30))
    for picture in (
        np.full((200, 300), 255, np.uint8),
        noise,
        np.zeros((1, 1), np.uint8),
        np.zeros((7, 2000), np.uint8),
    ):
        assert decode(picture, symbology) == NotRead((Doubt.NO_CODE,))
    assert isinstance(decode(stripes, symbology), NotRead)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.randoms(use_true_random=False), st.sampled_from(list(Symbology)))
def test_any_pixels_are_answered(height: int, width: int, random: object, symbology: Symbology) -> None:
    pixels = np.frombuffer(random.randbytes(height * width), np.uint8).reshape(height, width)  # type: ignore[attr-defined]
    assert isinstance(decode(pixels, symbology), NotRead)


def test_a_process_that_reads_no_picture_loads_no_library() -> None:
    program = (
        "import sys, dealer_drivers.codes.decode, dealer_drivers.codes.picture, dealer_drivers.codes.second_reader\n"
        "import dealer_calibration.cli, dealer_calibration.card_pictures\n"
        "print(sorted({'cv2', 'numpy', 'zxingcpp', 'pyzbar'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
