"""Why a throw of dice did not count (``validation/dice_rules.py``). Doubts of any picture are in ``looks.py``."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD, _FAULT = (Kind.REFUSED,), (Kind.HELD,), (Kind.FAULT,)
_DOUBT = (Kind.REFUSED, Kind.HELD)
"""Shake again; or a person decides first, where the table says ``unclear = "hold"`` (001)."""

DICE: dict[str, Word] = {
    # Refused: the shaker did not do what it should.
    "no_shake_answer": Word(
        _REFUSED, "The shaker did not take the command", "摇骰机未接受指令", "搖骰機未接受指令",
        "The station asked the shaker to start and it did not answer. Check its power and network, and `control`.",
    ),
    "never_shook": Word(
        _REFUSED, "The shaker did not shake", "摇骰机未摇动", "搖骰機未搖動",
        "The shaker took the command and neither it nor the camera showed a movement. Lasting: call a technician.",
    ),
    "shake_cut_short": Word(
        _REFUSED, "Shake cut short", "摇骰时间不足", "搖骰時間不足",
        "The shaker said that it stands sooner than a whole shake takes.",
    ),
    "shaken_early": Word(
        _REFUSED, "Shaken too early", "摇骰过早", "搖骰過早",
        "The dice had begun to move before the round waited for a throw. Shake again once they lie still.",
    ),
    "never_stopped": Word(
        _REFUSED, "The shaker does not stop", "摇骰机未停止", "搖骰機未停止",
        "The shaker did not say that it stands within `max_shake_s`. Lasting: call a technician.",
    ),
    "never_still": Word(
        _REFUSED, "The dice do not come to rest", "骰子未静止", "骰子未靜止",
        "The camera saw movement for longer than the table allows after the stop.",
    ),
    "no_look": Word(
        _REFUSED, "The camera did not answer", "摄像头未回复", "攝影機未回覆",
        "The camera did not say what lies there within `look_s`. Lasting: check the camera.",
    ),
    "motion_fault": Word(
        (Kind.REFUSED, Kind.FAULT), "Shaker motor fault", "摇骰机运动故障", "搖骰機運動故障",
        "The shaker reports that its motor failed. Look what blocks it; lasting: call a technician.",
    ),
    # A picture leaves something in doubt.
    "stacked": Word(
        _DOUBT, "Stacked dice", "叠骰", "疊骰",
        "A die lies on another (001, 002).",
    ),
    "leaning": Word(
        _DOUBT, "Slanted die", "斜骰", "斜骰",
        "A die does not rest flat on the bottom (001, 002).",
    ),
    # Held: the witnesses differ, or one is missing.
    "camera_saw_nothing": Word(
        _HELD, "The camera saw no shake", "摄像头未见摇动", "攝影機未見搖動",
        "The shaker says that it shook, and the camera saw nothing move. Decide by the video.",
    ),
    "dice_moved_alone": Word(
        _DOUBT, "Dice moved without the shaker", "骰子自行移动", "骰子自行移動",
        "The camera saw the dice move, and the shaker did not say that it shakes: decide by the video. Within a shake, "
        "before the dice were read: shake again.",
    ),
    "dice_did_not_move": Word(
        _HELD, "The dice lie as before", "骰子位置未变", "骰子位置未變",
        "All dice lie at the places and with the values of the throw before, or were pushed all together with the "
        "plate or the camera: they were hardly thrown. On a tower also: one of them lies exactly as before. Decide by "
        "the video.",
    ),
    "moved_after_look": Word(
        _DOUBT, "Dice moved after they were at rest", "静止后骰子移动", "靜止後骰子移動",
        "The dice moved after they had come to rest, and the shaker stood. Before they were read: shake again. Between "
        "their reading and the outcome: decide by the video.",
    ),
    "dice_unknown_before": Word(
        _DOUBT, "Not known how the dice lay before", "投掷前骰子位置不明", "投擲前骰子位置不明",
        "The camera could not read the dice before the throw, and these may be older ones. Under a dome: shake again, "
        "what lies there now is known. On a tower, and where the table holds unclear dice: decide by the video; leave "
        "the dice lying in the camera's sight until betting is closed.",
    ),
    "shaken_again": Word(
        _HELD, "Shaken again before the reading", "判读前再次摇骰", "判讀前再次搖骰",
        "The shaker shook again after the dice had come to rest. Decide by the video.",
    ),
    "impossible_dice": Word(
        _HELD, "Impossible dice", "不可能的骰点", "不可能的骰點",
        "The camera named a value that no die has. Call a technician; decide by the video.",
    ),
    "joined_mid_shake": Word(
        _HELD, "Joined in mid-shake", "中途接入，未见摇骰全程", "中途接入，未見搖骰全程",
        "The station began to hear the shaker when it was already shaking. Decide by the video.",
    ),
    "shaker_lost": Word(
        _HELD, "The shaker was lost", "摇骰机断线", "搖骰機斷線",
        "The link to the shaker broke, or it fell silent, during the shake. Check its power; decide by the video.",
    ),
    # Faults of a shaker.
    "relay_stuck": Word(
        _FAULT, "The relay does not switch off", "继电器未断开", "繼電器未斷開",
        "The board does not say that its relay is off: the motor may be running. Switch it off by hand.",
    ),
}  # fmt: skip
