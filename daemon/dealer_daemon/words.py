"""Every word of a message that a person reads, in the languages of the pits: English, 简体中文, 繁體中文.

Messages and the journal carry the words; screens and reports show the texts. The trade's Chinese terms are those of
the rule books (``games.md`` §1, §5). ``docs/reference/reasons.md`` is written from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """What a screen may be set to."""

    ENGLISH = "en"
    SIMPLIFIED = "zh-Hans"
    TRADITIONAL = "zh-Hant"


class Kind(StrEnum):
    """Where a word stands."""

    REFUSED = "refused"
    """``reason`` of ``attempt.refused``: a rule was broken, the attempt is made again."""
    HELD = "held"
    """``reason`` of ``attempt.held``: a person must look."""
    VIOLATION = "violation"
    """``reason`` of ``violation``."""
    PAUSE = "pause"
    """``reason`` of ``table.paused``."""
    VOID = "void"
    """``reason`` of ``round.voided``."""
    REMEDY = "remedy"
    """``remedy`` of ``attempt.refused``."""
    FAULT = "fault"
    """``fault`` of ``device.fault`` and ``device.recovered``."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word's texts, and for the reference what it means and what to do."""

    kinds: tuple[Kind, ...]
    english: str
    simplified: str
    traditional: str
    meaning: str


class UnknownWord(LookupError):  # noqa: N818
    """A word that the catalogue does not have."""


def text(word: str, language: Language | str) -> str:
    """The word for a person. Raises ``UnknownWord``, and ``ValueError`` for a language that there is not."""
    entry = WORDS.get(word)
    if entry is None:
        raise UnknownWord(f"no text for {word!r}: add it to dealer_daemon.words")
    match Language(language):
        case Language.ENGLISH:
            return entry.english
        case Language.SIMPLIFIED:
            return entry.simplified
        case Language.TRADITIONAL:
            return entry.traditional


def words_of(kind: Kind) -> dict[str, Word]:
    """The words that may stand in one place, in the order of the reference."""
    return {name: word for name, word in WORDS.items() if kind in word.kinds}


def reference() -> str:
    """``docs/reference/reasons.md``."""
    lines = [_HEAD]
    for kind, (title, intro) in _SECTIONS.items():
        lines += [
            "",
            f"## {title}",
            "",
            intro,
            "",
            "| word | English | 简体中文 | 繁體中文 | meaning |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| `{name}` | {word.english} | {word.simplified} | {word.traditional} | {word.meaning} |"
            for name, word in words_of(kind).items()
        ]
    return "\n".join(lines) + "\n"


_R, _H, _F = (Kind.REFUSED,), (Kind.HELD,), (Kind.FAULT,)

