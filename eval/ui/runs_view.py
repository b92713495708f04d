"""Two runs side by side, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eval.comparing import Pair, RunLine, Side, tally
from eval.report.figures import shown_name
from eval.runs import RunRecord
from grga.types import TimeSpan
from grga.ui.render import empty, escape, join, notice, span_text
from grga.ui.texts import t

PAGE = 20
"""Questions shown at once."""

Sounds = Callable[[str], bool]
"""Whether a meeting's recording can be heard here."""


def none_html() -> str:
    """Return what is said where there is no run."""
    return empty(
        t("No run yet"), t("Make one with python -m eval run, and put it into the folder runs of this home.")
    )


def problems_html(lines: Sequence[RunLine]) -> str:
    """Return one notice for each run that cannot be read."""
    return join(notice(f"{line.name}: {line.problem}") for line in lines if line.problem)


def summary_html(pairs: Sequence[Pair], names: tuple[str, str]) -> str:
    """Return how often each side is better, and both citation F1 averaged over questions."""
    if not pairs:
        return notice(t("These two have no question in common."), "warn")
    found = tally(pairs)
    scored = [pair.f1 for pair in pairs if pair.f1 is not None]
    means = [
        f"{100 * sum(one[side] for one in scored) / len(scored):.1f}" if scored else "–" for side in (0, 1)
    ]
    cells = join(
        f"<li><b>{number}</b><span>{escape(words)}</span></li>"
        for number, words in (
            (found["first"], t("{name} is nearer", name=names[0])),
            (found["second"], t("{name} is nearer", name=names[1])),
            (found["same"], t("no difference")),
        )
    )
    mean = t(
        "Mean citation F1 of a question: {first} and {second} per cent.", first=means[0], second=means[1]
    )
    return (
        f'<div class="g-panel g-tally"><ul>{cells}</ul><p class="g-soft">{escape(mean)} '
        f"{escape(t('Nearer means: right where judges or the answer key call one right and one wrong, else a higher citation F1.'))}</p></div>"
    )


def pairs_html(pairs: Sequence[Pair], page: int, names: tuple[str, str], sounds: Sounds) -> str:
    """Return one page of questions; ``page`` counts from 0."""
    if not pairs:
        return empty(t("Nothing to show"), t("No question is left by this choice."))
    shown = pairs[page * PAGE : (page + 1) * PAGE]
    articles = join(_pair(pair, names, sounds) for pair in shown)
    return f'<div class="g-pairs">{articles}</div>{_pager(page, len(pairs))}'


def _pager(page: int, total: int) -> str:
    if total <= PAGE:
        return ""
    where = t(
        "{first} to {last} of {total}", first=page * PAGE + 1, last=min((page + 1) * PAGE, total), total=total
    )
    before = f'<button type="button" class="g-small" data-action="turn" data-by="-1">{escape(t("Earlier"))}</button>'
    after = (
        f'<button type="button" class="g-small" data-action="turn" data-by="1">{escape(t("Later"))}</button>'
    )
    last = (total - 1) // PAGE
    return (
        f'<nav class="g-pages" aria-label="{escape(t("Pages"))}">{before if page else ""}'
        f'<span class="g-soft g-num">{escape(where)}</span>{after if page < last else ""}</nav>'
    )


def _pair(pair: Pair, names: tuple[str, str], sounds: Sounds) -> str:
    item = pair.first.item
    spans = [span.span for span in item.gold]
    heard = sounds(item.meeting)
    ends = [span.end for span in spans] + [
        one.end for side in (pair.first, pair.second) for one in side.cited
    ]
    length = max([*ends, 1.0])
    reference = f"<h4>{escape(t('Reference'))}</h4><p>{escape(item.reference)}</p>" if item.reference else ""
    gold = (
        f'<h4>{escape(t("Evidence"))}</h4>{_strip(spans, length, "gold")}<p class="g-when">'
        f"{join(_moment(item.meeting, span, heard) for span in spans)}</p>"
        if spans
        else ""
    )
    sides = join(
        _side(
            record,
            name,
            pair.better == place,
            None if pair.f1 is None else pair.f1[n],
            pair.right[n],
            length,
            heard,
        )
        for n, (record, name, place) in enumerate(
            ((pair.first, names[0], "first"), (pair.second, names[1], "second"))
        )
    )
    return (
        f'<article class="g-panel g-pair"><h3>{escape(item.question)}</h3>'
        f'<p class="g-soft">{escape(item.key)} · {escape(item.meeting)}</p>{reference}{gold}'
        f'<div class="g-sides">{sides}</div></article>'
    )


def _side(
    record: RunRecord,
    name: str,
    better: bool,
    f1: float | None,
    right: bool | None,
    length: float,
    heard: bool,
) -> str:
    badges = []
    if right is not None:
        kind, said = ("ok", t("right")) if right else ("warn", t("wrong"))
        badges.append(f'<span class="g-badge {kind}">{escape(said)}</span>')
    if better:
        badges.append(f'<span class="g-badge ok">{escape(t("nearer"))}</span>')
    if f1 is not None:
        badges.append(f'<span class="g-soft g-num">F1 {100 * f1:.0f} %</span>')
    spans = {one.utterance: TimeSpan(one.start, one.end) for one in record.cited}
    said = join(
        f"<p>{escape(text)} {join(_moment(record.item.meeting, spans[id], heard) for id in ids if id in spans)}</p>"
        for text, ids in record.sentences
    )
    nothing = f"<p>{escape(t('No answer.'))}</p>"
    return (
        f"<section><h4>{escape(name)} <span>{join(badges)}</span></h4>"
        f"{_strip(list(spans.values()), length, 'cited')}{said or nothing}</section>"
    )


def _strip(spans: Sequence[TimeSpan], length: float, kind: str) -> str:
    """Return where the spans lie between the start of the meeting and the last moment that matters."""
    bars = join(
        f'<i style="left:{100 * span.start / length:.2f}%;width:{max(100 * span.duration / length, 0.4):.2f}%"></i>'
        for span in spans
    )
    return f'<div class="g-strip {kind}" aria-hidden="true">{bars}</div>'


def _moment(meeting: str, span: TimeSpan, heard: bool) -> str:
    """Return a moment's clock times, as a button where it can be heard."""
    words = escape(span_text(span))
    if not heard:
        return f'<span class="g-time">{words}</span> '
    label = escape(t("Play {time}", time=span_text(span)))
    return (
        f'<button type="button" class="g-time" data-hear="grga/audio/{escape(meeting)}" '
        f'data-from="{span.start:.3f}" data-to="{span.end:.3f}" aria-label="{label}">▶ {words}</button> '
    )


def side_name(line: RunLine, system: str) -> str:
    """Return how a side is called in lists and headings."""
    return f"{shown_name(system)} · {line.name}"


def heads(first: Side, second: Side) -> tuple[str, str]:
    """Return what two sides are called above their answers: the run is named only where there are two."""
    if first.run == second.run and first.system != second.system:
        return shown_name(first.system), shown_name(second.system)
    return side_name(first.run, first.system), side_name(second.run, second.system)
