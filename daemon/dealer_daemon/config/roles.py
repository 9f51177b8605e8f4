"""Whether a table's devices can play their roles: one result, its witnesses, and what may stand in for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dealer_daemon.games import AttemptGame, Game, TableDevice
from dealer_drivers.driver import Observes


def check_devices(
    game: Game, settings: Any, devices: Sequence[TableDevice], round_source: str = "server"
) -> list[tuple[str, str]]:
    """Every (key, reason) that is wrong."""
    main = [device for device in devices if device.role == "main"]
    others = [device for device in devices if device.role != "main"]
    if not main:
        return [("devices", 'every device is a witness or a fallback: one must have role = "main", or none')]
    found = list(_check_main(game, settings, main))
    found += _check_use(game, devices)
    found += _check_rounds(main, round_source)
    if others and not isinstance(game, AttemptGame):
        names = ", ".join(device.name for device in others if device.role == "fallback")
        if names:
            found.append(("devices", f"{names}: a card table has no fallback; the manager corrects positions instead"))
        witnesses = [device for device in others if device.role == "witness"]
        if len(witnesses) > 1:
            found.append(("devices", "a card table has one witness, a second reader for every card"))
        found += [
            ("devices", f"{device.name} ({device.driver}) reads no cards and cannot be a witness of them")
            for device in witnesses
            if Observes.CARD not in device.observes
        ]
        for device in witnesses:
            more = [problem for problem in game.check(settings, [device]) if problem not in found]
            found += [(key, reason) for key, reason in more if Observes.CARD in device.observes]
        return found
    for device in others:
        found += _check_other(game, settings, device)
    return found


def _check_main(game: Game, settings: Any, main: Sequence[TableDevice]) -> Iterator[tuple[str, str]]:
    by_hand = [device.name for device in main if Observes.ENTRY in device.observes]
    if not by_hand:
        yield from game.check(settings, main)
    elif not isinstance(game, AttemptGame):
        yield "devices", f"{by_hand[0]}: cards are not keyed in; the manager corrects positions instead"
    elif len(main) > 1:
        reason = f'{by_hand[0]} is keyed in by hand beside another device: give it role = "witness" or "fallback"'
        yield "devices", reason


def _check_use(game: Game, devices: Sequence[TableDevice]) -> Iterator[tuple[str, str]]:
    for device in devices:
        if game.played_by and device.observes.isdisjoint(game.played_by | {Observes.ENTRY}):
            seen, wanted = (", ".join(sorted(words)) for words in (device.observes, game.played_by))
            yield (
                "devices",
                f"{device.name} ({device.driver}) gives {seen}, and {game.name} is played by {wanted}: nothing would "
                "ever look at it; put it at its own table",
            )


def _check_rounds(main: Sequence[TableDevice], round_source: str) -> Iterator[tuple[str, str]]:
    """What is keyed in names the round that it is for, and its bets were closed before: no device does either."""
    by_hand = [device.name for device in main if Observes.ENTRY in device.observes]
    if by_hand and round_source == "device":
        yield (
            "round_source",
            f'"device", but {by_hand[0]} is keyed in by hand and begins nothing: only a server can open a round and '
            'close its bets before the result is known; write "server"',
        )


def _check_other(game: Game, settings: Any, device: TableDevice) -> Iterator[tuple[str, str]]:
    if Observes.ENTRY in device.observes:
        return
    if device.role == "fallback":
        yield "devices", f"{device.name} ({device.driver}) is no fallback: only results keyed in by hand are"
        return
    for key, reason in game.check(settings, [device]):
        yield key, f"as a witness {device.name} must be able to give the result by itself: {reason}"
