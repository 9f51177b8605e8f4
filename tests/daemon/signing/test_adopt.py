"""``journal adopt``: a person's word, in the journal by name, signed, and never a number twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.events import EventsLost
from dealer_daemon.journal import FILE_NAME, Journal
from dealer_daemon.journal.loss import GIVEN_UP
from dealer_daemon.mqtt.envelope import encode_event, event_signer, verify_event
from dealer_daemon.signing import make_key, read_signing_key
from support.mqtt_outbox import event

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
signing_key_file = "signing-key.pem"
[tables.r1]
game = "roulette"
spin = {laps = "unobserved", unobserved = "accept"}
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


@pytest.fixture
def station(tmp_path: Path) -> Path:
    """The folder of a station whose journal ends with event 3."""
    (tmp_path / "station.toml").write_text(CONFIG)
    key_file, _ = make_key(tmp_path)
    journal = opened(tmp_path)
    for sequence in (1, 2, 3):
        journal.commit([event(sequence)])
    journal.close()
    assert key_file == tmp_path / "signing-key.pem"
    return tmp_path


def opened(folder: Path) -> Journal:
    key = read_signing_key(folder / "signing-key.pem")
    return Journal.open(folder / "state", boot="b", sign=event_signer("studio-1", key))


def adopt(station: Path, *more: str) -> int:
    return main(["journal", "adopt", "--config", str(station / "station.toml"), "--table", "r1", *more])


@pytest.mark.parametrize(("after", "sequence"), [(9, 10), (3, 5), (1, 5)])
def test_the_table_goes_on_behind_both(
    station: Path, after: int, sequence: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert adopt(station, "--after", str(after), "--by", "anna", "--journal", "0" * 32) == 0
    assert f"after event {sequence}" in capsys.readouterr().out
    journal = opened(station)
    [signed] = list(journal.signed_events("r1", after=3))
    assert signed.event.sequence == sequence == journal.last_sequence("r1")
    assert signed.event.data == EventsLost(
        from_sequence=4, to_sequence=sequence - 1, reason="journal_adopted", by="anna"
    )
    key = read_signing_key(station / "signing-key.pem")
    assert verify_event(encode_event("studio-1", signed.event, signed.signature), {key.id: key.public})
    cursors = journal.cursors("r1")
    assert (cursors["published"], cursors[GIVEN_UP + "0" * 32]) == (after, after)
    journal.close()
    public = str(station / "signing-key.pub.pem")
    verify = ["journal", "verify", str(station / "state" / FILE_NAME), "--public-key", public, "--site", "studio-1"]
    assert main(verify) == 0


def test_what_cannot_be_is_refused_and_changes_nothing(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(station, "--after", "0", "--by", "anna") == 2
    assert adopt(station, "--after", "9", "--by", " ") == 1
    wrong = [
        "journal",
        "adopt",
        "--config",
        str(station / "station.toml"),
        "--table",
        "r9",
        "--after",
        "9",
        "--by",
        "a",
    ]
    assert main(wrong) == 2
    running = opened(station)
    assert adopt(station, "--after", "9", "--by", "anna") == 1, "not beside the running station"
    assert running.last_sequence("r1") == 3
    running.close()
    (station / "signing-key.pem").chmod(0o644)
    assert adopt(station, "--after", "9", "--by", "anna") == 2
    assert "chmod 0600" in capsys.readouterr().err
