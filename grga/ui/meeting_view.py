"""One opened meeting, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from grga.manifest import Manifest
from grga.scopes import clock
from grga.types import Meeting
from grga.ui.render import badges, chip, count, empty, escape, join


def header_html(meeting: Meeting, manifest: Manifest, formats: Sequence[str]) -> str:
    """Return title, facts, warnings and download links of a meeting."""
    facts = [
        clock(meeting.duration),
        count(len(meeting.speakers), "speaker"),
        count(len(meeting.utterances), "utterance"),
        f"{manifest.created:%d %b %Y}",
    ]
    if meeting.language:
        facts.append({"en": "English", "zh": "Mandarin"}.get(meeting.language, meeting.language))
    links = join(
        f'<a class="g-small" href="grga/export/{escape(meeting.id)}/{escape(name)}" download>'
        f"{escape(name.upper())}</a>"
        for name in formats
    )
    notes = [warning for record in manifest.stages.values() for warning in record.warnings]
    warnings = ""
    if notes:
        items = join(f"<li>{escape(note)}</li>" for note in notes[:50])
        warnings = (
            f'<details class="g-warnings"><summary>{count(len(notes), "note")} from indexing</summary>'
            f"<ul>{items}</ul></details>"
        )
    downloads = f'<div class="g-downloads"><span class="g-soft">Download</span>{links}</div>' if links else ""
    return (
        f'<div class="g-head"><h2>{escape(meeting.title)}</h2>'
        f'<p class="g-soft g-num">{escape(" · ".join(facts))} · from {escape(manifest.source.name)}</p>'
        f"{downloads}{warnings}</div>"
    )


def transcript_html(meeting: Meeting) -> str:
    """Return every utterance; a click on one plays from there."""
    if not meeting.utterances:
        return empty("No words", "No speech was found in this recording.")
    marks = badges(meeting)
    lines = []
    before = None
    for spoken in meeting.utterances:
        badge, name = marks[spoken.speaker], meeting.name_of(spoken)
        who = "" if spoken.speaker == before else chip(badge, name)
        before = spoken.speaker
        doubt = spoken.confidence is not None and spoken.confidence < 0.5
        unsure = ' class="g-unsure" title="Recognised with low confidence"' if doubt else ""
        lines.append(
            f'<li data-start="{spoken.start:.3f}" style="--c:var(--g-s{badge.hue})">'
            f'<button type="button" class="g-num" aria-label="Play from {escape(clock(spoken.start))}">'
            f"{escape(clock(spoken.start))}</button><div>{who}<p{unsure}>{escape(spoken.text)}</p></div></li>"
        )
    return f'<ol class="g-transcript g-panel" aria-label="Transcript">{join(lines)}</ol>'


def speakers_html(meeting: Meeting) -> str:
    """Return each speaker with share of talk and what they talk about."""
    marks = badges(meeting)
    talk = {speaker.id: 0.0 for speaker in meeting.speakers}
    for spoken in meeting.utterances:
        talk[spoken.speaker] += spoken.span.duration
    total = max(sum(talk.values()), 1e-9)
    rows = []
    for speaker in meeting.speakers:
        share = talk[speaker.id] / total
        about = speaker.profile.facts.get("keywords", "")
        told = speaker.role and speaker.role.casefold() != speaker.name.casefold()
        role = f'<span class="g-soft">{escape(speaker.role)}</span>' if told else ""
        words = f'<p class="g-soft">{escape(about)}</p>' if about else ""
        rows.append(
            f'<li style="--c:var(--g-s{marks[speaker.id].hue})">'
            f"<div>{chip(marks[speaker.id], speaker.name)} {role}</div>"
            f'<span class="g-num g-soft">{share:.0%} · {escape(clock(talk[speaker.id]))}</span>'
            f'<div class="g-bar"><i style="width:{share:.1%}"></i></div>{words}</li>'
        )
    return f'<div class="g-panel g-speakers"><div class="g-title">Speakers</div><ul>{join(rows)}</ul></div>'
