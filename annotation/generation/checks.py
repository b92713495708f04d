"""What a program can see wrong with a question before a person looks: one function per check.

Every function takes an item, its meeting and the other items, and returns a :class:`Check` with a reason in
one sentence. ``CHECKS`` is the table; :func:`check` runs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.generation.dedup import find_twin
from annotation.generation.sounds import backed, gives_away
from annotation.schema import SUBTASKS, QAItem
from grga.agent.policies.offline.classify import acoustic_conditions
from grga.agent.policies.offline.people import find_speakers
from grga.agent.policies.offline.times import find_times
from grga.agent.steps import QuestionType
from grga.scopes import clock
from grga.store import IndexedMeeting
from grga.text import content_terms, is_backchannel
from grga.types import TimeSpan, Utterance

SLACK = 2.0
"""Seconds by which a time in an answer may miss the evidence."""
LONG_QUOTE = 4
"""Words from which a quotation in the question gives an answer away that repeats it."""

_QUOTED = re.compile(r"[“\"「]([^”\"」]+)[”\"」]")
_CLOCK = re.compile(r"(?<![\d:])(?:\d{1,2}:)?\d{1,3}:\d{2}(?![\d:])")


@dataclass(frozen=True, slots=True)
class Check:
    """One check's result; ``reason`` says in one sentence what was found."""

    name: str
    passed: bool
    reason: str


