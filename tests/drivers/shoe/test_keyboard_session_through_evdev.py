"""The keyboard driver on a device file of evdev; umockdev stands for the kernel and the scanner."""

from __future__ import annotations

import json
from pathlib import Path

from support.keys import ENTER, press, typed
from support.umockdev import KEYBOARD_PORT, host, key_events


def test_cards_that_are_typed(tmp_path: Path) -> None:
    keys = key_events([event for text in ("]C08S", "]A0NR", "KD") for event in [*typed(text), *press(ENTER)]])
    told = host(tmp_path, [], keys, "barcode-keyboard", KEYBOARD_PORT, json.dumps({"codebook": "rank-suit"}), "4")
    readings = [entry for entry in told if "reading" in entry]
    assert [entry.get("card", entry.get("reason")) for entry in readings[1:]] == ["8S", "no_read", "KD"]
    assert [entry["state"] for entry in told if "state" in entry] == ["opening", "up", "stopped"]


def test_a_scanner_that_is_not_plugged_in(tmp_path: Path) -> None:
    port = KEYBOARD_PORT.replace("0001", "0002")
    told = host(tmp_path, [], "", "barcode-keyboard", port, json.dumps({"codebook": "rank-suit"}), "4")
    faults = [entry for entry in told if "fault" in entry]
    assert [entry["fault"] for entry in faults] == ["link_refused"]
    assert "is the scanner plugged in" in faults[0]["detail"]
