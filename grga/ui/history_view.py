"""What a visitor asked before, and what they think of an answer, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from grga.history import COMMENT_LENGTH, REASONS, Asked, AskedLine
from grga.ui.answer_view import thumb_svg
from grga.ui.render import count, escape, join
from grga.ui.texts import t

SEARCHABLE = 8
"""From so many lines on the list can be searched."""
LISTED = 200


def history_html(lines: Sequence[AskedLine], *, unfolded: bool, shown: str = "") -> str:
    """Return the list of a visitor's questions, folded away while an answer needs the room.

    Args:
        lines: The latest first.
        unfolded: Whether the list is open.
        shown: Token of the answer that is on the page.
    """
    if not lines:
        none = t("Your questions are kept here, for you alone. They survive a reload.")
        return f'<p class="g-hint g-asked-none">{none}</p>'
    search = ""
    if len(lines) >= SEARCHABLE:
        label = t("Search your questions")
        search = f'<input type="search" class="g-search" data-filters="li" placeholder="{label}" aria-label="{label}">'
    items = join(_line(line, shown) for line in lines)
    return (
        f'<details class="g-panel g-history" data-key="history"{" open" if unfolded else ""}>'
        f'<summary class="g-title">{t("Your questions")}<span>{len(lines)}</span></summary>'
        f"{search}<ol>{items}</ol>{_clear(len(lines))}</details>"
    )


def _line(line: AskedLine, shown: str) -> str:
    token = escape(line.token)
    titles = list(line.meetings.values())
    where = titles[0] if len(titles) == 1 else count(len(titles), "meeting")
    sign = f" {thumb_svg(line.rating)}" if line.rating else ""
    verdict = t("verified") if line.verified else (t("unverified") if line.found else t("not found"))
    here = ' aria-current="true"' if line.token == shown else ""
    forget = t("Delete “{question}”", question=line.question)
    return (
        f'<li><button type="button" class="g-asked" data-action="reopen" data-id="{token}"{here}>'
        f"<b>{escape(line.question)}</b>"
        f'<span class="g-soft"><grga-time data-at="{line.created.isoformat()}">{line.created:%Y-%m-%d %H:%M}</grga-time>'
        f" · {escape(where)} · {verdict}{sign}</span></button>"
        f'<button type="button" class="g-x" data-action="forget" data-id="{token}" '
        f'aria-label="{escape(forget)}">×</button></li>'
    )


def _clear(number: int) -> str:
    return (
        f'<details class="g-clear"><summary>{t("Delete all…")}</summary>'
        f'<button type="button" class="g-small" data-action="clear">'
        f"{t('Delete all {n} for good', n=number)}</button></details>"
    )


def feedback_html(asked: Asked) -> str:
    """Return the form that asks why, once an answer was rated; empty before."""
    if asked.rating is None:
        return ""
    title = t("Good to hear. What helped?") if asked.rating > 0 else t("What is wrong with it?")
    reasons = ""
    if asked.rating < 0:
        chips = join(
            f'<label class="g-reason"><input type="checkbox" name="reasons" value="{key}"'
            f"{' checked' if key in asked.reasons else ''}><span>{t(REASONS[key])}</span></label>"
            for key in REASONS
        )
        reasons = f'<div class="g-reasons" role="group" aria-label="{t("Reasons")}">{chips}</div>'
    label = t("Comment (optional)")
    return (
        f'<form class="g-panel g-feedback"><div class="g-title">{title}</div>{reasons}'
        f'<div class="g-say"><input type="text" name="comment" maxlength="{COMMENT_LENGTH}" '
        f'value="{escape(asked.comment)}" placeholder="{label}" aria-label="{label}">'
        f'<button type="button" class="g-small" data-collect data-action="explain" '
        f'data-id="{escape(asked.token)}">{t("Send")}</button></div></form>'
    )
