"""Which driver fits what is attached, and why: from the drivers' manifests, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.attached import Attached
from dealer_drivers.driver import Attachment, Driver


@dataclass(frozen=True, slots=True)
class Fit:
    """A driver that may be meant. ``sure``: the device shows that it is one; else the port is only of its kind."""

    driver: str
    why: str
    sure: bool


def fits_of(attached: Attached, drivers: list[Driver]) -> list[Fit]:
    """The drivers by which the device knows itself; where there are none, all that read such a port."""
    sure = [
        Fit(driver.name, attachment.why, sure=True)
        for driver in drivers
        for attachment in driver.attachments
        if _shows(attached, attachment)
    ]
    if sure:
        return sure
    return [
        Fit(driver.name, f"it reads a {attached.kind} port", sure=False)
        for driver in drivers
        if attached.kind in driver.transports and not _must_show(driver, attached.kind)
    ]


def _shows(attached: Attached, attachment: Attachment) -> bool:
    if attachment.kind != attached.kind or not (attachment.usb or attachment.hid_page is not None):
        return False
    vendor = attached.usb.partition(":")[0]
    by_id = not attachment.usb or bool(attachment.usb & {attached.usb, vendor})
    by_page = attachment.hid_page is None or attachment.hid_page in attached.hid_pages
    return by_id and by_page


def _must_show(driver: Driver, kind: str) -> bool:
    """Whether its devices show themselves by what they report, so that one that does not is none."""
    return any(attachment.kind == kind and attachment.hid_page is not None for attachment in driver.attachments)
