"""Stand-ins for a judge, where no model is at hand. They measure likeness of words, not truth: an answer that
says "not" too much loses little. Tables call them by their full name, "proxy: …".

*Token F1*: words of answer and reference by the project's own tokenizer (lower case, punctuation away,
Han text in simplified characters and cut into words), English articles left out; precision and recall over
the two multisets, as for SQuAD (Rajpurkar et al. 2016).

*Embedding similarity*: cosine of the two texts by the text encoder of the index. E5 gives unrelated
sentences 0.7 and more, so only differences mean something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from eval.runs import RunRecord
from eval.scorers import Score
from grga.embedding import TextEncoder
from grga.text import tokenize

TOKEN_F1 = "proxy: token F1"
SIMILARITY = "proxy: embedding similarity"
_ARTICLES = frozenset(("a", "an", "the"))


def token_f1(answer: str, reference: str) -> Score:
    """Return the harmonic mean of how much of each text's words the other has, 0..1."""
    given, wanted = (
        Counter(token for token in tokenize(text) if token not in _ARTICLES) for text in (answer, reference)
    )
    shared = (given & wanted).total()
    details = {"shared": shared, "answer": given.total(), "reference": wanted.total()}
    if not given and not wanted:
        return Score(1.0, "neither has words", details)
    value = 2 * shared / (given.total() + wanted.total())
    return Score(value, f"{shared} words are shared", details)


def similarities(records: Sequence[RunRecord], encoder: TextEncoder) -> list[Score]:
    """Return the cosine of answer and reference for each record, -1..1; None where there is no reference."""
    known = [one for one in records if one.item.reference is not None]
    if not known:
        return [Score(None, "no reference")] * len(records)
    texts = [one.text for one in known] + [one.item.reference or "" for one in known]
    vectors = encoder.encode_passages(texts)
    cosines = iter(np.einsum("ij,ij->i", vectors[: len(known)], vectors[len(known) :]))
    return [
        Score(None, "no reference")
        if one.item.reference is None
        else Score(float(next(cosines)), f"cosine of {encoder.name} vectors")
        for one in records
    ]
