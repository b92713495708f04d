"""An exported answer reads the same in every format, obeys nothing, and can be heard."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
import soundfile
from docx import Document
from markdown_it import MarkdownIt

from grga.agent.steps import AgentTrace, Plan, ToolCall
from grga.audio import SAMPLE_RATE, Waveform, write_wav
from grga.errors import ConfigError
from grga.exports.answers import export_answer, library_record
from grga.history import Asked, Part
from grga.library import Event, LibraryAnswer, LibraryStep, Note
from grga.scopes import Limits
from grga.types import Answer, Citation, Cost, Meeting, Sentence, Speaker, TimeSpan, Utterance

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![x](http://x)",
    "# heading",
    "1. first",
    "- [ ] todo",
    "> quoted",
    "a\n\n---\n\nb",
    "`code` *star* _line_ ~~gone~~ | cell | $x$",
    "[1]: http://evil",
    "${alert(1)} {{7*7}} </script>",
    "a lone \\ backslash",
    "\ud800 half \ufffe \x00 nothing",
)


@dataclass(frozen=True)
class Recorded:
    meeting: Meeting
    waveform: Waveform | None = None


def meeting(
    lines: Sequence[str], id: str = "m1", title: str = "Supplier review", step: float = 34.0
) -> Meeting:
    speakers = (Speaker("S0", "Dana"), Speaker("S1", "Imran"))
    utterances = tuple(
        Utterance(i, f"S{i % 2}", TimeSpan(step * i, step * i + 2.5), text) for i, text in enumerate(lines)
    )
    return Meeting(id, title, step * len(lines), utterances, speakers, "en")


def part(of: Meeting, *sentences: tuple[str, tuple[int, ...]], found: bool = True) -> Part:
    cited = dict.fromkeys(id for _, ids in sentences for id in ids)
    answer = Answer(
        question="Who pays the fee?",
        sentences=tuple(Sentence(text, ids) for text, ids in sentences),
        citations=tuple(Citation.of(of, of.utterances[id]) for id in cited),
        verified=found,
        reflection_score=4.5 if found else None,
        found=found,
        system="grga",
        policy="offline",
        cost=Cost(0.321, llm_calls=2, prompt_tokens=100, completion_tokens=11, tool_calls=3, price=0.5),
    )
    return Part.of(of, AgentTrace((Plan(1, (ToolCall("keyword_search"),)),), answer))


def asked(*parts: Part, question: str = "Who pays the fee?") -> Asked:
    return Asked(
        token="t",
        visitor="v",
        created=datetime(2026, 5, 1, 10, 30, tzinfo=UTC),
        question=question,
        system="grga",
        policy="offline",
        without=("planner",),
        scope=Limits(("Dana",), TimeSpan(0, 3723)),
        parts=parts,
    )


FEES = meeting(["There are no hidden costs.", "There is a handling fee.", "We pay."])
GARDEN = meeting(["The barrel costs 300.", "Fine."], id="m2", title="Garden")
BOTH = asked(
    part(FEES, ("Dana denies a fee.", (0,)), ("Imran names one, and Dana pays.", (1, 2))),
    part(GARDEN, ("Only the barrel costs.", (0,))),
)
MEETINGS = {"m1": Recorded(FEES), "m2": Recorded(GARDEN)}

MARKDOWN = """\
# Who pays the fee?

Asked 2026\\-05\\-01 10:30 UTC, answered by grga (offline), without planner, only Dana, only 0:00–1:02:03

## Supplier review

Dana denies a fee. [1]

Imran names one, and Dana pays. [2][3]

*Verified (reflection 4.5 of 5).*

*Took 0.32 s, tool calls: 3, model calls: 2, kept replies: 0, tokens: 111, price: 0.5000.*

### Evidence

- [1] **Dana** (0:00–0:02) “There are no hidden costs.”
- [2] **Imran** (0:34–0:36) “There is a handling fee.”
- [3] **Dana** (1:08–1:10) “We pay.”

## Garden

Only the barrel costs. [4]

*Verified (reflection 4.5 of 5).*

*Took 0.32 s, tool calls: 3, model calls: 2, kept replies: 0, tokens: 111, price: 0.5000.*

### Evidence

