"""ZIP: the Markdown, and for every citation a clip to hear, cut from the recording."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from grga.audio import Waveform, wav_bytes
from grga.exports.answers.markdown import markdown
from grga.exports.answers.sheet import Evidence, Recorded, Section, sheet
from grga.store import slug

if TYPE_CHECKING:
    from grga.history import Asked

CONTEXT = 0.25
"""Seconds of recording around a cited utterance, so that no word begins or ends with a click."""
NO_DATE = (1980, 1, 1, 0, 0, 0)
NO_RECORDING = "There is no recording of this meeting, so there are no clips"


def export(asked: Asked, meetings: Mapping[str, Recorded]) -> bytes:
    """Return the bytes of a .zip file, the same ones for the same answer and recording."""
    content = sheet(asked, meetings)
    clips: dict[int, tuple[str, bytes]] = {}
    sections = []
    for section in content.sections:
        recorded = meetings.get(section.meeting_id)
        if recorded is None or recorded.waveform is None:
            sections.append(_silent(section))
            continue
        sections.append(section)
        for evidence in section.evidence:
            clips[evidence.number] = f"clips/{_file_name(evidence)}", _clip(evidence, recorded.waveform)
    text = markdown(replace(content, sections=tuple(sections)), {n: path for n, (path, _) in clips.items()})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in [("answer.md", text.encode()), *clips.values()]:
            _add(archive, path, data)
    return buffer.getvalue()


def _silent(section: Section) -> Section:
    return replace(section, notes=(*section.notes, NO_RECORDING)) if section.evidence else section


def _clip(evidence: Evidence, waveform: Waveform) -> bytes:
    return wav_bytes(waveform.samples(evidence.span.widened(CONTEXT)))


def _file_name(evidence: Evidence) -> str:
    """Return for example ``03-Rosa-1m05s.wav``: sorted by number, safe on every system."""
    minutes, seconds = divmod(int(evidence.span.start), 60)
    return f"{evidence.number:02d}-{slug(evidence.speaker)}-{minutes}m{seconds:02d}s.wav"


def _add(archive: zipfile.ZipFile, path: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(path, NO_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same on every system
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)
