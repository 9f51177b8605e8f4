"""``dealer-calibrate beans calibrate`` and ``check``: a technician is led through what a cloth's camera needs.

Nothing is written before the end, and then all of it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from dealer_calibration.bean_cloth.check import cloth_of, layout_findings
from dealer_calibration.bean_cloth.draw import drawn
from dealer_calibration.bean_cloth.layouts import LayoutRead, counted_of, judged
from dealer_calibration.bench import BenchCommand, BenchError, Finding, NoAnswer, Result, Talk
from dealer_calibration.cameras.camera import Camera
from dealer_calibration.cameras.figures import Bgr, mean_of, noise_of
from dealer_calibration.cameras.ground import PICTURES, ground_findings
from dealer_calibration.cameras.keep import finished, keep_calibration, kept, png_of
from dealer_calibration.cameras.light import lit, locked, steady
from dealer_calibration.cameras.looks import Eyes
from dealer_drivers.beans.calibrate import make_profile
from dealer_drivers.beans.camera_reader import BeansSceneReader, count_of
from dealer_drivers.beans.layout import BeansDoubts
from dealer_drivers.beans.profile import BadProfile, BeansProfile, encode_profile
from dealer_drivers.readings.beans import BeansDoubt

KIND = "bean-cloth"
CLOTH = "cloth.png"
"""The picture of the empty cloth, beside the profile."""
PICTURES_LEAST = 3
WORDS = {
    "white patches are seen": "beans_counted",
    "lay the groups farther apart": "groups_apart",
    "px wide": "too_small",
    "too alike": "contrast",
    "coloured cloth": "contrast",
    "cannot be read with the new profile: blurred": "focus",
    "are read and": "beans_counted",
    "one must show more than": "columns_missing",
}
"""What a profile cannot be made for, by a part of the sentence that says so; the first that fits names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done. ``counts``: what lies in each layout, of the profile's and then of the set."""

    pictures: int
    layouts: int
    how: dict[str, Any] = field(default_factory=dict)
    """Rows, line, columns, stack and region, as ``make_profile`` takes them."""
    counts: Sequence[int | None] | None = None
    quiet_s: float = 0.5
    patience_s: float = 600.0


async def calibrate(command: BenchCommand, camera: Camera, plan: Plan) -> Result:
    """The whole of it. Raises ``BenchError``."""
    talk, name, eyes = command.talk, "beans-calibrate", Eyes(camera)
    talk.step("Exposure")
    findings = [locked(camera.locked)]
    tell(talk, findings)
    if findings[0].ok is False:
        return finished(command, name, findings)
    empty = await _cloth(talk, eyes, plan)
    findings += [steady(empty), lit(empty[0])]
    tell(talk, findings[1:])
    talk.step(f"{plan.pictures} layouts for the profile")
    talk.say("Lay beans out cleanly, one layout with more than a full column, take hands and stick away, and count.")
    shown: list[tuple[Bgr, int]] = []
    for number in range(1, plan.pictures + 1):
        picture = await _next(talk, eyes, plan, f"layout {number} of {plan.pictures}")
        counted = await _count(talk, plan, number)
        if counted is None:
            raise BenchError(f"layout {number}: the profile's layouts must be clean: begin again")
        shown.append((picture, counted))
        talk.event("layout", number=number, counted=counted)
    profile, said = _profile(shown, plan, empty[0])
    findings += said
    tell(talk, said)
    shots = {"cloth": empty[0], **{f"layout-{n}": picture for n, (picture, _) in enumerate(shown, 1)}}
    if profile is None or any(one.ok is False for one in findings):
        return finished(command, name, findings, pictures=shots)
    layouts = await _set(talk, eyes, plan, profile, shots)
    findings += judged(layouts)
    figures = next((one.figures for one in findings if one.code == "read_wrong"), {})
    if any(one.ok is False for one in findings):
        talk.say("nothing is kept as a calibration: see what is wrong", warn=True)
        return finished(command, name, findings, pictures=shots)
    record = [one.as_json() for one in layouts]
    files = {
        "profile.json": encode_profile(profile),
        CLOTH: png_of(mean_of(empty)),
        "layouts.json": msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n",
    }
    values = {"cloth": {"noise": round(noise_of(empty), 3)}, "layouts": dict(figures)}
    made = keep_calibration(command, KIND, files, values)
    findings.append(kept(command, made))
    return finished(command, name, findings, pictures=shots, made=made)


def tell(talk: Talk, findings: Sequence[Finding]) -> None:
    """As they are found."""
    for finding in findings:
        talk.say(finding.said, warn=finding.ok is not True)
        talk.event("finding", code=finding.code, ok=finding.ok, said=finding.said)


async def _cloth(talk: Talk, eyes: Eyes, plan: Plan) -> list[Bgr]:
    talk.step("The empty cloth")
    await talk.enter("cloth", "Take beans, bowl and stick off the cloth, and keep hands away.")
    with talk.waiting("taking pictures of the empty cloth"):
        return await eyes.at_rest(PICTURES, quiet_s=plan.quiet_s)


