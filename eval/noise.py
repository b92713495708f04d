"""Worse transcripts on purpose: words and speakers get wrong at a rate that is measured afterwards.

The paper's noise study (section 4.4, appendix E) takes a weaker recogniser for its high word error rate;
here the errors are injected, so that any meeting can have any rate. Utterance ids and times stay, so the
gold spans of questions stay right.

- Words: substitutions, deletions and insertions in the shares of :data:`SHARES`; new words come from the
  meeting's own vocabulary, each as often as it is said there. Real recognisers err on words that sound
  alike, so real errors are less random than these.
- Speakers: whole utterances, drawn by chance, get another speaker of the meeting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from grga.types import Meeting, Utterance

SHARES = {"substitutions": 0.6, "deletions": 0.25, "insertions": 0.15}
"""Of all word errors."""
WER_TOLERANCE = 0.005
DER_TOLERANCE = 0.01
"""How far the measured rate may be from the one that was asked for, where the meeting allows it at all."""
_TRIES = 12
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:['’\-][^\W_\u3400-\u9fff]+)*")


@dataclass(frozen=True)
class Noisy:
    """A meeting with errors, and the rate (0..1) that was measured against the meeting it was made from."""

    meeting: Meeting
    rate: float


def words_of(text: str) -> list[str]:
    """Return the words that are counted, in lower case; every Han character is one."""
    return [word.lower() for word in _WORD.findall(text)]


# --- words ---------------------------------------------------------------------------------------------


def with_wer(meeting: Meeting, rate: float, seed: int) -> Noisy:
    """Return the meeting with word errors.

    No utterance loses its last word, so a meeting of one-word remarks cannot have every rate; what came
    out is in the result.

    Args:
        meeting: Taken as right.
        rate: The word error rate wanted, 0..1.
        seed: The same seed gives the same errors.
    """
    vocabulary = [word for one in meeting.utterances for word in _WORD.findall(one.text)]
    if rate <= 0 or len({word.lower() for word in vocabulary}) < 2:
        return Noisy(meeting, 0.0)

    def inject(share: float) -> Meeting:
        random = Random(f"words {seed}")
        said = tuple(_misheard(one, share, vocabulary, random) for one in meeting.utterances)
        return replace(meeting, utterances=said)

    return _reach(rate, inject, lambda noisy: measured_wer(meeting, noisy), WER_TOLERANCE)


def _misheard(utterance: Utterance, share: float, vocabulary: Sequence[str], random: Random) -> Utterance:
    left = len(_WORD.findall(utterance.text))
    substituted = share * SHARES["substitutions"]
    deleted = substituted + share * SHARES["deletions"]
    inserted = deleted + share * SHARES["insertions"]

    def heard(match: re.Match[str]) -> str:
        nonlocal left
        word, chance = match.group(), random.random()
        other = _other(word, vocabulary, random)
        if chance < substituted or (chance < deleted and left == 1):
            return other
        if chance < deleted:
            left -= 1
            return ""
        if chance < inserted:
            return word + ("" if _is_han(word) and _is_han(other) else " ") + other
        return word

    text = re.sub(r"\s+", " ", _WORD.sub(heard, utterance.text)).strip()
    return utterance if text == utterance.text else replace(utterance, text=text, words=())


def _other(word: str, vocabulary: Sequence[str], random: Random) -> str:
    while (other := random.choice(vocabulary)).lower() == word.lower():
        pass
    return other


def _is_han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def measured_wer(reference: Meeting, hypothesis: Meeting) -> float:
    """Return the word error rate of one meeting's words against another's, utterance by utterance."""
    import jiwer

    pairs = [
        (" ".join(words_of(one.text)), " ".join(words_of(other.text)))
        for one, other in zip(reference.utterances, hypothesis.utterances, strict=True)
    ]
    spoken = [(one, other) for one, other in pairs if one]
    return float(jiwer.wer([one for one, _ in spoken], [other for _, other in spoken])) if spoken else 0.0


# --- speakers ------------------------------------------------------------------------------------------


def with_der(meeting: Meeting, rate: float, seed: int) -> Noisy:
    """Return the meeting with utterances that are ascribed to the wrong speaker.

    Diarization is measured after the best matching of labels, so a meeting in which one person talks
    nearly all the time, or with two speakers, cannot have every rate; what came out is in the result.

    Args:
        meeting: Taken as right.
        rate: The diarization error rate wanted, 0..1, by time.
        seed: The same seed gives the same errors.
    """
    speakers = list(dict.fromkeys(one.speaker for one in meeting.utterances))
    if rate <= 0 or len(speakers) < 2:
        return Noisy(meeting, 0.0)
    random = Random(f"speakers {seed}")
    others = [random.choice([name for name in speakers if name != one.speaker]) for one in meeting.utterances]
    order = random.sample(range(len(others)), len(others))
    total = sum(one.span.duration for one in meeting.utterances)

    def shuffle(share: float) -> Meeting:
        said = list(meeting.utterances)
        left = share * total
        for id in order:
            if said[id].span.duration <= left:
                left -= said[id].span.duration
                said[id] = replace(said[id], speaker=others[id], words=())
        return replace(meeting, utterances=tuple(said))

    return _reach(rate, shuffle, lambda noisy: measured_der(meeting, noisy), DER_TOLERANCE)


def measured_der(reference: Meeting, hypothesis: Meeting) -> float:
    """Return the diarization error rate by ``pyannote.metrics``, no collar, overlapping speech included."""
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate

    whole = Timeline([Segment(0.0, max(one.end for one in reference.utterances))])
    return float(DiarizationErrorRate()(_annotation(reference), _annotation(hypothesis), uem=whole))


def _annotation(meeting: Meeting) -> object:
    from pyannote.core import Annotation, Segment

    annotation = Annotation()
    for one in meeting.utterances:
        annotation[Segment(one.start, one.end), one.id] = one.speaker
    return annotation


def _reach(
    rate: float, make: Callable[[float], Meeting], measure: Callable[[Meeting], float], tolerance: float
) -> Noisy:
    """Return what ``make`` gives for the share whose measured rate is nearest to ``rate``.

    Errors may cancel out when they are measured (a deletion beside an insertion is one substitution),
    so the share asked for is corrected by what was missing.
    """
    best, share, low, high = Noisy(make(0.0), 0.0), rate, 0.0, 1.0
    for _ in range(_TRIES):
        made = make(share)
        found = Noisy(made, measure(made))
        if abs(found.rate - rate) < abs(best.rate - rate):
            best = found
        if abs(best.rate - rate) <= tolerance or (share >= 1.0 and found.rate <= rate):
            break
        low, high = (share, high) if found.rate < rate else (low, share)
        wanted = share + rate - found.rate
        share = wanted if low < wanted <= high else (low + high) / 2
    return best
