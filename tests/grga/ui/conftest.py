"""A small meeting, and strings that try to be more than text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from grga.types import Meeting, Speaker, TimeSpan, Utterance

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{7*7}}",
    "a lone \\ backslash",
    "</script><b>bold</b>",
    '" onclick="alert(1)',
    "`backtick`",
)


class Page(HTMLParser):
    """What a browser makes of some HTML: its text, tags and attributes."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(source)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def first(self, tag: str) -> dict[str, str]:
        return next(attributes for name, attributes in self.tags if name == tag)


@pytest.fixture
def hostile() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture
def page() -> type[Page]:
    return Page


@pytest.fixture
def meeting() -> Meeting:
    lines = [
        ("S1", 0.0, 4.0, "There are no hidden costs in this offer."),
        ("S2", 5.0, 7.0, "Good."),
        ("S1", 60.0, 64.0, "There is one more item, a handling fee."),
        ("S3", 65.0, 69.0, "Then who signed this?"),
    ]
    return Meeting(
        id="supplier-1a2b",
        title="Supplier review",
        duration=80.0,
        utterances=tuple(
            Utterance(id, speaker, TimeSpan(start, end), text)
            for id, (speaker, start, end, text) in enumerate(lines)
        ),
        speakers=(Speaker("S1", "Dana"), Speaker("S2", "Imran"), Speaker("S3", "Rosa")),
        language="en",
        has_audio=True,
    )


@pytest.fixture
def hostile_meeting() -> Meeting:
    return Meeting(
        id="hostile",
        title=HOSTILE[0],
        duration=70.0,
        utterances=tuple(
            Utterance(id, f"S{id % 2}", TimeSpan(id * 10.0, id * 10.0 + 5), text)
            for id, text in enumerate(HOSTILE)
        ),
        speakers=(Speaker("S0", HOSTILE[0], role=HOSTILE[2]), Speaker("S1", HOSTILE[1])),
    )
