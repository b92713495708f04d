"""The report of an unblinded study: computed once, for neither its scores nor its rules change any more."""

from __future__ import annotations

import tempfile
from pathlib import Path

from eval.human.analysis import analyse
from eval.human.report import write
from eval.human.scores import scores, to_csv
from eval.ui.studies import Report, Studies

TABLES = ("means", "comparisons", "agreement", "raters")
RAW, RAW_ALL = "scores.csv", "scores-everybody.csv"
FILES = (
    "report.md",
    *(f"{table}.{ending}" for table in TABLES for ending in ("tex", "csv")),
    "means.png",
    "means.svg",
    RAW,
    RAW_ALL,
)


def report(studies: Studies, key: str) -> Report:
    """Return the report of a study.

    Raises:
        StudyError: no such study, or it is still blind.
    """
    if key not in studies.reports:
        found = analyse(studies.desk, key)
        with tempfile.TemporaryDirectory() as folder:
            files = {file.name: file.read_bytes() for file in write(found, Path(folder))}
        studies.reports[key] = Report(found, files)
    return studies.reports[key]


def read(studies: Studies, key: str, name: str) -> bytes:
    """Return one of :data:`FILES`.

    Raises:
        StudyError: no such study, or it is still blind.
    """
    if name in (RAW, RAW_ALL):
        return to_csv(scores(studies.desk, key, excluded=name == RAW_ALL)).encode()
    return report(studies, key).files[name]
