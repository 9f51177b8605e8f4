"""``dealer-calibrate dice calibrate``: a technician is led through all that a rig's calibration needs.

Nothing is written before the end, and then all of it at once: whoever stops at any question leaves what was there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import msgspec
import numpy as np

from dealer_calibration.bench import BenchCommand, BenchError, Finding, NoAnswer, Result, Talk
from dealer_calibration.cameras.camera import Camera, quiet_s
from dealer_calibration.cameras.figures import Bgr, figures_of, mean_of, noise_of
from dealer_calibration.cameras.keep import finished, keep_calibration, kept, png_of
from dealer_calibration.cameras.light import held, lit, locked, steady
from dealer_calibration.cameras.looks import Eyes
from dealer_calibration.dice_rig.limits import chosen, expected, read_again
from dealer_calibration.dice_rig.margins import LIMITS, bars, margins
from dealer_calibration.dice_rig.shaker import Shaker
from dealer_calibration.dice_rig.shakes import ShakeRead, Tally, Typed, judged, typed_dice
from dealer_calibration.dice_rig.shown import Shown, look_at, profile_of, unusable, wanting
from dealer_drivers.calibration.drift import EXPECT
from dealer_drivers.camera.scene import Looked
from dealer_drivers.dice.camera_reader import DiceSceneReader, faces_of
from dealer_drivers.dice.faces import Dice
from dealer_drivers.dice.profile import Circle, RigProfile, dump_profile
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.dice.still_decide import decide_still

COMMAND, KIND = "dice-calibrate", "dice-rig"
PLATES = 12
"""Pictures of the empty plate."""
MOST_SHOWN = 3
"""Times as many pictures as asked for before dice that show no value any more are given up."""
WRONG_PICTURES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done. ``truth``: what the dice of each shake show; without it a person is asked."""

    dice: int
    shown: int
    shakes: int
    region: Circle | None = None
    translucent: bool = False
    truth: Sequence[Typed] | None = None
    quiet_s: float = 0.5
    patience_s: float = 600.0
    """How long is waited for dice that move."""


@dataclass(slots=True)
class Work:
    """What was found so far. ``shakes`` as they were read while they lay there; ``kept`` their pictures as PNG."""

    findings: list[Finding] = field(default_factory=list)
    plates: list[Bgr] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    shakes: list[ShakeRead] = field(default_factory=list)
    kept: list[bytes] = field(default_factory=list)

    def failed(self) -> bool:
        """There is no use in going on."""
        return any(finding.ok is False for finding in self.findings)


async def calibrate(command: BenchCommand, camera: Camera, plan: Plan, shaker: Shaker | None = None) -> Result:
    """The whole of it; without ``shaker`` a person shakes. Raises ``BenchError``."""
    talk, work, eyes = command.talk, Work(), Eyes(camera)
    talk.step("Exposure")
    work.findings.append(locked(camera.locked))
    _tell(talk, work.findings)
    if work.failed():
        return finished(command, COMMAND, work.findings)
    await empty_plate(talk, eyes, plan, work)
    if work.failed():
        return finished(command, COMMAND, work.findings, pictures={"plate": work.plates[0]})
    await shown_dice(talk, eyes, plan, work, shaker)
    talk.step("Profile")
    with talk.waiting("measuring"):
        profile, found = profile_of(
            work.plates, work.shown, count=plan.dice, region=plan.region, translucent=plan.translucent
        )
    work.findings += found
    _tell(talk, found)
    if profile is None or work.failed():
        some = {f"dice-{n}": one.picture for n, one in enumerate(work.shown[:4], 1)}
        return finished(command, COMMAND, work.findings, pictures={"plate": work.plates[0], **some})
    await set_of_shakes(talk, eyes, plan, work, profile, shaker)
    return judge(command, plan, work, profile)


def _tell(talk: Talk, findings: Sequence[Finding]) -> None:
    for finding in findings:
        talk.say(finding.said, warn=finding.ok is not True)
        talk.event("finding", code=finding.code, ok=finding.ok, said=finding.said)


async def empty_plate(talk: Talk, eyes: Eyes, plan: Plan, work: Work) -> None:
    """The reference that everything is compared with later."""
    talk.step("The empty plate")
    await talk.enter("plate", "Take all dice off the plate, close the dome, and keep hands away.")
    with talk.waiting("taking pictures of the empty plate"):
        work.plates = await eyes.at_rest(PLATES, quiet_s=plan.quiet_s)
    found = [steady(work.plates), lit(work.plates[0]), _empty(work.plates[0], plan.dice)]
    work.findings += found
    _tell(talk, found)
    talk.event("plate", **figures_of(mean_of(work.plates)).as_json())


