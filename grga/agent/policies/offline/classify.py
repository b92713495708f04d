"""What kind of question it is: type, subtask, form, acoustic conditions, and what to compute.

Rules over the question's words alone, English and Mandarin, first match wins.
"""

from __future__ import annotations

import re
from enum import StrEnum

from grga.agent.steps import Form, QuestionType


class Operation(StrEnum):
    """What the offline policy computes to answer."""

    COUNT_MENTIONS = "count mentions"
    COUNT_TURNS = "count turns"
    COUNT_PEOPLE = "count people"
    COUNT_INTERRUPTIONS = "count interruptions"
    TALK_TIME = "talk time"
    TALK_SHARE = "talk share"
    TOPIC_TIME = "topic time"
    MEETING_TIME = "meeting time"
    FIRST_SPEAKER = "first speaker"
    FIRST_MENTION = "first mention"
    LAST_MENTION = "last mention"
    WHICH_FIRST = "which came first"
    IN_WINDOW = "said in a window"
    NEXT_TO_EVENT = "said after or before an event"
    SOUND_EXTREME = "loudest, quietest, fastest"
    SOUND_CAUSE = "cause of a sound"
    SOUND_CHECK = "how it sounded"
    CAUSE = "cause"
    OUTCOMES = "decisions and tasks"
    REFERENT = "what is referred to"
    SUMMARY = "summary"
    PROFILE = "speaker profile"
    EXTRACT = "extract"


_FORMS: tuple[tuple[Form, str], ...] = (
    (
        Form.SUMMARY,
        r"\b(summari[sz]e|summary|overview|recap|main (points?|topics?|ideas?)|key (points?|decisions?|takeaways?))\b"
        r"|what (is|was) (the|this) (meeting|recording|call) (mainly )?about|总结|概括|概述|摘要|主要(内容|议题|观点)|会议.{0,4}(讨论|谈|说)了(什么|哪些)",
    ),
    (
        Form.HOW_MANY,
        r"\bhow (many|often|much(?! (time|did|do)\b))|\bnumber of times\b|几次|多少|几个|几位|几(人|名)",
    ),
    (Form.HOW_LONG, r"\bhow (long|much time|many (minutes|seconds))\b|\bduration\b|多久|多长时间|多长"),
    (
        Form.WHY,
        r"^\W*(and |so )?why\b|\bwhy (did|does|is|was|were|are|do)\b|\b(what|which) (is|was|were|are)? ?(the )?(reasons?|causes?|cause)\b"
        r"|\bwhat (caused|led|made|prompted|triggered|motivated)\b|\bhow come\b|为什么|为何|为啥|原因|怎么会|是什么(导致|引起)",
    ),
    (
        Form.WHEN,
        r"^\W*when\b|\b(at )?(what|which) (time|point|moment|minute|second)\b|\bhow far into\b|什么时候|何时|几分|哪个时间|什么时间|哪一刻",
    ),
    (
        Form.WHO,
        r"^\W*(who|whose|whom)\b|\bwho (is|was|said|did|does)\b|\b(which|what) (speaker|person|participant|member|one of them|colleague|of the (speakers|participants))\b"
        r"|\bby whom\b|谁|哪(一)?(位|个人|个说话人|个发言人)",
    ),
    (Form.WHERE, r"^\W*where\b|哪里|哪儿|什么地方"),
    (
        Form.YES_NO,
        r"^\W*(did|do|does|is|are|was|were|has|have|had|can|could|will|would|should)\b|吗[？?]?\W*$|是否|有没有",
    ),
    (Form.HOW, r"^\W*how\b|怎么|怎样|如何"),
)

