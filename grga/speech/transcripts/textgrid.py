"""Praat TextGrid, long and short form: one tier for each speaker, an empty interval is silence.

Praat itself reads both forms alike: only quoted texts, free-standing numbers and flags count, all
other words are decoration. Reading it so copes with every file found in the wild; praatio refuses a
whole file whose intervals overlap by a rounding error, and gives no line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grga.errors import TranscriptError
from grga.speech.transcripts.model import Format, Parsed, Turn
from grga.speech.transcripts.notes import Notes
from grga.speech.transcripts.source import Source
from grga.speech.transcripts.words import turns_of_words
from grga.types import TimeSpan, Word

_TOKEN = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"|(?<!\S)(?P<number>-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?!\S)|(?P<flag><\w+>)'
)
_SILENT = frozenset({"", "sil", "sp", "spn", "#", "<sil>", "<eps>", "<p:>", "silence"})
_SOUNDS = re.compile(r"phon|mau$|^segments?$|^syll", re.IGNORECASE)
_WORDS = re.compile(r"(?:^|[\s:_-])(?:words?|ort(?:-mau)?)$", re.IGNORECASE)
_LEVELS = re.compile(
    r"(?:phrases?|sentences?|utterances?|turns?|text|transcript(?:ion)?|transcriptions?|words?|ort(?:-mau)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Tier:
    name: str
    turns: list[Turn]


def _matches(source: Source) -> bool:
    opening = source.text[:200]
    return "ooTextFile" in opening and "TextGrid" in opening


def _read(source: Source, notes: Notes) -> Parsed:
    tiers = list(_named_apart(_tiers(source, notes), notes))
    whole = [tier for tier in tiers if not _WORDS.search(tier.name)]
    single = [tier for tier in tiers if _WORDS.search(tier.name)]
    covered = {_speaker(tier) for tier in whole}
    turns = [turn for tier in whole for turn in tier.turns]
    for tier in single:
        # Word tiers repeat what a speaker's phrase tier says; alone, they are the words themselves.
        if _speaker(tier) not in covered:
            turns += turns_of_words(_words(tier))
    return Parsed(turns)


def _tiers(source: Source, notes: Notes) -> Iterator[_Tier]:
    tokens = _tokens(source)
    try:
        next(tokens), next(tokens)  # file type and object class
        next(tokens), next(tokens)  # start and end of the whole
        if next(tokens)[1] != "<exists>":
            return
        for _ in range(int(next(tokens)[1])):
            kind, name = next(tokens)[1], next(tokens)[1].strip().strip('"')
            next(tokens), next(tokens)  # start and end of the tier
            count = int(next(tokens)[1])
            if kind == "TextTier":
                for _ in range(2 * count):
                    next(tokens)
                if count:
                    notes.add(f"the point tier {name!r} was skipped: points have no length")
                continue
            turns = [_interval(tokens, name) for _ in range(count)]
            if _SOUNDS.search(name):
                notes.add(f"the tier {name!r} was skipped: it holds sounds, not words")
            else:
                yield _Tier(name, [turn for turn in turns if turn.text.lower() not in _SILENT])
    except StopIteration:
        notes.add("the file ends in the middle of a tier; what was complete is kept", len(source.lines))
    except ValueError:
        raise TranscriptError(
            f"{source.path.name} is a damaged TextGrid",
            found="text where a number belongs",
            fix="save it again with Praat",
        ) from None


def _tokens(source: Source) -> Iterator[tuple[int, str]]:
    """Yield (line, token): quotes removed, doubled quotes resolved."""
    line, at = 1, 0
    for match in _TOKEN.finditer(source.text):
        line += source.text.count("\n", at, match.start())
        at = match.start()
        yield line, match["text"].replace('""', '"') if match["text"] is not None else match[0]


def _interval(tokens: Iterator[tuple[int, str]], name: str) -> Turn:
    line, start = next(tokens)
    end, text = next(tokens)[1], next(tokens)[1]
    return Turn(name, float(start), float(end), " ".join(text.split()), line=line)


def _named_apart(tiers: Iterator[_Tier], notes: Notes) -> Iterator[_Tier]:
    seen: dict[str, int] = {}
    for tier in tiers:
        seen[tier.name] = seen.get(tier.name, 0) + 1
        if seen[tier.name] > 1:
            name = f"{tier.name} ({seen[tier.name]})"
            notes.add(f"several tiers are called {tier.name!r}; one became {name!r}")
            tier = _Tier(name, [replace(turn, label=name) for turn in tier.turns])
        yield _with_speaker(tier)


def _with_speaker(tier: _Tier) -> _Tier:
    speaker = _speaker(tier)
    return _Tier(tier.name, [replace(turn, label=speaker) for turn in tier.turns])


def _speaker(tier: _Tier) -> str | None:
    """Return who a tier belongs to: "Ann - words" is Ann's, "words" nobody's, any other name is a name."""
    if _LEVELS.fullmatch(tier.name):
        return None
    return _WORDS.sub("", tier.name).strip(" -:_") or None


def _words(tier: _Tier) -> list[Word]:
    return [
        Word(turn.text, TimeSpan(turn.start, turn.end), speaker=turn.label)
        for turn in tier.turns
        if turn.start is not None and turn.end is not None and turn.end >= turn.start
    ]


FORMAT = Format("Praat TextGrid", (".textgrid",), _matches, _read)
