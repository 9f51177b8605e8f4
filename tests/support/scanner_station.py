"""A station of one dragon tiger table over a scanner whose codes are the cards themselves."""

from __future__ import annotations

from support.live import SITE, Live

CONFIG = """
[station]
site = "{site}"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[tables.r1]
game = "dragon-tiger"
round_source = "{source}"
[tables.r1.shoe]
require_verified = false
[[tables.r1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "{scanner}"
codebook = "rank-suit"
suffix = "line"
"""


def configure_scanner(here: Live, scanner: str, *, source: str = "device") -> None:
    """Write the station's configuration; ``scanner`` is the reader's port, ``source`` the table's ``round_source``."""
    here.config.write_text(CONFIG.format(site=SITE, state=here.state, port=here.port, scanner=scanner, source=source))
