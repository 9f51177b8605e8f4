"""Cuts, junk and damage, from a seed: the same seed gives the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def pieces(data: bytes, rng: Random) -> list[bytes]:
    """``data`` cut at random places; now and then byte by byte, or with an empty piece."""
    if rng.random() < 0.2:
        return [data[n : n + 1] for n in range(len(data))]
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 6)))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def single(data: bytes, rng: Random) -> bytes:
    """One byte changed, lost or added."""
    place = rng.randrange(len(data))
    match rng.randrange(4):
        case 0:
            return data[:place] + data[place + 1 :]
        case 1:
            return data[:place] + rng.randbytes(1) + data[place:]
        case 2:  # one bit, the commonest damage on a line
            return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    return data[:place] + bytes([data[place] ^ rng.randrange(1, 256)]) + data[place + 1 :]


def burst(data: bytes, rng: Random) -> bytes:
    """Several bytes in a row lost, replaced or torn off."""
    begin = rng.randrange(len(data))
    end = min(len(data), begin + rng.randrange(2, 24))
    match rng.randrange(3):
        case 0:
            return data[:begin] + data[end:]
        case 1:
            return data[:begin] + rng.randbytes(end - begin) + data[end:]
    return data[:begin]


def dirtied(data: bytes, foreign: bytes, rng: Random) -> bytes:
    """One to three bytes that no frame has, put in or in place of one."""
    place = rng.randrange(len(data))
    dirt = bytes(rng.choices(foreign, k=rng.randrange(1, 4)))
    return data[:place] + dirt + data[place + rng.randrange(2) :]


def junk(stream: bytes, rng: Random, *, own: bool = False) -> bytes:
    """Bytes that are no frame: noise, a piece of some, zeros, or one byte on and on; ``own``: a piece only."""
    size = rng.randrange(1, 400)
    begin = rng.randrange(len(stream)) if stream else 0
    match 0 if own else rng.randrange(5):
        case 0:
            return stream[begin : begin + rng.randrange(1, 40)]
        case 1:
            return bytes(size)
        case 2:
            return stream[begin : begin + 1] * size
    return rng.randbytes(size)


def endless(stream: bytes, rng: Random) -> Sequence[bytes]:
    """Pieces to be fed again and again: noise, half a frame, a frame that never ends, one byte."""
    half = stream[: max(1, len(stream) // 3)]
    unending = bytes(byte for byte in stream[:64] if byte not in b"\r\n\x03\t") or b"x"
    return rng.randbytes(1024), half, unending, stream[:1] or b"\0", b"\0"
