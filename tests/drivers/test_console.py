"""What people read is not broken by a screen that is not there."""

from __future__ import annotations

import sys

import pytest

from dealer_drivers.console import console


def test_through_a_pipe_no_line_is_broken(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    line = " ".join(["dealer-daemon journal adopt --table r1 --after 1000"] * 20)
    console().print(line, highlight=False)
    assert capsys.readouterr().out == line + "\n"


def test_a_screen_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert console().width == 72
