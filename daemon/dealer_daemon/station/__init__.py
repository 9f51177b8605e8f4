"""The running station: the only place where drivers, tables, journal and broker meet."""

from dealer_daemon.station.setup import ShadowChanged
from dealer_daemon.station.station import Station

__all__ = ["ShadowChanged", "Station"]
