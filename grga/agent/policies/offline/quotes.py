"""Phrases that a question quotes: they are searched for as they stand, and never read as part of the question.

"When does Tom say “in about five minutes”?" names no time, and “who is first” asks for nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = re.compile(
    r"“(?P<curly>[^“”]{2,300})”|「(?P<corner>[^「」]{2,300})」|『(?P<white>[^『』]{2,300})』"
    r"|\"(?P<straight>[^\"]{2,300})\"|(?<!\w)[‘'](?P<single>[^‘’'\"“”]{2,60})[’'](?!\w)"
)
_FIRST_MARK = 0xE000
_MARK = re.compile("[\ue000-\ue0ff]")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A question in which each quotation, with its marks, is one sign that no rule reads.

    ``phrases`` holds what was quoted, without the marks.
    """

    text: str
    quotations: tuple[str, ...]
    phrases: tuple[str, ...]

    def shown(self, text: str) -> str:
        """Return ``text``, which was cut out of the hidden question, with its quotations."""
        return _MARK.sub(lambda sign: self.quotations[ord(sign[0]) - _FIRST_MARK], text)

    def phrases_in(self, text: str) -> tuple[str, ...]:
        """Return the quoted phrases that ``text``, cut out of the hidden question, holds."""
        return tuple(self.phrases[ord(sign) - _FIRST_MARK] for sign in _MARK.findall(text))


def hide(question: str) -> Hidden:
    """Return the question with its quotations hidden."""
    quotations: list[str] = []
    phrases: list[str] = []

    def one(match: re.Match[str]) -> str:
        if len(quotations) > 0xFF:
            return match[0]
        quotations.append(match[0])
        phrases.append((match[match.lastgroup or 0]).strip())
        return chr(_FIRST_MARK + len(quotations) - 1)

    text = _QUOTED.sub(one, _MARK.sub(" ", question))
    return Hidden(text, tuple(quotations), tuple(phrases))


def quoted_in(question: str) -> tuple[str, ...]:
    """Return the phrases that a question quotes, without the marks."""
    return hide(question).phrases
