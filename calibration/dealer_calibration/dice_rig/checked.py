"""``dealer-calibrate dice check``: the empty plate, and one shake."""

from __future__ import annotations

from pathlib import Path

from dealer_calibration.bench import BenchCommand, BenchError, Result
from dealer_calibration.cameras.camera import Camera
from dealer_calibration.cameras.ground import PICTURES
from dealer_calibration.cameras.keep import finished
from dealer_calibration.cameras.looks import Eyes
from dealer_calibration.dice_rig.check import plate_findings, shake_findings
from dealer_calibration.dice_rig.draw import drawn
from dealer_calibration.dice_rig.guide import ask_dice, plan_of, shaken
from dealer_calibration.dice_rig.shaker import Shaker
from dealer_calibration.dice_rig.shakes import Typed
from dealer_drivers.calibration.drift import expectations
from dealer_drivers.dice.camera_reader import DiceSceneReader
from dealer_drivers.dice.profile import ProfileError, RigProfile, load_profile
from dealer_drivers.dice.rig_reader import RigReader
from dealer_drivers.dice.sicbo_camera import SicboCameraOptions

COMMAND = "dice-check"


def rig_of(command: BenchCommand) -> RigProfile:
    """The profile that the station would use. Raises ``BenchError``."""
    plan_of(command, shown=0, shakes=0)
    options = command.device.ready_options()
    assert isinstance(options, SicboCameraOptions)
    try:
        return load_profile(Path(options.profile))
    except ProfileError as error:
        raise BenchError(str(error)) from error


def reader_or_none(command: BenchCommand) -> RigReader | None:
    """The reader of the device's calibration; ``None`` where there is none yet. Raises ``BenchError``."""
    if command.device.options is None:
        return None
    return RigReader(rig_of(command), plan_of(command, shown=0, shakes=0).dice)


async def check(
    command: BenchCommand,
    camera: Camera,
    profile: RigProfile,
    *,
    shake: bool,
    typed: Typed | str,
    patience_s: float = 600.0,
    shaker: Shaker | None = None,
) -> Result:
    """``typed`` is what the dice of the shake show; ``"unasked"``: a person is asked. Raises ``BenchError``."""
    talk, plan, eyes = command.talk, plan_of(command, shown=0, shakes=1), Eyes(camera)
    talk.step("The empty plate")
    await talk.enter("plate", "Take all dice off the plate, close the dome, and keep hands away.")
    with talk.waiting("taking pictures of the empty plate"):
        empty = await eyes.at_rest(PICTURES, quiet_s=plan.quiet_s)
    findings = plate_findings(profile, empty)
    pictures = {"plate": empty[-1]}
    usable = findings[0].code != "picture_size"
    if shake and usable:
        talk.step("One shake")
        talk.say(f"Put {plan.dice} dice on the plate and shake, or lay them flat.")
        reader = RigReader(profile, plan.dice)
        if shaker is not None:
            await talk.enter("shake", "Put the dice on the plate and close the dome; it will be shaken.")
        with talk.waiting("waiting for dice that move and come to rest"):
            await shaken(shaker)
            await eyes.at_rest(1, quiet_s=plan.quiet_s, must_move=True, move_within_s=patience_s)
            looked = await eyes.look(DiceSceneReader(profile, plan.dice), plan.quiet_s)
        if typed == "unasked" and not command.arguments.yes:
            typed = await ask_dice(talk, "dice", "The dice show (x where one does not lie flat):")
        calibration = command.device.calibration
        expect = {} if calibration is None else expectations(calibration.envelope.values)
        findings += shake_findings(reader, looked, typed, expect)
        pictures["shake"] = drawn(looked.pixels, reader).picture
    return finished(command, COMMAND, findings, pictures=pictures)
