"""What the page says, in the visitor's language. The English sentence is the key of its translation.

Text that Python writes is translated on the server (:func:`t`), labels of Gradio's own components in
the browser (:func:`ui`), and what our JavaScript writes by ``text()`` (:func:`script`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import gradio as gr
from gradio.context import LocalContext
from gradio.i18n import I18nData

FOLDER = Path(__file__).resolve().parent / "zh"
"""One JSON object per area of the page: English sentence → Chinese sentence."""


def t(sentence: str, **values: object) -> str:
    """Return ``sentence`` in the language of the present visitor, ``{name}`` filled from ``values``.

    Outside a request (tests, scripts) this is English. A sentence without translation stays English.
    """
    said = chinese().get(sentence, sentence) if language() == "zh" else sentence
    return said.format(**values) if values else said


def language() -> str:
    """Return "zh" or "en": what the browser of the present request asks for first."""
    request = LocalContext.request.get(None)
    return preferred(request.headers.get("accept-language", "")) if request else "en"


def preferred(accepted: str) -> str:
    """Return "zh" when an ``Accept-Language`` header puts Chinese before English, else "en"."""
    for entry in accepted.lower().split(","):
        for code in ("zh", "en"):
            if entry.strip().startswith(code):
                return code
    return "en"


@cache
def chinese() -> Mapping[str, str]:
    """Return the Chinese sentences of all areas by their English ones."""
    lines: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.json")):
        lines |= json.loads(file.read_text("utf-8"))
    return MappingProxyType(lines)


@cache
def catalogue() -> gr.I18n:
    """Return Gradio's own catalogue, for ``launch(i18n=…)``; English stands for itself."""
    lines = dict(chinese())
    return gr.I18n(en={line: line for line in lines}, **{"zh-CN": lines, "zh-TW": lines, "zh": lines})


def ui(sentence: str) -> I18nData:
    """Return a label for a Gradio component, translated in the browser."""
    return catalogue()(sentence)


def script(accepted: str, lines: Mapping[str, str] | None = None) -> str:
    """Return JavaScript that defines ``text(sentence, values)`` for a browser with this Accept-Language.

    Args:
        accepted: The header.
        lines: Chinese sentences by English ones; None for all there are.
    """
    lines = dict(chinese() if lines is None else lines) if preferred(accepted) == "zh" else {}
    # "<" cannot end a script element this way, wherever the text is put.
    table = json.dumps(lines, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f"const TEXTS = {table};\n"
        "const text = (sentence, values = {}) => (TEXTS[sentence] ?? sentence)"
        ".replace(/\\{(\\w+)\\}/g, (all, name) => values[name] ?? all);\n"
    )
