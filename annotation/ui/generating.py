"""Batches being generated: a thread each, their state in the table of batches, so that any page can show it.

A visitor's model server, with its key, is held in memory alone. After a restart a batch therefore waits,
as "stopped", until somebody goes on with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from annotation.batches import WorkspaceSink, batches, start_batch, update_batch
from annotation.generation.quotas import remaining, spread
from annotation.schema import SUBTASKS, QAItem
from annotation.tables import Batch
from annotation.verdicts import problem
from annotation.workspace import Workspace
from grga.agent.steps import QuestionType
from grga.errors import AnnotationError, GrgaError
from grga.ui.services import Services

if TYPE_CHECKING:
    from annotation.generation.generate import Progress
    from grga.llm.client import ChatClient

log = logging.getLogger("annotation.ui")

AT_ONCE = 2
LONGEST_NAME = 60
MOST_PER_TYPE = 200
Checking = Callable[[QAItem], object]


class Plan(BaseModel):
    """What is asked for, as it is kept with the batch.

    ``types`` is the number of questions of each type, dealt out over ``subtasks`` (all when empty).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    types: dict[QuestionType, int] = Field(min_length=1)
    subtasks: tuple[str, ...] = ()
    generator: Literal["offline", "model"] = "offline"
    seed: int = Field(0, ge=0, le=2**31)
    overlap: int = Field(2, ge=1, le=9)
    model: str = ""

    @model_validator(mode="after")
    def _possible(self) -> Plan:
        if any(not 0 <= count <= MOST_PER_TYPE for count in self.types.values()):
            raise ValueError(f"0 to {MOST_PER_TYPE} questions of each type can be asked for")
        if not any(self.types.values()):
            raise ValueError("ask for at least one question")
        known = {name for kind in self.types for name in SUBTASKS[kind]}
        unknown = [name for name in self.subtasks if name not in known]
        if unknown:
            raise ValueError(f"no type that is asked for has the subtask {unknown[0]!r}")
        empty = [
            kind
            for kind, count in self.types.items()
            if count and self.subtasks and not set(SUBTASKS[kind]) & set(self.subtasks)
        ]
        if empty:
            raise ValueError(f"choose a subtask of {empty[0]} too, or ask for none of that type")
        return self

    @property
    def quota(self) -> dict[tuple[QuestionType, str], int]:
        """How many of each type and subtask."""
        wanted = {kind: count for kind, count in self.types.items() if count}
        return {kind: count for kind, count in spread(wanted, self.subtasks).items() if count}


PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)


def read_plan(values: Any) -> Plan:
    """Return what was asked for.

    Raises:
        AnnotationError: a value is unknown or out of range.
    """
    try:
        return PLAN.validate_python(values)
    except ValidationError as error:
        raise AnnotationError(f"these questions cannot be made: {problem(error)}") from None


@dataclass
class _Run:
    cancel: Event = field(default_factory=Event)
    done: Future[None] | None = None