def _empty(picture: Bgr, count: int) -> Finding:
    """Dice that are surely dice; what else lies there shows as dice too many, later."""
    for number in (count, *range(1, 5)):
        answer = decide_still(picture, number)
        if isinstance(answer, Dice):
            return Finding(
                code="plate_empty",
                ok=False,
                said=f"{number} dice lie on the plate that is to be empty: {' '.join(map(str, answer.values))}",
                do_next="take them off and begin again",
            )
    return Finding(code="plate_empty", ok=True, said="no dice are seen on the empty plate")


async def shown_dice(talk: Talk, eyes: Eyes, plan: Plan, work: Work, shaker: Shaker | None) -> None:
    """Dice that lie flat and apart, every value among them."""
    talk.step(f"{plan.dice} dice, {plan.shown} times")
    talk.say(
        f"Shake, or lay {plan.dice} dice flat, apart from each other, some near the rim and some in the middle. Take "
        "your hand away: each picture is taken by itself once nothing moves. Then shake or lay them anew."
    )
    plate, noise = mean_of(work.plates), noise_of(work.plates)
    if shaker is not None:
        await talk.enter("dice", f"Put {plan.dice} dice on the plate and close the dome; it will be shaken.")
    said = wanting(work.shown, plan.dice)
    for number in range(1, MOST_SHOWN * plan.shown + 1):
        if len(work.shown) >= plan.shown and not said:
            break
        with talk.waiting(
            f"picture {len(work.shown) + 1} of {plan.shown}: waiting for dice that move and come to rest"
        ):
            await shaken(shaker)
            (picture,) = await eyes.at_rest(1, quiet_s=plan.quiet_s, must_move=True, move_within_s=plan.patience_s)
        one = look_at(plate, noise, picture, plan.dice)
        why = unusable(one, plan.dice)
        talk.event("shown", number=number, dice=one.dice, values=list(one.values), usable=not why)
        if why:
            talk.say(why, warn=True)
            continue
        work.shown.append(one)
        said = wanting(work.shown, plan.dice)
        talk.say(f"{len(work.shown)}: {' '.join(map(str, one.values)) or 'pips not told yet'}. {said}".strip())
    found = held([one.brighter for one in work.shown], "dice")
    work.findings.append(found)
    if len(work.shown) < plan.shown:
        work.findings.append(
            Finding(
                code="dice_count",
                ok=False,
                said=f"of {MOST_SHOWN * plan.shown} pictures only {len(work.shown)} show {plan.dice} single dice",
                do_next=f"put {plan.dice} dice on the plate, no more and no fewer; look at the picture with dice live",
            )
        )
    _tell(talk, work.findings[-1:])


async def shaken(shaker: Shaker | None) -> None:
    """Once, where the bench does it."""
    if shaker is not None:
        await shaker.shake()


async def set_of_shakes(
    talk: Talk, eyes: Eyes, plan: Plan, work: Work, profile: RigProfile, shaker: Shaker | None
) -> None:
    """Each shake is read as the station would read it, and typed by a person who does not know what was read."""
    talk.step(f"{plan.shakes} shakes")
    talk.say("Shake with the dealer's button, or by hand. Type what the dice show, as 1 3 6; x where one is not flat.")
    scene, reader = DiceSceneReader(profile, plan.dice), RigReader(profile, plan.dice)
    while len(work.shakes) < plan.shakes:
        number = len(work.shakes) + 1
        with talk.waiting(f"shake {number} of {plan.shakes}: waiting for dice that move and come to rest"):
            await shaken(shaker)
            await eyes.at_rest(1, quiet_s=plan.quiet_s, must_move=True, move_within_s=plan.patience_s)
            looked = await eyes.look(scene, plan.quiet_s)
        if looked.reasons[:1] == ("moving",):
            talk.say("something moved while it was read: this one does not count, shake again", warn=True)
            continue
        read = _read(looked, plan.dice)
        typed = await _typed(talk, plan, number, read)
        used = margins(reader, looked.pixels)
        work.shakes.append(ShakeRead(number, typed, read, tuple(map(str, looked.reasons)), looked.detail, used))
        work.kept.append(png_of(looked.pixels))
        told = "read" if read is not None else f"refused: {looked.reasons[0]}: {looked.detail}"
        agree = read == typed
        talk.event("shake", **work.shakes[-1].as_json(), agree=agree)
        talk.say(f"{number}: {told}", warn=read is not None and not agree)


def _read(looked: Looked, count: int) -> tuple[int, ...] | None:
    faces = None if looked.value is None else faces_of(looked.value, count)
    return None if faces is None else tuple(sorted(face.value for face in faces))


