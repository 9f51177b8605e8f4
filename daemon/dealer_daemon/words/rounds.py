"""What can happen to any round: people's refusals, violations, why a table stands, why a round is void."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

_REFUSED, _HELD, _VIOLATION = (Kind.REFUSED,), (Kind.HELD,), (Kind.VIOLATION,)
_PAUSE, _RESUMED, _VOID = (Kind.PAUSE,), (Kind.RESUMED,), (Kind.VOID,)

ROUNDS: dict[str, Word] = {
    # Refused by a person.
    "dealer_no_spin": Word(
        _REFUSED, "Dealer called no spin", "荷官宣布无效", "荷官宣布無效",
        "The dealer called no spin, or did not confirm that the spin was valid.",
    ),
    "manager_refused": Word(
        _REFUSED, "Refused by the service manager", "服务经理判定无效", "服務經理判定無效",
        "The service manager refused an attempt.",
    ),
    # Held.
    "station_restarted": Word(
        _HELD, "The station was restarted in mid-attempt", "判读中系统重启", "判讀中系統重啟",
        "What happened while the station was down was not seen. Decide by the video.",
    ),
    # Violations of the procedure.
    "number_while_betting": Word(
        _VIOLATION, "A number while bets were open", "下注未截止已出号码", "下注未截止已出號碼",
        "A number came before betting closed. It is recorded, and is no result; the table pauses.",
    ),
    "spin_without_round": Word(
        _VIOLATION, "A spin without a round", "无局转动", "無局轉動",
        "A spin was made while no round was open. It is recorded, and is no result.",
    ),
    "number_changed_after_outcome": Word(
        _VIOLATION, "The number changed after the outcome", "结果公布后号码改变", "結果公布後號碼改變",
        "The device named another number after the outcome was published. The table pauses. Check the video; correct "
        "the outcome if it was wrong.",
    ),
    "spin_while_paused": Word(
        _VIOLATION, "A spin while the table was paused", "暂停期间转动", "暫停期間轉動",
        "A spin was made on a paused table. It is recorded, and is no result.",
    ),
    "spin_while_held": Word(
        _VIOLATION, "A spin while an attempt waited for a person", "待裁定期间转动", "待裁定期間轉動",
        "A spin was made before the held or unconfirmed attempt was decided. It is recorded, and is no result.",
    ),
    # Why a table stands.
    "tries_exhausted": Word(
        _PAUSE, "Too many tries in a row", "连续多次无效", "連續多次無效",
        "As many attempts in a row were refused as `tries_before_pause` allows. The manager resumes or voids.",
    ),
    "violation": Word(
        _PAUSE, "Procedure violation", "违反操作程序", "違反操作程序",
        "A `violation` came before this; its reason says which. The manager resumes or voids.",
    ),
    "integrity": Word(
        _PAUSE, "Deck integrity alarm", "牌组完整性警报", "牌組完整性警報",
        "The cards in the shoe are not what they should be; the `violation` before this says how. The manager looks "
        "at the cards and the video, voids the round where that is due, and resumes.",
    ),
    # Why it goes on, beside what a manager says.
    "round_voided": Word(
        _RESUMED, "The round was voided", "本局已作废", "本局已作廢",
        "The manager voided the round for which the table stood after too many tries or a violation.",
    ),
    # Why a round is void, beside what a manager says.
    "held_not_decided": Word(
        _VOID, "Nobody decided the held attempt", "待定结果未裁定", "待定結果未裁定",
        "An attempt was held and the device began the next before anybody decided it.",
    ),
    "not_confirmed": Word(
        _VOID, "The dealer did not confirm", "荷官未确认", "荷官未確認",
        "The spin waited for the dealer's word and the next began before it came.",
    ),
}  # fmt: skip
