"""The records a question leaves behind: what the user interface, the logs and the scorers read.

Every :class:`Answerer` yields steps and ends in a :class:`grga.types.Answer`. Steps are frozen, know
the seconds and tokens they took (tokens are 0 without a model), become JSON with :func:`to_dict` and come
back with :func:`from_dict`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, get_args

from grga.types import Answer, Scope, Sentence, TimeSpan

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from grga.store import IndexedMeeting


EVERYWHERE = Scope()
"""No limits: all speakers, all of the recording."""


_HAN = re.compile(r"[\u4e00-\u9fff]")


def nothing_found(question: str) -> Sentence:
    """Return "this meeting does not say" in the question's language."""
    return Sentence("这次会议没有提到。" if _HAN.search(question) else "This meeting does not say.")


class QuestionType(StrEnum):
    """The five question types of LongAudioQA (paper, section 3.1)."""

    FACTUAL = "factual"
    INFERENTIAL = "inferential"
    TEMPORAL = "temporal"
    SUMMARIZATION = "summarization"
    ACOUSTIC = "acoustic"


class Form(StrEnum):
    """What an answer must contain to be one: a person, a time, a number, a cause, …"""

    WHAT = "what"
    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    HOW_MANY = "how_many"
    HOW_LONG = "how_long"
    YES_NO = "yes_no"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a model read and wrote, and in how many calls.

    ``cached`` counts replies that were kept from before and cost nothing, ``retries`` tries that a busy
    or failing server made necessary; ``price`` is None when no price per token is configured.
    """

    prompt: int = 0
    completion: int = 0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    price: float | None = None

    def __add__(self, other: Tokens) -> Tokens:
        prices = [one.price for one in (self, other) if one.price is not None]
        return Tokens(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.calls + other.calls,
            self.cached + other.cached,
            self.retries + other.retries,
            sum(prices) if prices else None,
        )


@dataclass(frozen=True, slots=True)
class TimeConstraint:
    """A time named in a question.

    Attributes:
        text: The words of the question ("in the last five minutes").
        relation: "within", "around", "after", "before" a time or an event.
        span: The seconds it means in this meeting; None for an event that must be found first.
        anchor: The event of a relative time ("the budget" in "after the budget"), else "".
    """

    text: str
    relation: str
    span: TimeSpan | None = None
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """Constraints that are not words to search for.

    ``speakers`` are speaker ids; ``acoustic`` names conditions ("loud", "overlap", …); ``language``
    is the question's ("en", "zh").
    """

    question_type: QuestionType = QuestionType.FACTUAL
    subtask: str = "keyword locating"
    form: Form = Form.WHAT
    speakers: tuple[str, ...] = ()
    acoustic: tuple[str, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The question as constraints: C = {entities, concepts, time, metadata} (paper, eq. 2)."""

    entities: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    time: tuple[TimeConstraint, ...] = ()
    metadata: Metadata = Metadata()
    seconds: float = 0.0
    tokens: Tokens = Tokens()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One atomic operation. Later calls name its ``result`` ("r1") to work on what it found."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", MappingProxyType(dict(self.arguments)))


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls of one round, in order, and what they are for. No calls: nothing left to try."""

    round: int
    calls: tuple[ToolCall, ...]
    goal: str = ""
    seconds: float = 0.0
    tokens: Tokens = Tokens()

    @property
    def signature(self) -> tuple[str, ...]:
        """What makes two plans the same: tools and arguments in order, not goal or time."""
        return tuple(f"{call.name}{sorted(call.arguments.items())!r}" for call in self.calls)


@dataclass(frozen=True, slots=True)
class Found:
    """An utterance that a tool returned, with its score and the reason."""

    id: int
    score: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call brought back: utterances, measurements, or one sentence about what was wrong."""

    round: int
    call: ToolCall
    found: tuple[Found, ...] = ()
    measurements: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    seconds: float = 0.0
    tokens: Tokens = Tokens()

    def __post_init__(self) -> None:
        object.__setattr__(self, "measurements", MappingProxyType(dict(self.measurements)))


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate answer.

    ``dropped`` counts citations that were removed for lack of evidence, ``removed`` whole sentences;
    ``notes`` say for people what was removed and which evidence was left out.
    """

    round: int
    sentences: tuple[Sentence, ...]
    found: bool = True
    dropped: int = 0
    removed: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    tokens: Tokens = Tokens()

    @property
    def cited(self) -> tuple[int, ...]:
        """All cited utterance ids, in order of first mention."""
        return tuple(dict.fromkeys(id for sentence in self.sentences for id in sentence.citations))


@dataclass(frozen=True, slots=True)
class Reflection:
    """The judgement of a draft.

    ``score`` is 1..5; ``reward`` is 1 for an accepted draft and -beta otherwise (set by the loop).
    ``missing`` names what the next plan must bring, ``weak`` the citations it should do without.
    """

    round: int
    score: float
    critique: str
    missing: tuple[str, ...] = ()
    weak: tuple[int, ...] = ()
    reward: float = 0.0
    seconds: float = 0.0
    tokens: Tokens = Tokens()


Step = Decomposition | Plan | Observation | Draft | Reflection | Answer


class Answerer(Protocol):
    """Anything that answers questions about a meeting: the agent and every baseline."""

    name: str

    def answer(self, question: str, meeting: IndexedMeeting, scope: Scope = EVERYWHERE) -> Iterator[Step]:
        """Yield steps as they happen, the last one an ``Answer``.

        Raises:
            QuestionError: an empty question.
        """
        ...


@dataclass(frozen=True, slots=True)
class AgentTrace:
    """Everything that happened for one question, in order, and its answer."""

    steps: tuple[Step, ...]
    answer: Answer

    @classmethod
    def collect(cls, steps: Iterable[Step]) -> AgentTrace:
        """Run ``steps`` to the end and keep them.

        Raises:
            ValueError: the steps do not end in an answer.
        """
        done = tuple(steps)
        if not done or not isinstance(done[-1], Answer):
            raise ValueError("a trace must end in an answer")
        return cls(done[:-1], done[-1])

    @property
    def rounds(self) -> int:
        """How many plans were carried out."""
        return sum(isinstance(step, Plan) and bool(step.calls) for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as JSON-able values."""
        return {
            "rounds": self.rounds,
            "steps": [to_dict(step) for step in self.steps],
            "answer": to_dict(self.answer),
        }


def to_dict(step: Step) -> dict[str, Any]:
    """Return a step as JSON-able values, its kind under ``"step"`` ("plan", "observation", …)."""
    return {"step": type(step).__name__.lower(), **_plain(step)}


def from_dict(values: Mapping[str, Any]) -> Step:
    """Return the step that :func:`to_dict` wrote, equal in every field, also after a way through JSON.

    Inside ``arguments`` and ``measurements``, which may hold anything, a tuple comes back as a list.

    Raises:
        ValueError: not a step, or one with a field that is missing or of another kind.
    """
    kind = _kinds().get(str(values.get("step")))
    if kind is None:
        raise ValueError(f"{values.get('step')!r} is not a kind of step")
    step: Step = kind.validate_python({name: value for name, value in values.items() if name != "step"})
    return step


@lru_cache(maxsize=1)
def _kinds() -> dict[str, TypeAdapter[Any]]:
    from pydantic import TypeAdapter

    return {kind.__name__.lower(): TypeAdapter(kind) for kind in get_args(Step)}


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset | set):
        return sorted(_plain(item) for item in value)
    return value
