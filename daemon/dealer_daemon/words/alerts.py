"""What alerts say to people, by code (``dealer_daemon.alerts.codes``). What to do in full: docs/howto/runbook.md."""

from __future__ import annotations

from dealer_daemon.words.alert import AlertText

ALERTS: dict[str, AlertText] = {
    # The table.
    "table_paused": AlertText(
        "The table stands", "本桌已暂停", "本桌已暫停",
        "A service manager looks at the reason, puts it right, and resumes the table or voids the round.",
        "服务经理查看原因，处理后恢复本桌或作废本局。", "服務經理查看原因，處理後恢復本桌或作廢本局。",
        "the table is resumed, or stands for another reason",
    ),
    "table_paused_by_person": AlertText(
        "A person's pause lasts long", "人工暂停时间过长", "人工暫停時間過長",
        "Was the pause forgotten? Ask who made it, and resume the table when all is done.",
        "是否忘记恢复？请询问暂停者，处理完毕后恢复本桌。", "是否忘記恢復？請詢問暫停者，處理完畢後恢復本桌。",
        "the table is resumed, or the station has a reason of its own to stand",
    ),
    "attempt_held": AlertText(
        "A result waits for the service manager", "结果待服务经理裁定", "結果待服務經理裁定",
        "A service manager decides the attempt by the video, refuses it, or voids the round.",
        "服务经理根据录像裁定、判定无效或作废本局。", "服務經理根據錄影裁定、判定無效或作廢本局。",
        "the attempt is decided or refused, or its round is over",
    ),
    "result_unconfirmed": AlertText(
        "A result waits for the dealer", "结果待荷官确认", "結果待荷官確認",
        "The dealer confirms or refuses what the screen shows.",
        "荷官在屏幕上确认或拒绝结果。", "荷官在螢幕上確認或拒絕結果。",
        "the dealer answered, or the round is over",
    ),
    "deck_failed": AlertText(
        "A deck set failed", "牌组核验不合格", "牌組核驗不合格",
        "Take the set away from the table; shuffle or scan it again before it is dealt.",
        "将该牌组撤离本桌，重新洗牌或扫描核验后方可使用。", "將該牌組撤離本桌，重新洗牌或掃描核驗後方可使用。",
        "the set is shuffled or verified again",
    ),
    "shuffler_suspect": AlertText(
        "A shuffler may have been tampered with", "洗牌机疑似被动手脚", "洗牌機疑似被動手腳",
        "Look at the machine, its cable and the video with security; then shuffle its cards again.",
        "会同保安检查洗牌机、线缆和录像，然后重新洗牌。", "會同保全檢查洗牌機、線纜和錄影，然後重新洗牌。",
        "a later shuffle of it is known",
    ),
    # Its devices.
    "device_down": AlertText(
        "A device is not connected", "设备未连接", "設備未連線",
        "Check the device's plug, cable and power; the station connects again by itself.",
        "检查设备的插头、线缆和电源，系统会自动重新连接。", "檢查設備的插頭、線纜和電源，系統會自動重新連線。",
        "it is connected for five seconds",
    ),
    "device_silent": AlertText(
        "A device is connected and says nothing readable", "设备已连接但无有效数据", "設備已連線但無有效資料",
        "Check the device's power, and whether the right device is at this port with the right speed.",
        "检查设备电源，并确认端口所接设备和速率正确。", "檢查設備電源，並確認連接埠所接設備和速率正確。",
        "valid frames come again",
    ),
    "device_fault": AlertText(
        "A device reports a fault", "设备报告故障", "設備回報故障",
        "Look the fault's word up in the reference and do what stands there; lasting: call a technician.",
        "按参考手册中该故障的说明处理；持续出现请联系技术员。", "依參考手冊中該故障的說明處理；持續出現請聯絡技術員。",
        "the device is without the fault for five seconds",
    ),
    "driver_gave_up": AlertText(
        "The station has given up a device", "系统已放弃该设备", "系統已放棄該設備",
        "Read why in the status, put it right, and restart the station between two rounds.",
        "在状态中查看原因，处理后于两局之间重启系统。", "在狀態中查看原因，處理後於兩局之間重啟系統。",
        "the station was restarted and the device is connected",
    ),
    "calibration_old": AlertText(
        "A calibration is old", "校准已过期", "校準已過期",
        "Calibrate the device anew when the table is closed.",
        "本桌停用时重新校准该设备。", "本桌停用時重新校準該設備。",
        "a newer calibration is in use",
    ),
    "calibration_drift": AlertText(
        "Readings drift from the calibration", "读数偏离校准值", "讀數偏離校準值",
        "Do what the device's warning says, and calibrate anew if it stays.",
        "按设备警告处理；若仍然偏离，请重新校准。", "依設備警告處理；若仍然偏離，請重新校準。",
        "the readings' mean is back within its tolerance",
    ),
    "recorder_not_writing": AlertText(
        "A flight recorder keeps nothing", "原始数据未被记录", "原始資料未被記錄",
        "See to the disk's space and rights; the table plays on, and its raw bytes are lost meanwhile.",
        "检查磁盘空间和权限；牌桌继续运行，但期间原始数据不会保存。",
        "檢查磁碟空間和權限；牌桌繼續運作，但期間原始資料不會保存。",
        "bytes are kept again",
    ),
    # The way to the game servers.
    "broker_unreachable": AlertText(
        "No connection to the broker", "无法连接消息服务器", "無法連線訊息伺服器",
        "Look at the broker, the network and the credentials; results wait in the journal and go out later.",
        "检查消息服务器、网络和凭据；结果保存在日志中，稍后补发。",
        "檢查訊息伺服器、網路和憑證；結果保存在日誌中，稍後補發。",
        "the broker is connected for ten seconds",
    ),
    "publishing_hindered": AlertText(
        "The broker does not take everything", "部分消息无法发布", "部分訊息無法發布",
        "Read the problem in the status; mostly the broker's access list or limits must be put right.",
        "在状态中查看问题，多为消息服务器权限或限额设置有误。", "在狀態中查看問題，多為訊息伺服器權限或限額設定有誤。",
        "the problem is over for ten seconds",
    ),
    "station_held": AlertText(
        "The station may not speak for the table", "系统无权代表本桌发布", "系統無權代表本桌發布",
        "Stop the table and follow the recovery page; what is played meanwhile counts for nobody.",
        "停止本桌并按恢复手册处理；期间的结果一律无效。", "停止本桌並依復原手冊處理；期間的結果一律無效。",
        "nothing speaks against the station any more",
    ),
    "outbox_old": AlertText(
        "Events wait long for the broker", "事件长时间未能送达", "事件長時間未能送達",
        "Look at the broker's load and at the network to it; nothing is lost.",
        "检查消息服务器负载和网络；数据不会丢失。", "檢查訊息伺服器負載和網路；資料不會遺失。",
        "the oldest event that waits is less than a minute old",
    ),
    "consumer_gone": AlertText(
        "A game server does not fetch its events", "游戏服务器未接收事件", "遊戲伺服器未接收事件",
        "Start that server again; has it left for good, take it off the list with an empty acknowledgement.",
        "重新启动该服务器；若已停用，请用空确认将其移除。", "重新啟動該伺服器；若已停用，請用空確認將其移除。",
        "it acknowledges again, or left",
    ),
    "events_unfetched": AlertText(
        "Events were removed that somebody never had", "有事件未被接收即已过期", "有事件未被接收即已過期",
        "Settle what that server missed by the records of the others, then let it acknowledge up to there.",
        "按其他服务器的记录补结算，然后让该服务器确认到该序号。",
        "依其他伺服器的紀錄補結算，然後讓該伺服器確認到該序號。",
        "everybody has acknowledged beyond them, or left",
    ),
    # The computer.
    "journal_refused": AlertText(
        "The journal cannot be written", "日志无法写入", "日誌無法寫入",
        "Free the disk or mend it now: no result is published before the journal has it.",
        "立即清理或修复磁盘：日志写入之前不会发布任何结果。", "立即清理或修復磁碟：日誌寫入之前不會發布任何結果。",
        "what waited was written",
    ),
    "disk_nearly_full": AlertText(
        "The disk is nearly full", "磁盘空间不足", "磁碟空間不足",
        "Free space on the disk of the state directory before the journal finds none.",
        "清理状态目录所在磁盘，以免日志无法写入。", "清理狀態目錄所在磁碟，以免日誌無法寫入。",
        "more than 1.2 GiB were free for a minute",
    ),
    "clock_unsynchronised": AlertText(
        "The clock is not synchronised", "时钟未同步", "時鐘未同步",
        "See to the computer's time service (NTP): times in events may be wrong.",
        "检查电脑的时间同步服务（NTP）：事件时间可能有误。", "檢查電腦的時間同步服務（NTP）：事件時間可能有誤。",
        "the clock is synchronised for a minute",
    ),
    "clock_jumped": AlertText(
        "The clock jumped", "时钟发生跳变", "時鐘發生跳變",
        "Find out who or what set the clock; times of events before and after do not fit together.",
        "查明时钟被修改的原因；跳变前后的事件时间不连贯。", "查明時鐘被修改的原因；跳變前後的事件時間不連貫。",
        "the clock ran steadily for an hour",
    ),
    "events_unsigned": AlertText(
        "Events leave this computer unsigned", "事件未经签名即发出", "事件未經簽章即發出",
        "Make a key (dealer-daemon keys make), name it as signing_key_file, and restart the station.",
        "生成密钥（dealer-daemon keys make），设为 signing_key_file 并重启系统。",
        "產生金鑰（dealer-daemon keys make），設為 signing_key_file 並重啟系統。",
        "the station was started with a key, or its broker is on this computer",
    ),
    "monitoring_unserved": AlertText(
        "The station's figures are not served", "监控数据未能提供", "監控資料未能提供",
        "Find out which program has the port of [monitoring] listen, or choose another one.",
        "查明占用 [monitoring] listen 端口的程序，或改用其他端口。",
        "查明佔用 [monitoring] listen 連接埠的程式，或改用其他連接埠。",
        "the figures are served",
    ),
}  # fmt: skip
"""By code. Codes are no words of ``WORDS``: they stand in ``code`` of ``alert.raised`` and ``alert.cleared`` alone."""