def evidence_exists(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """The evidence names utterances of this meeting, each once, within their times."""
    name, said = "evidence exists", meeting.meeting.utterances
    unknown = [one.utt_id for one in item.evidence if one.utt_id >= len(said)]
    if unknown:
        return Check(name, False, f"the meeting has no utterance {_list(unknown)}")
    if len(set(item.evidence_nodes)) < len(item.evidence):
        return Check(name, False, "an utterance stands twice in the evidence")
    outside = [one.utt_id for one in item.evidence if not one.span.touches(said[one.utt_id].span)]
    if outside:
        return Check(name, False, f"the marked time of utterance {_list(outside)} lies outside of it")
    if not item.evidence and item.answerable:
        return Check(name, False, "there is no evidence")
    return Check(name, True, f"{len(item.evidence)} utterances, all there")


def quotes_are_said(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """What the evidence repeats, and what question and answer put between quotation marks, was said."""
    name = "quotes are said"
    said = meeting.meeting.utterances
    texts = {one.utt_id: one.text for one in item.evidence if one.utt_id < len(said)}
    wrong = [id for id, text in texts.items() if _plain(text) not in _plain(said[id].text)]
    if wrong:
        return Check(name, False, f"utterance {_list(wrong)} has other words than the evidence says")
    everything = _plain(" ".join(one.text for one in said))
    for quote in _QUOTED.findall(f"{item.question} {item.answer}"):
        if _plain(quote).strip("….,!?。，！？") not in everything:
            return Check(name, False, f"nobody says “{_short(quote)}”")
    return Check(name, True, "every quotation is in the transcript")


def answer_not_in_question(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """The question does not tell its own answer."""
    name, question = "answer not in the question", item.question
    offers = re.search(r"\bor\b|还是|\?\s*\(", question) or re.match(
        r"\W*(?:is|are|was|were|do|does|did|has|have|can|will)\b", question, re.IGNORECASE
    )
    if offers or question.rstrip("？?").endswith("吗"):
        return Check(name, True, "the question offers the answers it asks to choose from")
    asked = _plain(question)
    for quote in _QUOTED.findall(item.answer):
        core = _plain(quote).strip("….,!?。，！？")
        if _size(core) >= LONG_QUOTE and core in asked:
            return Check(name, False, f"the question holds the answer's words “{_short(quote)}”")
    given = set(find_speakers(_QUOTED.sub(" ", question), meeting.meeting))
    if re.match(r"\W*who\b|.*谁", question, re.IGNORECASE):
        answered = _first_named(item.answer, meeting)
        if answered is not None and answered in given and len(meeting.meeting.speakers) > 1:
            return Check(name, False, "the question names the person it asks for")
    bare = _QUOTED.sub(" ", item.answer)
    telling = set(content_terms(_without_names(bare, meeting)))
    if telling and not _QUOTED.search(item.answer) and telling <= set(content_terms(question)):
        return Check(name, False, "every word of the answer stands in the question")
    return Check(name, True, "the answer adds something to the question")


def not_a_duplicate(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """No other item about this meeting asks the same."""
    twin = find_twin(item, others, meeting.encoder)
    if twin is None:
        return Check("not a duplicate", True, "no other question asks the same")
    reason = f"asks the same as “{_short(twin.item.question)}” (cosine {twin.cosine:.2f})"
    return Check("not a duplicate", False, reason)


def not_about_backchannels(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """The question is not about a mere "mm-hmm"; such a turn may support an answer beside others."""
    name = "not about a backchannel"
    for quote in _QUOTED.findall(item.question):
        if is_backchannel(quote):
            return Check(name, False, f"“{_short(quote)}” only signals listening")
    if item.evidence and all(is_backchannel(one.text) for one in item.evidence):
        return Check(name, False, "all the evidence only signals listening")
    return Check(name, True, "the evidence says something")


def times_fit(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """Times in the question touch the evidence, and times in the answer lie in it."""
    name, duration = "times fit the evidence", meeting.meeting.duration
    spans = [one.span.widened(SLACK) for one in _evidence(item, meeting)]
    if not spans:
        return Check(name, True, "there is no evidence to compare with")
    for time in find_times(_QUOTED.sub(" ", item.question), duration):
        if time.span is None:
            continue
        if time.span.start > duration:
            return Check(name, False, f"“{time.text.strip()}” is after the meeting's end ({clock(duration)})")
        if not any(time.span.touches(span) for span in spans):
            return Check(name, False, f"none of the evidence lies at “{time.text.strip()}”")
    whole = TimeSpan(min(span.start for span in spans), max(span.end for span in spans))
    for text in _CLOCK.findall(_QUOTED.sub(" ", item.answer)):
        moment = _seconds(text)
        stretch = item.type is QuestionType.SUMMARIZATION and moment <= duration
        if not stretch and not whole.touches(TimeSpan(moment, moment)):
            return Check(name, False, f"{text} in the answer lies outside of the evidence")
    return Check(name, True, "the times agree with the evidence")


def speakers_fit(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """Whoever is named speaks in the evidence or is named there, and the evidence has the right speakers."""
    name, evidence = "speakers fit the evidence", _evidence(item, meeting)
    said = meeting.meeting
    for one in item.evidence:
        if one.utt_id < len(said.utterances):
            shown = said.name_of(said.utterances[one.utt_id])
            if one.speaker not in (shown, said.utterances[one.utt_id].speaker):
                reason = f"utterance {one.utt_id} is spoken by {shown}, not by {one.speaker}"
                return Check(name, False, reason)
    if not evidence:
        return Check(name, True, "there is no evidence to compare with")
    text = " ".join(one.text for one in evidence)
    for id in find_speakers(_QUOTED.sub(" ", f"{item.question} {item.answer}"), said):
        speaker = said.speaker(id)
        if all(one.speaker != id for one in evidence) and speaker.name.casefold() not in text.casefold():
            return Check(name, False, f"{speaker.name} neither speaks nor is named in the evidence")
    return Check(name, True, "everybody named is in the evidence")


def sound_is_measured(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """What an acoustic question claims about a sound is what was measured; no emotion is presupposed."""
    name = "sound is measured"
    if item.type is not QuestionType.ACOUSTIC:
        return Check(name, True, "not an acoustic question")
    problem = backed(item, meeting)
    return Check(name, problem is None, problem or "the measurements say so")


def hearing_fits(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """An acoustic question cannot be answered from the transcript alone; every other one can."""
    name = "needs its ears, or none"
    asks = acoustic_conditions(_QUOTED.sub(" ", item.question))
    if item.type is not QuestionType.ACOUSTIC:
        if asks and not gives_away(item, meeting, asks):
            return Check(name, False, f"it asks how something sounded ({', '.join(asks)})")
        return Check(name, True, "it can be answered without listening")
    if not asks:
        return Check(name, False, "it does not ask about a sound, so the transcript answers it")
    telling = gives_away(item, meeting, asks)
    if telling is not None:
        return Check(name, False, f"the transcript gives it away: “{_short(telling)}”")
    return Check(name, True, "it has to be heard")


def subtask_fits(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem]) -> Check:
    """The question asks what its subtask says."""
    name = "subtask fits"
    if item.subtask not in SUBTASKS[item.type]:
        return Check(name, False, f"{item.type} has no subtask “{item.subtask}”")
    wording = _SUBTASK_WORDS.get(item.subtask)
    unquoted = _QUOTED.sub(" … ", item.question)
    if wording is not None and not re.search(wording, unquoted, re.IGNORECASE):
        return Check(name, False, f"nothing in the question asks for {item.subtask}")
    if item.subtask == "coreference resolution" and not _QUOTED.search(item.question):
        return Check(name, False, "the words whose meaning is asked for are not quoted")
    return Check(name, True, f"it asks for {item.subtask}")


Checking = Callable[[QAItem, IndexedMeeting, Sequence[QAItem]], Check]
CHECKS: dict[str, Checking] = {
    "evidence exists": evidence_exists,
    "quotes are said": quotes_are_said,
    "answer not in the question": answer_not_in_question,
    "not a duplicate": not_a_duplicate,
    "not about a backchannel": not_about_backchannels,
    "times fit the evidence": times_fit,
    "speakers fit the evidence": speakers_fit,
    "sound is measured": sound_is_measured,
    "needs its ears, or none": hearing_fits,
    "subtask fits": subtask_fits,
}
"""The name under which each check is shown, and its function."""

_SUBTASK_WORDS = {
    "frequency statistics": r"\bhow (?:many|often)\b|\bnumber of\b|几次|多少|几",
    "duration": r"\bhow (?:long|much time|many (?:minutes|seconds))\b|\bduration\b|多久|多长|过了",
    "absolute localisation": r"\bwhen\b|\bwhat time\b|\bat which (?:time|minute|moment|point)\b|\d:\d\d|\bminutes?\b|什么时候|几分|时候",
    "relative sequencing": r"\b(?:first|last|before|after|next|earlier|later|follow\w*|then|previous\w*|preced\w*|between|order)\b"
    r"|先|后|之前|接着|第一|最早",
    "causal inference": r"\b(?:why|reasons?|causes?|caused|lead\w*|led|because|makes?|made|prompt\w*|results?|consequences?|explain\w*)\b"
    r"|为什么|原因|导致|是在回答|为何",
    "coreference resolution": r"\b(?:refers?|referring|mean\w*|stands? for|who is|what is|which)\b|指",
    "stance analysis": r"\b(?:agree\w*|disagree\w*|object\w*|oppos\w*|support\w*|think\w*|feel\w*|opinion|stance|attitude|view|react\w*|respond\w*"
    r"|favou?r\w*|like\w*|prefer\w*|convinced|position|sceptical|reluctant)\b|同意|反对|看法|态度|回应|认为|支持",
    "speaker profiling": r"\b(?:role|describe|profile|part|contribut\w*|talks?|speaks?|who|person|responsib\w*|expert\w*|style)\b"
    r"|角色|描述|谁|负责|贡献",
}


def check(item: QAItem, meeting: IndexedMeeting, others: Sequence[QAItem] = ()) -> tuple[Check, ...]:
    """Return the result of every check of ``CHECKS``, in their order."""
    return tuple(function(item, meeting, others) for function in CHECKS.values())


def _evidence(item: QAItem, meeting: IndexedMeeting) -> list[Utterance]:
    said = meeting.meeting.utterances
    return [said[one.utt_id] for one in item.evidence if one.utt_id < len(said)]


def _first_named(text: str, meeting: IndexedMeeting) -> str | None:
    return next(iter(find_speakers(_QUOTED.sub(" ", text), meeting.meeting)), None)


def _without_names(text: str, meeting: IndexedMeeting) -> str:
    for speaker in meeting.meeting.speakers:
        text = text.replace(speaker.name, " ")
    return _CLOCK.sub(" ", text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _size(text: str) -> int:
    return len(text.split()) if text.isascii() else len(text)


def _seconds(text: str) -> float:
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return float(total)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _list(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids))
