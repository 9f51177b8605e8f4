"""``dealer-daemon replay``: a recording through a table of the configuration."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command, add_table, device_of, table_of
from dealer_daemon.cli.exit_codes import DONE, NO, WRONG, complain

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
    parser.add_argument("recording", type=Path, metavar="RECORDING", help="the recording, *.rec.jsonl")


def replay(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 replayed, 1 the file is no recording, 2 the configuration is wrong."""
    from dealer_daemon.mqtt.envelope import encode_event
    from dealer_daemon.replay import merged, started
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
        except CommandWrong as error:
            return complain(str(error), WRONG)
        except RecordingError as error:
            return complain(str(error), NO)
        for note in recording.notes:
            print(f"{file}: {note}", file=sys.stderr)
        if recording.driver != device.driver.name:
            note = f"recorded with {recording.driver}, replayed with {device.driver.name}"
            print(f"{file}: {note}", file=sys.stderr)
    try:
        list(merged(recordings))
    except ValueError as error:
        return complain(str(error), NO)
    if len(recordings) == 1 and started(recording) is None:
        note = "the recording does not say when it was made (started): times of events begin at 1970-01-01T00:00:00Z"
        print(f"{arguments.recording}: {note}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="dealer-replay-") as folder:
        for event in play(table, recordings, Path(folder)):
            if arguments.json:
                sys.stdout.write(encode_event(config.station.site, event).decode() + "\n")
            else:
                print(_line(event))
    return DONE


def _line(event: Event) -> str:
    import msgspec

    data = {key: value for key, value in msgspec.to_builtins(event.data).items() if value not in (None, [], "")}
    seconds = event.mono_ns / 1e9 - 1
    return f"{seconds:>12.3f} s {event.sequence:>6}  {event.data.type:<20} {json.dumps(data, ensure_ascii=False)}"
