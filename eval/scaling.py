"""How long indexing and asking take as meetings grow.

A real meeting is repeated, each copy after the one before, until it has the wanted number of utterances.
Copies share their words, so keywords are commoner than in a real meeting of that length; every copy is
encoded by itself, for the encoder would otherwise do equal texts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from eval.systems import System
from grga.agent.steps import AgentTrace
from grga.config import AgentConfig
from grga.errors import EvaluationError
from grga.graph.build import build_graph
from grga.graph.profiles import profile_speakers
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.store import IndexedMeeting
from grga.types import Meeting, TimeSpan

SIZES = (100, 250, 500, 1000, 2500, 5000)
QUESTIONS = (
    "What was decided about the price?",
    "Why did they disagree about the design?",
    "Who talked about the next meeting?",
    "How many times was the budget mentioned?",
    "Summarize the discussion.",
)
"""Asked where none are given: one of several forms each."""
GAP = 1.0


class Point(BaseModel):
    """What one length took; seconds. ``ask`` is the median over questions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    utterances: int
    minutes: float
    edges: int
    embed: float
    graph: float
    index: float
    ask: float
    ask_slowest: float


def repeated(meeting: Meeting, utterances: int) -> Meeting:
    """Return a meeting of so many utterances, made of copies of this one with shifted times.

    Raises:
        EvaluationError: the meeting is empty.
    """
    if not meeting.utterances:
        raise EvaluationError(f"the meeting {meeting.id!r} is empty", fix="choose another")
    length, size = max(one.end for one in meeting.utterances) + GAP, len(meeting.utterances)
    said = []
    for id in range(utterances):
        copy, line = divmod(id, size)
        one, shift = meeting.utterances[line], copy * length
        said.append(replace(one, id=id, span=TimeSpan(one.start + shift, one.end + shift), words=()))
    return replace(
        meeting,
        id=f"{meeting.id}-{utterances}",
        duration=max(one.end for one in said),
        utterances=tuple(said),
        has_audio=False,
    )


def measure(
    clean: IndexedMeeting,
    system: System,
    sizes: Sequence[int] = SIZES,
    questions: Sequence[str] = QUESTIONS,
) -> Iterator[Point]:
    """Yield what each length takes, shortest first.

    Args:
        clean: The meeting that is repeated.
        system: Who is asked, offline.
        sizes: Numbers of utterances.
        questions: Asked at every length, after a first one that warms up and does not count.
    """
    longest = repeated(clean.meeting, max(sizes))
    texts = [one.text for one in longest.utterances]
    vectors = np.zeros((0, clean.encoder.dimension), np.float32)
    embedding = 0.0
    for size in sorted(set(sizes)):
        while len(vectors) < size:
            end = min(
                size, (len(vectors) // len(clean.meeting.utterances) + 1) * len(clean.meeting.utterances)
            )
            began = perf_counter()
            new = clean.encoder.encode_passages(texts[len(vectors) : end])
            embedding += perf_counter() - began
            vectors = np.concatenate([vectors, new])
        meeting = repeated(clean.meeting, size)
        began = perf_counter()
        graph = build_graph(meeting.utterances, vectors=vectors)
        built = perf_counter() - began
        began = perf_counter()
        bm25, dense = BM25Index.build(texts[:size]), DenseIndex.build(vectors)
        indexed = perf_counter() - began
        profiled = replace(meeting, speakers=profile_speakers(meeting.utterances, meeting.speakers))
        seconds = _ask(IndexedMeeting(profiled, graph, bm25, dense, clean.encoder), system, questions)
        yield Point(
            utterances=size,
            minutes=meeting.duration / 60,
            edges=sum(graph.counts().values()),
            embed=embedding,
            graph=built,
            index=indexed,
            ask=median(seconds),
            ask_slowest=max(seconds),
        )


def _ask(meeting: IndexedMeeting, system: System, questions: Sequence[str]) -> list[float]:
    answerer = system.build(AgentConfig())
    seconds = []
    for question in (questions[0], *questions):
        began = perf_counter()
        AgentTrace.collect(answerer.answer(question, meeting))
        seconds.append(perf_counter() - began)
    return seconds[1:]


def write_points(points: Sequence[Point], folder: Path) -> None:
    """Write the points as JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scaling.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in points), "utf-8")


def read_points(folder: Path) -> list[Point]:
    """Return the points of a folder.

    Raises:
        EvaluationError: there are none.
    """
    try:
        lines = (folder / "scaling.jsonl").read_text("utf-8").splitlines()
        return [Point.model_validate_json(line) for line in lines]
    except (OSError, ValidationError):
        raise EvaluationError(
            f"no lengths were measured in {folder}", fix="run `python -m eval scaling`"
        ) from None
