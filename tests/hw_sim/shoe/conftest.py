"""Card tables for every test of what a shoe or a scanner sends."""

from __future__ import annotations

import pytest

from support.dealt import Deal, dealt


@pytest.fixture
def shoe() -> Deal:
    return lambda seed=1, **options: dealt(seed, **({"name": "shoe", "model": "angel-eye"} | options))


@pytest.fixture
def scanner() -> Deal:
    usual = {"name": "scanner", "model": "scanner", "game": "baccarat"}
    return lambda seed=1, **options: dealt(seed, **(usual | options))
