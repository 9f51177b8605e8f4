"""The other end of ``second_reader.py``: reads pictures from standard input and answers on standard output.

A process of its own, because zbar can abort the process that calls it (``devices.md`` §7).
"""

from __future__ import annotations

import json
import struct
import sys
from typing import BinaryIO

REQUEST = struct.Struct("<II16s")
"""Height, width, zbar's name of the symbology; then height × width grey bytes."""
ANSWER = struct.Struct("<I")
"""How many bytes of JSON follow: a list of the texts found."""
MISSING = 3
"""Exit code: zbar's library is not on this machine."""


def serve(requests: BinaryIO, answers: BinaryIO) -> int:
    """Answers until the requests end. First of all it answers with an empty list, once zbar is loaded."""
    try:
        from pyzbar import pyzbar
    except ImportError:  # pyzbar raises it for the C library too
        return MISSING
    _answer(answers, [])
    while len(head := requests.read(REQUEST.size)) == REQUEST.size:
        height, width, name = REQUEST.unpack(head)
        pixels = requests.read(height * width)
        if len(pixels) < height * width:
            break
        symbol = pyzbar.ZBarSymbol[name.rstrip(b"\0").decode("ascii")]
        found = pyzbar.decode((pixels, width, height), symbols=[symbol])
        _answer(answers, sorted({each.data.decode("utf-8", "replace") for each in found}))
    return 0


def _answer(answers: BinaryIO, texts: list[str]) -> None:
    body = json.dumps(texts).encode("ascii")
    answers.write(ANSWER.pack(len(body)) + body)
    answers.flush()


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
