"""What the Verify and Adjudicate pages ask the server: JSON below ``/grga/annotate/``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from annotation import queries, workflow
from annotation.schema import SUBTASKS
from annotation.spans import MIN_IOU
from annotation.ui import items_routes
from annotation.ui.desk import Desk
from annotation.ui.task_view import dispute_model, progress_model, task_model
from annotation.verdicts import Judgement, Reason, Role, Verdict
from annotation.workspace import person
from grga.errors import AnnotationError, StoreError
from grga.ui.posted import RefusedError, answering, body

PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
LARGEST_VERDICT = 128 * 1024


class _Posted(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Who(_Posted):
    """Somebody, and of which items they want one; "" for any."""

    name: str = Field(max_length=200)
    meeting: str = Field("", max_length=200)
    batch: str = Field("", max_length=200)

    @property
    def within(self) -> dict[str, str | None]:
        """The limits as the workflow takes them."""
        return {"meeting": self.meeting or None, "batch": self.batch or None}


class Given(Who):
    """A verdict on the item ``key``."""

    key: str = Field(max_length=200)
    verdict: Verdict


class Again(Who):
    """The wish to take back the last verdict, which the page believes to be on ``key`` ("": whatever it is)."""

    key: str = Field("", max_length=200)
    role: Role = Role.ANNOTATOR


WHO, GIVEN, AGAIN = TypeAdapter(Who), TypeAdapter(Given), TypeAdapter(Again)


def routes(desk: Desk) -> list[BaseRoute]:
    """Return all routes of Annotate."""
    workspace = desk.workspace

    def told(who: Who, task: workflow.Task | None) -> dict[str, Any]:
        own = progress_model(workflow.progress(workspace, who.name, **who.within))
        if task is None:
            return {"task": None, "progress": own}
        page = desk.page(task.item.meeting)
        share = desk.acceptance(task.item.generator)
        if task.role is Role.ANNOTATOR:
            return {"task": task_model(task, page, share), "progress": own}
        with workspace.reading() as session:
            found = queries.row(session, task.item.key)
            proposed, overlap = queries.proposed(session, task.item.key), found.overlap
        return {"task": dispute_model(task, proposed, overlap, page, share), "progress": own}

    def next_task(who: Who) -> dict[str, Any]:
        return told(who, workflow.next_task(workspace, who.name, **who.within))

    def next_dispute(who: Who) -> dict[str, Any]:
        return told(who, workflow.next_dispute(workspace, who.name, **who.within))

    def judge(given: Given) -> dict[str, Any]:
        kept = _once(desk, given, Role.ANNOTATOR)
        return {"saved": kept.at.isoformat(), "progress": told(given, None)["progress"]}

    def settle(given: Given) -> dict[str, Any]:
        kept = _once(desk, given, Role.ADJUDICATOR)
        return {"saved": kept.at.isoformat(), "progress": told(given, None)["progress"]}

    def undo(again: Again) -> dict[str, Any]:
        name = person(again.name)
        with workspace.reading() as session:
            given = queries.judgements(session, annotator=name)
        if again.key and (not given or given[-1].item != again.key):
            raise AnnotationError("this verdict was taken back already", fix="go on with the next question")
        if given and given[-1].role is not again.role:
            place = "Adjudicate" if given[-1].role is Role.ADJUDICATOR else "Verify"
            raise AnnotationError(f"your last verdict was given under {place}", fix="take it back there")
        return told(again, workflow.undo(workspace, name))

    def release(who: Who) -> dict[str, Any]:
        workflow.release(workspace, who.name)
        return {"released": True}

    def setup() -> dict[str, Any]:
        titles, made = desk.titles(), desk.batches()
        return {
            "types": {kind.value: list(names) for kind, names in SUBTASKS.items()},
            "reasons": [one.value for one in Reason],
            "least": MIN_IOU,
            "meetings": [{"id": id, "title": title} for id, title in titles.items()],
            "batches": [{"name": name, "meeting": meeting} for name, meeting in made.items()],
        }

    async def settings(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(setup), headers=PRIVATE)

    async def checks(request: Request) -> Response:
        found = await run_in_threadpool(desk.checks, request.path_params["key"])
        return JSONResponse({"checks": found}, headers=PRIVATE)

    def post(path: str, kind: TypeAdapter[Any], work: Callable[[Any], dict[str, Any]]) -> Route:
        async def handle(request: Request) -> Response:
            given = await body(request, kind, largest=LARGEST_VERDICT)
            return JSONResponse(await run_in_threadpool(work, given), headers=PRIVATE)

        return Route(f"/grga/annotate/{path}", answering(handle), methods=["POST"])

    return [
        Route("/grga/annotate/setup.json", answering(settings)),
        post("next", WHO, next_task),
        post("verdict", GIVEN, judge),
        post("undo", AGAIN, undo),
        post("release", WHO, release),
        post("dispute", WHO, next_dispute),
        post("settle", GIVEN, settle),
        Route("/grga/annotate/checks/{key}", answering(checks, 404)),
        *items_routes.routes(desk),
    ]


def _once(desk: Desk, given: Given, role: Role) -> Judgement:
    """Keep a verdict, or return it when it is kept already: a page that heard no answer sends it again.

    Raises:
        AnnotationError: it cannot be taken.
        RefusedError: the disk cannot take it at present; the page tries again.
    """
    act = workflow.judge if role is Role.ANNOTATOR else workflow.adjudicate
    try:
        return act(desk.workspace, given.key, given.name, given.verdict)
    except AnnotationError:
        with desk.workspace.reading() as session:
            mine = queries.judgements(session, item=given.key, annotator=person(given.name), role=role)
        known = [one for one in mine if _same(one, given.verdict)]
        if not known:
            raise
        return known[-1]
    except StoreError as error:
        raise RefusedError(503, str(error)) from error


def _same(kept: Judgement, posted: Verdict) -> bool:
    """Whether this is that verdict; the seconds spent on an item tell any two apart."""
    own = posted.model_dump(exclude={"marks", "kind"})
    return kept.model_dump(include=set(own)) == own
