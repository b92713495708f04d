"""NXT XML as in the AMI corpus: a folder with ``words/`` and ``segments/``, or one of their files.

Speakers are called by the participant's id, with the role, if ``corpusResources/meetings.xml`` is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from grga.errors import TranscriptError
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.values import number, timed_words
from grga.speech.transcripts.words import join_words, turns_of_words
from grga.types import Word

_NITE = "{http://nite.sourceforge.net/}"
_FILE = re.compile(r"(?P<meeting>[^.]+)\.(?P<agent>[^.]+)\.(?P<kind>words|segments)\.xml")
_RANGE = re.compile(r"#id\((?P<first>[^()]+)\)(?:\.\.id\((?P<last>[^()]+)\))?")
ROLES = {
    "PM": "Project Manager",
    "ME": "Marketing",
    "UI": "User Interface",
    "ID": "Industrial Designer",
}


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or punctuation mark; ``text`` is empty for sounds, gaps and slips of the tongue."""

    id: str
    text: str
    start: float | None
    end: float | None


def _matches(source: Source) -> bool:
    if source.path.is_dir():
        return (source.path / "words").is_dir()
    return _FILE.fullmatch(source.path.name) is not None or "nite:root" in source.text[:500]


def _read(source: Source, notes: Notes) -> Parsed:
    if source.path.is_dir():
        folder = source.path
        meeting = _chosen_meeting(source)
        files = sorted((folder / "words").glob(f"{meeting}.*.words.xml"))
    else:
        named = _FILE.fullmatch(source.path.name)
        if named is None:
            raise TranscriptError(
                f"{source.path.name} is no NXT words or segments file",
                expected="a name such as ES2003a.A.words.xml",
                fix="choose such a file or the folder above words/",
            )
        folder, meeting = source.path.parent.parent, named["meeting"]
        files = [folder / "words" / f"{meeting}.{named['agent']}.words.xml"]
        if not files[0].is_file():
            files = [source.path] if named["kind"] == "words" else files
    people, duration = _people(folder, meeting, notes)
    turns, names, roles = [], {}, {}
    for file in files:
        agent = file.name.split(".")[1]
        turns += _turns(file, agent, folder / "segments" / f"{meeting}.{agent}.segments.xml", notes)
        if agent in people:
            names[agent], roles[agent] = people[agent]
    return Parsed(
        turns,
        title=meeting,
        duration=duration,
        names=names,
        roles={agent: role for agent, role in roles.items() if role},
    )


def _chosen_meeting(source: Source) -> str:
    found = sorted({file.name.split(".")[0] for file in (source.path / "words").glob("*.words.xml")})
    if source.meeting in found:
        return str(source.meeting)
    if source.meeting is None and len(found) == 1:
        return found[0]
    raise TranscriptError(
        f"{source.path.name} holds no meeting {source.meeting!r}"
        if source.meeting
        else "several meetings are there",
        found=", ".join(found) or "no words files",
        fix="name the meeting to import",
    )


def _root(file: Path) -> ElementTree.Element:
    try:
        data = file.read_bytes()
        if b"<!ENTITY" in data:  # never needed here, and the way to blow up a parser
            raise TranscriptError(f"{file.name} declares XML entities", expected="plain NXT XML")
        return ElementTree.fromstring(data)
    except OSError:
        raise TranscriptError(f"the file {file} is missing", fix="copy it beside the others") from None
    except ElementTree.ParseError as error:
        raise TranscriptError(f"{file.name} is not valid XML: {error}", fix="download it again") from None


def _people(
    folder: Path, meeting: str, notes: Notes
) -> tuple[dict[str, tuple[str, str | None]], float | None]:
    """Return agent -> (participant, role) and the meeting's length in seconds, from meetings.xml."""
    file = folder / "corpusResources" / "meetings.xml"
    if not file.is_file():
        notes.add("corpusResources/meetings.xml is not there; speakers are called by their letter")
        return {}, None
    for entry in _root(file).iter("meeting"):
        if entry.get("observation") == meeting:
            people = {
                str(speaker.get("nxt_agent")): (
                    speaker.get("global_name") or str(speaker.get("nxt_agent")),
                    ROLES.get(speaker.get("role") or "", speaker.get("role") or None),
                )
                for speaker in entry.iter("speaker")
            }
            return people, number(entry.get("duration"))
    notes.add(f"corpusResources/meetings.xml does not list {meeting}; speakers are called by their letter")
    return {}, None


def _tokens(file: Path) -> Iterator[_Token]:
    for element in _root(file):
        text = " ".join((element.text or "").split()) if element.tag == "w" else ""
        times = number(element.get("starttime")), number(element.get("endtime"))
        yield _Token(str(element.get(f"{_NITE}id")), text, *times)


def _turns(file: Path, agent: str, segments: Path, notes: Notes) -> list[Turn]:
    tokens = list(_tokens(file))
    if not segments.is_file():
        notes.add(f"{segments.name} is not there; {agent}'s turns are cut at silences")
        return turns_of_words(Word(word.text, word.span, speaker=agent) for word in _words(tokens, notes))
    place = {token.id: index for index, token in enumerate(tokens)}
    turns = []
    for segment in _root(segments).iter("segment"):
        inside: list[_Token] = []
        for child in segment.iter(f"{_NITE}child"):
            match = _RANGE.search(child.get("href") or "")
            if match and match["first"] in place and (match["last"] or match["first"]) in place:
                inside += tokens[place[match["first"]] : place[match["last"] or match["first"]] + 1]
        words = _words(inside, notes)
        if words:
            turns.append(_turn(agent, words))
    return turns


def _turn(agent: str, words: Sequence[Word]) -> Turn:
    start, end = words[0].span.start, max(word.span.end for word in words)
    return Turn(agent, start, end, join_words(word.text for word in words), tuple(words))


def _words(tokens: Sequence[_Token], notes: Notes) -> tuple[Word, ...]:
    """Return the words, each with the punctuation that follows it."""
    spoken: list[dict[str, object]] = []
    for token in tokens:
        if not token.text:
            continue
        if not any(char.isalnum() for char in token.text):
            if spoken:
                spoken[-1]["text"] = f"{spoken[-1]['text']}{token.text}"
        else:
            spoken.append({"text": token.text, "start": token.start, "end": token.end})
    known = [time for token in tokens for time in (token.start, token.end) if time is not None]
    return timed_words(spoken, min(known), max(known), notes) if known else ()


FORMAT = Format("NXT XML", (".xml",), _matches, _read)
