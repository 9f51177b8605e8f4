"""What is wrong with a device. Words that are a spin's reason too are in ``spins.py``."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_FAULT, _RETURNED = (Kind.FAULT,), (Kind.RETURNED,)

DEVICES: dict[str, Word] = {
    # Any device.
    "link_lost": Word(
        _FAULT, "Connection lost", "连接中断", "連線中斷",
        "Plug pulled, port closed, serial server gone. Check cable and power; the station connects again by itself.",
    ),
    "link_refused": Word(
        _FAULT, "Port cannot be opened", "端口无法打开", "連接埠無法開啟",
        "The port is absent, in use, or not permitted.",
    ),
    "silent": Word(
        _FAULT, "Connected, and nothing comes", "已连接但无数据", "已連線但無資料",
        "The link is up and nothing valid came for longer than the device may be quiet. Check its power.",
    ),
    "no_valid_frame": Word(
        _FAULT, "Data, but none of it readable", "数据无法识别", "資料無法識別",
        "Bytes come and none is a frame: probably the wrong speed or the wrong device at this port.",
    ),
    "calibration_mismatch": Word(
        (Kind.FAULT, Kind.PAUSE), "Calibration of another device", "校准文件与设备不符", "校準檔與設備不符",
        "The serial number in the calibration is not the device's, and the table stands. Put the right device back, or "
        "calibrate this one and restart the station; then a manager resumes.",
    ),
    "calibration_withdrawn": Word(
        (Kind.FAULT, Kind.PAUSE), "Device changed since its calibration", "校准后设备已变更", "校準後設備已變更",
        "The device was changed (its zero was set anew), so that the calibration with which the station works reads it "
        "wrong, and the table stands. Calibrate it to the end and restart the station; then a manager resumes.",
    ),
    # How a technician's bench and a device came apart.
    "given_back": Word(
        _RETURNED, "Given back by the technician", "技术员已归还设备", "技術員已歸還設備",
        "The bench ended in order.",
    ),
    "bench_gone": Word(
        _RETURNED, "The technician's bench is gone", "调试工具异常结束", "偵錯工具異常結束",
        "The bench ended without a word: it was killed, or its connection broke. See to what it was doing.",
    ),
    "restarted_while_lent": Word(
        _RETURNED, "The station was restarted meanwhile", "借出期间系统重启", "借出期間系統重啟",
        "The station was restarted while the bench had the device, and took it back. The bench stops using it.",
    ),
    # Results by hand.
    "entries_differ": Word(
        _FAULT, "The two entries differ", "两次录入不一致", "兩次錄入不一致",
        "The second entry was not the first one; both are forgotten. Look again and enter the result twice.",
    ),
    "entry_impossible": Word(
        _FAULT, "No such result", "录入的结果不存在", "錄入的結果不存在",
        "The game has no such result; the entry is forgotten. Enter it again, twice.",
    ),
    # What keeps a round's attempt from beginning.
    "shaker_not_standing": Word(
        _FAULT, "The shaker does not say that it stands", "摇骰机未报告停止", "搖骰機未回報停止",
        "The round waits for a throw, and the shaker has not said for ten seconds that it stands. Switch it off and "
        "on; lasting: call a technician.",
    ),
    "picture_not_at_rest": Word(
        _FAULT, "Something moves before the camera", "摄像头画面未静止", "攝影機畫面未靜止",
        "The round waits for an attempt, and for ten seconds something has moved in the camera's picture. Take hands "
        "away; see to a lamp that flickers, or a camera that is not fixed.",
    ),
    "laid_out_before": Word(
        _FAULT, "Laid out before the round waited for it", "停止投注前已排列", "停止投注前已排列",
        "A clean layout lies there from before the round waited for one: from before betting closed, or of the attempt "
        "before. It does not count. Cover the beans, and lay them out.",
    ),
    # Wheels.
    "parameter_changed": Word(
        _FAULT, "A setting of the device changed", "设备参数被改动", "設備參數被改動",
        "A parameter differs from `expected_parameters`. Call a technician before the table plays on.",
    ),
    "parameter_unread": Word(
        _FAULT, "A setting could not be read back", "设备参数读取失败", "設備參數讀取失敗",
        "The wheel did not tell a parameter of `expected_parameters`. Check the line; call a technician if it stays.",
    ),
    "lap_events_missing": Word(
        _FAULT, "No lap events", "无圈数信号", "無圈數訊號",
        "The wheel does not send its rim sensors' hits: laps cannot be counted. They come on its port 1 only.",
    ),
    "extended_frames_missing": Word(
        _FAULT, "No extended frames", "无扩展数据", "無擴充資料",
        "The wheel does not send extended frames: laps cannot be counted.",
    ),
    "not_acknowledged": Word(
        _FAULT, "The wheel did not take the void", "设备未应答", "設備未回應",
        "The wheel did not take the acknowledgement of its void (`*R`). Acknowledge it at the wheel; check the cable.",
    ),
    # Shoes: what the shoe itself reports.
    "shoe_cannot_read": Word(
        _FAULT, "Shoe: card not read", "牌靴无法判读", "牌靴無法判讀",
        "The shoe cannot read a card. Scan it again at the shoe.",
    ),
    "shoe_overdraw": Word(
        _FAULT, "Shoe: a card drawn too many", "牌靴抽牌过多", "牌靴抽牌過多",
        "The shoe says that a card was drawn which is not due.",
    ),
    "shoe_wrong_button": Word(
        _FAULT, "Shoe: wrong button", "牌靴按错按钮", "牌靴按錯按鈕",
        "A button of the shoe was pressed at the wrong time.",
    ),
    "shoe_backwards_at_exit": Word(
        _FAULT, "Shoe: card moved back at the exit", "牌在出口被推回", "牌在出口被推回",
        "A card was pushed back at the shoe's exit. Draw it out in one movement.",
    ),
    "shoe_backwards_midway": Word(
        _FAULT, "Shoe: card moved back midway", "牌在中途被推回", "牌在中途被推回",
        "A card was pushed back in mid-draw. Draw it out in one movement.",
    ),
    "shoe_wrong_card_code": Word(
        _FAULT, "Shoe: wrong card code", "牌靴读到错误牌码", "牌靴讀到錯誤牌碼",
        "The shoe read a code that is no card of its own.",
    ),
    "shoe_draw_too_long": Word(
        _FAULT, "Shoe: the draw took too long", "牌靴抽牌超时", "牌靴抽牌逾時",
        "A card stayed too long in the shoe's mouth. Draw it out in one movement.",
    ),
    "shoe_unknown": Word(
        _FAULT, "Shoe: an error outside the list", "牌靴未知错误", "牌靴未知錯誤",
        "The shoe reports an error whose number is in no published list. Look at the shoe's display.",
    ),
}  # fmt: skip
