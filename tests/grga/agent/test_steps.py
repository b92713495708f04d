"""Steps become JSON and come back equal, whatever is in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grga.agent import make_answerer
from grga.agent.steps import (
    AgentTrace,
    Decomposition,
    Draft,
    Form,
    Found,
    Metadata,
    Observation,
    Plan,
    QuestionType,
    Reflection,
    Step,
    TimeConstraint,
    Tokens,
    ToolCall,
    from_dict,
    to_dict,
)
from grga.store import IndexedMeeting
from grga.types import Answer, Citation, Cost, Sentence, TimeSpan

texts = st.text(max_size=12)
names = st.tuples() | st.tuples(texts) | st.tuples(texts, texts)
ids = st.lists(st.integers(0, 9999), max_size=3).map(tuple)
seconds = st.floats(0, 1e5, allow_nan=False)
spans = st.tuples(seconds, seconds).map(lambda pair: TimeSpan(min(pair), max(pair)))
counts = st.integers(0, 10**6)
prices = st.none() | st.floats(0, 100, allow_nan=False)
tokens = st.builds(Tokens, counts, counts, counts, counts, counts, prices)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
tables = st.dictionaries(texts, values, max_size=3)
calls = st.builds(ToolCall, texts, tables, texts)
sentences = st.lists(st.builds(Sentence, texts, ids), max_size=3).map(tuple)
citations = st.builds(Citation, counts, texts, spans, texts, texts)
costs = st.builds(
    Cost,
    seconds,
    st.dictionaries(texts, seconds, max_size=3),
    counts,
    counts,
    counts,
    counts,
    counts,
    counts,
    prices,
)
metadata = st.builds(
    Metadata, st.sampled_from(QuestionType), texts, st.sampled_from(Form), names, names, st.just("zh")
)
constraints = st.builds(TimeConstraint, texts, texts, st.none() | spans, texts)
steps = st.one_of(
    st.builds(
        Decomposition, names, names, st.lists(constraints, max_size=2).map(tuple), metadata, seconds, tokens
    ),
    st.builds(Plan, counts, st.lists(calls, max_size=3).map(tuple), texts, seconds, tokens),
    st.builds(
        Observation,
        counts,
        calls,
        st.lists(st.builds(Found, counts, seconds, texts), max_size=3).map(tuple),
        tables,
        st.none() | texts,
        seconds,
        tokens,
    ),
    st.builds(Draft, counts, sentences, st.booleans(), counts, counts, names, seconds, tokens),
    st.builds(Reflection, counts, seconds, texts, names, ids, seconds, seconds, tokens),
    st.builds(
        Answer,
        texts,
        sentences,
        st.lists(citations, max_size=3).map(tuple),
        st.booleans(),
        st.none() | st.floats(1, 5),
        st.booleans(),
        texts,
        texts,
        counts,
        costs,
    ),
)


def round_trip(step: Step) -> Step:
    return from_dict(json.loads(json.dumps(to_dict(step))))


@given(steps)
@settings(max_examples=300, deadline=None)
def test_every_step_comes_back_equal(step: Step) -> None:
    again = round_trip(step)
    assert type(again) is type(step)
    assert again == step
    assert to_dict(again) == to_dict(step)


@pytest.mark.parametrize("system", ["grga", "text_rag"])
@pytest.mark.parametrize(
    "question",
    [
        "Who raised their voice about the hidden fees?",
        "What was decided about the case after the drop test?",
        "Summarise the meeting.",
        "What is said in the last 30 seconds?",
        "Who will bring an elephant?",
    ],
)
def test_the_traces_of_real_answers_come_back_equal(
    contract: IndexedMeeting, question: str, system: str
) -> None:
    trace = AgentTrace.collect(make_answerer(system).answer(question, contract))
    assert [round_trip(step) for step in trace.steps] == list(trace.steps)
    assert round_trip(trace.answer) == trace.answer


def test_what_comes_back_is_as_frozen_as_before() -> None:
    plan = round_trip(Plan(1, (ToolCall("keyword_search", {"nodes": [1, 2]}),)))
    assert isinstance(plan, Plan)
    with pytest.raises(TypeError):
        plan.calls[0].arguments["nodes"] = [3]  # type: ignore[index]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"step": "lambda"},
        {"step": "plan"},
        {"step": "plan", "round": "first", "calls": []},
        {"step": "answer", "question": "?", "sentences": [{"text": 1}]},
        {"step": "decomposition", "time": [{"text": "", "relation": "", "span": {"start": 2, "end": 1}}]},
    ],
)
def test_what_is_no_step_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"kind of step|validation error"):
        from_dict(values)
