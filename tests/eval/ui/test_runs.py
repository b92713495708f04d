"""Two runs are compared item by item; what they say is shown as text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from eval.comparing import Side, answers, compare, differing, list_runs, tally
from eval.items import EvalItem, Span
from eval.runs import Cited, Manifest, Run, RunRecord
from eval.ui.runs_panel import sides
from eval.ui.runs_view import PAGE, heads, pairs_html, summary_html

HOSTILE = '<img src=x onerror=alert(1)> ${alert(1)} {{7*7}} `" \\'
RIGHT, WRONG = (12.0, 14.0), (50.0, 60.0)


def answer(key: str, system: str, cited: tuple[float, float]) -> RunRecord:
    return RunRecord(
        item=EvalItem(
            key=key,
            corpus="QMSum",
            meeting="m-1",
            question=HOSTILE,
            reference=HOSTILE,
            gold=(Span(start=10, end=20),),
        ),
        system=system,
        sentences=((HOSTILE, (3,)),),
        cited=(Cited(utterance=3, speaker="Ada", start=cited[0], end=cited[1], text=HOSTILE),),
        found=True,
    )


def make(folder: Path, day: int, answers_: list[RunRecord]) -> None:
    run = Run(folder)
    systems = tuple(dict.fromkeys(one.system for one in answers_))
    run.write_manifest(
        Manifest(
            corpus="QMSum",
            path="p",
            systems=systems,
            meetings={"m": "m-1"},
            items=3,
            seed=0,
            limit=None,
            settings={},
            code={},
            began=datetime(2026, 1, day, tzinfo=UTC),
        )
    )
    run.append(answers_)


def test_runs_are_listed_newest_first_and_a_damaged_one_says_so(tmp_path: Path) -> None:
    make(tmp_path / "old", 1, [answer("a", "grga", RIGHT)])
    make(tmp_path / "new", 2, [answer("a", "grga", RIGHT)])
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{", "utf-8")
    (tmp_path / "something else").mkdir()
    lines = list_runs(tmp_path)
    assert [line.name for line in lines] == ["new", "old", "broken"]
    assert "there is no run in" in lines[2].problem
    assert [line.name for line in list_runs(tmp_path / "old")] == ["old"]
    assert list_runs(tmp_path / "nowhere") == []


def test_the_side_whose_citations_lie_nearer_is_better(tmp_path: Path) -> None:
    make(tmp_path / "one", 1, [answer(key, "grga", RIGHT) for key in "abc"])
    make(
        tmp_path / "two",
        2,
        [answer("a", "grga", WRONG), answer("b", "grga", RIGHT), answer("d", "grga", RIGHT)],
    )
    known = {line.name: Side(line, "grga") for line in list_runs(tmp_path)}
    pairs = compare(known["one"], known["two"])
    assert [(pair.first.item.key, pair.better, pair.by, pair.f1) for pair in pairs] == [
        ("a", "first", "citations", (1.0, 0.0)),
        ("b", "same", "citations", (1.0, 1.0)),
    ]
    assert [pair.first.item.key for pair in differing(pairs)] == ["a"]
    assert tally(pairs) == {"first": 1, "second": 0, "same": 1}


def test_an_answer_key_outweighs_citations(tmp_path: Path) -> None:
    make(tmp_path / "one", 1, [answer("a", "grga", RIGHT), answer("a", "text_rag", WRONG)])
    lines = [
        {"item": "a", "system": system, "scorer": "answer key", "value": value, "reason": "", "details": {}}
        for system, value in (("grga", 0.0), ("text_rag", 1.0))
    ]
    (tmp_path / "one" / "scores.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
    )
    (pair,) = compare(*sides(list_runs(tmp_path)).values())
    assert (pair.better, pair.by, pair.right) == ("second", "key", (False, True))


def test_a_run_that_goes_on_is_read_again(tmp_path: Path) -> None:
    make(tmp_path / "one", 1, [answer("a", "grga", RIGHT)])
    side = Side(list_runs(tmp_path)[0], "grga")
    assert set(answers(side)) == {"a"}
    Run(tmp_path / "one").append([answer("b", "grga", RIGHT)])
    assert set(answers(side)) == {"a", "b"}


def test_every_system_of_every_run_can_be_chosen(tmp_path: Path) -> None:
    make(tmp_path / "one", 1, [answer("a", "grga", RIGHT), answer("a", "text_rag", WRONG)])
    known = sides(list_runs(tmp_path))
    assert list(known) == ["GRGA · one", "Text RAG · one"]
    assert heads(*known.values()) == ("GRGA", "Text RAG")
    assert heads(known["GRGA · one"], known["GRGA · one"]) == ("GRGA · one", "GRGA · one")


def test_text_of_runs_stays_text_and_moments_play_only_where_there_is_sound(tmp_path: Path) -> None:
    make(tmp_path / "one", 1, [answer("a", "grga", RIGHT), answer("a", "text_rag", WRONG)])
    pairs = compare(*sides(list_runs(tmp_path)).values())
    silent = pairs_html(pairs, 0, ("GRGA", "Text RAG"), lambda meeting: False)
    assert "<img" not in silent
    assert "&lt;img src=x" in silent
    assert not {"${", "{{", "`"} & {silent[i : i + n] for n in (1, 2) for i in range(len(silent))}
    assert "data-hear" not in silent
    heard = pairs_html(pairs, 0, ("GRGA", "Text RAG"), lambda meeting: True)
    assert heard.count('data-hear="grga/audio/m-1"') == 3  # gold and one citation on each side
    assert 'data-from="12.000" data-to="14.000"' in heard
    assert "<b>1</b><span>GRGA is nearer</span>" in summary_html(pairs, ("GRGA", "Text RAG"))


def test_many_questions_come_in_pages(tmp_path: Path) -> None:
    keys = [f"q{number:02}" for number in range(PAGE + 5)]
    make(tmp_path / "one", 1, [answer(key, system, RIGHT) for key in keys for system in ("grga", "text_rag")])
    pairs = compare(*sides(list_runs(tmp_path)).values())
    first = pairs_html(pairs, 0, ("A", "B"), lambda meeting: False)
    second = pairs_html(pairs, 1, ("A", "B"), lambda meeting: False)
    assert first.count("<article") == PAGE
    assert second.count("<article") == 5
    assert 'data-by="1"' in first
    assert 'data-by="-1"' not in first
    assert "21 to 25 of 25" in second
