"""How far people agree, as HTML: every measure with its interval, and in words where it is not defined."""

from __future__ import annotations

from annotation.agreement import Measure
from annotation.spans import MIN_IOU
from annotation.verdict_agreement import VerdictAgreement
from grga.ui.render import count, empty, escape, join
from grga.ui.texts import t


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
