"""One opened meeting, as HTML: a frame whose elements fetch the meeting and follow its edits by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from grga.manifest import Manifest
from grga.scopes import clock
from grga.types import Meeting
from grga.ui.backends_view import backends_html
from grga.ui.graph_view import graph_html
from grga.ui.render import count, data, escape, join
from grga.ui.texts import t

LANGUAGES = {"en": "English", "zh": "Mandarin"}
MOST_NOTES = 50


def page_html(meeting: Meeting, manifest: Manifest, formats: Sequence[str], timeline: str) -> str:
    """Return the page of a meeting; ``timeline`` is its timeline as HTML, ``formats`` what it downloads as."""
    source = f"grga/meetings/{escape(meeting.id)}/transcript.json"
    edits = f"grga/meetings/{escape(meeting.id)}/edits"
    return (
        f'<div class="g-meeting" data-meeting="{escape(meeting.id)}">'
        f"{header_html(meeting, manifest, formats)}{timeline}{graph_html(meeting.id)}"
        f'<div class="g-reading"><grga-transcript class="g-panel" data-source="{source}"></grga-transcript>'
        f'<div class="g-beside"><grga-speakers class="g-panel g-speakers" data-source="{source}"></grga-speakers>'
        f'<grga-history class="g-panel g-edit-history" data-source="{edits}"></grga-history></div></div></div>'
    )


def header_html(meeting: Meeting, manifest: Manifest, formats: Sequence[str]) -> str:
    """Return title, facts, warnings and download links of a meeting."""
    source = f"grga/meetings/{escape(meeting.id)}/transcript.json"
    facts = [f"{manifest.created:%d %b %Y}", t("from {file}", file=manifest.source.name)]
    if meeting.language:
        facts.insert(0, t(LANGUAGES.get(meeting.language, meeting.language)))
    counted = [
        clock(meeting.duration),
        count(len(meeting.speakers), "speaker"),
        count(len(meeting.utterances), "line"),
    ]
    links = join(
        f'<a class="g-small" href="grga/export/{escape(meeting.id)}/{escape(name)}" download>'
        f"{escape(name.upper())}</a>"
        for name in formats
    )
    again = (
        f'<button type="button" class="g-small" data-action="rerun" data-id="{escape(meeting.id)}">'
        f"{escape(t('Run a step again…'))}</button>"
    )
    downloads = (
        f'<div class="g-downloads"><span class="g-soft">{escape(t("Download"))}</span>{links}'
        f'<span class="g-space"></span>{again}</div>'
    )
    return (
        f'<div class="g-head" id="meeting-header"><grga-heading data-source="{source}" data-facts="{data(facts)}">'
        f'<div class="g-heading"><h2>{escape(meeting.title)}</h2></div>'
        f'<p class="g-soft g-num">{escape(" · ".join([*counted, *facts]))}</p></grga-heading>'
        f"{downloads}{_notes(manifest)}{backends_html(manifest)}</div>"
    )


def _notes(manifest: Manifest) -> str:
    notes = [warning for record in manifest.stages.values() for warning in record.warnings]
    if not notes:
        return ""
    items = join(f"<li>{escape(note)}</li>" for note in notes[:MOST_NOTES])
    return f'<details class="g-warnings"><summary>{escape(_noted(len(notes)))}</summary><ul>{items}</ul></details>'


def _noted(number: int) -> str:
    return t("1 note from indexing") if number == 1 else t("{n} notes from indexing", n=number)
