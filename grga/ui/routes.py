"""Addresses beside Gradio's own: recordings with range requests, downloads, style and script.

A visitor names a meeting, never a path; which file that is, is decided here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from grga.errors import GrgaError
from grga.exports import export
from grga.paths import assets
from grga.ui import (
    answer_routes,
    clip_routes,
    graph_view,
    library_view,
    meeting_routes,
    moments,
    texts,
    timeline,
    transcript,
)
from grga.ui.services import Services

MEDIA_TYPES = {
    ".m4a": "audio/mp4",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".json": "application/json",
}


def routes(services: Services, scripts: Sequence[str] = ()) -> list[BaseRoute]:
    """Return the routes, all below ``/grga/``; ``scripts`` of other packages are served behind our own."""
    parts = (timeline, graph_view, transcript, moments, library_view)
    script = "\n".join([*(part.script() for part in parts), *scripts])

    async def play(request: Request) -> Response:
        found = services.store.folder(request.path_params["meeting"]).playback
        if not found.is_file():
            return PlainTextResponse("There is no recording of this meeting.", 404)
        return FileResponse(found, media_type=MEDIA_TYPES[found.suffix])

    async def download(request: Request) -> Response:
        format = request.path_params["format"]
        meeting = (await run_in_threadpool(services.page, request.path_params["meeting"])).meeting
        content = await run_in_threadpool(export, meeting, format)
        kind = MEDIA_TYPES.get(f".{format}", "text/plain; charset=utf-8")
        name = quote(f"{meeting.title}.{format}", safe="")
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(content, media_type=kind, headers=headers)

    async def javascript(request: Request) -> Response:
        said = texts.script(request.headers.get("accept-language", ""))
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language"}
        return Response(said + script, media_type="text/javascript", headers=headers)

    return [
        Route("/grga/audio/{meeting}", _answering(play)),
        *clip_routes.routes(services),
        Route("/grga/export/{meeting}/{format}", _answering(download)),
        *answer_routes.routes(services),
        Route("/grga/timeline.js", javascript),
        Mount("/grga/style", StaticFiles(directory=assets() / "style")),
        *meeting_routes.routes(services),
    ]


def _answering(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Turn an error that people can understand into a plain 404 with its sentence."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except GrgaError as error:
            return PlainTextResponse(str(error), 404, headers={"X-Content-Type-Options": "nosniff"})

    return answer
