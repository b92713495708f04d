"""Which emotions and which sounds beside speech a question asks about, English and Mandarin."""

from __future__ import annotations

import re

from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.wording import says
from grga.agent.steps import Form
from grga.types import Meeting

MOODS: dict[str, str] = {
    "angry": r"\b(?:angr(?:y|ily|ier|iest)|anger|annoy\w*|irritat\w*|frustrat\w*|furious\w*|upset|unhapp\w+)\b"
    r"|生气|愤怒|恼火|发火|气愤|不高兴|不开心|不满|不耐烦",
    "happy": r"\b(?:happ(?:y|ily|ier|iest|iness)|joy\w*|cheerful\w*|delight\w*|pleased|glad)\b"
    r"|(?<!不)高兴|(?<!不)开心|快乐|愉快",
    "sad": r"\b(?:sad(?:ly|der|dest|ness)?|upset|unhapp\w+|disappoint\w*|depressed|gloomy)\b"
    r"|难过|悲伤|伤心|沮丧|失望|不高兴|不开心",
    "fearful": r"\b(?:afraid|fear(?:ful\w*)?|scared|frightened|anxious\w*|anxiety)\b|害怕|恐惧|焦虑",
    "surprised": r"\b(?:surpris\w+|astonish\w+|amazed|shocked)\b|惊讶|吃惊|惊奇|震惊|意外",
    "disgusted": r"\bdisgust\w*\b|厌恶|反感",
}
"""Label of an emotion model -> ways to ask for it; a word may stand for several ("upset")."""

SOUNDS: dict[str, str] = {
    "laughter": r"\b(?:laugh\w*|giggl\w*|chuckl\w*)\b|(?<!好)(?<!玩)笑(?![话点脸容料])",
    "applause": r"\b(?:applau\w*|clap(?:s|ped|ping)?)\b|鼓掌|掌声|拍手",
    "cough": r"\bcough\w*\b|咳",
    "crying": r"\b(?:cr(?:y|ies|ied|ying)|sob(?:s|bed|bing)?)\b|哭",
    "sneeze": r"\bsneez\w*\b|打?喷嚏",
}
"""Sound beside speech -> ways to ask for it."""

_ANY_MOOD = re.compile(
    r"\b(?:emotions?|moods?|emotional(?:ly)?)\b|情绪|心情",
    re.IGNORECASE,
)
_AROUND = (
    r"\b(?:sound\w*|voices?|tone|in the room|atmosphere|heard?|hear|clear(?:ly)?|loud(?:ly)?|strong(?:ly|est)?|out loud|when"
    r"|show(?:s|ed|n)?|express\w*)\b"
    r"|听起来|听上去|听到|声音|语气|气氛|表现|显得|感到|露出|一起|场上|现场|最|怎么样|怎样"
)
_OF_A_VOICE = re.compile(
    r"\b(?:sound\w*|voices?|tone|who|whose|which (?:speaker|person|participant)|what (?:emotions?|moods?)"
    r"|any(?:one|body)|some(?:one|body)|every(?:one|body)|no(?:body| one)|the (?:group|team|mood))\b"
    r"|听起来|声音|语气|谁|哪(?:一)?(?:位|个人)|有人|大家|什么情绪|哪些情绪",
    re.IGNORECASE,
)


def moods_asked(question: str) -> tuple[str, ...]:
    """Return the emotions that the question's words name, as labels."""
    return tuple(mood for mood, ways in MOODS.items() if re.search(ways, question, re.IGNORECASE))


def any_mood_asked(question: str) -> bool:
    """Return whether the question asks for emotions in general ("What was the mood?")."""
    return _ANY_MOOD.search(question) is not None


def sounds_asked(question: str) -> tuple[str, ...]:
    """Return the sounds beside speech that the question's words name."""
    return tuple(sound for sound, ways in SOUNDS.items() if re.search(ways, question, re.IGNORECASE))


def asks_mood(question: str, *, speakers: bool) -> bool:
    """Return whether the question is about how the people of the meeting felt, as far as one hears it.

    "Is the client happy with the case?" is about what was said: it names no voice.
    """
    if not (moods_asked(question) or any_mood_asked(question)):
        return False
    return speakers or _OF_A_VOICE.search(question) is not None


def moods_measured(meeting: Meeting) -> bool:
    """Return whether an emotion model listened to this meeting."""
    return any(one.acoustics is not None and one.acoustics.emotion is not None for one in meeting.utterances)


def operation_on_feelings(
    question: str,
    form: Form,
    acoustic: tuple[str, ...],
    operation: Operation,
    speakers: tuple[str, ...],
    meeting: Meeting,
) -> Operation:
    """Return what to compute, where models listened: ``operation`` unless it asks for an emotion or a sound.

    Why somebody sounds so is traced back as for any other sound.
    """
    if form is Form.SUMMARY or (form is Form.HOW_MANY and says(question, "mentioned")):
        return operation
    if "laugh" in acoustic and sounds_asked(question):
        return Operation.SOUNDS
    if asks_mood(question, speakers=bool(speakers)) and moods_measured(meeting):
        return Operation.SOUND_CAUSE if form is Form.WHY else Operation.MOODS
    return operation


def bare_of_feelings(question: str) -> str:
    """Return the question without its emotions, sounds and the words around them: what remains is a topic."""
    for ways in (*MOODS.values(), *SOUNDS.values(), _ANY_MOOD.pattern, _AROUND):
        question = re.sub(ways, " ", question, flags=re.IGNORECASE)
    return question
