"""f_ref: is the draft supported, does it meet the question's limits, and is it to the point? 1 to 5."""

from __future__ import annotations

import re

from grga.agent.policies.offline.answers.cause import has_cue
from grga.agent.policies.offline.answers.naming import has_name
from grga.agent.policies.offline.answers.people import asks_who_speaks, doer
from grga.agent.policies.offline.answers.replies import question_before
from grga.agent.policies.offline.answers.summary import asks_role, told_role
from grga.agent.policies.offline.answers.verdict import asks_for_denial
from grga.agent.policies.offline.case import CLOSE, Case
from grga.agent.policies.offline.classify import Operation
from grga.agent.policies.offline.kinds import asks_for_moment, holds, kind_asked
from grga.agent.policies.offline.phrases import phrase, shown
from grga.agent.policies.offline.support import ENOUGH, PLENTY, support_of
from grga.agent.steps import Draft, Form, Reflection
from grga.text import content_terms

ROUNDS_FOR_ABSENCE = 2
"""Different searches that must have found nothing before "the meeting does not say" is accepted."""

_COMPUTED = {
    Operation.COUNT_MENTIONS,
    Operation.COUNT_TURNS,
    Operation.COUNT_PEOPLE,
    Operation.COUNT_INTERRUPTIONS,
    Operation.TALK_TIME,
    Operation.TALK_SHARE,
    Operation.MEETING_TIME,
    Operation.LONGEST_TURN,
    Operation.TIME_BETWEEN,
    Operation.FIRST_SPEAKER,
    Operation.WHICH_FIRST,
    Operation.SOUND_EXTREME,
    Operation.SOUND_CHECK,
    Operation.MOODS,
    Operation.SOUNDS,
    Operation.PROFILE,
    Operation.FIRST_MENTION,
    Operation.LAST_MENTION,
    Operation.NEXT_TO_EVENT,
    Operation.OUTCOMES,
    Operation.REFERENT,
}


_BY_MODEL = {Operation.MOODS, Operation.SOUNDS}
"""Computed from what models heard everywhere: "nobody laughs" answers "who" and "when" too."""

_BY_WORDS = {Operation.FIRST_MENTION, Operation.LAST_MENTION, Operation.REFERENT}
"""Computed from the question's words, which must therefore be there."""


def reflect(case: Case, draft: Draft) -> Reflection:
    """Score the draft; each fault costs points and names what is missing."""
    if not draft.found:
        return _reflect_absence(case, draft)
    faults: list[tuple[float, str]] = []
    missing: list[str] = []
    weak = _weak(case, draft)
    _check_limits(case, draft, faults, missing)
    _check_form(case, draft, faults, missing)
    if case.reading.operation not in _COMPUTED - _BY_WORDS:
        _check_support(case, draft, faults, missing)
    if weak:
        share = len(weak) / max(len(draft.cited), 1)
        faults.append((0.3 + share, f"{len(weak)} citations are far from the best passage"))
    score = max(1.0, round(5.0 - sum(cost for cost, _ in faults), 2))
    critique = "; ".join(text for _, text in faults) or "supported, complete and to the point"
    return Reflection(draft.round, score, critique, tuple(missing), weak)


def _reflect_absence(case: Case, draft: Draft) -> Reflection:
    """Accept "the meeting does not say" once different searches agree."""
    searches = len(case.belief.rounds)
    if (
        case.reading.operation in _COMPUTED
        and searches >= 1
        and case.reading.operation is not Operation.NEXT_TO_EVENT
    ):
        return Reflection(draft.round, 4.0, "everything was looked at and nothing fits")
    if searches >= ROUNDS_FOR_ABSENCE:
        return Reflection(draft.round, 4.0, f"{searches} different searches found nothing about it")
    lacking = tuple(
        shown(case.belief.question, term) for term in case.terms if case.indexed.bm25.idf(term) == 0.0
    )
    return Reflection(draft.round, 2.0, "one search is not enough to say that nothing is there", lacking)


def _check_limits(case: Case, draft: Draft, faults: list[tuple[float, str]], missing: list[str]) -> None:
    """The speaker and the time that the question names must be among the citations."""
    cited = [case.utterance(id) for id in draft.cited]
    lacking = [id for id in case.speakers if not any(one.speaker == id for one in cited)]
    if lacking and case.reading.operation not in {
        Operation.COUNT_INTERRUPTIONS,
        Operation.SOUND_CHECK,
        *_BY_MODEL,
    }:
        names = ", ".join(case.meeting.speaker(id).name for id in lacking)
        faults.append((1.5, f"nothing that {names} says is cited"))
        missing.append(f"what {names} says")
    window = case.window
    if window is not None and not any(window.touches(one.span) for one in cited):
        faults.append((2.0, "nothing from the time in question is cited"))
        missing.append("the time in question")


