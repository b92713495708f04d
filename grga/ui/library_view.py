"""The list of meetings and the jobs that make them, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from grga.jobs import Job, JobState
from grga.scopes import clock
from grga.store import MeetingSummary
from grga.ui.render import count, empty, escape, join, seconds_text, sentence

STAGES = {
    "preprocess": "Reading the recording",
    "vad": "Finding speech",
    "asr": "Recognising words",
    "diarization": "Telling speakers apart",
    "utterances": "Forming utterances",
    "acoustics": "Measuring voices",
    "profiles": "Describing speakers",
    "embeddings": "Computing meaning",
    "graph": "Linking utterances",
    "index": "Building the index",
    "stopping": "Stopping after this step",
}
STATES = {
    JobState.QUEUED: "Waiting",
    JobState.RUNNING: "Running",
    JobState.DONE: "Ready",
    JobState.FAILED: "Failed",
    JobState.CANCELLED: "Cancelled",
}


def library_html(meetings: Sequence[MeetingSummary], broken: Sequence[MeetingSummary] = ()) -> str:
    """Return the list of indexed meetings, each row opens one; below them those that cannot be opened."""
    if not meetings and not broken:
        return empty("No meeting yet", "Add a recording or a transcript; it is listed here once indexed.")
    rows = join([*map(_row, meetings), *map(_broken_row, broken)])
    return (
        f'<div class="g-panel g-list"><div class="g-title">Meetings<span>{len(meetings)}</span></div>'
        f'<div role="list">{rows}</div></div>'
    )


def _row(meeting: MeetingSummary) -> str:
    facts = (count(meeting.speakers, "speaker"), count(meeting.utterances, "utterance"))
    return (
        f'<div role="listitem"><button type="button" class="g-row" data-action="open" '
        f'data-id="{escape(meeting.id)}"><b>{escape(meeting.title)}</b>'
        f'<span class="g-num">{escape(clock(meeting.duration))}</span>'
        f'<span class="g-soft">{escape(" · ".join(facts))}</span>'
        f'<span class="g-soft g-num">{meeting.created:%d %b %Y}</span></button></div>'
    )


def _broken_row(meeting: MeetingSummary) -> str:
    why = meeting.problem or "indexing has not finished: add the same file again to go on"
    return (
        f'<div role="listitem" class="g-job failed"><div class="g-job-head"><b>{escape(meeting.title)}</b></div>'
        f'<div class="g-job-foot"><span class="g-num">{escape(sentence(why))}.</span>'
        f'<span class="g-actions"><button type="button" class="g-small" data-action="discard" '
        f'data-id="{escape(meeting.id)}" data-confirm="Delete this meeting and its recording?">Delete</button>'
        "</span></div></div>"
    )


def jobs_html(jobs: Sequence[Job]) -> str:
    """Return the background jobs with stage, percent, time left and what can be done with each."""
    if not jobs:
        return ""
    return (
        '<div class="g-panel g-jobs"><div class="g-title">Indexing</div>'
        f"{join(_job(job) for job in jobs)}</div>"
    )


def _job(job: Job) -> str:
    percent = 100.0 if job.state == JobState.DONE else job.percent
    bar = ""
    if job.unfinished:
        bar = (
            f'<div class="g-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
            f'aria-valuenow="{percent:.0f}" aria-label="{escape(job.title)}">'
            f'<i style="width:{percent:.1f}%"></i></div>'
        )
    return (
        f'<div class="g-job {job.state.value}" data-job="{job.id}"><div class="g-job-head">'
        f'<b>{escape(job.title)}</b><span class="g-state">{STATES[job.state]}</span></div>{bar}'
        f'<div class="g-job-foot"><span class="g-num">{escape(_progress(job))}</span>'
        f'<span class="g-actions">{_actions(job)}</span></div></div>'
    )


def _progress(job: Job) -> str:
    if job.state == JobState.FAILED:
        return sentence(job.error) + "."
    if job.state == JobState.QUEUED:
        return "Waits for the jobs before it"
    if job.state == JobState.RUNNING:
        parts = [STAGES.get(job.stage, job.stage or "Starting"), f"{job.percent:.0f} %"]
        if job.seconds_left is not None:
            left = max(job.seconds_left, 1.0)
            parts.append(f"about {f'{left:.0f} s' if left < 60 else seconds_text(left)} left")
        return " · ".join(parts)
    if job.finished and job.started and job.state == JobState.DONE:
        return f"Took {seconds_text((job.finished - job.started).total_seconds())}"
    return "Finished stages are kept"


def _actions(job: Job) -> str:
    def button(action: str, text: str) -> str:
        return (
            f'<button type="button" class="g-small" data-action="{action}" data-id="{job.id}">{text}</button>'
        )

    if job.unfinished:
        return "" if job.stage == "stopping" else button("cancel", "Cancel")
    if job.state == JobState.DONE:
        opened = ""
        if job.meeting:
            opened = (
                '<button type="button" class="g-small" data-action="open" '
                f'data-id="{escape(job.meeting)}">Open</button>'
            )
        return opened + button("forget", "Clear")
    return button("retry", "Try again") + button("forget", "Remove")