WORDS: dict[str, Word] = {
    # Refused: the rule book says throw again.
    "too_few_laps": Word(
        _R, "Too few laps", "圈数不足", "圈數不足",
        "The ball left the track before the table's `min_laps` (002: fewer than 7).",
    ),
    "same_direction": Word(
        (Kind.REFUSED, Kind.FAULT), "Ball and rotor turn the same way", "球与转盘同向", "球與轉盤同向",
        "The ball must run against the rotor.",
    ),
    "ball_left_wheel": Word(
        (Kind.REFUSED, Kind.FAULT), "Flying ball", "飞球", "飛球",
        "The ball left the wheel (002), or the wheel voided the spin itself.",
    ),
    "endless_ball": Word(
        _R, "The ball does not drop", "球久未落下", "球久未落下",
        "The ball circles longer than the configured limit.",
    ),
    "no_ball": Word(
        (Kind.REFUSED, Kind.FAULT), "No ball seen", "未检测到球", "未偵測到球",
        "The wheel sees no ball for longer than its model allows. Look whether the ball is in the wheel.",
    ),
    "launch_failed": Word(
        (Kind.REFUSED, Kind.FAULT), "Launch failed", "发球失败", "發球失敗",
        "The wheel could not launch the ball; it tries again by itself. Lasting: call a technician.",
    ),
    "sensor_fault": Word(
        (Kind.REFUSED, Kind.FAULT), "Sensor or motor fault", "传感器或电机故障", "感測器或馬達故障",
        "A sensor, motor or encoder of the wheel failed, or its rim sensors lost the ball. Call a technician.",
    ),
    "rotor_stopped": Word(
        _R, "Rotor stopped", "转盘停转", "轉盤停轉",
        "The rotor stood while the ball ran (002: any stop of the wheel).",
    ),
    "rotor_reversed": Word(
        _R, "Rotor reversed", "转盘反转", "轉盤反轉",
        "The rotor changed its direction while the ball ran.",
    ),
    "rotor_speed": Word(
        (Kind.REFUSED, Kind.FAULT), "Rotor outside its speed limits", "转盘转速超限", "轉盤轉速超限",
        "The rotor is slower or faster than the table or the wheel allows.",
    ),
    "pocket_before_launch": Word(
        _R, "Number before the launch", "未发球已有号码", "未發球已有號碼",
        "A pocket was reported before the ball was launched.",
    ),
    "two_pockets": Word(
        (Kind.REFUSED, Kind.HELD), "Two different numbers", "报出两个不同号码", "報出兩個不同號碼",
        "The wheel reported two different pockets for one spin.",
    ),
    "wheel_closed": Word(
        (Kind.REFUSED, Kind.FAULT), "Wheel closed", "轮盘已关闭", "輪盤已關閉",
        "The wheel is closed or powered down; while the ball runs, that spin does not count. Open it at the wheel.",
    ),
    "launched_early": Word(
        _R, "Ball launched while bets were open", "下注未截止已掷球", "下注未截止已擲球",
        "This table launches after no more bets (001); the ball came before.",
    ),
    "dealer_no_spin": Word(
        _R, "Dealer called no spin", "荷官宣布无效", "荷官宣布無效",
        "The dealer called no spin, or did not confirm that the spin was valid.",
    ),
    "manager_refused": Word(
        _R, "Refused by the service manager", "服务经理判定无效", "服務經理判定無效",
        "The service manager refused a held attempt.",
    ),
    # Held: not clear, a person looks.
    "witnesses_disagree": Word(
        _H, "The sensors disagree", "读数不一致", "讀數不一致",
        "Two witnesses of the number say different things. Decide by the video.",
    ),
    "single_witness": Word(
        _H, "Only one witness", "仅有一个读数", "僅有一個讀數",
        "Fewer witnesses named the number than the table asks for. Decide by the video.",
    ),
    "number_unreadable": Word(
        _H, "Number unreadable", "号码无法判读", "號碼無法判讀",
        "The wheel named no pocket that it has. Decide by the video.",
    ),
    "silence": Word(
        _H, "The device fell silent", "设备无数据", "設備無資料",
        "Nothing came from the device for too long during the attempt. Decide by the video.",
    ),
    "device_lost": Word(
        _H, "The device was lost", "设备断线", "設備斷線",
        "The link to the device broke during the attempt. Check plug and power; decide by the video.",
    ),
    "joined_mid_spin": Word(
        _H, "Joined in mid-spin", "中途接入，未见全程", "中途接入，未見全程",
        "The station began to watch after the ball was launched. Decide by the video.",
    ),
    "spin_not_seen": Word(
        (Kind.HELD, Kind.VOID), "The spin was not seen", "未观测到该次转动", "未觀測到該次轉動",
        "A spin went by while the station could not see it.",
    ),
    "counter_changed": Word(
        _H, "The wheel's spin counter changed", "转动计数改变", "轉動計數改變",
        "The wheel's own spin counter changed within one spin: frames of two spins are mixed. Decide by the video.",
    ),
    "state_order": Word(
        _H, "States out of order", "状态顺序异常", "狀態順序異常",
        "The wheel's states did not follow each other as in a whole spin. Decide by the video.",
    ),
    "laps_not_counted": Word(
        _H, "The laps were not counted", "圈数未计得", "圈數未計得",
        "The table counts laps and no count came for this spin. Decide by the video.",
    ),
    "laps_uncertain": Word(
        _H, "The laps are uncertain", "圈数不确定", "圈數不確定",
        "The estimate of the laps is too near the limit to be sure. Decide by the video.",
    ),
    "direction_unknown": Word(
        _H, "Direction unknown", "方向不明", "方向不明",
        "The direction of ball or rotor could not be told. Decide by the video.",
    ),
    "station_restarted": Word(
        _H, "The station was restarted in mid-attempt", "判读中系统重启", "判讀中系統重啟",
        "What happened while the station was down was not seen. Decide by the video.",
    ),
    # Violations of the procedure.
    "number_while_betting": Word(
        (Kind.VIOLATION,), "A number while bets were open", "下注未截止已出号码", "下注未截止已出號碼",
        "A number came before betting closed. It is recorded, and is no result.",
    ),
    "spin_without_round": Word(
        (Kind.VIOLATION,), "A spin without a round", "无局转动", "無局轉動",
        "A spin was made while no round was open. It is recorded, and is no result.",
    ),
    "number_changed_after_outcome": Word(
        (Kind.VIOLATION,), "The number changed after the outcome", "结果公布后号码改变", "結果公布後號碼改變",
        "The device named another number after the outcome was published. Check the video; correct if it was wrong.",
    ),
    "spin_while_paused": Word(
        (Kind.VIOLATION,), "A spin while the table was paused", "暂停期间转动", "暫停期間轉動",
        "A spin was made on a paused table. It is recorded, and is no result.",
    ),
    "spin_while_held": Word(
        (Kind.VIOLATION,), "A spin while an attempt was held", "待裁定期间转动", "待裁定期間轉動",
        "A spin was made before the held attempt was decided. It is recorded, and is no result.",
    ),
    # Why a table stands.
    "tries_exhausted": Word(
        (Kind.PAUSE,), "Too many tries in a row", "连续多次无效", "連續多次無效",
        "As many attempts in a row were refused as `tries_before_pause` allows. The manager resumes or voids.",
    ),
    "manager": Word(
        (Kind.PAUSE, Kind.VOID), "The service manager's decision", "服务经理决定", "服務經理決定",
        "A service manager asked for it.",
    ),
    "violation": Word(
        (Kind.PAUSE,), "Procedure violation", "违反操作程序", "違反操作程序",
        "A `violation` came before this; its reason says which. The manager resumes or voids.",
    ),
    # Why a round is void.
    "held_not_decided": Word(
        (Kind.VOID,), "Nobody decided the held attempt", "待定结果未裁定", "待定結果未裁定",
        "An attempt was held and the next began before anybody decided it.",
    ),
    "not_confirmed": Word(
        (Kind.VOID,), "The dealer did not confirm", "荷官未确认", "荷官未確認",
        "The spin waited for the dealer's word and the next began before it came.",
    ),
    # What people do about a refused attempt.
    "rescan": Word(
        (Kind.REMEDY,), "Scan again", "重新扫描", "重新掃描", "Scan the same card again, same position (000, 002, 003)."
    ),
    "rethrow": Word(
        (Kind.REMEDY,), "Throw again", "重新掷球", "重新擲球", "Stop the rotor, throw the ball again (002)."
    ),
    "reshake": Word(
        (Kind.REMEDY,), "Shake again", "重新摇骰", "重新搖骰", "Shake the dice again (001, 002, 003)."
    ),
    "respin": Word(
        (Kind.REMEDY,), "Spin again", "重新转动", "重新轉動", "Spin the colour wheel again (002)."
    ),
    "rearrange": Word(
        (Kind.REMEDY,), "Arrange again", "重新排列", "重新排列", "Lay the groups of beans out again (002)."
    ),
    # What is wrong with a device.
    "link_lost": Word(
        _F, "Connection lost", "连接中断", "連線中斷",
        "Plug pulled, port closed, serial server gone. Check cable and power.",
    ),
    "link_refused": Word(
        _F, "Port cannot be opened", "端口无法打开", "連接埠無法開啟", "The port is absent, in use, or not permitted."
    ),
    "silent": Word(
        _F, "Connected, and nothing comes", "已连接但无数据", "已連線但無資料",
        "The link is up and nothing valid came for longer than the device may be quiet. Check its power.",
    ),
    "no_valid_frame": Word(
        _F, "Data, but none of it readable", "数据无法识别", "資料無法識別",
        "Bytes come and none is a frame: probably the wrong speed or the wrong device at this port.",
    ),
    "parameter_changed": Word(
        _F, "A setting of the device changed", "设备参数被改动", "設備參數被改動",
        "A parameter differs from the calibrated set. Call a technician before the table plays on.",
    ),
    "parameter_unread": Word(
        _F, "A setting could not be read back", "设备参数读取失败", "設備參數讀取失敗",
        "The device did not tell a parameter of the calibrated set. Check the line; call a technician if it stays.",
    ),
    "lap_events_missing": Word(
        _F, "No lap events", "无圈数信号", "無圈數訊號",
        "The wheel does not send its rim sensors' hits: laps cannot be counted. They come on its port 1 only.",
    ),
    "extended_frames_missing": Word(
        _F, "No extended frames", "无扩展数据", "無擴充資料",
        "The wheel does not send extended frames: laps cannot be counted.",
    ),
    "not_acknowledged": Word(
        _F, "The device did not answer a request", "设备未应答", "設備未回應",
        "A request to the device was not acknowledged, or read back differently.",
    ),
}  # fmt: skip

