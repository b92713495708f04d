"""How far people agree, as HTML: every measure with its interval, and in words where it is not defined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.agreement import Measure
from annotation.report import Annotator, Group, Report
from annotation.spans import MIN_IOU
from annotation.verdict_agreement import VerdictAgreement
from grga.ui.render import count, empty, escape, join, seconds_text
from grga.ui.texts import t

CLASS = ' class="text"'


def agreement_html(found: VerdictAgreement) -> str:
    """Return the agreement of annotators."""
    if not found.items:
        return empty(
            t("Nothing to compare yet"),
            t("As soon as people have verified questions, their agreement stands here."),
        )
    people = ", ".join(found.annotators)
    rows = join(_measure(one, iou=one in (found.iou_proposed, found.iou_between)) for one in found.measures)
    note = t(
        "Kappa and alpha: 1 is perfect agreement, 0 is what chance would give. In brackets: the 95 % interval."
    )
    return (
        f'<section class="g-panel g-agreement"><div class="g-title">{escape(t("Agreement"))}</div>'
        f'<p class="g-soft g-agreement-about">{escape(count(found.items, "question"))} · {escape(people)}</p>'
        f'<ul class="g-measures">{rows}</ul><p class="g-hint">{escape(note)}</p></section>'
    )


def _measure(one: Measure, *, iou: bool) -> str:
    name = f'<span class="g-measure-name">{escape(t(one.name))}</span>'
    if one.value is None:
        return f'<li class="undefined">{name}<span class="g-soft">{escape(t("not defined"))}: {escape(one.explanation)}</span></li>'
    interval = "" if one.low is None else f"[{one.low:.2f}, {one.high:.2f}]"
    good = " ok" if iou and one.value > MIN_IOU else ""
    explanation = f'<p class="g-soft">{escape(one.explanation)}</p>' if one.explanation else ""
    return (
        f'<li>{name}<span class="g-measure-bar" aria-hidden="true">{_bar(one)}</span>'
        f'<b class="g-num{good}">{one.value:.3f}</b><span class="g-soft g-num">{interval}</span>'
        f'<span class="g-soft g-num">{escape(count(one.items, "question"))}</span>{explanation}</li>'
    )


def _bar(one: Measure) -> str:
    """The interval as a line with its value as a dot, on a scale from 0 to 1."""

    def place(value: float) -> float:
        return 100 * min(max(value, 0.0), 1.0)

    line = ""
    if one.low is not None and one.high is not None:
        line = f'<i style="left:{place(one.low):.1f}%;width:{max(place(one.high) - place(one.low), 0.5):.1f}%"></i>'
    return f'{line}<b style="left:{place(one.value or 0.0):.1f}%"></b>'


def report_html(found: Report) -> str:
    """Return which generator survives, and how careful and fast people are, as two tables."""
    if not found.groups:
        return ""
    generators = _table(
        t("Which generator survives"),
        (t("Generator"), t("Prompt"), t("Type")),
        (
            t("Questions"),
            t("Accepted"),
            t("Rejected"),
            t("Not settled"),
            t("Failed"),
            t("Acceptance"),
            t("Human time per accepted"),
            t("Machine time per accepted"),
            t("Tokens per accepted"),
            t("Price per accepted"),
        ),
        (_group(one) for one in found.groups),
    )
    if not found.annotators:
        return generators
    people = _table(
        t("Annotators"),
        (t("Name"),),
        (
            t("Decisions"),
            t("Median time"),
            t("Skipped"),
            t("Flagged"),
            t("Taken back"),
            t("Adjudicated"),
            t("Gold right"),
        ),
        (_annotator(one) for one in found.annotators),
    )
    return generators + people


def _group(one: Group) -> tuple[str, ...]:
    numbers = (one.items, one.accepted, one.rejected, one.open, one.failed)
    return (
        t("offline generator") if one.generator == "offline" else one.generator,
        one.prompt,
        t(one.type),
        *map(str, numbers),
        _percent(one.acceptance),
        _seconds(one.per_accepted(one.human_seconds)),
        _seconds(one.per_accepted(one.machine_seconds)),
        _number(one.per_accepted(one.tokens), "{:,.0f}"),
        _number(one.per_accepted(one.price), "{:.4f}"),
    )


def _annotator(one: Annotator) -> tuple[str, ...]:
    gold = "–" if not one.gold_seen else f"{one.gold_right} / {one.gold_seen} ({_percent(one.gold_accuracy)})"
    numbers = (one.skipped, one.flagged, one.undone, one.adjudicated)
    return (one.name, str(one.decisions), _seconds(one.median_seconds), *map(str, numbers), gold)


def _table(title: str, texts: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts, then numbers. A column in which nothing is known is left out."""
    table = [(*texts, *numbers), *rows]
    told = [column for column in zip(*table, strict=True) if set(column[1:]) != {"–"}]
    head, *lines = zip(*told, strict=True)
    cells = join(
        f'<th scope="col"{CLASS if place < len(texts) else ""}>{escape(one)}</th>'
        for place, one in enumerate(head)
    )
    body = join(f"<tr>{_cells(row, len(texts))}</tr>" for row in lines)
    return (
        f'<section class="g-panel g-report"><div class="g-title">{escape(title)}</div>'
        f'<div class="g-table-scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
        f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _cells(row: Sequence[str], texts: int) -> str:
    return join(f"<td{CLASS if place < texts else ''}>{escape(cell)}</td>" for place, cell in enumerate(row))


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _seconds(value: float | None) -> str:
    return "–" if value is None else seconds_text(value)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