def _check_form(case: Case, draft: Draft, faults: list[tuple[float, str]], missing: list[str]) -> None:
    """A "who" must name a person, "how many" a number, "why" a cause."""
    form, operation = case.reading.constraints.metadata.form, case.reading.operation
    text = " ".join(sentence.text for sentence in draft.sentences)
    if operation in _BY_MODEL:
        return
    if form is Form.WHO and not any(speaker.name in text for speaker in case.meeting.speakers):
        faults.append((1.5, "no person is named"))
        missing.append("a person")
    elif (
        form is Form.WHO
        and operation is Operation.EXTRACT
        and not (case.speakers or asks_who_speaks(case.belief.question) or _names_doer(case, draft))
    ):
        faults.append((1.2, "it is not said who"))
        missing.append("a person")
    if form is Form.YES_NO and operation is Operation.EXTRACT and not _is_verdict(case, draft):
        faults.append((1.2, "nobody says yes or no to it in so many words"))
    kind = kind_asked(case.belief.question, form) if operation is Operation.EXTRACT else None
    told = " ".join([text, *(case.utterance(id).text for id in draft.cited)])
    given = has_name(case, list(draft.cited)) if kind == "name" else kind is None or holds(kind, told)
    if not given:
        faults.append((1.2, f"no {kind} is given"))
        missing.append(f"a {kind}")
    if form is Form.WHEN and asks_for_moment(case.belief.question) and not re.search(r"\d:\d\d", text):
        faults.append((1.5, "no time is given"))
        missing.append("a time")
    if operation is Operation.PROFILE and asks_role(case.belief.question) and not told_role(case):
        faults.append((1.2, "the role is not stated"))
        missing.append("the role")
    denied = form is not Form.WHY and operation is Operation.EXTRACT and asks_for_denial(case.belief.question)
    if denied and not _is_verdict(case, draft):
        faults.append((1.2, "the question has a “not”: whether the citations deny it is not checked"))
    if operation is Operation.REFERENT and len(draft.cited) < 2 and len(case.belief.rounds) == 1:
        faults.append((2.0, "the remark is found, not what it refers to"))
        missing.append("what it refers to")
    if operation is Operation.CAUSE and not any(has_cue(case.utterance(id).text) for id in draft.cited):
        faults.append((1.2, "no reason is stated in what is cited"))
        missing.append("a reason")
    if operation is Operation.SOUND_CAUSE and len(draft.cited) < 3 and len(case.belief.rounds) == 1:
        faults.append((2.0, "the sound is found, what led to it is not traced"))
        missing.append("what it reacts to")


def _names_doer(case: Case, draft: Draft) -> bool:
    named = draft.sentences[0].text
    doers = [doer(case, case.utterance(id)) for id in draft.sentences[0].citations]
    return any(id is not None and case.meeting.speaker(id).name in named for id in doers)


def _is_verdict(case: Case, draft: Draft) -> bool:
    return draft.sentences[0].text in {phrase(case.language, key) for key in ("yes", "no")}


SLIGHT = 1.0
"""A fault that costs less still leaves a verified answer, and is said mildly."""


def _check_support(case: Case, draft: Draft, faults: list[tuple[float, str]], missing: list[str]) -> None:
    """What the question names must be said by, or right around, what is cited."""
    terms = _constraining_terms(case)
    if not terms:
        return
    support = support_of(case, draft.cited, terms)
    cost = (PLENTY - support.value) / (PLENTY - ENOUGH)
    if cost <= 0:
        return
    if support.lacking:
        never = [term for term in support.lacking if case.indexed.bm25.idf(term) == 0.0]
        words = ", ".join(shown(case.belief.question, term) for term in support.lacking)
        aside = "" if not never else " (never said in this meeting)" if never == list(support.lacking) else ""
        faults.append((min(cost, 3.0), f"not said in or around the citations: {words}{aside}"))
        missing.extend(shown(case.belief.question, term) for term in support.lacking)
    else:
        how = "have little to do with" if cost > SLIGHT else "do not hold every word of"
        faults.append((min(cost, 3.0), f"the citations {how} the question"))


def _constraining_terms(case: Case) -> tuple[str, ...]:
    """Return the terms that the citations must cover; a quoted remark must be there in its own words."""
    if case.reading.operation is Operation.REFERENT:
        return tuple(dict.fromkeys(content_terms(" ".join(case.reading.focus.quoted))))
    return case.reading.focus.terms


def _weak(case: Case, draft: Draft) -> tuple[int, ...]:
    """Citations of a search answer whose relevance is far below the best cited one's."""
    if (
        case.reading.operation not in (Operation.EXTRACT, Operation.SUMMARY, Operation.CAUSE)
        or not case.terms
    ):
        return ()
    scores = case.relevance.scores
    cited = draft.cited
    top = max((scores[id] for id in cited), default=0.0)
    return tuple(
        id
        for id in cited
        if scores[id] < top - 3 * CLOSE and question_before(case, case.utterance(id)) is None
    )
