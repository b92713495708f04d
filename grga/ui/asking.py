"""From a visitor's question to kept answers; the page only shows what comes out of here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Answerer, Step
from grga.errors import GrgaError, QuestionError
from grga.history import Asked, Part, current
from grga.library import Candidate, LibraryStep, ask_library
from grga.llm.client import ChatClient
from grga.scopes import Limits, parse_time
from grga.types import Answer, Meeting, TimeSpan
from grga.ui.contenders import Contender
from grga.ui.model_server import ModelServer
from grga.ui.services import Services
from grga.ui.texts import t

KEPT_MEETINGS = 16
MOST_MEETINGS = 50
"""So many meetings are asked at most for one question, the newest of the library."""


@dataclass(frozen=True)
class Reply:
    """One answer as the page shows it.

    ``meeting`` is None when it was deleted since; ``answer`` is None while ``steps`` still come;
    ``key`` tells replies of one page apart, ``title`` stands above it (empty: no title).
    """

    key: str
    meeting_id: str
    title: str
    meeting: Meeting | None
    steps: tuple[Step, ...] = ()
    answer: Answer | None = None


@dataclass(frozen=True)
class Question:
    """What is asked of whom. ``text`` as typed; ``meetings`` are ids, one or several."""

    text: str
    meetings: tuple[str, ...]
    limits: Limits
    by: Contender


@dataclass
class Asking:
    """Answers questions and keeps the answers. Shared by all visitors: it holds nothing of any of them."""

    services: Services
    _offline: dict[str, Answerer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read = lru_cache(maxsize=KEPT_MEETINGS)(self._read_meeting)

    def model(self, own: ModelServer | None) -> str | None:
        """Return the name of the model that may answer: the visitor's ``own``, the host's, or None."""
        host = self.services.config.llm
        if own is not None:
            return own.model or own.base_url
        return (host.model or t("language model")) if host.base_url else None

    def prefers_model(self, own: ModelServer | None) -> bool:
        """Return whether a question goes to the model unless the visitor says otherwise."""
        return own is not None or self.services.config.agent.policy == "llm"

    def answerer(self, by: Contender, own: ModelServer | None = None) -> Answerer:
        """Return what answers; offline ones are kept, since they remember what they computed of a meeting.

        Raises:
            ConfigError: it needs a model server and none is set.
        """
        if by.policy == "llm":
            return self._make(by, self.services.client(own))
        if by.key not in self._offline:
            self._offline[by.key] = self._make(by, None)
        return self._offline[by.key]

    def _make(self, by: Contender, client: ChatClient | None) -> Answerer:
        agent = self.services.config.agent
        return make_answerer(
            by.system,
            policy=by.policy if by.system == "grga" else "offline",
            without=by.without,
            tau=agent.tau,
            beta=agent.beta,
            k_max=agent.k_max,
            client=client,
        )

    def ask(self, question: Question, own: ModelServer | None = None) -> Iterator[Reply]:
        """Yield the reply of the one meeting after every step; the last one has its answer.

        Raises:
            QuestionError: an empty question, or limits that do not fit the meeting.
            StoreError: no such meeting.
            ModelServerError: the model's server failed.
        """
        found = self.services.load(question.meetings[0])
        scope = question.limits.scope(found.meeting)
        steps: list[Step] = []
        for step in self.answerer(question.by, own).answer(question.text, found, scope):
            answer = step if isinstance(step, Answer) else None
            if answer is None:
                steps.append(step)
            yield Reply("1", found.meeting.id, found.meeting.title, found.meeting, tuple(steps), answer)

    def ask_all(self, question: Question, own: ModelServer | None = None) -> Iterator[LibraryStep]:
        """Yield the steps of the meetings' answers, the most promising meeting first.

        Raises:
            QuestionError: an empty question.
            ModelServerError: the model's server failed.
        """
        titles = {one.id: one.title for one in self.services.meetings()}
        chosen = [id for id in question.meetings if id in titles][:MOST_MEETINGS]
        candidates = [Candidate(id, titles[id], partial(self.services.load, id)) for id in chosen]
        return ask_library(question.text, candidates, self.answerer(question.by, own).answer, question.limits)

    def keep(self, visitor: str, question: Question, parts: Sequence[Part]) -> Asked:
        """Keep finished answers; the returned token opens them again."""
        return self.services.history.add(
            visitor, question.text, parts, without=question.by.without, scope=question.limits
        )

    def part(self, reply: Reply) -> Part:
        """Return what is kept of a finished reply."""
        if reply.meeting is None or reply.answer is None:
            raise ValueError("only an answer of a meeting at hand can be kept")
        return Part.of(reply.meeting, AgentTrace(reply.steps, reply.answer))

    def replies(self, parts: Sequence[Part]) -> list[Reply]:
        """Return kept answers as they read today: renamed speakers, corrected lines, deleted meetings."""
        replies = []
        for number, part in enumerate(parts, 1):
            meeting = self.meeting(part.meeting_id)
            title = meeting.title if meeting else part.title
            answer = current(part, meeting)
            replies.append(Reply(str(number), part.meeting_id, title, meeting, part.steps, answer))
        return replies

    def meeting(self, meeting_id: str) -> Meeting | None:
        """Return a meeting as it is now, None when it is gone."""
        try:
            return self._read(meeting_id, self.services.store.folder(meeting_id).revision())
        except GrgaError:
            return None

    def _read_meeting(self, meeting_id: str, revision: str) -> Meeting:
        """Read a meeting; it is kept under its ``revision``, since pages of answers ask for it often."""
        return self.services.page(meeting_id).meeting


def read_limits(speakers: Collection[str], start: str, end: str, duration: float) -> Limits:
    """Return limits as a form gives them: names or ids, and two times of which either may be empty.

    Raises:
        QuestionError: a time that cannot be read, or an end before the start.
    """
    if not (start.strip() or end.strip()):
        return Limits(tuple(speakers))
    begin = parse_time(start) if start.strip() else 0.0
    stop = parse_time(end) if end.strip() else max(duration, begin)
    if stop < begin:
        raise QuestionError(f"the time {start}–{end} ends before it starts", fix="swap the two")
    return Limits(tuple(speakers), TimeSpan(begin, stop))
