"""Plans: a template per kind of question, and what to try next after a rejected draft.

The first plan searches the way the question asks for. Every later one looks somewhere else, led by the
critique: the step that was missing, neighbours and threads of the best passage, single rare words, the
wording of the meeting itself. A tool that is switched off is replaced by the nearest one at hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from grga.agent.policies.offline.case import Case
from grga.agent.policies.offline.classify import Operation, acoustic_conditions
from grga.agent.policies.offline.quotes import hide, quoted_in
from grga.agent.steps import Plan, ToolCall

WIDE = 150
"""Utterances that a search brings for weighing passages."""
EVERYTHING = 10_000
AFTERMATH = 90.0
"""Seconds after (or before) an event in which "what came next" is looked for."""

_INSTEAD = {
    "hybrid_search": ("semantic_search", "keyword_search"),
    "semantic_search": ("hybrid_search", "keyword_search"),
    "keyword_search": ("hybrid_search", "semantic_search"),
    "filter_time_range": (),
    "filter_speaker": (),
    "traverse_relations": (),
    "audio_segment": (),
}
_BY_TIME = {
    Operation.TALK_SHARE,
    Operation.COUNT_PEOPLE,
    Operation.COUNT_INTERRUPTIONS,
    Operation.MEETING_TIME,
    Operation.FIRST_SPEAKER,
    Operation.OUTCOMES,
}
_BY_SPEAKER = {Operation.COUNT_TURNS, Operation.TALK_TIME, Operation.LONGEST_TURN, Operation.PROFILE}
_BY_EAR = {
    Operation.SOUND_CAUSE,
    Operation.SOUND_CHECK,
    Operation.SOUND_EXTREME,
    Operation.MOODS,
    Operation.SOUNDS,
}


def next_plan(case: Case, tools: Collection[str]) -> Plan:
    """Return the first untried plan for this case that the tools can carry out; else an empty one."""
    for goal, calls in _ideas(case):
        possible, missing = _with_tools(calls, tools)
        note = f" (without {', '.join(missing)})" if missing else ""
        plan = Plan(len(case.belief.rounds) + 1, tuple(possible), goal + note)
        if possible and not case.belief.already_failed(plan):
            return plan
    return Plan(len(case.belief.rounds) + 1, (), "nothing is left to try")


def options_of(question: str) -> tuple[str, str] | None:
    """Return the two things that a question weighs against each other ("A or B")."""
    hidden = hide(question)
    question = hidden.text
    match = re.search(
        r"(?:[,:]|\b(?:discuss|mention|talk about|cover|raise)\w*)\s*(?P<a>[^,:?]+?)\s+or\s+(?P<b>[^?]+)",
        question,
        re.IGNORECASE,
    )
    match = match or re.search(r"(?P<a>[^，,：:？?]{1,12})还是(?P<b>[^？?]+)", question)
    if match is None:
        return None
    tail = r"\b(?:come|came|comes|mentioned|discussed|brought up|happen(?:ed)?)?\s*\b(?:first|earlier|before|later)\b.*$"
    a, b = (re.sub(tail, "", match[side], flags=re.IGNORECASE).strip(" ,.?") for side in ("a", "b"))
    # What is compared may be quoted: the marks are not part of it.
    a, b = (" ".join(hidden.phrases_in(side)) or side for side in (a, b))
    return (a, b) if a and b else None


def moments_of(question: str) -> tuple[str, str] | None:
    """Return the two moments between which a question asks for the time, as it names them."""
    hidden = hide(question)
    match = re.search(r"\bbetween (?P<a>.+?) and (?P<b>[^?]+)", hidden.text, re.IGNORECASE)
    match = match or re.search(r"从(?P<a>.+?)到(?P<b>.+?)[，,]?(?:中间|之间|一共|总共)?[过隔]", hidden.text)
    if match is None:
        return None
    return hidden.shown(match["a"]).strip(), hidden.shown(match["b"]).strip()


def _ideas(case: Case) -> Iterable[tuple[str, list[ToolCall]]]:
    yield _first(case)
    yield from _second_steps(case)
    yield from _elsewhere(case)


def _first(case: Case) -> tuple[str, list[ToolCall]]:
    operation = case.reading.operation
    if operation in _BY_TIME:
        return "look at every turn", [_time(case, "all")]
    if operation in _BY_SPEAKER:
        return "gather the speaker's turns", _speaker_turns(case)
    if operation in _BY_EAR:
        return "listen for how it was said", _listening(case)
    if operation is Operation.COUNT_MENTIONS:
        return "find every mention", _narrowed(
            case, [_call("keyword_search", "words", query=_quoted(case) or _topic(case), limit=EVERYTHING)]
        )
    if operation is Operation.WHICH_FIRST and (options := options_of(case.belief.question)):
        calls = [
            _call("keyword_search", f"option-{n}", query=text, limit=EVERYTHING)
            for n, text in enumerate(options, 1)
        ]
        return "find both things and compare their times", calls
    if operation is Operation.TIME_BETWEEN and (sides := moments_of(case.belief.question)):
        calls = [
            _call("keyword_search", f"moment-{n}", query=_spoken(text), limit=WIDE)
            for n, text in enumerate(sides, 1)
        ]
        return "find both moments and compare their times", calls
    if operation is Operation.REFERENT:
        quoted = _quoted(case) or _topic(case)
        return "find the remark", [_call("keyword_search", "quote", query=quoted, limit=10), *_searches(case)]
    if operation is Operation.NEXT_TO_EVENT and case.reading.event:
        anchor = case.reading.event.anchor
        if acoustic_conditions(anchor):
            return f"listen for the event: {anchor}", _listening(case)
        return f"find the event: {anchor}", _event_searches(anchor)
    if not case.terms or (not case.reading.focus.terms and operation is not Operation.EXTRACT):
        return "look at everything said in the window", [_time(case, "all")]
    calls = _searches(case)
    if case.window is not None:
        calls.append(_time(case, "all"))
    if operation is Operation.CAUSE:
        calls.append(_call("keyword_search", "closest", query=_topic(case), limit=5))
        calls.append(
            _call(
                "traverse_relations",
                "threads",
                nodes="closest",
                depth=2,
                relations=["reply_to", "entity", "semantic"],
            )
        )
    return "search by meaning and by words for the passage", calls


def _second_steps(case: Case) -> Iterable[tuple[str, list[ToolCall]]]:
    """Steps that need what the first round found: what follows an event, what led to a sound."""
    operation = case.reading.operation
    if operation is Operation.NEXT_TO_EVENT and case.reading.event:
        from grga.agent.policies.offline.answers.order import event_moment

        moment = event_moment(case)
        if moment is not None:
            for reach in (AFTERMATH, 3 * AFTERMATH):
                after = case.reading.event.relation == "after"
                start, end = (
                    (moment.end, moment.end + reach) if after else (moment.start - reach, moment.start)
                )
                calls = [
                    _call(
                        "filter_time_range",
                        "beside",
                        t_start=round(max(0.0, start), 2),
                        t_end=round(max(0.0, end), 2),
                    )
                ]
                if case.reading.focus.terms:
                    calls = [*_searches(case), *calls]
                for id in case.speakers:
                    calls.append(_call("filter_speaker", f"beside-{id}", nodes="beside", spk_id=id))
                yield f"look {'after' if after else 'before'} the event", calls
    if operation is Operation.REFERENT:
        from grga.agent.policies.offline.answers.referent import quoted_remark

        remark = quoted_remark(case)
        if remark is not None:
            relations = ["semantic", "reply_to", "entity", "temporal"]
            call = _call("traverse_relations", "points-to", nodes=[remark.id], depth=1, relations=relations)
            yield "follow what the remark points to", [call]
    if operation is Operation.SOUND_CAUSE:
        from grga.agent.policies.offline.answers.sound import trigger_terms

        ids, words = trigger_terms(case)
        if ids:
            calls = [
                _call(
                    "traverse_relations",
                    "threads",
                    nodes=list(ids),
                    depth=2,
                    relations=["reply_to", "temporal", "entity", "semantic"],
                    limit=30,
                )
            ]
            if words:
                calls.append(_call("keyword_search", "same-topic", query=" ".join(words), limit=30))
                calls.append(
                    _call("semantic_search", "same-idea", query=case.utterance(ids[0]).text, limit=20)
                )
            yield "trace back what it reacts to", calls


def _elsewhere(case: Case) -> Iterable[tuple[str, list[ToolCall]]]:
    """Other ways to look, from near to far."""
    best = case.best(3, margin=9.0) if case.belief.rounds and case.terms else []
    nodes = [one.id for one in best]
    missing = case.belief.reflection.missing if case.belief.reflection else ()
    lacking = [word for word in missing if " " not in word]
    if lacking:
        query = " ".join(lacking)
        calls = [
            _call("hybrid_search", "missing", query=query, limit=30),
            _call("keyword_search", "missing-words", query=query, limit=30),
        ]
        if nodes:
            calls.append(
                _call(
                    "traverse_relations", "around", nodes=nodes, depth=2, relations=["reply_to", "temporal"]
                )
            )
        yield f"look for what was missing: {query}", calls
    for id in case.speakers:
        calls = [_call("filter_speaker", f"by-{id}", nodes="all", spk_id=id)]
        yield f"look at all that {case.meeting.speaker(id).name} says", calls
    if nodes:
        yield (
            "follow the threads of the best passage",
            [
                _call("traverse_relations", "threads-wide", nodes=nodes, depth=3),
                _call("hybrid_search", "mixed", query=case.belief.question, limit=60),
            ],
        )
        start, end = best[0].start, best[0].end
        yield (
            "read the minutes around the best passage",
            [
                _call(
                    "filter_time_range",
                    "minutes",
                    t_start=round(max(0.0, start - 120), 2),
                    t_end=round(end + 120, 2),
                )
            ],
        )
        yield (
            "search in the meeting's own words",
            [_call("semantic_search", "own-words", query=best[0].text[:500], limit=60)],
        )
    for term in sorted(case.terms, key=case.indexed.bm25.idf, reverse=True)[:2]:
        yield f"search for one word: {term}", [_call("keyword_search", f"word-{term}", query=term, limit=40)]
    # Always something wider to try, so that a fair draft ends unverified rather than as "not found".
    limit = WIDE * (len(case.belief.rounds) + 1)
    calls = [_call("hybrid_search", "whole", query=case.belief.question, limit=limit, alpha=0.9)]
    yield "search once more, wider, for the whole question", calls


def _searches(case: Case) -> list[ToolCall]:
    topic = _topic(case)
    calls = [_call("semantic_search", "meaning", query=case.belief.question, limit=WIDE)]
    if topic != case.belief.question:
        calls.append(_call("semantic_search", "topic", query=topic, limit=WIDE))
    calls.append(_call("keyword_search", "words", query=topic, limit=WIDE))
    if case.reading.focus.setting:
        calls.append(_call("hybrid_search", "setting", query=case.reading.focus.setting, limit=WIDE // 2))
    for id in case.speakers:
        calls.append(_call("filter_speaker", f"says-{id}", nodes="meaning", spk_id=id))
    return calls


def _narrowed(case: Case, calls: list[ToolCall]) -> list[ToolCall]:
    """Add filters for the speakers and the window that the question names, on the last result."""
    last = calls[-1].result
    for id in case.speakers:
        calls.append(_call("filter_speaker", f"{last}-{id}", nodes=last, spk_id=id))
    if case.window is not None:
        span = case.window
        calls.append(
            _call("filter_time_range", f"{last}-then", nodes=last, t_start=span.start, t_end=span.end)
        )
    return calls


def _speaker_turns(case: Case) -> list[ToolCall]:
    calls = [_call("filter_speaker", f"turns-{id}", nodes="all", spk_id=id) for id in case.speakers]
    if case.window is not None:
        calls.append(_time(case, "all"))
    if case.reading.operation is Operation.PROFILE:
        calls.append(_call("hybrid_search", "role", query="my role, my job, I am responsible for", limit=30))
    return calls or [_time(case, "all")]


def _listening(case: Case) -> list[ToolCall]:
    start, end = (case.window.start, case.window.end) if case.window else (0.0, case.meeting.duration)
    calls = [
        _call("audio_segment", "heard", t_start=round(start, 2), t_end=round(end, 2)),
        _time(case, "all"),
    ]
    for id in case.speakers:
        calls.append(_call("filter_speaker", f"heard-{id}", nodes="heard", spk_id=id))
    if case.reading.focus.terms:
        calls += _searches(case)
    if case.reading.event and case.reading.operation in (Operation.MOODS, Operation.SOUNDS):
        calls += _event_searches(case.reading.event.anchor)
    return calls


def _event_searches(anchor: str) -> list[ToolCall]:
    return [
        _call("hybrid_search", "event", query=_spoken(anchor), limit=10),
        _call("keyword_search", "event-words", query=_spoken(anchor), limit=10),
    ]


def _time(case: Case, result: str) -> ToolCall:
    start, end = (case.window.start, case.window.end) if case.window else (0.0, case.meeting.duration)
    return _call("filter_time_range", result, t_start=round(start, 2), t_end=round(end, 2))


def _topic(case: Case) -> str:
    return case.reading.focus.topic or case.belief.question


def _spoken(text: str) -> str:
    """Return what ``text`` quotes, or all of it: what is searched for to find a moment."""
    return " ".join(quoted_in(text)) or text


def _quoted(case: Case) -> str:
    return " ".join(case.reading.focus.quoted)


def _call(name: str, result: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, result)


def _with_tools(calls: list[ToolCall], tools: Collection[str]) -> tuple[list[ToolCall], list[str]]:
    """Return the calls that can be made, replacing or leaving out the others, and what was missing."""
    possible: list[ToolCall] = []
    missing: list[str] = []
    results: set[str] = set()
    for call in calls:
        name = call.name
        arguments = dict(call.arguments)
        if name not in tools:
            missing.append(name)
            name = next((other for other in _INSTEAD[name] if other in tools), "")
            arguments.pop("alpha", None)
        nodes = arguments.get("nodes", "all")
        if isinstance(nodes, str) and nodes != "all" and nodes not in results:
            continue
        if not name:
            continue
        possible.append(ToolCall(name, arguments, call.result))
        results.add(call.result)
    unique = {f"{one.name}{sorted(one.arguments.items(), key=str)!r}": one for one in reversed(possible)}
    kept = [one for one in possible if unique[f"{one.name}{sorted(one.arguments.items(), key=str)!r}"] is one]
    return kept, list(dict.fromkeys(missing))
