"""What the endpoints answer, on a small library of transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import gradio as gr
import pytest

from grga.config import Config
from grga.errors import GrgaError, QuestionError, StoreError
from grga.exports import FORMATS
from grga.ingest import import_transcript
from grga.ui import api
from grga.ui.api import NAMES, Endpoints, clip_address
from grga.ui.asking import Asking
from grga.ui.contenders import SYSTEMS
from grga.ui.services import Services

LIBRARY = {
    "Budget": (
        "<v Rosa>The budget of the project is twelve thousand euros.",
        "<v Ben>The wooden case cracked in the drop test.",
        "<v Rosa>We need a new case, then.",
    ),
    "Donkey, and hats": (
        "<v Maya>The name of the donkey is Biscuit.",
        "<v Oliver>The donkey ate my hat.",
    ),
}
HERE: Any = SimpleNamespace(
    url="http://127.0.0.1:7860/gradio_api/queue/join", headers={"host": "127.0.0.1:7860"}, cookies={}
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder = tmp_path_factory.mktemp("library")
    services = Services.open(Config(home=folder / "home"))
    for title, lines in LIBRARY.items():
        file = folder / "words.vtt"
        cues = (f"00:{10 * n:02}.000 --> 00:{10 * n + 8:02}.000\n{line}\n" for n, line in enumerate(lines))
        file.write_text("WEBVTT\n\n" + "\n".join(cues))
        import_transcript(file, services.store, services.config, title=title)
    return services


@pytest.fixture(scope="module")
def endpoints(services: Services) -> Endpoints:
    return Endpoints(services, Asking(services))


def test_the_list_names_what_can_be_asked(endpoints: Endpoints) -> None:
    listed = {one["title"]: one for one in endpoints.list_meetings()}
    assert set(listed) == set(LIBRARY)
    assert (listed["Budget"]["speakers"], listed["Budget"]["utterances"]) == (2, 3)
    json.dumps(list(listed.values()))


def test_every_sentence_numbers_what_it_rests_on(endpoints: Endpoints) -> None:
    answer = endpoints.ask_meeting(HERE, "What is the name of the donkey?", "Donkey, and hats")
    assert answer["found"]
    assert "Biscuit" in answer["answer"]
    cited = {one["number"]: one for one in answer["citations"]}
    first = cited[answer["sentences"][0]["citations"][0]]
    assert (first["speaker"], first["start"], first["end"]) == ("Maya", 0.0, 8.0)
    assert first["text"] == "The name of the donkey is Biscuit."
    assert first["clip"] is None
    assert json.loads(json.dumps(answer)) == answer


def test_the_permalink_opens_the_kept_answer(endpoints: Endpoints, services: Services) -> None:
    answer = endpoints.ask_meeting(HERE, "What did the donkey eat?", "Donkey, and hats")
    home, _, token = answer["permalink"].partition("/?answer=")
    assert home == "http://127.0.0.1:7860"
    assert services.history.get(token).parts[0].answer.text == answer["answer"]


def test_the_whole_library_is_asked_by_default(endpoints: Endpoints) -> None:
    answer = endpoints.ask_meeting(HERE, "How high is the budget of the project?")
    titles = {one["title"]: one for one in answer["parts"]}
    assert set(titles) == set(LIBRARY)
    assert titles["Budget"]["found"]
    assert "twelve thousand" in answer["answer"]
    assert set(titles["Budget"]) == set(api.OF_A_PART)


def test_several_meetings_are_named_by_commas(endpoints: Endpoints) -> None:
    ids = [one["id"] for one in endpoints.list_meetings()]
    asked = endpoints.ask_meeting(HERE, "What about the case?", f"{ids[0]}, {ids[1]},{ids[0]}")
    assert sorted(one["meeting"] for one in asked["parts"]) == sorted(ids)
    with pytest.raises(StoreError, match="there is no meeting 'nope': list_meetings names them"):
        endpoints.ask_meeting(HERE, "Why?", f"{ids[0]},nope")


def test_limits_hold(endpoints: Endpoints) -> None:
    answer = endpoints.ask_meeting(HERE, "What about the case?", "Budget", ["Ben"], "0:00-0:19")
    assert {one["speaker"] for one in answer["citations"]} <= {"Ben"}
    for wrong in ({"speakers": ["Eve"]}, {"time": "later"}, {"time": "2:00-1:00"}):
        with pytest.raises(QuestionError):
            endpoints.ask_meeting(HERE, "Why?", "Budget", **wrong)


def test_what_needs_a_model_says_so(endpoints: Endpoints) -> None:
    with pytest.raises(GrgaError):
        endpoints.ask_meeting(HERE, "Why?", "Budget", system="transcript_context")


def test_search_returns_the_best_lines_first(endpoints: Endpoints) -> None:
    found = endpoints.search_meeting("Budget", "wooden case", limit=2)
    assert 1 <= len(found) <= 2
    assert set(found[0]) == {"utterance", "speaker", "start", "end", "text", "score"}
    assert found[0]["text"] == "The wooden case cracked in the drop test."
    assert 0 < found[-1]["score"] <= found[0]["score"] <= 1


@pytest.mark.parametrize("format", get_args(api.Format))
def test_a_transcript_comes_as_text(endpoints: Endpoints, format: str) -> None:
    text = endpoints.get_transcript("Budget", format)  # type: ignore[arg-type]
    assert "Rosa" in text
    assert ("drop test" in text) is (format != "rttm")


def test_every_text_format_is_offered() -> None:
    assert set(get_args(api.Format)) == set(FORMATS) - {"docx"} | {"jsonl"}
    assert set(get_args(api.System)) == set(SYSTEMS)


def test_a_stretch_of_a_transcript_keeps_its_ids(endpoints: Endpoints) -> None:
    lines = endpoints.get_transcript("Budget", "jsonl", "0:10-0:15").splitlines()
    assert [json.loads(line)["utterance"] for line in lines] == [1]
    for format in get_args(api.Format):
        assert "euros" not in endpoints.get_transcript("Budget", format, "0:10-0:15")


def test_a_transcript_alone_cannot_be_heard(endpoints: Endpoints) -> None:
    with pytest.raises(QuestionError, match="no audio to listen to"):
        endpoints.listen(HERE, "Budget", 0.0, 5.0)
    for start, end in ((5.0, 5.0), (9.0, 2.0), (0.0, 120.5)):
        with pytest.raises(QuestionError, match="cannot be listened to"):
            endpoints.listen(HERE, "Budget", start, end)


def test_a_clip_is_never_longer_than_what_is_served() -> None:
    assert clip_address("早会-1a", 1.0, 3.5) == "grga/clip/%E6%97%A9%E4%BC%9A-1a/1.000-3.500.wav"
    assert clip_address("m", 10.0, 500.0) == "grga/clip/m/10.000-130.000.wav"


def test_an_upload_becomes_a_job(
    endpoints: Endpoints, services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    (tmp_path / "talk.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Rosa>Hello.\n")
    job = endpoints.index_meeting(HERE, str(tmp_path / "talk.vtt"), "Monday", 2, "en")
    assert (job["state"], job["title"], job["meeting"]) == ("queued", "talk.vtt", None)
    assert endpoints.indexing_status(job["job"]) == job
    options = json.loads(services.jobs.job(job["job"]).options)
    assert options == {"title": "Monday", "named": "Monday", "speakers": 2, "language": "en"}


def test_all_else_on_the_page_is_private(services: Services) -> None:
    with gr.Blocks() as page:
        gr.HTML(lambda: "a component that loads its value")
        gr.Button().click(lambda: None)
        api.register(services)
    api.hide_others(page)
    info: Any = page.get_api_info()
    assert [name.removeprefix("/") for name in info["named_endpoints"]] == list(NAMES)
