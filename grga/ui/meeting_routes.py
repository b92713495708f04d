"""The opened meeting as JSON: its transcript, its timeline, the graph around a line, and edits.

Documents carry the meeting's revision as ETag, so that asking again costs nothing until something changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from grga.edits import Edit, EditRecord
from grga.errors import GrgaError
from grga.store import MeetingFolder
from grga.types import EdgeType
from grga.ui import visitors
from grga.ui.graph_view import graph_model
from grga.ui.posted import RefusedError, answering, body, validated
from grga.ui.services import Services
from grga.ui.timeline import timeline_model
from grga.ui.transcript import transcript_model

MOST_AROUND = 40
HISTORY = 50
KEPT_DOCUMENTS = 8
WORTH_PACKING = 2048


class Step(BaseModel):
    """A step back or forth in the history."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["undo", "redo"]


_POSTED: TypeAdapter[Edit | Step] = TypeAdapter(Annotated[Edit | Step, Field(discriminator="kind")])


class GraphQuery(BaseModel):
    """What of the graph is asked for."""

    model_config = ConfigDict(extra="forbid")

    around: list[int] = Field(min_length=1, max_length=MOST_AROUND)
    depth: int = Field(1, ge=1, le=3)
    types: list[EdgeType] = Field(default=list(EdgeType), min_length=1)

    @classmethod
    def read(cls, request: Request) -> GraphQuery:
        """Return the query of an address; lists are separated by commas.

        Raises:
            RefusedError: an unknown parameter, or a value out of range.
        """
        given: dict[str, Any] = dict(request.query_params)
        for name in ("around", "types"):
            if name in given:
                given[name] = [part for part in given[name].split(",") if part]
        return validated(TypeAdapter(cls), given)


def routes(services: Services) -> list[BaseRoute]:
    """Return the routes, all below ``/grga/meetings/``."""
    kept: dict[tuple[str, str], tuple[str, bytes]] = {}

    def document(kind: str, folder: MeetingFolder, make: Callable[[], Any]) -> tuple[str, bytes]:
        """Return a document's revision and JSON, made again only after a change."""
        revision = folder.revision()  # before the content: what changes meanwhile is noticed next time
        key = kind, folder.id
        if key not in kept or kept[key][0] != revision:
            made = json.dumps(make(), ensure_ascii=False, separators=(",", ":")).encode()
            while len(kept) >= KEPT_DOCUMENTS:
                kept.pop(next(iter(kept)), None)
            kept[key] = revision, made
        return kept[key]

    async def transcript(request: Request) -> Response:
        folder = _folder(services, request)
        return await _document(
            request, folder, lambda: document("lines", folder, lambda: transcript_model(folder))
        )

    async def timeline(request: Request) -> Response:
        folder = _folder(services, request)

        def make() -> dict[str, Any]:
            page = services.page(folder.id)
            return timeline_model(page.meeting, page.peaks, page.audio)

        return await _document(request, folder, lambda: document("lanes", folder, make))

    async def peaks(request: Request) -> Response:
        """Loudness at full resolution: one byte per tenth of a second, the loudest is 255."""
        found = await run_in_threadpool(lambda: services.page(_folder(services, request).id).peaks)
        high = np.asarray(found, dtype=np.float64)
        scaled = np.round(255 * np.clip(high / max(float(high.max(initial=0.0)), 1e-9), 0, 1)).astype(
            np.uint8
        )
        return Response(scaled.tobytes(), media_type="application/octet-stream")

    async def graph(request: Request) -> Response:
        wanted, folder = GraphQuery.read(request), _folder(services, request)

        def make() -> dict[str, Any]:
            found = services.load(folder.id)
            unknown = [id for id in wanted.around if not 0 <= id < len(found.meeting.utterances)]
            if unknown:
                raise RefusedError(404, f"there is no line {unknown[0]} in this meeting")
            return graph_model(found.meeting, found.graph, wanted.around, wanted.depth, wanted.types)

        return JSONResponse(await run_in_threadpool(make))

    async def history(request: Request) -> Response:
        folder = _folder(services, request)
        records = await run_in_threadpool(folder.edits)
        mine = _signature(request)
        return JSONResponse({"edits": [_told(record, mine) for record in reversed(records[-HISTORY:])]})

    async def edit(request: Request) -> Response:
        folder, wanted = _folder(services, request), await body(request, _POSTED)
        record = await run_in_threadpool(_edit, folder, wanted, _signature(request))
        return JSONResponse(
            {
                "revision": folder.revision(),
                "record": _told(record, _signature(request)) if record else None,
            }
        )

    at = "/grga/meetings/{meeting}"
    return [
        Route(f"{at}/transcript.json", answering(transcript)),
        Route(f"{at}/timeline.json", answering(timeline)),
        Route(f"{at}/peaks", answering(peaks)),
        Route(f"{at}/graph.json", answering(graph)),
        Route(f"{at}/edits", answering(history)),
        Route(f"{at}/edits", answering(edit), methods=["POST"]),
    ]


def _folder(services: Services, request: Request) -> MeetingFolder:
    """Return the finished meeting that the address names.

    Raises:
        RefusedError: there is none.
    """
    try:
        folder = services.store.folder(request.path_params["meeting"])
        finished = folder.read_manifest().finished
    except GrgaError as error:
        raise RefusedError(404, str(error)) from None
    if not finished:
        raise RefusedError(409, "this meeting is being indexed", fix="wait until that has finished")
    return folder


async def _document(
    request: Request, folder: MeetingFolder, make: Callable[[], tuple[str, bytes]]
) -> Response:
    if request.headers.get("if-none-match") == f'"{folder.revision()}"':
        return Response(status_code=304)
    revision, content = await run_in_threadpool(make)
    headers = {"ETag": f'"{revision}"', "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if len(content) >= WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        content = await run_in_threadpool(gzip.compress, content, 5)
        headers["Content-Encoding"] = "gzip"
    return Response(content, media_type="application/json", headers=headers)


def _edit(folder: MeetingFolder, wanted: Edit | Step, by: str) -> EditRecord | None:
    if not isinstance(wanted, Step):
        return folder.edit(wanted, by)
    return folder.undo(by) if wanted.kind == "undo" else folder.redo(by)


def _signature(request: Request) -> str:
    """Return who edits: recognisable from edit to edit, without giving the visitor's secret number away."""
    return f"visitor {hashlib.sha256(visitors.of(request).encode()).hexdigest()[:8]}"


def _told(record: EditRecord, mine: str) -> dict[str, Any]:
    return {
        "number": record.number,
        "at": record.at.isoformat(),
        "by": record.by,
        "mine": record.by == mine,
        "summary": record.summary,
        "undone": record.undone,
        "applies": record.applies,
    }
