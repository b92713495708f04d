"""One question to many meetings: the promising ones first, each on its own, none of them fatal."""

from __future__ import annotations

import gc
import weakref
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from grga.agent import make_answerer
from grga.agent.steps import Draft, Plan, Step
from grga.errors import ModelServerError, QuestionError, StoreError
from grga.ingest import index_in_memory
from grga.library import Candidate, Event, LibraryAnswer, LibraryStep, Note, ask_library, numbered, total_cost
from grga.llm.failures import PromptTooLongError
from grga.scopes import Limits
from grga.store import IndexedMeeting
from grga.text import content_terms
from grga.types import Answer, Citation, Cost, Meeting, Scope, Sentence, Speaker, TimeSpan, Utterance


class WordEncoder:
    """Texts are as similar as the content words they share; counts the questions it reads."""

    dimension, min_similarity = 256, 0.3

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.questions = 0

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in content_terms(text):
                row[zlib.crc32(term.encode()) % self.dimension] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        self.questions += 1
        vector: npt.NDArray[np.float32] = self.encode_passages([text])[0]
        return vector


ENCODER = WordEncoder()
GARDEN = ("We planted the tomatoes near the wall.", "The rain barrel leaks.", "Let us water them on Friday.")
FEE = (
    "The caterer wants a handling fee of fifty pounds.",
    "A fee? Nobody told us.",
    "We pay the fee on Monday.",
)
THEATRE = ("The donkey eats hats.", "The hall has a fee too, I think.", "Curtains open at eight.")


def indexed(id: str, lines: Sequence[str], *names: str, encoder: WordEncoder = ENCODER) -> IndexedMeeting:
    names = names or ("Rosa", "Imran")
    utterances = tuple(
        Utterance(i, f"S{i % len(names)}", TimeSpan(10.0 * i, 10.0 * i + 8), text)
        for i, text in enumerate(lines)
    )
    speakers = tuple(Speaker(f"S{i}", name) for i, name in enumerate(names))
    meeting = Meeting(id, f"The {id}", 10.0 * len(lines), utterances, speakers, "en")
    return index_in_memory(meeting, encoder=encoder)


def candidate(id: str, lines: Sequence[str], *names: str, encoder: WordEncoder = ENCODER) -> Candidate:
    meeting = indexed(id, lines, *names, encoder=encoder)
    return Candidate(id, f"The {id}", lambda: meeting)


def broken(id: str) -> Candidate:
    def load() -> IndexedMeeting:
        raise StoreError(f"bm25 of meeting {id!r} is missing or damaged", fix="index the recording again")

    return Candidate(id, f"The {id}", load)


@dataclass
class Answerer:
    """Answers with the first line of each meeting; says "not found" or fails where it is told to."""

    silent: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()
    fails: dict[str, Exception] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    closed: list[str] = field(default_factory=list)

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope) -> Iterator[Step]:
        id = meeting.meeting.id
        self.scopes[id] = scope
        try:
            yield Plan(1, ())
            if id in self.fails:
                raise self.fails[id]
            first = meeting.meeting.utterances[0]
            found = id not in self.silent
            sentence = Sentence(f"{first.text}", (0,) if found else ())
            yield Draft(1, (sentence,), found)
            cited = (Citation.of(meeting.meeting, first),) if found else ()
            verified = found and id not in self.unsure
            yield Answer(
                question,
                (sentence,),
                cited,
                verified,
                4.0,
                found,
                "stub",
                "none",
                cost=Cost(1.0, {"plan": 1.0}),
            )
        finally:
            self.closed.append(id)


def events(steps: Sequence[LibraryStep]) -> list[tuple[Event, str]]:
    return [(one.step.event, one.meeting_id) for one in steps if isinstance(one.step, Note)]


def asked(steps: Sequence[LibraryStep]) -> list[str]:
    return [meeting for event, meeting in events(steps) if event is Event.ASKING]


MEETINGS = [candidate("garden", GARDEN), candidate("theatre", THEATRE), candidate("fee", FEE)]


def test_the_most_promising_meeting_is_asked_first() -> None:
    steps = list(ask_library("How much is the handling fee?", MEETINGS, Answerer().answer))
    assert asked(steps) == ["fee", "theatre", "garden"]
    assert asked(list(ask_library("Who planted tomatoes?", MEETINGS, Answerer().answer)))[0] == "garden"


