"""The page of a rater: one small document of its own, which knows its study and nothing of the app.

Its addresses lie below ``/rate/`` and need no login: the token of the link is the key. They say nothing
of the app, whose name may be the name of a system that is judged.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from grga.paths import assets
from grga.ui.texts import FOLDER, preferred, script

HERE = Path(__file__).resolve().parent
SCRIPTS = ("elements", "outbox", "player", "answer", "criteria", "rater")
SAFE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Language",
    "X-Content-Type-Options": "nosniff",
}


def routes() -> list[BaseRoute]:
    """Return the page, its style and its script; they go before the addresses of single raters."""
    page = (HERE / "page.html").read_text("utf-8")
    parts = "\n".join((HERE / f"{name}.js").read_text("utf-8") for name in SCRIPTS)

    async def shown(request: Request) -> Response:
        chinese = _language(request) == "zh"
        lang, title = ("zh-CN", "评分") if chinese else ("en", "Rating")
        return HTMLResponse(page.replace("LANGUAGE", lang).replace("TITLE", title), headers=SAFE)

    async def javascript(request: Request) -> Response:
        # Only this page's own sentences: others may name a system.
        lines = json.loads((FOLDER / "rate.json").read_text("utf-8"))
        said = script(request.headers.get("accept-language", ""), lines)
        return Response(said + parts, media_type="text/javascript", headers=SAFE)

    return [
        Mount("/rate/style", StaticFiles(directory=assets() / "style")),
        Route("/rate/rater.js", javascript),
        Route("/rate/{token}", shown),
    ]


class RaterLink:
    """Leads ``/?rate=TOKEN``, as links are written where an app has one address only, to the rater's page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or lead to the page."""
        if scope["type"] == "http" and scope["method"] == "GET" and b"rate=" in scope["query_string"]:
            token = QueryParams(scope["query_string"]).get("rate", "")
            if token and scope["path"].removeprefix(scope.get("root_path", "")) in ("", "/"):
                # Relative, so that it holds behind a proxy too.
                return await RedirectResponse(f"rate/{quote(token, safe='')}", 307)(scope, receive, send)
        return await self.app(scope, receive, send)


def _language(request: Request) -> str:
    return preferred(request.headers.get("accept-language", ""))
