"""The camera driver: its options, its process, and how the process's ends are told."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import zxingcpp

from dealer_drivers.camera.capture import apply_settings, open_capture
from dealer_drivers.camera.child import main, watch
from dealer_drivers.camera.codes import Looker
from dealer_drivers.camera.grab import ENDED, REFUSED
from dealer_drivers.camera.messages import Beat, CameraRefused, Gap, Message, Ready, Sight, encode
from dealer_drivers.camera.settings import CameraSettings, CodesTask
from dealer_drivers.camera.shared import Frame, Shape
from dealer_drivers.camera.work import CodesWork
from dealer_drivers.codes.second_reader import SecondReader
from dealer_drivers.codes.symbology import Symbology
from dealer_drivers.driver import SerialSettings, load_driver
from dealer_drivers.errors import (
    FixConfigError,
    LinkLost,
    OptionError,
    PortAbsent,
    PortBusy,
    PortForbidden,
    RetryableError,
)
from dealer_drivers.shoe.barcode_camera import DRIVER
from dealer_drivers.shoe.camera_session import CameraSession
from dealer_drivers.transports.camera import CameraTransport
from dealer_drivers.transports.factory import device_transport, make_transport, port_kind
from dealer_drivers.transports.replay import ReplayTransport

GOOD = {"codebook": "rank-suit", "symbology": "code128"}
TASK = CodesTask(symbology=Symbology.CODE128, second_reader=False)
SETTINGS = CameraSettings(source="http://127.0.0.1:1/x", task=TASK)
READY = encode(Ready("640 x 480"))


def options(**values: object) -> Any:
    return DRIVER.parse_options({**GOOD, **values})


def test_the_driver_is_installed_and_makes_its_parts() -> None:
    assert load_driver("barcode-camera") is DRIVER
    parsed = options()
    assert isinstance(DRIVER.session(parsed), CameraSession)
    assert isinstance(device_transport(DRIVER, "/dev/v4l/by-id/window", parsed), CameraTransport)
    assert device_transport(DRIVER, "camera:/dev/dealer/window", parsed).name == "/dev/dealer/window"
    assert device_transport(DRIVER, "camera:http://10.0.0.7/mjpg", parsed).name == "http://10.0.0.7/mjpg"
    assert isinstance(device_transport(DRIVER, "recording:/x.rec.jsonl", parsed), ReplayTransport)
    assert "by-id" in (device_transport(DRIVER, "/dev/video0", parsed).warning or "")
    assert device_transport(DRIVER, "/dev/v4l/by-id/window", parsed).warning is None


@pytest.mark.parametrize(
    "port", ["/dev/v4l/by-path/x", "/dev/video2", "http://h/x", "https://h/x", "camera:/dev/dealer/window"]
)
def test_ports_of_cameras(port: str) -> None:
    assert port_kind(port) == "camera"
    with pytest.raises(OptionError, match="camera"):
        make_transport(port, SerialSettings())


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"symbology": "pdf417"}, "options"),
        ({"codebook": "/nowhere.toml"}, "codebook"),
        ({"code_length": 3}, "code_length"),
        ({"code_length": 0}, "code_length"),
        ({"gone_ms": 10}, "gone_ms"),
        ({"repeat_window_ms": -1}, "repeat_window_ms"),
        ({"width": 20}, "width"),
    ],
)
def test_options_that_cannot_be(values: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as error:
        options(**values)
    assert error.value.key == key


def test_a_port_or_a_setting_that_fits_no_camera() -> None:
    with pytest.raises(OptionError) as error:
        device_transport(DRIVER, "camera:window", options())
    assert error.value.key == "port"
    for address in ("http://", "http:///x", "http://h:0/x", "http://h:x/", "http://[/x", "http://pit:secret@h/x"):
        with pytest.raises(OptionError) as error:
            device_transport(DRIVER, address, options())
        assert error.value.key == "port"
        assert "secret" not in str(error.value)
    for key in ("exposure", "focus", "width", "height"):
        with pytest.raises(OptionError) as error:
            device_transport(DRIVER, "http://10.0.0.7/mjpg", options(**{key: 640}))
        assert error.value.key == key


def child(*program: str) -> tuple[str, ...]:
    """A process instead of the camera's; it is given the settings as its last argument."""
    return (sys.executable, "-c", "\n".join(("import os, sys, time", *program)))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("absent", PortAbsent),
        ("busy", PortBusy),
        ("forbidden", PortForbidden),
        ("option", OptionError),
        ("missing", FixConfigError),
    ],
)
async def test_a_refusal_is_told_by_what_to_do(kind: str, expected: type[Exception]) -> None:
    line = encode(CameraRefused(kind, "the reason", "exposure"))
    transport = CameraTransport(SETTINGS, command=child(f"os.write(1, {line!r})"))
    with pytest.raises(expected, match="the reason") as error:
        await transport.open()
    assert type(error.value) is expected
    if isinstance(error.value, OptionError):
        assert error.value.key == "exposure"


