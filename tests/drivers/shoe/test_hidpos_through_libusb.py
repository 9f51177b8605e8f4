"""The HID-POS driver through the real pyusb and the real libusb; umockdev stands for the kernel and the scanner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.umockdev import UsbDevice, hid_report, host, sends, unplugged, waits_for

PORT = "usb:0c2e:0901"
TRIGGER = "0401"
OPTIONS = {"codebook": "rank-suit", "aim_ids": ["]C"], "trigger_on": TRIGGER}


def scanned(folder: Path, *reports: bytes, before: Sequence[bytes] = ()) -> list[dict[str, Any]]:
    """What is told of a scanner that had read ``before``, is asked to scan, gives ``reports`` and is pulled out."""
    played = [*map(sends, before), waits_for(bytes.fromhex(TRIGGER)), *map(sends, reports), unplugged()]
    scanner = UsbDevice(played=[record for pair in played for record in pair])
    return host(folder, [scanner], None, "barcode-hidpos", PORT, json.dumps(OPTIONS), "99")


def test_cards_no_reads_and_the_pulled_plug(tmp_path: Path) -> None:
    reports = [hid_report(b"8S"), hid_report(b"NR", b"]A0"), hid_report(b"]A0NR", bytes(3)), hid_report(b"KD")]
    told = scanned(tmp_path, *reports)
    assert [entry["state"] for entry in told if "state" in entry] == ["opening", "up", "waiting", "stopped"]
    notice, first, *no_reads, second, lost = [entry for entry in told if "reading" in entry]
    assert notice["reading"] == "DeviceNotice"
    assert [(card["reading"], card["card"]) for card in (first, second)] == [("CardRead", "8S"), ("CardRead", "KD")]
    assert first["raw"] == reports[0].hex()
    assert [(entry["reading"], entry["reason"]) for entry in no_reads] == [("CardUnreadable", "no_read")] * 2
    assert lost["fault"] == "link_lost"
    assert PORT in lost["detail"]


def test_a_text_that_spans_reports_is_one_text(tmp_path: Path) -> None:
    text = b"8S" + b"x" * 60
    told = scanned(tmp_path, hid_report(text[:56], more=True), hid_report(text[56:]), hid_report(b"8S"))
    readings = [entry for entry in told if entry.get("reading", "").startswith("Card")]
    assert [entry["reading"] for entry in readings] == ["CardForeign", "CardRead"]
    assert readings[0]["code"] == text.decode()


def test_what_the_scanner_kept_from_before_is_no_card(tmp_path: Path) -> None:
    told = scanned(tmp_path, hid_report(b"8S"), before=[hid_report(b"KD"), hid_report(b"AC")])
    assert [entry["card"] for entry in told if "card" in entry] == ["8S"]


def test_a_short_report_is_never_a_card_and_spoils_no_other(tmp_path: Path) -> None:
    told = scanned(tmp_path, hid_report(b"KD")[:40], hid_report(b"8S"))
    readings = [entry for entry in told if entry.get("reading", "").startswith("Card")]
    assert [entry.get("card", entry.get("reason")) for entry in readings] == ["torn", "8S"]
