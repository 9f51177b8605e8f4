"""Shufflers: what they say of a set of cards, and never in which order it lies."""
