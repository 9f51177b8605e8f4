"""Colour wheels: encoders that say how far the wheel has turned (``devices.md`` §5)."""
