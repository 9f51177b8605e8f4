"""The daemon: from readings to the one canonical outcome."""
