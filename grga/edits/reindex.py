"""Let vectors, keywords and graph follow the edits: what is touched is made again, the rest is reused."""

from __future__ import annotations

import hashlib
import logging
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from grga.text import content_terms
from grga.types import Edge, EdgeType

if TYPE_CHECKING:
    from grga.edits.overlay import Overlay
    from grga.embedding import TextEncoder

log = logging.getLogger("grga.edits")

Array = npt.NDArray[np.float32]

# Replies weigh less when they are a mere "mm-hmm", and entity edges carry answers to other speakers.
_BY_TEXTS = frozenset({EdgeType.REPLY_TO, EdgeType.ENTITY, EdgeType.SEMANTIC})
_BY_SPEAKERS = frozenset({EdgeType.REPLY_TO, EdgeType.SAME_SPEAKER, EdgeType.ENTITY})


def touched(overlay: Overlay) -> frozenset[EdgeType]:
    """Return the types of edges that other texts or speakers change."""
    by_texts = _BY_TEXTS if overlay.texts else frozenset[EdgeType]()
    return by_texts | _BY_SPEAKERS if overlay.speakers else by_texts


def that_hold(edges: Iterable[Edge], texts: Mapping[int, str]) -> list[Edge]:
    """Return a model's edges whose words still stand in the lines that were edited (utterance id -> text)."""
    return [edge for edge in edges if all(_says(texts[id], edge) for id in _rests_on(edge) if id in texts)]


def encoded(texts: Iterable[str], encoder: TextEncoder, known: Mapping[str, Array]) -> dict[str, Array]:
    """Return key -> vector of every text; only what is not ``known`` is encoded, in one call."""
    keys = {key_of(text, encoder.name): text for text in texts}
    missing = [key for key in keys if key not in known]
    fresh = encoder.encode_passages([keys[key] for key in missing]) if missing else ()
    return {key: known[key] for key in keys if key in known} | dict(zip(missing, fresh, strict=True))


def key_of(text: str, encoder: str) -> str:
    """Return what a text's vector is kept under: the text and who encoded it."""
    return hashlib.sha256(f"{encoder}\0{text}".encode()).hexdigest()


def read_vectors(file: Path) -> dict[str, Array]:
    """Return what :func:`write_vectors` kept; nothing when it is not there or cannot be read."""
    if not file.is_file():
        return {}
    try:
        with np.load(file) as kept:
            return dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        log.warning("%s is damaged (%s): the edited lines are encoded again", file.name, error)
        return {}


def write_vectors(file: Path, vectors: Mapping[str, Array]) -> None:
    """Keep key -> vector in ``file``, whose name ends in ``.npz``."""
    np.savez(file, keys=np.array(list(vectors)), vectors=np.stack(list(vectors.values())))


def _rests_on(edge: Edge) -> tuple[int, ...]:
    """Return the ends whose own words make the edge: a reference stands in its source alone."""
    return (edge.source,) if edge.type is EdgeType.SEMANTIC else (edge.source, edge.target)


def _says(text: str, edge: Edge) -> bool:
    if edge.type is EdgeType.SEMANTIC:
        return " ".join(edge.label.casefold().split()) in " ".join(text.casefold().split())
    return bool(set(content_terms(edge.label)) & set(content_terms(text)))
