"""Standard output that cannot be written: a full disk behind ``> FILE``, told apart from any other file's trouble."""

from __future__ import annotations

import os
import sys


def output_lost(error: OSError) -> bool:
    """Whether ``error`` is that standard output refuses what is written to it. Where it names no file that is asked of
    standard output itself, which costs an empty line."""
    if error.filename is not None:
        return False
    try:
        sys.stdout.write("\n")  # without a buffer it holds nothing of what it refused
        sys.stdout.flush()
    except OSError:
        return True
    return False


def forget_output() -> None:
    """What standard output still holds goes nowhere, so that Python does not complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
