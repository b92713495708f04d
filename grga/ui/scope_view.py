"""What a question is limited to, as chips that a click removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grga.scopes import Limits
from grga.ui.render import escape, join, span_text
from grga.ui.texts import t


def chips_html(questions: Sequence[str]) -> str:
    """Return example questions as buttons; ``data-id`` is their place in ``questions``."""
    if not questions:
        return ""
    buttons = join(
        f'<button type="button" class="g-chip" data-action="pick" data-id="{number}">{escape(text)}</button>'
        for number, text in enumerate(questions)
    )
    return f'<div class="g-chips" role="group" aria-label="{t("Example questions")}">{buttons}</div>'


def limits_html(limits: Limits, names: Mapping[str, str]) -> str:
    """Return the active limits; ``names`` maps speakers' ids to what people call them."""
    chips = [_chip("speaker", id, names.get(id, id)) for id in limits.speakers]
    if limits.span is not None:
        chips.append(_chip("time", "", span_text(limits.span)))
    if not chips:
        return ""
    return (
        f'<div class="g-limits" role="group" aria-label="{t("Limited to")}">{t("Only")} {join(chips)}</div>'
    )


def _chip(kind: str, id: str, text: str) -> str:
    label = t("Take away the limit {limit}", limit=text)
    return (
        f'<button type="button" class="g-limit" data-action="unlimit" data-kind="{kind}" data-id="{escape(id)}" '
        f'aria-label="{escape(label)}">{escape(text)}<span aria-hidden="true">×</span></button>'
    )