def test_a_meeting_that_is_all_about_a_word_is_worth_as_much_as_one_that_says_it_once() -> None:
    fees = ("The fee is fifty pounds.",) * 9
    other = ("A fee.", *("The donkey eats hats.",) * 8)
    steps = ask_library(
        "fee of fifty pounds", [candidate("a", other), candidate("b", fees)], Answerer().answer
    )
    assert asked(list(steps)) == ["b", "a"]


def test_meetings_indexed_with_different_encoders_are_ranked_by_their_words() -> None:
    other = candidate("fee", FEE, encoder=WordEncoder("other words"))
    steps = list(ask_library("How much is the handling fee?", [*MEETINGS[:2], other], Answerer().answer))
    assert asked(steps)[0] == "fee"


def test_the_question_is_encoded_once_for_all_meetings() -> None:
    encoder = WordEncoder()
    meetings = [candidate(str(n), GARDEN, encoder=encoder) for n in range(4)]
    list(ask_library("Who planted tomatoes?", meetings, Answerer().answer))
    assert encoder.questions == 1


def test_every_step_names_its_meeting_and_how_far_the_question_is() -> None:
    steps = list(ask_library("How much is the handling fee?", MEETINGS, Answerer().answer))
    looking, asking = steps[:3], steps[3:]
    assert events(looking) == [(Event.LOOKING, id) for id in ("garden", "theatre", "fee")]
    assert [(one.number, one.total) for one in looking] == [(1, 3), (2, 3), (3, 3)]
    assert [(one.title, one.number, type(one.step).__name__) for one in asking[:4]] == [
        ("The fee", 1, "Note"),
        ("The fee", 1, "Plan"),
        ("The fee", 1, "Draft"),
        ("The fee", 1, "Answer"),
    ]
    assert [one.part is not None for one in asking[:4]] == [False, False, False, True]


def test_the_agent_answers_from_each_meeting_with_its_own_citations() -> None:
    steps = ask_library("How much is the handling fee?", MEETINGS, make_answerer("grga").answer)
    answer = LibraryAnswer.of("How much is the handling fee?", steps)
    first = answer.parts[0]
    assert (first.meeting_id, first.answer.found) == ("fee", True)
    assert "fifty pounds" in first.answer.text
    assert {citation.meeting for citation in first.answer.citations} == {"fee"}
    assert first.names == {"S0": "Rosa", "S1": "Imran"}
    assert {part.meeting_id for part in answer.parts} == {"garden", "theatre", "fee"}


def test_verified_answers_come_first_then_found_ones() -> None:
    stub = Answerer(silent=frozenset({"fee"}), unsure=frozenset({"theatre"}))
    answer = LibraryAnswer.of("fee?", ask_library("How much is the handling fee?", MEETINGS, stub.answer))
    assert [part.meeting_id for part in answer.parts] == ["garden", "theatre", "fee"]
    assert answer.found


def test_citations_are_numbered_through_all_parts() -> None:
    stub = Answerer(silent=frozenset({"theatre"}))
    answer = LibraryAnswer.of("fee?", ask_library("How much is the handling fee?", MEETINGS, stub.answer))
    assert [(number, meeting, one.text) for number, meeting, one in numbered(answer.parts)] == [
        (1, "fee", FEE[0]),
        (2, "garden", GARDEN[0]),
    ]


def test_costs_add_up() -> None:
    answer = LibraryAnswer.of(
        "fee?", ask_library("How much is the handling fee?", MEETINGS, Answerer().answer)
    )
    assert answer.cost == Cost(3.0, {"plan": 3.0})
    one = Cost(1.0, {"plan": 1.0}, 2, 30, 4, 5, 6, 7, 0.5)
    assert total_cost([one, one]) == Cost(2.0, {"plan": 2.0}, 4, 60, 8, 10, 12, 14, 1.0)
    assert total_cost([one, Cost()]).price == 0.5
    assert total_cost([]) == Cost()


def test_a_broken_meeting_is_skipped_with_the_reason() -> None:
    steps = list(ask_library("How much is the handling fee?", [broken("lost"), *MEETINGS], Answerer().answer))
    answer = LibraryAnswer.of("fee?", steps)
    assert asked(steps)[0] == "fee"
    assert len(answer.parts) == 3
    [left_out] = answer.left_out
    assert left_out.step == Note(
        Event.SKIPPED, "bm25 of meeting 'lost' is missing or damaged: index the recording again"
    )


