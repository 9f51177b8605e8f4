"""The lines of a camera over a scene."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.camera.messages import Ask, Beat, LookMade, Message, PictureFile, Ready, Scene, encode
from dealer_drivers.camera.readings import LookUnclear, SceneMoved, SceneStill
from dealer_drivers.camera.scene_session import SceneSession
from dealer_drivers.dice.sicbo_camera import DRIVER, SicboCameraOptions
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Reading, Unreadable
from dealer_drivers.readings.dice import DiceSeen

OPTIONS = SicboCameraOptions(profile="/nowhere.json")
NOW = Instant(10**12, 10**18)
JPEG = b"\xff\xd8 a picture"
SHA = hashlib.sha256(JPEG).hexdigest()
PICTURE = PictureFile(SHA, "image/jpeg", base64.b64encode(JPEG).decode())


def face(value: int) -> dict[str, Any]:
    return {"value": value, "x": 1.0, "y": 2.0, "size_px": 90.0, "turn_deg": 3.0, "dark_pips": True, "score": 0.9}


def look(ask: int = 1, values: tuple[int, ...] | None = (1, 2, 3), **more: Any) -> LookMade:
    value = None if values is None else {"faces": [face(value) for value in values]}
    fields = {"ask": ask, "frames": 5, "first_age_ms": 300.0, "last_age_ms": 20.0, "picture": SHA, "value": value}
    return LookMade(**(fields | more))


def session() -> SceneSession:
    made = DRIVER.session(OPTIONS)
    assert isinstance(made, SceneSession)
    made.opened(NOW)
    return made


def say(one: SceneSession, *messages: Message, at: Instant = NOW) -> tuple[Reading, ...]:
    return one.feed(b"".join(map(encode, messages)), at).readings


def ask(one: SceneSession) -> int:
    (sent,) = one.request(DeviceAction.LOOK, NOW).send
    return msgspec.json.decode(sent, type=Ask).ask


def test_a_look_tells_when_its_pictures_were_taken_and_brings_the_last_one() -> None:
    one = session()
    assert ask(one) == 1
    (seen,) = say(one, PICTURE, look())
    assert isinstance(seen, DiceSeen)
    assert [face.value for face in seen.faces] == [1, 2, 3]
    assert (seen.ask, seen.frames) == (1, 5)
    assert (NOW.since_s(seen.first), NOW.since_s(seen.last)) == (0.3, 0.02)
    (picture,) = seen.pictures
    assert (picture.sha256, picture.media_type, picture.data) == (SHA, "image/jpeg", JPEG)
    assert seen.raw == encode(look())


def test_reasons_instead_of_dice() -> None:
    one = session()
    ask(one)
    (unclear,) = say(one, PICTURE, look(values=None, reasons=("stacked",), detail="one is larger"))
    assert isinstance(unclear, LookUnclear)
    assert (unclear.reasons, unclear.detail, len(unclear.pictures)) == (("stacked",), "one is larger", 1)


@pytest.mark.parametrize("values", [(0, 1, 2), (1, 2, 7), (99, 1, 1), (1, 2), (1, 2, 3, 4), (), (-1, 2, 3)])
def test_no_die_has_such_values(values: tuple[int, ...]) -> None:
    one = session()
    ask(one)
    (unreadable,) = say(one, PICTURE, look(values=values))
    assert isinstance(unreadable, Unreadable)


@pytest.mark.parametrize("value", [{}, {"faces": None}, {"faces": [[1]]}, {"dice": [1, 2, 3]}])
def test_no_look_looks_like_this(value: dict[str, Any]) -> None:
    one = session()
    ask(one)
    (unreadable,) = say(one, PICTURE, look(value=value))
    assert isinstance(unreadable, Unreadable)


def test_only_the_newest_question_is_answered_and_once() -> None:
    one = session()
    assert [type(reading) for reading in say(one, PICTURE, look(1))] == [Unreadable], "nobody asked"
    ask(one)
    assert ask(one) == 2
    assert [type(reading) for reading in say(one, PICTURE, look(1))] == [Unreadable]
    assert [type(reading) for reading in say(one, PICTURE, look(2))] == [DiceSeen]
    assert [type(reading) for reading in say(one, PICTURE, look(2))] == [Unreadable], "the same answer again"
    ask(one)
    one.lost(NOW, "unplugged")
    one.opened(NOW)
    assert [type(reading) for reading in say(one, PICTURE, look(3))] == [Unreadable], "asked before the loss"


def test_a_look_without_its_picture_or_with_another_is_none() -> None:
    one = session()
    ask(one)
    assert [type(reading) for reading in say(one, look())] == [Unreadable]
    false = PictureFile(SHA, "image/jpeg", base64.b64encode(b"other").decode())
    assert [type(reading) for reading in say(one, false, look())] == [Unreadable, Unreadable]
    assert [type(reading) for reading in say(one, PictureFile(SHA, "image/jpeg", "&&"))] == [Unreadable]


def test_movement() -> None:
    moved, still = say(session(), Scene(True, 10), Scene(False, 600))
    assert isinstance(moved, SceneMoved)
    assert isinstance(still, SceneStill)
    assert NOW.since_s(moved.taken) == 0.01
    assert NOW.since_s(still.since) == 0.6


def test_a_picture_that_stands_still_is_a_fault_until_it_lives() -> None:
    one = session()
    assert say(one, Beat(10, 5)) == ()
    (fault,) = say(one, Beat(20, 0), Beat(30, 0), at=NOW.plus_s(2.1))
    assert isinstance(fault, DeviceFault)
    assert fault.fault == "silent"
    (cleared,) = say(one, Beat(40, 1), at=NOW.plus_s(3))
    assert isinstance(cleared, DeviceFault)
    assert cleared.cleared


@given(
    st.lists(st.sampled_from([Scene(True, 1), Beat(1, 1), Ready("x"), PICTURE, look(1), look(0)]), max_size=7),
    st.binary(max_size=30),
    st.data(),
)
def test_the_answer_does_not_depend_on_how_lines_are_cut(
    messages: list[Message], junk: bytes, data: st.DataObject
) -> None:
    stream = junk + b"\n" + b"".join(map(encode, messages))
    whole, cut = session(), session()
    ask(whole)
    ask(cut)
    expected = whole.feed(stream, NOW)
    readings: list[Reading] = []
    frames = rejected = 0
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        output = cut.feed(stream[:size], NOW)
        stream = stream[size:]
        readings += output.readings
        frames, rejected = frames + output.frames, rejected + output.rejected
    assert (tuple(readings), frames, rejected) == (expected.readings, expected.frames, expected.rejected)


def test_the_driver_asks_only_when_asked_to_look() -> None:
    one = session()
    assert one.request(DeviceAction.START_SHAKE, NOW).send == ()
    assert DeviceAction.LOOK in DRIVER.actions(None)
