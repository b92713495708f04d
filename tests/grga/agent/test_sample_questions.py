"""The bundled meetings answer their own questions: the right citation, the key words, an honest no."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.store import IndexedMeeting
from grga.types import Answer

HARD = pytest.mark.xfail(reason="needs an inference that no sentence states: more than rules can do")
SAMPLES = Path(__file__).resolve().parents[3] / "assets" / "samples"


def questions(name: str) -> list[Any]:
    items = json.loads((SAMPLES / name / "questions.json").read_text(encoding="utf-8"))
    return [
        pytest.param(name, item, id=f"{name}-{item['id']}-{item['type']}", marks=HARD if item["hard"] else ())
        for item in items
    ]


def ask(question: str, meeting: IndexedMeeting) -> Answer:
    return AgentTrace.collect(make_answerer().answer(question, meeting)).answer


def faults(answer: Answer, expect: dict[str, Any]) -> list[str]:
    """Return what is wrong with the answer; nothing is right."""
    if not expect["found"]:
        return ["an answer was made up"] if answer.found or answer.citations else []
    if not answer.found:
        return ["nothing was found"]
    cited = {citation.utterance for citation in answer.citations}
    evidence = {one["utterance"] for one in expect["evidence"]}
    wrong = []
    if not cited & evidence:
        wrong.append(f"cites {sorted(cited)}, not {sorted(evidence)}")
    said = f"{answer.text} {' '.join(one.text for one in answer.citations)}".casefold()
    wrong += [f"does not say {group}" for group in expect["keywords"] if not any(w in said for w in group)]
    if "count" in expect and not re.search(rf"(?<!\d){expect['count']}(?!\d)", answer.text):
        wrong.append(f"does not count {expect['count']}")
    if not {one.speaker for one in answer.citations} & set(expect["speakers"]):
        wrong.append(f"cites nobody of {expect['speakers']}")
    start, end = expect["window"]
    if not any(one.span.start < end and one.span.end > start for one in answer.citations):
        supported = {one["utterance"] for one in [*expect["evidence"], *expect["supporting"]]}
        if not cited & supported:
            wrong.append(f"cites nothing in {start}-{end} s")
    return wrong


@pytest.mark.parametrize(("name", "item"), questions("lantern-players") + questions("rooftop-garden"))
def test_is_answered_with_the_right_citation(
    name: str, item: dict[str, Any], sample: Callable[[str], IndexedMeeting]
) -> None:
    answer = ask(item["question"], sample(name))
    assert faults(answer, item["expect"]) == [], answer.text


@pytest.mark.parametrize("name", ["lantern-players", "rooftop-garden"])
def test_every_sentence_of_a_found_answer_is_cited(
    name: str, sample: Callable[[str], IndexedMeeting]
) -> None:
    for param in questions(name):
        answer = ask(param.values[1]["question"], sample(name))
        assert all(sentence.citations for sentence in answer.sentences) is answer.found
