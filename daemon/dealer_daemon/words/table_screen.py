"""What the table's screen says beside the words of messages: what is due, what stands in the way, what lies there."""

from __future__ import annotations

from dealer_daemon.words.people_screen import PEOPLE_PHRASES
from dealer_daemon.words.phrase import Phrase
from dealer_daemon.words.scoreboard import BOARD, GOOD_ROADS, TALLIES, VALUES

DUE: dict[str, Phrase] = {
    # Nothing for the dealer to do with the game.
    "no_round": Phrase("Wait: no round is open", "请等候：尚未开局", "請等候：尚未開局"),
    "betting_open": Phrase("Wait: betting is open", "请等候：正在下注", "請等候：正在下注"),
    "server_next": Phrase("Wait for the game server", "请等候游戏服务器", "請等候遊戲伺服器"),
    "gate_waits": Phrase("Wait: {gate}", "请等候：{gate}", "請等候：{gate}"),
    "being_decided": Phrase("Wait: the service manager decides", "请等候：由服务经理裁定", "請等候：由服務經理裁定"),
    "round_ends": Phrase("The hand is complete", "本局牌已发完", "本局牌已發完"),
    "table_paused": Phrase("Table paused", "本桌暂停", "本桌暫停"),
    "cannot_write": Phrase("Stop: the computer cannot record", "请停止：电脑无法记录", "請停止：電腦無法記錄"),
    "not_ours": Phrase("Stop: this computer may not report", "请停止：本机不可上报", "請停止：本機不可上報"),
    # Cards.
    "card_due": Phrase("{hand}: {nth} card", "{hand}第{nth}张牌", "{hand}第{nth}張牌"),
    "single_card_due": Phrase("Scan the {hand}", "请扫描{hand}", "請掃描{hand}"),
    "place_card_due": Phrase("Card for place {n}", "第{n}位的牌", "第{n}位的牌"),
    "burn_due": Phrase("Burn a card", "请销牌", "請銷牌"),
    "scan_deck": Phrase("Scan every card of set {name}", "请扫描牌组{name}的每张牌", "請掃描牌組{name}的每張牌"),
    # Attempts: what begins one, and what is under way.
    "throw_ball": Phrase("Throw the ball", "请掷球", "請擲球"),
    "ball_may_fly": Phrase("Betting is open: the ball may be thrown", "正在下注：可以掷球", "正在下注：可以擲球"),
    "ball_runs": Phrase("The ball is running", "球正在转动", "球正在轉動"),
    "press_shake": Phrase("Press shake", "请按摇骰键", "請按搖骰鍵"),
    "throw_dice": Phrase("Throw the dice", "请掷骰", "請擲骰"),
    "shake_starts": Phrase("The shaker starts by itself", "摇骰机即将自动启动", "搖骰機即將自動啟動"),
    "dice_roll": Phrase("The dice are being shaken", "正在摇骰", "正在搖骰"),
    "spin_wheel": Phrase("Spin the wheel", "请转动转轮", "請轉動轉輪"),
    "wheel_may_turn": Phrase(
        "Betting is open: the wheel may be spun", "正在下注：可以转动转轮", "正在下注：可以轉動轉輪"
    ),
    "wheel_turns": Phrase("The wheel is turning", "转轮正在转动", "轉輪正在轉動"),
    "lay_beans": Phrase("Lift the bowl, lay out the beans", "请开碗并排列豆子", "請開碗並排列豆子"),
    "beans_laid": Phrase("The beans are being read", "正在判读豆子", "正在判讀豆子"),
    "confirm_spin": Phrase("Was the attempt valid? Confirm", "本次是否有效？请确认", "本次是否有效？請確認"),
    "key_in": Phrase("Key in the result, twice", "请录入结果两次", "請錄入結果兩次"),
}

