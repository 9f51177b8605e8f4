"""Pictures through memory that two processes see."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from dealer_drivers.camera.shared import SLOTS, FrameReader, FrameWriter, Shape

SHAPE = Shape(4, 6, 3)


@pytest.fixture
def memory() -> Iterator[tuple[FrameWriter, FrameReader]]:
    fd = os.memfd_create("test")
    writer = FrameWriter(fd, SHAPE)
    reader = FrameReader(fd, SHAPE)
    yield writer, reader
    reader.close()
    writer.close()
    os.close(fd)


def shade(value: int) -> np.ndarray:
    return np.full((4, 6, 3), value, np.uint8)


def test_only_the_newest_is_seen(memory: tuple[FrameWriter, FrameReader]) -> None:
    writer, reader = memory
    assert reader.newest() is None
    for value in range(1, 3 * SLOTS):
        writer.write(shade(value), 1000 + value)
        frame = reader.newest()
        assert frame is not None
        assert (frame.count, frame.taken_ns, frame.pixels.shape) == (value, 1000 + value, (4, 6, 3))
        assert (frame.pixels == value).all()
    for value in range(100, 107):
        writer.write(shade(value), value)
    frame = reader.newest()
    assert frame is not None
    assert (frame.pixels == 106).all(), "those between are never seen"


def test_a_copy_stays_as_it_was(memory: tuple[FrameWriter, FrameReader]) -> None:
    writer, reader = memory
    writer.write(shade(1), 1)
    frame = reader.newest()
    assert frame is not None
    for value in range(2, 2 + 2 * SLOTS):
        writer.write(shade(value), value)
    assert (frame.pixels == 1).all()


def test_pictures_of_another_size_are_refused(memory: tuple[FrameWriter, FrameReader]) -> None:
    with pytest.raises(ValueError, match="72 are one"):
        memory[0].write(np.zeros((4, 6), np.uint8), 1)


def test_views_and_grey_pictures() -> None:
    fd = os.memfd_create("test")
    shape = Shape(4, 6, 1)
    writer, reader = FrameWriter(fd, shape), FrameReader(fd, shape)
    writer.write(np.arange(48, dtype=np.uint8).reshape(4, 12)[:, ::2], 5)
    frame = reader.newest()
    assert frame is not None
    assert frame.pixels.shape == (4, 6)
    assert frame.pixels[1, 1] == 14
    reader.close()
    writer.close()
    os.close(fd)
