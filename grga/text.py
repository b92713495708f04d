"""Words for searching and linking: English and other alphabets by rule, Chinese by dictionary.

The same functions prepare transcripts and questions, so both sides always meet in the same form.
Han text is folded to simplified characters, so 電池 and 电池 are one word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from grga.numbers import digits

# Marks of transcribers, not speech: {vocalsound}, <laugh>, [noise], ((unclear)).
_MARKS = re.compile(r"\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]|\(\([^()]*\)\)")
_LOOSE_CLITIC = re.compile(r"\s+(?='(?:s|m|re|ve|ll|d)\b)")
_SPELLED = re.compile(r"\b(?:[^\W\d_]_)+(?:[^\W\d_]\b)?|\b(?:[^\W\d_]\.){2,}")
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]+|\d+(?:[.,:]\d+)*%?|[^\W\d_{_HAN}]+(?:['-][^\W\d_{_HAN}]+)*")
_HAS_HAN = re.compile(rf"[{_HAN}]")
_CLITIC = re.compile(r"'(?:s|m|re|ve|ll|d)$")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；])\s*(?![。！？；…”’」』）])|(?<=[。！？；…][”’」』）])\s*(?![，、。！？；])|(?<=……)\s*(?![”’」』）。！？；])"
)
# Full-width letters, digits and signs of mixed text, and the ideographic space.
_HALF_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94) if chr(0x21 + place) not in "!?,;:()"} | {
    0x3000: 0x20
}
_NAME = re.compile(r"(?<![\w'])[A-Z][\w'&-]*[a-z\d](?:\s+(?:of\s+|and\s+)?[A-Z][\w'&-]*)*|\b[A-Z]{2,}\d*\b")

_STOPWORDS_ENGLISH = """
a about above actually after again all almost also although always am an and another any anybody anyone
anything anyway are aren't around as at away back be because been before being below between both but by
can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either else
enough even ever every everybody everyone everything few for from further get gets getting give go goes
going gonna got gotta had hadn't has hasn't have haven't having he her here hers herself him himself his
how however i if in into is isn't it its itself just kind know let like lot lots make many may maybe me
mean might mine more most much must my myself need neither never no nobody none nor not nothing now of off
often on once one only or other our ours ourselves out over own perhaps probably put quite rather really
said same say saying says see shall she should shouldn't since so some somebody someone something sort
still stuff such sure take than that the their theirs them themselves then there these they thing things
think this those though through thus to together too toward towards try two under until up upon us use used
uses using very wanna want wants was wasn't way we well were weren't what whatever when where whether which while who
whoever whole whom whose why will with within without won't would wouldn't yet you your yours yourself
yourselves okay ok yeah yes yep yup nope oh ah uh um er erm eh hm hmm mm mhm mmm huh mm-hmm uh-huh mm-mm
right alright hi hello bye thanks thank please basically obviously guess bit cause 'cause cos um-hmm
"""
_STOPWORDS_CHINESE = """
的 了 在 是 我 你 他 她 它 们 我们 你们 他们 她们 它们 有 和 就 不 都 一 一个 上 也 很 到 说 要 去 会 着
没有 看 好 自己 这 那 这个 那个 这些 那些 什么 怎么 怎样 为什么 因为 所以 但是 可是 不过 如果 然后 还有 还
还是 而且 或者 以及 与 及 被 把 给 让 从 对 对于 关于 吗 吧 呢 啊 嗯 哦 呃 哎 诶 嘛 呀 啦 哈 可以 可能 应该
需要 已经 正在 现在 时候 就是 其实 觉得 知道 感觉 一下 一些 一点 这样 那样 这么 那么 这里 那里 谁 哪 哪个
哪里 几 多少 能 能够 想 来 做 用 下 里 中 为 以 之 其 而 等 个 只 再 又 才 更 最 比较 非常 没 并 您 咱们 咱
大家 别 得 地 过 是不是 有没有 对吧 好的 好吧 行 嗯嗯 对对 对对对 是的
谢谢 今天 别的
"""
_BACKCHANNELS_ENGLISH = """
yeah yes yep yup ya okay ok mm mmm hm hmm mhm mm-hmm mm-mm uh-huh um-hmm um uh er erm eh oh ooh ah aha huh
right alright sure cool great good nice fine exactly absolutely true definitely indeed wow so well
"""
_BACKCHANNELS_CHINESE = """
嗯 嗯嗯 恩 对 对对 对对对 对对对对 是 是的 好 好的 好吧 行 哦 噢 啊 呃 诶 哎 嗯哼 没错 可以 明白 了解 对啊
是啊 对的 好好 好好好 好嘞
"""
# Words of today's work that jieba's dictionary (2012) does not know and would split.
_NEW_WORDS = """
小程序 公众号 朋友圈 直播间 短视频 二维码 会员卡 优惠券 收银机 云端 人工智能 大模型 机器学习 数据库 服务器 前端 后端 上线 复盘
甲方 乙方 对账 报销单 供应商 产品经理 项目经理 用户体验 交互设计 测试用例 需求文档 接口文档 会议纪要 里程碑 待办
"""
STOPWORDS = frozenset((_STOPWORDS_ENGLISH + _STOPWORDS_CHINESE).split())
_BACKCHANNELS = frozenset((_BACKCHANNELS_ENGLISH + _BACKCHANNELS_CHINESE).split())
_BACKCHANNEL_HAN = frozenset("嗯对好是啊哦的吧")
_BACKCHANNEL_TOKENS = 4


def clean(text: str) -> str:
    """Return ``text`` without transcribers' marks, curly apostrophes, spelling underscores, full-width letters.

    "{vocalsound} The L_C_D_ ." becomes "The LCD ."; spaces are single.
    """
    text = _MARKS.sub(" ", text.translate(_HALF_WIDTH)).replace("’", "'")
    text = _LOOSE_CLITIC.sub("", text)
    text = _SPELLED.sub(lambda match: match.group().replace("_", "").replace(".", ""), text)
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return cleaned ``text`` in lower case, its Han characters simplified: what exact comparisons look at."""
    text = clean(text).lower()
    return str(_simplifier().convert(text)) if _HAS_HAN.search(text) else text