@pytest.mark.parametrize(
    ("program", "expected", "said"),
    [
        ("time.sleep(60)", PortAbsent, "no picture within 1 s"),
        ("sys.exit(1)", RetryableError, "ended before its first picture"),
        (f"os.write(1, {encode(Beat(1, 1))!r}); time.sleep(60)", RetryableError, "something else than ready"),
    ],
)
async def test_a_process_that_does_not_begin(program: str, expected: type[Exception], said: str) -> None:
    with pytest.raises(expected, match=said):
        await CameraTransport(SETTINGS, command=child(program), open_s=1).open()


async def test_lines_arrive_from_the_first_on_and_its_end_is_said() -> None:
    beat = encode(Beat(1, 1))
    program = f"os.write(1, {READY!r}); os.write(1, {beat!r}); sys.exit({ENDED})"
    channel = await CameraTransport(SETTINGS, command=child(program)).open()
    data = b""
    while len(data) < len(READY + beat):
        data += await channel.read()
    assert data == READY + beat
    with pytest.raises(LinkLost, match="gives no pictures any more"):
        await channel.read()
    with pytest.raises(LinkLost, match="takes no questions"):
        await channel.write(b"x")
    await channel.close()
    await channel.close()


async def test_a_process_that_hangs_is_ended() -> None:
    program = f"os.write(1, {READY!r}); time.sleep(60)"
    channel = await CameraTransport(SETTINGS, command=child(program), silent_s=0.3).open()
    assert await channel.read() == READY
    with pytest.raises(LinkLost, match=r"hung for 0\.3 s"):
        await channel.read()
    await channel.close()


async def test_nobody_at_the_address_and_no_such_camera(tmp_path: Path) -> None:
    """The real process."""
    for source, said in ((SETTINGS.source, "gives no pictures"), (str(tmp_path / "video9"), "is not there")):
        settings = CameraSettings(source=source, task=TASK)
        with pytest.raises(PortAbsent, match=said):
            await CameraTransport(settings).open()


async def test_a_path_that_is_no_camera(tmp_path: Path) -> None:
    file = tmp_path / "video0"
    file.write_bytes(b"")
    settings = CameraSettings(source=str(file), task=TASK)
    with pytest.raises(PortBusy, match="is it a camera"):
        await CameraTransport(settings).open()


class FakeCamera:
    """A capture with given pictures; ``stubborn`` settings keep their own value. ``read`` blocks where told."""

    def __init__(self, *pictures: Any, stubborn: dict[int, float] | None = None, hang: bool = False) -> None:
        self.values: dict[int, float] = {}
        self.released = threading.Event()
        self._pictures = list(pictures)
        self._stubborn = stubborn or {}
        self._hang = hang

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Any]:
        if self._pictures:
            return True, self._pictures.pop(0)
        if self._hang:
            self.released.wait()
        return False, None

    def get(self, propId: int, /) -> float:  # noqa: N803
        return self._stubborn.get(propId, self.values.get(propId, -1.0))

    def set(self, propId: int, value: float, /) -> bool:  # noqa: N803
        self.values[propId] = value
        return True

    def release(self) -> None:
        self.released.set()


def test_settings_are_set_by_hand_and_read_back() -> None:
    wanted = CameraSettings(source="/dev/video0", task=TASK, exposure=120, focus=30, width=1280, height=720)
    camera = FakeCamera()
    assert apply_settings(camera, wanted) is None
    assert camera.values == {
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 720,
        cv2.CAP_PROP_AUTO_EXPOSURE: 1,
        cv2.CAP_PROP_EXPOSURE: 120,
        cv2.CAP_PROP_AUTOFOCUS: 0,
        cv2.CAP_PROP_FOCUS: 30,
    }
    for prop, key in (
        (cv2.CAP_PROP_EXPOSURE, "exposure"),
        (cv2.CAP_PROP_AUTO_EXPOSURE, "exposure"),
        (cv2.CAP_PROP_FOCUS, "focus"),
    ):
        refused = apply_settings(FakeCamera(stubborn={prop: 157.0}), wanted)
        assert refused is not None
        assert (refused.kind, refused.key) == ("option", key)
        assert "157" in refused.reason
    untouched = FakeCamera()
    assert apply_settings(untouched, SETTINGS) is None
    assert untouched.values == {}


