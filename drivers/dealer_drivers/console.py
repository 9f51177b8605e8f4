"""Where commands print what people read: on a screen as wide as it is, through a pipe as wide as the lines are."""

from __future__ import annotations

import sys

from rich.console import Console

UNBOUNDED = 100_000
"""Columns: no line that we print is longer."""


def console(*, highlight: bool = True) -> Console:
    """Standard output. Whoever reads it from a pipe looks for words, and there is no screen whose width breaks them."""
    return Console(highlight=highlight, width=None if sys.stdout.isatty() else UNBOUNDED)
