"""What a HID interface is for, out of its report descriptor (Device Class Definition for HID 1.11, 6.2.2)."""

from __future__ import annotations

LONG_ITEM = 0xFE


def application_pages(descriptor: bytes) -> frozenset[int]:
    """The usage pages of the outermost collections. A descriptor that breaks off gives those before the break."""
    pages: set[int] = set()
    page, used, depth, place = 0, 0, 0, 0
    while place < len(descriptor):
        prefix = descriptor[place]
        if prefix == LONG_ITEM:
            place += 3 + int.from_bytes(descriptor[place + 1 : place + 2], "little")
            continue
        size = (0, 1, 2, 4)[prefix & 3]
        value = descriptor[place + 1 : place + 1 + size]
        if len(value) < size:
            break
        place += 1 + size
        number = int.from_bytes(value, "little")
        match prefix & 0xFC:
            case 0x04:  # usage page
                page = number
            case 0x08:  # usage
                used = number >> 16 if size == 4 else page  # a usage of four bytes names its own page
            case 0xA0:  # collection
                if depth == 0:
                    pages.add(used)
                depth += 1
            case 0xC0:  # its end
                depth -= 1
    return frozenset(pages)
