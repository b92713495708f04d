from __future__ import annotations

from collections.abc import Callable

import pytest

from eval.human.blinding import normalised, plain, scan
from eval.human.study import Candidate, Study
from eval.records import Clip

MakeStudy = Callable[..., Study]


def said(study: Study, text: str, clips: int = 1) -> Study:
    """Return the study with ``text`` as the first system's answer to its first question."""
    given = Candidate(system="blue", text=text, clips=tuple(Clip(start=n, end=n + 1) for n in range(clips)))
    first = study.items[0].model_copy(update={"candidates": (given, study.items[0].candidates[1])})
    return study.model_copy(update={"items": (first, *study.items[1:])})


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**The fee** is 250 [utt12].", "The fee is 250."),
        ("- The fee is 250 [utterance 3, utterance 4].", "The fee is 250."),
        ("The fee is 250 (12.5 - 14.0).", "The fee is 250."),
        ("The fee is 250 [1:02:03 – 1:02:09].", "The fee is 250."),
        ("“The fee” is 250【0:34】.", '"The fee" is 250.'),
        ("The fee (250) was named in 2024 [1].", "The fee (250) was named in 2024 [1]."),
    ],
)
def test_marks_and_markup_of_a_systems_own_kind_go(written: str, shown: str) -> None:
    assert plain(written) == shown


def test_a_mark_that_points_to_no_clip_goes(a_study: MakeStudy) -> None:
    study = normalised(said(a_study(1), "The fee is 250 [1] and rises [7].", clips=1))
    assert study.items[0].candidates[0].text == "The fee is 250 [1] and rises."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("As an AI, I heard 250.", "speaks of itself"),
        ("根据提供的内容，费用是250。", "speaks of itself"),
        ("Blue thinks it is 250.", "names 'Blue'"),
        ("Qwen says 250.", "names 'Qwen'"),
        ("# Fee\n250", "has a format of its own"),
    ],
)
def test_what_gives_a_system_away_is_found(a_study: MakeStudy, text: str, problem: str) -> None:
    found = scan(said(a_study(1), text))
    assert [(one.item, one.system, one.problem) for one in found] == [("q1", "blue", problem)]


def test_a_name_that_the_question_uses_is_no_leak(a_study: MakeStudy) -> None:
    study = said(a_study(1), "The blue one [1].")
    asked = study.items[0].model_copy(update={"question": "Blue or green?"})
    assert scan(study.model_copy(update={"items": (asked,)})) == ()


def test_habits_of_one_system_are_found_over_the_whole_study(a_study: MakeStudy) -> None:
    study = a_study(6)
    items = []
    for number, one in enumerate(study.items):
        silent = one.candidates[1].model_copy(update={"clips": (), "text": f"{number} times it was said"})
        items.append(one.model_copy(update={"candidates": (one.candidates[0], silent)}))
    problems = {one.problem for one in scan(study.model_copy(update={"items": tuple(items)}))}
    assert problems == {
        "it always cites, unlike green",
        "it always ends without a full stop, unlike blue",
        "its answers often begin 'Ann says'",
    }
