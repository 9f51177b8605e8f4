"""Dice from pictures: two readers that know nothing of each other, and a decision (``devices.md`` §4, §8)."""
