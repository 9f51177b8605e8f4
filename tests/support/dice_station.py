"""A sic bo table of real processes: simulated shaker and dome, the camera, daemon, broker, and a game server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dealer_calibration.dice_profile import write_profile
from support.live import SITE, Live, until
from support.rig_dice import calibrated

CONFIG = """
[station]
site = "{site}"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[tables.r1]
game = "sic-bo"
round_source = "{source}"
[tables.r1.shake]
{shake}
[[tables.r1.devices]]
name = "camera"
driver = "sicbo-camera"
port = "{camera}"
profile = "{profile}"
{shaker}
"""
NETWORKED = """
[[tables.r1.devices]]
name = "shaker"
driver = "shaker-networked"
port = "{shaker}"
control = true
"""
RELAY = """
[[tables.r1.devices]]
name = "shaker"
driver = "shaker-relay"
port = "{shaker}"
"""


@dataclass
class DiceTable:
    """The table's configuration; ``speed`` is the simulator's and the station's."""

    here: Live
    speed: float

    def configure(self, ports: dict[str, str], *, source: str, shake: str, shaker: str, rig: int = 1) -> None:
        """Measures the profile of the scenario's rig from pictures, and writes the station's configuration."""
        profile = self.here.folder / "rig.json"
        _, measured, _ = calibrated(rig, "asian")
        write_profile(measured, profile, replace=True)
        text = CONFIG.format(
            site=SITE,
            state=self.here.state,
            port=self.here.port,
            source=source,
            shake=shake,
            camera=ports["camera"],
            profile=profile,
            shaker=shaker.format(shaker=ports.get("shaker", "")),
        )
        self.here.config.write_text(text)
        import sys

        daemon = [sys.executable, "-m", "dealer_daemon", "run", "--config", str(self.here.config)]
        self.here.daemon.command = (*daemon, "--speed", f"{self.speed:g}", "--log-format", "json")


def of_round(here: Live, round_id: str) -> list[dict[str, Any]]:
    """The round's events, each once."""
    events = {event["sequence"]: event for event in here.events() if event.get("subject") == round_id}
    return [events[sequence] for sequence in sorted(events)]


async def settled(here: Live, round_id: str, within_s: float = 90.0) -> dict[str, Any]:
    """The event at which the round ended, or stands for a person."""

    def last() -> dict[str, Any] | None:
        ends = ("round.outcome", "round.voided", "attempt.held", "table.paused")
        return next((event for event in reversed(of_round(here, round_id)) if event["type"] in ends), None)

    found: dict[str, Any] = await until(last, f"an end of round {round_id}: {here.daemon.said()[-2000:]}", within_s)
    return found


def health(here: Live, device: str) -> dict[str, Any] | None:
    """The newest retained message of a device."""
    messages = [json.loads(one["body"]) for one in here.messages() if one["topic"].endswith(f"/devices/{device}")]
    return messages[-1] if messages else None


def evidence_of(path: Path, event: dict[str, Any]) -> dict[str, str]:
    """Media types of the event's evidence, by hash, from the journal."""
    import sqlite3

    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT hash, media_type FROM evidence").fetchall()
    db.close()
    types = dict(rows)
    return {name: types[name] for name in event["data"]["evidence"]}
