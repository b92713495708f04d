"""Lay an overlay over a meeting: lines, speakers and whatever is derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grga.edits.overlay import Overlay
from grga.edits.words import aligned
from grga.graph.profiles import profile_speakers
from grga.speech.features.measurements import remeasured
from grga.types import Meeting, Speaker, SpeakerProfile, Utterance


@dataclass(frozen=True)
class Known:
    """What was known of the speakers from elsewhere than from what they say.

    ``roles`` came with a transcript, ``profiles`` (facts by a model) from enrichment; both by speaker id.
    """

    roles: Mapping[str, str | None] = field(default_factory=dict)
    profiles: Mapping[str, SpeakerProfile] = field(default_factory=dict)


def applied(recorded: Meeting, overlay: Overlay, known: Known) -> Meeting:
    """Return ``recorded`` as people corrected it. Ids and times of utterances never change.

    With other words or speakers in any line, talk time, profiles and the measurements that compare a line
    with the speaker's others are derived again; a model's facts stay while they rest on unchanged lines.
    """
    speakers = tuple(
        replace(one, name=overlay.names.get(one.id, one.name))
        for one in recorded.speakers
        if one.id not in overlay.gone
    )
    meeting = replace(recorded, title=overlay.title or recorded.title, speakers=speakers)
    if not overlay.lines:
        return meeting
    heirs = _heirs(recorded.utterances, overlay)
    spoken = remeasured(recorded.utterances, [_line(one, overlay, heirs) for one in recorded.utterances])
    brought_in = {one.speaker for one in spoken} - {one.id for one in speakers}
    plain = [
        *(Speaker(one.id, one.name, known.roles.get(one.id)) for one in speakers),
        *(Speaker(id, overlay.names[id]) for id in overlay.names if id in brought_in),
    ]
    profiled = profile_speakers(spoken, plain)
    return replace(
        meeting,
        utterances=spoken,
        speakers=tuple(_with_facts(one, known.profiles.get(one.id), spoken, overlay) for one in profiled),
    )


def facts_added(profile: SpeakerProfile, before: SpeakerProfile) -> SpeakerProfile:
    """Return the facts of ``profile`` that are not those of the one ``before``."""
    names = [
        name
        for name, text in profile.facts.items()
        if (text, profile.evidence.get(name)) != (before.facts.get(name), before.evidence.get(name))
    ]
    evidence = {name: profile.evidence[name] for name in names if name in profile.evidence}
    return SpeakerProfile({name: profile.facts[name] for name in names}, evidence, profile.source)


def _heirs(recorded: Sequence[Utterance], overlay: Overlay) -> dict[str, str | None]:
    """Return who has the lines of each speaker who has none any more; None where several have them."""
    heirs: dict[str, set[str]] = {id: set() for id in overlay.gone}
    for one in recorded:
        if one.speaker in heirs:
            heirs[one.speaker].add(overlay.speakers.get(one.id, one.speaker))
    return {id: next(iter(some)) if len(some) == 1 else None for id, some in heirs.items()}


def _line(utterance: Utterance, overlay: Overlay, heirs: Mapping[str, str | None]) -> Utterance:
    """Return one line as corrected; the confidence of recognition says nothing about a person's words."""
    text = overlay.texts.get(utterance.id)
    if text is not None:
        utterance = replace(utterance, text=text, words=aligned(utterance.words, text), confidence=None)
    first, second = utterance.speaker, utterance.second_speaker
    speaker = overlay.speakers.get(utterance.id)
    if speaker is not None:
        words = tuple(replace(word, speaker=word.speaker and speaker) for word in utterance.words)
        utterance = replace(utterance, speaker=speaker, words=words)
    if second is not None:
        # Where the words turn out to be the second speaker's, the first is who talks beside them.
        second = heirs.get(first, first) if second == utterance.speaker else heirs.get(second, second)
        utterance = replace(utterance, second_speaker=None if second == utterance.speaker else second)
    return utterance


def _with_facts(
    speaker: Speaker, found: SpeakerProfile | None, spoken: Sequence[Utterance], overlay: Overlay
) -> Speaker:
    """Return the speaker with those of a model's facts whose lines are unchanged and still the speaker's."""
    if found is None:
        return speaker
    facts = {
        name: text
        for name, text in found.facts.items()
        if all(
            id not in overlay.texts and spoken[id].speaker == speaker.id
            for id in found.evidence.get(name, ())
        )
    }
    if not facts:
        return speaker
    evidence = {name: found.evidence[name] for name in facts if name in found.evidence}
    own = speaker.profile
    profile = SpeakerProfile({**own.facts, **facts}, {**own.evidence, **evidence}, found.source)
    return replace(speaker, role=speaker.role or facts.get("role"), profile=profile)
