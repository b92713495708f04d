"""Reports of unblinded studies to download, below ``/grga/evaluate/``; where there is a login, it guards them."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from eval.ui import reports
from eval.ui.studies import Studies
from grga.errors import StudyError
from grga.ui.posted import answering

KINDS = {
    ".md": "text/markdown; charset=utf-8",
    ".tex": "text/x-tex; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
SAFE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


def routes(studies: Studies) -> list[BaseRoute]:
    """Return the routes."""

    async def file(request: Request) -> Response:
        key, name = request.path_params["study"], request.path_params["file"]
        if name not in reports.FILES:
            raise StudyError(f"there is no file {name[:60]!r} in a report", expected=", ".join(reports.FILES))
        content = await run_in_threadpool(reports.read, studies, key, name)
        said = dict(SAFE)
        if "show" not in request.query_params:
            said["Content-Disposition"] = f'attachment; filename="{key}-{name}"'
        ending = name[name.rindex(".") :]
        return Response(content, media_type=KINDS[ending], headers=said)

    return [Route("/grga/evaluate/{study}/{file}", answering(file, 404))]
