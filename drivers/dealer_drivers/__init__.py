"""Drivers: from a device's bytes to readings, and nothing above that."""
