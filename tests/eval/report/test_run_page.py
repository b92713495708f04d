"""A run's page, figures and ablation table, from answers written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eval.items import EvalItem, Span
from eval.report.ablations import ablation_table
from eval.report.figures import distribution_figure
from eval.report.files import figures, tables
from eval.report.html import page
from eval.report.worst import worst
from eval.runs import Cited, Manifest, Run, RunRecord
from grga.agent.steps import QuestionType
from grga.errors import EvaluationError

NASTY = "<script>alert('x')</script> \"quoted\" & {{ 7 * 7 }}"


def record(
    number: int, system: str, cited: Sequence[tuple[float, float]], *, question: str = "Why?", rounds: int = 1
) -> RunRecord:
    """An answer that cites these spans; the evidence lies from 10 to 20 s."""
    return RunRecord(
        item=EvalItem(
            key=f"q{number}",
            corpus="QMSum",
            meeting=f"m{number % 2}",
            question=question,
            reference="Because.",
            gold=(Span(start=10, end=20),),
        ),
        system=system,
        sentences=(("It says so.", tuple(int(start) for start, _ in cited)),),
        cited=tuple(
            Cited(utterance=int(start), speaker="Ada", start=start, end=end, text=NASTY)
            for start, end in cited
        ),
        found=True,
        kind=QuestionType.FACTUAL if number % 2 else QuestionType.TEMPORAL,
        rounds=rounds,
        tools={"keyword_search": rounds},
        seconds=0.1,
    )


RIGHT, WRONG = (12.0, 14.0), (50.0, 60.0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Four questions: GRGA is right in three of them, Text RAG in one, GRGA without planner in two."""
    result = Run(tmp_path / "run")
    result.write_manifest(
        Manifest(
            corpus="QMSum",
            path="some where/qmsum.jsonl",
            systems=("grga", "text_rag", "grga without planner", "grga without reply_to edges"),
            meetings={"a": "m0", "b": "m1"},
            items=4,
            seed=0,
            limit=None,
            settings={},
            code={"revision": "abc"},
            began=datetime(2026, 1, 2, tzinfo=UTC),
        )
    )
    spans = {
        "grga": [RIGHT, RIGHT, RIGHT, WRONG],
        "text_rag": [WRONG, WRONG, WRONG, RIGHT],
        "grga without planner": [RIGHT, RIGHT, WRONG, WRONG],
        "grga without reply_to edges": [RIGHT, RIGHT, RIGHT, WRONG],
    }
    result.append(
        record(number, system, [span], question=NASTY if number == 3 else f"Why {number}?", rounds=number + 1)
        for system, some in spans.items()
        for number, span in enumerate(some)
    )
    return result


def test_the_page_needs_nothing_from_outside_and_text_stays_text(run: Run) -> None:
    text = page(run)
    assert "<script" not in text
    assert "&lt;script&gt;alert" in text
    assert "{{ 7 * 7 }}" in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert not re.findall(r'(?:src|href)="(?!#|data:)', re.sub(r'xlink:href="#', '="#', text))
    assert text.count("<svg ") == 3


def test_the_page_leads_with_the_difference_and_says_what_is_the_papers(run: Run) -> None:
    text = page(run)
    assert "75.0" in text
    assert "25.0" in text
    assert "points between GRGA and Text RAG, same questions" in text
    assert "GRGA, AMI (reported by the paper)" in text
    assert (
        "python -m eval run --corpus qmsum --path &#39;some where/qmsum.jsonl&#39; --system grga "
        "--system text_rag --system grga-planner --system grga-reply_to_edges --out DIR"
    ) in text


def test_the_worst_answer_comes_first_with_what_others_said(run: Run) -> None:
    first, *others = worst(list(run.records()))
    assert first.item == "q3"
    assert [said.system for said in first.answers] == ["GRGA", "Text RAG"]
    assert [said.precision for said in first.answers] == [0.0, 100.0]
    assert first.gold_times == "0:10–0:20"
    assert len(others) == 3


def test_ablations_count_changed_answers_and_keep_the_papers_numbers_apart(run: Run) -> None:
    table = ablation_table(list(run.records()))
    rows = {row[0]: row for row in table.rows}
    assert rows["whole"][5] == "49.49"
    planner = rows["without planner"]
    assert planner[2].startswith("-25.0 [")
    assert planner[4:] == ("1 of 4", "44.68", "-4.81")
    edges = rows["without reply_to edges"]
    assert edges[2:] == ("0.0 [0.0, 0.0]", "–", "0 of 4", "–", "–")


def test_tables_and_figures_are_files(run: Run, tmp_path: Path) -> None:
    records = list(run.records())
    found = tables(records)
    assert set(found) == {"citations", "paired", "ablations", "costs", "steps"}
    assert ("grga, factual", "3.00", "3.00", "2") in found["steps"].rows
    figures(records, tmp_path / "out")
    drawn = {file.name for file in (tmp_path / "out").iterdir()}
    assert drawn == {
        f"{name}.{ending}" for name in ("citations", "ablations", "steps") for ending in ("png", "svg", "pdf")
    }


def test_an_empty_run_has_no_page(tmp_path: Path, run: Run) -> None:
    empty = Run(tmp_path / "empty")
    empty.write_manifest(run.manifest())
    with pytest.raises(EvaluationError, match="there are no answers"):
        page(empty)


def test_the_mix_of_types_is_drawn_with_its_numbers() -> None:
    drawing = distribution_figure("AMI", {"factual": 30, "temporal": 10, "acoustic": 0})
    (panel,) = drawing.axes
    assert [text.get_text() for text in panel.texts] == ["30 (75 %)", "10 (25 %)", "0 (0 %)"]
    assert panel.get_title() == "AMI: 40 questions by type"
