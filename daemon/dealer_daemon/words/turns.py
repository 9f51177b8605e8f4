"""Why a turn of the colour wheel did not count (``validation/turn_rules.py``), and what is wrong with its encoder.

``device_lost`` is a spin's word too and stands in ``spins.py``.
"""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD, _FAULT = (Kind.REFUSED,), (Kind.HELD,), (Kind.FAULT,)

TURNS: dict[str, Word] = {
    # Refused: the rule book says spin again.
    "too_few_turns": Word(
        _REFUSED, "Too few turns", "转动不足圈数", "轉動不足圈數",
        "From the segment where it rested the wheel made fewer than `min_turns` (002: fewer than 3).",
    ),
    "rolled_back": Word(
        _REFUSED, "Rolled back below the turns needed", "回转后圈数不足", "回轉後圈數不足",
        "The wheel made turns enough, rolled back before it rested, and the net turns are below `min_turns`.",
    ),
    "on_boundary": Word(
        _REFUSED, "Pointer on a boundary", "指针停在分界线上", "指針停在分界線上",
        "The pointer rests so near to a boundary of two segments (`keep_out_deg`) that nobody can tell (002).",
    ),
    "stopped_by_hand": Word(
        _REFUSED, "Stopped by hand", "转盘被人为停止", "轉盤被人為停止",
        "The wheel slowed down faster than it does by itself, at once or over its turns (`most_slowing_deg_s2` in the "
        "wheel's file). The dealer stopped it (002), or something touched it.",
    ),
    "pushed_again": Word(
        _REFUSED, "Pushed again while it ran", "转动中再次推动", "轉動中再次推動",
        "The wheel gained speed that it cannot gain by itself, after the hand had let go.",
    ),
    "driven_by_hand": Word(
        _REFUSED, "Driven by hand", "转盘被人手带动", "轉盤被人手帶動",
        "The wheel did not lose the speed that its bearing takes (`least_slowing_deg_s2` in the wheel's file): a hand "
        "carried it on. Spin it and let go within the first turn.",
    ),
    "turn_reversed": Word(
        _REFUSED, "Turned back", "转盘反向转动", "轉盤反向轉動",
        "The wheel turned further back than it rolls by itself (`roll_back_deg`).",
    ),
    "wrong_way": Word(
        _REFUSED, "Spun the wrong way", "转动方向错误", "轉動方向錯誤",
        "This table spins its wheel the other way (`way`).",
    ),
    "no_rest": Word(
        (Kind.REFUSED, Kind.FAULT), "Never came to rest", "转盘未停定", "轉盤未停定",
        "The wheel did not come to rest within `max_spin_s`. As a fault: it trembles, or its encoder does, and no turn "
        "can begin before it has stood still for `still_s`.",
    ),
    "not_rested": Word(
        _REFUSED, "Spun again before it had rested", "未停定即再次转动", "未停定即再次轉動",
        "After an attempt that did not count the wheel was spun again before it had stood still for `still_s`, so "
        "nobody knows from where its turns count. Let it rest first, then spin.",
    ),
    # Held: not clear, a person looks.
    "moved_after_rest": Word(
        _HELD, "Moved after it had come to rest", "停定后又移动", "停定後又移動",
        "The wheel had come to rest and moved before its segment was taken. Decide by the video.",
    ),
    "encoder_slip": Word(
        (Kind.HELD, Kind.FAULT), "The encoder slipped", "编码器打滑", "編碼器打滑",
        "The encoder's angle and the wheel's reference mark differ, or the angle made a step. Decide by the video; "
        "tighten the shaft's coupling and calibrate the wheel before the table plays on. Where there is no mark every "
        "turn is held from then on, until the station was restarted.",
    ),
    "encoder_jump": Word(
        _HELD, "The encoder's count jumped", "编码器读数跳变", "編碼器讀數跳變",
        "The encoder says a place that the wheel cannot have reached. Decide by the video; check encoder and cable.",
    ),
    "counts_lost": Word(
        _HELD, "The counter missed counts", "计数器漏计", "計數器漏計",
        "The wheel's counter says that it missed counts in this turn, or just before it. Decide by the video; check "
        "the encoder's cable.",
    ),
    "index_missing": Word(
        _HELD, "The reference mark was not seen", "未检测到参考标记", "未偵測到參考標記",
        "The wheel turned and its index or reference mark did not come. Decide by the video; check the mark's sensor.",
    ),
    "place_unknown": Word(
        (Kind.HELD, Kind.FAULT), "The wheel's place is unknown", "转盘位置未知", "轉盤位置未知",
        "The counter has not seen its index mark since its power came. Turn the wheel past it once; decide a turn that "
        "was under way by the video.",
    ),
    "samples_missing": Word(
        _HELD, "Angles missing", "角度数据缺失", "角度資料缺失",
        "Nothing came from the encoder for longer than `max_gap_s` while the wheel turned, or just before it was spun. "
        "Decide by the video.",
    ),
    "encoder_restarted": Word(
        _HELD, "The encoder started anew", "编码器重新启动", "編碼器重新啟動",
        "The encoder lost its power or was set to zero in mid-turn. Decide by the video.",
    ),
    "joined_mid_turn": Word(
        _HELD, "The wheel was turning already", "接入时转盘已在转动", "接入時轉盤已在轉動",
        "The station began to watch while the wheel was turning. Decide by the video.",
    ),
    "turn_not_seen": Word(
        _HELD, "Turned while out of sight", "转盘在未观测时转动", "轉盤在未觀測時轉動",
        "The wheel turned while the station had no connection to its encoder. Decide by the video.",
    ),
    # The encoder.
    "encoder_exception": Word(
        _FAULT, "The encoder answers with an error", "编码器返回错误", "編碼器傳回錯誤",
        "The encoder refuses the question for its count. Check the options `register` and `slave`.",
    ),
    "encoder_out_of_range": Word(
        _FAULT, "Counts the encoder cannot have", "编码器读数超出范围", "編碼器讀數超出範圍",
        "Every count lies outside the turns that the encoder is set to. Check the options `turns`, `counts_per_turn`, "
        "`register` and `low_word_first`.",
    ),
    "encoder_wrong_address": Word(
        _FAULT, "Another device answers", "其他设备应答", "其他設備應答",
        "An answer came from another address than was asked. Check the option `slave` and what else is on the line.",
    ),
    "encoder_zero_not_set": Word(
        _FAULT, "Zero was not set", "零点未设定", "零點未設定",
        "The encoder did not take the wheel's place as its zero. Let the wheel stand still and try again.",
    ),
    "encoder_clock_off": Word(
        _FAULT, "The counter's clock is off", "计数器时钟不准", "計數器時鐘不準",
        "The counter's own clock runs fast, slow or not at all, so no turn can be judged. Switch the counter off and "
        "on; if that does not help, exchange it.",
    ),
}  # fmt: skip
