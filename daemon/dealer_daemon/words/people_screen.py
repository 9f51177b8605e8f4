"""What the screen says to whoever signs in, and on the pages of the service manager and the technician."""

from __future__ import annotations

from dealer_daemon.words.phrase import Phrase

SIGN_IN: dict[str, Phrase] = {
    "title": Phrase("Sign in", "登录", "登入"),
    "name": Phrase("Name", "姓名", "姓名"),
    "password": Phrase("Password", "密码", "密碼"),
    "enter": Phrase("Sign in", "登录", "登入"),
    "back": Phrase("Back", "返回", "返回"),
    "erase": Phrase("Erase", "退格", "退格"),
    "sign_out": Phrase("Sign out", "退出登录", "登出"),
    "dealer": Phrase("Dealer", "荷官", "荷官"),
    "manager": Phrase("Service manager", "服务经理", "服務經理"),
    "technician": Phrase("Technician", "技术员", "技術員"),
    "done": Phrase("Signed in", "已登录", "已登入"),
    "out": Phrase("Signed out", "已退出", "已登出"),
    "wrong": Phrase("Name or password is wrong", "姓名或密码不正确", "姓名或密碼不正確"),
    "slow": Phrase("Wait {n} s, then try again", "请等候{n}秒后重试", "請等候{n}秒後重試"),
    "busy": Phrase("Others sign in just now: try again", "正在处理其他登录，请重试", "正在處理其他登入，請重試"),
    "cannot_check": Phrase(
        "Passwords cannot be checked now: call a technician",
        "当前无法核对密码，请呼叫技术员",
        "目前無法核對密碼，請呼叫技術員",
    ),
    "page_old": Phrase("This page is old: load it again", "页面已过时，请重新载入", "頁面已過時，請重新載入"),
    "pin_first": Phrase("Enter your PIN", "请输入个人识别码", "請輸入個人識別碼"),
    "pin_wrong": Phrase("The PIN is wrong", "个人识别码不正确", "個人識別碼不正確"),
    "pin_unset": Phrase(
        "You have no PIN: a technician sets one (dealer-daemon people set-pin)",
        "您尚无个人识别码：请技术员设置 (dealer-daemon people set-pin)",
        "您尚無個人識別碼：請技術員設定 (dealer-daemon people set-pin)",
    ),
    "pin_good": Phrase("The PIN is right", "个人识别码正确", "個人識別碼正確"),
}
"""Of signing in, and of the second factor."""

MANAGER: dict[str, Phrase] = {
    # Acts.
    "pause": Phrase("Pause the table", "暂停本桌", "暫停本桌"),
    "resume": Phrase("Let the table go on", "恢复本桌", "恢復本桌"),
    "void": Phrase("Void the round", "本局作废", "本局作廢"),
    "card": Phrase("Correct a card", "更正一张牌", "更正一張牌"),
    "refuse": Phrase("Not valid: do it again", "判为无效，重新进行", "判為無效，重新進行"),
    "decide": Phrase("Decide by the video", "依录像裁定", "依錄影裁定"),
    "decide_card": Phrase("Decide one card by the video", "依录像裁定一张牌", "依錄影裁定一張牌"),
    "decide_hand": Phrase("Decide the whole hand", "裁定整局牌", "裁定整局牌"),
    "correct": Phrase("Correct this outcome", "更正此结果", "更正此結果"),
    "shoe": Phrase("Change the shoe", "更换牌靴", "更換牌靴"),
    "allow_entry": Phrase("Allow keying in by hand", "准许人工录入", "准許人工錄入"),
    # The page.
    "title": Phrase("Service manager", "服务经理", "服務經理"),
    "acts": Phrase("What may be done now", "当前可执行", "目前可執行"),
    "ended": Phrase("Newest outcomes", "最近结果", "最近結果"),
    "evidence": Phrase("Evidence", "证据图像", "證據影像"),
    "no_pictures": Phrase("No pictures that may be seen", "无可查看的图像", "無可查看的影像"),
    "no_outcomes": Phrase("No outcome yet", "尚无结果", "尚無結果"),
    "corrected": Phrase("corrected", "已更正", "已更正"),
    "other_game": Phrase("another game", "其他游戏", "其他遊戲"),
    "lies": Phrase("Read", "判读", "判讀"),
    "number_is": Phrase("{number} {colour}", "{number} {colour}", "{number} {colour}"),
    "segment_is": Phrase("{name}, segment {n}", "{name}，第{n}格", "{name}，第{n}格"),
    "hand_is": Phrase("{hand}: {cards}", "{hand}：{cards}", "{hand}：{cards}"),
    # The form.
    "position": Phrase("Position", "牌位", "牌位"),
    "new_card": Phrase("Card", "牌", "牌"),
    "choose_card": Phrase("Choose a card", "请选牌", "請選牌"),
    "result": Phrase("Result", "结果", "結果"),
    "deck_set": Phrase("Deck set", "牌组", "牌組"),
    "any_set": Phrase("not named", "不指定", "不指定"),
    "add_place": Phrase("Add a position", "增加牌位", "增加牌位"),
    "no_card": Phrase("no card", "无牌", "無牌"),
    "reason": Phrase("Reason", "原因", "原因"),
    "reason_needed": Phrase("A reason is needed", "必须填写原因", "必須填寫原因"),
    "not_filled": Phrase("Something is missing", "尚未填写完整", "尚未填寫完整"),
    "check": Phrase("Check", "核对", "核對"),
    "cancel": Phrase("Cancel", "取消", "取消"),
    "change": Phrase("Change", "修改", "修改"),
    "recorded": Phrase("This will be recorded", "将记录以下内容", "將記錄以下內容"),
    "act": Phrase("Act", "操作", "操作"),
    "table": Phrase("Table", "台桌", "檯桌"),
    "round": Phrase("Round", "局号", "局號"),
    "pause_number": Phrase("Pause", "暂停编号", "暫停編號"),
    "replaces": Phrase("Replaces event", "替代事件", "替代事件"),
    "stands": Phrase("Was", "原结果", "原結果"),
    "by": Phrase("By", "操作人", "操作人"),
    "pin": Phrase("PIN", "个人识别码", "個人識別碼"),
    "record": Phrase("Record it", "确认记录", "確認記錄"),
    "moved_on": Phrase(
        "The table has moved on: look again", "台桌状态已变化，请重新查看", "檯桌狀態已變化，請重新查看"
    ),
    "unheard": Phrase("No answer: look whether it was done", "无应答，请查看是否已执行", "無回應，請查看是否已執行"),
}
"""Of the service manager's page."""

