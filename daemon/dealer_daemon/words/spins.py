"""Why a roulette spin did not count (``validation/spin_rules.py``)."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD = (Kind.REFUSED,), (Kind.HELD,)
_BOTH = (Kind.REFUSED, Kind.FAULT)

SPINS: dict[str, Word] = {
    # Refused: the rule book says throw again.
    "too_few_laps": Word(
        _REFUSED, "Too few laps", "圈数不足", "圈數不足",
        "The ball left the track before the table's `min_laps` (002: fewer than 7).",
    ),
    "same_direction": Word(
        _BOTH, "Ball and rotor turn the same way", "球与转盘同向", "球與轉盤同向",
        "The ball must run against the rotor.",
    ),
    "ball_left_wheel": Word(
        _BOTH, "Flying ball", "飞球", "飛球",
        "The ball left the wheel (002), came to rest in no pocket, or the wheel voided the spin itself.",
    ),
    "endless_ball": Word(
        _REFUSED, "The ball does not drop", "球久未落下", "球久未落下",
        "The ball circles longer than the configured limit.",
    ),
    "no_ball": Word(
        _BOTH, "No ball seen", "未检测到球", "未偵測到球",
        "The wheel sees no ball for longer than its model allows. Look whether the ball is in the wheel.",
    ),
    "launch_failed": Word(
        _BOTH, "Launch failed", "发球失败", "發球失敗",
        "The wheel could not launch the ball; it tries again by itself. Lasting: call a technician.",
    ),
    "sensor_fault": Word(
        _BOTH, "Sensor or motor fault", "传感器或电机故障", "感測器或馬達故障",
        "A sensor, motor or encoder of the wheel failed, or its rim sensors lost the ball. Call a technician.",
    ),
    "rotor_stopped": Word(
        _REFUSED, "Rotor stopped", "转盘停转", "轉盤停轉",
        "The rotor stood while the ball ran (002: any stop of the wheel).",
    ),
    "rotor_reversed": Word(
        _REFUSED, "Rotor reversed", "转盘反转", "轉盤反轉",
        "The rotor changed its direction while the ball ran.",
    ),
    "rotor_speed": Word(
        _BOTH, "Rotor outside its speed limits", "转盘转速超限", "轉盤轉速超限",
        "The rotor is slower or faster than the table or the wheel allows.",
    ),
    "pocket_before_launch": Word(
        _REFUSED, "Number before the launch", "未发球已有号码", "未發球已有號碼",
        "A pocket was reported before the ball was launched.",
    ),
    "two_pockets": Word(
        (Kind.REFUSED, Kind.HELD), "Two different numbers", "报出两个不同号码", "報出兩個不同號碼",
        "The wheel reported two different pockets for one spin. Refused in the spin; held when the first one waited "
        "for the dealer's word already.",
    ),
    "wheel_closed": Word(
        _BOTH, "Wheel closed", "轮盘已关闭", "輪盤已關閉",
        "The wheel is closed or powered down; while the ball runs, that spin does not count. Open it at the wheel.",
    ),
    "launched_early": Word(
        _REFUSED, "Started while bets were open", "下注未截止已开始", "下注未截止已開始",
        "This table launches, shakes or spins after no more bets (a ball: `launch = \"after_close\"`, 001).",
    ),
    "launched_late": Word(
        _REFUSED, "Ball launched after no more bets", "下注截止后才掷球", "下注截止後才擲球",
        "This table launches while bets are open (`launch = \"before_close\"`, 003); the ball came after.",
    ),
    # Held: not clear, a person looks.
    "witnesses_disagree": Word(
        _HELD, "The sensors disagree", "读数不一致", "讀數不一致",
        "Two witnesses of the number say different things. Decide by the video.",
    ),
    "single_witness": Word(
        _HELD, "Only one witness", "仅有一个读数", "僅有一個讀數",
        "Fewer witnesses named the number than the table asks for. Decide by the video.",
    ),
    "number_unreadable": Word(
        _HELD, "Number unreadable", "号码无法判读", "號碼無法判讀",
        "The wheel named no pocket that it has. Decide by the video.",
    ),
    "silence": Word(
        _HELD, "The device fell silent", "设备无数据", "設備無資料",
        "Nothing came from the wheel for longer than `silence_s` while the ball ran. Decide by the video.",
    ),
    "device_lost": Word(
        _HELD, "The device was lost", "设备断线", "設備斷線",
        "The link to the wheel broke during the spin. Check plug and power; decide by the video.",
    ),
    "joined_mid_spin": Word(
        _HELD, "Joined in mid-spin", "中途接入，未见全程", "中途接入，未見全程",
        "The station began to watch after the ball was launched. Decide by the video.",
    ),
    "spin_not_seen": Word(
        _HELD, "The spin was not seen", "未观测到该次转动", "未觀測到該次轉動",
        "A spin went by while the station could not see it. Decide by the video.",
    ),
    "counter_changed": Word(
        _HELD, "The wheel's spin counter changed", "转动计数改变", "轉動計數改變",
        "The wheel's own spin counter changed within one spin: frames of two spins are mixed. Decide by the video.",
    ),
    "state_order": Word(
        _HELD, "States out of order", "状态顺序异常", "狀態順序異常",
        "The wheel's states did not follow each other as in a whole spin. Decide by the video.",
    ),
    "laps_not_counted": Word(
        _HELD, "The laps were not counted", "圈数未计得", "圈數未計得",
        "The table counts laps and no count came for this spin. Decide by the video.",
    ),
}  # fmt: skip
