"""The conformance suite: laws that every driver keeps, ours and others'.

A driver's author states examples (``Example``: options, what the device says, what must be read of it, and what its
format can and cannot tell); ``checks`` makes a list of small named checks of them. Each is called and either returns or
raises ``Broken``, with the input that broke it. Nothing here needs pytest, a device, a clock or a network, and the same
seed gives the same cases::

    @pytest.mark.parametrize("check", checks(DRIVER, EXAMPLES), ids=str)
    def test_conformance(check):
        check()

``python -m dealer_drivers.conformance NAME`` does the same from the command line. ``docs/howto/write-a-driver.md`` is
the guide.
"""

from __future__ import annotations

from dealer_drivers.conformance.check import Broken, Check
from dealer_drivers.conformance.examples import (
    Example,
    Examples,
    Expected,
    Step,
    passed,
    received,
    recorded,
    seen,
    wanted,
)
from dealer_drivers.conformance.suite import checks

__all__ = [
    "Broken",
    "Check",
    "Example",
    "Examples",
    "Expected",
    "Step",
    "checks",
    "passed",
    "received",
    "recorded",
    "seen",
    "wanted",
]
