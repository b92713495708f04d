"""Questions about what was said, by whom, and with which amounts and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotation.generation.offline.draft import Draft
from annotation.generation.offline.facts import Facts
from annotation.generation.offline.wording import at, cut, say
from annotation.schema import AnswerKey
from grga.agent.steps import QuestionType
from grga.types import Utterance

_MONEY = re.compile(
    r"(?:[$€£¥]\s?\d[\d,.]*\d|\b\d[\d,.]*(?: (?:hundred|thousand|million))?|\b(?:ten|eleven|twelve|fifteen|twenty(?:[ -]five)?"
    r"|twenty[ -]five|thirty|forty|fifty|sixty|a hundred|two hundred|fifty million)) (?:pounds?|euros?|dollars?|cents?)\b"
    r"|[一二两三四五六七八九十百千万\d]+(?:块钱|块|元|欧元)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:the )?\d{1,2}(?:st|nd|rd|th)(?: of (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December))?\b|\b(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b"
    r"|\b\d{1,2} o'clock\b|星期[一二三四五六日天](?:上午|下午|晚上)?[一二三四五六七八九十]*点?",
    re.IGNORECASE,
)


def who_says(facts: Facts) -> Iterator[Draft]:
    """Who says a phrase that is said once."""
    for one in facts.telling:
        quote = facts.quote(one)
        if quote is None:
            continue
        yield Draft(
            QuestionType.FACTUAL,
            "keyword locating",
            say(facts.language, "who_says", quote=quote),
            say(facts.language, "who_says.a", name=facts.name(one.speaker), time=at(one.start)),
            (one.id,),
            AnswerKey(speakers=(one.speaker,), utterances=(one.id,)),
            say(facts.language, "who_says.r"),
        )


def said_about(facts: Facts) -> Iterator[Draft]:
    """What is said about a thing, and who speaks of it, where only one turn does."""
    for number, (word, places) in enumerate(sorted(facts.nouns.items())):
        said = [facts.meeting.utterances[id] for id in sorted(places)]
        if len(said) != 1 or said[0] not in facts.telling:
            continue
        one, name = said[0], facts.name(said[0].speaker)
        key = "about" if number % 2 else "who_word"
        yield Draft(
            QuestionType.FACTUAL,
            "entity retrieval",
            say(facts.language, key, name=name, word=word),
            say(facts.language, f"{key}.a", name=name, time=at(one.start), text=cut(_around(one, word))),
            (one.id,),
            AnswerKey(utterances=(one.id,), speakers=(one.speaker,) if key == "who_word" else ()),
            say(facts.language, f"{key}.r"),
        )


def values(facts: Facts) -> Iterator[Draft]:
    """Which amount or date somebody names in the only remark of theirs with a certain word."""
    for key, pattern in (("amount", _MONEY), ("date", _DATE)):
        for one in facts.telling:
            named = {match[0].strip(): match.start() for match in pattern.finditer(one.text)}
            words = [word for word, places in facts.nouns.items() if one.id in places]
            lonely = [word for word in words if _only(facts, word, one) and word not in str(named).lower()]
            if len(named) != 1 or not lonely:
                continue
            [(value, place)] = named.items()
            text, name = one.text.lower(), facts.name(one.speaker)
            word = min(lonely, key=lambda word: (abs(text.find(word) - place), word))  # likely what it is for
            yield Draft(
                QuestionType.FACTUAL,
                "attribute association",
                say(facts.language, key, name=name, word=word),
                say(
                    facts.language,
                    "named.a",
                    value=value,
                    time=at(one.start),
                    text=cut(_around(one, value)),
                ),
                (one.id,),
                AnswerKey(words=(value,), utterances=(one.id,)),
                say(facts.language, "named.r", name=name),
            )


MAKERS = (who_says, said_about, values)


def _only(facts: Facts, word: str, one: Utterance) -> bool:
    return not any(other.id in facts.nouns[word] for other in facts.turns[one.speaker] if other.id != one.id)


def _around(one: Utterance, word: str) -> str:
    """Return a long turn from the sentence that holds ``word`` on, word for word."""
    place = one.text.lower().find(word.lower())
    begin = max(one.text.rfind(mark, 0, place) for mark in ".?!。？！")
    return one.text[begin + 1 :].strip() if len(one.text) > 200 and begin > 0 else one.text
