"""Whole questions through the loop with a scripted model: the paper's self-correction, refusals, failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grga.agent.steps import AgentTrace, Decomposition, Draft, Observation, Plan, Reflection, Step
from grga.errors import ConfigError, ModelServerError
from grga.store import IndexedMeeting
from grga.types import Scope, TimeSpan

Serve = Callable[..., Any]
QUESTION = "Why does Dilek refuse the handling fee?"

DECOMPOSITION = {
    "entities": ["handling fee"],
    "concepts": ["refusing the fee"],
    "times": [],
    "speakers": ["S2", "S9"],
    "question_type": "inferential",
    "subtask": "causal inference",
    "form": "why",
    "acoustic": [],
    "language": "en",
}


def search(query: str, result: str = "r1", tool: str = "keyword_search") -> dict[str, Any]:
    return {
        "goal": f"find {query}",
        "calls": [{"tool": tool, "arguments": {"query": query}, "result": result}],
    }


def said(*sentences: str, found: bool = True) -> dict[str, Any]:
    return {"found": found, "sentences": list(sentences)}


def judged(score: int, critique: str = "fine", **more: Any) -> dict[str, Any]:
    return {"critique": critique, "score": score, "missing": [], "weak": [], **more}


def of_type(steps: tuple[Step, ...] | list[Step], kind: type) -> list[Any]:
    return [step for step in steps if isinstance(step, kind)]


VAGUE = {
    "decompose": [DECOMPOSITION],
    "plan": [search("handling fee"), search("promised hidden costs", "r2")],
    "answer": [
        said("Dilek does not like the fee [utt 4]."),
        said("She promised the neighbours that there would be no hidden costs [utt 1][utt 4]."),
    ],
    "reflection": [
        judged(2, "It does not say what was promised, and to whom.", missing=["the promise"], weak=[4]),
        judged(5, "The promise is cited."),
    ],
}


def test_a_vague_answer_is_criticised_and_corrected(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve(VAGUE)
    trace = AgentTrace.collect(agent(server).answer(QUESTION, meeting))

    [constraints] = of_type(trace.steps, Decomposition)
    assert constraints.metadata.speakers == ("S2",)  # nobody is S9
    first, second = of_type(trace.steps, Plan)
    assert first.signature != second.signature
    rejected, accepted = of_type(trace.steps, Reflection)
    assert (rejected.score, rejected.reward, rejected.missing) == (2.0, -0.5, ("the promise",))
    assert (accepted.score, accepted.reward) == (5.0, 1.0)

    answer = trace.answer
    assert answer.verified
    assert (answer.found, answer.reflection_score, answer.policy) == (True, 5.0, "m")
    assert answer.text == "She promised the neighbours that there would be no hidden costs."
    assert [one.utterance for one in answer.citations] == [1, 4]
    assert answer.citations[0].span == TimeSpan(5.0, 9.5)
    assert (answer.cost.llm_calls, answer.cost.tool_calls) == (7, 2)
    assert answer.cost.prompt_tokens > 0
    assert answer.cost.completion_tokens > 0
    assert set(answer.cost.phases) == {"decompose", "plan", "execute", "synthesize", "reflect"}

    again = server.prompts("plan")[1]
    assert "It does not say what was promised, and to whom." in again
    assert "handling fee" in again
    assert "missing: the promise" in again
    assert "supported nothing: utt 4" in again
    assert "Dilek does not like the fee" in again
    assert "It does not say what was promised" in server.prompts("answer")[1]


def test_the_planner_hears_of_the_question_s_limits(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve(VAGUE)
    scope = Scope(frozenset({"S2"}), TimeSpan(5, 25))
    trace = AgentTrace.collect(agent(server).answer(QUESTION, meeting, scope))
    [prompt, *_] = server.prompts("plan")
    assert "only these speakers can be found: S2\nonly 5 to 25 s can be found" in prompt
    assert {one.speaker for one in trace.answer.citations} == {"Dilek"}


def test_the_same_question_again_costs_nothing(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve(VAGUE)
    first = AgentTrace.collect(agent(server).answer(QUESTION, meeting)).answer
    asked = len(server.requests())
    again = AgentTrace.collect(agent(server).answer(QUESTION, meeting)).answer
    assert len(server.requests()) == asked == 7
    assert (again.cost.llm_calls, again.cost.prompt_tokens, again.cost.completion_tokens) == (0, 0, 0)
    assert again.cost.cache_hits == 7
    assert (again.sentences, again.citations, again.verified) == (
        first.sentences,
        first.citations,
        first.verified,
    )


def test_a_plan_that_failed_is_refused_and_the_planner_hears_of_it(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({**VAGUE, "plan": [search("handling fee"), search("handling fee"), search("promise")]})
    trace = AgentTrace.collect(agent(server).answer(QUESTION, meeting))
    refusal = of_type(trace.steps, Reflection)[1]
    assert (refusal.score, refusal.reward, refusal.critique) == (1.0, -0.5, "this plan has failed before")
    assert len(of_type(trace.steps, Draft)) == 2  # the refused round has none
    assert "this plan has failed before" in server.prompts("plan")[2]


def test_wrong_calls_are_observations_that_the_planner_sees(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    wrong = {
        "goal": "break things",
        "calls": [
            {"tool": "delete_meeting", "arguments": {}, "result": "r1"},
            {"tool": "filter_time_range", "arguments": {"t_start": 9, "t_end": 3}, "result": "r2"},
            {"tool": "keyword_search", "arguments": {"query": "fee", "top_k": 3}, "result": "r3"},
            {"tool": "filter_speaker", "arguments": {"spk_id": "Bob"}, "result": "r4"},
        ],
    }
    server = serve({**VAGUE, "plan": [wrong, search("promised")]})
    trace = AgentTrace.collect(agent(server).answer(QUESTION, meeting))
    errors = [one.error for one in of_type(trace.steps, Observation)][:4]
    assert "unknown tool 'delete_meeting'" in errors[0]
    assert "t_end (3) is before t_start (9)" in errors[1]
    assert "top_k" in errors[2]
    assert "no speaker is called 'Bob'" in errors[3]
    for error in ("delete_meeting", "before t_start", "top_k", "no speaker is called 'Bob'"):
        assert error in server.prompts("plan")[1]
    # Nothing was found, so the first round costs a plan and no further call.
    assert of_type(trace.steps, Draft)[0].tokens.calls == 0
    assert of_type(trace.steps, Reflection)[0].score == 1.0


def test_the_planner_may_leave_out_optional_arguments_as_null(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    call = {
        "tool": "hybrid_search",
        "arguments": {"query": "fee", "limit": None, "alpha": None},
        "result": "",
    }
    server = serve({**VAGUE, "plan": [{"goal": "find", "calls": [call]}]})
    steps = list(agent(server).answer(QUESTION, meeting))
    [observation, *_] = of_type(steps, Observation)
    assert observation.error is None
    assert observation.call.result == "r1.1"
    assert 3 in [one.id for one in observation.found]


def test_too_much_is_cut_and_not_asked_for_again(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    wordy = {**DECOMPOSITION, "entities": [f"fee number {n} " + "and so on " * 9 for n in range(9)]}
    server = serve({**VAGUE, "decompose": [wordy]})
    constraints = next(agent(server, structured="prompt").answer(QUESTION, meeting))
    assert len(constraints.entities) == 6
    assert all(len(entity) == 60 for entity in constraints.entities)
    assert constraints.tokens.calls == 1


def test_a_time_in_the_question_is_kept_within_the_meeting(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    times = [
        {"text": "at 20 s", "relation": "around", "start": 10, "end": 50, "anchor": ""},
        {"text": "before that", "relation": "before", "start": 9, "end": 3, "anchor": "the fee"},
    ]
    server = serve({**VAGUE, "decompose": [{**DECOMPOSITION, "times": times}]})
    constraints = next(agent(server).answer(QUESTION, meeting))
    assert [one.span for one in constraints.time] == [TimeSpan(10.0, 35.0), None]


def test_no_plan_means_that_the_meeting_does_not_say(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    server = serve({**VAGUE, "plan": [{"goal": "nothing is left to try", "calls": []}]})
    answer = AgentTrace.collect(agent(server).answer("Who won the cup?", meeting)).answer
    assert (answer.found, answer.verified, answer.citations) == (False, False, ())
    assert answer.text == "This meeting does not say."


def test_after_five_rounds_the_best_candidate_is_returned_unverified(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting
) -> None:
    plans = [search(f"fee {n}", f"r{n}", "hybrid_search") for n in range(9)]
    answers = [said(f"Answer number {n} [utt 3].") for n in range(9)]
    scores = [judged(score) for score in (2, 3, 1, 3, 2, 5)]
    server = serve({**VAGUE, "plan": plans, "answer": answers, "reflection": scores})
    trace = AgentTrace.collect(agent(server).answer(QUESTION, meeting))
    assert trace.rounds == 5
    assert trace.answer.text == "Answer number 1."
    assert (trace.answer.verified, trace.answer.reflection_score) == (False, 3.0)


@pytest.mark.parametrize("where", ["decompose", "plan", "answer", "reflection"])
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"fault": "die"}, "broke off in the middle of a reply"),
        ({"fault": "status", "code": 500, "message": "CUDA out of memory"}, "CUDA out of memory"),
        ({"fault": "cut", "text": "{"}, "was cut at"),
        ("I would rather not.", "gave no usable"),
    ],
)
def test_a_failure_in_the_middle_loses_nothing_that_was_found(
    serve: Serve, agent: Callable[..., Any], meeting: IndexedMeeting, where: str, fault: Any, sentence: str
) -> None:
    server = serve({**VAGUE, where: [fault]})
    steps: list[Step] = []
    with pytest.raises(ModelServerError, match=sentence):
        steps.extend(agent(server).answer(QUESTION, meeting))
    before = {
        "decompose": [],
        "plan": [Decomposition],
        "answer": [Decomposition, Plan, Observation],
        "reflection": [Decomposition, Plan, Observation, Draft],
    }
    assert [type(step) for step in steps] == before[where]


def test_the_policy_needs_a_model() -> None:
    from grga.agent import make_answerer

    with pytest.raises(ConfigError, match="needs a model server: give its address"):
        make_answerer(policy="llm")
