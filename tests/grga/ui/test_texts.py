from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from grga.ui import texts, visitors

ROOT = Path(__file__).resolve().parents[3]
SAID_BY_US = ("t", "ui", "text")


def said(file: Path) -> Iterator[str]:
    """Return every sentence that a Python file hands to ``t`` or ``ui``."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAID_BY_US:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def said_by_javascript(file: Path) -> Iterator[str]:
    """Return every literal in ``text("…")``."""
    import re

    for match in re.finditer(r'\btext\("((?:[^"\\]|\\.)*)"', file.read_text("utf-8")):
        yield match.group(1)


PAGES = [ROOT / package / "ui" for package in ("grga", "annotation", "eval")]
PYTHON = [*(file for pages in PAGES for file in pages.rglob("*.py")), ROOT / "app.py"]
JAVASCRIPT = [file for pages in PAGES for file in pages.rglob("*.js")]


@pytest.mark.parametrize("file", [*PYTHON, *JAVASCRIPT], ids=lambda file: str(file.relative_to(ROOT)))
def test_every_sentence_has_its_chinese_line(file: Path) -> None:
    found = said(file) if file.suffix == ".py" else said_by_javascript(file)
    missing = [sentence for sentence in found if sentence not in texts.chinese()]
    assert missing == []


def test_a_translation_fills_the_same_blanks() -> None:
    import string

    def blanks(sentence: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}

    for english, chinese in texts.chinese().items():
        assert blanks(english) == blanks(chinese), english


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("de,zh;q=0.5", "zh"),
        ("fr", "en"),
        ("", "en"),
    ],
)
def test_the_browser_says_which_language_comes_first(accepted: str, expected: str) -> None:
    assert texts.preferred(accepted) == expected


def test_the_script_cannot_end_its_element() -> None:
    assert "</" not in texts.script("zh")


def test_a_request_without_our_cookie_is_a_visitor_of_its_own() -> None:
    assert visitors.of(None) != visitors.of(None)
