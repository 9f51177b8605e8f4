"""Pictures from the capture's process to the reader's, through memory that both see: the newest only.

The memory belongs to a file that has no name, so nothing is left behind whichever process dies. It holds a few slots;
the writer fills them in turn and says after each which one is whole. A slot that was overwritten while it was copied is
told by its count, and the copy is thrown away.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SLOTS = 4
"""One is written, one is read, and two pictures may come meanwhile."""
_HEAD = struct.Struct("<q")
"""The count of the newest whole picture; 0 before the first."""
_SLOT = struct.Struct("<qq")
"""The picture's count, and when it was taken, in nanoseconds of the host's monotonic clock."""
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows, columns and channels of every picture."""

    height: int
    width: int
    channels: int

    @property
    def size(self) -> int:
        """Bytes of one picture."""
        return self.height * self.width * self.channels


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, ``count`` from 1, ``taken_ns`` on the host's monotonic clock."""

    count: int
    taken_ns: int
    pixels: npt.NDArray[np.uint8]


def _slot_at(shape: Shape, count: int) -> int:
    room = (_SLOT.size + shape.size + _PAGE - 1) // _PAGE * _PAGE
    return _PAGE + (count % SLOTS) * room


def _length(shape: Shape) -> int:
    return _slot_at(shape, SLOTS - 1) + _slot_at(shape, 1) - _slot_at(shape, 0)


class FrameWriter:
    """The capture's side. ``fd`` is the nameless file's."""

    def __init__(self, fd: int, shape: Shape) -> None:
        self._shape = shape
        os.ftruncate(fd, _length(shape))
        self._memory = mmap.mmap(fd, _length(shape))
        self._count = 0

    def write(self, pixels: npt.NDArray[np.uint8], taken_ns: int) -> None:
        """One more picture. Raises ``ValueError`` for one of another shape."""
        data = pixels.data.cast("B") if pixels.flags.c_contiguous else memoryview(pixels.tobytes())
        if data.nbytes != self._shape.size:
            raise ValueError(f"a picture of {data.nbytes} bytes, where {self._shape.size} are one")
        count = self._count + 1
        place = _slot_at(self._shape, count)
        _SLOT.pack_into(self._memory, place, 0, 0)  # whoever copies this slot now must not keep the copy
        begin = place + _SLOT.size
        self._memory[begin : begin + data.nbytes] = data
        _SLOT.pack_into(self._memory, place, count, taken_ns)
        _HEAD.pack_into(self._memory, 0, count)
        self._count = count

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


class FrameReader:
    """The reader's side."""

    def __init__(self, fd: int, shape: Shape) -> None:
        self._shape = shape
        self._memory = mmap.mmap(fd, _length(shape), prot=mmap.PROT_READ)

    def newest(self) -> Frame | None:
        """A copy of the newest picture; ``None`` before the first, or when it was overwritten in the middle."""
        import numpy as np

        (count,) = _HEAD.unpack_from(self._memory, 0)
        if not count:
            return None
        place = _slot_at(self._shape, count)
        before = _SLOT.unpack_from(self._memory, place)
        begin = place + _SLOT.size
        pixels = np.frombuffer(self._memory[begin : begin + self._shape.size], np.uint8)
        if before[0] != count or _SLOT.unpack_from(self._memory, place) != before:
            return None
        shape = self._shape
        dims = (shape.height, shape.width, shape.channels) if shape.channels > 1 else (shape.height, shape.width)
        return Frame(count, before[1], pixels.reshape(dims))

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
