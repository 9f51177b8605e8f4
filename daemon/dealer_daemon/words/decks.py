"""Deck sets and shufflers: why a set failed, why no shoe starts (``validation/decks.py``, ``readings/shuffler.py``)."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_DECK, _SHOE, _FAULT, _PAUSE = (Kind.DECK,), (Kind.SHOE,), (Kind.FAULT,), (Kind.PAUSE,)
_REPORTED = (Kind.VIOLATION, Kind.FAULT)
"""The device's fault, and why a card counted for nothing: no shoe starts while it stands."""

DECKS: dict[str, Word] = {
    # A set failed, by what its shuffler says.
    "deck_count_off": Word(
        _DECK, "The set's count is off", "牌组张数不符", "牌組張數不符",
        "The shuffler counted another number of cards than the set has, or says that some are missing or too many.",
    ),
    "deck_foreign_card": Word(
        _DECK, "A foreign card in the set", "牌组内有外来牌", "牌組內有外來牌",
        "The shuffler found a card that is none of the set.",
    ),
    "deck_only_counted": Word(
        _DECK, "Counted, not recognised", "只点数未识别牌面", "只點數未識別牌面",
        "This shuffler does not recognise cards, and the table asks for that (`counted_is_enough`). Scan the set.",
    ),
    "deck_jammed": Word(
        _DECK, "Jam while the set was in the shuffler", "洗牌时卡牌", "洗牌時卡牌",
        "People had to handle cards of a set that was verified, or was to be. Shuffle it again.",
    ),
    "deck_door_opened": Word(
        _DECK, "Door opened on the set", "牌组在内时打开机门", "牌組在內時打開機門",
        "A door of the shuffler was opened while the set lay in it. Shuffle it again.",
    ),
    "deck_misread": Word(
        _DECK, "A card of the set not recognised", "牌组内有牌未能识别", "牌組內有牌未能識別",
        "The shuffler could not recognise a card. Look for a damaged one and shuffle again.",
    ),
    "deck_unfinished": Word(
        _DECK, "Shuffle not finished", "洗牌未完成", "洗牌未完成",
        "The cards left the shuffler before it called them whole.",
    ),
    "deck_unwatched": Word(
        _DECK, "The set was out of sight", "牌组曾脱离监控", "牌組曾脫離監控",
        "The shuffler was started anew, opened, or shuffled again with the set in it, or another set was said to lie "
        "there: what was verified may not be these cards as they are now. Shuffle it again.",
    ),
    "deck_tampered": Word(
        _DECK, "Shuffler tampered with", "洗牌机疑遭改动", "洗牌機疑遭改動",
        "The shuffler left the USB while the set was in its care. Shuffle it again once the machine was looked at.",
    ),
    "deck_order_known": Word(
        _DECK, "The order of the cards was sent", "牌序已外泄", "牌序已外洩",
        "The shuffler sent the order of these cards; it was thrown away, and somebody else may have heard it. Switch "
        "that off at the machine and shuffle again.",
    ),
    "deck_old_cards": Word(
        _DECK, "Old cards left in the shuffler", "旧牌未全部取出", "舊牌未全部取出",
        "New cards went into a continuous shuffler that had not been empty: a change takes all old cards out (001).",
    ),
    # By a scan.
    "deck_not_exact": Word(
        _DECK, "The scanned set is not whole", "扫描的牌组不完整", "掃描的牌組不完整",
        "`missing`, `doubled` and `foreign` say what is wrong. Put it right and scan the set again.",
    ),
    "deck_card_doubled": Word(
        _DECK, "This card came before", "此牌重复", "此牌重複",
        "In a scan: there are more of a card than the set has, or it passed twice. The end of the scan says which.",
    ),
    "deck_card_read_before": Word(
        _DECK, "Scan this card again", "请重新扫描此牌", "請重新掃描此牌",
        "In a scan: the first card, or the first one after nobody looked, looks like the one that was read before, "
        "which may lie before the scanner still. Take it away; is it one of the set, scan it again.",
    ),
    "deck_scan_cancelled": Word(
        _DECK, "Scan given up", "核验扫描已取消", "核驗掃描已取消",
        "A person ended the scan before all cards had passed.",
    ),
    "deck_scan_interrupted": Word(
        _DECK, "Scan interrupted", "核验扫描中断", "核驗掃描中斷",
        "The station was restarted in the middle of the scan, or a shuffler had the set meanwhile. Begin it again.",
    ),
    # Why no shoe starts.
    "deck_set_failed": Word(
        (Kind.VIOLATION, Kind.PAUSE), "The deck set failed", "牌组核验不合格", "牌組核驗不合格",
        "No hand is dealt from a set that failed before it is verified again.",
    ),
    "deck_set_unclear": Word(
        (Kind.VIOLATION,), "Which deck set is it", "未指明使用哪组牌", "未指明使用哪組牌",
        "Several sets are verified, and nobody said which is in the shoe. Change the shoe by its name (`shoe.change`).",
    ),
    "deck_scan_underway": Word(
        (Kind.VIOLATION,), "A deck set is being scanned", "正在核验牌组", "正在核驗牌組",
        "No shoe starts while the cards that pass belong to a scan.",
    ),
    "shuffler_changing": Word(
        (Kind.VIOLATION,), "Cards are being changed", "正在更换牌", "正在更換牌",
        "The cards of the continuous shuffler are being changed. Wait until it is loaded and ready. Where it stands, "
        "scan a set, or change the shoe and name its set (`shoe.change`).",
    ),
    # What the shuffler reports.
    "shuffler_jam": Word(
        _REPORTED, "Shuffler: jam", "洗牌机卡牌", "洗牌機卡牌",
        "A card is jammed. Clear it, and shuffle the set again. No shoe starts before that.",
    ),
    "shuffler_door_open": Word(
        _REPORTED, "Shuffler: door open", "洗牌机门未关", "洗牌機門未關",
        "A door or cover stands open. No shoe starts before it is closed.",
    ),
    "shuffler_misread": Word(
        _REPORTED, "Shuffler: card not recognised", "洗牌机未能识别牌", "洗牌機未能識別牌",
        "A card of this shuffle could not be recognised. No shoe starts before the set was shuffled again.",
    ),
    "shuffler_count_off": Word(
        _REPORTED, "Shuffler: count is off", "洗牌机点数不符", "洗牌機點數不符",
        "Cards are missing, too many, or foreign. No shoe starts before the set in the shuffler is whole.",
    ),
    "shuffler_not_heard": Word(
        _REPORTED, "Shuffler: not heard", "未收到洗牌机状态", "未收到洗牌機狀態",
        "The link is down, or the shuffler was not heard since the station's start. A set that lies in it starts no "
        "shoe.",
    ),
    "shuffler_order_offered": Word(
        _FAULT, "Shuffler sends the order of cards", "洗牌机发送牌序", "洗牌機發送牌序",
        "It was thrown away and recorded nowhere. Switch it off at the machine.",
    ),
    "shuffler_level_low": Word(
        _FAULT, "Shuffler runs low", "洗牌机存牌不足", "洗牌機存牌不足",
        "A continuous shuffler holds fewer cards than `low_level`. Put the played ones in.",
    ),
    "shuffler_tampered": Word(
        _PAUSE, "Shuffler: USB connection broken and made again", "洗牌机 USB 曾断开重连", "洗牌機 USB 曾斷開重連",
        "The shuffler left the USB while in use and came back; a known attack comes in by that port. Look at the "
        "machine and its cable before the table goes on.",
    ),
    "deck_set_unnamed": Word(
        _FAULT, "Which deck set is in the shuffler", "未指明洗牌机内的牌组", "未指明洗牌機內的牌組",
        "The shuffler does not tell, and it may be one of several: say it (`deck.insert`).",
    ),
    "deck_set_unknown": Word(
        _FAULT, "Unknown deck set in the shuffler", "洗牌机内的牌组未登记", "洗牌機內的牌組未登記",
        "The shuffler names a set that the table's `deck_sets` does not have.",
    ),
    "shuffler_job_repeated": Word(
        _FAULT, "Shuffler: the same job again", "洗牌机重复使用同一次洗牌的编号", "洗牌機重複使用同一次洗牌的編號",
        "It has cards again under the number of a shuffle whose set was taken out, so what it says of them verifies "
        "nothing. Its controller must give each shuffle a number of its own; scan the set (`deck.verify`) meanwhile.",
    ),
    # Why a shoe ended.
    "reshuffled": Word(
        _SHOE, "Its cards are being shuffled", "该组牌已送洗", "該組牌已送洗",
        "The shuffler has the cards of the shoe in play.",
    ),
    "cards_changed": Word(
        _SHOE, "Cards of the shuffler changed", "连续洗牌机换牌", "連續洗牌機換牌",
        "All cards are taken out of the continuous shuffler for others (001).",
    ),
    "scanned": Word(
        _SHOE, "Its cards are being scanned", "该组牌正在核验", "該組牌正在核驗",
        "A person began to scan the cards of the shoe in play.",
    ),
}  # fmt: skip
