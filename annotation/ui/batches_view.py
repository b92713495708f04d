"""Batches of generated questions as HTML: how far, what it cost, what failed and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.schema import QAItem, Status
from annotation.tables import Batch
from grga.ui.render import count, empty, escape, join, seconds_text
from grga.ui.texts import t

MOST_FAILED = 50


def batches_html(
    found: Sequence[Batch], items: Mapping[str, Sequence[QAItem]], titles: Mapping[str, str]
) -> str:
    """Return the list of batches, newest first.

    Args:
        found: The batches.
        items: The items of each batch, by its name.
        titles: The title of each meeting that is here, by id.
    """
    if not found:
        return empty(
            t("No batch yet"),
            t("Choose a meeting and how many questions of each type. The offline generator needs no model."),
        )
    rows = join(_batch(one, items.get(one.name, ()), titles.get(one.meeting, one.meeting)) for one in found)
    return f'<ul class="g-batches">{rows}</ul>'


def _batch(one: Batch, items: Sequence[QAItem], title: str) -> str:
    failed = [item for item in items if item.status is Status.FAILED]
    settled = sum(item.status in (Status.ACCEPTED, Status.REJECTED) for item in items)
    good = len(items) - len(failed)
    states = {
        "running": t("being made"),
        "stopped": t("stopped"),
        "failed": t("failed"),
        "done": t("made"),
    }
    facts = [title, count(good, "question")]
    if good:
        facts.append(t("{n} settled", n=settled))
    facts += _cost(one)
    share = one.done / one.total if one.total else 0.0
    bar = (
        f'<div class="g-bar" role="progressbar" aria-label="{escape(one.name)}" aria-valuemin="0"'
        f' aria-valuemax="{max(one.total, 1)}" aria-valuenow="{one.done}"><i style="width:{100 * share:.0f}%"></i></div>'
        if one.state in ("running", "stopped")
        else ""
    )
    error = f'<p class="g-bad">{escape(one.error)}</p>' if one.error else ""
    return (
        f'<li class="g-batch {escape(one.state)}" data-batch="{escape(one.name)}">'
        f'<div class="g-batch-head"><b>{escape(one.name)}</b><span class="g-state">{escape(states.get(one.state, one.state))}</span>'
        f"{_button(one)}</div>{bar}"
        f'<p class="g-soft g-num">{escape(" · ".join(facts))}</p>{error}{_failures(failed)}</li>'
    )


def _cost(one: Batch) -> list[str]:
    plan = one.plan
    made_by = (
        t("offline generator") if plan.get("generator") == "offline" else str(plan.get("model") or t("model"))
    )
    facts = [made_by, seconds_text(one.seconds)] if one.seconds else [made_by]
    if one.tokens:
        facts.append(t("{n} tokens", n=f"{one.tokens:,}"))
    if one.price is not None:
        facts.append(t("{n} paid", n=f"{one.price:.4f}"))
    return facts


def _button(one: Batch) -> str:
    if one.state == "running":
        action, label = "cancel", t("Stop")
    elif one.state in ("stopped", "failed"):
        action, label = "resume", t("Go on")
    else:
        return ""
    return f'<button type="button" class="g-small" data-action="{action}" data-batch="{escape(one.name)}">{escape(label)}</button>'


def _failures(failed: Sequence[QAItem]) -> str:
    if not failed:
        return ""
    said = t("1 failed") if len(failed) == 1 else t("{n} failed", n=len(failed))
    rows = join(_failure(item) for item in failed[:MOST_FAILED])
    return f'<details class="g-failures"><summary>{escape(said)}</summary><ul>{rows}</ul></details>'


def _failure(item: QAItem) -> str:
    reason, _, reply = item.reasoning.partition("\n\n")
    return (
        f"<li><b>{escape(t(item.type))} · {escape(t(item.subtask))}</b> {escape(reason)}"
        f"<pre>{escape(reply)}</pre></li>"
    )
