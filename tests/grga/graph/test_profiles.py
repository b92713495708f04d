"""Speaker profiles: only what was counted or said, each with its utterances."""

from __future__ import annotations

import pytest

from grga.graph.profiles import profile_speakers
from grga.graph.roles import stated_roles
from grga.types import Speaker, TimeSpan, Utterance


def meeting(*lines: tuple[str, str]) -> list[Utterance]:
    return [
        Utterance(i, speaker, TimeSpan(10.0 * i, 10.0 * i + (6.0 if speaker == "S1" else 2.0)), text)
        for i, (speaker, text) in enumerate(lines)
    ]


def test_keywords_set_a_speaker_apart_and_rest_on_utterances() -> None:
    spoken = meeting(
        ("S1", "The battery budget is the meeting's budget."),
        ("S2", "The battery needs titanium."),
        ("S1", "Budget first, then the battery."),
        ("S2", "Titanium lasts, and titanium shines."),
    )
    first, second = profile_speakers(spoken, [Speaker("S1", "Ann"), Speaker("S2", "Ben")])
    assert first.profile.facts["keywords"].split(", ")[0] == "budget"
    assert first.profile.evidence["keywords"] == (0,)
    assert second.profile.facts["keywords"] == "titanium"
    assert second.profile.evidence["contributions"] == (1, 3)
    assert first.profile.facts["share"] == "75% of the talk, 2 turns"
    assert (first.talk_seconds, second.talk_seconds) == (12.0, 4.0)
    assert first.profile.source == "statistics"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Hi, I'm Ann and I'm the project manager.", "project manager"),
        ("I'm supposed to be an industrial designer.", "industrial designer"),
        ("My role is the marketing expert", "marketing expert"),
        ("As project manager I have to say no.", "project manager"),
        ("I am the expert in marketing and I want to tell you", "expert in marketing"),
        ("大家好，我是我们公司的市场经理", "市场经理"),
        ("我是小红，是这个菜园的组长", "组长"),
        ("作为项目经理，我觉得太贵", "项目经理"),
        ("I'm not the manager.", None),
        ("I'm talking to the manager.", None),
        ("The project manager is late.", None),
        ("As the marketing manager says, it's dear.", None),
        ("我不是经理", None),
        ("如果我是经理", None),
    ],
)
def test_a_role_is_what_its_holder_says(text: str, role: str | None) -> None:
    stated = stated_roles(meeting(("S1", text)), {"S1": "Ann"})
    assert (stated["S1"].role if stated else None) == role


@pytest.mark.parametrize(
    "text", ["This is our designer, Mei.", "Mei is our designer", "And Mei, the designer, agrees"]
)
def test_a_role_that_others_say_of_a_name(text: str) -> None:
    stated = stated_roles(meeting(("S1", text), ("S2", "Hello.")), {"S1": "Ann", "S2": "Mei Lin"})
    assert stated == {"S2": ("designer", (0,))}


def test_topics_are_where_the_speaker_talks_most() -> None:
    words = ["solar battery cells", "yellow rubber case", "profit cost euros"]
    lines = [("S1" if part == 1 else "S2", words[part]) for part in range(3) for _ in range(24)]
    first, second = profile_speakers(meeting(*lines), [Speaker("S1", "Ann"), Speaker("S2", "Ben")])
    assert set(first.profile.facts["topics"].split(" (")[0].split(", ")) == {"yellow", "rubber", "case"}
    assert len(second.profile.evidence["topics"]) == 2
    assert all(index < 24 or index >= 48 for index in second.profile.evidence["topics"])


def test_an_imported_role_is_kept() -> None:
    spoken = meeting(("S1", "I'm the secretary."))
    (speaker,) = profile_speakers(spoken, [Speaker("S1", "Ann", role="Project Manager")])
    assert speaker.role == "Project Manager"
    assert speaker.profile.facts["role"] == "secretary"
    assert speaker.profile.evidence["role"] == (0,)


def test_a_speaker_without_a_word_has_an_empty_profile() -> None:
    (speaker,) = profile_speakers([], [Speaker("S1", "Ann")])
    assert (speaker.talk_seconds, dict(speaker.profile.facts)) == (0.0, {})
