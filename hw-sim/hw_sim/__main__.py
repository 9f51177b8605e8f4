"""``python -m hw_sim``: the ``hw-sim`` command."""

import sys

from hw_sim.cli import main

if __name__ == "__main__":
    sys.exit(main())
