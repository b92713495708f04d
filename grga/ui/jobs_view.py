"""Background jobs as HTML: what runs, how far it is, what is left, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grga.jobs import STOPPING, Job, JobNote, JobState
from grga.ui.render import escape, join, seconds_text, sentence
from grga.ui.texts import t

STAGES = {
    "preprocess": "Reading the recording",
    "vad": "Finding speech",
    "asr": "Recognising words",
    "alignment": "Timing words",
    "diarization": "Telling speakers apart",
    "utterances": "Forming utterances",
    "emotion": "Hearing emotions",
    "acoustics": "Measuring voices",
    "profiles": "Describing speakers",
    "embeddings": "Computing meaning",
    "graph": "Linking utterances",
    "index": "Building the index",
    STOPPING: "Stopping after this step",
}
STATES = {
    JobState.QUEUED: "Waiting",
    JobState.RUNNING: "Running",
    JobState.DONE: "Ready",
    JobState.FAILED: "Failed",
    JobState.CANCELLED: "Cancelled",
}


def jobs_html(jobs: Sequence[Job], before: Mapping[int, int] | None = None) -> str:
    """Return jobs with their stages, percent, time left and buttons.

    Args:
        jobs: In the order to show.
        before: How many jobs each waiting one waits for, by job id.
    """
    if not jobs:
        return ""
    return (
        f'<grga-jobs class="g-panel g-jobs"><div class="g-title">{escape(t("Indexing"))}</div>'
        f"{join(_job(job, (before or {}).get(job.id or 0, 0)) for job in jobs)}</grga-jobs>"
    )


def stage_text(stage: str) -> str:
    """Return what a stage does, in the visitor's language."""
    return t(STAGES.get(stage, stage or "Starting"))


def _job(job: Job, before: int) -> str:
    title = t("{title}: one stage again", title=job.title) if job.kind == "rerun" else job.title
    notes = join(_note(job, note) for note in job.said()) if job.state == JobState.DONE else ""
    return (
        f'<article class="g-job {job.state.value}" data-job="{job.id}"><div class="g-job-head">'
        f'<b>{escape(title)}</b><span class="g-state">{escape(t(STATES[job.state]))}</span></div>{_bar(job)}'
        f'<div class="g-job-foot"><span class="g-num">{escape(_progress(job, before))}</span>'
        f'<span class="g-actions">{_actions(job)}</span></div>{_steps(job)}{notes}</article>'
    )


def _bar(job: Job) -> str:
    if not job.unfinished:
        return ""
    return (
        f'<div class="g-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{job.percent:.0f}" aria-label="{escape(job.title)}">'
        f'<i style="width:{job.percent:.1f}%"></i></div>'
    )


def _steps(job: Job) -> str:
    """Return the stages of a running job: done, running, left; each also says so without its sign."""
    plan = job.plan()
    if job.state != JobState.RUNNING or job.stage not in plan:
        return ""
    at = plan.index(job.stage)
    kinds = {-1: ("done", t("done")), 0: ("now", t("running")), 1: ("left", t("to do"))}
    steps = []
    for place, stage in enumerate(plan):
        kind, said = kinds[(place > at) - (place < at)]
        current = ' aria-current="step"' if kind == "now" else ""
        steps.append(
            f'<li class="{kind}"{current}>{escape(stage_text(stage))}<span class="g-unseen"> ({escape(said)})</span></li>'
        )
    return f'<ol class="g-steps" aria-label="{escape(t("Stages"))}">{join(steps)}</ol>'


def _progress(job: Job, before: int) -> str:
    if job.state == JobState.FAILED:
        return sentence(job.error) + "."
    if job.state == JobState.QUEUED:
        return t("Next") if not before else t("Jobs that go before it: {n}", n=before)
    if job.state == JobState.RUNNING:
        parts = [stage_text(job.stage), f"{job.percent:.0f} %"]
        if job.seconds_left is not None:
            left = max(job.seconds_left, 1.0)
            parts.append(t("about {time} left", time=f"{left:.0f} s" if left < 60 else seconds_text(left)))
        return " · ".join(parts)
    if job.state == JobState.DONE:
        if job.finished and job.started:
            return t("Took {time}", time=seconds_text((job.finished - job.started).total_seconds()))
        return ""
    return t("Finished stages are kept")


def _note(job: Job, note: JobNote) -> str:
    if note.kind == "duplicate":
        said = t("Already here as “{title}”: nothing had to be done.", title=note.text)
        return f'<p class="g-note">{escape(said)}</p>'
    if note.kind == "note":
        return f'<p class="g-note">{escape(sentence(note.text))}.</p>'
    said = t("{stage} failed; the rest is there.", stage=stage_text(note.stage))
    return (
        f'<div class="g-note g-warned"><p>{escape(said)} <span>{escape(sentence(note.text))}.</span></p>'
        f'<button type="button" class="g-small" data-action="again" data-id="{escape(job.meeting or "")}" '
        f'data-stage="{escape(note.stage)}">{escape(t("Run this stage again"))}</button></div>'
    )


def _actions(job: Job) -> str:
    def button(action: str, text: str, id: object = job.id) -> str:
        return (
            f'<button type="button" class="g-small" data-action="{action}" data-id="{escape(id)}">'
            f"{escape(text)}</button>"
        )

    if job.unfinished:
        return "" if job.stage == STOPPING else button("cancel", t("Cancel"))
    if job.state == JobState.DONE:
        opened = button("open", t("Open"), job.meeting) if job.meeting else ""
        return opened + button("forget", t("Clear"))
    return button("retry", t("Try again")) + button("forget", t("Remove"))