async def _next(talk: Talk, eyes: Eyes, plan: Plan, what: str) -> Bgr:
    with talk.waiting(f"{what}: waiting for beans that are laid out, and then nothing moves"):
        (picture,) = await eyes.at_rest(
            1, quiet_s=plan.quiet_s, must_move=True, move_within_s=plan.patience_s, within_s=plan.patience_s
        )
    return picture


async def _count(talk: Talk, plan: Plan, number: int) -> int | None:
    if plan.counts is not None:
        return plan.counts[number - 1]
    return await ask_count(talk, f"layout-{number}", f"Layout {number}, how many beans lie there?")


async def ask_count(talk: Talk, key: str, question: str) -> int | None:
    """What a person counts. Raises ``NoAnswer`` after three answers that are none."""
    for _ in range(3):
        try:
            return counted_of(await talk.text(key, question))
        except ValueError as error:
            talk.say(str(error), warn=True)
    raise NoAnswer(f"{key}: no answer was a number of beans")


def _profile(shown: Sequence[tuple[Bgr, int]], plan: Plan, empty: Bgr) -> tuple[BeansProfile | None, list[Finding]]:
    try:
        profile = make_profile([picture for picture, _ in shown], [count for _, count in shown], **plan.how)
    except BadProfile as error:
        code = next((code for words, code in WORDS.items() if words in str(error)), "profile")
        do_next = "change that, and begin the calibration again"
        return None, [Finding(code=code, ok=False, said=str(error), do_next=do_next)]
    said = f"beans are {profile.size.middle_px:.1f} px wide; every layout is read as it was counted"
    figures = {"bean_px": profile.size.middle_px, "edge_px": profile.edge_px, "link": profile.link}
    found = [Finding(code="profile", ok=True, said=said, figures=figures)]
    answer = BeansSceneReader(profile).read(empty)
    if isinstance(answer, BeansDoubts) and answer.reasons == (BeansDoubt.NO_BEANS,):
        found.append(Finding(code="cloth_empty", ok=True, said="no bean is seen on the empty cloth"))
    else:
        seen = f"{answer.reasons[0]}: {answer.detail}" if isinstance(answer, BeansDoubts) else f"{answer.beans} beans"
        said = f"the cloth that was to be empty shows {seen}"
        do = "take everything off the cloth, and begin again"
        found.append(Finding(code="cloth_empty", ok=False, said=said, do_next=do))
    return profile, found


async def _set(talk: Talk, eyes: Eyes, plan: Plan, profile: BeansProfile, shots: dict[str, Bgr]) -> list[LayoutRead]:
    talk.step(f"{plan.layouts} layouts to be read")
    talk.say("Lay beans out anew each time, of any number; type how many, or x where they do not lie cleanly.")
    reader, layouts = BeansSceneReader(profile), list[LayoutRead]()
    while len(layouts) < plan.layouts:
        number = len(layouts) + 1
        await _next(talk, eyes, plan, f"layout {number} of {plan.layouts}")
        looked = await eyes.look(reader, plan.quiet_s)
        if looked.reasons[:1] == ("moving",):
            talk.say("something moved while it was read: this one does not count", warn=True)
            continue
        counted = await _count(talk, plan, plan.pictures + number)
        said = None if looked.value is None else count_of(looked.value)
        read = None if said is None else said.beans
        one = LayoutRead(number, counted, read, tuple(map(str, looked.reasons)), looked.detail)
        layouts.append(one)
        if read != counted:
            shots[f"read-{number}"] = looked.pixels
        talk.event("read", **one.as_json())
        talk.say(f"{number}: {read if read is not None else f'refused: {looked.reasons[0]}: {looked.detail}'}")
    return layouts


async def check(
    command: BenchCommand,
    camera: Camera,
    profile: BeansProfile,
    cloth: Bgr | None,
    plan: Plan,
    *,
    layout: bool,
    counted: int | str | None,
) -> Result:
    """``cloth``: the empty cloth as it was, where the calibration has it. Raises ``BenchError``."""
    talk, eyes = command.talk, Eyes(camera)
    empty = await _cloth(talk, eyes, plan)
    calibration = command.device.calibration
    values = {} if calibration is None else calibration.envelope.values.get("cloth", {})
    noise = values.get("noise") if isinstance(values, dict) else None
    if cloth is None:
        do_next = "calibrate with beans calibrate, which keeps that picture"
        said = "the calibration has no picture of the empty cloth: place, light and dirt cannot be compared"
        findings = [steady(empty), Finding(code="camera_moved", ok=None, said=said, do_next=do_next)]
    else:
        known = float(noise) if isinstance(noise, int | float) else noise_of(empty)
        findings = ground_findings(cloth_of(profile, cloth, known), empty)
    shots = {"cloth": empty[-1]}
    if layout and findings[0].code != "picture_size":
        talk.step("One layout")
        talk.say("Lay beans out cleanly, take hands and stick away.")
        await _next(talk, eyes, plan, "layout")
        looked = await eyes.look(BeansSceneReader(profile), plan.quiet_s)
        if counted == "unasked" and not command.arguments.yes:
            counted = await ask_count(talk, "beans", "How many beans lie there (x where they do not lie cleanly)?")
        findings += layout_findings(profile, looked, counted)
        shots["layout"] = drawn(looked.pixels, profile).picture
    return finished(command, "beans-check", findings, pictures=shots)
