"""The Items page over HTTP: the list, one item with its history, files out and in, items written by hand."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from annotation import queries, workflow
from annotation.export import FORMATS, dump, format_of
from annotation.generation.hops import hop_count
from annotation.importing import Duplicates, import_items
from annotation.marks import resolve
from annotation.schema import Generator, QAItem, Status
from annotation.ui.desk import Desk
from annotation.ui.items_view import Filter, item_model, items_model
from annotation.verdicts import Mark
from annotation.workspace import new_id, person
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError
from grga.ui import visitors
from grga.ui.posted import RefusedError, answering, body, validated

PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
MEDIA_TYPES = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
}
LARGEST_FILE = 64 * 1024**2
DATASET = "dataset"


class _Posted(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Written(_Posted):
    """A question that somebody wrote, with the utterances that prove its answer."""

    name: str = Field(max_length=200)
    meeting: str = Field(max_length=200)
    type: QuestionType
    subtask: str = Field(max_length=100)
    question: str = Field(min_length=1, max_length=2000)
    answer: str = Field(min_length=1, max_length=8000)
    answerable: bool = True
    marks: tuple[Mark, ...] = Field((), max_length=200)
    batch: str = Field("", max_length=60)


class Gold(_Posted):
    """The right decision about an item; None makes it an ordinary one again."""

    name: str = Field(max_length=200)
    key: str = Field(max_length=200)
    accept: bool | None


WRITTEN, GOLD = TypeAdapter(Written), TypeAdapter(Gold)
FILTER = TypeAdapter(Filter)


def routes(desk: Desk) -> list[BaseRoute]:
    """Return the routes, all below ``/grga/annotate/``."""
    workspace = desk.workspace

    def chosen(request: Request) -> Filter:
        return validated(FILTER, {name: value for name, value in request.query_params.items() if value})

    def one(key: str) -> dict[str, Any]:
        with workspace.reading() as session:
            found, checks = queries.item(session, key), queries.checks(session, key)
        return item_model(found, checks, desk.titles())

    def write(request: Request) -> tuple[bytes, str]:
        format, wanted = request.path_params["format"], chosen(request)
        with workspace.reading() as session:
            items = wanted.apply(session)
        if format == DATASET:
            return _dataset(desk, items), "zip"
        if format not in FORMATS:
            raise AnnotationError(
                f"there is no file format {format!r}", fix=f"choose one of {', '.join(FORMATS)}"
            )
        return dump(items, format), format

    def take(data: bytes, name: str, by: str, update: bool) -> dict[str, Any]:
        duplicates = Duplicates.UPDATE if update else Duplicates.REFUSE
        report = import_items(workspace, data, format_of(name), person(by), duplicates=duplicates)
        return {
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "problems": list(report.problems),
            "notes": list(report.notes),
        }

    def compose(given: Written) -> dict[str, Any]:
        item = _written(desk, given)
        workflow.add_items(workspace, [item], person(given.name))
        return {"key": item.key, "checks": list(desk.run_checks(item))}

    def set_gold(given: Gold) -> dict[str, Any]:
        workflow.set_gold(workspace, given.key, given.accept, given.name)
        return one(given.key)

    async def listed(request: Request) -> Response:
        wanted = chosen(request)
        return JSONResponse(
            await run_in_threadpool(items_model, workspace, wanted, desk.titles()), headers=PRIVATE
        )

    async def opened(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(one, request.path_params["key"]), headers=PRIVATE)

    async def export(request: Request) -> Response:
        content, ending = await run_in_threadpool(write, request)
        name = quote(f"longaudioqa.{ending}", safe="")
        said = {**PRIVATE, "Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return Response(content, media_type=MEDIA_TYPES[ending], headers=said)

    async def imported(request: Request) -> Response:
        if not visitors.same_site(request):
            raise RefusedError(403, "this is accepted from this app's own pages only")
        if request.headers.get("content-type") != "application/octet-stream":
            raise RefusedError(415, "a file is sent as application/octet-stream")
        content = bytearray()
        async for chunk in request.stream():
            content += chunk
            if len(content) > LARGEST_FILE:
                raise RefusedError(413, "this file is too large", expected=f"at most {LARGEST_FILE >> 20} MB")
        query = request.query_params
        named, by, update = query.get("file", ""), query.get("name", ""), query.get("update") == "1"
        return JSONResponse(await run_in_threadpool(take, bytes(content), named, by, update), headers=PRIVATE)

    async def composed(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(compose, await body(request, WRITTEN)), headers=PRIVATE)

    async def gold(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(set_gold, await body(request, GOLD)), headers=PRIVATE)

    at = "/grga/annotate"
    return [
        Route(f"{at}/items.json", answering(listed)),
        Route(f"{at}/items", answering(composed), methods=["POST"]),
        Route(f"{at}/items/{{key}}", answering(opened, 404)),
        Route(f"{at}/gold", answering(gold), methods=["POST"]),
        Route(f"{at}/import", answering(imported), methods=["POST"]),
        Route(f"{at}/export/{{format}}", answering(export, 404)),
    ]


def _written(desk: Desk, given: Written) -> QAItem:
    meeting = desk.services.load(given.meeting)
    evidence = resolve(given.marks, meeting.meeting)
    if given.answerable and not evidence:
        raise AnnotationError("an answer needs evidence", fix="mark the lines that prove it")
    prefix = re.sub(r"[^\w.:-]", "-", given.meeting)[:80]
    values = given.model_dump(include={"meeting", "type", "subtask", "answerable", "batch"})
    return validated(
        TypeAdapter(QAItem),
        {
            **values,
            "key": f"{prefix}-human-{new_id()[:12]}",
            "question": given.question.strip(),
            "answer": given.answer.strip(),
            "evidence": evidence,
            "hops": hop_count(meeting.graph, [one.utt_id for one in evidence]) if evidence else 0,
            "language": meeting.meeting.language or None,
            "generator": Generator(name="human"),
        },
    )


def _dataset(desk: Desk, items: list[QAItem]) -> bytes:
    """Return the data set of the accepted items, with sound and card, as one archive."""
    from annotation.export.hub import write_dataset
    from grga.audio import Waveform

    accepted = [item for item in items if item.status is Status.ACCEPTED]
    if not accepted:
        raise AnnotationError("no question is accepted yet", fix="verify some first, or choose others")
    here = {id: page for id in {one.meeting for one in accepted} if (page := desk.page(id)) is not None}

    def listen(meeting: str) -> Waveform | None:
        page = here.get(meeting)
        if page is None or page.audio is None:
            return None
        return Waveform.open(desk.services.store.folder(meeting).audio)

    with tempfile.TemporaryDirectory() as folder:
        meetings = {id: page.meeting for id, page in here.items()}
        files = write_dataset(Path(folder), accepted, meetings, listen)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(folder))
    return out.getvalue()