LINES: dict[str, Phrase] = {
    # Of the table.
    "round_name": Phrase("Round {id}", "局号 {id}", "局號 {id}"),
    "hand_name": Phrase("Hand {hand}", "第{hand}局", "第{hand}局"),
    "shoe_name": Phrase("Shoe {id}", "牌靴 {id}", "牌靴 {id}"),
    "tries": Phrase("Try {attempt}", "第{attempt}次", "第{attempt}次"),
    "refused_so_far": Phrase(
        "{tries} of {most} refused in a row", "连续无效 {tries}/{most}", "連續無效 {tries}/{most}"
    ),
    "last_result": Phrase("Last result", "上局结果", "上局結果"),
    "last_was_void": Phrase("The last round is void", "上局作废", "上局作廢"),
    "read_so_far": Phrase("Read so far", "已判读", "已判讀"),
    "manager_was_called": Phrase("The service manager has been called", "已呼叫服务经理", "已呼叫服務經理"),
    "technician_works": Phrase(
        "Nobody can go on before the technician is done", "技术员完成前无法继续", "技術員完成前無法繼續"
    ),
    "call_technician": Phrase("Call a technician", "请呼叫技术员", "請呼叫技術員"),
    "dealer_answers": Phrase("Answer here, or call the manager", "请在此回答或呼叫经理", "請在此回答或呼叫經理"),
    "paused_by": Phrase("by {name}", "操作人：{name}", "操作人：{name}"),
    "refusal_at": Phrase("{hand}: {nth} card", "{hand}第{nth}张牌", "{hand}第{nth}張牌"),
    # Marks.
    "last_hand": Phrase("Last hand of the shoe", "牌靴最后一局", "牌靴最後一局"),
    "shadow_table": Phrase("Shadow: nothing here counts", "影子桌：结果不作数", "影子桌：結果不作數"),
    "by_hand": Phrase("Result is keyed in by hand", "本局人工录入", "本局人工錄入"),
    "hand_skipped": Phrase("This hand gives no result", "本局不计结果", "本局不計結果"),
    # What is wrong.
    "cannot_record": Phrase("The computer cannot record", "电脑无法记录", "電腦無法記錄"),
    "not_checked": Phrase(
        "Nothing is sent yet: the broker is being asked", "尚未上报：正在核对服务器", "尚未上報：正在核對伺服器"
    ),
    "no_server": Phrase("No server hears this table", "服务器未连接", "伺服器未連線"),
    "device_wrong": Phrase("{device}: {what}", "{device}：{what}", "{device}：{what}"),
    "device_lent": Phrase(
        "{device} is with the technician ({who})", "{device}正由技术员使用（{who}）", "{device}正由技術員使用（{who}）"
    ),
    "device_opening": Phrase("{device} is not connected yet", "{device}尚未连接", "{device}尚未連線"),
    "device_given_up": Phrase(
        "{device} cannot be used; call a technician", "{device}无法使用，请呼叫技术员", "{device}無法使用，請呼叫技術員"
    ),
    # Totals and what a felt is headed with.
    "total": Phrase("{n}", "{n}点", "{n}點"),
    "sum": Phrase("Sum {n}", "总和 {n}", "總和 {n}"),
    "laps": Phrase("{n} laps", "{n}圈", "{n}圈"),
    "turns": Phrase("{n} turns", "{n}圈", "{n}圈"),
    "segment": Phrase("Segment {n}", "第{n}格", "第{n}格"),
    "bean_count": Phrase("{beans} beans in {groups} groups", "{beans}粒，共{groups}组", "{beans}粒，共{groups}組"),
    "cards_dealt": Phrase("{n} cards dealt", "已发{n}张", "已發{n}張"),
}

FIGURES: dict[str, Phrase] = {
    "too_few_laps": Phrase(
        "The ball made {seen} of {needed} laps", "球转了{seen}圈，须满{needed}圈", "球轉了{seen}圈，須滿{needed}圈"
    ),
    "too_few_turns": Phrase(
        "The wheel made {seen} of {needed} turns",
        "转轮转了{seen}圈，须满{needed}圈",
        "轉輪轉了{seen}圈，須滿{needed}圈",
    ),
    "rolled_back": Phrase(
        "The wheel rolled back to {seen} of {needed} turns",
        "转轮回转至{seen}圈，须满{needed}圈",
        "轉輪回轉至{seen}圈，須滿{needed}圈",
    ),
    "wrong_count": Phrase(
        "{seen} dice are seen, {needed} are needed",
        "看到{seen}颗骰子，须有{needed}颗",
        "看到{seen}顆骰子，須有{needed}顆",
    ),
}
"""By a refusal's reason, where it has figures."""

