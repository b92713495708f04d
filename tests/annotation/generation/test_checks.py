"""Each check finds what it is for, and lets a good item pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.generation.checks import CHECKS, check
from annotation.generation.sounds import backed
from annotation.schema import Evidence, Generator, QAItem
from grga.agent.steps import QuestionType
from grga.store import IndexedMeeting

Make = Callable[..., QAItem]
TEMPORAL, ACOUSTIC, INFERENTIAL = QuestionType.TEMPORAL, QuestionType.ACOUSTIC, QuestionType.INFERENTIAL


def failed(item: QAItem, meeting: IndexedMeeting, *others: QAItem) -> dict[str, str]:
    return {one.name: one.reason for one in check(item, meeting, others) if not one.passed}


def test_a_good_item_passes_every_check(item: Make, contract: IndexedMeeting) -> None:
    results = check(item(), contract)
    assert [one.name for one in results] == list(CHECKS)
    assert all(one.passed and one.reason for one in results)


def sounding(**values: Any) -> dict[str, Any]:
    return {"type": ACOUSTIC, "subtask": "emotion & intensity", **values}


FAULTS: dict[str, tuple[str, tuple[int, ...], dict[str, Any], str]] = {
    "a quote that nobody said": (
        "quotes are said",
        (8,),
        {"answer": "Tom: “a fee of three hundred euros”."},
        "nobody says “a fee of three hundred euros”",
    ),
    "the answer's words in the question": (
        "answer not in the question",
        (8,),
        {"question": "How much is the service fee of two hundred euros?"},
        "every word of the answer stands in the question",
    ),
    "the person asked for in the question": (
        "answer not in the question",
        (8,),
        {"question": "Who is Tom, who announces a fee?", "answer": "Tom does."},
        "the question names the person it asks for",
    ),
    "a question about a murmur": (
        "not about a backchannel",
        (8,),
        {"question": "Who says “Mm-hmm yeah”?", "answer": "Tom."},
        "“Mm-hmm yeah” only signals listening",
    ),
    "a time elsewhere": (
        "times fit the evidence",
        (8,),
        {"question": "Which fee does Tom name at 0:10?", "answer": "The service fee."},
        "none of the evidence lies at “at 0:10”",
    ),
    "a time after the end": (
        "times fit the evidence",
        (8,),
        {"question": "Which fee does Tom name at 7:30?", "answer": "The service fee."},
        "“at 7:30” is after the meeting's end (1:35)",
    ),
    "a time in the answer that the evidence does not show": (
        "times fit the evidence",
        (8,),
        {"answer": "Two hundred euros, at 0:20."},
        "0:20 in the answer lies outside of the evidence",
    ),
    "a person who is not in the evidence": (
        "speakers fit the evidence",
        (8,),
        {"question": "How much is the fee that Rosa announces?"},
        "Rosa neither speaks nor is named in the evidence",
    ),
    "an emotion that nobody measured": (
        "sound is measured",
        (9,),
        sounding(question="Why does Rosa sound so angry?", answer="Tom broke a promise."),
        "“angry” names an emotion, and none was measured",
    ),
    "a loud remark that is not the loudest": (
        "sound is measured",
        (8,),
        sounding(question="Which remark is the loudest?", answer="Tom's about the fee."),
        "utterance 9 is more so",
    ),
    "a raised voice that was not raised": (
        "sound is measured",
        (8,),
        sounding(question="When does Tom become louder than usual?", answer="At the fee."),
        "nothing in the evidence is clearly “loud”",
    ),
    "an acoustic question about words": (
        "needs its ears, or none",
        (8,),
        sounding(question="Which fee does Tom announce?", answer="A service fee."),
        "it does not ask about a sound, so the transcript answers it",
    ),
    "a question about a sound among the factual ones": (
        "needs its ears, or none",
        (9,),
        {"question": "Who speaks the loudest?", "answer": "Rosa."},
        "it asks how something sounded (loud)",
    ),
    "a count that counts nothing": (
        "subtask fits",
        (8,),
        {"type": TEMPORAL, "subtask": "frequency statistics", "question": "When is the fee named?"},
        "nothing in the question asks for frequency statistics",
    ),
    "a reference without its words": (
        "subtask fits",
        (8,),
        {"type": INFERENTIAL, "subtask": "coreference resolution", "question": "What is it that Tom means?"},
        "the words whose meaning is asked for are not quoted",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_named(fault: str, item: Make, contract: IndexedMeeting) -> None:
    name, evidence, values, reason = FAULTS[fault]
    assert failed(item(*evidence, **values), contract)[name] == reason


def test_evidence_that_is_not_there(item: Make, contract: IndexedMeeting) -> None:
    ghost = Evidence(utt_id=99, start=60, end=68, speaker="Tom", text="A fee.")
    assert failed(item(evidence=(ghost,)), contract)["evidence exists"] == "the meeting has no utterance 99"


def test_marked_times_may_be_narrower_than_the_utterance_but_not_elsewhere(
    item: Make, contract: IndexedMeeting
) -> None:
    [whole] = item().evidence
    narrow = whole.model_copy(update={"start": 62.0, "end": 65.0})
    assert failed(item(evidence=(narrow,)), contract) == {}
    elsewhere = whole.model_copy(update={"start": 10.0, "end": 12.0})
    assert "evidence exists" in failed(item(evidence=(elsewhere,)), contract)


def test_evidence_with_the_words_or_the_speaker_of_another(item: Make, contract: IndexedMeeting) -> None:
    [right] = item().evidence
    words = right.model_copy(update={"text": "There is a new service fee of nine euros."})
    assert failed(item(evidence=(words,)), contract) == {
        "quotes are said": "utterance 8 has other words than the evidence says"
    }
    speaker = right.model_copy(update={"speaker": "Ben"})
    assert failed(item(evidence=(speaker,)), contract) == {
        "speakers fit the evidence": "utterance 8 is spoken by Tom, not by Ben"
    }


def test_a_murmur_may_prove_agreement_beside_a_proposal(item: Make, contract: IndexedMeeting) -> None:
    [proposal] = item(7).evidence
    murmur = proposal.model_copy(update={"text": "Mm-hmm."})
    assert "not about a backchannel" in failed(item(evidence=(murmur,)), contract)
    beside = murmur.model_copy(update={"utt_id": 8, "start": 60, "end": 68, "speaker": "Tom"})
    assert "not about a backchannel" not in failed(item(evidence=(proposal, beside)), contract)


def test_the_loudest_remark_passes_until_somebody_speaks_of_it(item: Make, contract: IndexedMeeting) -> None:
    question = sounding(
        question="Which remark is the loudest of the whole meeting?", answer="Rosa's at 1:09."
    )
    loud = item(9, **question)
    assert failed(loud, contract) == {}
    from dataclasses import replace

    said = list(contract.meeting.utterances)
    said[10] = replace(said[10], text="Rosa, there is no need to shout.")
    told = replace(contract, meeting=replace(contract.meeting, utterances=tuple(said)))
    assert failed(loud, told) == {
        "needs its ears, or none": "the transcript gives it away: “Rosa, there is no need to shout.”"
    }


def test_the_same_question_in_other_words_is_a_duplicate(item: Make, contract: IndexedMeeting) -> None:
    twin = item(key="contract-2", question="How much is Tom's new service fee announced?")
    assert "not a duplicate" in failed(item(), contract, twin)
    assert failed(item(), contract, item(key="contract-3", meeting="another")) == {}
    assert failed(item(), contract, item()) == {}  # itself


CLAIMS: dict[str, tuple[int, str, str, str | None]] = {
    "what was measured": (6, "How does Rosa sound?", "Angry, at 0:45.", None),
    "another emotion": (6, "How does Rosa sound?", "Sad.", "“sad” is not among what was measured: angry"),
    "a presupposed emotion": (
        9,
        "Why does Maria sound angry at 1:12?",
        "The plan stays.",
        "“angry” is not among what was measured: neutral",
    ),
    "a denial that is true": (9, "Does Maria sound angry at 1:12?", "No: it sounds neutral.", None),
    "a denial of what was measured": (
        6,
        "Does Rosa sound angry at 0:45?",
        "No: it sounds neutral.",
        "“angry” is what was measured",
    ),
    "laughter that was heard": (11, "In whose remark is laughter heard?", "Ben, at 1:30.", None),
    "laughter that was not": (
        9,
        "In whose remark is laughter heard?",
        "Maria, at 1:12.",
        "nothing in the evidence is clearly “laugh”",
    ),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_about_an_emotion_or_a_sound_needs_its_label(claim: str, lamp: IndexedMeeting) -> None:
    utterance, question, answer, reason = CLAIMS[claim]
    item = QAItem(
        key="lamp-1",
        meeting="lamp",
        type=QuestionType.ACOUSTIC,
        subtask="emotion & intensity",
        question=question,
        answer=answer,
        evidence=(Evidence.of(lamp.meeting, utterance),),
        language="en",
        generator=Generator(name="offline"),
    )
    assert backed(item, lamp) == reason