- [4] **Dana** (0:00–0:02) “The barrel costs 300.”
"""


def rendered(markdown: str) -> str:
    return str(MarkdownIt("commonmark").render(markdown))


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def paragraphs(docx: bytes) -> list[str]:
    return [paragraph.text for paragraph in Document(io.BytesIO(docx)).paragraphs]


# --- the words ------------------------------------------------------------------------------------


def test_markdown_holds_question_answer_verdict_cost_and_evidence() -> None:
    assert export_answer(BOTH, MEETINGS, "md").decode() == MARKDOWN


def test_word_holds_the_same_content() -> None:
    read = paragraphs(export_answer(BOTH, MEETINGS, "docx"))
    assert read == [line for line in words(rendered(MARKDOWN)).splitlines() if line]


def test_an_honest_no_has_no_evidence() -> None:
    text = export_answer(
        asked(part(FEES, ("This meeting does not say.", ()), found=False)), MEETINGS, "md"
    ).decode()
    assert "This meeting does not say.\n\n*Not in this meeting.*" in text
    assert "Evidence" not in text


def test_names_and_words_are_those_of_today() -> None:
    now = replace(
        FEES,
        speakers=(Speaker("S0", "Dana Weber"), Speaker("S1", "Imran")),
        utterances=(*FEES.utterances[:1], replace(FEES.utterances[1], text="There is a transport fee.")),
    )
    text = export_answer(BOTH, {**MEETINGS, "m1": Recorded(now)}, "md").decode()
    assert "Dana Weber denies a fee. [1]\n\nImran names one, and Dana Weber pays. [2]\n" in text
    assert "- [2] **Imran** (0:34–0:36) “There is a transport fee.”" in text
    assert "their line is no longer there: 1.*" in text
    assert "- [3] **Dana** (0:00–0:02) “The barrel costs 300.”" in text


def test_a_speaker_that_was_chosen_by_id_is_shown_by_name() -> None:
    one = replace(asked(part(FEES, ("Dana denies a fee.", (0,)))), scope=Limits(("S0", "somebody")))
    renamed = replace(FEES, speakers=(Speaker("S0", "Dana Weber"), Speaker("S1", "Imran")))
    assert ", only Dana Weber, somebody\n" in export_answer(one, {"m1": Recorded(renamed)}, "md").decode()
    assert ", only Dana, somebody\n" in export_answer(one, {}, "md").decode()


@pytest.mark.parametrize("format", ["md", "docx", "zip"])
def test_a_deleted_meeting_leaves_its_answer_and_says_so(format: str) -> None:
    data = export_answer(BOTH, {"m2": Recorded(GARDEN)}, format)
    if format == "docx":
        text = "\n".join(paragraphs(data))
    elif format == "zip":
        text = zipfile.ZipFile(io.BytesIO(data)).read("answer.md").decode()
    else:
        text = data.decode()
    assert "Supplier review" in text
    assert "Dana denies a fee. [1]" in text
    assert text.count("This meeting has been deleted; the answer stands as it was given.") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_names_titles_questions_and_quotes_is_obeyed(text: str) -> None:
    hostile = replace(
        meeting([text, text], title=text), speakers=(Speaker("S0", text), Speaker("S1", f"{text} 2"))
    )
    kept = asked(part(hostile, (text, (0,)), (f"{text} again", (1,))), question=text)
    html = rendered(export_answer(kept, {"m1": Recorded(hostile)}, "md").decode())
    read = paragraphs(export_answer(kept, {"m1": Recorded(hostile)}, "docx"))

    tags = set(re.findall(r"<(/?\w+)", html))
    assert {tag.lstrip("/") for tag in tags} == {"h1", "h2", "h3", "p", "em", "ul", "li", "strong"}
    shown = " ".join(text.replace("\ud800", "").replace("\ufffe", "").replace("\x00", "").split())
    assert words(html).count(shown) >= 8
    assert read[0] == shown
    assert f"{shown} [1]" in read


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown answer format 'exe'"):
        export_answer(BOTH, MEETINGS, "exe")


# --- the sound ------------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path: Path) -> Waveform:
    """A hundred seconds whose samples say at which quarter of a second they are."""
    quarters = np.arange(400, dtype=np.float32) / 400
    write_wav(tmp_path / "audio.wav", np.repeat(quarters, SAMPLE_RATE // 4))
    return Waveform.open(tmp_path / "audio.wav")


def opened(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def test_every_citation_has_a_clip_with_a_little_context(recording: Waveform) -> None:
    archive = opened(export_answer(BOTH, {**MEETINGS, "m1": Recorded(FEES, recording)}, "zip"))

    names = ["01-Dana-0m00s", "02-Imran-0m34s", "03-Dana-1m08s"]
    assert archive.namelist() == ["answer.md", *(f"clips/{name}.wav" for name in names)]
    lengths, firsts = [], []
    for name in archive.namelist()[1:]:
        samples, rate = soundfile.read(io.BytesIO(archive.read(name)), dtype="float32")
        assert (rate, samples.ndim) == (SAMPLE_RATE, 1)
        lengths.append(len(samples) / rate)
        firsts.append(float(samples[0]) * 100)
    assert lengths == [2.75, 3.0, 3.0]  # the first cannot begin before the recording
    assert firsts == pytest.approx([0.0, 33.75, 67.75], abs=0.01)


def test_the_markdown_in_the_archive_links_to_the_clips(recording: Waveform) -> None:
    archive = opened(export_answer(BOTH, {**MEETINGS, "m1": Recorded(FEES, recording)}, "zip"))
    html = rendered(archive.read("answer.md").decode())
    assert re.findall(r'href="([^"]+)"', html) == archive.namelist()[1:]
    plain = export_answer(BOTH, MEETINGS, "md").decode()
    assert " — [listen](clips/02-Imran-0m34s.wav)" in archive.read("answer.md").decode()
    assert "listen" not in plain


def test_a_meeting_without_recording_gives_words_alone_and_says_so() -> None:
    archive = opened(export_answer(BOTH, MEETINGS, "zip"))
    assert archive.namelist() == ["answer.md"]
    assert archive.read("answer.md").decode().count("so there are no clips.*") == 2


def test_the_same_answer_gives_the_same_bytes(recording: Waveform) -> None:
    meetings = {"m1": Recorded(FEES, recording), "m2": Recorded(GARDEN)}
    assert export_answer(BOTH, meetings, "zip") == export_answer(BOTH, meetings, "zip")
    assert {entry.date_time for entry in opened(export_answer(BOTH, meetings, "zip")).infolist()} == {
        (1980, 1, 1, 0, 0, 0)
    }


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("../../etc/passwd", "01-etc-passwd-0m00s.wav"),
        ("C:\\a:b*?", "01-C-a-b-0m00s.wav"),
        ("张伟 (主持)", "01-张伟-主持-0m00s.wav"),
        ("<>", "01-meeting-0m00s.wav"),
        ("x" * 300, f"01-{'x' * 40}-0m00s.wav"),
    ],
)
def test_clips_have_safe_names(recording: Waveform, name: str, file: str) -> None:
    named = replace(FEES, speakers=(Speaker("S0", name), Speaker("S1", "Imran")))
    archive = opened(
        export_answer(asked(part(named, ("No.", (0,)))), {"m1": Recorded(named, recording)}, "zip")
    )
    assert archive.namelist()[1:] == [f"clips/{file}"]
    html = rendered(archive.read("answer.md").decode())
    assert [unquote(link) for link in re.findall(r'href="([^"]+)"', html)] == [f"clips/{file}"]


# --- for programs ---------------------------------------------------------------------------------


def test_a_library_answer_reads_as_one_with_one_numbering() -> None:
    silent = part(meeting(["Fine."], id="m3"), ("This meeting does not say.", ()), found=False)
    record = library_record(LibraryAnswer("Who pays the fee?", (*BOTH.parts, silent)))
    assert record["answer"] == ("Dana denies a fee. Imran names one, and Dana pays. Only the barrel costs.")
    assert (record["verified"], record["reflection_score"]) == (True, 4.5)
    assert [(one["meeting"], one["citations"]) for one in record["sentences"]] == [
        ("m1", [1]),
        ("m1", [2, 3]),
        ("m2", [4]),
    ]
    assert [(one["number"], one["meeting"], one["utterance"]) for one in record["citations"]] == [
        (1, "m1", 0),
        (2, "m1", 1),
        (3, "m1", 2),
        (4, "m2", 0),
    ]
    nothing = library_record(LibraryAnswer("Who pays the fee?", (silent,)))
    assert (nothing["answer"], nothing["found"], nothing["verified"], nothing["reflection_score"]) == (
        "This meeting does not say.",
        False,
        False,
        None,
    )


def test_a_library_answer_holds_each_meeting_s_own() -> None:
    skipped = LibraryStep("m3", "Lost", Note(Event.SKIPPED, "it is damaged"), 3, 3)
    record = library_record(LibraryAnswer("Who pays the fee?", BOTH.parts, (skipped,)))

    assert (record["question"], record["found"]) == ("Who pays the fee?", True)
    assert [(one["meeting"], one["title"], one["answer"]) for one in record["parts"]] == [
        ("m1", "Supplier review", "Dana denies a fee. Imran names one, and Dana pays."),
        ("m2", "Garden", "Only the barrel costs."),
    ]
    first = record["parts"][0]["citations"][0]
    assert first == {
        "utterance": 0,
        "speaker": "Dana",
        "start": 0.0,
        "end": 2.5,
        "text": "There are no hidden costs.",
    }
    assert record["parts"][0]["trace"][0]["step"] == "plan"
    assert record["left_out"] == [
        {"meeting": "m3", "title": "Lost", "event": "skipped", "reason": "it is damaged"}
    ]
    assert record["cost"]["llm_calls"] == 4
