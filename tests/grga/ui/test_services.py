"""How uploads become jobs, progress becomes a percentage, and examples are found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grga.config import Config, load_config
from grga.edits import EditText
from grga.errors import ConfigError, ModelServerError, StoreError
from grga.scopes import Limits
from grga.store import Store
from grga.types import Meeting, Speaker, SpeakerProfile, TimeSpan, Utterance
from grga.ui.asking import Asking, Question
from grga.ui.contenders import Contender
from grga.ui.examples import example_questions
from grga.ui.indexing import STAGE_SHARES, _overall, group_uploads, index_job, is_transcript
from grga.ui.services import Services


def names(groups: list[list[tuple[str, Path]]]) -> list[list[str]]:
    return [[name for name, _ in group] for group in groups]


@pytest.mark.parametrize(
    ("given", "groups"),
    [
        (["a.flac"], [["a.flac"]]),
        (["a.flac", "b.mp3"], [["a.flac"], ["b.mp3"]]),
        (["a.flac", "a.srt", "b.vtt"], [["a.flac", "a.srt"], ["b.vtt"]]),
        (["a.srt", "a.vtt"], [["a.srt"], ["a.vtt"]]),
        (["a.srt", "a.m4a", "a.wav"], [["a.srt", "a.m4a"], ["a.wav"]]),
        (["a.rttm", "a.ctm"], [["a.rttm", "a.ctm"]]),
        (["a.txt", "a.flac", "a.rttm"], [["a.txt", "a.flac", "a.rttm"]]),
        (["a.rttm.gz", "a.json", "b.rttm"], [["a.rttm.gz", "a.json"], ["b.rttm"]]),
        (["a.rttm", "a.ctm", "a.json"], [["a.rttm", "a.ctm"], ["a.json"]]),
        ([], []),
    ],
)
def test_a_transcript_and_a_recording_of_one_name_are_one_meeting(
    given: list[str], groups: list[list[str]]
) -> None:
    assert names(group_uploads([(name, Path("/cache") / name) for name in given])) == groups


def test_transcripts_are_told_by_their_suffix() -> None:
    for name in ("Talk.SRT", "talk.jsonl", "talk.TextGrid", "talk.json.gz", "talk.seglst.json"):
        assert is_transcript(Path(name))
    assert not is_transcript(Path("talk.mp4"))


def test_turns_and_words_of_one_name_become_one_meeting(tmp_path: Path) -> None:
    words, turns = tmp_path / "a.ctm", tmp_path / "a.rttm"
    turns.write_text(
        "SPEAKER a 1 0.0 2.0 <NA> <NA> Rosa <NA> <NA>\nSPEAKER a 1 2.0 2.0 <NA> <NA> Imran <NA> <NA>\n"
    )
    words.write_text("a 1 0.2 0.4 Good\na 1 0.7 0.5 evening\na 1 2.3 0.4 Hello\n")
    store = Store(tmp_path)
    outcome = index_job(store, Config())([words, turns], {}, lambda stage, share: None, lambda: False)
    found = store.load(outcome.meeting).meeting
    assert [(found.name_of(u), u.text) for u in found.utterances] == [
        ("Rosa", "Good evening"),
        ("Imran", "Hello"),
    ]


def test_progress_runs_once_from_nothing_to_all() -> None:
    seen: list[float] = []
    progress = _overall(lambda stage, share: seen.append(share), tuple(STAGE_SHARES))
    for stage in STAGE_SHARES:
        for share in (0.0, 0.5, 1.0):
            progress(stage, share)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, 1.0)


def test_examples_are_one_question_of_each_type(tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    file.write_text(
        json.dumps(
            [
                {"type": "factual", "question": "Who?"},
                {"type": "factual", "question": "What?"},
                {"type": "temporal", "question": "When?"},
            ]
        )
    )
    assert example_questions(tmp_path, Meeting("m", "M", 1.0, (), ())) == ("Who?", "When?")


def test_examples_are_made_from_what_was_talked_about(tmp_path: Path) -> None:
    profile = SpeakerProfile({"topics": "fee, offer, date (0:02-2:23); room (3:00-4:00)", "keywords": "x"})
    dana, imran = Speaker("S1", "Dana", talk_seconds=9.0, profile=profile), Speaker("S2", "Imran")
    spoken = (Utterance(0, "S1", TimeSpan(0, 1), "The fee."),)
    meeting = Meeting("m", "M", 1.0, spoken, (imran, dana), "en", True)
    assert example_questions(tmp_path, meeting) == (
        "What was said about fee and offer?",
        "What was said about room?",
        "Summarise what Dana said.",
        "What was decided?",
        "When was it loudest?",
    )
    assert example_questions(tmp_path, replace(meeting, utterances=())) == ()


def test_posted_names_are_checked(tmp_path: Path) -> None:
    services = Services.open(Config(home=tmp_path))
    for wrong in ("../etc", "nobody-0000", ".hidden", ""):
        with pytest.raises(StoreError):
            services.page(wrong)
        with pytest.raises(StoreError):
            services.load(wrong)
    assert services.first_shown() is None


DECOMPOSITION = {
    "entities": ["words"],
    "concepts": [],
    "times": [],
    "speakers": [],
    "question_type": "factual",
    "subtask": "keyword locating",
    "form": "what",
    "acoustic": [],
    "language": "en",
}
SEARCH = {"tool": "keyword_search", "arguments": {"query": "words"}, "result": "r1"}


def test_a_model_from_the_environment_answers(serve: Callable[..., Any], tmp_path: Path) -> None:
    words = tmp_path / "words.vtt"
    words.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Rosa>All our words are kept.\n")
    server = serve(
        {
            "decompose": [DECOMPOSITION],
            "plan": [{"goal": "find it", "calls": [SEARCH]}],
            "answer": [{"found": True, "sentences": ["The words are kept [utt 0]."]}],
            "reflection": [{"score": 5, "critique": "It is there.", "missing": [], "weak": []}],
        }
    )
    settings = {
        "GRGA_HOME": str(tmp_path),
        "GRGA_AGENT__POLICY": "llm",
        "GRGA_LLM__BASE_URL": server.address,
        "GRGA_LLM__RETRIES": "0",
        "GRGA_LLM__CACHE": "false",
    }
    services = Services.open(load_config(environment=settings))
    index = index_job(services.store, services.config)
    meeting = index([words], {}, lambda stage, share: None, lambda: False).meeting
    question = Question("What is kept?", (meeting,), Limits(), Contender("grga", "llm"))
    *_, reply = Asking(services).ask(question)
    answer = reply.answer
    assert answer is not None
    assert (answer.text, answer.verified, answer.policy) == ("The words are kept.", True, "scripted")
    server.kill()
    with pytest.raises(ModelServerError, match="no server answers at"):
        list(Asking(services).ask(question))
    nowhere = replace(services, config=load_config(environment={"GRGA_AGENT__POLICY": "llm"}))
    with pytest.raises(ConfigError, match="no model server is set"):
        list(Asking(nowhere).ask(question))


def test_a_meeting_in_memory_is_read_again_after_an_edit(tmp_path: Path) -> None:
    turns = tmp_path / "a.vtt"
    turns.write_text("WEBVTT\n\n00:01.000 --> 00:03.000\n<v Rosa>The hall costs nineteen pounds.\n")
    services = Services.open(load_config(None, overrides={"home": tmp_path}))
    outcome = index_job(services.store, services.config)(
        [turns], {}, lambda stage, share: None, lambda: False
    )
    first = services.load(outcome.meeting)
    assert services.load(outcome.meeting) is first
    folder = services.store.folder(outcome.meeting)
    folder.edit(EditText(utterance=0, text="The hall costs ninety pounds."))
    corrected = services.load(outcome.meeting)
    assert corrected.meeting.utterances[0].text == "The hall costs ninety pounds."
    assert corrected.bm25.search("ninety", 1)[0].id == 0
    folder.undo()
    assert services.load(outcome.meeting).meeting == first.meeting
