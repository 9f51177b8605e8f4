"""CRC-16 of Modbus: polynomial 0x8005 reflected, begun with 0xFFFF (Modbus over Serial Line V1.02, 6.2.2)."""

from __future__ import annotations


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ 0xA001 if byte & 1 else byte >> 1
    return byte


_TABLE = tuple(_entry(byte) for byte in range(256))


def crc16(data: bytes) -> int:
    """The check value; on a Modbus line its low byte goes first."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc
