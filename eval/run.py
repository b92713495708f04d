"""Ask every item of every system: resumable, in parallel, the same whoever does the work.

Meetings are indexed first (cached in the home, so only once). Then each meeting is one piece of work:
it is loaded once and asked all its questions by all systems. An answer that is on disk is not asked again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from eval.corpora import Corpus, Source
from eval.items import EvalItem
from eval.runs import Manifest, Run, RunRecord, code_versions
from eval.systems import System
from eval.vectors import KeptVectors
from grga.agent.steps import AgentTrace
from grga.baselines.text_rag import TextRag
from grga.config import Config
from grga.errors import EvaluationError, GrgaError
from grga.llm import connect
from grga.models import ModelSource
from grga.store import IndexedMeeting, Store

log = logging.getLogger("eval.run")

Say = Callable[[str], None]
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Work:
    """All questions about one meeting that are not answered yet. Travels to another process or machine."""

    config: Config
    meeting: str
    asked: tuple[tuple[EvalItem, System], ...]


Engine = Callable[[Sequence[Work]], Iterator[list[RunRecord]]]
"""Does pieces of work somewhere and yields each one's answers as they are finished."""
Indexer = Callable[[Sequence[Source], Store, Config], Iterator[tuple[str, str]]]
"""Indexes meetings somewhere and yields each one's name and id as it is finished."""


def index_here(sources: Sequence[Source], store: Store, config: Config) -> Iterator[tuple[str, str]]:
    """Index in this process, one meeting after the other."""
    return ((source.name, source.index(store, config)) for source in sources)


def index_all(
    corpus: Corpus,
    store: Store,
    config: Config,
    *,
    limit: int | None = None,
    indexer: Indexer = index_here,
    say: Say = print,
) -> tuple[dict[str, str], float]:
    """Index the meetings of a corpus that are not indexed yet.

    Args:
        corpus: Where the meetings come from.
        store: Where they go.
        config: Settings of the stages.
        limit: Only so many meetings, in the corpus' order.
        indexer: Does the work.
        say: Called with a line of progress.

    Returns:
        Name in the corpus → id in the store, and the seconds this took.
    """
    began = perf_counter()
    sources: list[Source] = list(corpus.sources())[:limit]
    ids = {}
    for number, (name, id) in enumerate(indexer(sources, store, config), start=1):
        ids[name] = id
        say(f"indexed {number} of {len(sources)}: {name}")
    return {source.name: ids[source.name] for source in sources}, perf_counter() - began


def run(
    corpus: Corpus,
    corpus_path: Path,
    systems: Sequence[System],
    config: Config,
    folder: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    engine: Engine | None = None,
    indexer: Indexer = index_here,
    say: Say = print,
) -> Run:
    """Index, ask and write down; what a former call has finished is kept.

    Args:
        corpus: Meetings and questions.
        corpus_path: Where it lies, for the record.
        systems: Who is asked.
        config: Settings; ``config.home`` holds the indexed meetings.
        folder: Where the run is written.
        limit: Only the first so many meetings.
        seed: Kept in the record; the offline systems draw nothing by chance.
        engine: Does the work; None asks here, one meeting after the other.
        indexer: Indexes what is not indexed yet.
        say: Called with a line of progress.

    Raises:
        EvaluationError: the folder holds a run of something else.
    """
    store = Store(config.home, config.models.source())
    result = Run(folder)
    meetings, index_seconds = index_all(corpus, store, config, limit=limit, indexer=indexer, say=say)
    index_seconds += prepare_all(store, meetings.values(), systems, say=say)
    items = corpus.items(meetings)
    manifest = Manifest(
        corpus=corpus.name,
        path=str(corpus_path),
        systems=tuple(system.name for system in systems),
        meetings=meetings,
        items=len(items),
        seed=seed,
        limit=limit,
        settings=config.model_dump(mode="json", exclude={"home", "backup", "ui", "models"}),
        code=code_versions(),
        began=datetime.now(UTC),
        index_seconds=index_seconds,
    )
    _same_run(result, manifest)
    result.write_manifest(manifest)
    done = {record.place for record in result.records() if not record.error}
    works = _works(items, systems, config, done)
    left = sum(len(work.asked) for work in works)
    say(f"{len(items)} questions, {len(systems)} systems: {len(done)} answers kept, {left} to ask")
    began = perf_counter()
    for number, records in enumerate((engine or ask_here)(works), start=1):
        result.append(records)
        say(f"asked {number} of {len(works)} meetings")
    result.write_manifest(manifest.model_copy(update={"ask_seconds": perf_counter() - began}))
    return result


def prepare_all(
    store: Store, meetings: Collection[str], systems: Sequence[System], *, say: Say = print
) -> float:
    """Compute what systems keep of a meeting beside its index (Text RAG: a vector per unit); return the seconds.

    It is kept on disk and belongs to indexing, not to the first question.
    """
    if all(system.system != TextRag.name for system in systems):
        return 0.0
    began = perf_counter()
    for number, id in enumerate(meetings, start=1):
        TextRag().unit_vectors(load_meeting(store, id))
        say(f"prepared {number} of {len(meetings)}")
    return perf_counter() - began


def load_meeting(store: Store, id: str) -> IndexedMeeting:
    """Return a meeting whose encoder keeps on disk what it encodes."""
    meeting = store.load(id)
    return replace(meeting, encoder=KeptVectors(meeting.encoder, store.home / "cache" / "passages"))


def _same_run(result: Run, manifest: Manifest) -> None:
    """Refuse to mix answers of two corpora or settings in one folder."""
    if not (result.folder / "run.json").is_file():
        return
    before = result.manifest()
    if (before.corpus, before.settings) != (manifest.corpus, manifest.settings):
        raise EvaluationError(
            f"{result.folder} holds a run of {before.corpus} with other settings",
            fix="choose another folder with --out",
        )


def _works(
    items: Sequence[EvalItem], systems: Sequence[System], config: Config, done: set[tuple[str, str]]
) -> list[Work]:
    by_meeting: dict[str, list[tuple[EvalItem, System]]] = {}
    for item in items:
        for system in systems:
            if (item.key, system.name) not in done:
                by_meeting.setdefault(item.meeting, []).append((item, system))
    return [Work(config, meeting, tuple(asked)) for meeting, asked in by_meeting.items()]


def answer_all(work: Work, store: Store | None = None) -> list[RunRecord]:
    """Do one piece of work, with models that a process loads once unless it brings its own ``store``."""
    meeting = load_meeting(store or _store(work.config.home, work.config.models.source()), work.meeting)
    return answer_questions(meeting, work.asked, work.config)


@lru_cache(maxsize=1)
def _store(home: Path, source: ModelSource) -> Store:
    return Store(home, source)


def answer_questions(
    meeting: IndexedMeeting, asked: Iterable[tuple[EvalItem, System]], config: Config
) -> list[RunRecord]:
    """Ask questions about one meeting; one that fails becomes a record that says why."""
    agent = config.agent
    client = connect(config.llm, config.home) if agent.policy == "llm" else None
    seen = {}
    records = []
    for item, system in asked:
        if system.name not in seen:
            made = system.build(agent, client)
            if isinstance(made, TextRag):
                made.unit_vectors(meeting)  # belongs to indexing, not to the first question
            seen[system.name] = made, system.sees(meeting)
        answerer, shown = seen[system.name]
        meeting.encoder.forget_questions()  # another system may have asked the same just now
        began = perf_counter()
        try:
            trace = AgentTrace.collect(answerer.answer(item.question, shown))
            records.append(RunRecord.of(item, system.name, trace, shown, perf_counter() - began))
        except GrgaError as error:
            records.append(RunRecord(item=item, system=system.name, policy=agent.policy, error=str(error)))
    return records


def ask_here(works: Sequence[Work]) -> Iterator[list[RunRecord]]:
    """Do the work in this process."""
    return map(answer_all, works)


def ask_in_processes(workers: int) -> Engine:
    """Return an engine of ``workers`` processes on this machine."""
    return lambda works: in_processes(answer_all, works, workers)


def in_processes(function: Callable[[T], R], works: Sequence[T], workers: int) -> Iterator[R]:
    """Yield what ``function`` makes of each piece of work, as they are finished."""
    # A fresh interpreter each: a forked one would share locks of threads that no longer exist.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for finished in as_completed([pool.submit(function, work) for work in works]):
            yield finished.result()
