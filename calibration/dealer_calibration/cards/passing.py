"""Hears a reader while a technician passes a pile of cards through it."""

from __future__ import annotations

from dealer_calibration.bench import BenchCommand, BenchError, BenchLink, Finding, Result
from dealer_calibration.cards.findings import findings
from dealer_calibration.cards.tally import Tally
from dealer_calibration.cli.exit_codes import WRONG
from dealer_drivers.driver import Observes
from dealer_drivers.readings import DeviceFault

FIRST_CARD_S = 120.0
"""How long the first card may take."""
QUIET_S = 20.0
"""After so long without a card the technician is asked whether that was all."""


async def pass_pile(command: BenchCommand, name: str, decks: int, *, in_order: bool) -> Result:
    """The whole of ``card check`` and ``shoe``: the pile passes, and is judged. Raises ``BenchError``."""
    device = command.device
    if Observes.CARD not in device.driver.observes(device.ready_options()):
        raise BenchError(f"{device.name} reads no cards: it is a {device.driver.name}", WRONG)
    tally = Tally(decks)
    pile = "a deck" if decks == 1 else f"{decks} decks"
    order = "in order: ace to king of spades, hearts, clubs, diamonds" if in_order else "in any order"
    async with command.taken() as link:
        await link.up()
        command.talk.step(f"Pass {pile} ({tally.wanted} cards), {order}. A card that is not read passes again at once.")
        faults = await _hear(command, link, tally)
    found = findings(tally, in_order=in_order)
    if faults:
        found.insert(0, _faults(faults))
    if not in_order:
        found.append(
            Finding(
                code="order",
                ok=None,
                said="whether cards are taken for each other was not looked at",
                do_next="pass one deck in order (card check --sorted): two codes exchanged in the code book do not "
                "show otherwise",
            )
        )
    return Result(command=name, table=device.table, device=device.name, by=command.arguments.by, findings=found)


async def _hear(command: BenchCommand, link: BenchLink, tally: Tally) -> dict[str, str]:
    faults: dict[str, str] = {}
    wait_s = FIRST_CARD_S
    with command.talk.waiting("listening"):
        while not tally.complete:
            seen = await link.next(wait_s)
            if seen is None:
                if link.state.state == "given_up" or await _was_all(command, tally):
                    break
                continue
            for reading in seen.readings:
                if isinstance(reading, DeviceFault) and not reading.cleared:
                    faults[str(reading.fault)] = reading.detail
            if tally.feed(seen.readings):
                wait_s = QUIET_S
                command.talk.event("card", read=len(tally.passed), of=tally.wanted, card=tally.passed[-1].card)
    return faults


async def _was_all(command: BenchCommand, tally: Tally) -> bool:
    said = f"{len(tally.passed)} of {tally.wanted} cards were read, and none for a while."
    return await command.talk.confirm(f"all_at_{len(tally.passed)}", f"{said} Was that the whole pile?")


def _faults(faults: dict[str, str]) -> Finding:
    return Finding(
        code="device_fault",
        ok=False,
        said="; ".join(f"{fault}: {detail}" for fault, detail in sorted(faults.items())),
        do_next="put that right first (dealer-calibrate probe), then pass the cards again",
        figures={"faults": faults},
    )
