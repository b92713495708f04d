"""Makers of the stages that link: utterances become speaker profiles, vectors, a graph and an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from grga.config import Config
from grga.embedding import TextEncoder
from grga.graph.build import build_graph
from grga.graph.profiles import profile_speakers
from grga.index.bm25 import BM25Index
from grga.manifest import saving_to
from grga.stages import StageNotes, StageRunner
from grga.store import MeetingFolder, Store
from grga.types import Speaker, Utterance


def profiles(folder: MeetingFolder) -> None:
    """Say who the speakers are, from what they say."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    if (folder.path / "imported_speakers.json").is_file():
        speakers = folder.read_value("imported_speakers.json", tuple[Speaker, ...])
    else:
        # Numbered as people meet them; the ids stay what diarization called them.
        ids = dict.fromkeys(utterance.speaker for utterance in spoken)
        speakers = tuple(Speaker(id, f"Speaker {number}") for number, id in enumerate(ids, start=1))
    folder.write_value("speakers.json", tuple[Speaker, ...], profile_speakers(spoken, speakers))


def embeddings(run: StageRunner, notes: StageNotes, config: Config, store: Store) -> None:
    """Compute one vector per utterance, once for graph and index."""
    encoder = store.encoder(config.embedding.backend)
    texts = [u.text for u in run.folder.read_value("utterances.json", tuple[Utterance, ...])]
    vectors = _in_batches(encoder, texts, lambda share: run.report("embeddings", share))
    with run.folder.replacing("vectors.npy") as draft:
        np.save(draft, vectors)
    notes.details = {"encoder": encoder.name, "dimension": encoder.dimension}


def _in_batches(
    encoder: TextEncoder, texts: Sequence[str], report: Callable[[float], None], size: int = 256
) -> npt.NDArray[np.float32]:
    """Encode every distinct text once, in batches, so that a long meeting shows progress and can stop."""
    distinct = list(dict.fromkeys(texts))
    parts = [np.zeros((0, encoder.dimension), np.float32)]
    for begin in range(0, len(distinct), size):
        report(begin / len(distinct))
        parts.append(encoder.encode_passages(distinct[begin : begin + size]))
    row = {text: number for number, text in enumerate(distinct)}
    rows = np.array([row[text] for text in texts], dtype=np.intp)
    vectors: npt.NDArray[np.float32] = np.concatenate(parts)[rows]
    return vectors


def graph(folder: MeetingFolder, notes: StageNotes, config: Config) -> None:
    """Build the five types of edges."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    vectors = np.load(folder.path / "vectors.npy")
    built = build_graph(spoken, vectors=vectors, reply_window=config.graph.reply_window)
    folder.write_text("graph.json", json.dumps(built.to_dict()))
    notes.details = {"edges": {str(kind): count for kind, count in built.counts().items()}}


def index(folder: MeetingFolder) -> None:
    """Build the keyword index."""
    spoken = folder.read_value("utterances.json", tuple[Utterance, ...])
    with saving_to(folder.path):
        BM25Index.build([utterance.text for utterance in spoken]).save(folder.path / "bm25")
