"""The noise grid: the same questions about the same meetings, three rates of word errors × three of speaker errors.

::

    DIR/noise.json                what was measured after injection, by meeting and level
    DIR/<words>-<speakers>/       one run per cell, as `eval report` reads it

A meeting is one piece of work: noisy words are encoded once and serve three cells. Only vectors are
written to the home, so that a grid that was stopped does not encode again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.corpora import Corpus
from eval.items import EvalItem
from eval.noise import Noisy, with_der, with_wer
from eval.run import Say, answer_questions, in_processes, index_all
from eval.runs import Manifest, Run, RunRecord, code_versions
from eval.systems import System
from eval.vectors import KeptVectors
from grga.config import Config
from grga.embedding import TextEncoder
from grga.errors import EvaluationError
from grga.ingest import index_in_memory
from grga.store import IndexedMeeting, Store

WER = {"reference": 0.0, "pipeline": 0.188, "high": 0.336}
DER = {"reference": 0.0, "pipeline": 0.176, "high": 0.524}
"""The paper's levels (Table 4 and appendix E, AMI), as rates."""

Cell = tuple[str, str]
"""Level of word errors, level of speaker errors."""


class Noise(BaseModel):
    """What is injected, and what was measured: level → rate, and meeting → level → rate."""

    model_config = ConfigDict(extra="forbid")

    seed: int
    wer: dict[str, float]
    der: dict[str, float]
    measured_wer: dict[str, dict[str, float]] = Field(default_factory=dict)
    measured_der: dict[str, dict[str, float]] = Field(default_factory=dict)

    @property
    def cells(self) -> list[Cell]:
        """Return all cells, row by row."""
        return list(product(self.wer, self.der))

    @property
    def asked_for(self) -> tuple[int, dict[str, float], dict[str, float]]:
        """Return what makes two grids the same."""
        return self.seed, self.wer, self.der


@dataclass(frozen=True)
class Grid:
    """A folder with a noise grid in it."""

    folder: Path

    def run(self, cell: Cell) -> Run:
        """Return the run of one cell."""
        return Run(self.folder / "-".join(cell))

    def noise(self) -> Noise:
        """Return what was injected and measured.

        Raises:
            EvaluationError: there is no grid here.
        """
        try:
            return Noise.model_validate_json((self.folder / "noise.json").read_bytes())
        except (OSError, ValidationError):
            raise EvaluationError(
                f"there is no noise grid in {self.folder}", fix="make one with `python -m eval noise`"
            ) from None

    def write(self, noise: Noise) -> None:
        """Replace what is known about the noise."""
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / "~noise.json"
        draft.write_text(noise.model_dump_json(indent=1), encoding="utf-8")
        draft.replace(self.folder / "noise.json")


@dataclass(frozen=True)
class NoisyWork:
    """One meeting in all cells that are not finished. Travels to another process."""

    config: Config
    meeting: str
    noise: Noise
    asked: Mapping[Cell, tuple[tuple[EvalItem, System], ...]]


@dataclass(frozen=True)
class NoisyAnswers:
    """What came of it: measured rates by level, and answers by cell."""

    meeting: str
    wer: dict[str, float]
    der: dict[str, float]
    records: dict[Cell, list[RunRecord]]


