"""Characters that only one of the two Chinese scripts has, as far as our texts could mix them up."""

from __future__ import annotations

# Pairs of a character that exists in Simplified only, and its Traditional form.
PAIRS = """
飞飛 转轉 轮輪 号號 码碼 数數 计計 连連 无無 动動 经經 误誤 开開 关關 设設 备備 时時 间間 传傳 机機
发發 从從 报報 态態 顺順 读讀 处處 现現 应應 张張 扫掃 复複 结結 断斷 换換 单單 违違 续續 暂暫 类類
长長 验驗 错錯 与與 强強 启啟 组組 缀綴 条條 过過 掷擲 该該 达達 项項 须須 较較 认認 败敗 质質 录錄
线線 继繼 终終 听聽 总總 显顯 测測 敌敵 扩擴 满滿 异異 荐薦 试試 贴貼 为為 乱亂 档檔 据據 编編 输輸
闲閒 庄莊 赢贏 请請 对對 们們 为為 红紅 黄黃 蓝藍 绿綠 颗顆 摊攤 桥橋 锦錦 鲤鯉 宝寶 顺順 条條 杂雜 软軟 杰傑 乐樂 师師
没沒 务務 两兩 铃鈴 极極 钮鈕 摇搖 级級 门門 闭閉 当當 点點 龙龍
"""
SIMPLIFIED_ONLY = frozenset(pair[0] for pair in PAIRS.split())
TRADITIONAL_ONLY = frozenset(pair[1] for pair in PAIRS.split())
