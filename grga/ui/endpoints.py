"""What turns a typed function into an endpoint: checked arguments, errors of one sentence, uploads.

Gradio takes the argument types and the texts of the docstring for its API page and for MCP, and hands
on whatever a client posts; the checks are made here.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import unquote

import gradio as gr
from gradio.processing_utils import save_base64_to_cache
from gradio.route_utils import get_request_origin
from gradio.utils import get_upload_folder
from pydantic import ConfigDict, ValidationError, validate_call
from starlette.requests import Request

from grga.errors import GrgaError, JobError

log = logging.getLogger("grga.ui")

PREFIX = "/gradio_api"
UPLOADED = f"{PREFIX}/file="
DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,.")
LARGEST_INLINE = 64 * 1024**2
"""Characters of a data address; anything larger is uploaded first."""


class CallError(gr.Error):
    """The one sentence that a client gets, without quotation marks around it."""

    def __init__(self, said: str) -> None:
        super().__init__(said, print_exception=False)
        self.said = said

    def __str__(self) -> str:
        return self.said


def endpoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` with its arguments checked against their types and its errors as sentences.

    Raises:
        CallError: when called, for anything that goes wrong.
    """
    checked = validate_call(config=ConfigDict(arbitrary_types_allowed=True))(function)
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return checked(**signature.bind(*given, **named).arguments)
        except ValidationError as error:
            problem = error.errors()[0]
            raise CallError(f"the argument {problem['loc'][0]!r} cannot be used: {_why(problem)}") from None
        except GrgaError as error:
            raise CallError(str(error)) from None
        except Exception as error:  # a bug of ours: the log has it, the client gets a sentence
            log.exception("%s failed", function.__name__)
            raise CallError("something went wrong inside GRGA; the server's log has the details") from error

    # Gradio reads these and does not resolve annotations that are text.
    call.__annotations__ = get_type_hints(function)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _why(problem: Mapping[str, Any]) -> str:
    text = str(problem["msg"])
    return text[:1].lower() + text[1:]


def uploaded(file: str | Mapping[str, Any], title: str | None) -> tuple[str, Path]:
    """Return name and path of a file that a client has uploaded; nothing else on this machine is ever read.

    Args:
        file: The path that ``POST /gradio_api/upload`` returned, its address on this server, a record with
            that path (what ``gradio_client.handle_file`` sends), or the content as a ``data:`` address.
        title: Name for content that has none.

    Raises:
        JobError: no uploaded file is there.
    """
    place, name = (file, "") if isinstance(file, str) else (file.get("path"), file.get("orig_name"))
    if not isinstance(place, str):
        raise _not_uploaded("this")
    if place.startswith("data:"):
        return _inline(place, title)
    if UPLOADED in place:
        place = unquote(place.partition(UPLOADED)[2])
    folder = Path(get_upload_folder()).resolve()
    try:
        path = Path(place).resolve()
        found = path.is_file() and path.is_relative_to(folder)
    except (OSError, ValueError):  # too long, or a zero byte inside
        found = False
    if not found:
        raise _not_uploaded(place[:100])
    return str(name or path.name), path


def _inline(address: str, title: str | None) -> tuple[str, Path]:
    if len(address) > LARGEST_INLINE:
        raise JobError("the content is too large for a data address", fix=f"POST it to {PREFIX}/upload")
    try:
        if not DATA.match(address):
            raise ValueError
        path = Path(save_base64_to_cache(address, get_upload_folder()))
    except ValueError:
        raise JobError("the data address cannot be read", fix="write data:audio/wav;base64,…") from None
    return f"{title or 'upload'}{path.suffix}", path


def _not_uploaded(place: str) -> JobError:
    return JobError(
        f"{place!r} is not an uploaded file", fix=f"POST it to {PREFIX}/upload and give the path that returns"
    )


def origin(request: gr.Request | Request | None) -> str:
    """Return the address under which the client reaches this app, without a slash at its end."""
    plain: Any = getattr(request, "request", request)
    if plain is None:
        return ""
    return str(get_request_origin(plain, "")).partition(PREFIX)[0].rstrip("/")
