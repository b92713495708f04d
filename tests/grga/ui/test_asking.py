"""Who can answer, within which limits, and what is kept of an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grga.agent.steps import Observation
from grga.config import Config
from grga.edits import Rename
from grga.errors import ConfigError, HistoryError, QuestionError, StoreError
from grga.library import LibraryAnswer
from grga.scopes import Limits
from grga.types import TimeSpan
from grga.ui.ask_kept import _form, _time
from grga.ui.asking import Asking, Question, read_limits
from grga.ui.contenders import PARTS, Contender, ablations, contender, contender_name, contenders
from grga.ui.indexing import index_job
from grga.ui.model_server import ModelServer
from grga.ui.services import Services

LINES = {
    "Roof": "Nora: The roof repair costs nine thousand pounds.\nLiam: We pay it from the reserve fund.",
    "Bridge": "Sara: The bridge costs forty thousand pounds.\nOmar: The council pays half of it.",
}


GRGA = Contender()


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    """Two transcripts of two lines each in a store."""
    home = tmp_path_factory.mktemp("home")
    services = Services.open(Config(home=home))
    for title, lines in LINES.items():
        file = home / f"{title}.srt"
        file.write_text(
            "\n".join(
                f"{n}\n00:00:{10 * n:02d},000 --> 00:00:{10 * n + 6:02d},000\n{line}\n"
                for n, line in enumerate(lines.splitlines(), 1)
            )
        )
        index_job(services.store, services.config)([file], {"title": title}, lambda *_: None, lambda: False)
    return Asking(services)


def ids(asking: Asking) -> dict[str, str]:
    return {one.title: one.id for one in asking.services.meetings()}


def asked(asking: Asking, text: str, title: str, by: Contender = GRGA, **limits: Any) -> Question:
    return Question(text, (ids(asking)[title],), Limits(**limits), by)


@pytest.mark.parametrize("one", [*contenders("qwen3"), *ablations("offline"), *ablations("llm")])
def test_a_key_stands_for_one_contender(one: Contender) -> None:
    assert contender(one.key) == one


@pytest.mark.parametrize(
    "key",
    [
        "",
        "grga",
        "nobody:offline",
        "grga:nothing",
        "grga:offline:wheels",
        "text_rag:offline:graph",
        "transcript_context:offline",
    ],
)
def test_a_page_cannot_post_a_contender_that_is_none(key: str) -> None:
    with pytest.raises(QuestionError, match="nothing here answers as"):
        contender(key)


def test_without_a_model_nothing_is_offered_that_needs_one(asking: Asking) -> None:
    assert asking.model(None) is None
    assert [one.key for one in contenders(None)] == ["grga:offline", "text_rag:offline"]
    own = ModelServer("http://127.0.0.1:9/v1", "qwen3")
    assert asking.model(own) == "qwen3"
    assert asking.prefers_model(own)
    assert contenders("qwen3")[0].key == "grga:llm"
    assert contenders("qwen3", prefer_model=False)[0].key == "grga:offline"
    with pytest.raises(ConfigError):
        next(asking.ask(asked(asking, "Why?", "Roof", Contender("grga", "llm"))))


def test_contenders_have_names_for_people() -> None:
    assert contender_name(Contender(), None) == "GRGA"
    assert contender_name(Contender(), "qwen3") == "GRGA · offline"
    assert contender_name(Contender("text_rag", "llm"), "qwen3") == "Text RAG · qwen3"
    assert contender_name(Contender("grga", "offline", "graph"), "qwen3") == "GRGA without graph traversal"


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_switched_off(asking: Asking, part: str) -> None:
    question = asked(asking, "What does the roof repair cost?", "Roof", Contender("grga", "offline", part))
    *_, reply = asking.ask(question)
    assert reply.answer is not None
    used = {step.call.name for step in reply.steps if isinstance(step, Observation)}
    assert not used & set(question.by.without)


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        ("", "", None),
        ("0:30", "", TimeSpan(30, 90)),
        ("", "1:00", TimeSpan(0, 60)),
        (" 10 ", "0:20", TimeSpan(10, 20)),
        ("2:00", "", TimeSpan(120, 120)),
    ],
)
def test_an_empty_end_of_a_limit_is_that_of_the_recording(
    start: str, end: str, span: TimeSpan | None
) -> None:
    assert read_limits(["S1"], start, end, 90.0) == Limits(("S1",), span)


@pytest.mark.parametrize(
    ("start", "end", "why"), [("noon", "", "is not a time"), ("1:00", "0:30", "ends before")]
)
def test_a_limit_that_cannot_be_read_is_said_in_a_sentence(start: str, end: str, why: str) -> None:
    with pytest.raises(QuestionError, match=why):
        read_limits([], start, end, 90.0)


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (61.5, "1:01.5"), (3725, "62:05")])
def test_a_kept_limit_is_written_as_it_was_typed(seconds: float, text: str) -> None:
    assert _time(seconds) == text
    assert read_limits([], text, "", 9999).span == TimeSpan(seconds, 9999)


def test_limits_hold_for_all_that_is_found(asking: Asking) -> None:
    question = asked(asking, "What is paid?", "Roof", speakers=("Liam",), span=TimeSpan(15, 30))
    *_, reply = asking.ask(question)
    assert reply.answer is not None
    assert {one.speaker for one in reply.answer.citations} <= {"Liam"}
    with pytest.raises(QuestionError, match="nobody in this meeting"):
        next(asking.ask(asked(asking, "What is paid?", "Roof", speakers=("Sara",))))
    with pytest.raises(StoreError):
        next(asking.ask(Question("What?", ("nobody",), Limits(), Contender())))


def test_a_kept_answer_reads_with_todays_names_and_without_its_meeting(asking: Asking) -> None:
    question = asked(asking, "Who said what the roof repair costs?", "Roof")
    *_, reply = asking.ask(question)
    kept = asking.keep("v" * 32, question, [asking.part(reply)])
    folder = asking.services.store.folder(question.meetings[0])
    speaker = next(one.id for one in folder.read_meeting().speakers if one.name == "Nora")
    folder.edit(Rename(speaker=speaker, name="Nora Quist"))
    (today,) = asking.replies(asking.services.history.get(kept.token).parts)
    assert today.answer is not None
    assert "Nora Quist" in {one.speaker for one in today.answer.citations}
    folder.undo()
    (gone,) = asking.replies([replace(kept.parts[0], meeting_id="gone")])
    assert (gone.meeting, gone.title, gone.answer) == (None, "Roof", reply.answer)


def test_all_meetings_are_asked_and_unknown_ids_left_out(asking: Asking) -> None:
    question = Question(
        "How many pounds does it cost?", (*ids(asking).values(), "nobody"), Limits(), Contender()
    )
    answer = LibraryAnswer.of(question.text, asking.ask_all(question))
    assert {part.title for part in answer.parts if part.answer.found} == {"Roof", "Bridge"}
    kept = asking.keep("v" * 32, question, answer.parts)
    assert [one.meeting_id for one in asking.replies(kept.parts)] == [
        part.meeting_id for part in answer.parts
    ]


@pytest.mark.parametrize("posted", ["", "nothing", "[]", '{"reasons": 3}', None])
def test_a_form_that_is_none_of_ours_is_refused(posted: object) -> None:
    with pytest.raises(HistoryError, match="could not be read"):
        _form(posted)


def test_a_form_gives_reasons_and_comment() -> None:
    assert _form(json.dumps({"reasons": ["wrong", "long"], "comment": ["no"]})) == (["wrong", "long"], "no")
    assert _form("{}") == ([], "")
