"""What is at a port: link, bytes, valid frames and readings told apart, and what is wrong by its name."""

from __future__ import annotations

from dealer_calibration.probe.listen import Heard, Opener, listen
from dealer_calibration.probe.options import options_of
from dealer_calibration.probe.run import probe

__all__ = ["Heard", "Opener", "listen", "options_of", "probe"]