def tokenize(text: str) -> list[str]:
    """Return the lowercase words of ``text`` in order; Han text is simplified and cut into words.

    "It's 2.5 euros, isn't it?" -> ["it", "2.5", "euros", "isn't", "it"]. Chinese numbers become digits, so that
    二十三 and 23 are one word: "二十三位" -> ["23", "位"].
    """
    return _tokens(text, overlapping=False)


def content_terms(text: str) -> list[str]:
    """Return the words that carry meaning: no stopwords, English ones stemmed, repeats kept.

    Long Chinese words also give the shorter words inside them (遥控器 -> 遥控, 遥控器), so that either
    form of a question finds them.
    """
    return [stem(token) for token in _tokens(text, overlapping=True) if token not in STOPWORDS]


@lru_cache(maxsize=65_536)
def stem(token: str) -> str:
    """Return the stem of an English word ("batteries" -> "batteri"); other tokens unchanged."""
    if not (token.isascii() and token.isalpha()) or len(token) < 4:
        return token
    return str(_stemmer().stemWord(token))


def is_backchannel(text: str) -> bool:
    """Return whether ``text`` only signals listening ("Mm-hmm.", "Yeah okay", "嗯", "对对对") or is empty."""
    return only_signals(tokenize(text))


def only_signals(tokens: Sequence[str]) -> bool:
    """Return :func:`is_backchannel` of a text that is cut into words already."""
    if len(tokens) > _BACKCHANNEL_TOKENS:
        return False
    return all(token in _BACKCHANNELS or set(token) <= _BACKCHANNEL_HAN for token in tokens)


def words_of(run: str) -> tuple[str, ...]:
    """Return the words of a run of Han text as they stand in it, cut by dictionary."""
    return _cut_han(run, False)


def word_count(text: str) -> int:
    """Return how many words ``text`` has: those between spaces, and those of Han text by dictionary."""
    if not _HAS_HAN.search(text):
        return len(text.split())
    return len(tokenize(text))


def has_han(text: str) -> bool:
    """Return whether ``text`` holds a Chinese character."""
    return _HAS_HAN.search(text) is not None


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, cut after . ! ? 。！？； and ……, never inside a number.

    Chinese quotation marks and brackets stay with what they close (“太贵了。”他说 -> “太贵了。” / 他说).
    """
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def names(text: str) -> list[str]:
    """Return capitalised names and abbreviations, in order ("San Francisco", "LCD").

    A single capitalised word that opens a sentence is not taken for a name ("Batteries are…").
    """
    found = []
    for sentence in sentences(clean(text)):
        for match in _NAME.finditer(sentence):
            words = _CLITIC.sub("", match.group()).split()
            opens = match.start() == 0
            while words and words[0].lower() in STOPWORDS:
                words.pop(0)
                opens = False
            if words and not (opens and len(words) == 1 and not words[0].isupper()):
                found.append(" ".join(words))
    return found


def _tokens(text: str, *, overlapping: bool) -> list[str]:
    tokens: list[str] = []
    text = folded(text)
    for match in _TOKEN.finditer(digits(text) if _HAS_HAN.search(text) else text):
        token = match.group()
        if _HAS_HAN.match(token):
            tokens.extend(_cut_han(token, overlapping))
        else:
            tokens.append(_CLITIC.sub("", token))
    return tokens


@lru_cache(maxsize=65_536)
def _cut_han(run: str, overlapping: bool) -> tuple[str, ...]:
    cutter = _jieba()
    return tuple(cutter.lcut_for_search(run) if overlapping else cutter.lcut(run))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=1)
def _simplifier() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


@lru_cache(maxsize=1)
def _jieba() -> Any:
    import logging
    import warnings

    with warnings.catch_warnings():
        # jieba's sources have invalid escapes, which newer Pythons report on first import.
        warnings.simplefilter("ignore")
        import jieba

    jieba.setLogLevel(logging.WARNING)
    for word in _NEW_WORDS.split():
        jieba.add_word(word)
    return jieba
