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

PEOPLE_PHRASES: dict[str, dict[str, Phrase]] = {
    "sign_in": SIGN_IN,
}
