"""The list of meetings as HTML: searched, sorted and chosen from in the page (``library.js``)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from grga.scopes import clock
from grga.store import MeetingSummary
from grga.ui.render import count, empty, escape, join, sentence, speaker_chip
from grga.ui.texts import language, t

SHOWN_NAMES = 5
LONGEST_TAG = 40


def script() -> str:
    """Return the JavaScript of the list; it needs the timeline's small tools before it."""
    return (Path(__file__).parent / "library.js").read_text("utf-8")


def tools_html() -> str:
    """Return what stands above the list and stays there while the list changes."""
    orders = {"newest": t("Newest first"), "longest": t("Longest first"), "title": t("By title")}
    options = join(f'<option value="{name}">{escape(shown)}</option>' for name, shown in orders.items())
    search = escape(t("Search by title, speaker or tag"))
    return (
        f'<grga-library-tools><div class="g-title"><span>{escape(t("Meetings"))}</span>'
        '<span class="g-shown g-num" role="status"></span></div>'
        f'<div class="g-find"><input type="search" autocomplete="off" spellcheck="false" '
        f'aria-label="{search}" placeholder="{escape(t("Title, speaker or tag"))}">'
        f'<span class="g-order"><select aria-label="{escape(t("Order"))}">{options}</select></span></div>'
        '<div class="g-chosen" hidden><span class="g-number g-num" role="status"></span>'
        f'<button type="button" class="g-small" data-clear>{escape(t("Choose none"))}</button>'
        f'<button type="button" class="g-small g-strong" data-action="ask">'
        f"{escape(t('Ask about these'))}</button></div></grga-library-tools>"
    )


def library_html(meetings: Sequence[MeetingSummary], broken: Sequence[MeetingSummary] = ()) -> str:
    """Return the meetings, each row opens one; below them those that cannot be opened."""
    if not meetings and not broken:
        return f'<grga-library class="g-nothing">{_empty()}</grga-library>'
    rows = join([*map(_row, meetings), *map(_broken_row, broken)])
    return (
        f"<grga-library>{_tags(meetings)}<ul>{rows}</ul>"
        f'<div class="g-unfit" hidden><p></p><button type="button" class="g-small" data-all>'
        f"{escape(t('Show all meetings'))}</button></div></grga-library>"
    )


def _empty() -> str:
    return empty(
        t("No meeting yet"),
        t(
            "Add a recording or a transcript; it is listed here once indexed. Then open it to read and hear it, or ask."
        ),
    )


def _tags(meetings: Sequence[MeetingSummary]) -> str:
    """Return a button per tag, the most used first; it shows only the meetings that have it."""
    used = Counter(tag for meeting in meetings for tag in meeting.tags)
    if not used:
        return ""
    buttons = join(
        f'<button type="button" class="g-chip" aria-pressed="false" data-only="{escape(tag)}">'
        f'{escape(tag)}<span class="g-num">{number}</span></button>'
        for tag, number in sorted(used.items(), key=lambda one: (-one[1], one[0].casefold()))
    )
    return f'<div class="g-tags" role="group" aria-label="{escape(t("Only with this tag"))}">{buttons}</div>'


def _row(meeting: MeetingSummary) -> str:
    title, id = escape(meeting.title), escape(meeting.id)
    names = join(speaker_chip(place, name) for place, name in enumerate(meeting.names[:SHOWN_NAMES]))
    if more := max(meeting.speakers, len(meeting.names)) - min(len(meeting.names), SHOWN_NAMES):
        names += f'<span class="g-soft">{escape(f"+{more}" if names else count(more, "speaker"))}</span>'
    tags = join(_tag(meeting, tag) for tag in meeting.tags)
    return (
        f'<li data-id="{id}" data-title="{title}" data-created="{meeting.created.timestamp():.0f}" '
        f'data-duration="{meeting.duration:.0f}" data-tags="{escape(chr(10).join(meeting.tags))}" '
        f'data-words="{escape(_words(meeting))}">'
        f'<label class="g-check"><input type="checkbox" aria-label="'
        f'{escape(t("Choose {title}", title=meeting.title))}"></label>'
        f'<button type="button" class="g-row" data-action="open" data-id="{id}"><b>{title}</b>'
        f'<span class="g-num">{escape(clock(meeting.duration))}</span>'
        f'<span class="g-names">{names}</span>'
        f'<span class="g-soft g-num">{escape(date_text(meeting.created))}</span></button>'
        f'<div class="g-tagline">{tags}<button type="button" class="g-tag g-new" data-new="{id}" '
        f'data-title="{title}">{escape(t("+ tag"))}</button>'
        f'<button type="button" class="g-tag g-again" data-action="rerun" data-id="{id}">'
        f"{escape(t('Run a stage again…'))}</button></div></li>"
    )


def _tag(meeting: MeetingSummary, tag: str) -> str:
    name = escape(t("Remove the tag {tag} from {title}", tag=tag, title=meeting.title))
    return (
        f'<span class="g-tag">{escape(tag)}<button type="button" data-action="untag" '
        f'data-id="{escape(meeting.id)}" data-tag="{escape(tag)}" aria-label="{name}" title="{name}">×</button></span>'
    )


def _words(meeting: MeetingSummary) -> str:
    """Return what a search looks in: letters of any case and width are one."""
    said = "\n".join([meeting.title, *meeting.names, *meeting.tags])
    return unicodedata.normalize("NFKC", said).casefold()


def _broken_row(meeting: MeetingSummary) -> str:
    why = meeting.problem or t("indexing has not finished: add the same file again to go on")
    sure = escape(t("Delete this meeting and its recording?"))
    return (
        f'<li class="g-broken" data-id="{escape(meeting.id)}" data-title="{escape(meeting.title)}" '
        f'data-created="{meeting.created.timestamp():.0f}" data-duration="0" data-tags="" '
        f'data-words="{escape(_words(meeting))}"><b>{escape(meeting.title)}</b>'
        f'<button type="button" class="g-small" data-action="discard" data-id="{escape(meeting.id)}" '
        f'data-confirm="{sure}">{escape(t("Delete"))}</button>'
        f'<p class="g-bad">{escape(sentence(why))}.</p></li>'
    )


def date_text(when: datetime) -> str:
    """Return a day as people write it: "7 Mar 2026", "2026年3月7日"."""
    if language() == "zh":
        return f"{when.year}年{when.month}月{when.day}日"
    return f"{when.day} {when:%b} {when.year}"
