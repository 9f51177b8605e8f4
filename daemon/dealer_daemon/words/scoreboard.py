"""What the scoreboard says: its roads, what is counted, and the values of results.

The Chinese terms are those of the rule books 003 (simplified) and 004 (traditional).
"""

from __future__ import annotations

from dealer_daemon.words.phrase import Phrase

BOARD: dict[str, Phrase] = {
    "shoe_over": Phrase("This shoe is over", "本靴已结束", "本靴已結束"),
    "no_shoe": Phrase("No shoe has begun", "尚未开始新靴", "尚未開始新靴"),
    "not_whole": Phrase(
        "Earlier hands of this shoe are not known here: the roads begin with the next shoe",
        "本靴较早的牌局记录不全，牌路自下一靴开始",
        "本靴較早的牌局紀錄不全，牌路自下一靴開始",
    ),
    "no_result": Phrase("No result yet", "尚无结果", "尚無結果"),
    "last_results": Phrase("Last results", "最近结果", "最近結果"),
    "sample": Phrase("last {plays} plays", "最近{plays}局", "最近{plays}局"),
    "hot": Phrase("Hot", "热", "熱"),
    "cold": Phrase("Cold", "冷", "冷"),
    # The roads.
    "bead_plate": Phrase("Bead plate", "珠盘路", "珠盤路"),
    "big_road": Phrase("Big road", "大路", "大路"),
    "big_eye": Phrase("Big eye boy", "大眼仔路", "大眼仔路"),
    "small": Phrase("Small road", "小路", "小路"),
    "cockroach": Phrase("Cockroach road", "小强路", "小強路"),
    "ask_banker": Phrase("If banker", "庄问路", "莊問路"),
    "ask_player": Phrase("If player", "闲问路", "閒問路"),
    "good_roads": Phrase("Good roads", "好路", "好路"),
    "bead_of_banker": Phrase("B", "庄", "莊"),
    "bead_of_player": Phrase("P", "闲", "閒"),
    "bead_of_tie": Phrase("T", "和", "和"),
    # What is counted of a shoe.
    "hands": Phrase("Hands", "局数", "局數"),
    "banker": Phrase("Banker", "庄", "莊"),
    "player": Phrase("Player", "闲", "閒"),
    "tie": Phrase("Tie", "和", "和"),
    "banker_pair": Phrase("Banker pair", "庄对", "莊對"),
    "player_pair": Phrase("Player pair", "闲对", "閒對"),
    "natural": Phrase("Natural", "例牌", "例牌"),
}

TALLIES: dict[str, Phrase] = {
    "number": Phrase("Numbers", "号码", "號碼"),
    "color": Phrase("Colours", "颜色", "顏色"),
    "parity": Phrase("Odd, even", "单双", "單雙"),
    "range": Phrase("Low, high", "大小", "大小"),
    "dozen": Phrase("Dozens", "打", "打"),
    "column": Phrase("Columns", "列", "列"),
    "face": Phrase("Faces", "骰面", "骰面"),
    "sum": Phrase("Sums", "总和", "總和"),
    "size": Phrase("Big, small", "大小", "大小"),
    "remainder": Phrase("Remainder", "余数", "餘數"),
    "winner": Phrase("Winner", "胜方", "勝方"),
    "dealer": Phrase("Dealer's hand", "荷官手牌", "荷官手牌"),
    "p1": Phrase("Player 1", "闲1", "閒1"),
    "p2": Phrase("Player 2", "闲2", "閒2"),
    "p3": Phrase("Player 3", "闲3", "閒3"),
}
"""By the fact that is counted."""

VALUES: dict[str, Phrase] = {
    "odd": Phrase("Odd", "单", "單"),
    "even": Phrase("Even", "双", "雙"),
    "low": Phrase("Low", "小", "小"),
    "high": Phrase("High", "大", "大"),
    "small": Phrase("Small", "小", "小"),
    "big": Phrase("Big", "大", "大"),
    "triple": Phrase("Triple", "围骰", "圍骰"),
    "banker": Phrase("Banker", "庄", "莊"),
    "player": Phrase("Player", "闲", "閒"),
    "tie": Phrase("Tie", "和", "和"),
    "draw": Phrase("Draw", "和", "和"),
    "dealer": Phrase("Dealer", "荷官", "荷官"),
    "dragon": Phrase("Dragon", "龙", "龍"),
    "tiger": Phrase("Tiger", "虎", "虎"),
    "first": Phrase("First", "第一手", "第一手"),
    "second": Phrase("Second", "第二手", "第二手"),
    "andar": Phrase("Andar", "安达", "安達"),
    "bahar": Phrase("Bahar", "巴哈", "巴哈"),
    "bust": Phrase("Bust", "爆牌", "爆牌"),
}
"""Words that results and tallies hold, beside colours and ranks."""

GOOD_ROADS: dict[str, Phrase] = {
    "长庄": Phrase("Banker streak", "长庄", "長莊"),
    "长闲": Phrase("Player streak", "长闲", "長閒"),
    "拍拍黐": Phrase("Twos and more, side by side", "拍拍黐", "拍拍黐"),
    "大路单跳": Phrase("Single jumps", "大路单跳", "大路單跳"),
    "一厅两房（庄）": Phrase("One banker, two players", "一厅两房（庄）", "一廳兩房（莊）"),
    "一厅两房（闲）": Phrase("One player, two bankers", "一厅两房（闲）", "一廳兩房（閒）"),
    "逢庄黐": Phrase("Banker sticks", "逢庄黐", "逢莊黐"),
    "逢闲黐": Phrase("Player sticks", "逢闲黐", "逢閒黐"),
    "隔黐庄": Phrase("Banker sticks every other time", "隔黐庄", "隔黐莊"),
    "隔黐闲": Phrase("Player sticks every other time", "隔黐闲", "隔黐閒"),
}
"""By the name in the rule book."""
