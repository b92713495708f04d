"""The offline generator: real questions with exact answers, all of them past every check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.generation.checks import check
from annotation.generation.offline import generate_offline
from annotation.generation.offline.acoustic import MAKERS as ACOUSTIC
from annotation.generation.offline.facts import Facts
from annotation.generation.offline.factual import MAKERS as FACTUAL
from annotation.generation.offline.feelings import MAKERS as FEELINGS
from annotation.generation.offline.inferential import MAKERS as INFERENTIAL
from annotation.generation.offline.temporal import MAKERS as TEMPORAL
from annotation.schema import SUBTASKS, AnswerKey, QAItem
from grga.agent.steps import QuestionType
from grga.ingest import import_transcript, index_in_memory
from grga.speech.transcripts import read_transcript
from grga.store import IndexedMeeting, Store
from grga.types import Meeting, Speaker, TimeSpan, Utterance


def every_item_passes(items: list[QAItem], meeting: IndexedMeeting) -> None:
    wrong = [
        (item.question, one.name, one.reason)
        for item in items
        for one in check(item, meeting, items)
        if not one.passed
    ]
    assert wrong == []


def test_the_english_sample_gives_forty_questions_of_all_types(lantern: IndexedMeeting) -> None:
    items = generate_offline(lantern).items
    assert len(items) >= 40
    assert {item.type for item in items} == set(QuestionType)
    assert len({item.question for item in items}) == len(items) == len({item.key for item in items})
    temporal = {item.subtask for item in items if item.type is QuestionType.TEMPORAL}
    assert temporal == set(SUBTASKS[QuestionType.TEMPORAL])
    assert {item.generator.name for item in items} == {"offline"}
    assert all(
        item.answer_key for item in items if item.type in (QuestionType.TEMPORAL, QuestionType.ACOUSTIC)
    )
    every_item_passes(items, lantern)


def test_the_mandarin_sample_is_asked_about_in_mandarin(garden: IndexedMeeting) -> None:
    items = generate_offline(garden).items
    assert len(items) >= 25
    assert all(re.search(r"[\u4e00-\u9fff]", item.question) and item.language == "zh" for item in items)
    every_item_passes(items, garden)


def test_the_same_seed_gives_the_same_questions_and_another_one_others(lantern: IndexedMeeting) -> None:
    def questions(seed: int) -> list[str]:
        return [item.question for item in generate_offline(lantern, seed=seed).items]

    assert questions(1) == questions(1)
    assert set(questions(1)) != set(questions(2))


def test_quotas_are_kept_and_what_is_there_is_not_asked_again(lantern: IndexedMeeting) -> None:
    quotas = {QuestionType.TEMPORAL: 9, QuestionType.FACTUAL: 4}
    first = generate_offline(lantern, quotas).items
    assert Counter(item.type for item in first) == quotas
    second = generate_offline(lantern, quotas, existing=first)
    assert {item.key for item in first} & {item.key for item in second.items} == set()
    assert second.turned_down["not a duplicate"] > 0


def test_without_a_recording_nothing_is_asked_about_sound(lantern: IndexedMeeting) -> None:
    from dataclasses import replace

    silent = replace(lantern, meeting=replace(lantern.meeting, has_audio=False))
    assert QuestionType.ACOUSTIC not in {item.type for item in generate_offline(silent).items}


def answers(makers: Any, meeting: IndexedMeeting) -> dict[str, tuple[str, Any]]:
    facts = Facts(meeting)
    return {draft.question: (draft.answer, draft.key) for make in makers for draft in make(facts)}


def test_temporal_answers_by_hand(contract: IndexedMeeting, encoder: Any) -> None:
    found = answers(TEMPORAL, contract)
    answer, key = found["How many times is the word “battery” said in the meeting?"]
    assert (answer, key.count) == (
        "4 times, in 3 turns: Maria at 0:28, Rosa at 0:34, Tom at 0:41.",
        4,
    )
    assert found["How many times does Rosa say the word “battery”?"][1].count == 2
    assert found["How long does Rosa speak in total?"][1].seconds == 4 + 6 + 5
    assert found["How many turns does Tom take in the whole meeting?"][1].count == 3
    assert found["Who speaks first in the meeting?"][1].speakers == ("S1",)
    assert found["Who speaks last in the meeting?"][1].speakers == ("S4",)
    assert found["Who is speaking at 0:24?"][1].speakers == ("S4",)
    assert found["When does Ben say “I will send the minutes by email on Friday”?"][1].moment == 90
    assert found["Who is the last to mention “contract”?"][1].utterances == (10,)


def test_a_word_whose_inflections_change_the_count_is_not_counted(contract: IndexedMeeting) -> None:
    counts = Facts(contract).counts
    assert "fees" not in counts  # "fee" and "fees" are both said
    assert counts["battery"] == {4: 1, 5: 2, 6: 1}


def test_a_turn_on_the_edge_of_a_window_is_not_asked_about(encoder: Any) -> None:
    def meeting(start: float) -> IndexedMeeting:
        times = ((10, 20), (30, 40), (start, start + 6), (100, 110), (130, 140))
        said = tuple(
            Utterance(
                id, "AB"[id % 2 if id < 2 else 0], TimeSpan(*span), f"Sentence number {id} about gardens."
            )
            for id, span in enumerate(times)
        )
        people = (Speaker("A", "Ada"), Speaker("B", "Bob"))
        return index_in_memory(Meeting("m", "m", 200.0, said, people, "en"), encoder=encoder)

    asked = "How long does Ada speak between 0:00 and 1:00?"
    assert answers(TEMPORAL, meeting(50.0))[asked][1].seconds == 10 + 6
    assert asked not in answers(TEMPORAL, meeting(57.0))


def test_acoustic_answers_by_hand(contract: IndexedMeeting) -> None:
    found = answers(ACOUSTIC, contract)
    assert found["Which remark is the loudest of the whole meeting?"][1].utterances == (9,)
    # All others were measured as equally fast: no margin, no question.
    assert not any("fastest" in question for question in found)
    emotions = r"\b(angry|happy|sad|excited|calm|upset)\b"
    told = [re.sub("“[^”]*”", "", f"{question} {answer}") for question, (answer, _) in found.items()]
    assert not any(re.search(emotions, text) for text in told)


def test_emotions_and_sounds_are_asked_about_where_models_heard_them(lamp: IndexedMeeting) -> None:
    found = answers(FEELINGS, lamp)
    mood = found["How does Rosa sound when saying “They signed the contract, this is not acceptable”?"]
    assert mood == ("Angry, at 0:45.", AnswerKey(utterances=(6,)))
    answer, key = found["Whose tone of voice sounds angry in the meeting?"]
    assert (answer, key.speakers, key.utterances) == (
        "Rosa, at 0:45: “Two months? They signed the contract, this is not acceptable.”",
        ("S3",),
        (6, 8),
    )
    after = found[
        "In whose remark is laughter heard, right after Ben says “and my cat thought it was the sun”?"
    ]
    assert after == (
        "Tom, at 0:31: “Your cat is our best tester.”",
        AnswerKey(speakers=("S2",), utterances=(4,)),
    )
    assert found["During which remark is applause heard?"][1].utterances == (2,)
    # Several are happy, a doubtful label is no fact, laughter is heard twice: none of these is asked.
    assert not any(word in question for question in found for word in ("sounds happy", "sad", "surprised"))
    assert "During which remark is laughter heard?" not in found
    told = " ".join(f"{question} {answer}" for question, (answer, _) in found.items())
    assert not re.search(r"0\.\d|%|confidence|score", told)


def test_mandarin_meetings_are_asked_about_emotions_in_mandarin(lamp_zh: IndexedMeeting) -> None:
    found = answers(FEELINGS, lamp_zh)
    assert found["小红说“合同早就签了，这样不行”的时候，语气怎么样？"][0] == "生气，在0:31。"
    assert found["会议里谁的语气听起来生气？"][1].speakers == ("S3",)
    assert found["哪次发言里有笑声？"][1].utterances == (2,)


def relabelled(meeting: IndexedMeeting, emotion: str | None) -> IndexedMeeting:
    heard = tuple(
        replace(one, acoustics=replace(one.acoustics, emotion=emotion, emotion_score=0.9, events=()))
        for one in meeting.meeting.utterances
        if one.acoustics is not None
    )
    return replace(meeting, meeting=replace(meeting.meeting, utterances=heard))


def test_where_everything_is_neutral_an_emotion_is_only_asked_about_to_be_denied(
    lamp: IndexedMeeting,
) -> None:
    found = answers(FEELINGS, relabelled(lamp, "neutral"))
    assert set(found.values()) == {
        ("No: it sounds neutral.", AnswerKey(yes=False, utterances=(id,))) for id in (0, 1, 2, 3)
    }
    assert all(question.startswith("Does ") and "sound angry when saying" in question for question in found)


def test_a_meeting_that_no_model_heard_is_asked_about_no_emotion(lamp: IndexedMeeting) -> None:
    assert answers(FEELINGS, relabelled(lamp, None)) == {}


def test_questions_about_emotions_pass_every_check(lamp: IndexedMeeting, lamp_zh: IndexedMeeting) -> None:
    for meeting in (lamp, lamp_zh):
        items = generate_offline(meeting, {QuestionType.ACOUSTIC: 30}).items
        assert any("angry" in item.question or "生气" in item.question for item in items)
        every_item_passes(items, meeting)


def test_acoustic_answers_of_the_sample(lantern: IndexedMeeting) -> None:
    found = answers(ACOUSTIC, lantern)
    before = found["What was said right before Oliver became much louder than usual at 2:43?"]
    assert before[0].startswith("Henry said at 2:38: “The heating is extra.")
    assert found["Who breaks the longest silence of the meeting?"][1].utterances == (36,)
    louder = {question: key.yes for question, (_, key) in found.items() if "louder than usual" in question}
    assert True in louder.values()
    assert False in louder.values()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ES2003a", "TS3004a"])
def test_an_imported_ami_meeting_gives_forty_questions(name: str, shared_data: Path, tmp_path: Path) -> None:
    from grga.config import Config

    store = Store(tmp_path)
    made = import_transcript(shared_data / "ami" / "nxt", store, Config(home=tmp_path), meeting=name)
    meeting = store.load(made.meeting)
    items = generate_offline(meeting).items
    assert len(items) >= 40
    # Without a recording there is nothing to ask about sound.
    assert {item.type for item in items} == set(QuestionType) - {QuestionType.ACOUSTIC}
    assert len({item.question for item in items}) == len(items)
    every_item_passes(items, meeting)


def test_every_ami_quote_stands_in_the_transcript(shared_data: Path, encoder: Any) -> None:
    read = read_transcript(shared_data / "qmsum" / "timed" / "IS1004a.json")
    meeting = Meeting("IS1004a", "IS1004a", read.duration, read.utterances, read.speakers, read.language)
    indexed: IndexedMeeting = index_in_memory(meeting, encoder=encoder)
    items = generate_offline(indexed).items
    assert len(items) >= 40
    every_item_passes(items, indexed)


@pytest.fixture
def made(contract: IndexedMeeting) -> Callable[[], list[QAItem]]:
    return lambda: generate_offline(contract).items


def test_items_keep_how_they_were_made(made: Callable[[], list[QAItem]], contract: IndexedMeeting) -> None:
    for item in made():
        assert item.generator.prompt == "rules 1"
        assert item.hops >= len(set(item.evidence_nodes)) - 1 >= 0
        for one in item.evidence:
            spoken = contract.meeting.utterances[one.utt_id]
            assert (one.text, one.start, one.end) == (spoken.text, spoken.start, spoken.end)


def test_inferential_and_factual_answers_of_the_sample(lantern: IndexedMeeting) -> None:
    found = answers(INFERENTIAL + FACTUAL, lantern)
    objects = found["Who objects when Maya says “Our donkey could carry the lamp, oil up the stairs”?"]
    assert objects[1].speakers == ("S3",)
    assert objects[0].startswith("Oliver, at 3:55: “Absolutely not.")
    refers = found["When Maya says “I painted those trees for six weeks”, what does “those trees” refer to?"]
    assert refers[1].utterances == (5,)
    led = found["Which question leads Oliver to say “I can live with that idea”?"]
    assert led[1].utterances == (24,)
    assert found["Who says “I will write to the farmer”?"][1].speakers == ("S1",)
    assert found["Who talks about the “plumber”?"][1].utterances == (19,)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_meeting_with_next_to_nothing_in_it(count: int, encoder: Any) -> None:
    said = tuple(
        Utterance(id, "A", TimeSpan(10.0 * id, 10.0 * id + 5), "We should water the garden tomorrow.")
        for id in range(count)
    )
    meeting = Meeting("m", "m", 30.0, said, (Speaker("A", "Ada"),) if count else (), "en", has_audio=True)
    indexed = index_in_memory(meeting, encoder=encoder)
    every_item_passes(generate_offline(indexed).items, indexed)
