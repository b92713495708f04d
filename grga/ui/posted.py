"""What pages send to our own addresses: checked before anything is done, refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from grga.errors import GrgaError
from grga.ui import visitors

LARGEST_BODY = 64 * 1024
T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]


class RefusedError(GrgaError):
    """A request that is answered with a status of its own and one sentence."""

    def __init__(self, status: int, what: str, **details: Any) -> None:
        super().__init__(what, **details)
        self.status = status


async def body(request: Request, kind: TypeAdapter[T], *, largest: int = LARGEST_BODY) -> T:
    """Return what was posted as JSON.

    Args:
        request: A POST from our own page.
        kind: What it must be.
        largest: Most bytes.

    Raises:
        RefusedError: it comes from another site, is no JSON, too large, or something else.
    """
    if not visitors.same_site(request):
        raise RefusedError(403, "this is accepted from this app's own pages only")
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise RefusedError(415, "this must be sent as application/json")
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > largest:
            raise RefusedError(413, "this is too large", expected=f"at most {largest // 1024} KB")
    try:
        return validated(kind, json.loads(content))
    except ValueError:
        raise RefusedError(400, "this is not valid JSON") from None


def validated(kind: TypeAdapter[T], value: Any) -> T:
    """Return ``value`` as a ``kind``.

    Raises:
        RefusedError: it is none; the sentence names the first field that is wrong.
    """
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RefusedError(400, f"{where}: {first['msg']}" if where else first["msg"]) from None


def answering(handler: Handler, status: int = 409) -> Handler:
    """Turn an error that people can understand into JSON ``{"error": sentence}``; ``status`` if it has none."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except GrgaError as error:
            code = error.status if isinstance(error, RefusedError) else status
            return JSONResponse({"error": str(error)}, code, headers={"X-Content-Type-Options": "nosniff"})

    return answer
