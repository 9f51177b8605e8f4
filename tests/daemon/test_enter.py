"""``dealer-daemon enter`` when the station's answer is lost on the way."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from dealer_daemon.cli.enter import _entered
from dealer_drivers.entry.session import EntrySession
from dealer_drivers.readings import Reading
from dealer_drivers.readings.entry import ResultEntered
from support.turns import at

LINE = b'{"id":"a1","by":"Li","round":null,"result":{"number":"17"}}'


def test_a_lost_answer_is_asked_for_again_and_nothing_is_entered_twice(tmp_path: Path) -> None:
    path = tmp_path / "entry.sock"
    session = EntrySession(60)
    entered: list[Reading] = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        server.settimeout(10)

        def serve() -> None:
            for lost in (True, False):
                screen, _ = server.accept()
                session.opened(at(100))
                with screen, screen.makefile("rb") as lines:
                    for number in range(2):
                        output = session.feed(lines.readline(), at(100))
                        entered.extend(output.readings)
                        # An answer to another screen comes before it.
                        screen.sendall(b'{"state":"differ","reason":"","id":"b2"}\n{"state":"refused","reason":""}\n')
                        if not (lost and number):
                            screen.sendall(b"".join(output.send))
                session.lost(at(101), "")

        station = threading.Thread(target=serve)
        station.start()
        answers = _entered(str(path), "a1", [LINE, LINE])
        station.join(10)
    assert [answer["state"] for answer in answers] == ["entered", "entered"]
    assert [reading.result for reading in entered if isinstance(reading, ResultEntered)] == [{"number": "17"}]
