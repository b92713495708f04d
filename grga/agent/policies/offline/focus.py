"""What a question is about, without the words that only make it a question.

"What did the group think about rubber when discussing the case?" is about "rubber", within "the case".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grga.agent.policies.offline.quotes import hide
from grga.text import content_terms, names, words_of

_SETTING = re.compile(
    r"\b(?:when (?:they |the \w+ )?(?:were |was )?(?:discuss|talk|present|introduc|comment|speak)\w*(?: about| on| of)?"
    r"|(?:in|during) (?:the|their) (?:discussion|presentation|debate|conversation|talk)s? (?:of|about|on|over)"
    r"|as (?:shared|discussed|mentioned|presented) (?:in|during)|in terms of)\b",
    re.IGNORECASE,
)
_FRAMES = (
    r"\b(?:on |in |at )?(?:what|which) (?:date|day|weekday|month|year|time|point|moment)\b",
    r"^\W*(?:please\s+)?(?:can you |could you )?(?:summari[sz]e|describe|explain|tell me|give (?:me )?(?:a |an )?(?:summary|overview) of|list)\b",
    r"^\W*(?:and |so )?(?:according to \w+,? )?(?:what|why|how|who|whom|whose|which|when|where)(?:'s|'re)?\b",
    r"\b(?:in |by )?(?:the |a )?(?:remark|sentence|phrase|words?) (?:about |with |of )?(?=[\ue000-\ue0ff])",
    r"^\W*(?:which|what) (?:question|remark|sentence)\b",
    r"\bamounts?(?: of(?: money)?)?\b|\bnames?(?= *(?:[\ue000-\ue0ff]|$))",
    r"\b(?:the )?(?:reasons?|causes?) (?:why|for|that|of)\b",
    r"\b(?:the )?(?:group(?:mates)?|team|participants?|members|speakers?|everyone|anyone|someone|somebody|anybody|people|meeting|person)(?:'s?|')?(?= |$|[?.,])",
    r"\b(?:did|does|do|was|were|is|are|be|been|has|have|had|would|could|should|will)\b",
    r"\b(?:the )?(?:discussions?|discuss(?:ed|ing)?|opinions?|views?|thoughts?|think(?:s|ing)?|thought|feel(?:s|ings?)?|felt|attitudes?"
    r"|say(?:s|ing)?|said|tell|told|presentations?|present(?:ed|ing)?|introduc\w+|ideas?|mention(?:s|ed|ing)?|talk(?:s|ed|ing)?|conclusions?|conclude[ds]?"
    r"|decisions?|decide[ds]?|agree[ds]?(?: on| upon)?|suggest(?:s|ed|ions?)?|propos(?:e[ds]?|als?|ing)|consider(?:s|ed)?|explanations?|recommend\w*|speak(?:s|ing)?|spoke|br(?:ing|ings|ought)(?= \w* ?up\b)|came|come|up"
    r"|report(?:s|ed)?|announc(?:e[ds]?|ing)|ask(?:s|ed)?|argu(?:e[ds]?|ing)|repl(?:y|ies|ied)|respond(?:s|ed)?|react(?:s|ed)?|refer(?:s|red)?|state[ds]?|name(?= (?:for|as)\b)|named|naming|holds?|held|corresponding|taken? into (?:account|consideration)|happen(?:s|ed)?|times?|mean[ts]?|point|moment|first|last|finally)\b(?:\s+(?:of|about|on|towards?|to|regarding|concerning|over|up))?",
    r"\b(?:many|much|long|often|there|they|their|them|it|this|that|these|those|suddenly|he|she|him|his|her|who|when|most|least|longest|part|mainly|mostly|subjects?|topics?)\b",
)
_HAN_FRAMES = (
    r"(?:请)?(?:总结|概括|概述|描述|介绍)(?:一下)?|为什么|为何|怎么|怎样|如何|什么时候|什么|哪些|哪个问题|哪句话|哪个|哪位|哪里|谁|几次|多少次|多少|多久|多长时间"
    r"|会议|大家|他们|她们|有人|讨论|谈论|谈到|提到|提及|说到|认为|觉得|表示|关于|对于|决定|指的|指|看法|意见|以后|之后|回应|回答|观点|态度|突然|第一次|这次|本次|事情|主要|最后一次|最先|首先"
    r"|是否|有没有|提(?:了|过|起)"
)
# One sign is a frame only where it is a word of its own: not the 会 of 会员, nor the 对 of 对象.
_HAN_WORDS = frozenset("吗呢了的是在说过被由会有对吧呀")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_LINK = r"(?:of|about|on|to|for|in|by|with|and|or|the|a|an|towards?|regarding)"
# Links that the removed frames have left hanging at either end.
_HANGING = re.compile(rf"^(?:{_LINK}\b\s*)+|(?:\s*\b{_LINK})+$", re.IGNORECASE)
_HAN_HANGING = re.compile(r"(?:需要|要|得|能|可以|和|与|在|给)+$")


@dataclass(frozen=True, slots=True)
class Focus:
    """What to look for.

    Attributes:
        topic: The words the answer must be about ("rubber"); "" for an open question.
        setting: The wider discussion they belong to ("the case"), else "".
        terms: Content terms of ``topic`` as the keyword index has them; none for an open question.
        quoted: Phrases that the question quotes.
        names: Capitalised names in it.
        pieces: The runs of words that ``topic`` is made of, as the question has them.
    """

    topic: str
    setting: str
    terms: tuple[str, ...]
    quoted: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()


def focus_of(question: str) -> Focus:
    """Return what ``question`` (already without times and speakers) is about."""
    text = question.strip().rstrip("?？.。!！ ").strip()
    setting = ""
    match = _SETTING.search(text)
    if match and content_terms(text[: match.start()]):
        before, setting = text[: match.start()].strip(" ,"), text[match.end() :].strip(" ,")
        text = before
    topic = unframed(text)
    if not content_terms(topic) and setting:
        text = topic = setting
        setting = ""
    terms = tuple(dict.fromkeys(content_terms(topic)))
    topic = topic if terms else ""
    quoted = hide(question).phrases
    return Focus(topic, setting, terms, quoted, tuple(names(question)), _pieces(text))


def unframed(text: str) -> str:
    """Return ``text`` without question frames; "" when nothing else is left."""
    hidden = hide(text)
    stripped = _cut_frames(hidden.text, " ")
    stripped = re.sub(r"\s+([,.])", r"\1", re.sub(r"\s+", " ", stripped)).strip(" ,.的了")
    return hidden.shown(_HANGING.sub("", stripped)).strip()


def _pieces(text: str) -> tuple[str, ...]:
    """Return the runs of words between the frames that carry meaning."""
    hidden = hide(text)
    runs = [re.sub(r"\s+", " ", run).strip(" ,.") for run in _cut_frames(hidden.text, "\n").split("\n")]
    runs = [hidden.shown(_HAN_HANGING.sub("", _HANGING.sub("", run))).strip() for run in runs]
    return tuple(run for run in runs if content_terms(run))


def _cut_frames(text: str, mark: str) -> str:
    for pattern in _FRAMES:
        text = re.sub(pattern, mark, text, flags=re.IGNORECASE)
    text = re.sub(_HAN_FRAMES, mark, text)
    return _HAN_RUN.sub(
        lambda run: "".join(mark if word in _HAN_WORDS else word for word in words_of(run[0])), text
    )
