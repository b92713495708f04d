"""The core types that flow through GRGA. Times are seconds from the start of the recording."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

UNKNOWN_SPEAKER = "unknown"


@dataclass(frozen=True, order=True, slots=True)
class TimeSpan:
    """A stretch of time, in seconds, closed at both ends; may have length zero.

    Raises:
        ValueError: an end before the start, or a bound that is not a finite number.
    """

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start) and math.isfinite(self.end)):
            raise ValueError(f"a time span needs finite seconds, got {self.start} and {self.end}")
        if self.end < self.start:
            raise ValueError(f"a time span must not end ({self.end} s) before it starts ({self.start} s)")

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return self.end - self.start

    @property
    def middle(self) -> float:
        """The second halfway between start and end."""
        return (self.start + self.end) / 2

    def overlap(self, other: TimeSpan) -> float:
        """Return the seconds shared with ``other`` (0.0 if they only touch or are apart)."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))

    def touches(self, other: TimeSpan) -> bool:
        """Return whether the two spans share at least one instant."""
        return self.start <= other.end and other.start <= self.end

    def iou(self, other: TimeSpan) -> float:
        """Return intersection over union in 0..1 (two equal spans of length zero give 1.0)."""
        if self == other:
            return 1.0
        shared = self.overlap(other)
        union = self.duration + other.duration - shared
        return shared / union if union > 0 else 0.0

    def widened(self, seconds: float) -> TimeSpan:
        """Return the span grown by ``seconds`` on both sides, never before zero."""
        return TimeSpan(max(0.0, self.start - seconds), self.end + seconds)

    def clipped(self, bounds: TimeSpan) -> TimeSpan | None:
        """Return the part inside ``bounds``, or None when there is none."""
        if not self.touches(bounds):
            return None
        return TimeSpan(max(self.start, bounds.start), min(self.end, bounds.end))


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word with its boundaries; ``confidence`` in 0..1, None when not measured."""

    text: str
    span: TimeSpan
    confidence: float | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Acoustics:
    """What was measured in the waveform of one utterance. None means "not measurable".

    Attributes:
        loudness_db: RMS level in dB relative to full scale.
        loudness_z: Loudness as a z-score against the same speaker's other utterances.
        f0_mean_hz: Mean fundamental frequency of voiced frames, Hz.
        f0_semitones: Mean pitch in semitones relative to the same speaker's median.
        f0_range_semitones: 5th to 95th percentile range of pitch, semitones.
        rate: Words per second (Han characters count as words) over the utterance.
        pause_before: Silence in seconds since anybody last spoke (0.0 when overlapping).
        overlap: Share 0..1 of the utterance during which somebody else also speaks.
        arousal: A composite z-score of loudness, pitch and rate: a measurement, not an emotion.
        emotion: Emotion label from an emotion model; None without one.
        emotion_score: That model's score in 0..1.
        events: Sounds heard beside speech, from an event tagger: "laughter", "applause", "cough", …
    """

    loudness_db: float | None = None
    loudness_z: float | None = None
    f0_mean_hz: float | None = None
    f0_semitones: float | None = None
    f0_range_semitones: float | None = None
    rate: float | None = None
    pause_before: float | None = None
    overlap: float | None = None
    arousal: float | None = None
    emotion: str | None = None
    emotion_score: float | None = None
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Utterance:
    """One speaker's uninterrupted stretch of words: a node of the graph.

    ``id`` counts from 0 in time order and never changes within a meeting. ``speaker`` is a
    speaker id (see ``Meeting.speakers`` for names). ``confidence`` is 0..1 or None.
    ``second_speaker`` is the id of somebody who talks at the same time during part of it, whose own
    words are not in ``text``.
    """

    id: int
    speaker: str
    span: TimeSpan
    text: str
    words: tuple[Word, ...] = ()
    confidence: float | None = None
    acoustics: Acoustics | None = None
    second_speaker: str | None = None

    @property
    def start(self) -> float:
        """Start in seconds."""
        return self.span.start

    @property
    def end(self) -> float:
        """End in seconds."""
        return self.span.end


@dataclass(frozen=True, slots=True)
class SpeakerProfile:
    """What is known about a speaker, each fact resting on utterance ids in ``evidence``.

    ``facts`` maps a name (role, gender, stance, expertise, contributions, keywords) to text;
    ``evidence`` maps the same names to the utterances that support them. ``source`` says who
    derived it: "statistics" for the embedded profile, otherwise model and prompt version.
    """

    facts: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    source: str = "statistics"


@dataclass(frozen=True, slots=True)
class Speaker:
    """A participant: a stable ``id``, the ``name`` shown to people, and seconds of talk."""

    id: str
    name: str
    role: str | None = None
    talk_seconds: float = 0.0
    profile: SpeakerProfile = field(default_factory=SpeakerProfile)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting: who said what, when. ``utterances[i].id == i``, in order of start time.

    ``duration`` is in seconds. ``language`` is an ISO 639-1 code or None when unknown.
    ``has_audio`` says whether the waveform is at hand for listening and measuring.
    """

    id: str
    title: str
    duration: float
    utterances: tuple[Utterance, ...]
    speakers: tuple[Speaker, ...]
    language: str | None = None
    has_audio: bool = False

    def speaker(self, speaker_id: str) -> Speaker:
        """Return the speaker with this id.

        Raises:
            KeyError: no such speaker in this meeting.
        """
        for speaker in self.speakers:
            if speaker.id == speaker_id:
                return speaker
        raise KeyError(speaker_id)

    def name_of(self, utterance: Utterance) -> str:
        """Return the shown name of who spoke ``utterance``."""
        return self.speaker(utterance.speaker).name


