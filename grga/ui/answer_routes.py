"""Kept answers as files. Whoever has an answer's token may read it, so whoever has it may take it along."""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from grga.errors import GrgaError
from grga.exports.answers import export_answer, stored_meetings
from grga.exports.lines import one_line
from grga.ui.services import Services

MEDIA_TYPES = {
    "md": "text/markdown; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "zip": "application/zip",
}
NAME_LENGTH = 80
PLAIN = {"X-Content-Type-Options": "nosniff"}


def routes(services: Services) -> list[BaseRoute]:
    """Return the routes, all below ``/grga/answers/``."""

    def write(token: str, format: str) -> tuple[str, bytes]:
        asked = services.history.get(token)
        return asked.question, export_answer(asked, stored_meetings(asked, services.store), format)

    async def export(request: Request) -> Response:
        format = request.path_params["format"]
        try:
            question, content = await run_in_threadpool(write, request.path_params["token"], format)
        except GrgaError as error:
            return PlainTextResponse(str(error), 404, headers=PLAIN)
        name = quote(f"{one_line(question)[:NAME_LENGTH]}.{format}", safe="")
        headers = {**PLAIN, "Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return Response(content, media_type=MEDIA_TYPES[format], headers=headers)

    return [Route("/grga/answers/{token}/export/{format}", export)]
