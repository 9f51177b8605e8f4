"""Why a card did not count, and why a shoe ended (``validation/card.py``, ``readings/shoe.py`` of the drivers)."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD, _VIOLATION = (Kind.REFUSED,), (Kind.HELD,), (Kind.VIOLATION,)
_IGNORED, _SKIPPED, _SHOE = (Kind.IGNORED,), (Kind.SKIPPED,), (Kind.SHOE,)

CARDS: dict[str, Word] = {
    # Refused: the card passed and could not be told. Scan it again.
    "no_read": Word(
        _REFUSED, "Card not read", "未读到牌", "未讀到牌",
        "The scanner says that it saw a card and read no code.",
    ),
    "empty": Word(
        _REFUSED, "Empty code", "牌码为空", "牌碼為空",
        "A code of no characters.",
    ),
    "not_text": Word(
        _REFUSED, "Garbled code", "牌码乱码", "牌碼亂碼",
        "Characters that no code has: noise, or the wrong speed.",
    ),
    "too_long": Word(
        _REFUSED, "Text without an end", "数据过长", "資料過長",
        "More characters without an end than any code has: noise, or no scanner.",
    ),
    "partial": Word(
        _REFUSED, "Only a part of a code", "牌码不完整", "牌碼不完整",
        "A piece of a code of the deck set.",
    ),
    "length": Word(
        _REFUSED, "Code of another length", "牌码长度不符", "牌碼長度不符",
        "The code has not the table's `code_length`.",
    ),
    "framing": Word(
        _REFUSED, "The scanner's prefix is missing", "缺少前缀", "缺少前綴",
        "The text did not begin with the `prefix` that the scanner is set to send.",
    ),
    "symbology": Word(
        _REFUSED, "Another kind of bar code", "条码类型不符", "條碼類型不符",
        "A kind of bar code that `aim_ids` does not allow, or one that does not say its kind.",
    ),
    "check_character": Word(
        _REFUSED, "Check character wrong", "牌码校验不符", "牌碼校驗不符",
        "The code's own check character does not fit: misread.",
    ),
    "two_codes": Word(
        _REFUSED, "Two codes at once", "同时读到两个牌码", "同時讀到兩個牌碼",
        "More than one code in one text. Show one card alone.",
    ),
    "checksum": Word(
        _REFUSED, "The card's telegram came damaged", "数据校验错误", "資料校驗錯誤",
        "The shoe's telegram of a card has a wrong check (BCC).",
    ),
    "torn": Word(
        _REFUSED, "The card's data broke off", "数据中断", "資料中斷",
        "The telegram or text of a card broke off.",
    ),
    "malformed": Word(
        _REFUSED, "The card's telegram has another shape", "数据格式不符", "資料格式不符",
        "The telegram of a card came whole and has another shape than the published one.",
    ),
    "slot": Word(
        _REFUSED, "No such place", "无此牌位", "無此牌位",
        "The shoe names a place that it does not have.",
    ),
    "index": Word(
        _REFUSED, "Card number 0", "牌序号为零", "牌序號為零",
        "The shoe counts the card as number 0; it counts from 1.",
    ),
    "suit": Word(
        _REFUSED, "No such suit", "无此花色", "無此花色",
        "The shoe names a suit that there is not.",
    ),
    "rank": Word(
        _REFUSED, "No such rank", "无此点数", "無此點數",
        "The shoe names a rank that there is not.",
    ),
    "readers_disagree": Word(
        _REFUSED, "The two readers differ", "两个读牌器不一致", "兩個讀牌器不一致",
        "The table's main reader and its witness do not read the same card. Lasting: have both looked at.",
    ),
    "one_reader": Word(
        _REFUSED, "One reader alone saw the card", "只有一个读牌器读到", "只有一個讀牌器讀到",
        "The other reader saw no card within `witness_wait_s`. Draw the card over both.",
    ),
    "foreign_card": Word(
        _REFUSED, "Not a card of this deck set", "非本牌组的牌", "非本牌組的牌",
        "A sound code that is no card of the deck set in use: another set, a joker, an advertising card. The same code "
        "once more pauses the table.",
    ),
    "dealer_rescan": Word(
        _REFUSED, "The dealer asked for a rescan", "荷官要求重新扫描", "荷官要求重新掃描",
        "The dealer scans the same card again, though the reader did not ask for it.",
    ),
    "backwards_card": Word(
        _REFUSED, "The card went backwards", "牌被推回", "牌被推回",
        "The shoe says that the card was pushed back while it was drawn (E 4, E 5). Draw the same card again, in one "
        "movement.",
    ),
    # Violations that are an integrity alarm: the table pauses.
    "foreign_card_again": Word(
        _VIOLATION, "The foreign card again", "再次读到非本牌组的牌", "再次讀到非本牌組的牌",
        "The same code that is no card of the deck set came again. The table pauses (`integrity`). Take the card out.",
    ),
    "copies_used_up": Word(
        _VIOLATION, "All copies of this card are out", "该牌已全部出完", "該牌已全部出完",
        "More copies of the card came than the shoe has decks. The table pauses (`integrity`).",
    ),
    "unit_seen_before": Word(
        _VIOLATION, "This very card came before", "此牌先前已出现", "此牌先前已出現",
        "The same physical card came out of this shoe before. The table pauses (`integrity`). Not where a person said "
        "that another card lies on the place that it was read for, in this hand or the one before it (`card.correct`, "
        "`outcome.correct`).",
    ),
    # Violations of the procedure.
    "card_while_betting": Word(
        _VIOLATION, "A card while bets were open", "下注未截止已出牌", "下注未截止已出牌",
        "A card was drawn while betting was open and the position does not allow it. The table pauses.",
    ),
    "card_between_rounds": Word(
        _VIOLATION, "A card between rounds", "局间出牌", "局間出牌",
        "A card was drawn and no round is open. The table pauses.",
    ),
    "burn_not_read": Word(
        _VIOLATION, "Burn card not read: scan it again", "销牌未读出，请重新扫描", "銷牌未讀出，請重新掃描",
        "A card was to be burnt before the first hand of the shoe and could not be told, or is none of this deck set. "
        "The table does not pause: the same card is scanned again. The card that is read next is taken for it.",
    ),
    "card_before_gate": Word(
        _VIOLATION, "A card before the gate opened", "未放行已出牌", "未放行已出牌",
        "The round waits at a gate and no card is due before the server opens it. The table pauses.",
    ),
    "card_not_expected": Word(
        _VIOLATION, "A card that nobody asked for", "未指定牌位已出牌", "未指定牌位已出牌",
        "The server has not said whose card is next (`card.expect`). The table pauses.",
    ),
    "card_not_due": Word(
        _VIOLATION, "A card too many", "多出一张牌", "多出一張牌",
        "A card came and none is due: the hand is complete, or the shoe says that it was overdrawn. The table pauses.",
    ),
    "card_outside_game": Word(
        _VIOLATION, "A card outside a game", "非牌局中出牌", "非牌局中出牌",
        "A card left the shoe while it was locked, in error or being set up. The table pauses.",
    ),
    "card_while_held": Word(
        _VIOLATION, "A card while the hand was held", "待裁定期间出牌", "待裁定期間出牌",
        "A card was drawn while the hand waits for a person. It is recorded and lies nowhere.",
    ),
    "card_while_paused": Word(
        (Kind.VIOLATION, Kind.REFUSED), "A card while the table was paused", "暂停期间出牌", "暫停期間出牌",
        "A card was drawn on a paused table. It is recorded and lies nowhere. Where it lies before the scanner still "
        "when the table goes on and a card is due, it is asked for again: take it away, then scan it again.",
    ),
    "shoe_not_verified": Word(
        _VIOLATION, "No verified shoe", "牌靴未经核验", "牌靴未經核驗",
        "A card was drawn and no verified deck set is in the shoe. The table pauses. Verify a set and change the shoe "
        "(`shoe.change`).",
    ),
    "shoe_empty": Word(
        (Kind.PAUSE,), "The shoe is empty", "牌靴已空", "牌靴已空",
        "Every card of the shoe came out and the hand needs one more. Change the shoe or void, then resume.",
    ),
    "unseen_in_hand": Word(
        (Kind.PAUSE,), "Cards may have passed unseen in this hand", "本局可能有牌未被读取", "本局可能有牌未被讀取",
        "The station or the scanner was away in the middle of a hand, or before the first card of one, and nothing "
        "tells whether cards passed. Or cards were read at once that had been held up on their way. So it is at a shoe "
        "that names its places, where it was away so long that another hand may have come as far. Compare the table "
        "with the cards that were read. Resume, and the hand goes on with the card that is due: scan what was missed. "
        "Or void, take the cards away, and resume: the next card begins a hand.",
    ),
    "unseen_between_hands": Word(
        (Kind.PAUSE,), "Is the next card the first of a hand?", "请确认下一张牌为新局首张", "請確認下一張牌為新局首張",
        "The station or the scanner was away between two hands, or cards were read at once that had been held up, and "
        "the beginning of a hand may have passed. Resume when the next card to be scanned is the first of a hand. The "
        "dealer may do this too.",
    ),
    "unseen_before_burn": Word(
        (Kind.PAUSE,), "Is the next card a burn card?", "请确认下一张牌为销牌", "請確認下一張牌為銷牌",
        "The station or the scanner was away while burn cards of the shoe are due, or cards were read at once that had "
        "been held up. Resume when the next card to be scanned is a burn card; one that was burnt unseen is passed "
        "over the scanner after it. The dealer may do this too.",
    ),
    "keys_lost": Word(
        (Kind.FAULT,), "Keys of the scanner were lost", "扫描器按键数据丢失", "掃描器按鍵資料遺失",
        "The station could not keep up with a scanner that types, and cards may have been among what was lost. It is "
        "over at once, and the table asks where the hand stands. See to the station's load.",
    ),
    # Held: not clear, a person looks.
    "perhaps_repeated": Word(
        (Kind.HELD, Kind.VIOLATION), "Perhaps the same card again", "可能是同一张牌", "可能是同一張牌",
        "The scanner or the station was away, and the first card after that looks like the newest one: it may lie "
        "there still, or be another. So does a card that looks like the one that a person named last: it may be that "
        "card, scanned all the same. Take it away from the scanner and decide by the video: refuse the attempt, and "
        "the card that is due is scanned; or name it. A violation where a card is to be burnt: resume, and burn it "
        "again if it was another.",
    ),
    "slot_overwritten": Word(
        _HELD, "A second card for one place", "同一牌位出现两张牌", "同一牌位出現兩張牌",
        "The shoe gives another card for a position that has one. The first stands until a person decides.",
    ),
    "card_skipped": Word(
        _HELD, "A card was missed", "漏读一张牌", "漏讀一張牌",
        "The shoe gives the card for a later position than the one that is due, or its result before the last card; or "
        "cards were drawn while the table stood. Decide by the video: name each card that lies there, or refuse the "
        "attempt where the next card is the one that is due.",
    ),
    "shoe_result_disagrees": Word(
        (Kind.HELD, Kind.VIOLATION), "The shoe's result disagrees with the cards", "牌靴结果与牌面不符",
        "牌靴結果與牌面不符",
        "The shoe's own result is not that of the cards. Held before the outcome; after it a violation that pauses the "
        "table: the outcome is wrong, or a hand passed that nobody saw. Decide by the video.",
    ),
    "force_quit": Word(
        _HELD, "The hand was ended at the shoe", "牌靴端强制结束", "牌靴端強制結束",
        "Somebody ended the hand at the shoe. Decide by the video.",
    ),
    # Ignored, and recorded.
    "same_pass": Word(
        _IGNORED, "The same pass again", "同一次扫描重复", "同一次掃描重複",
        "The scanner reported the newest card again within its repeat window.",
    ),
    "same_slot": Word(
        _IGNORED, "The same place again", "同一牌位重复", "同一牌位重複",
        "The shoe announced the same card for the same position again.",
    ),
    "same_unit": Word(
        _IGNORED, "The same physical card again", "同一张牌重复", "同一張牌重複",
        "A physical card that lies on the table passed the reader again.",
    ),
    "announced_again": Word(
        _IGNORED, "Announced again by the shoe", "牌靴重复通报", "牌靴重複通報",
        "The shoe announced a card again by a message of its own (overdrawn): neither a fresh card nor a round.",
    ),
    "joined_mid_hand": Word(
        _SKIPPED, "Joined in mid-hand", "中途接入，本局略过", "中途接入，本局略過",
        "The first card that the station saw was not the first of a hand. This hand gives no result, the next does.",
    ),
    "rest_of_hand": Word(
        (Kind.SKIPPED, Kind.PAUSE), "The rest of a hand that was ended", "已结束牌局的余牌", "已結束牌局的餘牌",
        "A person ended the hand before all of its cards were dealt. A shoe that names its places deals on, and those "
        "cards give no result. At a scanner, and where the shoe was switched on again in that hand, nothing tells them "
        "from the next hand: the table pauses. Take them away, then resume; the next card begins a hand.",
    ),
    # Why a shoe ended, beside what a person says who changes it.
    "cut_card": Word(
        _SHOE, "Last hand after the cut card", "白牌已出，本靴结束", "白牌已出，本靴結束",
        "The cut card was seen and the round in play ended (004).",
    ),
    "one_round": Word(
        _SHOE, "One deck, one round", "单副牌一局一换", "單副牌一局一換",
        "A shoe of one deck is shuffled after every round.",
    ),
    "shoe_exchanged": Word(
        _SHOE, "Another shoe is in play", "牌靴已更换", "牌靴已更換",
        "The shoe burnt a first card, as it does with new cards, and no cut card had ended the shoe before.",
    ),
    "shoe_restarted": Word(
        (Kind.HELD, Kind.SHOE), "The shoe was started anew", "牌靴重新启动", "牌靴重新啟動",
        "Held: the shoe was switched on again in the middle of a hand and counts its places anew; decide by the video. "
        "Shoe ended: after its cut card it started anew, and no round was open.",
    ),
}  # fmt: skip
