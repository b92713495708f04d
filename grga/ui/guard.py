"""Where people must log in, our own addresses and the MCP tools ask for it too.

Gradio checks its own routes and leaves alone what an app adds. Whoever is logged in has its cookie; a
program may send user and password with each request (HTTP Basic) instead.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any

from gradio.route_utils import compare_passwords_securely
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

GUARDED = re.compile(r"/(grga|gradio_api/mcp)(/|$)")
OPEN = re.compile(r"/grga/(style/.+|[\w-]+\.js)")
"""Looks and scripts, which the login page needs and which tell nothing."""


def pairs(auth: Sequence[SecretStr]) -> list[tuple[str, str]] | None:
    """Return ``ui.auth`` as Gradio wants it: (user, password) pairs, None without any."""
    split = [pair.get_secret_value().partition(":") for pair in auth]
    return [(user, password) for user, _, password in split] or None


class Guard:
    """Answers 401 to guarded requests of nobody known, if the app has users at all."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and _refused(Request(scope)):
            said = {"WWW-Authenticate": 'Basic realm="GRGA"'}
            return await PlainTextResponse("Log in first.", 401, headers=said)(scope, receive, send)
        return await self.app(scope, receive, send)


def _refused(request: Request) -> bool:
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    if not GUARDED.match(path) or OPEN.fullmatch(path):
        return False
    gradio: Any = request.app
    if gradio.auth is None:
        return False
    names = (f"access-token-{gradio.cookie_id}", f"access-token-unsecure-{gradio.cookie_id}")
    if any(request.cookies.get(name) in gradio.tokens for name in names):
        return False
    return not _knows(gradio.auth, request.headers.get("authorization", ""))


def _knows(users: dict[str, str], header: str) -> bool:
    kind, _, value = header.partition(" ")
    if kind.lower() != "basic":
        return False
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return user in users and compare_passwords_securely(password, users[user])
