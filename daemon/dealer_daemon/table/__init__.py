"""The pure core of a table: readings, commands and time in, events out."""

from dealer_daemon.table.common import Rules
from dealer_daemon.table.core import Table, TableSetup
from dealer_daemon.table.turn import Decision

__all__ = ["Decision", "Rules", "Table", "TableSetup"]
