"""Questions by a model: one stretch of the meeting and one type of question at a time.

Nothing that a model writes is dropped in silence: a reply or a question that cannot be used becomes an item
with the status "failed", its reason and the raw reply in ``reasoning``.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from annotation.generation.dedup import find_twin
from annotation.generation.hops import hop_count
from annotation.generation.quotas import Quota, remaining
from annotation.generation.segments import Segment, lines, segments
from annotation.generation.sinks import Sink
from annotation.schema import Evidence, Generator, QAItem, Status
from grga.agent.steps import QuestionType
from grga.llm.failures import PromptTooLongError, UnusableReplyError
from grga.llm.material import block
from grga.llm.prompts import Prompt, read_prompt
from grga.llm.structured import Request, ask, at_most
from grga.llm.usage import Usage
from grga.store import IndexedMeeting

if TYPE_CHECKING:
    from grga.llm.client import ChatClient

PROMPTS = Path(__file__).parent / "prompts"
PER_CALL = 3
"""Most questions asked for at once: more, and a model repeats itself."""
_KEPT_OF_A_REPLY = 6_000


class Proposal(BaseModel):
    """One question as the model must write it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    subtask: str
    question: Annotated[str, StringConstraints(min_length=8, max_length=400, strip_whitespace=True)]
    answer: Annotated[str, StringConstraints(min_length=1, max_length=1_500, strip_whitespace=True)]
    evidence: Annotated[list[int], at_most(20), Field(max_length=20)]
    reasoning: Annotated[str, at_most(1_000), StringConstraints(max_length=1_000)]


