"""Agreement equals what others published, and says why where it is not defined."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.agreement import (
    Measure,
    Rating,
    alpha_of_counts,
    cohen_kappa,
    fleiss_kappa,
    fleiss_of_counts,
    kappa_of_table,
    krippendorff_alpha,
    mean,
)
from annotation.verdict_agreement import describe, verdict_agreement
from annotation.verdicts import read_verdict
from annotation.workflow import adjudicate, judge, set_gold

Desk = Any  # of conftest.py, which tests cannot import


def ratings(file: Path) -> list[Rating]:
    with file.open(newline="") as lines:
        return [Rating(row["item"], row["rater"], row["value"]) for row in csv.DictReader(lines)]


def numbers(file: Path) -> Any:
    """Return a table of counts without its header and its first column."""
    with file.open(newline="") as lines:
        return np.array([[int(cell) for cell in row[1:]] for row in list(csv.reader(lines))[1:]])


def expected(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    entries = json.loads((folder / "expected.json").read_text())
    return {
        (one["file"], one["measure"].replace("weights=", "")): one for one in entries if one.get("published")
    }


def compute(folder: Path, file: str, measure: str) -> float | None:
    """Return what we get for one published value."""
    kind, *detail = measure.split()
    level: Any = detail[0] if detail else "nominal"
    weights = level if level in ("linear", "quadratic") else None
    if file == "fleiss1971_counts.csv":
        return fleiss_of_counts(numbers(folder / file))
    if file == "sas_cohen_table_3x3.csv":
        return kappa_of_table(numbers(folder / file), weights)
    given = ratings(folder / file)
    if kind == "fleiss_kappa":
        return fleiss_kappa(given).value
    if kind == "krippendorff_alpha":
        return krippendorff_alpha(given, level).value
    first, second = sorted({one.rater for one in given})[-2:]
    return cohen_kappa(given, first, second, weights=weights).value


PUBLISHED = [
    ("fleiss1971_counts.csv", "fleiss_kappa"),
    ("diagnoses_30x6.csv", "fleiss_kappa"),
    ("anxiety_likert_20x3.csv", "cohen_kappa None"),
    ("anxiety_likert_20x3.csv", "cohen_kappa linear"),
    ("anxiety_likert_20x3.csv", "cohen_kappa quadratic"),
    ("sklearn_cohen_5.csv", "cohen_kappa"),
    ("sas_cohen_table_3x3.csv", "cohen_kappa unweighted"),
    ("sas_cohen_table_3x3.csv", "cohen_kappa linear weights"),
    ("krippendorff_wikipedia_3x15.csv", "krippendorff_alpha nominal"),
    ("krippendorff_wikipedia_3x15.csv", "krippendorff_alpha interval"),
    ("krippendorff2011_4x12.csv", "krippendorff_alpha nominal"),
    ("krippendorff2011_4x12.csv", "krippendorff_alpha ordinal"),
    ("krippendorff2011_4x12.csv", "krippendorff_alpha interval"),
    ("krippendorff2011_4x12.csv", "krippendorff_alpha ratio"),
    ("nltk_easy_negative.csv", "krippendorff_alpha nominal"),
]


@pytest.mark.parametrize(("file", "measure"), PUBLISHED)
def test_published_values(shared_data: Path, file: str, measure: str) -> None:
    entry = expected(shared_data / "agreement")[file, measure]
    value = compute(shared_data / "agreement", file, measure)
    assert value == pytest.approx(entry["published"], abs=0.5 * 10 ** -entry["digits"])
    assert value == pytest.approx(entry["computed"], abs=1e-9)


def test_every_published_value_is_tested(shared_data: Path) -> None:
    assert set(expected(shared_data / "agreement")) == set(PUBLISHED)


def test_thousands_of_clips_with_any_number_of_votes(shared_data: Path) -> None:
    with gzip.open(shared_data / "agreement" / "crema_d_votes.csv.gz", "rt", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["row"].startswith("1")]
    votes = np.array([[int(row[one]) for one in "ADFHNS"] for row in rows])
    assert len(votes) == 7442
    assert alpha_of_counts(votes) == pytest.approx(0.28110324021267363, abs=1e-9)


# --- intervals --------------------------------------------------------------------------------------


def pair(first: str, second: str) -> list[Rating]:
    """Return two raters' answers, one letter per item."""
    return [
        Rating(str(item), rater, value)
        for rater, values in (("ana", first), ("ben", second))
        for item, value in enumerate(values)
    ]


