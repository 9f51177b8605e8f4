"""``dealer-daemon replay``: a recording through a table of the configuration."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command, add_table, device_of, table_of
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.events import Event


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "replay",
        "send a recording through a device's driver, validation, round and journal, without a broker",
        "dealer-daemon replay --config station.toml --table r1 --device wheel wheel.rec.jsonl --json",
        replay,
    )
    add_table(parser, device=True)
    parser.add_argument("--json", action="store_true", help="print every event as one JSON line, and nothing else")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="DEVICE=RECORDING",
        help="another device of the table with its recording of the same time; may be repeated",
    )
    parser.add_argument(
        "--resume-at-gaps",
        action="store_true",
        help="where the table asks where the next card belongs, go on as if no card had passed unseen",
    )
    parser.add_argument("recording", type=Path, metavar="RECORDING", help="the recording, *.rec.jsonl")


def replay(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 replayed, 2 the configuration or a recording is wrong."""
    from dealer_daemon.mqtt.envelope import encode_event
    from dealer_daemon.replay import begins_with_a_hand, merged, started, without_server
    from dealer_daemon.replay import replay as play
    from dealer_drivers.recording import RecordingError, read_recording

    try:
        config, table = table_of(arguments)
    except CommandWrong as error:
        return complain(str(error), WRONG)
    files = {arguments.device: arguments.recording}
    for pair in arguments.also:
        name, _, file = pair.partition("=")
        if not name or not file or name in files:
            return complain(f"--also {pair}: write DEVICE=RECORDING, each device once", WRONG)
        files[name] = Path(file)
    recordings = {}
    for name, file in files.items():
        try:
            device = device_of(arguments, table, name)
            recording = recordings[name] = read_recording(file)
        except (CommandWrong, RecordingError) as error:
            return complain(str(error), WRONG)
        for note in recording.notes:
            print(f"{file}: {note}", file=sys.stderr)
        if recording.driver != device.driver.name:
            note = f"recorded with {recording.driver}, replayed with {device.driver.name}"
            print(f"{file}: {note}", file=sys.stderr)
    try:
        list(merged(recordings))
    except ValueError as error:
        return complain(str(error), WRONG)
    if len(recordings) == 1 and started(recording) is None:
        note = "the recording does not say when it was made (started): times of events begin at 1970-01-01T00:00:00Z"
        print(f"{arguments.recording}: {note}", file=sys.stderr)
    table, without = without_server(table)
    if without is not None:
        print(f"{arguments.recording}: {without}", file=sys.stderr)
    if begins_with_a_hand(table):
        note = "the first card is taken for the first of a hand: where the recording begins in the middle of one, the"
        print(f"{arguments.recording}: {note} hands are shifted", file=sys.stderr)
    gaps = Gaps()
    with tempfile.TemporaryDirectory(prefix="dealer-replay-") as folder:
        for event in play(table, recordings, Path(folder), resume_at_gaps=arguments.resume_at_gaps):
            gaps.saw(event)
            if arguments.json:
                sys.stdout.write(encode_event(config.station.site, event).decode() + "\n")
            else:
                print(_line(event))
    for note in gaps.notes():
        print(note, file=sys.stderr)
    return DONE


class Gaps:
    """What a replay says of the places where nobody looked, and of the cards that came while the table stood there."""

    def __init__(self) -> None:
        self._asked: list[str] = []
        self._lost = 0
        self._resumed = False

    def saw(self, event: Event) -> None:
        """One event of the replay, in order."""
        from dealer_daemon.events import TablePaused, TableResumed, Violation
        from dealer_daemon.table.cards.unseen import QUESTIONS

        match event.data:
            case TablePaused(reason=reason, detail=detail) if reason in QUESTIONS:
                self._asked.append(f"{_seconds(event):.3f} s, event {event.sequence}: {reason}: {detail}")
            case TableResumed():
                self._resumed = True
            case Violation(reason="card_while_paused"):
                self._lost += 1
            case _:
                pass

    def notes(self) -> list[str]:
        """Sentences for a person; none where there was no gap."""
        if not self._asked:
            return []
        if self._resumed:
            said = "the replay went on at each as if no card had passed unseen (--resume-at-gaps)"
        else:
            said = "the table stands there: --resume-at-gaps goes on as if no card had passed unseen"
        return [*self._asked, f"gaps: {len(self._asked)}, cards that came while the table stood: {self._lost}; {said}"]


def _seconds(event: Event) -> float:
    return event.mono_ns / 1e9 - 1


def _line(event: Event) -> str:
    import msgspec

    data = {key: value for key, value in msgspec.to_builtins(event.data).items() if value not in (None, [], "")}
    return (
        f"{_seconds(event):>12.3f} s {event.sequence:>6}  {event.data.type:<20} {json.dumps(data, ensure_ascii=False)}"
    )