BUTTONS: dict[str, Phrase] = {
    "confirm": Phrase("The attempt was valid", "本次有效", "本次有效"),
    "no_spin": Phrase("No spin", "宣布无效", "宣布無效"),
    "no_shake": Phrase("Not valid: shake again", "无效：重新摇骰", "無效：重新搖骰"),
    "no_turn": Phrase("Not valid: spin again", "无效：重新转动", "無效：重新轉動"),
    "no_layout": Phrase("Not valid: arrange again", "无效：重新排列", "無效：重新排列"),
    "ask_rescan": Phrase("Scan the card again", "重新扫描此牌", "重新掃描此牌"),
    "call_manager": Phrase("Call the manager", "呼叫服务经理", "呼叫服務經理"),
    "resume": Phrase("Yes: go on", "是：继续", "是：繼續"),
    "key_once": Phrase("First entry", "第一次录入", "第一次錄入"),
    "key_again": Phrase("The same once more", "请再录入一次", "請再錄入一次"),
    "key_undo": Phrase("Begin again", "重新录入", "重新錄入"),
    "key_in_number": Phrase("Key in the number", "录入号码", "錄入號碼"),
    "key_in_dice": Phrase("Key in the three dice", "录入三颗骰子", "錄入三顆骰子"),
    "key_in_segment": Phrase("Key in the segment", "录入格号", "錄入格號"),
    "key_in_remainder": Phrase("Key in the last group", "录入余数", "錄入餘數"),
}

STATES: dict[str, Phrase] = {
    "idle": Phrase("Idle", "等候", "等候"),
    "betting": Phrase("Betting open", "正在下注", "正在下注"),
    "waiting": Phrase("No more bets", "停止下注", "停止下注"),
    "running": Phrase("Running", "进行中", "進行中"),
    "held": Phrase("Held", "待裁定", "待裁定"),
    "unconfirmed": Phrase("To be confirmed", "待确认", "待確認"),
    "paused": Phrase("Paused", "暂停", "暫停"),
}

GAMES: dict[str, Phrase] = {
    "baccarat": Phrase("Baccarat", "百家乐", "百家樂"),
    "dragon-tiger": Phrase("Dragon Tiger", "龙虎", "龍虎"),
    "niu-niu": Phrase("Niu Niu", "牛牛", "牛牛"),
    "three-cards": Phrase("Win Three Cards", "炸金花", "炸金花"),
    "blackjack": Phrase("Blackjack", "二十一点", "二十一點"),
    "holdem": Phrase("Hold'em", "德州扑克", "德州撲克"),
    "san-gong": Phrase("San Gong", "三公", "三公"),
    "koi": Phrase("Koi Pairs", "锦鲤对对", "錦鯉對對"),
    "brawl": Phrase("Dragon Tiger Brawl", "龙虎乱斗", "龍虎亂鬥"),
    "andar-bahar": Phrase("Andar Bahar", "安达巴哈", "安達巴哈"),
    "roulette": Phrase("Roulette", "轮盘", "輪盤"),
    "sic-bo": Phrase("Sic Bo", "骰宝", "骰寶"),
    "rainbow-wheel": Phrase("Rainbow Wheel", "彩虹幸运轮", "彩虹幸運輪"),
    "fan-tan": Phrase("Fan Tan", "番摊", "番攤"),
}

