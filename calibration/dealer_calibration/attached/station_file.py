"""A first ``station.toml`` for what is attached, with stable names. People finish it: games and rules are theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from dealer_calibration.attached.fit import Fit
from dealer_drivers.attached import Attached
from dealer_drivers.driver import Driver, Observes

GAMES: dict[Observes, tuple[str, str, str]] = {
    Observes.NUMBER: ("roulette", "r", "wheel"),
    Observes.CARD: ("baccarat", "b", "shoe"),
    Observes.DICE: ("sic-bo", "s", "camera"),
    Observes.ANGLE: ("rainbow-wheel", "w", "wheel"),
    Observes.BEANS: ("fan-tan", "f", "camera"),
}
"""By what a device witnesses: a game that needs it, its table's letter, the device's name there."""
SETTINGS = {
    "roulette": '\n[tables.{table}.spin]\nlaps = "unobserved"      # or "counted", "estimated": see the page on laps\n'
    'unobserved = "confirm"   # the dealer confirms each spin\n',
    "baccarat": "\n[tables.{table}.shoe]\nrequire_verified = false\n",
}
HEAD = """\
# Written by `dealer-calibrate devices --write-config`: a beginning, no more. Put in the studio's name and the broker,
# check each table's game and rules, then run: dealer-daemon check-config {file}

[station]
site = "{site}"
state_dir = "/var/lib/dealer-station"

[mqtt]
url = "mqtt://127.0.0.1:1883"
"""


@dataclass(frozen=True, slots=True)
class StationFile:
    """The text, and how many tables stand in it. ``open``: ports of which nobody said what is there."""

    text: str
    tables: int
    open: tuple[str, ...] = field(default=())


def first_station(
    found: Sequence[tuple[Attached, list[Fit]]], drivers: Sequence[Driver], chosen: dict[str, str], file: str
) -> StationFile:
    """One table for each device whose driver is sure or ``chosen`` (by port); the rest stand there as comments."""
    by_name = {driver.name: driver for driver in drivers}
    parts, undecided, counts = [HEAD.format(file=file, site="studio-1")], [], dict[str, int]()
    for attached, fits in found:
        sure = [fit.driver for fit in fits if fit.sure]
        name = chosen.get(attached.port) or (sure[0] if len(sure) == 1 else None)
        table = None if name is None else _table(attached, by_name[name], counts)
        if table is None:
            undecided.append(attached.port)
            parts.append(_comment(attached, fits))
        else:
            parts.append(table)
    return StationFile("\n".join(parts), sum(counts.values()), tuple(undecided))


def _table(attached: Attached, driver: Driver, counts: dict[str, int]) -> str | None:
    needs = [one.name for one in msgspec.structs.fields(driver.options) if one.required]
    seen = _witnesses(driver, needs)
    game = next((GAMES[one] for one in GAMES if one in seen), None)
    if game is None:
        return None
    name, letter, device = game
    counts[letter] = counts.get(letter, 0) + 1
    table = f"{letter}{counts[letter]}"
    lines = [f"# {_spoken(attached)}", f"[tables.{table}]", f'game = "{name}"', 'round_source = "device"']
    text = "\n".join(lines) + "\n" + SETTINGS.get(name, "").format(table=table)
    text += f'\n[[tables.{table}.devices]]\nname = "{device}"\ndriver = "{driver.name}"\n'
    text += f"port = {json.dumps(attached.port, ensure_ascii=False)}\n"
    slot = None if driver.calibration is None else driver.calibration.key
    for key in needs:
        if key == slot:
            text += f'# {key}: made with dealer-calibrate; until then check-config misses it\ncalibration = "current"\n'
        else:
            text += f"# {key} =    needed: see `{driver.name}` in the reference of options\n"
    return text


def _witnesses(driver: Driver, needs: Sequence[str]) -> frozenset[Observes]:
    """What its devices witness; nothing where that depends on options that must be said first."""
    try:
        return driver.observes(driver.options(**dict.fromkeys(needs, "")))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # of a placeholder
        return frozenset()


def _comment(attached: Attached, fits: Sequence[Fit]) -> str:
    names = ", ".join(fit.driver for fit in fits) or "none of the installed ones"
    lines = [f"# {_spoken(attached)}", f"# port = {json.dumps(attached.port, ensure_ascii=False)}"]
    lines.append(f"# driver = one of: {names}. `dealer-calibrate probe DRIVER PORT` decides")
    return "\n".join(lines) + "\n"


def _spoken(attached: Attached) -> str:
    words = [attached.kind, attached.maker, attached.product, attached.usb]
    said = " ".join(word for word in words if word) + (f", serial number {attached.serial}" if attached.serial else "")
    return "".join(char if char.isprintable() else "?" for char in said)
