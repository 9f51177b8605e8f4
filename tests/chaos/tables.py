"""The station of a chaos run: its simulated devices, its configuration, and what its tables' plays mean."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chaos.history import Play
from hw_sim.shoe.faults import Expect
from support.checker import may_count

SITE, PREFIX = "studio-1", "dealer/v1"
BASE = f"{PREFIX}/{SITE}"

SCENARIO = """
title = "tables of a chaos run"
[[devices]]
name = "launcher"
model = "ss2"
table = "fast"
wait_for_host = true
[[devices]]
name = "wheel"
model = "m360"
table = "fast"
extended = true
port = "tcp"
wait_for_host = true
[devices.rates]
weak_launch = 0.1
same_direction = 0.05
[[devices]]
name = "shoe"
model = "angel-eye"
starts = "told"
between_s = [1.0, 2.0]
wait_for_host = true
[devices.rates]
unreadable = 0.1
repeated_telegram = 0.1
[[devices]]
name = "rainbow"
model = "wheel-counter"
hertz = 20.0
between_s = [2.0, 4.0]
wait_for_host = true
[devices.rates]
short_spin = 0.1
stopped_by_hand = 0.1
"""

CONFIG = """
[station]
site = "{site}"
state_dir = {state}
signing_key_file = {key}
[mqtt]
url = "mqtt://127.0.0.1:{port}"
prefix = "{prefix}"
keepalive_s = 2
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "launcher"
driver = "cammegh-ss2"
port = {launcher}
[tables.r2]
game = "roulette"
round_source = "device"
[tables.r2.spin]
laps = "counted"
[[tables.r2.devices]]
name = "wheel"
driver = "cammegh-m360"
port = {wheel}
extended = true
[tables.b1]
game = "baccarat"
round_source = "server"
[tables.b1.shoe]
require_verified = false
[[tables.b1.devices]]
name = "shoe"
driver = "angel-eye"
port = {shoe}
[tables.w1]
game = "rainbow-wheel"
round_source = "device"
[tables.w1.turn]
wheel = {map}
[[tables.w1.devices]]
name = "rainbow"
driver = "wheel-counter"
port = {rainbow}
"""

TABLE_OF: Mapping[str, str] = {"launcher": "r1", "wheel": "r2", "shoe": "b1", "rainbow": "w1"}
"""By device."""
SERVED = frozenset({"b1"})
"""Tables whose rounds a game server opens and closes."""

_HARMLESS = {Expect.ACCEPT.value, Expect.RESCAN.value, Expect.IGNORE.value, Expect.LAST_HAND.value}


def station_toml(state: str, key: str, port: int, ports: Mapping[str, str], wheel_map: str) -> str:
    """The configuration. ``key`` is the file to sign with, ``port`` the broker's, ``ports`` by device."""
    values = {name: json.dumps(address) for name, address in ports.items()}
    return CONFIG.format(
        site=SITE,
        prefix=PREFIX,
        state=json.dumps(state),
        key=json.dumps(key),
        port=port,
        map=json.dumps(wheel_map),
        **values,
    )


def play_of(record: Mapping[str, Any], seen: bool) -> Play:
    """What a record of the simulator's truth asks of the station. ``seen``: the station was there for all of it."""
    table = TABLE_OF[record["device"]]
    if table in ("r1", "r2"):
        laps_seen = table == "r2"
        facts = {"number": record["number"], "spin": record["counter"]} | (
            {"laps": record["laps"]} if laps_seen else {}
        )
        return Play(table, facts, may_count(dict(record), laps_seen), seen and record["expect"] == "accept")
    if table == "w1":
        if not record["finished"]:  # where it stopped is written at its end, some seconds after it rests
            return Play(table, {}, may=True, must=False)
        facts = {key: record[key] for key in ("segment", "color", "way", "turns")}
        # Held is what a plug that was pulled makes of a turn; it may have been published just before.
        return Play(table, facts, record["expect"] != "refuse", seen and record["expect"] == "accept")
    facts = {f"{side}.cards": _side(record["cards"], side) for side in ("player", "banker")}
    may = bool(record["complete"])
    plain = all(struck["expect"] in _HARMLESS for struck in record["struck"])
    return Play(table, facts | {"winner": record["winner"]}, may, seen and may and plain and not record["swept"])


def _side(cards: Mapping[str, str], side: str) -> Sequence[str]:
    return [card for at, card in sorted(cards.items()) if at.startswith(f"{side}.")]