class Proposals(BaseModel):
    """The reply's outer form; every question in it is judged by itself, so that one bad one spoils no other."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    questions: Annotated[list[Any], at_most(PER_CALL), Field(max_length=PER_CALL)]


@dataclass
class Progress:
    """How far a batch has come.

    Attributes:
        calls: Stretches read, each for one type.
        of: How many there are to read at most; fewer when the quotas are reached before.
        made, failed: Items of either kind.
        dropped: References to utterances that were not in the stretch, removed from the evidence.
        usage: Calls, tokens, seconds and price so far.
    """

    calls: int = 0
    of: int = 0
    made: int = 0
    failed: int = 0
    dropped: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Batch:
    """What to make: from which meeting, how many of what, in which order (``seed``), under which name."""

    meeting: IndexedMeeting
    quota: Quota
    seed: int = 0
    name: str = ""


def generate_with_model(
    batch: Batch,
    client: ChatClient,
    sink: Sink,
    *,
    progress: Callable[[Progress], None] = lambda state: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Progress:
    """Let the model write questions until the quotas are reached or every stretch was read.

    Called again with the same sink it goes on where it stopped. Acoustic questions are only asked for where
    there is a recording.

    Args:
        batch: What to make.
        client: The model.
        sink: Takes each item as it is made, and remembers which stretches are done.
        progress: Called after each stretch.
        cancelled: Asked before each stretch; True stops and keeps what is done.

    Raises:
        ModelServerError: the server is not there, refuses or fails. What is done stays; go on later.
    """
    work = list(_work(batch, client.settings.evidence_tokens))
    state = Progress(of=len(work))
    for kind, segment in work:
        name = f"{batch.meeting.meeting.id} {batch.name} {kind} {segment.name} {prompt_of(kind).version}"
        wanted = _wanted(remaining(batch.quota, _batch_items(batch, sink)), kind)
        if name not in sink.finished() and wanted:
            if cancelled():
                break
            for item in _read(batch, client, kind, segment, wanted, state):
                twin = None if item.status is Status.FAILED else _twin(batch, sink, item)
                kept = item if twin is None else _failed_twin(item, twin)
                sink.add(kept)
                state.failed += kept.status is Status.FAILED
                state.made += kept.status is not Status.FAILED
            sink.finish(name)
        state.calls += 1
        progress(state)
    return state


@cache
def prompt_of(kind: QuestionType) -> Prompt:
    """Return the instructions for a type: the rules for all and its own. The version is their digest."""
    text = f"{read_prompt(PROMPTS / 'rules.md').text}\n\n{read_prompt(PROMPTS / f'{kind}.md').text}"
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest()[:12])


def _work(batch: Batch, tokens: int) -> Iterator[tuple[QuestionType, Segment]]:
    """Yield every type with every stretch, the stretches in an order that the seed decides."""
    order = list(segments(batch.meeting, tokens))
    random.Random(batch.seed).shuffle(order)
    kinds = dict.fromkeys(kind for (kind, _), count in batch.quota.items() if count)
    for segment in order:
        for kind in kinds:
            if kind is not QuestionType.ACOUSTIC or batch.meeting.meeting.has_audio:
                yield kind, segment


def _batch_items(batch: Batch, sink: Sink) -> list[QAItem]:
    return [
        item for item in sink.items() if item.meeting == batch.meeting.meeting.id and item.batch == batch.name
    ]


def _wanted(left: Counter[tuple[QuestionType, str]], kind: QuestionType) -> Counter[str]:
    """Return up to ``PER_CALL`` questions of this type by subtask, those that lack most first."""
    mine = Counter({subtask: count for (one, subtask), count in left.items() if one is kind})
    wanted: Counter[str] = Counter()
    while wanted.total() < PER_CALL and mine.total() > 0:
        subtask = mine.most_common(1)[0][0]
        wanted[subtask] += 1
        mine[subtask] -= 1
    return wanted


def _read(
    batch: Batch,
    client: ChatClient,
    kind: QuestionType,
    segment: Segment,
    wanted: Mapping[str, int],
    state: Progress,
) -> list[QAItem]:
    """Return the items that the model makes of one stretch; too much to read is read in two halves."""
    meeting, prompt = batch.meeting.meeting, prompt_of(kind)
    order = ", ".join(f"{count} × `{subtask}`" for subtask, count in wanted.items())
    material = block("transcript", lines(meeting, segment, sounds=kind is QuestionType.ACOUSTIC))
    request = Request(
        Proposals,
        "questions",
        prompt.text,
        f"{material}\n\nWrite these questions: {order}.",
        prompt.version,
        schema=_schema(tuple(wanted)),
    )
    about = _About(batch, client.model, kind, segment, next(iter(wanted)))
    try:
        reply, usage = ask(client, request)
    except PromptTooLongError as error:
        halves = segment.halves()
        if halves is None:
            return [about.failed(str(error), "")]
        return [item for half in halves for item in _read(batch, client, kind, half, wanted, state)]
    except UnusableReplyError as error:
        state.usage += error.usage
        return [about.failed(str(error), error.reply, usage=error.usage)]
    state.usage += usage
    share = _Share.of(usage, len(reply.questions))
    return [about.item(raw, place, share, state) for place, raw in enumerate(reply.questions)]


@dataclass(frozen=True, slots=True)
class _Share:
    """What one item of a reply took."""

    seconds: float
    tokens: int
    price: float | None

    @classmethod
    def of(cls, usage: Usage, items: int) -> _Share:
        parts = max(items, 1)
        price = None if usage.price is None else usage.price / parts
        return cls(round(usage.seconds / parts, 3), (usage.prompt + usage.completion) // parts, price)


@dataclass(frozen=True, slots=True)
class _About:
    """Where a reply belongs: what all of its items share."""

    batch: Batch
    model: str
    kind: QuestionType
    segment: Segment
    subtask: str

    def item(self, raw: Any, place: int, share: _Share, state: Progress) -> QAItem:
        """Return the item that the model wrote, or the failed one with what is wrong with it.

        ``place`` in the reply is part of the key: a question that is written twice must not vanish.
        """
        told = json.dumps(raw, ensure_ascii=False)
        try:
            proposal = Proposal.model_validate(raw)
        except ValidationError as error:
            problem = error.errors()[0]
            field = ".".join(str(part) for part in problem["loc"])
            return self.failed(f"{field}: {problem['msg'].lower()}".strip(": "), told, place, share=share)
        ids = tuple(dict.fromkeys(proposal.evidence))
        inside = tuple(id for id in ids if self.segment.first <= id <= self.segment.last)
        state.dropped += len(ids) - len(inside)
        if not inside:
            return self.failed("no evidence from the stretch that was read", told, place, share=share)
        meeting = self.batch.meeting
        try:
            return QAItem(
                key=self._key(f"{place} {proposal.question}"),
                meeting=meeting.meeting.id,
                type=self.kind,
                subtask=proposal.subtask,
                question=proposal.question,
                answer=proposal.answer,
                evidence=tuple(Evidence.of(meeting.meeting, id) for id in inside),
                reasoning=proposal.reasoning,
                hops=hop_count(meeting.graph, inside),
                language=meeting.meeting.language,
                generator=self._generator(share),
                batch=self.batch.name,
            )
        except ValidationError as error:
            return self.failed(error.errors()[0]["msg"], told, place, share=share)

    def failed(
        self,
        reason: str,
        raw: str,
        place: int = 0,
        *,
        usage: Usage | None = None,
        share: _Share | None = None,
    ) -> QAItem:
        """Return the item that keeps a failure: its reason and what the model wrote."""
        kept = raw[:_KEPT_OF_A_REPLY] or "(nothing)"
        return QAItem(
            key=self._key(f"{place} failed {reason} {raw}"),
            meeting=self.batch.meeting.meeting.id,
            type=self.kind,
            subtask=self.subtask,
            question=f"(no {self.kind} question from utterances {self.segment.name})",
            answer="(none)",
            answerable=False,
            reasoning=f"{reason}\n\nThe model wrote:\n{kept}"[:8_000],
            language=self.batch.meeting.meeting.language,
            generator=self._generator(share or _Share.of(usage or Usage(), 1)),
            status=Status.FAILED,
            batch=self.batch.name,
        )

    def _key(self, text: str) -> str:
        meeting = self.batch.meeting.meeting.id
        parts = f"{meeting}\n{self.batch.name}\n{self.kind}\n{self.segment.name}\n{text}"
        return f"{meeting}-model-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"

    def _generator(self, share: _Share) -> Generator:
        return Generator(
            name=self.model,
            prompt=f"{self.kind} {prompt_of(self.kind).version}",
            seed=self.batch.seed,
            seconds=share.seconds,
            tokens=share.tokens,
            price=share.price,
        )


def _schema(subtasks: tuple[str, ...]) -> dict[str, Any]:
    """Return the strict schema of a reply: exactly these subtasks, every field required."""
    question = Proposal.model_json_schema()
    question["properties"]["subtask"] = {"type": "string", "enum": list(subtasks)}
    return {
        "type": "object",
        "properties": {"questions": {"type": "array", "items": question, "maxItems": PER_CALL}},
        "required": ["questions"],
    }


def _twin(batch: Batch, sink: Sink, item: QAItem) -> str | None:
    """Return the question that asks the same already; a failed item asks nothing."""
    others = [other for other in sink.items() if other.status is not Status.FAILED]
    twin = find_twin(item, others, batch.meeting.encoder)
    return None if twin is None else f"{twin.item.question} (cosine {twin.cosine:.2f})"


def _failed_twin(item: QAItem, twin: str) -> QAItem:
    """Return the item as failed; what the model wrote of it stays readable."""
    written = {"question": item.question, "answer": item.answer, "reasoning": item.reasoning}
    told = json.dumps(written, ensure_ascii=False)
    reason = f"it asks the same as: {twin}\n\nThe model wrote:\n{told}"
    return item.model_copy(update={"status": Status.FAILED, "reasoning": reason[:8_000]})
