"""What the Ask tab's events return, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from grga.agent.steps import Step
from grga.config import Config
from grga.errors import ModelServerError
from grga.ui.ask_answers import Answers
from grga.ui.ask_compare import Comparing
from grga.ui.ask_kept import KeptAnswers
from grga.ui.ask_layout import Layout, layout
from grga.ui.ask_meetings import ALL, SEVERAL, Meetings
from grga.ui.asking import Asking
from grga.ui.indexing import index_job
from grga.ui.services import Services

ROSA, IMRAN = "a" * 32, "b" * 32
LINES = {
    "Roof": "Nora: The roof repair costs nine thousand pounds.\nLiam: We pay it from the reserve fund.",
    "Bridge": "Sara: The bridge costs forty thousand pounds.\nOmar: The council pays half of it.",
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    home = tmp_path_factory.mktemp("home")
    services = Services.open(Config(home=home))
    for title, lines in LINES.items():
        file = home / f"{title}.srt"
        cues = [
            f"{n}\n00:00:{10 * n:02d},000 --> 00:00:{10 * n + 6:02d},000\n{line}\n"
            for n, line in enumerate(lines.splitlines(), 1)
        ]
        file.write_text("\n".join(cues))
        index_job(services.store, services.config)([file], {"title": title}, lambda *_: None, lambda: False)
    return services


@pytest.fixture
def tab(services: Services) -> Iterator[Answers]:
    with gr.Blocks():
        ui = layout()
    asking = Asking(services)
    choosing = Meetings(asking, ui)
    yield Answers(asking, choosing, KeptAnswers(asking, choosing, ui), ui)
    for visitor in (ROSA, IMRAN):
        services.history.clear(visitor)


def request(visitor: str = ROSA, **query: str) -> Any:
    return SimpleNamespace(cookies={"grga-visitor": visitor}, query_params=query)


def ask(tab: Answers, text: str, picker: str, several: list[str] | None = None, visitor: str = ROSA) -> Any:
    return tab.ask(text, "grga:offline", picker, several, [], "", "", None, request(visitor))


def page(updates: Iterator[dict[Any, Any]]) -> dict[Any, Any]:
    """Return what stands in the page after all updates."""
    shown: dict[Any, Any] = {}
    for update in updates:
        shown |= update
    return shown


def known(tab: Answers) -> dict[str, str]:
    return {one.title: one.id for one in tab.asking.services.meetings()}


def asked(tab: Answers, visitor: str = ROSA) -> list[str]:
    return [line.question for line in tab.asking.services.history.list(visitor)]


def test_an_answer_is_kept_linked_and_frees_the_button(tab: Answers) -> None:
    ui = tab.ui
    updates = list(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))
    assert updates[0][ui.stop]["visible"]
    shown = page(iter(updates))
    assert not shown[ui.stop]["visible"]
    assert "nine thousand pounds" in shown[ui.answer]
    assert f'data-answer="{shown[ui.shown]}"' in shown[ui.address]
    assert asked(tab) == ["What does the roof repair cost?"]
    assert asked(tab, IMRAN) == []


@pytest.mark.parametrize(
    ("text", "picker", "key", "start", "why"),
    [
        ("  ", "Roof", "grga:offline", "", "question is empty"),
        ("Why?", "nobody", "grga:offline", "", "No meeting is chosen"),
        ("Why?", "Roof", "nobody:offline", "", "answers as"),
        ("Why?", "Roof", "grga:offline", "noon", "is not a time"),
        ("Why?", "Roof", "grga:llm", "", "o model server"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(
    tab: Answers, text: str, picker: str, key: str, start: str, why: str
) -> None:
    chosen = known(tab).get(picker, picker)
    shown = page(tab.ask(text, key, chosen, [], [], start, "", None, request()))
    assert why in shown[tab.ui.said]
    assert "Traceback" not in shown[tab.ui.said]
    assert shown[tab.ui.ask]["visible"]
    assert asked(tab) == []


def test_all_meetings_answer_one_after_the_other(tab: Answers) -> None:
    updates = list(ask(tab, "How many pounds does it cost?", ALL))
    said = " ".join(str(update.get(tab.ui.answer, "")) for update in updates)
    assert "Looking at 2 of 2" in said
    assert "Asking 1 of 2" in said
    shown = page(iter(updates))
    assert shown[tab.ui.answer].count("g-part") == 2
    assert shown[tab.ui.marks].count("<grga-moments") == 2


def test_a_question_to_many_that_is_stopped_keeps_what_is_finished(tab: Answers) -> None:
    running = ask(tab, "How many pounds does it cost?", SEVERAL, list(known(tab).values()))
    for update in running:
        if "g-part" in str(update.get(tab.ui.answer, "")):
            break
    running.close()
    (line,) = tab.asking.services.history.list(ROSA)
    assert len(line.meetings) == 1


def test_a_model_that_dies_on_the_way_leaves_the_answers_before(
    tab: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tab.asking.answerer

    class Dying:
        name = "grga"
        left = 1

        def answer(self, *given: Any) -> Iterator[Step]:
            if not self.left:
                raise ModelServerError("the model's server went away", fix="start it again")
            self.left -= 1
            yield from whole(by).answer(*given)

    from grga.ui.contenders import Contender

    by, dying = Contender(), Dying()
    monkeypatch.setattr(tab.asking, "answerer", lambda *_: dying)
    shown = page(ask(tab, "How many pounds does it cost?", ALL))
    assert "went away" in shown[tab.ui.said]
    assert shown[tab.ui.answer].count("g-part") + shown[tab.ui.answer].count("Not said in") >= 1
    assert asked(tab) == ["How many pounds does it cost?"]
    dying.left = 0
    shown = page(ask(tab, "And now?", ALL))
    assert "went away" in shown[tab.ui.said]
    assert asked(tab) == ["How many pounds does it cost?"]


def test_a_page_opens_as_its_address_says(tab: Answers) -> None:
    ui = tab.ui
    token = page(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))[ui.shown]
    again = tab.kept.arrive(None, request(answer=token))
    assert "nine thousand pounds" in again[ui.answer]
    assert again[ui.picker]["value"] == known(tab)["Roof"]
    assert 'data-action="rate"' in again[ui.answer]
    theirs = tab.kept.arrive(None, request(IMRAN, answer=token))
    assert "nine thousand pounds" in theirs[ui.answer]
    assert 'data-action="rate"' not in theirs[ui.answer]
    assert "roof" not in theirs[ui.history]
    assert "not kept" in tab.kept.arrive(None, request(answer="nothing"))[ui.said]
    assert (
        tab.kept.arrive(None, request(meeting=known(tab)["Bridge"]))[ui.picker]["value"]
        == known(tab)["Bridge"]
    )
    assert "not here any more" in tab.kept.arrive(None, request(meeting="../etc"))[ui.said]


def event(**data: str) -> Any:
    return SimpleNamespace(_data=data)


def test_only_the_owner_rates_and_forgets(tab: Answers) -> None:
    ui, history = tab.ui, tab.asking.services.history
    token = page(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))[ui.shown]
    with pytest.raises(Exception, match="another visitor"):
        tab.kept.rate(token, "1", IMRAN)
    assert "g-feedback" in tab.kept.rate(token, "-1", ROSA)[ui.feedback]
    said = tab.kept.explain(
        event(action="explain", id=token, form='{"reasons": ["long"], "comment": ["so"]}'), request()
    )
    assert "Thank you" in said[ui.feedback]
    assert (history.get(token).reasons, history.get(token).comment) == (("long",), "so")
    wrong = tab.kept.explain(event(action="explain", id=token, form='{"reasons": ["nonsense"]}'), request())
    assert "Unknown reason" in wrong[ui.said]
    assert tab.kept.rate(token, "-1", ROSA)[ui.feedback] == ""  # the same thumb again takes it back
    assert (
        "another visitor"
        in tab.kept.remember(event(action="forget", id=token), "", None, request(IMRAN))[ui.said]
    )
    forgotten = tab.kept.remember(event(action="forget", id=token), token, None, request())
    assert "No question yet" in forgotten[ui.answer]
    assert asked(tab) == []


def test_a_comparison_fills_column_by_column(tab: Answers) -> None:
    ui = tab.ui
    token = page(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))[ui.shown]
    comparing = Comparing(tab.asking, tab, ui)
    keys = ["grga:offline", "text_rag:offline", "grga:offline:graph"]
    updates = list(comparing.compare(keys, token, None))
    assert "Waiting for its turn" in updates[1][ui.comparison]
    last = page(iter(updates))
    assert last[ui.comparison].count("<article") == 3
    assert last[ui.ask]["visible"]
    for wrong in (keys[:1], [*keys, *keys], ["nobody", "grga:offline"]):
        said = page(comparing.compare(wrong, token, None))[ui.said]
        assert "two to four" in said or "answers as" in said
    back = comparing.back(event(action="back"), token, request())
    assert back[ui.comparison] == ""
    assert "nine thousand pounds" in back[ui.answer]


def test_annotate_is_offered_only_where_it_is(tab: Answers, services: Services, monkeypatch: Any) -> None:
    ui = tab.ui
    shown = page(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))
    assert "To Annotate" not in shown[ui.answer]
    monkeypatch.setattr(services, "send_to_annotate", lambda one: f"Item made of {one.question}")
    shown = page(ask(tab, "What does the roof repair cost?", known(tab)["Roof"]))
    assert "To Annotate" in shown[ui.answer]
    assert "Item made of What does the roof repair cost?" in tab.kept.annotate(shown[ui.shown])[ui.said]


def test_an_update_never_names_a_component_that_is_not_in_the_page(tab: Answers) -> None:
    everything = set(map(id, tab.ui.all()))
    for update in ask(tab, "How many pounds does it cost?", ALL):
        assert {id(component) for component in update} <= everything


def test_the_layout_names_every_component(tab: Answers) -> None:
    assert len(tab.ui.all()) == len(Layout.__dataclass_fields__)
    assert isinstance(next(iter(tab.ui.same())), gr.HTML)
