"""A table's configuration for the bench, with a simulated device or none."""

from __future__ import annotations

from pathlib import Path

CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:1"
[tables.r1]
game = "roulette"
round_source = "device"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{port}"
"""


def wheel_config(folder: Path, port: str) -> Path:
    """A station of one roulette wheel at ``port``."""
    path = folder / "station.toml"
    (folder / "state").mkdir(exist_ok=True)
    path.write_text(CONFIG.format(state=folder / "state", port=port))
    return path
