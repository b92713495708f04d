"""Who talks beside the speaker of a line follows the corrections of who speaks."""

from __future__ import annotations

import pytest

from grga.edits.apply import Known, applied
from grga.edits.overlay import Overlay
from grga.types import Meeting, Speaker, TimeSpan, Utterance


def meeting(*rows: tuple[str, str | None]) -> Meeting:
    """One line per (speaker, who talks beside them)."""
    lines = tuple(
        Utterance(i, who, TimeSpan(i, i + 1), "yes", second_speaker=second)
        for i, (who, second) in enumerate(rows)
    )
    speakers = tuple(Speaker(id, id) for id in sorted({who for who, _ in rows}))
    return Meeting("m", "Talk", len(rows), lines, speakers)


def corrected(before: Meeting, speakers: dict[int, str]) -> list[tuple[str, str | None]]:
    spoken = {one.speaker for one in before.utterances if one.id not in speakers} | set(speakers.values())
    gone = frozenset(one.id for one in before.speakers if one.id not in spoken)
    after = applied(before, Overlay(speakers=speakers, gone=gone), Known())
    return [(one.speaker, one.second_speaker) for one in after.utterances]


@pytest.mark.parametrize(
    ("speakers", "expected"),
    [
        # The words turn out to be Ben's: then it is Ann who talks beside them.
        ({0: "Ben"}, [("Ben", "Ann"), ("Ben", None), ("Cem", "Ben"), ("Ann", None)]),
        # They are Cem's: Ben still talks beside them.
        ({0: "Cem"}, [("Cem", "Ben"), ("Ben", None), ("Cem", "Ben"), ("Ann", None)]),
        # Ben was Ann all the time: nobody talks beside herself.
        ({1: "Ann"}, [("Ann", None), ("Ann", None), ("Cem", "Ann"), ("Ann", None)]),
        # Ann was Ben all the time.
        ({0: "Ben", 3: "Ben"}, [("Ben", None), ("Ben", None), ("Cem", "Ben"), ("Ben", None)]),
    ],
)
def test_the_second_speaker_follows_corrections(
    speakers: dict[int, str], expected: list[tuple[str, str | None]]
) -> None:
    before = meeting(("Ann", "Ben"), ("Ben", None), ("Cem", "Ben"), ("Ann", None))
    assert corrected(before, speakers) == expected


def test_a_second_speaker_whose_lines_went_to_several_is_nobody_any_more() -> None:
    before = meeting(("Ann", "Ben"), ("Ben", None), ("Ben", None), ("Cem", None))
    assert corrected(before, {1: "Ann", 2: "Cem"})[0] == ("Ann", None)