def run_grid(
    corpus: Corpus,
    corpus_path: Path,
    systems: Sequence[System],
    config: Config,
    folder: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    wer: Mapping[str, float] = WER,
    der: Mapping[str, float] = DER,
    workers: int = 1,
    say: Say = print,
) -> Grid:
    """Ask all questions in all cells and write down; what a former call has finished is kept.

    Args:
        corpus, corpus_path, systems, config, limit, say: As for :func:`eval.run.run`.
        folder: Where the grid is written.
        seed: Of the noise.
        wer, der: Level → rate (0..1); the first is the transcript as it is.
        workers: Processes.

    Raises:
        EvaluationError: the folder holds another grid.
    """
    grid = Grid(folder)
    noise = Noise(seed=seed, wer=dict(wer), der=dict(der))
    if (folder / "noise.json").is_file():
        before = grid.noise()
        if before.asked_for != noise.asked_for:
            raise EvaluationError(f"{folder} holds a grid with other noise", fix="choose another with --out")
        noise = before
    meetings, index_seconds = index_all(
        corpus, Store(config.home, config.models.source()), config, limit=limit, say=say
    )
    items = corpus.items(meetings)
    grid.write(noise)
    asked: dict[str, dict[Cell, list[tuple[EvalItem, System]]]] = {}
    for cell in noise.cells:
        run = grid.run(cell)
        settings = config.model_dump(mode="json", exclude={"home", "backup", "ui", "models"})
        run.write_manifest(
            Manifest(
                corpus=corpus.name,
                path=str(corpus_path),
                systems=tuple(system.name for system in systems),
                meetings=meetings,
                items=len(items),
                seed=seed,
                limit=limit,
                settings={**settings, "noise": {"words": cell[0], "speakers": cell[1]}},
                code=code_versions(),
                began=datetime.now(UTC),
                index_seconds=index_seconds,
            )
        )
        done = {record.place for record in run.records() if not record.error}
        for item, system in product(items, systems):
            if (item.key, system.name) not in done:
                asked.setdefault(item.meeting, {}).setdefault(cell, []).append((item, system))
    works = [
        NoisyWork(config, meeting, noise, {cell: tuple(some) for cell, some in cells.items()})
        for meeting, cells in asked.items()
    ]
    say(
        f"{len(items)} questions, {len(systems)} systems, {len(noise.cells)} cells: {len(works)} meetings left"
    )
    answered = in_processes(answer_noisy, works, workers) if workers > 1 else map(answer_noisy, works)
    for number, found in enumerate(answered, start=1):
        for cell, records in found.records.items():
            grid.run(cell).append(records)
        noise.measured_wer[found.meeting] = found.wer
        noise.measured_der[found.meeting] = found.der
        grid.write(noise)
        say(f"asked {number} of {len(works)} meetings")
    return grid


def answer_noisy(work: NoisyWork) -> NoisyAnswers:
    """Ask one meeting its questions in every cell that is left."""
    clean = Store(work.config.home, work.config.models.source()).load(work.meeting)
    texts = [one.text for one in clean.meeting.utterances]
    known = dict(zip(texts, clean.dense.vectors, strict=True))
    encoder = KeptVectors(_Remembering(clean.encoder, known), work.config.home / "cache" / "passages")
    words = {name: with_wer(clean.meeting, rate, work.noise.seed) for name, rate in work.noise.wer.items()}
    speakers = {name: with_der(clean.meeting, rate, work.noise.seed) for name, rate in work.noise.der.items()}
    records = {}
    for cell, asked in work.asked.items():
        noisy = _noisy(clean, words[cell[0]], speakers[cell[1]], encoder, work.config.graph.reply_window)
        records[cell] = answer_questions(noisy, asked, work.config)
    return NoisyAnswers(
        work.meeting,
        {name: one.rate for name, one in words.items()},
        {name: one.rate for name, one in speakers.items()},
        records,
    )


def _noisy(
    clean: IndexedMeeting, words: Noisy, speakers: Noisy, encoder: TextEncoder, reply_window: float
) -> IndexedMeeting:
    """Return the meeting with both kinds of errors, indexed as it would be had it come so."""
    said = tuple(
        replace(heard, speaker=ascribed.speaker)
        for heard, ascribed in zip(words.meeting.utterances, speakers.meeting.utterances, strict=True)
    )
    return index_in_memory(
        replace(clean.meeting, utterances=said),
        encoder=encoder,
        waveform=clean.waveform,
        reply_window=reply_window,
    )


class _Remembering:
    """A text encoder that encodes a text once: most lines are the same in several cells."""

    def __init__(self, encoder: TextEncoder, known: dict[str, npt.NDArray[np.float32]]) -> None:
        self._encoder = encoder
        self._known = known
        self.name = encoder.name
        self.dimension = encoder.dimension
        self.min_similarity = encoder.min_similarity

    def encode_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._encoder.encode_passages(new), strict=True))
        rows = [self._known[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        return self._encoder.encode_query(text)

    def forget_questions(self) -> None:
        self._encoder.forget_questions()