@pytest.mark.parametrize("error", [StoreError("it is damaged"), PromptTooLongError("it is too long")])
def test_a_meeting_that_cannot_be_asked_does_not_stop_the_others(error: Exception) -> None:
    stub = Answerer(fails={"fee": error})
    answer = LibraryAnswer.of("fee?", ask_library("How much is the handling fee?", MEETINGS, stub.answer))
    assert [part.meeting_id for part in answer.parts] == ["theatre", "garden"]
    assert [(one.meeting_id, one.step) for one in answer.left_out] == [
        ("fee", Note(Event.SKIPPED, str(error)))
    ]


def test_a_dead_model_server_ends_the_question_and_what_came_before_stays() -> None:
    stub = Answerer(fails={"theatre": ModelServerError("no server answers")})
    steps: list[LibraryStep] = []

    def ask() -> None:
        for one in ask_library("How much is the handling fee?", MEETINGS, stub.answer):
            steps.append(one)

    with pytest.raises(ModelServerError, match="no server answers"):
        ask()
    assert [part.meeting_id for part in LibraryAnswer.of("fee?", steps).parts] == ["fee"]


def test_closing_stops_between_two_steps_and_closes_the_answer_that_ran() -> None:
    stub = Answerer()
    running = ask_library("How much is the handling fee?", MEETINGS, stub.answer)
    for one in running:
        if isinstance(one.step, Draft):
            break
    running.close()  # type: ignore[attr-defined]
    assert stub.closed == ["fee"]
    assert set(stub.scopes) == {"fee"}


def test_speakers_are_meant_by_name_and_a_meeting_without_them_is_left_out() -> None:
    meetings = [
        candidate("garden", GARDEN, "Imran", "Rosa"),
        candidate("fee", FEE, "Rosa", "Henry"),
        candidate("theatre", THEATRE, "Ann", "Bo"),
    ]
    stub = Answerer()
    steps = list(ask_library("the fee?", meetings, stub.answer, Limits(("rosa", "Imran"), TimeSpan(0, 60))))
    assert stub.scopes == {
        "garden": Scope(frozenset({"S0", "S1"}), TimeSpan(0, 60)),
        "fee": Scope(frozenset({"S0"}), TimeSpan(0, 60)),
    }
    [left_out] = LibraryAnswer.of("the fee?", steps).left_out
    assert left_out.meeting_id == "theatre"
    assert left_out.step == Note(Event.LEFT_OUT, "nobody in this meeting is called rosa or Imran")


def test_a_meeting_that_was_over_before_the_time_range_is_left_out() -> None:
    stub = Answerer()
    steps = list(ask_library("the fee?", MEETINGS, stub.answer, Limits(span=TimeSpan(3600, 4000))))
    assert stub.scopes == {}
    assert [event for event, _ in events(steps)] == [Event.LOOKING, Event.LEFT_OUT] * 3


def test_meetings_are_read_when_their_turn_comes_and_let_go_afterwards() -> None:
    alive: list[weakref.ref[IndexedMeeting]] = []

    def most_at_once() -> int:
        gc.collect()
        return sum(one() is not None for one in alive)

    class Watched(IndexedMeeting):
        """One that a weak reference may watch."""

    def loader(id: str, lines: Sequence[str]) -> Candidate:
        def load() -> IndexedMeeting:
            loaded = Watched(**{name: getattr(inner, name) for name in IndexedMeeting.__dataclass_fields__})
            alive.append(weakref.ref(loaded))
            return loaded

        inner = indexed(id, lines)
        return Candidate(id, id, load)

    meetings = [loader("garden", GARDEN), loader("fee", FEE), loader("theatre", THEATRE)]
    steps = ask_library("the fee?", meetings, Answerer().answer)
    assert not alive
    assert max(most_at_once() for _ in steps) == 1
    assert len(alive) == 6  # a look and an answer each


@pytest.mark.parametrize("question", ["", "   ", "x" * 2001])
def test_a_question_that_is_none_is_refused_before_anything_is_read(question: str) -> None:
    with pytest.raises(QuestionError):
        next(iter(ask_library(question, [broken("lost")], Answerer().answer)))


def test_no_meetings_give_no_steps_and_an_honest_no() -> None:
    answer = LibraryAnswer.of("fee?", ask_library("fee?", [], Answerer().answer))
    assert (answer.parts, answer.found, answer.left_out) == ((), False, ())
