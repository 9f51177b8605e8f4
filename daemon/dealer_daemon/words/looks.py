"""What a picture of dice or beans leaves in doubt (``dealer_drivers.readings.dice`` and ``beans``)."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_DOUBT = (Kind.REFUSED, Kind.HELD)
"""Make it again; or a person decides first, where the table says so (001)."""

LOOKS: dict[str, Word] = {
    "wrong_count": Word(
        _DOUBT, "Not the right number", "数量不符", "數量不符",
        "The camera sees more or fewer dice than the game has, or something that may be one more.",
    ),
    "moving": Word(
        _DOUBT, "Something still moves", "画面中仍有移动", "畫面中仍有移動",
        "What lies there was not at the same places in all pictures.",
    ),
    "occluded": Word(
        _DOUBT, "Covered", "被遮挡", "被遮擋",
        "Something lies over the plate or the cloth: a hand, a cable, the stick, the bowl.",
    ),
    "glare": Word(
        _DOUBT, "Glare", "反光", "反光",
        "Light is reflected so strongly that nothing can be told there. Lasting: look at the lamps.",
    ),
    "cut_by_frame": Word(
        _DOUBT, "Cut by the picture's edge", "超出画面", "超出畫面",
        "Something reaches over the edge of the picture, or lies so near to it that more may lie beyond. Lasting: "
        "calibrate the camera.",
    ),
    "detectors_disagree": Word(
        _DOUBT, "The two readings differ", "两种判读不一致", "兩種判讀不一致",
        "The two readers do not say the same of the same picture.",
    ),
    "frames_disagree": Word(
        _DOUBT, "The pictures differ", "多幅画面判读不一致", "多幅畫面判讀不一致",
        "Pictures of the same still scene were read differently.",
    ),
    "blurred": Word(
        _DOUBT, "Blurred picture", "画面模糊", "畫面模糊",
        "Out of focus, or moving while the picture was taken. Lasting: set the focus.",
    ),
    "too_dark": Word(
        _DOUBT, "Too dark", "画面过暗", "畫面過暗",
        "There is no contrast to read by. Lasting: look at the lamps and the exposure.",
    ),
    "left_over": Word(
        _DOUBT, "Something that does not belong there", "有多余物体", "有多餘物體",
        "Pips, parts of a die, or something small that is neither bean nor cloth belong to nothing that was read.",
    ),
    "unclear": Word(
        _DOUBT, "Value not certain", "判读不确定", "判讀不確定",
        "Something was found and its value is not certain.",
    ),
    "camera_fault": Word(
        _DOUBT, "Camera fault", "摄像头故障", "攝影機故障",
        "The camera failed, or its picture cannot be used. Check the camera; decide by the video.",
    ),
}  # fmt: skip
