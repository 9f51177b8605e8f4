"""The games with a wheel or dice whose outcomes are looked at: what is asked of each, and how its facts are read."""

from __future__ import annotations

from dealer_calibration.statistics.games import rainbow_wheel, roulette, sic_bo

PLANS = {plan.game: plan for plan in (roulette.PLAN, sic_bo.PLAN, rainbow_wheel.PLAN)}
"""By the game's name in ``round.outcome``."""
