"""How questions are worded, English and Mandarin: each name stands for a list of ways to say it.

Every way is a regular expression; ``says(question, name)`` asks whether any of them occurs.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MENTIONED = r"(?:mention\w*|brought up|bring\w* up|rais\w+|propos\w+|suggest\w*|discuss\w*|talk\w*|said|say|introduc\w+|c[ao]me up)"

WORDING: dict[str, tuple[str, ...]] = {
    "people counted": (
        r"\bhow many (?:different |distinct )?(?:people|speakers?|participants?|persons?|members|voices|attendees)\b",
        r"(?:多少|几)(?:个|位|名)?(?:说话人|发言人|发言者|与会者|参会|人(?:发言|说话|讲话|参加|在场|开会|\W*$))"
        r"|(?:多少|几)位(?:发言|说话|参加|在场|\W*$)",
    ),
    "people choosing": (r"\b(?:agree|support|like|want|vote|mention)\w*\b", r"同意|支持"),
    "times": (r"\b(?:times|often)\b", r"几次|多少次"),
    "turns": (r"\b(?:turns?|utterances?)\b",),
    "mentioned": (
        r"\b(?:mention\w*|said|says?|use[ds]?|bring|brought|refer\w*|word|term|comes? up|discuss\w*)\b",
        r"提(?:到|及|起|了|过)|说到|出现",
    ),
    "speaking": (
        r"\b(?:speaks?|spoke|spoken|talks?|turns?|utterances?|take the floor|say something)\b",
        r"发言|说话|讲话|[说讲]了?多(?:久|长)",
    ),
    "whole meeting's length": (
        r"\bhow long (?:is|was|did|does|has) (?:the|this) (?:whole |entire )?(?:meeting|recording|call)"
        r"(?: last| take| run| go on)?\W*$",
        r"会议(?:持续|开)了多",
    ),
    "longest turn": (
        r"\blongest (?:single |uninterrupted )?(?:turn|utterance|contribution|speech|monologue|stretch of talk)\b",
        r"最长的?一?[次段](?:发言|讲话|说话)|(?:发言|讲话)最长的一次",
    ),
    "time between": (
        r"\b(?:pass(?:es|ed)?|elapse[sd]?|go(?:es)? by|went by|lies?|is (?:it|there)|was (?:it|there)|time) between\b",
        r"从.+到.+[过隔]了?多(?:久|长时间)",
    ),
    "discussing": (r"\b(?:discuss\w*|about|debate\w*|conversation|topic)\b", r"讨论|谈论|谈了|聊"),
    "most": (
        r"\b(?:most|least|longest|shortest|loudest|quietest|fastest|slowest|highest|lowest|calmest|biggest|softest|angriest|happiest|saddest)\b",
        r"最",
    ),
    "talks most": (
        r"\bwho (?:talk\w*|sp[eo]\w*|said|contribut\w*)\b.*\b(?:most|least|longest|more)\b",
        r"\bdominat\w+\b",
        r"谁(?:说|讲|发言)[得的话时间]*最(?:多|少|长|久)|最(?:多|少|健谈)",
    ),
    "first to speak": (
        r"\bwho (?:spoke|speaks|talked|talks|opene?d?s?|start(?:s|ed)|begins|began|close[sd]) "
        r"(?:first|last|the (?:meeting|discussion|call))",
        r"\bfirst (?:speaker|person) to speak\b",
        r"谁(?:最先|第一个|最后)(?:发言|说话|讲话)",
    ),
    "which first": (
        r"\b(?:which|what|who) (?:came|comes|was|is|happened)? ?\w* ?(?:first|earlier|before|later)\b.*\bor\b",
        r"\bor\b.*\b(?:first|earlier)\b",
        r"先.*还是|还是.*先",
    ),
    "first mention": (
        rf"\b(?:first|initially|originally)\b.*\b{_MENTIONED}\b",
        rf"\b{_MENTIONED}\b.*\bfirst\b",
        r"\bfirst to (?:mention|bring|raise|suggest|propose|say|talk)\b",
        r"最先|首先提|第一次|首次|最早|第一个(?:提|说|谈|讲)|谁先(?:提|说|谈|讲)",
    ),
    "last mention": (
        r"\b(?:last|final) time\b",
        rf"\b(?:last|finally|most recently)\b.*\b{_MENTIONED}\b",
        rf"\b{_MENTIONED}\b.*\blast\b",
        r"最后一次|最后(?:一个)?(?:提|谈到|说到|讲到)",
    ),
    "portrait": (
        r"\bwhat (?:role|position|job)\b",
        r"\b(?:role|profile|expertise|stance|personality|position|responsib\w+)\b.*\b(?:of|does|did|in)\b",
        r"'s (?:part|role|job|position|expertise|stance|profile)\b",
        r"\bdescribe (?!the\b|how\b|what\b)\w+",
        r"\bwho(?:'s| is| was) (?:(?:the|our) )?\w+(?: \w+){0,2}\W*$",
        r"\bwhat kind of (?:person|speaker)\b",
        r"\b(?:what|which) (?:subjects?|topics?|themes?|things?) (?:does|did|do)\b.*\b(?:talk|speak)\w*\b.*\b(?:most|mainly|mostly)\b",
        r"主要谈了?(?:什么|哪些)|是谁\W*$|^\W*谁是|角色|职位|职务|立场|画像|是做什么的|负责什么",
    ),
    "reference": (
        r"\bwh(?:at|ich|o)\b.*\b(?:refer\w*(?: to)?|meant?(?: by)?|stand for)\b",
        r"\bmeaning of\b",
        r"指的是|是指|指什么",
    ),
    "outcomes": (
        r"\b(?:action items?|next steps?|to-?dos?|follow-?ups?|tasks|assignments|who (?:does|will do|is doing) what)\b",
        r"\b(?:what|which|key|main|all|the) decisions?"
        r"(?: (?:was|were|are|have|been|did|they|the (?:group|team)|made?|taken?|reach(?:ed)?|in (?:the|this) meeting))*\W*$",
        r"\bwhat (?:was|were|is|has been|did (?:they|the \w+|everyone)) (?:decided?|agreed?)\W*$",
        r"(?:做|作)(?:出|了).*决定|决定了(?:什么|哪些)\W*$|下一步|待办|任务|分工",
    ),
    "stance": (
        r"\b(?:thinks?|thought|feel|felt|opinion\w*|attitude|stance|(?:dis)?agree\w*|support\w*|oppose\w*|view)\b",
        r"看法|态度|同意|反对|认为|觉得",
    ),
}


@lru_cache(maxsize=len(WORDING))
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile("|".join(WORDING[name]), re.IGNORECASE)


def says(question: str, name: str) -> bool:
    """Return whether ``question`` is worded in one of the ways listed under ``name``."""
    return _compiled(name).search(question) is not None
