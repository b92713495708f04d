"""Small pieces of HTML that every tab uses. All text from outside goes through :func:`escape`."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grga.scopes import clock
from grga.types import Meeting, TimeSpan
from grga.ui.texts import language, t

HUES = 6

# gr.HTML hands its value to a JavaScript template literal and to Handlebars; as character references
# these four mean nothing to either, and the browser shows them as themselves.
_TEMPLATE_SIGNS = str.maketrans({"$": "&#36;", "{": "&#123;", "}": "&#125;", "`": "&#96;", "\\": "&#92;"})


def escape(text: object) -> str:
    """Return ``text`` safe as HTML content and inside double-quoted attributes."""
    return html.escape(str(text), quote=True).translate(_TEMPLATE_SIGNS)


def data(value: Any) -> str:
    """Return a JSON-able value, escaped for a data attribute."""
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def join(parts: Iterable[str]) -> str:
    """Return the pieces as one string."""
    return "".join(parts)


@dataclass(frozen=True)
class Badge:
    """How a speaker is told apart: a letter, a hue 1..6 and a lane (0 = top)."""

    letter: str
    hue: int
    lane: int


def badges(meeting: Meeting) -> dict[str, Badge]:
    """Return each speaker's badge by speaker id, in the meeting's order of speakers."""
    return {
        speaker.id: Badge(_letter(lane), lane % HUES + 1, lane)
        for lane, speaker in enumerate(meeting.speakers)
    }


def _letter(number: int) -> str:
    """0 → A, 25 → Z, 26 → AA."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def chip(badge: Badge, name: str) -> str:
    """Return a speaker's letter and name."""
    return (
        f'<span class="g-speaker"><i style="--c:var(--g-s{badge.hue})" aria-hidden="true">{badge.letter}</i>'
        f"{escape(name)}</span>"
    )


def speaker_chip(place: int, name: str) -> str:
    """Return the letter and name of the speaker at this ``place`` (from 0) in a meeting's list."""
    return chip(Badge(_letter(place), place % HUES + 1, place), name)


def span_text(span: TimeSpan) -> str:
    """Return "19:10–19:14" (one time when both ends read the same)."""
    start, end = clock(span.start), clock(span.end)
    return start if start == end else f"{start}–{end}"


def seconds_text(seconds: float) -> str:
    """Return a duration as people say it: "3 ms", "0.31 s", "2 min 5 s"."""
    if seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return "1 speaker", "4 speakers", in the visitor's language (translated as "{n} speakers")."""
    many = plural or singular + "s"
    if language() == "zh":
        return t(f"{{n}} {many}", n=number)
    return f"{number} {singular if number == 1 else many}"


def sentence(text: str) -> str:
    """Return ``text`` with a capital at its start, unless it starts with a name such as ``b.pdf``."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text


def notice(text: str, kind: str = "bad") -> str:
    """Return one calm sentence in a box; ``kind`` is "bad", "warn", "ok" or "plain"."""
    role = "alert" if kind == "bad" else "status"
    return f'<div class="g-notice {escape(kind)}" role="{role}">{escape(sentence(text))}</div>'


def empty(title: str, text: str) -> str:
    """Return an empty state that says what will be here."""
    return f'<div class="g-empty"><h3>{escape(title)}</h3><p>{escape(text)}</p></div>'


def plans(title: str, purpose: str, points: Iterable[tuple[str, str]]) -> str:
    """Return the page of a tab that is not built yet: what it is for and what will be in it."""
    items = join(f"<li><b>{escape(name)}</b><span>{escape(text)}</span></li>" for name, text in points)
    return (
        f'<section class="g-panel g-plans"><h2>{escape(title)}</h2><p>{escape(purpose)}</p>'
        f'<p class="g-soft">This part is not there yet. It will hold:</p><ol>{items}</ol></section>'
    )
