"""``journal adopt``: a person's word, in the journal by name, signed, and never a number twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.events import EventsLost
from dealer_daemon.journal import FILE_NAME, Journal
from dealer_daemon.journal.loss import GIVEN_UP
from dealer_daemon.mqtt.envelope import encode_event, event_signer, verify_event
from dealer_daemon.mqtt.head_body import HELD
from dealer_daemon.round import TableState, fold
from dealer_daemon.signing import make_key, read_signing_key
from dealer_daemon.station.adopt import REASON
from support.mqtt_outbox import event, outcome

OTHER = "0" * 32
"""The journal whose head holds the table: the broker keeps its event 1."""
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
    for each in (event(1), event(2, outcome("17")), event(3, subject="r1-2")):
        journal.commit([each])
    journal.set_cursors({("r1", f"{HELD}{OTHER}/1"): 0}, rewind=True)
    journal.close()
    assert key_file == tmp_path / "signing-key.pem"
    return tmp_path


def opened(folder: Path) -> Journal:
    key = read_signing_key(folder / "signing-key.pem")
    return Journal.open(folder / "state", boot="b", sign=event_signer("studio-1", key))


def adopt(station: Path, *more: str) -> int:
    return main(["journal", "adopt", "--config", str(station / "station.toml"), "--table", "r1", *more])


@pytest.mark.parametrize(("after", "sequence"), [(9, 10), (3, 4), (1, 4)])
def test_the_table_goes_on_behind_both(
    station: Path, after: int, sequence: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert adopt(station, "--after", str(after), "--by", "anna", "--journal", OTHER) == 0
    assert f"with event {sequence}," in capsys.readouterr().out
    journal = opened(station)
    [signed] = list(journal.signed_events("r1", after=3))
    assert signed.event.sequence == sequence == journal.last_sequence("r1")
    assert signed.event.data == EventsLost(
        from_sequence=1, to_sequence=sequence - 1, reason="journal_adopted", by="anna"
    )
    key = read_signing_key(station / "signing-key.pem")
    assert verify_event(encode_event("studio-1", signed.event, signed.signature), {key.id: key.public})
    cursors = journal.cursors("r1")
    assert cursors == {"published": sequence - 1, GIVEN_UP + OTHER: after}
    assert journal.given_up("r1") == sequence
    state = fold(TableState(table="r1"), list(journal.events("r1")))
    assert (state.rounds, state.shoes, state.round, state.paused) == (sequence - 1, sequence - 1, None, REASON)
    journal.close()
    assert adopt(station, "--after", str(after), "--by", "anna", "--journal", OTHER) == 2, "once is enough"
    journal = opened(station)
    assert journal.last_sequence("r1") == sequence
    journal.close()
    public = str(station / "signing-key.pub.pem")
    verify = ["journal", "verify", str(station / "state" / FILE_NAME), "--public-key", public, "--site", "studio-1"]
    assert main(verify) == 0


def test_what_cannot_be_is_refused_and_changes_nothing(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert adopt(station, "--after", "0", "--by", "anna") == 2
    assert adopt(station, "--after", str(2**53), "--by", "anna", "--journal", OTHER) == 2
    assert adopt(station, "--after", "9", "--by", " ", "--journal", OTHER) == 2
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


@pytest.mark.parametrize("given", [[], ["--journal", "1" * 32], ["--journal", OTHER, "--after", "4"]])
def test_what_would_leave_the_table_held_is_refused_with_the_command_that_does_not(
    station: Path, capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    journal = opened(station)
    journal.set_cursors({("r1", f"{HELD}{OTHER}/5"): 0}, rewind=True)
    journal.close()
    assert adopt(station, "--after", "9", "--by", "anna", *given) == 2
    assert f"adopt --table r1 --after 1005 --journal {OTHER} " in capsys.readouterr().err
    journal = opened(station)
    assert journal.last_sequence("r1") == 3, "and costs no number"
    journal.close()


def test_one_word_is_enough_for_all_that_holds(station: Path) -> None:
    journal = opened(station)
    own = journal.journal_id
    journal.set_cursors({("r1", f"{HELD}{own}/7"): 0}, rewind=True)
    journal.close()
    assert adopt(station, "--after", "6", "--by", "anna", "--journal", OTHER) == 2, "an outcome 7 stands there"
    assert adopt(station, "--after", "8", "--by", "anna", "--journal", OTHER) == 0
    journal = opened(station)
    cursors = journal.cursors("r1")
    assert (cursors[GIVEN_UP + own], cursors[GIVEN_UP + OTHER]) == (8, 8)
    journal.close()


def test_where_nothing_holds_there_is_nothing_to_adopt(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = opened(station)
    journal.forget_cursors("r1", [f"{HELD}{OTHER}/1"])
    journal.close()
    assert adopt(station, "--after", "9", "--by", "anna") == 2
    assert "Start the station" in capsys.readouterr().err


def test_after_an_adopt_a_correction_of_what_was_given_up_and_ids_of_old_are_impossible(station: Path) -> None:
    """Servers may know other rounds and cards under all that was before, so nothing goes on from there."""
    assert adopt(station, "--after", "9", "--by", "anna", "--journal", OTHER) == 0
    journal = opened(station)
    opening = event(11, subject="r1-10")
    state = fold(TableState(table="r1"), [*journal.events("r1"), opening])
    assert (state.rounds, state.outcome, state.shoe, state.corrected) == (10, None, None, {})
    journal.close()
