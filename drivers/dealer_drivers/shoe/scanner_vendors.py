"""Makers of bar code scanners, by their USB vendor ids (the public list of USB ids)."""

from __future__ import annotations

SCANNER_VENDORS = frozenset({"0c2e", "05e0", "05f9", "1eab"})
"""Honeywell (Metrologic), Zebra (Symbol), Datalogic (PSC), Newland."""
VENDOR_WHY = "its maker makes bar code scanners"
