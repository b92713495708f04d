"""Who is asking: a random number in a cookie that scripts cannot read, and nothing more.

History and ratings belong to it. It says nothing about the person, and another visitor cannot guess it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "grga-visitor"
YEAR = 365 * 24 * 3600
_ID = re.compile(r"[0-9a-f]{32}")


def of(request: gr.Request | Request | None) -> str:
    """Return the visitor's id; a request without one (a script, a blocked cookie) is a visitor of its own."""
    cookies: Mapping[str, str] = request.cookies if request is not None else {}
    return _known(cookies.get(COOKIE)) or secrets.token_hex(16)


def _known(value: str | None) -> str | None:
    return value if value and _ID.fullmatch(value) else None


class VisitorCookie:
    """Gives each browser its number when it opens the page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the answer to a page request without the cookie brings it."""
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].endswith("/"):
            return await self.app(scope, receive, send)
        request = Request(scope)
        if _known(request.cookies.get(COOKIE)):
            return await self.app(scope, receive, send)
        cookie = _cookie(secure=request.headers.get("x-forwarded-proto", request.url.scheme) == "https")

        async def bring(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, bring)
        return None


def _cookie(*, secure: bool) -> str:
    # A Space shows the app inside another site's page: only a partitioned cookie is kept there.
    where = "SameSite=None; Secure; Partitioned" if secure else "SameSite=Lax"
    return f"{COOKIE}={secrets.token_hex(16)}; Path=/; Max-Age={YEAR}; HttpOnly; {where}"


def same_site(request: Request) -> bool:
    """Return whether a posted request comes from our own page and not from another site's form."""
    origin: Any = request.headers.get("origin")
    return origin is None or origin.split("://", 1)[-1] == request.headers.get("host")