async def _typed(talk: Talk, plan: Plan, number: int, read: tuple[int, ...] | None) -> Typed:
    if plan.truth is not None:
        return plan.truth[number - 1]
    typed = await ask_dice(talk, f"shake-{number}", f"Shake {number}, the dice show:")
    if read is not None and typed != read:
        talk.say("That is not what was read. Look at the dice once more.", warn=True)
        typed = await ask_dice(talk, f"shake-{number}-again", "They show:")
    return typed


async def ask_dice(talk: Talk, key: str, question: str) -> Typed:
    """What a person sees. Raises ``NoAnswer`` after three answers that are no dice."""
    for _ in range(3):
        given = await talk.text(key, question)
        try:
            return typed_dice(given)
        except ValueError as error:
            talk.say(str(error), warn=True)
    raise NoAnswer(f"{key}: no answer was dice")


def judge(command: BenchCommand, plan: Plan, work: Work, profile: RigProfile) -> Result:
    """Limits from all flat dice, the whole set read with them, and what that proves; kept when nothing is wrong."""
    talk = command.talk
    talk.step("Limits, and what the shakes prove")
    pictures = [_decoded(data) for data in work.kept]
    flat = [one.picture for one in work.shown]
    flat += [one for one, shake in zip(pictures, work.shakes, strict=True) if shake.readable(plan.dice)]
    with talk.waiting("reading every shake once more"):
        final, found = chosen(profile, flat, plan.dice)
        reader = RigReader(final, plan.dice)
        again = [read_again(reader, picture) for picture in pictures]
        shakes = [
            ShakeRead(
                shake.number,
                shake.typed,
                None if one.dice is None else one.dice.values,
                one.reasons,
                one.detail,
                margins(reader, picture),
            )
            for shake, one, picture in zip(work.shakes, again, pictures, strict=True)
        ]
    tally, live = Tally(shakes, plan.dice), Tally(work.shakes, plan.dice)
    found = [msgspec.structs.replace(one, figures={**one.figures, "margins": tally.histograms()}) for one in found]
    # What was wrong with the first limits is wrong, whatever later ones say.
    found += judged(live if live.wrong else tally)
    work.findings += found
    expect = expected(reader, pictures, shakes)
    figures = {key: value for key, value in tally.figures().items() if key in SUMMARY}
    _show(talk, tally)
    shots = {"plate": work.plates[0]}
    for shake, picture in zip(work.shakes, pictures, strict=True):
        if len(shots) <= WRONG_PICTURES and (shake in live.wrong or (shake.read is None and shake.readable(plan.dice))):
            shots[f"shake-{shake.number}"] = picture
    if work.failed():
        talk.say("nothing is kept as a calibration: see what is wrong", warn=True)
        return finished(command, COMMAND, work.findings, figures=figures, pictures=shots)
    text, plate = dump_profile(final)
    record = [shake.as_json() for shake in shakes]
    files = {
        "profile.json": text,
        final.content.plate: plate,
        "shakes.json": msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n",
    }
    values: dict[str, Any] = {EXPECT: expect, "shakes": figures}
    made = keep_calibration(command, KIND, files, values)
    work.findings.append(kept(command, made))
    return finished(command, COMMAND, work.findings, figures=figures, pictures=shots, made=made)


SUMMARY = ("shakes", "flat", "read", "wrong", "wrong_at_most", "refused")


def _decoded(data: bytes) -> Bgr:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture, np.uint8)


def _show(talk: Talk, tally: Tally) -> None:
    """The confusion table, the reasons, and how near to their limits good readings came."""
    from rich.table import Table

    grid = Table(title="dice as typed, down, and as read, across", box=None)
    for name in ("", *map(str, range(1, 7)), "refused"):
        grid.add_column(name, justify="right")
    for value, row in enumerate(tally.confusion(), 1):
        grid.add_row(str(value), *(str(count) if count else "." for count in row))
    talk.console.print(grid)
    for reason, count in tally.reasons().items():
        talk.say(f"refused as {reason}: {count}")
    talk.say("used of each limit, from none of it (left) to all (right):")
    for name, counts in tally.histograms().items():
        talk.say(f"  {LIMITS[name]:32} |{bars(counts)}|")


def plan_of(command: BenchCommand, **own: Any) -> Plan:
    """The plan by the device's options as they are written. Raises ``BenchError``."""
    device = command.device
    slot = device.driver.calibration
    if slot is None or slot.kind != KIND:
        raise BenchError(
            f"device {device.name} of table {device.table} is no camera over dice: its driver is {device.driver.name}"
        )
    written = device.written
    dice = written.get("dice", 3)
    if not isinstance(dice, int) or not 1 <= dice <= 5:
        raise BenchError(f"{device.config_path}: device {device.name}: dice must be 1 to 5")
    return Plan(dice=dice, quiet_s=quiet_s(command), **own)