class Generating:
    """Runs batches in the background."""

    def __init__(self, services: Services, workspace: Workspace) -> None:
        self._services, self._workspace = services, workspace
        self._runs: dict[str, _Run] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="generate")
        for left in batches(workspace):
            if left.state == "running":  # by a process that is gone
                update_batch(workspace, left.name, state="stopped")

    def start(
        self,
        name: str,
        meeting: str,
        plan: Plan,
        *,
        by: str = "",
        client: ChatClient | None = None,
        check: Checking = lambda item: None,
    ) -> str:
        """Begin the batch ``name``, or go on with it, and return its name; "" gives it the next number.

        Args:
            name: Of the batch.
            meeting: Id of the meeting.
            plan: What to make.
            by: Who asks for it, for the history.
            client: The model; needed unless the plan's generator is "offline".
            check: Called with each new item.

        Raises:
            AnnotationError: it cannot be made now, or runs already.
            StoreError: there is no such meeting.
        """
        title = self._services.page(meeting).meeting.title
        chosen = " ".join(name.split()) or self._next_name(title)
        if len(chosen) > LONGEST_NAME or not chosen.isprintable():
            raise AnnotationError(f"a batch needs a name of at most {LONGEST_NAME} printable characters")
        if plan.generator == "model" and client is None:
            raise AnnotationError(
                "no model is set up",
                fix="choose one under Model in the Ask tab, or take the offline generator",
            )
        if chosen in self._runs and not self._finished(chosen):
            raise AnnotationError(f"the batch {chosen!r} is being made already")
        row = start_batch(self._workspace, chosen, meeting, plan.model_dump(mode="json"), by=by)
        run = self._runs[chosen] = _Run()
        run.done = self._threads.submit(self._run, row, plan, run, client, check)
        return chosen

    def cancel(self, name: str) -> None:
        """Ask a batch to stop; what it has made stays.

        Raises:
            AnnotationError: no such batch is being made.
        """
        if name not in self._runs or self._finished(name):
            raise AnnotationError(f"the batch {name!r} is not being made")
        self._runs[name].cancel.set()

    def wait(self, name: str, seconds: float) -> None:
        """Return when the batch has ended; for scripts and tests.

        Raises:
            TimeoutError: it takes longer.
        """
        done = self._runs[name].done
        if done is not None:
            done.result(seconds)

    def running(self) -> bool:
        """Return whether any batch is being made."""
        return any(not self._finished(name) for name in self._runs)

    def close(self) -> None:
        """Stop every batch after the piece of work it is at; what it has made stays."""
        for run in self._runs.values():
            run.cancel.set()
        self._threads.shutdown(cancel_futures=True)

    def _finished(self, name: str) -> bool:
        done = self._runs[name].done
        return done is not None and done.done()

    def _next_name(self, title: str) -> str:
        known, short = {one.name for one in batches(self._workspace)}, title[: LONGEST_NAME - 6]
        return next(name for number in range(1, 10_000) if (name := f"{short} {number}") not in known)

    def _run(self, row: Batch, plan: Plan, run: _Run, client: ChatClient | None, check: Checking) -> None:
        began = perf_counter()
        try:
            if client is None or plan.generator == "offline":
                stopped = self._offline(row, plan, run, check)
            else:
                stopped = self._with_model(row, plan, run, client, check)
            values: dict[str, Any] = {"state": "stopped" if stopped else "done", "error": ""}
        except GrgaError as error:
            values = {"state": "failed", "error": str(error)}
        except Exception:  # a bug of ours must not leave a batch that runs for ever; the log has it
            log.exception("the batch %r could not be made", row.name)
            values = {"state": "failed", "error": "something went wrong; the server's log has the details"}
        if client is None:
            values["seconds"] = row.seconds + perf_counter() - began
        update_batch(self._workspace, row.name, **values)

    def _offline(self, row: Batch, plan: Plan, run: _Run, check: Checking) -> bool:
        """Make the items of one type after the other; return whether it was stopped before the end."""
        from annotation.generation.offline import generate_offline

        sink, meeting = (
            WorkspaceSink(self._workspace, row, overlap=plan.overlap),
            self._services.load(row.meeting),
        )
        kinds = [kind for kind, count in plan.types.items() if count]
        update_batch(self._workspace, row.name, total=len(kinds))
        for kind in kinds:
            if kind in sink.finished():
                continue
            if run.cancel.is_set():
                return True
            mine = [item for item in sink.items() if item.batch == row.name and item.type is kind]
            left = remaining({part: n for part, n in plan.quota.items() if part[0] is kind}, mine)
            # The generator mixes subtasks as it likes: more are made where only some are wanted.
            wanted = MOST_PER_TYPE if plan.subtasks else plan.types[kind] - len(mine)
            made = generate_offline(
                meeting, {kind: wanted}, seed=plan.seed, existing=sink.items(), batch=row.name
            )
            for item in made.items:
                if plan.subtasks and not left[kind, item.subtask]:
                    continue
                left[kind, item.subtask] -= 1
                sink.add(item)
                check(item)
            sink.finish(kind)
        return False

    def _with_model(self, row: Batch, plan: Plan, run: _Run, client: ChatClient, check: Checking) -> bool:
        from annotation.generation import generate

        sink = _Counting(WorkspaceSink(self._workspace, row, overlap=plan.overlap), check)
        before = row.seconds, row.tokens, row.price

        def show(state: Progress) -> None:
            used = state.usage
            price = None if used.price is None else used.price + (before[2] or 0.0)
            update_batch(
                self._workspace,
                row.name,
                done=state.calls,
                total=state.of,
                seconds=before[0] + used.seconds,
                tokens=before[1] + used.prompt + used.completion,
                price=price,
            )

        work = generate.Batch(self._services.load(row.meeting), plan.quota, plan.seed, row.name)
        generate.generate_with_model(work, client, sink, progress=show, cancelled=run.cancel.is_set)
        return run.cancel.is_set()


class _Counting:
    """Hands items on and has each one checked; how far the batch is comes from the generator itself."""

    def __init__(self, sink: WorkspaceSink, check: Checking) -> None:
        self._sink, self._check = sink, check
        self._done = list(sink.finished())
        self.finished, self.items = lambda: self._done, sink.items

    def add(self, item: QAItem) -> None:
        """Keep an item."""
        self._sink.add(item)
        self._check(item)

    def finish(self, work: str) -> None:
        """Remember that a piece of work is done."""
        self._sink.finish(work)
        self._done.append(work)