_HEAD = """# Reasons and other words

<!-- Written by `make schema` from dealer_daemon/words.py; change it there. -->

Messages carry these words in `reason`, `remedy` and `fault`, and where there is more to say a sentence for people in
`detail`. Within v1 words are only added: a server treats a word that it does not know like the others of its kind.
Where a person gave the reason (`by` names them), `reason` is that person's own text and in no list. The texts are what
screens show."""

_COLUMNS = ("| word | English | 简体中文 | 繁體中文 | meaning |", "|---|---|---|---|---|")

_SECTIONS = {
    Kind.REFUSED: (
        "Refused",
        "`reason` of `attempt.refused`: a rule was broken. The attempt is made again; the round stays open.",
    ),
    Kind.HELD: (
        "Held",
        "`reason` of `attempt.held`: not clear. Nothing counts until a service manager decides, refuses or voids.",
    ),
    Kind.VIOLATION: (
        "Violation",
        "`reason` of `violation`: something happened that the procedure does not allow at that time.",
    ),
    Kind.PAUSE: (
        "Pause",
        "`reason` of `table.paused`: the table stands until a service manager resumes it or voids the round.",
    ),
    Kind.VOID: ("Void", "`reason` of `round.voided`: the round is cancelled and stakes go back."),
    Kind.REMEDY: ("Remedy", "`remedy` of `attempt.refused`: what people do now."),
    Kind.FAULT: ("Fault", "`fault` of `device.fault` and `device.recovered`: what is wrong with a device."),
}
