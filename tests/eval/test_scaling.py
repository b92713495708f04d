"""A meeting is repeated with shifted times, and measured at every length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eval.report.figures import save
from eval.report.scaling import figure, table
from eval.scaling import GAP, Point, measure, read_points, repeated, write_points
from eval.systems import parse
from grga.errors import EvaluationError
from grga.ingest import index_in_memory
from grga.types import Meeting, Speaker, TimeSpan, Utterance


class LengthEncoder:
    """One number per text, so that no model is loaded; ``seen`` counts what was encoded."""

    name, dimension, min_similarity = "length", 2, 0.0

    def __init__(self) -> None:
        self.seen = 0

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        self.seen += len(texts)
        angles = np.array([len(text) / 50 for text in texts], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def encode_query(self, text: str) -> np.ndarray:
        return self.encode_passages([text])[0]


def three_lines() -> Meeting:
    said = ("We need a budget.", "The budget is fine.", "Then we are done.")
    spans = [TimeSpan(2.0 * i, 2.0 * i + 1.5) for i in range(3)]
    utterances = tuple(Utterance(i, "AB"[i % 2], spans[i], text) for i, text in enumerate(said))
    return Meeting("m", "M", 5.5, utterances, (Speaker("A", "Ada"), Speaker("B", "Ben")), "en")


def test_copies_follow_each_other_and_ids_count_on() -> None:
    found = repeated(three_lines(), 7)
    assert [one.id for one in found.utterances] == list(range(7))
    assert [one.text for one in found.utterances[3:6]] == [one.text for one in found.utterances[:3]]
    length = 5.5 + GAP
    assert [one.start for one in found.utterances] == [0, 2, 4, length, length + 2, length + 4, 2 * length]
    assert found.duration == found.utterances[-1].end
    assert repeated(three_lines(), 2).utterances == three_lines().utterances[:2]


def test_every_length_is_measured_and_every_copy_encoded(tmp_path: Path) -> None:
    encoder = LengthEncoder()
    clean = index_in_memory(three_lines(), encoder=encoder)
    before = encoder.seen
    points = list(measure(clean, parse("grga"), sizes=(12, 5), questions=["What about the budget?"]))
    assert [point.utterances for point in points] == [5, 12]
    assert encoder.seen - before >= 12
    assert points[1].edges > points[0].edges
    assert points[1].embed >= points[0].embed
    assert all(point.ask > 0 and point.graph > 0 for point in points)
    write_points(points, tmp_path)
    assert read_points(tmp_path) == points


def test_growth_is_told_as_a_table_and_a_figure(tmp_path: Path) -> None:
    points = [
        Point(
            utterances=n,
            minutes=n / 20,
            edges=5 * n,
            embed=0.01 * n,
            graph=0.001 * n,
            index=0.0001 * n,
            ask=0.1,
            ask_slowest=0.2,
        )
        for n in (100, 5000)
    ]
    assert table(points).rows[1][:6] == ("5,000", "250", "25,000", "50.000", "5.000", "0.500")
    assert table(points).rows[1][-1] == "1.000"
    assert [file.stat().st_size > 1000 for file in save(figure(points), tmp_path, "scaling")] == [True] * 3


def test_nothing_measured_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no lengths were measured"):
        read_points(tmp_path)
