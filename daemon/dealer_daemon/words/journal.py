"""What the journal says: events that are no longer kept, and events that are lost."""

from __future__ import annotations

from dealer_daemon.words.word import Kind, Word

JOURNAL: dict[str, Word] = {
    "consumer_behind": Word(
        (Kind.EXPIRED,), "A consumer did not fetch them in time", "接收方逾期未取", "接收方逾期未取",
        "`retention_days` ended for events that a registered consumer has not acknowledged. Mend that consumer, or "
        "take it off the list with an empty acknowledgement.",
    ),
    "never_published": Word(
        (Kind.EXPIRED,), "They could not be published in time", "逾期未能发布", "逾期未能發布",
        "`retention_days` ended for events that no broker has taken. See why there was no broker for so long.",
    ),
    "journal_salvaged": Word(
        (Kind.LOST, Kind.PAUSE), "The journal was damaged; events are lost", "日志损坏，部分记录丢失",
        "日誌損壞，部分紀錄遺失",
        "What could be proved of a damaged journal was kept. Settle the lost rounds by the video and the game servers' "
        "records; void the round that is open, change the shoe at a card table, then resume.",
    ),
    "journal_adopted": Word(
        (Kind.LOST, Kind.PAUSE), "Another journal is used; what was before is given up",
        "已改用另一份日志，此前记录作废", "已改用另一份日誌，此前紀錄作廢",
        "A person let the table go on with a journal that lacks events which were published (`dealer-daemon journal "
        "adopt`). Nothing from before is sent any more, and no round or shoe of before goes on. Settle or void open "
        "rounds at the game servers by the video, begin a new shoe at a card table, then resume.",
    ),
}  # fmt: skip
"""By ``reason``."""
