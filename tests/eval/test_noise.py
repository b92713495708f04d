"""Injected errors have the rate that was asked for, and leave ids and times alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from eval.corpora import open_corpus
from eval.grid import Grid, run_grid
from eval.noise import (
    DER_TOLERANCE,
    WER_TOLERANCE,
    measured_der,
    measured_wer,
    with_der,
    with_wer,
    words_of,
)
from eval.report.noise import measure, tables, write
from eval.systems import parse_all
from grga.config import load_config
from grga.errors import EvaluationError
from grga.types import Meeting, Speaker, TimeSpan, Utterance


def meeting(lines: list[tuple[str, float, str]], language: str = "en") -> Meeting:
    """A meeting of (speaker, seconds, text), one line after the other."""
    said, at = [], 0.0
    for id, (speaker, seconds, text) in enumerate(lines):
        said.append(Utterance(id, speaker, TimeSpan(at, at + seconds), text))
        at += seconds
    people = tuple(Speaker(name, name) for name in dict.fromkeys(one.speaker for one in said))
    return Meeting("m", "M", at, tuple(said), people, language)


def long_meeting() -> Meeting:
    """Four speakers, 300 lines, 3,000 words."""
    random = Random(3)
    vocabulary = [f"word{number}" for number in range(400)]
    return meeting(
        [
            (random.choice("ABCD"), random.uniform(1, 9), " ".join(random.choices(vocabulary, k=10)) + ".")
            for _ in range(300)
        ]
    )


@pytest.mark.parametrize("rate", [0.05, 0.188, 0.336, 0.6])
def test_words_go_wrong_at_the_rate_asked_for(rate: float) -> None:
    clean = long_meeting()
    noisy = with_wer(clean, rate, seed=1)
    assert noisy.rate == pytest.approx(rate, abs=WER_TOLERANCE)
    assert noisy.rate == measured_wer(clean, noisy.meeting)
    assert [(one.id, one.span, one.speaker) for one in noisy.meeting.utterances] == [
        (one.id, one.span, one.speaker) for one in clean.utterances
    ]
    own = {word for one in clean.utterances for word in words_of(one.text)}
    assert {word for one in noisy.meeting.utterances for word in words_of(one.text)} <= own
    assert all(words_of(one.text) for one in noisy.meeting.utterances)


@pytest.mark.parametrize("rate", [0.1, 0.176, 0.524])
def test_speakers_go_wrong_at_the_rate_asked_for(rate: float) -> None:
    clean = long_meeting()
    noisy = with_der(clean, rate, seed=1)
    assert noisy.rate == pytest.approx(rate, abs=DER_TOLERANCE)
    assert noisy.rate == measured_der(clean, noisy.meeting)
    assert [(one.id, one.span, one.text) for one in noisy.meeting.utterances] == [
        (one.id, one.span, one.text) for one in clean.utterances
    ]
    assert {one.speaker for one in noisy.meeting.utterances} <= set("ABCD")


def test_the_same_seed_gives_the_same_errors_and_another_seed_others() -> None:
    clean = long_meeting()
    assert with_wer(clean, 0.3, 7) == with_wer(clean, 0.3, 7)
    assert with_der(clean, 0.3, 7) == with_der(clean, 0.3, 7)
    assert with_wer(clean, 0.3, 7) != with_wer(clean, 0.3, 8)
    assert with_der(clean, 0.3, 7) != with_der(clean, 0.3, 8)


def test_no_noise_is_the_meeting_itself() -> None:
    clean = long_meeting()
    assert with_wer(clean, 0.0, 1).meeting is clean
    assert with_der(clean, 0.0, 1).meeting is clean


def test_wer_and_der_are_those_computed_by_hand() -> None:
    right = meeting([("A", 6, "we need a bigger case"), ("B", 3, "why"), ("B", 1, "tell me")])
    # One of eight words substituted, one left out; three of ten seconds with the wrong speaker.
    heard = meeting([("A", 6, "we need bigger cases"), ("A", 3, "why"), ("B", 1, "Tell me!")])
    assert measured_wer(right, heard) == pytest.approx(2 / 8)
    assert measured_der(right, heard) == pytest.approx(3 / 10)


def test_names_of_labels_do_not_matter_to_der() -> None:
    right = meeting([("A", 6, "yes"), ("B", 4, "no")])
    swapped = meeting([("B", 6, "yes"), ("A", 4, "no")])
    assert measured_der(right, swapped) == 0.0


def test_mandarin_is_counted_by_character_and_stays_without_spaces() -> None:
    clean = meeting([("A", 5, "我们应该把预算再提高一点，因为成本上升了。")] * 40)
    noisy = with_wer(clean, 0.25, seed=2)
    assert noisy.rate == pytest.approx(0.25, abs=WER_TOLERANCE)
    assert not any(" " in one.text for one in noisy.meeting.utterances)


def test_a_rate_that_two_speakers_cannot_have_is_reported_as_it_came_out() -> None:
    clean = meeting([("AB"[id % 2], 2, "well") for id in range(40)])
    noisy = with_der(clean, 0.9, seed=1)
    assert noisy.rate == measured_der(clean, noisy.meeting) <= 0.5


def test_one_speaker_stays_one_speaker() -> None:
    clean = meeting([("A", 2, "well"), ("A", 2, "then")])
    assert with_der(clean, 0.5, seed=1).meeting == clean


@pytest.mark.slow
def test_a_grid_is_asked_once_per_cell_and_told_with_the_papers_numbers_apart(
    mini_qmsum: Callable[[int], Path], tmp_path: Path
) -> None:
    path, systems = mini_qmsum(2), parse_all(["grga", "text_rag"])
    config = load_config(overrides={"home": tmp_path / "home"})
    lines: list[str] = []

    def ask() -> Grid:
        return run_grid(
            open_corpus("qmsum", path), path, systems, config, tmp_path / "grid", say=lines.append
        )

    grid = ask()
    noise = grid.noise()
    assert len(noise.cells) == 9
    for cell in noise.cells:
        records = list(grid.run(cell).records())
        assert len(records) == 8
        assert not any(one.error for one in records)
    clean, worst = (list(grid.run((name, name)).records()) for name in ("reference", "high"))
    quotes = {one.text for record in clean for one in record.cited}
    assert any(one.text not in quotes for record in worst for one in record.cited)

    ask()
    assert lines[-1].endswith("0 meetings left")
    assert len(list(grid.run(("high", "high")).records())) == 8

    told = write(grid)
    assert "reported by the paper" in told
    grid_table, rates = tables(measure(grid))
    assert len(grid_table.rows) == 9
    assert grid_table.rows[0][-2:] == ("59.84", "54.47")
    assert grid_table.rows[4][-2:] == ("–", "–")
    assert [row[0] for row in rates.rows][:3] == [
        "Words (WER), reference",
        "Words (WER), pipeline",
        "Words (WER), high",
    ]
    for name in ("noise.png", "noise.svg", "noise.pdf", "noise.csv", "rates.tex", "report.md"):
        assert (grid.folder / name).stat().st_size > 100

    with pytest.raises(EvaluationError, match="holds a grid with other noise"):
        run_grid(open_corpus("qmsum", path), path, systems, config, grid.folder, seed=5, say=lines.append)
