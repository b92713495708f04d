"""The same work by Ray: a pool of actors on this machine or on a cluster.

Each actor loads the store and its models once. On a cluster every machine needs the same version of GRGA
and sees the home, the corpus and the configuration at the same paths (NFS or the like); nothing else is
copied. An actor that dies is started again and does its piece of work again; since nothing is written
before a piece is finished, the records are the same.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from eval.corpora import Source
from eval.run import Work, answer_all
from eval.runs import RunRecord
from grga.config import Config
from grga.errors import ConfigError, EvaluationError
from grga.models import ModelSource
from grga.store import Store

INSTALL = 'pip install "grga[ray]"'
TRIES = 3
"""How often an actor is started again, and how often a piece of work that died with one is repeated."""
_LEAST_MEMORY = 100 * 1024**2

R = TypeVar("R")


class RayPool:
    """A pool of actors; ``ask`` is an :data:`eval.run.Engine`, ``index`` an :data:`eval.run.Indexer`.

    Args:
        workers: Actors, one CPU each.
        home: The folder of the meetings.
        source: Where the models of the workers come from.
        address: Of a running cluster ("auto", "ray://host:10001"); None starts Ray on this machine.

    Raises:
        ConfigError: Ray is not installed, or no cluster answers.
    """

    def __init__(
        self, workers: int, home: Path, address: str | None = None, *, source: ModelSource = ModelSource()
    ) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError:
            raise ConfigError("the package ray is not installed", fix=INSTALL) from None
        local: dict[str, Any] = {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": _LEAST_MEMORY,
        }
        try:
            ray.init(
                address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **({} if address else local),
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(
                f"Ray cannot be reached at {address or 'this machine'}: {_first_line(error)}",
                fix="start it with `ray start`, or leave --address out",
            ) from None
        self._ray = ray
        actor = ray.remote(num_cpus=1, max_restarts=TRIES, max_task_retries=TRIES)(_Worker)
        self._actors: list[Any] = [actor.remote(home, source) for _ in range(workers)]

    def __enter__(self) -> RayPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the actors and leave the cluster."""
        self._ray.shutdown()

    def pids(self) -> list[int]:
        """Return the process ids of the actors."""
        found: list[int] = self._ray.get([actor.pid.remote() for actor in self._actors])
        return found

    def ask(self, works: Sequence[Work]) -> Iterator[list[RunRecord]]:
        """Yield each piece of work's answers as they are finished."""
        return self._spread("answer", works)

    def index(self, sources: Sequence[Source], store: Store, config: Config) -> Iterator[tuple[str, str]]:
        """Yield name and id of each meeting as it is indexed."""
        # A corpus may be large: it travels once, not with every meeting.
        corpus = [self._ray.put(list(sources))]
        return self._spread("index", [(corpus, number, config) for number in range(len(sources))])

    def _spread(self, method: str, tasks: Sequence[Any]) -> Iterator[Any]:
        from ray.exceptions import RayError, RayTaskError
        from ray.util import ActorPool

        pool: Any = ActorPool(self._actors)
        try:
            yield from pool.map_unordered(
                lambda actor, task: getattr(actor, method).remote(task), list(tasks)
            )
        except RayTaskError as error:
            raise EvaluationError(f"a worker failed: {_first_line(error.cause)}", fix=AGAIN) from None
        except RayError as error:
            raise EvaluationError(f"the workers were lost: {_first_line(error)}", fix=AGAIN) from None


AGAIN = "call it again: what is finished is kept"


class _Worker:
    """One process of the pool."""

    def __init__(self, home: Path, source: ModelSource) -> None:
        self.store = Store(home, source)
        self.sources: dict[str, list[Source]] = {}

    def pid(self) -> int:
        return os.getpid()

    def answer(self, work: Work) -> list[RunRecord]:
        return answer_all(work, self.store)

    def index(self, task: tuple[list[Any], int, Config]) -> tuple[str, str]:
        import ray

        (corpus,), number, config = task
        if corpus.hex() not in self.sources:
            self.sources[corpus.hex()] = ray.get(corpus)
        source = self.sources[corpus.hex()][number]
        return source.name, source.index(self.store, config)


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
