"""Scripts without spaces: Chinese, Japanese, Thai, Lao, Khmer and Burmese, where a character stands for a word.

``spelled_out`` gives such a text to guards that know words: what stands in a small glossary comes in English words, and
counts as figures. ``differ`` compares the characters themselves: all that is in one of the texts alone, but for
particles, tells them apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache

_KATAKANA = "\u30a1-\u30ff"
_SCRIPTS = (
    f"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096{_KATAKANA}\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_SCRIPTS}]+")
_TOKEN = re.compile(f"[{_KATAKANA}]+|[{_SCRIPTS}]|[^\\W{_SCRIPTS}]+")
_PARTICLES = frozenset("的了地得着是也就都会在我们們吧呢吗嗎啊呀嘛はがもねよのでですだまあるいしてと")

_FIGURES = {
    figure: value for value, row in enumerate(("〇零", "一", "二两兩", *"三四五六七八九")) for figure in row
}
_POWERS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_MYRIAD = 10_000

_UNITS = {
    "millisecond": "毫秒 ミリ秒",
    "second": "秒钟 秒鐘 秒",
    "minute": "分钟 分鐘 分間 分",
    "hour": "小时 小時 時間 时 時 点 點",
    "day": "天 日間 日",
    "week": "周 週間 週 星期 礼拜",
    "month": "个月 個月 か月 ヶ月 カ月 月",
    "year": "年",
    "times": "次 回",
    "people": "人 位 名",
    "pieces": "个 個 つ 件 台 条 行 份",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}

_GLOSSARY = {
    "allowed": "允许 允許 許可 许可 可以",
    "forbidden": "禁止 严禁",
    "enabled": "启用 啟用 开启 有効",
    "disabled": "禁用 停用 关闭 無効",
    "always": "总是 總是 始终 いつも 常に 必ず",
    "never": "从来不 从不 永不 绝不",
    "before": "之前 以前",
    "after": "之后 以后 之後 以後",
    "passes": "通过 通過 成功",
    "fails": "失败 失敗",
    "required": "必须 必須",
    "optional": "可选 任意",
    "public": "公开 公開",
    "private": "私有",
    "minimum": "最小 最少 最低 至少",
    "maximum": "最大 最多 最高 至多",
    "increase": "增加",
    "decrease": "减少 減少",
    "sync": "同步 同期",
    "async": "异步 異步 非同期",
    "manual": "手动 手動",
    "automatic": "自动 自動",
    "production": "生产 本番",
    "staging": "预发",
    "add": "添加 追加",
    "remove": "删除 刪除 削除",
    "start": "启动 开始 開始",
    "stop": "停止 结束 終了",
    "light": "浅色 亮色 ライト",
    "dark": "深色 暗色 ダーク",
    "brief": "简短 簡短 簡潔 简洁",
    "detailed": "详细 詳細 詳しい",
    "morning": "上午 午前",
    "afternoon": "下午 午後",
}
_ENGLISH = {word: english for english, words in _GLOSSARY.items() for word in words.split()}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_OF = {
    **dict(zip("一二三四五六日", _DAYS, strict=True)),
    **dict(zip("月火水木金土日", _DAYS, strict=True)),
    "天": "sunday",
}


def _any_of(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=lambda word: -len(word)))


_LONG = 200  # characters: from there on aligning them takes milliseconds
_NUMERALS = "[" + "".join((*_FIGURES, *_POWERS)) + "]"
_KNOWN = re.compile(
    rf"(?:周|週|星期|礼拜|禮拜)(?P<day>[一二三四五六日天])|(?P<曜>[月火水木金土日])曜日?"
    rf"|(?P<count>\d[\d.,]*|{_NUMERALS}+)\s*(?P<unit>{_any_of(_UNIT_OF)})|(?P<number>{_NUMERALS}{{2,}})"
    rf"|(?P<word>{_any_of(_ENGLISH)})"
)
_SOME = frozenset({("一", "pieces"), ("一", "people")})  # 一个 is an article
_DENIAL = re.compile(
    "[不没沒未无無非勿莫否别別]|ません|ない|なし|なく|なかっ|ず(?=に|、|。|$)|ไม่|ห้าม"  # then Korean
    "|않|없|못|아니|아닙|마세요|마십|(?<![가-힣])안 "
)


def holds_any(text: str) -> bool:
    """True where some of the text is in such a script."""
    return not text.isascii() and _RUN.search(text) is not None


@lru_cache(maxsize=512)
def spelled_out(text: str) -> str:
    """The text with what the glossary has in English, counts in figures, and spaces around the other characters."""
    if not holds_any(text):
        return text
    known = _KNOWN.sub(_english, unicodedata.normalize("NFKC", text))
    return _RUN.sub(lambda run: f" {run[0]} ", known)


def denials(text: str) -> int:
    """How often a text, spelled out, denies in a script where no word says it."""
    return 0 if text.isascii() else len(_DENIAL.findall(text))


def differ(one: str, other: str) -> bool:
    """True where a character or a word that is no particle is in one of the texts alone, or in another place."""
    return _tokens(one) != _tokens(other)


def reordered(one: str, other: str) -> bool:
    """True where the same characters stand in another order."""
    first, second = _tokens(one), _tokens(other)
    return first != second and sorted(first) == sorted(second)


def alike(one: str, other: str) -> bool:
    """True where the texts say the same in the same characters but for one place, or for less than half of them."""
    first, second = _tokens(one), _tokens(other)
    if max(len(first), len(second)) > _LONG:
        return (Counter(first) & Counter(second)).total() * 2 > min(len(first), len(second))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    places = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    return shared > 0 and (len(places) == 1 or shared * 2 > min(len(first), len(second)))


@lru_cache(maxsize=512)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token for token in _TOKEN.findall(spelled_out(text).casefold()) if token not in _PARTICLES)


def _english(match: re.Match[str]) -> str:
    """What is said in place of something that is known."""
    if day := match["day"] or match["曜"]:
        return f" {_DAY_OF[day]} "
    if word := match["word"]:
        return f" {_ENGLISH[word]} "
    if number := match["number"]:
        return f" {_value(number)} "
    unit = _UNIT_OF[match["unit"]]
    if (match["count"], unit) in _SOME:
        return ""
    return f" {_value(match['count'])} {unit} "


def _value(numerals: str) -> str:
    """The number in figures; one that is no number, as 五六, figure by figure."""
    if numerals[0].isdigit() and numerals[0] not in _FIGURES:
        return numerals
    if not any(numeral in _POWERS for numeral in numerals):
        return "".join(str(_FIGURES[numeral]) for numeral in numerals)
    total = section = figure = 0
    for numeral in numerals:
        power = _POWERS.get(numeral, 0)
        if power >= _MYRIAD:
            total, section, figure = (total + section + figure or 1) * power, 0, 0
        elif power:
            section, figure = section + (figure or 1) * power, 0
        else:
            figure = _FIGURES[numeral]
    return str(total + section + figure)
