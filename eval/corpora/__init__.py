"""Corpora: a folder or file on disk becomes meetings to index and questions to ask.

One file per corpus and one line in ``CORPORA``. Where each can be had and how it must lie on the disk
is in docs/corpora.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eval.items import EvalItem
from grga.config import Config
from grga.registry import load
from grga.store import Store

CORPORA = {
    "qmsum": "eval.corpora.qmsum:QMSum",
    "longaudioqa": "eval.corpora.longaudioqa:LongAudioQA",
    "ami": "eval.corpora.ami:AMI",
    "ami-heard": "eval.corpora.ami:heard",
    "alimeeting": "eval.corpora.alimeeting:AliMeeting",
    "alimeeting-heard": "eval.corpora.alimeeting:heard",
    "dailytalk": "eval.corpora.dailytalk:DailyTalk",
    "dailytalk-heard": "eval.corpora.dailytalk:heard",
}


@dataclass(frozen=True)
class Size:
    """How long a meeting is, in seconds, and how many utterances it has."""

    seconds: float
    turns: int


@dataclass(frozen=True)
class Source:
    """One meeting of a corpus. ``index(store, config)`` makes it, or finds it made, and returns its id.

    ``size()`` tells its size without indexing; None where only the indexed meeting knows.
    """

    name: str
    index: Callable[[Store, Config], str]
    size: Callable[[], Size] | None = None


class Corpus(Protocol):
    """Meetings and questions. Reading is checked at birth: a missing part is one sentence."""

    name: str

    def sources(self) -> Iterable[Source]:
        """Return the meetings, in a fixed order."""
        ...

    def items(self, meetings: dict[str, str]) -> list[EvalItem]:
        """Return the questions about ``meetings`` (name in the corpus → id in the store)."""
        ...


def open_corpus(name: str, path: Path) -> Corpus:
    """Return the corpus ``name`` that lies at ``path``.

    Raises:
        ConfigError: no such corpus is known.
        EvaluationError: it does not lie there, or a part is missing.
    """
    corpus: Corpus = load("corpus", name, CORPORA)(path)
    return corpus
