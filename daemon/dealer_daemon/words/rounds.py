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
    "witnesses_differ": Word(
        _HELD, "Two devices give different results", "两台设备结果不一致", "兩台設備結果不一致",
        "The table's main device and its witness do not say the same. Decide by the video; have both looked at.",
    ),
    "witness_unsure": Word(
        _HELD, "The witness does not accept the result", "佐证设备判定无效", "佐證設備判定無效",
        "The main device gave a result and the second device refused or held the same attempt. Decide by the video.",
    ),
    "witness_missing": Word(
        _HELD, "The witness gave no result", "佐证设备无结果", "佐證設備無結果",
        "The second device said nothing within `witness_wait_s` of the main one. Look at it; decide by the video.",
    ),
    # Violations of the procedure.
    "entry_for_another_round": Word(
        _VIOLATION, "Keyed in for another round", "录入的局号不符", "錄入的局號不符",
        "A result was keyed in for a round that is not the open one. It is recorded, and is no result.",
    ),
    "entry_not_allowed": Word(
        _VIOLATION, "Keyed in without leave", "未经许可的人工录入", "未經許可的人工錄入",
        "A result was keyed in at a table whose sensor gives it, and the manager has not allowed it for this round "
        "(`entry.allow`). It is recorded, and is no result.",
    ),
    "number_while_betting": Word(
        _VIOLATION, "A result while bets were open", "下注未截止已出结果", "下注未截止已出結果",
        "A result came before betting closed. It is recorded, and is no result; the table pauses.",
    ),
    "spin_without_round": Word(
        _VIOLATION, "An attempt without a round", "无局操作", "無局操作",
        "A ball, a shake or a turn began while no round was open. It is recorded, and is no result.",
    ),
    "number_changed_after_outcome": Word(
        _VIOLATION, "The result changed after the outcome", "结果公布后结果改变", "結果公布後結果改變",
        "The device named another result after the outcome was published. The table pauses. Check the video; correct "
        "the outcome if it was wrong.",
    ),
    "spin_while_paused": Word(
        _VIOLATION, "An attempt while the table was paused", "暂停期间操作", "暫停期間操作",
        "An attempt was made on a paused table. It is recorded, and is no result.",
    ),
    "spin_while_held": Word(
        _VIOLATION, "An attempt while another waited for a person", "待裁定期间操作", "待裁定期間操作",
        "An attempt was made before the held or unconfirmed one was decided. It is recorded, and is no result.",
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
    "manager_called": Word(
        _PAUSE, "The dealer called the service manager", "荷官呼叫服务经理", "荷官呼叫服務經理",
        "The dealer pressed the screen's button; `by` is the dealer. The manager looks, and resumes or voids.",
    ),
    "integrity": Word(
        _PAUSE, "Deck integrity alarm", "牌组完整性警报", "牌組完整性警報",
        "The cards in the shoe are not what they should be; the `violation` before this says how. The manager looks "
        "at the cards and the video, voids the round where that is due, and resumes.",
    ),
    # Why a table stands for as long as the station may not speak.
    "journal_behind": Word(
        _PAUSE, "An old journal was put back", "系统使用了旧记录", "系統使用了舊記錄",
        "The broker knows newer events of this table than the station's journal: nothing is sent, no command is taken, "
        "and what is played now counts for nobody. Stop the table; `dealer-daemon status` says what to do ([recover a "
        "journal](../howto/recover-a-journal.md)). Resumed by the service manager after that.",
    ),
    "journal_other": Word(
        _PAUSE, "The table was played from another journal", "本桌在另一记录上运行过", "本桌在另一記錄上運行過",
        "The broker knows events of this table from another journal: nothing is sent, no command is taken, and what is "
        "played now counts for nobody. Stop the table; `dealer-daemon status` says what to do ([recover a "
        "journal](../howto/recover-a-journal.md)). Resumed by the service manager after that.",
    ),
    "station_contested": Word(
        _PAUSE, "Another computer runs this table", "另一台电脑正在运行本桌", "另一台電腦正在運行本桌",
        "Another station of the same site and table names is at the broker, and answers. This one says nothing and "
        "takes no command. Find out which one is at the table, stop the other, and start this one again ([recover a "
        "journal](../howto/recover-a-journal.md)). Resumed by the service manager after that.",
    ),
    "maintenance": Word(
        _PAUSE, "A technician has a device of this table", "设备维护中", "設備維護中",
        "The technicians' bench has a device of the table (`device.lent` says which, and who). It is given back when "
        "the bench ends; then a manager resumes, or the bench does. Until then nobody can resume.",
    ),
    # Why it goes on, beside what a manager says.
    "maintenance_over": Word(
        _RESUMED, "The technician is done", "设备维护完毕", "設備維護完畢",
        "The bench gave the device back and let the table go on.",
    ),
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
