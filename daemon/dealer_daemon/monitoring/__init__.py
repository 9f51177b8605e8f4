"""What a station shows of itself: figures for Prometheus, whether it lives and is ready, how every device is.

Nothing here can tell a card or a number: there are counts, times and words of the catalogue, and no value of any round.
The pages (``app``) are not imported here: a station that serves none needs none of the libraries for it.
"""

from __future__ import annotations

from dealer_daemon.monitoring.figures import DeviceFigures, StationFigures, TableFigures
from dealer_daemon.monitoring.histogram import Histogram
from dealer_daemon.monitoring.tally import Tally

__all__ = ["DeviceFigures", "Histogram", "StationFigures", "TableFigures", "Tally"]