def card(text: str) -> Any:
    code = np.array(zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128).to_image(scale=3), np.uint8)
    return cv2.cvtColor(cv2.copyMakeBorder(code, 20, 20, 20, 20, cv2.BORDER_CONSTANT, value=255), cv2.COLOR_GRAY2BGR)


def test_what_is_worth_saying() -> None:
    looker = Looker(TASK, None)
    blank = np.full((200, 300), 255, np.uint8)
    shown = cv2.cvtColor(card("8S"), cv2.COLOR_BGR2GRAY)
    assert looker.look(blank) is None
    first, second, gone = looker.look(shown), looker.look(shown), looker.look(blank)
    assert first is not None
    assert (first.frame, first.text, first.aim, first.doubts) == (2, "8S", "]C0", ())
    assert second is not None
    assert (second.frame, second.picture) == (3, first.picture)
    assert gone is not None
    assert (gone.frame, gone.text, gone.doubts) == (4, None, ("no_code",))
    assert looker.look(blank) is None


class Shown:
    """A source of given pictures."""

    def __init__(self, *pictures: Any, then: type[Exception] | None = None) -> None:
        self._pictures = list(pictures)
        self._then = then

    def take(self, timeout_s: float) -> Frame | None:  # noqa: ARG002
        if self._pictures:
            pixels = self._pictures.pop(0)
            return Frame(1, time.monotonic_ns(), pixels)
        if self._then is not None:
            raise self._then
        return None


def no_asks() -> Iterator[Any]:
    return iter(())


@pytest.mark.parametrize("then", [None, EOFError])
def test_a_stream_that_ends_is_told_by_the_exit_code(then: type[Exception] | None) -> None:
    said: list[Message] = []
    shown = card("8S")
    shape = Shape(*shown.shape)
    work = CodesWork(TASK)
    assert watch(Shown(shown, then=then), shape, SETTINGS, work, said.append, no_asks) == ENDED
    ready, sight = said
    assert ready == Ready(f"{shape.width} x {shape.height} pixels, code128 by zxing-cpp alone")
    assert isinstance(sight, Sight)
    assert sight.text == "8S"


class Taken:
    """A source of pictures that were taken at given moments, in seconds."""

    def __init__(self, *pictures: tuple[float, Any]) -> None:
        self._pictures = list(pictures)

    def take(self, timeout_s: float) -> Frame | None:  # noqa: ARG002
        if not self._pictures:
            return None
        at_s, pixels = self._pictures.pop(0)
        return Frame(1, round(at_s * 1e9), pixels)


def gaps(*pictures: tuple[float, Any]) -> list[str]:
    """What the reader's process says of these pictures."""
    said: list[Message] = []
    shape = Shape(*pictures[0][1].shape)
    watch(Taken(*pictures), shape, SETTINGS, CodesWork(TASK), said.append, no_asks)
    return [f"gap {message.seconds:g}" if isinstance(message, Gap) else type(message).__name__ for message in said[1:]]


def test_a_gap_between_pictures_is_told_before_what_the_next_one_shows() -> None:
    one, other = card("8S"), card("KD")
    assert gaps((1.0, one), (1.4, other)) == ["Sight", "Sight"]
    assert gaps((1.0, one), (1.7, other)) == ["Sight", "gap 0.7", "Sight"], "a stream that stopped for so long"
    still = [(1.0 + step / 10, one) for step in range(8)]
    told = [word for word in gaps(*still, (1.8, other)) if word != "Beat"]
    assert told[-2:] == ["gap 0.8", "Sight"], "one that gave the same picture again and again"
    assert "gap 0.8" not in gaps(*still)


def test_a_camera_that_gives_no_picture_at_all() -> None:
    said: list[Message] = []
    assert watch(Shown(), Shape(2, 2, 3), SETTINGS, CodesWork(TASK), said.append, no_asks) == REFUSED
    assert isinstance(said[0], CameraRefused)


def test_without_zbar_it_says_what_to_install_or_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondReader.__init__, "__defaults__", ((sys.executable, "-c", "exit(3)"),))
    said: list[Message] = []
    asked = CameraSettings(source=SETTINGS.source, task=CodesTask(symbology=Symbology.CODE128))
    assert main(asked, said.append, no_asks) == REFUSED
    (refused,) = said
    assert isinstance(refused, CameraRefused)
    assert refused.kind == "missing"
    assert "apt-get install libzbar0" in refused.reason
    assert "second_reader = false" in refused.reason


def test_no_right_to_the_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "video0"
    file.write_bytes(b"")
    monkeypatch.setattr("os.access", lambda *_arguments, **_more: False)
    refused = open_capture(CameraSettings(source=str(file), task=TASK))
    assert isinstance(refused, CameraRefused)
    assert refused.kind == "forbidden"
