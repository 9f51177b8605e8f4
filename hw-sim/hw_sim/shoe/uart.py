"""A line that runs at another speed than its host reads: what the host gets to see. Pure."""

from __future__ import annotations

IDLE_BITS = 20
"""The line is quiet before and after: in units of the sender's bits."""


def at_wrong_speed(data: bytes, sent_baud: int, read_baud: int) -> bytes:
    """The characters that a receiver at ``read_baud`` makes of ``data`` sent at ``sent_baud`` (8N1, without a pause).

    A character whose stop bit is not there is given out all the same, as a port in raw mode does.
    """
    levels = [1] * IDLE_BITS
    for byte in data:
        levels += [0, *(byte >> bit & 1 for bit in range(8)), 1]
    levels += [1] * IDLE_BITS
    bit_length = sent_baud / read_baud

    def level(at: float) -> int:
        return levels[int(at)] if at < len(levels) else 1

    received = bytearray()
    at = 1.0
    while True:
        edge = next((i for i in range(int(at), len(levels)) if i >= at and (levels[i - 1], levels[i]) == (1, 0)), None)
        if edge is None:
            return bytes(received)
        if level(edge + 0.5 * bit_length):
            at = edge + 1.0  # a spike, no start bit
            continue
        received.append(sum(level(edge + (1.5 + bit) * bit_length) << bit for bit in range(8)))
        at = edge + 9.5 * bit_length
