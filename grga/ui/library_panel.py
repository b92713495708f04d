"""The library: choose a meeting or several, watch jobs, run one stage again. New ones: :mod:`grga.ui.add_panel`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from grga.edits import SetTags
from grga.errors import GrgaError, JobError, StoreError
from grga.ui import add_panel, library_view, rerun_panel, visitors
from grga.ui.indexing import plan_again
from grga.ui.jobs_view import jobs_html
from grga.ui.render import notice
from grga.ui.services import Services
from grga.ui.theme import pane

BUSY_SECONDS, IDLE_SECONDS = 1.5, 5.0
"""How often the page asks: while a job of any kind is unfinished, and otherwise."""
SHOWN_JOBS = 8

QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}


@dataclass(frozen=True)
class LibraryPanel:
    """What the tab wires: the whole panel, its lists, and ids that a click hands on.

    ``open`` receives the id of a meeting to open, ``chosen`` the ids to ask about together;
    ``listed`` returns the list of meetings as it is now.
    """

    shelf: gr.Column
    library: gr.HTML
    jobs: gr.HTML
    open: gr.State
    chosen: gr.State
    listed: Callable[[], str]


def build(services: Services, page: gr.Blocks) -> LibraryPanel:
    """Lay out the panel and wire it; ``page`` gives the load event."""
    to_open, wanted, chosen = gr.State(""), gr.State([]), gr.State([])
    with gr.Column(elem_classes="g-page") as shelf, gr.Row(elem_classes="g-columns"):
        with gr.Column(scale=5, min_width=320):
            jobs = pane(elem_id="jobs")
            with gr.Column(elem_classes="g-panel g-library"):
                tools = pane(library_view.tools_html, elem_id="library-tools")
                library = pane(elem_id="library")
        with gr.Column(scale=3, min_width=300, elem_classes="g-beside"):
            said = pane(elem_id="library-notice")
            rerun = rerun_panel.build(services)
            add = add_panel.build(services)

    seen = gr.State("")
    timer = gr.Timer(BUSY_SECONDS)

    # --- what happens ----------------------------------------------------------------------------

    def refresh(before: str, request: gr.Request) -> tuple[Any, Any, Any, Any]:
        return changes(services, before, visitors.of(request))

    def listed() -> str:
        return _library_html(services)

    def act(event: gr.EventData, request: gr.Request) -> tuple[Any, Any]:
        """Do what a button in one of the lists says; every value is checked where it is used."""
        values = {str(name): str(value) for name, value in event._data.items()}
        try:
            return _act(services, values, visitors.of(request)), ""
        except GrgaError as error:
            return gr.skip(), notice(str(error))

    def choose(event: gr.EventData) -> Any:
        known = {meeting.id for meeting in services.meetings()}
        return [id for id in str(event._data.get("ids", "")).split() if id in known]

    # --- wiring ----------------------------------------------------------------------------------

    shown = [jobs, library, seen, timer]
    page.load(refresh, seen, shown, **QUIET)
    timer.tick(refresh, seen, shown, queue=False, **QUIET)
    for listing in (jobs, library):
        listing.click(act, None, [to_open, said], **QUIET).then(refresh, seen, shown, **QUIET)
        listing.click(rerun.show, None, rerun.outputs, **QUIET)
    # Emptied first, so that the same choice made again is a change again.
    picked = tools.click(choose, None, wanted, **QUIET).then(list, None, chosen, **QUIET)
    picked.then(lambda ids: ids, wanted, chosen, **QUIET)
    add.start.click(add.submit, add.inputs, [*add.outputs, to_open], **QUIET).then(
        refresh, seen, shown, **QUIET
    )
    rerun.start.click(rerun.submit, rerun.inputs, rerun.outputs, **QUIET).then(refresh, seen, shown, **QUIET)
    return LibraryPanel(shelf, library, jobs, to_open, chosen, listed)


def changes(services: Services, before: str, visitor: str) -> tuple[Any, Any, Any, Any]:
    """Return what the page does not show yet: jobs, list, what it shows then, and how often to ask.

    Most of the time nothing has changed; then no HTML is made and nothing is sent.

    Args:
        services: Where jobs and meetings are.
        before: What the page shows, as returned here; "" for nothing.
        visitor: Whose page it is.
    """
    was: dict[str, Any] = json.loads(before) if before else {}
    state = hash((services.jobs.revision, *services.store.meetings()))
    if was.get("state") == state:
        return gr.skip(), gr.skip(), gr.skip(), gr.skip()
    jobs, busy = _jobs_html(services, visitor)
    library = _library_html(services)
    now = {"state": state, "jobs": hash(jobs), "library": hash(library), "busy": busy}
    return (
        gr.skip() if was.get("jobs") == now["jobs"] else jobs,
        gr.skip() if was.get("library") == now["library"] else library,
        json.dumps(now),
        gr.skip() if was.get("busy") == busy else gr.Timer(BUSY_SECONDS if busy else IDLE_SECONDS),
    )


def _library_html(services: Services) -> str:
    return library_view.library_html(services.meetings(), services.broken())


def _jobs_html(services: Services, visitor: str) -> tuple[str, bool]:
    """Return the visitor's jobs, and whether any of them is unfinished."""
    own = services.jobs.jobs(visitor=visitor)
    unfinished = [job for job in own if job.unfinished]
    before = services.jobs.before() if unfinished else {}
    unfinished.sort(key=lambda job: before.get(job.id or 0, -1))
    ended = [job for job in own if not job.unfinished]
    return jobs_html(unfinished + ended[: max(SHOWN_JOBS - len(unfinished), 2)], before), bool(unfinished)


def _act(services: Services, values: dict[str, str], visitor: str) -> Any:
    """Do what was clicked; return the id of a meeting to open, or a skip.

    Raises:
        GrgaError: it cannot be done, or nobody knows what it is.
    """
    id = values.get("id", "")
    match values.get("action"):
        case "open":
            return id
        case "rerun":
            pass  # rerun_panel shows itself
        case "tag" | "untag" as action:
            _tag(services, id, values.get("tag", ""), add=action == "tag")
        case "discard" if id in {one.id for one in services.broken()}:
            services.store.delete(id)
        case "again":
            _again(services, id, values.get("stage", ""), visitor)
        case "cancel" if id.isdigit():
            services.jobs.cancel(int(id), visitor)
        case "retry" if id.isdigit():
            services.jobs.retry(int(id), visitor)
        case "forget" if id.isdigit():
            services.jobs.forget(int(id), visitor)
        case _:
            raise JobError("this button is not known", fix="reload the page")
    return gr.skip()


def _tag(services: Services, id: str, tag: str, *, add: bool) -> None:
    meeting = next((one for one in services.meetings() if one.id == id), None)
    if meeting is None:
        raise StoreError(f"there is no meeting {id!r}", fix="reload the page")
    kept = tuple(one for one in meeting.tags if one != tag)
    services.store.folder(id).edit(SetTags(tags=(*kept, tag) if add else kept))


def _again(services: Services, id: str, stage: str, visitor: str) -> None:
    title = rerun_panel.title_of(services, id, stage)
    stages = plan_again(stage, rerun_panel.stages_of(services, id))
    services.jobs.rerun(id, title, stage, visitor=visitor, stages=stages)
