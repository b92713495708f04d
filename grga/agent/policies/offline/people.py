"""Which speakers a question names: by id, name or role."""

from __future__ import annotations

import re

from grga.types import Meeting, Speaker

_ASKED = r"(?:did|does|do|is|was|has|had|can|could|would|will|should|by|when|why|that|and|from|for|to)"
_SAYING = (
    r"(?:'s|said|says|say|think|thinks|thought|speaks?|spoke|talks?|talked|mention\w*|suggest\w*|propose\w*|"
    r"present\w*|explain\w*|feel|felt|want\w*|expert|designer|recommend\w*|introduc\w*|raise\w*|sound\w*)"
)
_SHORT_ROLES = {"pm": "project manager", "id": "industrial designer", "ui": "user interface"}
_SAYING_NAME = re.compile(
    r"\b(?:did|does|was|is|has|by)\s+(?:the\s+)?([A-Z][a-z]{2,})\b(?:\s+(?:say|think|mention|suggest|propose|promise|ask|want|feel|speak|talk|decide|raise)\w*)?"
)


def find_speakers(question: str, meeting: Meeting) -> tuple[str, ...]:
    """Return the ids of the speakers named in ``question``, in the order of their mention."""
    places = sorted(
        (place, speaker.id)
        for speaker in meeting.speakers
        if (place := _first_place(question, speaker)) is not None
    )
    return tuple(dict.fromkeys(id for _, id in places))


def without_speakers(question: str, speakers: tuple[str, ...], meeting: Meeting) -> str:
    """Return the question without the names and roles of these speakers."""
    for id in speakers:
        for pattern, flags in _patterns(meeting.speaker(id)):
            question = re.sub(rf"(?:\bthe )?{pattern}(?:'s)?", " ", question, flags=flags)
    return re.sub(r"\s+", " ", question).strip()


def stranger(question: str, meeting: Meeting) -> str | None:
    """Return a name that the question takes for a participant and that this meeting never utters."""
    match = _SAYING_NAME.search(question)
    if match is None or find_speakers(match[0], meeting):
        return None
    name = match[1]
    said = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    known = any(said.search(one.name) or said.search(one.role or "") for one in meeting.speakers)
    return None if known or any(said.search(one.text) for one in meeting.utterances) else name


def role_of(speaker: Speaker) -> str | None:
    """Return the speaker's role, given or derived from what was said."""
    return speaker.role or speaker.profile.facts.get("role")


def _first_place(question: str, speaker: Speaker) -> int | None:
    places = [
        match.start()
        for pattern, flags in _patterns(speaker)
        if (match := re.search(pattern, question, flags)) is not None
    ]
    return min(places, default=None)


def _patterns(speaker: Speaker) -> list[tuple[str, int]]:
    """Ways to name a speaker, as regular expressions with flags.

    A single lowercase word may be an ordinary one ("marketing"): it counts only where somebody is
    asked about or speaks; with its own capitals it always counts.
    """
    patterns: list[tuple[str, int]] = []
    role = role_of(speaker)
    for name in dict.fromkeys(
        part.strip() for part in (speaker.name, speaker.id, role or "") if part.strip()
    ):
        escaped = re.escape(name)
        if re.search(r"[\u4e00-\u9fff]", name):
            patterns.append((escaped, 0))
            continue
        number = re.fullmatch(r"(?:spk|speaker|s)[ _-]?0*(\d+)", name, re.IGNORECASE)
        if number:
            patterns.append((rf"\b(?:spk|speaker|s)[ _-]?0*{number[1]}\b", re.IGNORECASE))
            patterns.append((rf"(?:说话人|发言人)\s*{number[1]}", 0))
        elif " " in name:
            patterns.append((rf"\b{escaped}\b(?: (?:expert|designer))?", re.IGNORECASE))
        else:
            patterns.append((rf"\b{escaped}\b(?: expert)?", 0))
            patterns.append(
                (
                    rf"(?<=\b)(?:(?<=did )|(?<=does )|(?<=is )|(?<=was )|(?<=by )|(?<=the )){escaped}\b(?= {_SAYING}|'s)",
                    re.IGNORECASE,
                )
            )
            patterns.append(
                (rf"\b{escaped}(?=(?:'s\b| (?:say|said|think|thought|speak|spoke|talk)))", re.IGNORECASE)
            )
            if name[:1].isupper() and name.casefold() != (role or "").casefold():
                patterns.append((rf"\b{escaped}\b", re.IGNORECASE))
    for short, long in _SHORT_ROLES.items():
        if role and role.casefold().startswith(long):
            patterns.append((rf"\b{short.upper()}\b", 0))
    return patterns