def test_intervals_are_the_same_for_the_same_seed_and_hold_the_value() -> None:
    given = pair("aaaabbbbccab", "aaabbbbbccac")
    for measure in (cohen_kappa(given, "ana", "ben"), fleiss_kappa(given), krippendorff_alpha(given)):
        assert measure.value is not None
        assert measure.low is not None
        assert measure.high is not None
        assert measure.low < measure.value < measure.high <= 1
    assert cohen_kappa(given, "ana", "ben") == cohen_kappa(given, "ana", "ben")
    assert cohen_kappa(given, "ana", "ben", seed=1).low != cohen_kappa(given, "ana", "ben").low


def test_the_interval_of_a_mean_is_what_resampling_gives() -> None:
    values = [0.0, 1.0] * 50
    measure = mean("share", values, "nothing")
    assert measure.value == 0.5
    assert (measure.low, measure.high) == (pytest.approx(0.4, abs=0.02), pytest.approx(0.6, abs=0.02))


def test_perfect_agreement_is_one() -> None:
    given = pair("aabb", "aabb")
    assert cohen_kappa(given, "ana", "ben").value == 1
    assert fleiss_kappa(given).value == 1
    assert krippendorff_alpha(given).value == 1


# --- not defined ------------------------------------------------------------------------------------


def test_one_answer_only_is_explained() -> None:
    given = pair("aaa", "aaa")
    for measure in (cohen_kappa(given, "ana", "ben"), fleiss_kappa(given), krippendorff_alpha(given)):
        assert measure.value is None
        assert measure.explanation == (
            "everybody always said a: where only one answer occurs, agreement cannot be told from chance"
        )


def test_no_item_in_common_is_explained() -> None:
    given = [Rating("1", "ana", "a"), Rating("2", "ben", "b")]
    assert cohen_kappa(given, "ana", "ben").explanation == "ana and ben have judged no item in common"
    assert fleiss_kappa(given).explanation == "no item has been judged by two people"
    assert krippendorff_alpha(given).explanation == "no item has been judged by two people"
    assert krippendorff_alpha([]).value is None


def test_a_single_item_gives_no_interval() -> None:
    measure = krippendorff_alpha(pair("a", "b"))
    assert measure == Measure(
        "Krippendorff's alpha (nominal)", 0.0, items=1, explanation="a single item gives no interval"
    )


def test_fleiss_says_what_it_leaves_out() -> None:
    given = [*pair("aabb", "aabb"), Rating("0", "eva", "b")]
    measure = fleiss_kappa(given)
    assert (measure.value, measure.items) == (1, 3)
    assert measure.explanation == "1 item is left out, judged by another number of people than 2"


# --- verdicts ---------------------------------------------------------------------------------------


def test_agreement_on_verdicts_and_evidence(desk: Desk) -> None:
    """By hand: 4 of 5 the same, chance (3*4+2*1)/25, so kappa (0.8-0.56)/(1-0.56) = 6/11."""
    desk.add(*(f"m1-{number}" for number in range(1, 7)))
    accept, reject = read_verdict({"kind": "accept"}), read_verdict({"kind": "reject", "reason": "trivial"})
    moved = read_verdict({"kind": "accept", "marks": [{"utt_id": 3, "start": 24, "end": 30}]})
    for number, (ana, ben) in enumerate(
        [(accept, accept), (accept, accept), (accept, moved), (reject, reject), (reject, accept)], start=1
    ):
        judge(desk.workspace, f"m1-{number}", "ana", ana)
        judge(desk.workspace, f"m1-{number}", "ben", ben)
    adjudicate(desk.workspace, "m1-5", "judy", reject)
    set_gold(desk.workspace, "m1-6", True, "lead")
    judge(desk.workspace, "m1-6", "ana", reject)

    found = verdict_agreement(desk.workspace)

    assert (found.items, found.annotators) == (5, ("ana", "ben"))
    (kappa,) = found.pairs
    assert kappa.value == pytest.approx(6 / 11)
    assert found.iou_between.value == pytest.approx((1 + 1 + 0.6) / 3)
    assert found.iou_proposed.value == pytest.approx((1 + 1 + 0.8 + 1) / 4)
    assert "Cohen's kappa of ana and ben    0.545 [" in found.text()
    assert found.to_dict()["measures"][0]["items"] == 5


def test_agreement_without_verdicts_is_explained(desk: Desk) -> None:
    found = verdict_agreement(desk.workspace)
    assert found.pairs == ()
    assert describe(found.fleiss) == "not defined: no item has been judged by two people"
    assert describe(found.iou_proposed) == "not defined: nobody has accepted an item yet"
