"""Words wrongly heard: WER, CER and the mixed error rate (jiwer), cpWER (meeteval).

Before counting, by default, both sides are normalised the same way and in no other: Unicode NFKC,
transcribers' marks away (``[noise]``, ``<laugh>``), spelled letters joined (``L_C_D_`` is "lcd"), lower
case, Han text in simplified characters, everything but letters, digits and apostrophes a space. Fillers,
repetitions and numbers stay as written. For CER the spaces go too; the mixed error rate counts Han text in
characters and everything else in words.

WER takes the words of all speakers in the order of their start times, so overlapping speech counts against
it. cpWER (concatenated minimum-permutation, Watanabe et al. 2020, CHiME-6) joins each speaker's words,
tries every assignment of heard to true speakers, and takes the one with the fewest errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eval.speech import measuring
from eval.speech.reading import Said
from grga.text import clean

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_APART = re.compile(r"[^\w\s']|_")


@dataclass(frozen=True)
class Errors:
    """Counts of words or characters; ``length`` is of the reference."""

    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    length: int = 0

    @property
    def errors(self) -> int:
        """All that went wrong."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """Errors per word or character of the reference; None when there is none."""
        return self.errors / self.length if self.length else None

    def __add__(self, other: Errors) -> Errors:
        """Return the counts of both together."""
        return Errors(
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            self.length + other.length,
        )


def normalise(text: str) -> str:
    """Return the words of ``text``, in lower case, with single spaces between them."""
    text = clean(unicodedata.normalize("NFKC", text)).lower()
    return " ".join(_simplified().convert(_APART.sub(" ", text)).split())


def in_order(said: Iterable[Said]) -> str:
    """Return the text of all speakers in the order in which they begin."""
    return " ".join(one.text for one in sorted(said, key=lambda one: one.span) if one.text)


def word_errors(reference: str, hypothesis: str, *, normalised: bool = True) -> Errors:
    """Return what is wrong between two texts, in words."""
    if normalised:
        reference, hypothesis = normalise(reference), normalise(hypothesis)
    if not reference.strip():
        return Errors(insertions=len(hypothesis.split()))
    return _errors(measuring("jiwer").process_words(reference, hypothesis))


def character_errors(reference: str, hypothesis: str, *, normalised: bool = True) -> Errors:
    """Return what is wrong between two texts, in characters other than spaces."""
    if normalised:
        reference, hypothesis = normalise(reference), normalise(hypothesis)
    reference, hypothesis = "".join(reference.split()), "".join(hypothesis.split())
    if not reference:
        return Errors(insertions=len(hypothesis))
    return _errors(measuring("jiwer").process_characters(reference, hypothesis))


def mixed_errors(reference: str, hypothesis: str, *, normalised: bool = True) -> Errors:
    """Return what is wrong between two texts in mixed units: Han characters, and words of other scripts.

    The mixed error rate of Mandarin-English speech: "我们用 API v2" has five units. When nothing is Han it is WER.
    """
    if normalised:
        reference, hypothesis = normalise(reference), normalise(hypothesis)
    return word_errors(_units(reference), _units(hypothesis), normalised=False)


def _units(text: str) -> str:
    """Return ``text`` with a space on either side of every Han character."""
    return " ".join(_HAN.sub(r" \g<0> ", text).split())


def cp_errors(reference: Sequence[Said], hypothesis: Sequence[Said], *, normalised: bool = True) -> Errors:
    """Return the errors in words under the best assignment of heard to true speakers."""
    if not reference or not hypothesis:
        return word_errors(in_order(reference), in_order(hypothesis), normalised=normalised)
    meeteval = measuring("meeteval")
    found = meeteval.wer.cpwer(
        _segments(meeteval, reference, normalised), _segments(meeteval, hypothesis, normalised)
    )["it"]
    return Errors(found.substitutions, found.deletions, found.insertions, found.length)


def _segments(meeteval: Any, said: Sequence[Said], normalised: bool) -> Any:
    return meeteval.io.SegLST(
        [
            {
                "session_id": "it",
                "speaker": one.speaker,
                "start_time": one.span.start,
                "end_time": one.span.end,
                "words": normalise(one.text) if normalised else one.text,
            }
            for one in said
        ]
    )


def _errors(found: Any) -> Errors:
    length = found.hits + found.substitutions + found.deletions
    return Errors(found.substitutions, found.deletions, found.insertions, length)


@lru_cache(maxsize=1)
def _simplified() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")
