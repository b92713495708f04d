"""What kind of question it is: type, subtask, form, acoustic conditions, and what to compute.

Rules over the question's words alone, English and Mandarin, first match wins.
"""

from __future__ import annotations

import re
from enum import StrEnum

from grga.agent.policies.offline.wording import says
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
    LONGEST_TURN = "longest turn"
    TIME_BETWEEN = "time between two moments"
    FIRST_SPEAKER = "first speaker"
    FIRST_MENTION = "first mention"
    LAST_MENTION = "last mention"
    WHICH_FIRST = "which came first"
    IN_WINDOW = "said in a window"
    NEXT_TO_EVENT = "said after or before an event"
    SOUND_EXTREME = "loudest, quietest, fastest"
    SOUND_CAUSE = "cause of a sound"
    SOUND_CHECK = "how it sounded"
    MOODS = "emotions that a model heard"
    SOUNDS = "laughter and other sounds"
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
    "excited": r"\bhow (?:did|does|do) [\w ]+? sound\b|\b(excited|excitement|agitated|agitation|emotional(ly)?|upset|angry|anger|annoyed|irritated|frustrat\w+|enthusias\w+|animated|heated"
    r"|calm(ly|est)?|nervous|sad(ly)?|happy|tone( of voice)?|emotions?)\b|激动|生气|愤怒|兴奋|情绪|语气|平静|不满|不耐烦",
    "pitch": r"\b(pitch|high[- ]pitched|intonation)\b|音调|音高|声调",
    "fast": r"\b(fast(er|est)?|quick(ly|er|est)|speaking rate|speech rate|slow(er|est|ly)?|rush(ed|ing)?)\b|语速|说得(很)?快|说得(很)?慢|最快|最慢",
    "pause": r"\b(paus(e|es|ed)|silences?|hesitat\w+|gap)\b|停顿|沉默|犹豫|安静",
    "overlap": r"\b(interrupt\w*|overlap\w*|(talk(s|ed|ing)?|spoke|speak(s|ing)?) over (him|her|them|me|each other|one another|somebody|someone|(?-i:[A-Z])\w+)|cut(s|ting)? (him|her|them|\w+) off|at the same time|simultaneous\w*)\b|打断|插话|抢话|同时说|重叠",
    "laugh": r"\b(laugh\w*|giggl\w*|chuckl\w*|cough\w*|sigh\w*|cr(y|ies|ied|ying)|sneez\w*|applau\w*|clap(s|ped|ping)?)\b"
    r"|笑声|大笑|发笑|[谁人家起]笑|笑了|咳嗽|叹气|哭|掌声|鼓掌|喷嚏",
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


def operation_of(
    question: str, form: Form, acoustic: tuple[str, ...], *, speakers: bool, window: bool, event: bool
) -> Operation:
    """Return what to compute; ``window``/``event``: whether a time or an event is named."""
    counted = _counted(question, form, acoustic, speakers)
    if counted is not None:
        return counted
    if acoustic:
        return _heard(question, form, acoustic)
    for wording, operation in _ORDERED:
        if says(question, wording):
            return operation
    if says(question, "portrait") and speakers:
        return Operation.PROFILE
    if form is Form.WHY:
        return Operation.CAUSE
    if says(question, "reference"):
        return Operation.REFERENT
    if event:
        return Operation.NEXT_TO_EVENT
    if says(question, "outcomes"):
        return Operation.OUTCOMES
    if form is Form.SUMMARY:
        return Operation.SUMMARY
    return Operation.IN_WINDOW if window else Operation.EXTRACT


_ORDERED = (
    ("first to speak", Operation.FIRST_SPEAKER),
    ("which first", Operation.WHICH_FIRST),
    ("first mention", Operation.FIRST_MENTION),
    ("last mention", Operation.LAST_MENTION),
)


def _counted(question: str, form: Form, acoustic: tuple[str, ...], speakers: bool) -> Operation | None:
    """Return the count or length that is asked for, if one is."""
    if says(question, "people counted") and not says(question, "people choosing"):
        return Operation.COUNT_PEOPLE
    if "overlap" in acoustic and (form is Form.HOW_MANY or says(question, "most")):
        return Operation.COUNT_INTERRUPTIONS
    if form is Form.HOW_MANY and says(question, "times"):
        turns = not says(question, "mentioned") and (speakers or says(question, "speaking"))
        return Operation.COUNT_TURNS if turns else Operation.COUNT_MENTIONS
    if form is Form.HOW_MANY and says(question, "turns"):
        return Operation.COUNT_TURNS
    if says(question, "longest turn"):
        return Operation.LONGEST_TURN
    if form is Form.HOW_LONG and says(question, "time between"):
        return Operation.TIME_BETWEEN
    if form is Form.HOW_LONG and "pause" not in acoustic:
        if says(question, "whole meeting's length"):
            return Operation.MEETING_TIME
        if says(question, "discussing"):
            return Operation.TOPIC_TIME
        return Operation.TALK_TIME if speakers and says(question, "speaking") else Operation.EXTRACT
    return Operation.TALK_SHARE if says(question, "talks most") else None


def _heard(question: str, form: Form, acoustic: tuple[str, ...]) -> Operation:
    """Return what is asked about a sound: what caused it, the most of it, or whether it was there."""
    if form is Form.WHY and "laugh" not in acoustic:
        return Operation.SOUND_CAUSE
    return Operation.SOUND_EXTREME if says(question, "most") else Operation.SOUND_CHECK


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
        Operation.LONGEST_TURN: (QuestionType.TEMPORAL, "duration"),
        Operation.TIME_BETWEEN: (QuestionType.TEMPORAL, "duration"),
        Operation.FIRST_SPEAKER: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.FIRST_MENTION: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.LAST_MENTION: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.WHICH_FIRST: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.NEXT_TO_EVENT: (QuestionType.TEMPORAL, "relative sequencing"),
        Operation.IN_WINDOW: (QuestionType.TEMPORAL, "absolute localisation"),
        Operation.SOUND_EXTREME: (QuestionType.ACOUSTIC, "emotion & intensity"),
        Operation.SOUND_CHECK: (QuestionType.ACOUSTIC, "emotion & intensity"),
        Operation.MOODS: (QuestionType.ACOUSTIC, "emotion & intensity"),
        Operation.SOUNDS: (QuestionType.ACOUSTIC, "emotion & intensity"),
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
    if says(question, "stance"):
        return QuestionType.INFERENTIAL, "stance analysis"
    if form in (Form.WHO, Form.WHERE, Form.HOW_MANY):
        return QuestionType.FACTUAL, "entity retrieval"
    return QuestionType.FACTUAL, "attribute association" if form in (
        Form.HOW,
        Form.YES_NO,
    ) else "keyword locating"