HANDS: dict[str, Phrase] = {
    "player": Phrase("Player", "闲家", "閒家"),
    "banker": Phrase("Banker", "庄家", "莊家"),
    "dragon": Phrase("Dragon", "龙", "龍"),
    "tiger": Phrase("Tiger", "虎", "虎"),
    "dealer": Phrase("Dealer", "荷官", "荷官"),
    "p1": Phrase("Player 1", "闲一", "閒一"),
    "p2": Phrase("Player 2", "闲二", "閒二"),
    "p3": Phrase("Player 3", "闲三", "閒三"),
    "first": Phrase("First hand", "第一手", "第一手"),
    "second": Phrase("Second hand", "第二手", "第二手"),
    "board": Phrase("Board", "公共牌", "公共牌"),
    "community": Phrase("Community", "公共牌", "公共牌"),
    "andar": Phrase("Andar", "安达", "安達"),
    "bahar": Phrase("Bahar", "巴哈", "巴哈"),
    "joker": Phrase("joker card", "小丑牌", "小丑牌"),
    "head": Phrase("head card", "头牌", "頭牌"),
    "burn": Phrase("burn card", "销牌", "銷牌"),
    "card": Phrase("Place", "位置", "位置"),
    "seat_hand": Phrase("Seat {seat}", "{seat}号座", "{seat}號座"),
    "seat_hand_more": Phrase("Seat {seat}, hand {number}", "{seat}号座第{number}手", "{seat}號座第{number}手"),
}

PLACES: dict[str, Phrase] = {
    "head": Phrase("Head card", "头牌", "頭牌"),
    "joker": Phrase("Joker card", "小丑牌", "小丑牌"),
}

RANKS: dict[str, Phrase] = {
    # Blackjack.
    "points": Phrase("{n}", "{n}点", "{n}點"),
    "soft": Phrase("soft {n}", "软{n}点", "軟{n}點"),
    "bust": Phrase("{n}: bust", "{n}点：爆牌", "{n}點：爆牌"),
    "blackjack": Phrase("Blackjack", "黑杰克", "黑傑克"),
    # Niu niu.
    "no_bull": Phrase("No bull", "无牛", "無牛"),
    **{
        f"bull_{n}": Phrase(f"Bull {n}", f"牛{chinese}", f"牛{chinese}")
        for n, chinese in enumerate("一二三四五六七八九", start=1)
    },
    "bull_bull": Phrase("Bull-bull", "牛牛", "牛牛"),
    "five_faces": Phrase("Five faces", "五公", "五公"),
    # Poker hands, of three cards and of five.
    "high": Phrase("High card", "高牌", "高牌"),
    "pair": Phrase("Pair", "对子", "對子"),
    "two_pair": Phrase("Two pair", "两对", "兩對"),
    "trips": Phrase("Three of a kind", "三条", "三條"),
    "straight": Phrase("Straight", "顺子", "順子"),
    "flush": Phrase("Flush", "同花", "同花"),
    "full_house": Phrase("Full house", "葫芦", "葫蘆"),
    "quads": Phrase("Four of a kind", "四条", "四條"),
    "straight_flush": Phrase("Straight flush", "同花顺", "同花順"),
    "royal_flush": Phrase("Royal flush", "皇家同花顺", "皇家同花順"),
    "killer": Phrase("2-3-5 off suit", "杂花235", "雜花235"),
}

WINNERS: dict[str, Phrase] = {
    "player": Phrase("Player wins", "闲赢", "閒贏"),
    "banker": Phrase("Banker wins", "庄赢", "莊贏"),
    "dealer": Phrase("Dealer wins", "荷官赢", "荷官贏"),
    "tie": Phrase("Tie", "和局", "和局"),
    "draw": Phrase("Draw", "和局", "和局"),
    "dragon": Phrase("Dragon wins", "龙赢", "龍贏"),
    "tiger": Phrase("Tiger wins", "虎赢", "虎贏"),
    "first": Phrase("First hand wins", "第一手赢", "第一手贏"),
    "second": Phrase("Second hand wins", "第二手赢", "第二手贏"),
    "andar": Phrase("Andar wins", "安达赢", "安達贏"),
    "bahar": Phrase("Bahar wins", "巴哈赢", "巴哈贏"),
}

GATES: dict[str, Phrase] = {
    "other": Phrase("the game server opens {name}", "服务器放行{name}", "伺服器放行{name}"),
    "first_four": Phrase("the first four cards are bet on", "前四张牌待下注", "前四張牌待下注"),
    "player_third": Phrase("the player's third card is bet on", "闲家第三张牌待下注", "閒家第三張牌待下注"),
    "call": Phrase("players call or fold", "玩家跟注或弃牌", "玩家跟注或棄牌"),
    "second_bets": Phrase("second bets are open", "第二轮下注进行中", "第二輪下注進行中"),
}

