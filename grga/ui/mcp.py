"""The endpoints as tools of the Model Context Protocol, spoken by Gradio's own server at ``/gradio_api/mcp``."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import gradio as gr


def available() -> bool:
    """Return whether the package that speaks the protocol is installed."""
    return importlib.util.find_spec("mcp") is not None


def answer_in_json(page: gr.Blocks) -> None:
    """Let the tools of a launched page answer in JSON; by itself Gradio writes Python literals."""
    server: Any = page.mcp_server_obj
    if server is None:
        return
    written = server.postprocess_output_data

    def in_json(data: list[Any], root_url: str) -> Any:
        texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in data]
        return written(texts, root_url)

    server.postprocess_output_data = in_json
