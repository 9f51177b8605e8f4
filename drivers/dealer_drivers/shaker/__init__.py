"""Shakers of dice: a networked one that takes text commands, and a relay with a "stopped" input."""
