"""``angel-eye``: the published vectors."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.shoe import CardRead, CutCard, ShoeError, ShoeProblem, ShoeResult, ShoeStarted, ShoeWinner

SILENT = "a shoe speaks when a card passes, and has no cadence"


def telegram(sequence: str, code: str, *payload: int) -> bytes:
    """ENQ, sequence, code, payload, ETX and BCC."""
    body = sequence.encode() + code.encode() + bytes(payload) + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


def examples(folder: Path) -> Examples:  # noqa: ARG001
    start = telegram("0", "S")
    hand = (
        start,
        bytes.fromhex("05 31 44 81 B8 03 34 46"),
        bytes.fromhex("05 39 44 91 A5 03 34 41"),
        bytes.fromhex("05 32 47 91 03 45 37"),
        bytes.fromhex("05 33 43 03 37 33"),
        bytes.fromhex("05 34 45 C1 03 42 33"),
        bytes.fromhex("05 38 65 81 03 44 46"),
        bytes.fromhex("05 41 47 C0 03 43 35"),
    )
    steps = received(1.0, *hand, every_s=3.0)
    return Examples(
        plays=(
            Example(
                name="the published vectors",
                steps=steps,
                check_bits=8,
                resync_bytes=32,
                expect=(
                    seen(ShoeStarted),
                    seen(CardRead, card="8S"),
                    seen(CardRead, card="5C"),
                    seen(ShoeResult, winner=ShoeWinner.PLAYER, player_pair=True, banker_pair=False),
                    seen(CutCard),
                    seen(ShoeError, problem=ShoeProblem.CANNOT_READ, stopped=True),
                    seen(ShoeError, cleared=True),
                    seen(ShoeResult, winner=ShoeWinner.BANKER),
                ),
                silent_for_ever=SILENT,
                read_only=True,
            ),
            Example(
                name="three cards",
                steps=received(
                    1.0,
                    start,
                    telegram("1", "D", 0x81, 0xB8),
                    telegram("2", "D", 0x91, 0xC5),
                    telegram("3", "D", 0x82, 0x91),
                    every_s=3.0,
                ),
                check_bits=8,
                resync_bytes=32,
                expect=(seen(ShoeStarted), *(seen(CardRead, card=card) for card in ("8S", "5H", "AD"))),
                silent_for_ever=SILENT,
                read_only=True,
            ),
            Example(
                name="control",
                sends=(rb"\x02OP(GP00|LK01|LK02)\x03[0-9A-F]{2}", b"\x06"),
                options={"control": True, "acknowledge": True},
                steps=steps,
                check_bits=8,
                resync_bytes=32,
                silent_for_ever=SILENT,
            ),
        ),
        refused={"baud": (0, -4800), "command_bcc": ("neither",)},
    )
