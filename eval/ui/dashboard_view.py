"""Studies and their raters as HTML. What is shown here never holds a score or, after the draft, a system's name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from eval.human.blinding import Finding
from eval.human.desk import RaterLine, StudyLine
from eval.human.scores import Conduct
from eval.human.study import Study
from eval.human.tables import StudyState
from grga.ui.render import count, empty, escape, join, notice, sentence
from grga.ui.texts import t

STATES = {
    StudyState.DRAFT: ("plain", "draft"),
    StudyState.OPEN: ("ok", "open"),
    StudyState.CLOSED: ("warn", "closed"),
}
SHOWN_REFUSALS = 8


def studies_html(lines: Sequence[StudyLine], chosen: str) -> str:
    """Return the list of studies; a click on one chooses it."""
    if not lines:
        return empty(t("No study yet"), t("Make one under New study: upload answers of two systems."))
    return f'<ul class="g-studies">{join(_study(line, line.key == chosen) for line in lines)}</ul>'


def _study(line: StudyLine, chosen: bool) -> str:
    finished = t("{n} of {total} raters finished", n=line.finished, total=line.raters)
    return (
        f'<li><button type="button" class="g-study" data-action="choose" data-key="{escape(line.key)}"'
        f' aria-pressed="{str(chosen).lower()}"><b>{escape(line.title)}</b>'
        f'<span class="g-study-facts">{_state(line.state)}{_pilot(line.pilot)}'
        f'<span class="g-soft g-num">{escape(finished)}</span></span></button></li>'
    )


def _state(state: StudyState) -> str:
    kind, name = STATES[state]
    return f'<span class="g-badge {kind}">{escape(t(name))}</span>'


def _pilot(pilot: bool) -> str:
    return f'<span class="g-badge plain">{escape(t("pilot"))}</span>' if pilot else ""


def head_html(study: Study, line: StudyLine) -> str:
    """Return a study's title and size."""
    facts = [
        count(len(study.items), "question"),
        t("{n} systems", n=len(study.systems)),
        t("{n} criteria", n=len(study.criteria)),
        count(len(study.training), "training item") if study.training else "",
        count(len(study.checks), "attention check") if study.checks else "",
    ]
    return (
        f'<header class="g-study-head"><h2>{escape(study.title)}</h2><p>{_state(line.state)}{_pilot(line.pilot)}'
        f'<span class="g-soft g-num">{escape(" · ".join(filter(None, facts)))}</span></p></header>'
    )


def findings_html(found: Sequence[Finding], silent: Sequence[str]) -> str:
    """Return what a person reads before a draft is opened; ``silent`` questions cite what nobody can hear."""
    said = ""
    if silent:
        text = t(
            "{n} questions cite moments without a recording here, so what must be heard can never be rated.",
            n=len(silent),
        )
        said = notice(text, "warn")
    if not found:
        return said + notice(t("Nothing was found that tells a rater whose answer it is."), "ok")
    rows = join(
        f"<li><b>{escape(one.item or t('all answers'))}</b> <span>{escape(one.system)}</span>"
        f"<span>{escape(one.problem)}</span>{_excerpt(one)}</li>"
        for one in found
    )
    about = t(
        "These may tell a rater whose answer it is. Correct the answers, or read them and let them pass."
    )
    return f'{said}{notice(about, "warn")}<ul class="g-findings">{rows}</ul>'


def _excerpt(one: Finding) -> str:
    return f"<q>{escape(one.excerpt)}</q>" if one.excerpt else ""


def raters_html(
    raters: Sequence[RaterLine], ways: Sequence[Conduct], links: dict[str, str], *, closed: bool
) -> str:
    """Return how far each rater has come.

    Args:
        raters: In order of invitation.
        ways: How each of them worked, in the same order.
        links: The token of each rater's link, by the rater's id.
        closed: Whether no score is taken any more.
    """
    if not raters:
        return f'<p class="g-none">{escape(t("Nobody is invited yet."))}</p>'
    rows = join(_rater(one, way, links.get(one.id), closed) for one, way in zip(raters, ways, strict=True))
    return f'<ul class="g-raters">{rows}</ul>'


def _rater(one: RaterLine, way: Conduct, token: str | None, closed: bool) -> str:
    share = 100 * one.done / one.total if one.total else 0
    pace = t("{n} s per answer", n=round(way.median_seconds)) if way.median_seconds is not None else ""
    checks = t("{n} of {total} checks failed", n=way.failed_checks, total=way.checks) if way.checks else ""
    facts = " · ".join(filter(None, (pace, checks)))
    # Before the end every rater has finished less than the rule asks: that alone is no news.
    expected = way.excluded if one.done and (closed or not way.excluded.startswith("finished")) else ""
    excluded = f'<p class="g-bad">{escape(t("Will not count"))}: {escape(expected)}</p>' if expected else ""
    acting = ""
    if token and not closed and one.state != "revoked":
        label = t("Link of {name}", name=one.name)
        acting = (
            f'<div class="g-rater-acts"><grga-copy path="rate/{escape(token)}" label="{escape(label)}"></grga-copy>'
            f'<button type="button" class="g-small" data-action="revoke" data-rater="{escape(one.id)}"'
            f' aria-label="{escape(t("Revoke the link of {name}", name=one.name))}">{escape(t("Revoke"))}</button></div>'
        )
    return (
        f'<li class="g-rater"><div class="g-rater-head"><span class="g-soft g-num">{escape(way.rater)}</span>'
        f'<b>{escape(one.name)}</b><span class="g-state">{escape(t(one.state))}</span>'
        f'<span class="g-num g-rater-done">{escape(t("{n} of {total}", n=one.done, total=one.total))}</span></div>'
        f'<div class="g-bar"><i style="width:{share:.0f}%"></i></div>'
        f'<p class="g-soft g-num">{escape(facts)}</p>{excluded}{acting}</li>'
    )


def refusals_html(refused: Sequence[tuple[datetime, str, str]]) -> str:
    """Return what was tried and refused, the last first; "" when nothing was."""
    if not refused:
        return ""
    rows = join(
        f'<li><time class="g-soft g-num" datetime="{at.isoformat()}">{at:%Y-%m-%d %H:%M}</time>'
        f"<span>{escape(sentence(what))}: {escape(reason)}</span></li>"
        for at, what, reason in refused[::-1][:SHOWN_REFUSALS]
    )
    title = t("{n} attempts were refused", n=len(refused))
    return f'<details class="g-refusals"><summary>{escape(title)}</summary><ul>{rows}</ul></details>'


def ending_html(line: StudyLine) -> str:
    """Return the step that comes next for an open or closed study: it is asked for twice."""
    if line.state == StudyState.OPEN:
        return _sure(
            t("Close the study…"),
            t(
                "No score is taken any more, and it cannot be opened again. {n} of {total} raters have finished.",
                n=line.finished,
                total=line.raters,
            ),
            t("Close it"),
            "close",
        )
    if line.state == StudyState.CLOSED and not line.unblinded:
        return _sure(
            t("Unblind and analyse…"),
            t(
                "This shows which answers are whose. It cannot be undone; your name and the time are kept. "
                "Who is left out is decided by the rules that were fixed with the study."
            ),
            t("Unblind it"),
            "unblind",
        )
    return ""


def _sure(title: str, text: str, button: str, action: str) -> str:
    return (
        f'<details class="g-sure"><summary class="g-small">{escape(title)}</summary><div><p>{escape(text)}</p>'
        f'<button type="button" class="g-danger" data-action="{action}">{escape(button)}</button></div></details>'
    )
