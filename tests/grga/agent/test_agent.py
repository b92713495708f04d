"""The loop: what is yielded, when it ends, and what happens to plans and citations that will not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from grga.agent import make_answerer
from grga.agent.agent import Agent
from grga.agent.belief import Belief
from grga.agent.steps import (
    AgentTrace,
    Decomposition,
    Draft,
    Observation,
    Plan,
    Reflection,
    Step,
    ToolCall,
    to_dict,
)
from grga.agent.tools import Tool, Toolbox
from grga.errors import ConfigError, QuestionError
from grga.store import IndexedMeeting
from grga.types import Answer, Scope, Sentence, TimeSpan


def search(query: str) -> ToolCall:
    return ToolCall("keyword_search", {"query": query}, "r1")


@dataclass
class Scripted:
    """A policy that plays back plans, citations and scores."""

    plans: list[tuple[ToolCall, ...]]
    scores: list[float]
    cites: list[tuple[int, ...]] = field(default_factory=lambda: [(5,)] * 9)
    seen: list[Belief] = field(default_factory=list)
    name: str = "scripted"

    def decompose(self, question: str, meeting: IndexedMeeting) -> Decomposition:
        return Decomposition(entities=("battery",))

    def plan(self, belief: Belief, meeting: IndexedMeeting, tools: Mapping[str, Tool]) -> Plan:
        self.seen.append(belief)
        round = len(belief.rounds)
        return Plan(round + 1, self.plans[round] if round < len(self.plans) else ())

    def synthesize(self, belief: Belief, meeting: IndexedMeeting) -> Draft:
        round = len(belief.rounds)
        return Draft(round, (Sentence(f"Draft {round}.", self.cites[round - 1]),))

    def reflect(self, belief: Belief, draft: Draft, meeting: IndexedMeeting) -> Reflection:
        return Reflection(draft.round, self.scores[draft.round - 1], f"critique {draft.round}")


def run(policy: Scripted, meeting: IndexedMeeting, **settings: int) -> AgentTrace:
    agent = Agent(policy, Toolbox.all(), **settings)
    return AgentTrace.collect(agent.answer("How long does the battery last?", meeting))


def kinds(trace: AgentTrace) -> list[str]:
    return [type(step).__name__ for step in trace.steps]


def test_a_good_first_draft_ends_the_loop(contract: IndexedMeeting) -> None:
    trace = run(Scripted([(search("battery"),)], [4.5]), contract)
    assert kinds(trace) == ["Decomposition", "Plan", "Observation", "Draft", "Reflection"]
    assert trace.rounds == 1
    answer = trace.answer
    assert (answer.text, answer.verified, answer.reflection_score, answer.found) == (
        "Draft 1.",
        True,
        4.5,
        True,
    )
    assert [one.utterance for one in answer.citations] == [5]
    assert (answer.system, answer.policy) == ("grga", "scripted")


def test_a_rejected_draft_brings_a_critique_and_a_second_plan(contract: IndexedMeeting) -> None:
    policy = Scripted([(search("battery"),), (search("lithium"),)], [2.0, 4.0])
    trace = run(policy, contract)
    first, second = (step for step in trace.steps if isinstance(step, Reflection))
    assert (first.reward, second.reward) == (-0.5, 1.0)
    before_second = policy.seen[1]
    assert before_second.reflection is not None
    assert before_second.reflection.critique == "critique 1"
    assert trace.answer.text == "Draft 2."
    assert trace.answer.verified


def test_evidence_keeps_its_provenance(contract: IndexedMeeting) -> None:
    policy = Scripted([(search("battery"),), (search("lithium"),), (search("hours"),)], [2.0, 2.0, 5.0])
    run(policy, contract)
    ways = policy.seen[2].evidence[6]
    assert [(way.round, way.tool, way.result) for way in ways] == [
        (1, "keyword_search", "r1"),
        (2, "keyword_search", "r1"),
    ]


def test_on_exhaustion_the_best_candidate_returns_unverified(contract: IndexedMeeting) -> None:
    plans = [(search(word),) for word in ("battery", "lithium", "hours", "case", "fee")]
    trace = run(Scripted(plans, [1.0, 3.5, 3.0, 3.5, 2.0], cites=[(5,), (6,), (5,), (3,), (8,)]), contract)
    assert trace.rounds == 5
    assert (trace.answer.text, trace.answer.verified, trace.answer.reflection_score) == (
        "Draft 2.",
        False,
        3.5,
    )


def test_k_max_limits_the_rounds(contract: IndexedMeeting) -> None:
    plans = [(search(word),) for word in ("battery", "lithium", "hours")]
    assert run(Scripted(plans, [1.0, 2.0, 5.0]), contract, k_max=2).rounds == 2


def test_a_plan_that_failed_before_is_refused_and_runs_no_tool(contract: IndexedMeeting) -> None:
    policy = Scripted([(search("battery"),), (search("battery"),), (search("lithium"),)], [2.0, 9.0, 5.0])
    trace = run(policy, contract)
    assert kinds(trace) == [
        "Decomposition",
        *("Plan", "Observation", "Draft", "Reflection"),
        *("Plan", "Reflection"),
        *("Plan", "Observation", "Draft", "Reflection"),
    ]
    refusal = trace.steps[6]
    assert isinstance(refusal, Reflection)
    assert (refusal.score, refusal.reward, refusal.critique) == (1.0, -0.5, "this plan has failed before")
    assert trace.answer.cost.tool_calls == 2


def test_an_empty_plan_ends_with_an_honest_not_found(contract: IndexedMeeting) -> None:
    trace = run(Scripted([(search("battery"),)], [2.0]), contract)
    answer = trace.answer
    assert (answer.found, answer.verified, answer.citations) == (False, False, ())
    assert answer.text == "This meeting does not say."


def test_a_citation_outside_the_evidence_is_removed_and_counted(contract: IndexedMeeting) -> None:
    trace = run(Scripted([(search("battery"),)], [5.0], cites=[(5, 11, 999)]), contract)
    assert [one.utterance for one in trace.answer.citations] == [5]
    assert trace.answer.dropped_citations == 2


def test_a_draft_without_any_evidence_finds_nothing(contract: IndexedMeeting) -> None:
    trace = run(Scripted([(search("battery"),)], [5.0], cites=[(11,)]), contract)
    assert (trace.answer.found, trace.answer.dropped_citations) == (False, 1)


def test_a_wrong_call_becomes_an_observation_with_an_error(contract: IndexedMeeting) -> None:
    calls = (ToolCall("keyword_search", {"query": ""}), ToolCall("telepathy", {}), search("battery"))
    trace = run(Scripted([calls], [5.0]), contract)
    errors = [step.error for step in trace.steps if isinstance(step, Observation)]
    assert errors[0] == "keyword_search: query: String should have at least 1 character"
    assert errors[1] is not None
    assert errors[1].startswith("unknown tool 'telepathy' (known: audio_segment, ")
    assert errors[2] is None


def test_later_calls_work_on_earlier_results_by_name(contract: IndexedMeeting) -> None:
    chain = (
        ToolCall("keyword_search", {"query": "battery"}, "r1"),
        ToolCall("filter_speaker", {"nodes": "r1", "spk_id": "Rosa"}, "r2"),
        ToolCall("filter_time_range", {"nodes": "r9", "t_start": 0, "t_end": 50}, "r3"),
    )
    trace = run(Scripted([chain], [5.0]), contract)
    found = [step for step in trace.steps if isinstance(step, Observation)]
    assert {one.id for one in found[0].found} == {4, 5, 6}
    assert [one.id for one in found[1].found] == [5]
    assert found[2].error == "filter_time_range: there is no result 'r9' (results so far: r1, r2)"


def test_closing_the_iterator_stops_the_work(contract: IndexedMeeting) -> None:
    policy = Scripted([(search("battery"),)], [5.0])
    steps: Iterator[Step] = Agent(policy, Toolbox.all()).answer("How long?", contract)
    assert isinstance(next(steps), Decomposition)
    steps.close()  # type: ignore[attr-defined]
    assert policy.seen == []
    assert list(steps) == []


def test_the_scope_is_kept_by_every_tool(contract: IndexedMeeting) -> None:
    calls = (
        search("battery"),
        ToolCall("hybrid_search", {"query": "battery"}, "r2"),
        ToolCall("semantic_search", {"query": "battery"}, "r3"),
        ToolCall("filter_time_range", {"t_start": 0, "t_end": 95}, "r4"),
        ToolCall("filter_speaker", {"spk_id": "Tom"}, "r5"),
        ToolCall("traverse_relations", {"nodes": "r1"}, "r6"),
        ToolCall("audio_segment", {"t_start": 0, "t_end": 95}, "r7"),
    )
    scope = Scope(frozenset({"S3"}), TimeSpan(30, 60))
    agent = Agent(Scripted([calls], [5.0]), Toolbox.all())
    trace = AgentTrace.collect(agent.answer("battery?", contract, scope))
    found = {one.id for step in trace.steps if isinstance(step, Observation) for one in step.found}
    assert found == {5}


def test_reflection_and_decomposer_can_be_switched_off(contract: IndexedMeeting) -> None:
    policy = Scripted([(search("battery"),)], [1.0])
    agent = Agent(policy, Toolbox.all(), without={"reflection", "decomposer"})
    trace = AgentTrace.collect(agent.answer("battery?", contract))
    assert kinds(trace) == ["Decomposition", "Plan", "Observation", "Draft"]
    assert trace.steps[0].concepts == ("battery?",)  # type: ignore[union-attr]
    assert (trace.answer.verified, trace.answer.reflection_score) == (False, None)


def test_without_a_planner_one_plain_search_is_made(contract: IndexedMeeting) -> None:
    agent = Agent(Scripted([], [3.0]), Toolbox.all(), without={"planner"})
    trace = AgentTrace.collect(agent.answer("battery?", contract))
    plans = [step for step in trace.steps if isinstance(step, Plan)]
    assert [call.name for call in plans[0].calls] == ["hybrid_search"]
    assert (trace.answer.text, trace.answer.verified) == ("Draft 1.", False)


def test_switching_off_a_search_takes_what_is_built_on_it(contract: IndexedMeeting) -> None:
    assert "hybrid_search" not in Toolbox.all().without({"semantic_search"}).tools
    agent = make_answerer("grga", without=["semantic_search"])
    trace = AgentTrace.collect(agent.answer("How long does the battery last?", contract))
    plan = next(step for step in trace.steps if isinstance(step, Plan))
    assert {call.name for call in plan.calls} == {"keyword_search"}
    assert plan.goal.endswith("(without semantic_search)")
    assert 5 in {one.utterance for one in trace.answer.citations}


@pytest.mark.parametrize("tool", list(Toolbox.all().tools))
def test_the_offline_policy_copes_without_any_one_tool(tool: str, contract: IndexedMeeting) -> None:
    agent = make_answerer("grga", without=[tool])
    for question in ("Why did Rosa raise her voice?", "How many times did Tom speak?", "What is the fee?"):
        trace = AgentTrace.collect(agent.answer(question, contract))
        used = {step.call.name for step in trace.steps if isinstance(step, Observation)}
        assert tool not in used
        assert not [step.error for step in trace.steps if isinstance(step, Observation) and step.error]


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(
        QuestionError, match=r"unknown tool or part 'search' \(known: audio_segment, decomposer"
    ):
        make_answerer("grga", without=["search"])
    with pytest.raises(ConfigError, match=r"unknown system 'gpt' \(known: .*\bgrga, .*text_rag"):
        make_answerer("gpt")
    with pytest.raises(ConfigError, match=r"unknown policy 'oracle'"):
        make_answerer("grga", policy="oracle")


@pytest.mark.parametrize("question", ["", "   \n", "x" * 2001])
def test_an_empty_or_endless_question_is_refused(question: str, contract: IndexedMeeting) -> None:
    with pytest.raises(QuestionError, match=r"the question is (empty|too long)"):
        list(make_answerer().answer(question, contract))


def test_a_trace_is_plain_json(contract: IndexedMeeting) -> None:
    import json

    trace = AgentTrace.collect(make_answerer().answer("How long does the battery last?", contract))
    record = json.loads(json.dumps(trace.to_dict()))
    assert [step["step"] for step in record["steps"]][:2] == ["decomposition", "plan"]
    assert record["answer"]["citations"][0]["span"] == {"start": 34.0, "end": 40.0} or record["rounds"] >= 1
    assert to_dict(trace.answer)["step"] == "answer"


def test_the_cost_counts_seconds_per_phase_and_tool_calls(contract: IndexedMeeting) -> None:
    answer = run(Scripted([(search("battery"), search("case"))], [5.0]), contract).answer
    assert set(answer.cost.phases) == {"decompose", "plan", "execute", "synthesize", "reflect"}
    assert answer.cost.tool_calls == 2
    assert answer.cost.llm_calls == answer.cost.prompt_tokens == 0
    assert answer.cost.seconds >= sum(answer.cost.phases.values())


def test_a_trace_must_end_in_an_answer() -> None:
    with pytest.raises(ValueError, match="must end in an answer"):
        AgentTrace.collect([Decomposition()])


def test_the_same_question_gives_the_same_steps(contract: IndexedMeeting) -> None:
    def plain() -> list[object]:
        trace = AgentTrace.collect(make_answerer().answer("Why did Rosa raise her voice?", contract))
        return [step.call for step in trace.steps if isinstance(step, Observation)] + [trace.answer.sentences]

    assert plain() == plain()


def test_answers_are_answers(contract: IndexedMeeting) -> None:
    *_, last = make_answerer().answer("What did Tom promise?", contract)
    assert isinstance(last, Answer)
    assert last.text.startswith("Tom says at 0:07")
