"""The running station: the only place where drivers, tables, journal and broker meet."""

from dealer_daemon.station.setup import RulesChanged, ShadowChanged
from dealer_daemon.station.station import Station

__all__ = ["RulesChanged", "ShadowChanged", "Station"]
