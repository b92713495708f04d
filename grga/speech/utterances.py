"""Words get speakers, and words of one speaker become utterances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from grga.speech.diarization import SpeakerSegment
from grga.speech.together import Together, Turn, covered
from grga.types import UNKNOWN_SPEAKER, TimeSpan, Utterance, Word

SENTENCE_END = (".", "?", "!", "…", "。", "？", "！")
MIN_SENTENCE = 6.0
CUT_SENTENCE = 15.0
SECOND_SECONDS = 0.5
SECOND_SHARE = 0.1


def assign_words(
    words: Sequence[Word], segments: Sequence[SpeakerSegment], alpha_ovlp: float = 0.3
) -> tuple[Word, ...]:
    """Give each word the speaker whose segment covers most of it; O(words + segments).

    Where several cover as much of it, because they talk at once, the word stays with whoever began first.
    When no segment covers ``alpha_ovlp`` of the word, the segment nearest to its middle is taken.
    Without segments the speaker is "unknown".

    Args:
        words: In order of start time.
        segments: In order of start time; they may overlap.
        alpha_ovlp: Least share 0..1 of the word's length.
    """
    if not segments:
        return tuple(replace(word, speaker=UNKNOWN_SPEAKER) for word in words)
    assigned: list[Word] = []
    first = 0
    latest: SpeakerSegment | None = None
    for word in words:
        while first < len(segments) and segments[first].span.end < word.span.start:
            if latest is None or segments[first].span.end > latest.span.end:
                latest = segments[first]
            first += 1
        speaker = _speaker_of(word, segments, first, latest, alpha_ovlp)
        assigned.append(replace(word, speaker=speaker))
    return tuple(assigned)


def group_utterances(
    words: Sequence[Word], beta_sil: float = 0.8, max_seconds: float = 30.0
) -> tuple[Utterance, ...]:
    """Group words with speakers into utterances, numbered from 0 in order of start time.

    A new utterance begins with another speaker, after a silence of ``beta_sil`` seconds, and, in a
    long monologue, after a sentence. One that is still longer than ``max_seconds`` is split at its
    longest pause.
    """
    groups: list[list[Word]] = []
    for word in words:
        if groups and _continues(groups[-1], word, beta_sil):
            groups[-1].append(word)
        else:
            groups.append([word])
    pieces = [piece for group in groups for piece in _split(group, max_seconds)]
    pieces.sort(key=lambda piece: (piece[0].span.start, piece[-1].span.end))
    return tuple(_utterance(number, piece) for number, piece in enumerate(pieces))


def with_second_speakers(utterances: Sequence[Utterance], turns: Sequence[Turn]) -> tuple[Utterance, ...]:
    """Say in each utterance who else talks during a part of it that matters.

    That is: at the same time as its speaker, for at least 0.5 s and 10 % of the utterance. Of several, the
    one who does so longest; of equals, the first by id. Only speakers with an utterance of their own are
    named: of others, nobody could say who they are. Where nobody does, what the utterance says already stays
    (a transcript of ours, whose segments are not at hand).

    Args:
        utterances: As :func:`group_utterances` or a transcript gives them.
        turns: Who talks when; they may overlap. Segments of diarization, or the utterances themselves
            when they come from a transcript, which can overlap.
    """
    speakers = {one.speaker for one in utterances}
    together = Together(turn for turn in turns if turn.speaker in speakers)
    return tuple(
        replace(
            one,
            second_speaker=_second(one.span, together.during(one.speaker, one.span)) or one.second_speaker,
        )
        for one in utterances
    )


def join_words(words: Sequence[str]) -> str:
    """Join words into text: spaces between them, but none beside Han, kana or their punctuation."""
    text = ""
    for word in words:
        spaced = text and word and not (_unspaced(text[-1]) or _unspaced(word[0]) or word[0] in ",.?!%;:")
        text += (" " if spaced else "") + word
    return text


def _speaker_of(
    word: Word,
    segments: Sequence[SpeakerSegment],
    first: int,
    latest: SpeakerSegment | None,
    alpha_ovlp: float,
) -> str:
    """Look at the segments from ``first`` on that begin before the word ends, and at both neighbours."""
    shares: dict[str, float] = {}
    index = first
    while index < len(segments) and segments[index].span.start < word.span.end:
        segment = segments[index]
        shares[segment.speaker] = shares.get(segment.speaker, 0.0) + segment.span.overlap(word.span)
        index += 1
    if shares and word.span.duration > 0:
        best = max(shares, key=lambda speaker: shares[speaker])
        if shares[best] >= alpha_ovlp * word.span.duration and shares[best] > 0:
            return best
    around = [*([latest] if latest else []), *segments[first : index + 1]]
    return min(around, key=lambda segment: _distance(segment.span, word.span.middle)).speaker


def _second(span: TimeSpan, others: dict[str, list[TimeSpan]]) -> str | None:
    least = max(SECOND_SECONDS, SECOND_SHARE * span.duration)
    seconds = {speaker: round(covered(span, parts), 6) for speaker, parts in sorted(others.items())}
    longest = max(seconds, key=lambda speaker: seconds[speaker], default=None)
    return longest if longest is not None and seconds[longest] >= least else None


def _distance(span: TimeSpan, time: float) -> float:
    return max(span.start - time, time - span.end, 0.0)


def _continues(group: Sequence[Word], word: Word, beta_sil: float) -> bool:
    last = group[-1]
    if word.speaker != last.speaker or word.span.start - last.span.end >= beta_sil:
        return False
    length = last.span.end - group[0].span.start
    pause = word.span.start - last.span.end
    ends_sentence = last.text.endswith(SENTENCE_END)
    return not (
        ends_sentence and (length >= CUT_SENTENCE or (length >= MIN_SENTENCE and pause >= beta_sil / 3))
    )


def _split(words: list[Word], max_seconds: float) -> list[list[Word]]:
    if len(words) < 2 or words[-1].span.end - words[0].span.start <= max_seconds:
        return [words]
    pauses = [after.span.start - before.span.end for before, after in pairwise(words)]
    middle = (words[0].span.start + words[-1].span.end) / 2
    at = max(range(len(pauses)), key=lambda i: (round(pauses[i], 2), -abs(words[i].span.end - middle))) + 1
    return _split(words[:at], max_seconds) + _split(words[at:], max_seconds)


def _utterance(number: int, words: Sequence[Word]) -> Utterance:
    measured = [word.confidence for word in words if word.confidence is not None]
    return Utterance(
        id=number,
        speaker=words[0].speaker or UNKNOWN_SPEAKER,
        span=TimeSpan(words[0].span.start, max(word.span.end for word in words)),
        text=join_words([word.text for word in words]),
        words=tuple(words),
        confidence=round(sum(measured) / len(measured), 4) if measured else None,
    )


def _unspaced(character: str) -> bool:
    return (
        "\u3000" <= character <= "\u30ff"
        or "\u3400" <= character <= "\u9fff"
        or "\uff00" <= character <= "\uffef"
    )
