"""What the scores of an unblinded study say, as HTML: tables, the figure, files to take along."""

from __future__ import annotations

from eval.human.analysis import Analysis
from eval.human.report import agreement, comparisons, conduct, means
from eval.report.paper import LABEL
from eval.report.tables import Table
from eval.ui import reports
from grga.ui.render import escape, join, notice
from grga.ui.texts import t

NAMES = {
    "report.md": "Report (Markdown)",
    "means.tex": "Means (LaTeX)",
    "comparisons.tex": "Differences (LaTeX)",
    "agreement.tex": "Agreement (LaTeX)",
    "means.csv": "Means (CSV)",
    "means.png": "Figure (PNG)",
    "means.svg": "Figure (SVG)",
    reports.RAW: "Raw scores (CSV)",
    reports.RAW_ALL: "Raw scores with excluded raters (CSV)",
}


def results_html(key: str, found: Analysis) -> str:
    """Return the results of the study ``key``."""
    pilot = notice(t("This was a pilot: its figures are not for publication."), "warn") if found.pilot else ""
    if not found.cells:
        return notice(t("No score counts: nobody rated, or the rules leave everybody out."), "warn") + _table(
            t("Raters"), conduct(found)
        )
    about = t(
        "Mean scores from 1 to 5; in brackets 95 % intervals over questions and raters. Rows of the paper are labelled."
    )
    told = t(
        "Alpha, kappa and ICC: 1 is perfect agreement, 0 is what chance would give. What is not defined says why."
    )
    alt = t(
        "Bar chart of the mean scores of each system, with intervals; the table above holds the same figures."
    )
    figure = (
        f'<figure class="g-panel g-figure"><img src="grga/evaluate/{escape(key)}/means.svg?show" alt="{escape(alt)}">'
        "</figure>"
    )
    return (
        f"{pilot}{_table(t('Mean scores'), means(found), about)}{figure}"
        f"{_table(t('Differences between systems'), comparisons(found))}"
        f"{_table(t('Agreement of the raters'), agreement(found), told)}"
        f"{_table(t('Raters'), conduct(found))}{_files(key)}"
    )


def _table(title: str, table: Table, note: str = "") -> str:
    head = join(f'<th scope="col">{escape(t(name))}</th>' for name in table.head)
    rows = join(
        f"<tr{_paper(row)}>"
        + f'<th scope="row">{_name(row[0])}</th>'
        + join(f"<td{_words(cell)}>{_cell(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    hint = f'<p class="g-hint">{escape(note)}</p>' if note else ""
    return (
        f'<section class="g-panel g-result"><div class="g-title">{escape(title)}</div>'
        f'<div class="g-table-scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{hint}</section>"
    )


def _paper(row: tuple[str, ...]) -> str:
    return ' class="paper"' if LABEL in row[0] else ""


def _name(name: str) -> str:
    plain = name.removesuffix(f" ({LABEL})")
    return escape(plain) if plain == name else f"{escape(plain)} <small>({escape(t(LABEL))})</small>"


def _cell(cell: str) -> str:
    """Return a cell; an interval goes below its mean."""
    mean, bracket, interval = cell.partition(" [")
    return f"{escape(mean)} <small>[{escape(interval)}</small>" if bracket else escape(cell)


def _words(cell: str) -> str:
    return ' class="text"' if len(cell) > 24 else ""


def _files(key: str) -> str:
    links = join(
        f'<a class="g-small" href="grga/evaluate/{escape(key)}/{file}" download>{escape(t(name))}</a>'
        for file, name in NAMES.items()
    )
    return (
        f'<section class="g-panel g-result"><div class="g-title">{escape(t("Files"))}</div>'
        f'<div class="g-file-links">{links}</div></section>'
    )