COLOURS: dict[str, Phrase] = {
    "red": Phrase("Red", "红", "紅"),
    "black": Phrase("Black", "黑", "黑"),
    "green": Phrase("Green", "绿", "綠"),
    "yellow": Phrase("Yellow", "黄", "黃"),
    "blue": Phrase("Blue", "蓝", "藍"),
    "pink": Phrase("Pink", "粉红", "粉紅"),
    "purple": Phrase("Purple", "紫", "紫"),
    "orange": Phrase("Orange", "橙", "橙"),
}

ORDINALS: dict[str, Phrase] = {
    str(n): Phrase(english, chinese, chinese)
    for n, (english, chinese) in enumerate(
        (
            ("first", "一"), ("second", "二"), ("third", "三"), ("fourth", "四"), ("fifth", "五"),
            ("sixth", "六"), ("seventh", "七"), ("eighth", "八"), ("ninth", "九"), ("tenth", "十"),
        ),
        start=1,
    )
}  # fmt: skip

REFUSED_ACTS: dict[str, Phrase] = {
    "nobody_may_act": Phrase(
        "Nobody can sign in at this screen: give [screen] a people_file",
        "本屏未设登录：请在 [screen] 设置 people_file",
        "本屏未設登入：請在 [screen] 設定 people_file",
    ),
    "sign_in_first": Phrase("Sign in first", "请先登录", "請先登入"),
    "not_your_role": Phrase("Your role may not do this", "您的角色无此权限", "您的角色無此權限"),
    "no_such_act": Phrase("There is no such act", "无此操作", "無此操作"),
    "request_wrong": Phrase("The request cannot be read", "无法识别请求", "無法識別請求"),
    "entry_not_open": Phrase("No result may be keyed in now", "当前不可录入", "目前不可錄入"),
    "entry_unheard": Phrase(
        "The entry was not taken: look at what the table says, then enter again",
        "录入未被接收：请看桌面状态后重试",
        "錄入未被接收：請看桌面狀態後重試",
    ),
}

ANSWERS: dict[str, Phrase] = {
    "done": Phrase("Done", "已执行", "已執行"),
    "entered": Phrase("Entered", "已录入", "已錄入"),
    "malformed": Phrase("The request cannot be read", "无法识别请求", "無法識別請求"),
    "unknown_command": Phrase("There is no such act", "无此操作", "無此操作"),
    "not_allowed": Phrase("Your role may not do this", "您的角色无此权限", "您的角色無此權限"),
    "not_now": Phrase("Not possible now", "当前不可执行", "目前不可執行"),
    "wrong_round": Phrase("That round is over", "该局已结束", "該局已結束"),
    "bad_argument": Phrase("Something in it cannot be", "内容有误", "內容有誤"),
    "id_reused": Phrase("This was asked before", "此操作已提交过", "此操作已提交過"),
    "expired": Phrase("Too late: look again, then press", "已过时：请看清后重按", "已過時：請看清後重按"),
    "unavailable": Phrase("The computer cannot record now", "电脑暂时无法记录", "電腦暫時無法記錄"),
}
"""Of an act: by the word of the reply's error."""

PHRASES: dict[str, dict[str, Phrase]] = {
    "due": DUE,
    "line": LINES,
    "figures": FIGURES,
    "button": BUTTONS,
    "state": STATES,
    "game": GAMES,
    "hand": HANDS,
    "winner": WINNERS,
    "place": PLACES,
    "rank": RANKS,
    "gate": GATES,
    "colour": COLOURS,
    "nth": ORDINALS,
    "refused_act": REFUSED_ACTS,
    "answer": ANSWERS,
    "board": BOARD,
    "tally": TALLIES,
    "value": VALUES,
    "good_road": GOOD_ROADS,
    **PEOPLE_PHRASES,
}
"""By where they stand. A code is of one of them alone, not of the whole."""
