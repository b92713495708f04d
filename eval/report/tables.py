"""One table, written as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "Δ": r"$\Delta$",
}


@dataclass(frozen=True)
class Table:
    """A caption, a head and rows of text; the first column holds names, the others numbers."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return a table as GitHub's Markdown reads it."""
        lines = [self.head, ("---", *("---:" for _ in self.head[1:])), *self.rows]
        body = "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)
        return f"**{_cell(self.caption)}**\n\n{body}\n"

    def latex(self) -> str:
        """Return a ``table`` for the package booktabs."""
        columns = "l" + "r" * (len(self.head) - 1)
        lines = [" & ".join(map(latex, line)) + r" \\" for line in (self.head, *self.rows)]
        return "\n".join(
            [
                r"\begin{table}[t]",
                r"\centering",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                rf"\caption{{{latex(self.caption)}}}",
                r"\end{table}",
                "",
            ]
        )

    def csv(self) -> str:
        """Return the head and the rows as CSV."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.head, *self.rows])
        return out.getvalue()


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def latex(text: str) -> str:
    """Return ``text`` with what LaTeX would read as a command made plain."""
    return "".join(_LATEX.get(sign, sign) for sign in text)


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with ``digits`` decimals, "–" for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def interval(mean: float, low: float | None, high: float | None, digits: int = 2) -> str:
    """Return "3.41 [3.20, 3.62]", or the mean alone."""
    if low is None or high is None:
        return number(mean, digits)
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def concise(tables: Sequence[Table]) -> str:
    """Return several tables as one Markdown text."""
    return "\n".join(table.markdown() for table in tables)