class EdgeType(StrEnum):
    """The five relations between utterances (paper, section 3.2.2)."""

    TEMPORAL = "temporal"
    REPLY_TO = "reply_to"
    SAME_SPEAKER = "same_speaker"
    ENTITY = "entity"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed relation from utterance ``source`` to ``target``.

    ``weight`` is in 0..1 (1 = certain); ``label`` says why ("fee", "that idea").
    """

    source: int
    target: int
    type: EdgeType
    weight: float = 1.0
    label: str = ""


class Hit(NamedTuple):
    """An utterance found by a search, with its score (higher is better)."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits of a question: only these speaker ids (None = all), only this span (None = all)."""

    speakers: frozenset[str] | None = None
    span: TimeSpan | None = None

    def allows(self, utterance: Utterance) -> bool:
        """Return whether ``utterance`` lies inside this scope."""
        if self.speakers is not None and utterance.speaker not in self.speakers:
            return False
        return self.span is None or self.span.touches(utterance.span)


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to an utterance. Built from the utterance itself, never from a model's times."""

    utterance: int
    speaker: str
    span: TimeSpan
    text: str
    meeting: str = ""

    @classmethod
    def of(cls, meeting: Meeting, utterance: Utterance) -> Citation:
        """Return the citation of ``utterance``."""
        return cls(utterance.id, meeting.name_of(utterance), utterance.span, utterance.text, meeting.id)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer with the utterance ids it rests on."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer took. ``phases`` maps a phase (decompose, plan, …) to seconds.

    ``cache_hits`` are model replies kept from before, ``retries`` tries that a busy server made
    necessary; ``price`` is None when no price per token is configured.
    """

    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0
    cache_hits: int = 0
    retries: int = 0
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, the same for the agent and every baseline.

    Attributes:
        question: As asked.
        sentences: The answer; every sentence carries the utterance ids it rests on.
        citations: All cited utterances, in order of first mention; numbered from 1 when shown.
        verified: Whether the reflector accepted it (score at least tau).
        reflection_score: 1..5, None when nothing reflected (a baseline).
        found: False for "this meeting does not say".
        system: "grga", "text_rag", …
        policy: "offline" or the model's name.
        dropped_citations: How many references outside the evidence were removed.
        cost: Seconds, calls and tokens.
    """

    question: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    verified: bool
    reflection_score: float | None
    found: bool
    system: str
    policy: str
    dropped_citations: int = 0
    cost: Cost = field(default_factory=Cost)

    @property
    def text(self) -> str:
        """The answer as plain text without citation marks."""
        return " ".join(sentence.text for sentence in self.sentences)