ACOUSTIC_TERMS: dict[str, str] = {
    "loud": r"\b(loud(er|est|ly|ness)?|rais(e|es|ed|ing) (his|her|their|one's|the|its)? ?voices?|voices? (was|were|got)? ?raised|shout\w*|yell\w*"
    r"|scream\w*|volume|sharp(ly)? tone|outburst)\b|大声|提高(了)?(声音|嗓门|音量)|声音(变|最)?(大|响)|嗓门最|喊|吼|嗓门|音量|响亮",
    "quiet": r"\b(quiet(er|est|ly)?|whisper\w*|soft(er|ly|est)|lower(ed)? (his|her|their) voice|silent(ly)?)\b|小声|轻声|低声|声音(变|最)?小",
    "excited": r"\b(excited|excitement|agitated|agitation|emotional(ly)?|upset|angry|anger|annoyed|irritated|frustrat\w+|enthusias\w+|animated|heated"
    r"|calm(ly|est)?|nervous|sad(ly)?|happy|tone( of voice)?|emotions?)\b|激动|生气|愤怒|兴奋|情绪|语气|平静|不满|不耐烦",
    "pitch": r"\b(pitch|high[- ]pitched|intonation)\b|音调|音高|声调",
    "fast": r"\b(fast(er|est)?|quick(ly|er|est)|speaking rate|speech rate|slow(er|est|ly)?|rush(ed|ing)?)\b|语速|说得(很)?快|说得(很)?慢|最快|最慢",
    "pause": r"\b(paus(e|es|ed)|silences?|hesitat\w+|gap)\b|停顿|沉默|犹豫|安静",
    "overlap": r"\b(interrupt\w*|overlap\w*|(talk(s|ed|ing)?|spoke|speak(s|ing)?) over (him|her|them|me|each other|one another|somebody|someone|(?-i:[A-Z])\w+)|cut(s|ting)? (him|her|them|\w+) off|at the same time|simultaneous\w*)\b|打断|插话|抢话|同时说|重叠",
    "laugh": r"\b(laugh\w*|giggl\w*|chuckl\w*|cough\w*|sigh\w*|cr(y|ies|ied|ying))\b|笑声|大笑|笑了|咳嗽|叹气|哭",
}
_NOT_SOUND = re.compile(
    r"\b(fast|quick|slow|rush|volume|gap|silence|happy|soft|quiet|emotion\w*|tone)\b", re.IGNORECASE
)
_SPEECH_WORD = re.compile(
    r"\b(voices?|sound\w*|spoke|speaks?|speak(ing|er)|talk(s|ed|ing)?|said|says?|saying|tone|moment|turn|answer\w*|repl\w+|who|long(est)?|utterance)\b"
    r"|声|说|语|谁",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def language_of(question: str) -> str:
    """Return "zh" for a question with Han characters, else "en"."""
    return "zh" if _HAN.search(question) else "en"


def form_of(question: str) -> Form:
    """Return what the answer must contain."""
    # "When Rosa says so, what does she mean?" asks what, not when.
    clause = re.match(
        r"^\W*(?:when|after|before|while|if)\b[^,?]*,\s*(?=(?:what|which|who|whom|why|how|where|does|did)\b)",
        question,
        re.IGNORECASE,
    )
    question = question[clause.end() :] if clause else question
    for form, pattern in _FORMS:
        if re.search(pattern, question, re.IGNORECASE):
            return form
    return Form.WHAT


def acoustic_conditions(question: str) -> tuple[str, ...]:
    """Return the conditions on how something was said ("loud", "overlap", …).

    Words that also describe things ("a fast prototype") count only beside a word about speech.
    """
    found = []
    for name, pattern in ACOUSTIC_TERMS.items():
        match = re.search(pattern, question, re.IGNORECASE)
        if match and (
            not _NOT_SOUND.search(match[0]) or _SPEECH_WORD.search(question.replace(match[0], " "))
        ):
            found.append(name)
    return tuple(found)


_REFERENCE = r"\bwh(?:at|ich|o)\b.*\b(?:refer\w*(?: to)?|meant?(?: by)?|mean by|stand for)\b|\bmeaning of\b|指的是|是指|指什么"
_OUTCOMES = (
    r"\b(action items?|next steps?|to-?dos?|follow-?ups?|tasks|assignments|who (?:does|will do|is doing) what"
    r"|(?:what|which|key|main|all|the) decisions?"
    r"(?: (?:was|were|are|have|been|did|they|the (?:group|team)|made?|taken?|reach(?:ed)?|in (?:the|this) meeting))*\W*$"
    r"|what (?:was|were|is|has been|did (?:they|the \w+|everyone) ) ?(?:decided?|agreed?)\W*$)"
    r"|(?:做|作)(?:出|了).*决定|决定了(?:什么|哪些)\W*$|下一步|待办|任务|分工"
)
_MOST = r"\b(most|least|longest|shortest|loudest|quietest|fastest|slowest|highest|lowest|calmest|biggest|softest)\b|最"
_COUNTED_SPEECH = r"\b(speak|speaks|spoke|spoken|talk|talks|turns?|utterances?|take the floor|say something)\b|发言|说话|讲话"
_PEOPLE = r"\bhow many (different |distinct )?(people|speakers?|participants?|persons?|members|voices|attendees)\b|多少(人|位)|几(个人|位|名|人)|几个(说话人|发言人|参会)"


def operation_of(
    question: str, form: Form, acoustic: tuple[str, ...], *, speakers: bool, window: bool, event: bool
) -> Operation:
    """Return what to compute; ``window``/``event``: whether a time or an event is named."""

    def says(pattern: str) -> bool:
        return re.search(pattern, question, re.IGNORECASE) is not None

    if says(_PEOPLE) and not says(r"\b(agree\w*|support\w*|like\w*|want\w*|vote\w*|mention\w*)\b|同意|支持"):
        return Operation.COUNT_PEOPLE
    if form is Form.HOW_MANY and "overlap" in acoustic:
        return Operation.COUNT_INTERRUPTIONS
    if form is Form.HOW_MANY and says(r"\b(times|often)\b|几次|多少次"):
        if says(
            r"\b(mention\w*|said|say|says|use[ds]?|bring|brought|refer\w*|word|term|come up|comes up|discuss\w*)\b|提到|提及|说到|出现"
        ):
            return Operation.COUNT_MENTIONS
        return Operation.COUNT_TURNS if says(_COUNTED_SPEECH) or speakers else Operation.COUNT_MENTIONS
    if form is Form.HOW_MANY and says(r"\b(turns?|utterances?)\b"):
        return Operation.COUNT_TURNS
    if form is Form.HOW_LONG and "pause" not in acoustic:
        if says(
            r"\bhow long (is|was|did|does|has) (the|this) (whole |entire )?(meeting|recording|call)( last| take| run| go on)?\W*$|会议(持续|开)了多"
        ):
            return Operation.MEETING_TIME
        if says(r"\b(discuss\w*|about|debate\w*|conversation|topic)\b|讨论|谈论|谈了|聊"):
            return Operation.TOPIC_TIME
        return Operation.TALK_TIME if speakers and says(_COUNTED_SPEECH) else Operation.EXTRACT
    if "overlap" in acoustic and says(_MOST):
        return Operation.COUNT_INTERRUPTIONS
    if says(
        r"\bwho (talk\w*|sp[eo]\w*|dominat\w*|said|contribut\w*)\b.*\b(most|least|longest|more)\b|\bdominat\w+\b|谁(说|讲|发言).*最|最(多|少|健谈)"
    ):
        return Operation.TALK_SHARE
    if acoustic and "laugh" not in acoustic and form is Form.WHY:
        return Operation.SOUND_CAUSE
    if acoustic and says(_MOST):
        return Operation.SOUND_EXTREME
    if acoustic:
        return Operation.SOUND_CHECK
    if says(
        r"\bwho (spoke|speaks|talked|talks|opened|opens|started|starts|begins|began|closed|closes) (first|last|the (meeting|discussion|call))|谁(最先|第一个|最后)(发言|说话|讲话)|\bfirst (speaker|person) to speak\b"
    ):
        return Operation.FIRST_SPEAKER
    if says(
        r"\b(which|what|who) (came|comes|was|is|happened)? ?\w* ?(first|earlier|before|later)\b.*\bor\b|\bor\b.*\b(first|earlier)\b|先.*还是|还是.*先"
    ):
        return Operation.WHICH_FIRST
    if says(
        r"\b(first|initially|originally)\b.*\b(mention\w*|brought up|bring\w* up|talk\w*|rais\w+|propos\w+|suggest\w*|discuss\w*|said|say|introduc\w+|came up|come up)\b"
        r"|\b(mention\w*|brought up|raised|discussed|introduced|come up|came up)\b.*\b(first|for the first time)\b|\bfirst to (mention|bring|raise|suggest|propose|say|talk)\b|最先|首先提|第一次|首次|最早"
    ):
        return Operation.FIRST_MENTION
    if says(
        r"\b(last|final) time\b|\b(last|finally|most recently)\b.*\b(mention\w*|discuss\w*|brought up|said|came up|come up)\b|\b(mention\w*|discuss\w*|brought up|come up)\b.*\b(last|for the last time)\b|最后一次|最后提到"
    ):
        return Operation.LAST_MENTION
    if (
        says(
            r"\bwhat (role|position|job)\b|\b(role|profile|expertise|stance|personality|position|responsib\w+)\b.*\b(of|does|did|in)\b|'s (role|job|position|expertise|stance|profile)\b"
            r"|\bdescribe (?!the\b|how\b|what\b)\w+|\bwho is \w+\W*$|\bwhat kind of (person|speaker)\b|角色|职位|职务|立场|画像|是做什么的|负责什么"
        )
        and speakers
    ):
        return Operation.PROFILE
    if form is Form.WHY:
        return Operation.CAUSE
    if says(_REFERENCE):
        return Operation.REFERENT
    if event:
        return Operation.NEXT_TO_EVENT
    if says(_OUTCOMES):
        return Operation.OUTCOMES
    if form is Form.SUMMARY:
        return Operation.SUMMARY
    if window:
        return Operation.IN_WINDOW
    return Operation.EXTRACT


def type_of(question: str, operation: Operation, form: Form) -> tuple[QuestionType, str]:
    """Return the question type and its subtask, by the names of LongAudioQA."""
    types = {
        Operation.COUNT_MENTIONS: (QuestionType.TEMPORAL, "frequency statistics"),
        Operation.COUNT_TURNS: (QuestionType.TEMPORAL, "frequency statistics"),
        Operation.COUNT_PEOPLE: (QuestionType.FACTUAL, "entity retrieval"),
        Operation.COUNT_INTERRUPTIONS: (QuestionType.ACOUSTIC, "cross-modal localisation & cause"),
        Operation.TALK_TIME: (QuestionType.TEMPORAL, "duration"),
        Operation.TALK_SHARE: (QuestionType.TEMPORAL, "duration"),
        Operation.TOPIC_TIME: (QuestionType.TEMPORAL, "duration"),
        Operation.MEETING_TIME: (QuestionType.TEMPORAL, "duration"),
        Operation.FIRST_SPEAKER: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.FIRST_MENTION: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.LAST_MENTION: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.WHICH_FIRST: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.NEXT_TO_EVENT: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.IN_WINDOW: (QuestionType.TEMPORAL, "absolute localisation"),
        Operation.SOUND_EXTREME: (QuestionType.ACOUSTIC, "emotion & intensity"),
        Operation.SOUND_CHECK: (QuestionType.ACOUSTIC, "emotion & intensity"),
        Operation.SOUND_CAUSE: (QuestionType.ACOUSTIC, "cross-modal localisation & cause"),
        Operation.CAUSE: (QuestionType.INFERENTIAL, "causal inference"),
        Operation.REFERENT: (QuestionType.INFERENTIAL, "coreference resolution"),
        Operation.OUTCOMES: (QuestionType.SUMMARIZATION, "topic summarisation"),
        Operation.SUMMARY: (QuestionType.SUMMARIZATION, "topic summarisation"),
        Operation.PROFILE: (QuestionType.SUMMARIZATION, "speaker profiling"),
    }
    if operation in types:
        return types[operation]
    if form is Form.WHEN:
        return QuestionType.TEMPORAL, "absolute localisation"
    if re.search(
        r"\b(think|thought|feel|felt|opinion\w*|attitude|stance|agree\w*|disagree\w*|support\w*|oppose\w*|view)\b|看法|态度|同意|反对|认为|觉得",
        question,
        re.IGNORECASE,
    ):
        return QuestionType.INFERENTIAL, "stance analysis"
    if re.search(r"\b(refer\w* to|mean by|meant by|stand for)\b|指的是", question, re.IGNORECASE):
        return QuestionType.INFERENTIAL, "coreference resolution"
    if form in (Form.WHO, Form.WHERE, Form.HOW_MANY):
        return QuestionType.FACTUAL, "entity retrieval"
    return QuestionType.FACTUAL, "attribute association" if form in (
        Form.HOW,
        Form.YES_NO,
    ) else "keyword locating"
