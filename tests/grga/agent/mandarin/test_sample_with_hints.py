"""The Mandarin sample, recognised with the words of its meeting as hints: all its questions, in Mandarin.

Without hints Whisper base hears the bird, the bucket and one strawberry as other things, and two of the
twelve questions fall with them (``tests/grga/agent/test_bundled_samples.py``).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace
from grga.config import load_config
from grga.ingest import index_recording
from grga.meeting_folder import NAMES
from grga.store import IndexedMeeting, Store

SAMPLE = Path(__file__).resolve().parents[4] / "assets" / "samples" / "rooftop-garden"
QUESTIONS: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text("utf-8"))
HINTS = ("草莓", "土豆", "小鸟", "水桶", "运费", "稻草人")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> IndexedMeeting:
    store = Store(tmp_path_factory.mktemp("home"))
    config = load_config(environment={}, overrides={"asr": {"language": "zh", "hints": HINTS}})
    folder = store.folder(index_recording(SAMPLE / "audio.opus", store, config).meeting)
    folder.write_value(NAMES, dict[str, str], {"S1": "小红", "S2": "老周", "S3": "阿明"})
    return store.load(folder.id)


def test_the_words_of_the_meeting_are_spelled_as_people_gave_them(garden: IndexedMeeting) -> None:
    text = " ".join(utterance.text for utterance in garden.meeting.utterances)
    assert [text.count(word) for word in ("草莓", "小鸟", "水桶", "稻草人")] == [6, 3, 3, 1]


@pytest.mark.parametrize("item", QUESTIONS, ids=[f"{item['id']}-{item['type']}" for item in QUESTIONS])
def test_each_question_is_answered_in_mandarin_with_a_right_citation(
    item: dict[str, Any], garden: IndexedMeeting
) -> None:
    expect = item["expect"]
    answer = AgentTrace.collect(make_answerer().answer(item["question"], garden)).answer
    assert re.search(r"[\u4e00-\u9fff]", answer.text)
    assert not re.search(r"[A-Za-z]{3,}", answer.text)
    assert answer.found == expect["found"]
    if not expect["found"]:
        assert answer.citations == ()
        return
    assert {one.speaker for one in answer.citations} & set(expect["speakers"])
    assert any(
        one.span.start < span["end"] and one.span.end > span["start"]
        for one in answer.citations
        for span in expect["evidence"]
    )
    said = f"{answer.text} {' '.join(one.text for one in answer.citations)}".casefold()
    assert [group for group in expect["keywords"] if not any(word in said for word in group)] == []
    if "count" in expect:
        assert re.search(rf"(?<!\d){expect['count']}(?!\d)", answer.text)
