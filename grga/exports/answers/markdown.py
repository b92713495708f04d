"""Markdown: the question as heading, sentences with their marks, the evidence as a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from grga.exports.answers.sheet import Evidence, Recorded, Section, Sheet, sheet
from grga.exports.md import plain

if TYPE_CHECKING:
    from grga.history import Asked

_LIST_NUMBER = re.compile(r"^(\d+)([.)])")


def export(asked: Asked, meetings: Mapping[str, Recorded]) -> bytes:
    """Return the answer as CommonMark in UTF-8; nothing in names, quotes or sentences formats anything."""
    return markdown(sheet(asked, meetings)).encode()


def markdown(content: Sheet, clips: Mapping[int, str] | None = None) -> str:
    """Return the sheet as CommonMark; ``clips`` maps evidence numbers to relative paths of sound files."""
    blocks = [f"# {_block(content.question)}", _block(content.asked)]
    for section in content.sections:
        blocks += _section(section, clips or {})
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, clips: Mapping[int, str]) -> list[str]:
    blocks = [f"## {_block(section.title)}"]
    for text, numbers in section.sentences:
        marks = "".join(f"[{number}]" for number in numbers)
        blocks.append(f"{_block(text)} {marks}".rstrip())
    blocks += [f"*{plain(note)}.*" for note in section.notes]
    if section.evidence:
        blocks += ["### Evidence", "\n".join(_line(one, clips.get(one.number)) for one in section.evidence)]
    return blocks


def _line(evidence: Evidence, clip: str | None) -> str:
    line = f"- [{evidence.number}] **{plain(evidence.speaker)}** ({evidence.clocks}) “{plain(evidence.text)}”"
    return f"{line} — [listen]({quote(clip)})" if clip else line


def _block(text: str) -> str:
    """Return text that begins a line: there even a number with a full stop would mean something."""
    return _LIST_NUMBER.sub(r"\1\\\2", plain(text))