TECHNICIAN: dict[str, Phrase] = {
    "devices": Phrase("Devices", "设备", "設備"),
    "step_link": Phrase("Link", "连接", "連線"),
    "step_bytes": Phrase("Bytes", "数据", "資料"),
    "step_frames": Phrase("Valid frames", "有效帧", "有效幀"),
    "step_readings": Phrase("Readings", "读数", "讀數"),
    "never": Phrase("never", "从未", "從未"),
    "ago_s": Phrase("{n} s ago", "{n}秒前", "{n}秒前"),
    "ago_min": Phrase("{n} min ago", "{n}分钟前", "{n}分鐘前"),
    "ago_h": Phrase("{n} h ago", "{n}小时前", "{n}小時前"),
    "ago_days": Phrase("{n} days ago", "{n}天前", "{n}天前"),
    "since": Phrase("for {n}", "已{n}", "已{n}"),
    "opening": Phrase("opening", "正在打开", "正在開啟"),
    "up": Phrase("up", "已连接", "已連線"),
    "waiting": Phrase("waiting", "等待重连", "等待重連"),
    "stopped": Phrase("stopped", "已停止", "已停止"),
    "given_up": Phrase("given up", "已放弃", "已放棄"),
    "counts": Phrase(
        "{bytes_in} bytes in, {bytes_out} out, {rejected} rejected, {opens} opens",
        "收{bytes_in}字节，发{bytes_out}字节，弃{rejected}字节，打开{opens}次",
        "收{bytes_in}位元組，發{bytes_out}位元組，棄{rejected}位元組，開啟{opens}次",
    ),
    "faults": Phrase("Faults", "故障", "故障"),
    "notices": Phrase("Notices", "提示", "提示"),
    "calibration": Phrase("Calibration", "校准", "校準"),
    "no_calibration": Phrase("none", "无", "無"),
    "by_path": Phrase("a file by its path", "按路径指定的文件", "按路徑指定的檔案"),
    "recorder": Phrase("Flight recorder", "原始记录", "原始記錄"),
    "lent": Phrase("With the technician {name}", "由技术员{name}使用", "由技術員{name}使用"),
    "bench": Phrase("At the bench", "检修命令", "檢修指令"),
    "broker": Phrase("Broker", "消息服务器", "訊息伺服器"),
    "connected": Phrase("connected (MQTT {protocol})", "已连接 (MQTT {protocol})", "已連線 (MQTT {protocol})"),
    "not_connected": Phrase("not connected", "未连接", "未連線"),
    "published": Phrase(
        "published {published}, waiting {waiting}",
        "已发{published}，待发{waiting}",
        "已發{published}，待發{waiting}",
    ),
    "consumer": Phrase("{name} handled {sequence}", "{name}已处理到{sequence}", "{name}已處理到{sequence}"),
    "events": Phrase("Newest events", "最近事件", "最近事件"),
    "pictures": Phrase("Pictures of rounds that are over", "已结束各局的图像", "已結束各局的影像"),
    "no_pictures": Phrase("No pictures", "无图像", "無影像"),
    "close": Phrase("Close", "关闭", "關閉"),
}
"""Of the technician's page."""

PEOPLE_PHRASES: dict[str, dict[str, Phrase]] = {
    "sign_in": SIGN_IN,
    "manager": MANAGER,
    "technician": TECHNICIAN,
}
