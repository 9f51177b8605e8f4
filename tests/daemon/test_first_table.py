"""The first tutorial's own configuration and recording do what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dealer_daemon.cli import main

ASKED = ["round.opened", "attempt.started", "betting.closed", "attempt.unconfirmed"]


@pytest.fixture
def page(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, in a folder where its configuration is saved and the checkout's docs are."""
    text = (repository / "docs/tutorial/first-table.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (config,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    Path("station.toml").write_text(config)
    Path("docs").symlink_to(repository / "docs")
    return text


def typed(page: str, command: str) -> list[str]:
    (words,) = re.findall(rf"^\.venv/bin/dealer-daemon ({command} .*)$", page, re.MULTILINE)
    return str(words).split()


def replayed(page: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert main(typed(page, "replay")) == 0
    return [line.split()[3] for line in capsys.readouterr().out.splitlines()]


def test_the_recording_beside_the_page_is_played_back_as_the_page_says(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed(page, "check-config")) == 0
    assert replayed(page, capsys) == ["table.started", *ASKED, "round.voided", *ASKED]
    config = Path("station.toml")
    config.write_text(config.read_text().replace('"confirm"', '"accept"'))
    assert replayed(page, capsys).count("round.outcome") == 2


def test_a_mistyped_key_is_answered_as_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    config = Path("station.toml")
    config.write_text(config.read_text().replace("min_laps", "min_lap"))
    assert main(typed(page, "check-config")) == 2
    assert re.search(r"station.toml:\d+: .*min_lap.*min_laps", capsys.readouterr().err)
