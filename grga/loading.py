"""A meeting with its graph and indices, as they follow from the files and the edits of its folder."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from grga.audio import Waveform
from grga.edits import EditLog, Overlay, reindex
from grga.errors import StoreError
from grga.graph.build import REPLY_WINDOW, rebuild_graph
from grga.graph.graph import UtteranceGraph
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.manifest import Manifest, before_enrichment, digest_of_files
from grga.meeting_folder import MeetingFolder
from grga.types import Edge, Meeting

if TYPE_CHECKING:
    from grga.embedding import TextEncoder

log = logging.getLogger("grga.edits")

VECTORS_OF_EDITS = "edited.npz"

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class IndexedMeeting:
    """A meeting with everything the agent may look at.

    ``bm25`` and ``dense`` have one row per utterance: row number = utterance id. ``waveform`` and
    ``playback`` are None for a meeting without audio. ``tagged``: a model listened for laughter and other
    sounds beside speech, so that silence about them means that there are none.
    """

    meeting: Meeting
    graph: UtteranceGraph
    bm25: BM25Index
    dense: DenseIndex
    encoder: TextEncoder
    waveform: Waveform | None = None
    playback: Path | None = None
    tagged: bool = False


def load_meeting(folder: MeetingFolder, encoder_named: Callable[[str], TextEncoder]) -> IndexedMeeting:
    """Return the meeting as people corrected it; only what they touched is made again.

    Args:
        folder: Of a finished meeting.
        encoder_named: Gives the text encoder of a name.

    Raises:
        StoreError: its indexing has not finished, or a file of it is damaged.
    """
    manifest = folder.read_manifest()
    if not manifest.finished:
        raise StoreError(
            f"the meeting {folder.id!r} is not fully indexed", fix="run its `index` or `import` again"
        )
    recorded, overlay = folder.read_layers()
    meeting = folder.laid_over(recorded, overlay)
    with folder.reading("graph.json"):
        graph = UtteranceGraph.from_dict(json.loads((folder.path / "graph.json").read_text("utf-8")))
    with folder.reading("bm25"):
        bm25 = BM25Index.load(folder.path / "bm25", overlay.texts)
        _check_rows(len(bm25), meeting)
    with folder.reading("vectors.npy"):
        dense = DenseIndex.build(np.load(folder.path / "vectors.npy"))
        _check_rows(len(dense), meeting)
    with folder.reading("manifest.json"):
        encoder = encoder_named(manifest.stages["embeddings"].details["encoder"])
    if overlay.texts:
        dense = DenseIndex.build(_encoded_again(folder, dense.vectors, overlay.texts, encoder))
    if overlay.lines:
        graph = _built_again(folder, manifest, graph, meeting, overlay, dense.vectors)
    audio = folder.audio
    return IndexedMeeting(
        meeting=meeting,
        graph=graph,
        bm25=bm25,
        dense=dense,
        encoder=encoder,
        waveform=Waveform.open(audio) if audio.is_file() else None,
        playback=folder.playback if folder.playback.is_file() else None,
        tagged=_is_tagged(manifest),
    )


def _is_tagged(manifest: Manifest) -> bool:
    record = manifest.stages.get("emotion")
    return record is not None and not record.failed and record.details.get("events", "none") != "none"


def _check_rows(rows: int, meeting: Meeting) -> None:
    if rows != len(meeting.utterances):
        raise ValueError(f"{rows} rows for {len(meeting.utterances)} utterances")


def _encoded_again(
    folder: MeetingFolder, vectors: Vectors, texts: Mapping[int, str], encoder: TextEncoder
) -> Vectors:
    """Return the vectors with the rows of edited lines replaced; each text is encoded once and then kept."""
    known = reindex.read_vectors(folder.path / VECTORS_OF_EDITS)
    rows = reindex.encoded(texts.values(), encoder, known)
    if not rows.keys() <= known.keys():
        try:
            with EditLog(folder.path).alone(), folder.replacing(VECTORS_OF_EDITS) as draft:
                reindex.write_vectors(draft, rows)
        except StoreError as error:  # the meeting can be read without: the next one encodes again
            log.warning("the vectors of edited lines are not kept: %s", error)
    vectors = np.array(vectors)
    for id, text in texts.items():
        vectors[id] = rows[reindex.key_of(text, encoder.name)]
    return vectors


def _built_again(
    folder: MeetingFolder,
    manifest: Manifest,
    stored: UtteranceGraph,
    meeting: Meeting,
    overlay: Overlay,
    vectors: Vectors,
) -> UtteranceGraph:
    """Return the graph of the corrected meeting; what a model found stays as far as it still holds."""
    types = reindex.touched(overlay)
    by_model = [edge for edge in _edges_by_model(folder, manifest, stored) if edge.type in types]
    window = manifest.stages["graph"].options.get("reply_window", REPLY_WINDOW)
    graph = rebuild_graph(stored, meeting.utterances, types, vectors=vectors, reply_window=window)
    graph.add_edges(reindex.that_hold(by_model, overlay.texts))
    return graph


def _edges_by_model(folder: MeetingFolder, manifest: Manifest, stored: UtteranceGraph) -> set[Edge]:
    """Return what enrichment laid over the graph of the indexing stage."""
    before = folder.path / before_enrichment("graph.json")
    if not before.is_file() or digest_of_files([folder.path / "graph.json"]) == manifest.output_of("graph"):
        return set()
    with folder.reading(before.name):
        plain = UtteranceGraph.from_dict(json.loads(before.read_text("utf-8")))
    return set(stored.edges()) - set(plain.edges())
