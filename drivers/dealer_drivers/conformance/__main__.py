"""``python -m dealer_drivers.conformance``."""

from __future__ import annotations

import sys

from dealer_drivers.conformance.cli import main

sys.exit(main())
