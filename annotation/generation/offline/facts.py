"""What the makers of questions know of a meeting, worked out once.

A question is only asked where every sensible reading of it has the same answer. So a word is counted only
when its inflections do not change the count, turns only where nobody speaks twice in a row, and a phrase is
quoted only when it was said once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from grga.graph.prepared import Prepared
from grga.store import IndexedMeeting
from grga.text import STOPWORDS, content_terms, sentences, tokenize
from grga.types import Meeting, Utterance

MOST_EVIDENCE = 20
"""Most utterances that a person can be asked to check for one answer."""
LONGEST_OPENING = 10.0
"""Seconds: in a longer turn, only its beginning tells when something is said."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_UNFIT = re.compile(r"[{}_<>\[\]()“”\"…*]|\b(?:u+[hm]+|e+r+m?|h+m+|mm+|mhm|uh-huh|mm-hmm)\b", re.IGNORECASE)
_STUTTER = re.compile(r"\b(\w+)[, ]+\1\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^(?:(?:so|well|okay|ok|yeah|yes|right|alright|and|but|oh|good|all right)\b[,. ]+)+", re.I
)
_DANGLING = re.compile(r"\b(?:and|or|but|so|the|an?|to|of|with|for|is|are|was|if|that)$", re.IGNORECASE)
_NOUN = r"\b(?:the|a|an|my|our|your|his|her|their|this|that|these|those|all|some)(?: [a-z]+| \d+)? {word}(?: (?P<next>[a-z']+)|\b)"


class Facts:
    """A meeting with its words counted and its quotable phrases found."""

    def __init__(self, indexed: IndexedMeeting) -> None:
        self.indexed = indexed
        self.meeting: Meeting = indexed.meeting
        self.prepared = Prepared(self.meeting.utterances)

    @cached_property
    def language(self) -> str:
        """ "zh" for a meeting in Chinese, else "en"."""
        known = self.meeting.language
        if known:
            return "zh" if known == "zh" else "en"
        text = "".join(one.text for one in self.meeting.utterances[:200])
        return "zh" if len(_HAN.findall(text)) > len(text) / 4 else "en"

    @cached_property
    def telling(self) -> tuple[Utterance, ...]:
        """The utterances that say something: no backchannels, and at least two words that carry meaning."""
        return tuple(
            one
            for one in self.meeting.utterances
            if not self.prepared.backchannel[one.id] and len(self.prepared.terms[one.id]) >= 2
        )

    @cached_property
    def turns(self) -> dict[str, list[Utterance]]:
        """Each speaker's utterances in order."""
        own: dict[str, list[Utterance]] = {speaker.id: [] for speaker in self.meeting.speakers}
        for one in self.meeting.utterances:
            own[one.speaker].append(one)
        return {speaker: said for speaker, said in own.items() if said}

    def name(self, speaker: str) -> str:
        """Return the speaker's name as it stands in a sentence ("Maya", "the Project Manager")."""
        one = self.meeting.speaker(speaker)
        is_role = self.language == "en" and one.role is not None and one.role == one.name
        return f"the {one.name}" if is_role else one.name

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of all speakers' names, which are never asked about as words."""
        return frozenset(word for one in self.meeting.speakers for word in tokenize(one.name))

    @cached_property
    def counts(self) -> dict[str, dict[int, int]]:
        """Word -> utterance -> how often it is said there, for words whose count leaves no doubt."""
        exact: dict[str, Counter[int]] = {}
        by_stem: Counter[str] = Counter()
        shown: dict[str, str] = {}
        for one in self.meeting.utterances:
            terms = self.prepared.terms[one.id]
            by_stem.update(content_terms(one.text))
            roots = {token: root for root, token in terms.items()}
            for token in self.prepared.tokens[one.id]:
                if token in roots:
                    exact.setdefault(token, Counter())[one.id] += 1
                    shown[token] = roots[token]
        return {
            word: dict(places)
            for word, places in exact.items()
            if self._askable(word)
            and sum(places.values()) == by_stem[shown[word]]
            and (word.isascii() or self.text.count(word) == sum(places.values()))
        }

    def _askable(self, word: str) -> bool:
        if word in self.names or any(sign.isdigit() for sign in word):
            return False
        return len(word) >= 4 if word.isascii() else len(word) >= 2

    @cached_property
    def text(self) -> str:
        """Everything that is said, in small letters, a line per utterance."""
        return "\n".join(one.text.lower() for one in self.meeting.utterances)

    @cached_property
    def nouns(self) -> dict[str, dict[int, int]]:
        """The counted words that name a thing, so that one can ask what was said about it."""
        if self.language == "zh":
            return {word: places for word, places in self.counts.items() if _is_han_noun(word)}
        return {word: places for word, places in self.counts.items() if is_noun(word, self.text)}

    def quote(self, one: Utterance, holding: str = "") -> str | None:
        """Return a phrase that only ``one`` says, fit to be quoted in a question; None if there is none.

        It is a sentence or clause of 4 to 12 words (5 to 18 Han characters) without fillers or stutters.
        """
        sought = holding.casefold()
        return next((text for text in self.quotes(one) if sought in text.casefold()), None)

    def quotes(self, one: Utterance) -> Iterator[str]:
        """Yield every phrase of ``one`` that :meth:`quote` may return."""
        for text in self._phrases(one):
            if self._said_once(text) and len(content_terms(text)) >= 2:
                yield text

    def opening(self, one: Utterance) -> str | None:
        """Return a quotable phrase that tells when ``one`` is said: it begins the turn, or the turn is short."""
        text = self.quote(one)
        if text is None:
            return None
        early = one.text.find(text) <= 0.15 * len(one.text)
        return text if early or one.span.duration <= LONGEST_OPENING else None

    def after(self, one: Utterance) -> Utterance | None:
        """Return what is said right after ``one``, if nothing is said at the same time."""
        said = self.meeting.utterances
        if one.id + 1 >= len(said):
            return None
        following = said[one.id + 1]
        later = said[one.id + 2] if one.id + 2 < len(said) else None
        overlapped = following.start < one.end or (later is not None and later.start < following.start + 0.5)
        return None if overlapped else following

    def _phrases(self, one: Utterance) -> list[str]:
        found = []
        for sentence in sentences(one.text):
            whole = _OPENING.sub("", sentence) if self.language == "en" else sentence
            for part in (whole, *re.split(r"[,，;；]\s*", whole)):
                text = part.strip(" .,;!?。，！？、-")
                if self._fits(text):
                    found.append(text)
        return found

    def _fits(self, text: str) -> bool:
        if _UNFIT.search(text) or _STUTTER.search(text):
            return False
        if self.language == "zh":
            return 5 <= len(text) <= 18 and not text.isascii()
        return 4 <= len(text.split()) <= 12 and not _DANGLING.search(text)

    def _said_once(self, text: str) -> bool:
        return sum(text.casefold() in said for said in self._folded) == 1

    @cached_property
    def _folded(self) -> list[str]:
        return [one.text.casefold() for one in self.meeting.utterances]


def is_noun(word: str, text: str) -> bool:
    """Return whether ``word`` closes a phrase such as "the spiral staircase" somewhere in ``text``."""
    found = re.finditer(_NOUN.format(word=re.escape(word)), text)
    return any(match["next"] is None or match["next"] in STOPWORDS for match in found)


def _is_han_noun(word: str) -> bool:
    import jieba.posseg

    return all(tag.flag.startswith("n") for tag in jieba.posseg.cut(word))
