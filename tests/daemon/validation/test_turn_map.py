"""A wheel's file: what it says, and what is said of a wrong one."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.validation.turn_map import COUNTS, SEGMENT_DEG, WheelFileError, load_wheel, parse_wheel
from support.turns import COLORS, plain_file

PATH = Path("w.toml")


def test_the_file_of_the_how_to_is_a_wheel(repository: Path) -> None:
    text = (repository / "docs/howto/add-a-colour-wheel.md").read_text()
    (block,) = [part for part in text.split("```toml\n") if part.startswith("wheel = 1")]
    content = block.split("```")[0].encode()
    wheel = parse_wheel(content, PATH)
    assert wheel.sha256 == "sha256:" + hashlib.sha256(content).hexdigest()
    assert wheel.file.segments[0] == "red"


@given(st.floats(0, 359.9), st.sampled_from(["up", "down"]), st.floats(0, 359.9))
def test_places(true_deg: float, direction: str, offset: float) -> None:
    wheel = parse_wheel(plain_file(direction, offset).encode(), PATH)
    place = wheel.place(true_deg)
    pointer = ((true_deg if direction == "up" else -true_deg) + offset) % 360
    assert 0 <= place.segment < 52
    assert place.segment * SEGMENT_DEG + place.angle_deg == pytest.approx(pointer, abs=1e-6)
    assert place.color == wheel.file.segments[place.segment]
    assert 0 <= place.margin_deg <= SEGMENT_DEG / 2


def test_corrections_lie_between_their_points() -> None:
    wheel = parse_wheel(plain_file(more="correction_deg = [0.0, 2.0, 0.0, -2.0]\n").encode(), PATH)
    found = [wheel.correction(deg) for deg in (0, 45, 90, 135, 180, 270, 315, 359.999, 360 + 45)]
    assert found == pytest.approx([0, 1, 2, 1, 0, -2, -1, 0, 1], abs=1e-3)


@given(st.lists(st.floats(-10, 10), min_size=4, max_size=360))
def test_a_corrected_angle_never_goes_back(correction: list[float]) -> None:
    text = plain_file(more=f"correction_deg = {correction}\n")
    step = 360 / len(correction)
    angles = [index * step + value for index, value in enumerate([*correction, correction[0]])]
    if all(after > before for before, after in pairwise(angles)):
        wheel = parse_wheel(text.encode(), PATH)
        corrected = [deg / 4 + wheel.correction(deg / 4) for deg in range(1441)]
        assert all(after > before for before, after in pairwise(corrected))
    else:
        with pytest.raises(WheelFileError, match="correction_deg: falls"):
            parse_wheel(text.encode(), PATH)


def test_slowing_grows_with_speed() -> None:
    wheel = parse_wheel(plain_file(more="slowing_per_s = 0.05\n").encode(), PATH)
    assert wheel.slowing(-200) == pytest.approx(50)


def test_the_counts_are_those_of_the_book() -> None:
    assert sum(COUNTS.values()) == 52
    assert COUNTS == {"yellow": 24, "blue": 12, "pink": 8, "green": 4, "purple": 2, "orange": 1, "red": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (plain_file(colors=COLORS[:-1]), "segments: 51 entries; the wheel has 52"),
        (plain_file(colors=[*COLORS[1:], "blue"]), "segments: 23 yellow for 24, 13 blue for 12"),
        (plain_file(colors=[*COLORS[1:], "gold"]), "'gold' is none of yellow"),
        (plain_file(direction="left"), "direction: Invalid enum value 'left'"),
        (plain_file(offset=360.0), "offset_deg: Expected `float` < 360"),
        (plain_file(more="correction_deg = [1.0, 2.0]\n"), "correction_deg: 4 to 360 entries"),
        (plain_file(more="correction_deg = [1.0, 2.0, 3.0, 40.0]\n"), "correction_deg: each is -10 to 10"),
        (plain_file(more="correction_deg = [1.0, 2.0, 3.0, nan]\n"), "correction_deg: each is"),
        (plain_file(more=f"correction_deg = {[0.0] * 35 + [10.0]}\n"), "correction_deg: falls so steeply"),
        (plain_file(more=f"correction_deg = {[10.0] + [0.0] * 35}\n"), "correction_deg: falls so steeply"),
        (plain_file(more="keep_out_deg = 0.0\n"), "keep_out_deg: Expected `float` >= 0.1"),
        (plain_file(more="keepout = 1.0\n"), "unknown field `keepout`"),
        (plain_file().replace("slowing_deg_s2 = 40.0", ""), "missing required field `slowing_deg_s2`"),
        (plain_file().replace("wheel = 1", "wheel = 2"), "wheel: Invalid enum value 2"),
        ("wheel = ", "is no TOML"),
    ],
)
def test_a_wrong_file_is_named_with_key_and_reason(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "wheel.toml"
    path.write_text(text)
    with pytest.raises(WheelFileError) as caught:
        load_wheel(path)
    assert str(caught.value).startswith(f"wheel file {path}: ")
    assert reason in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WheelFileError, match="there is no such file"):
        load_wheel(tmp_path / "none.toml")
    with pytest.raises(WheelFileError, match="cannot be read"):
        load_wheel(tmp_path)
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(WheelFileError, match="is no TOML"):
        load_wheel(tmp_path / "x.toml")
