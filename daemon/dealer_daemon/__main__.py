"""``python -m dealer_daemon`` is ``dealer-daemon``."""

from dealer_daemon.cli import entry

entry()
