"""How a written word is said: numbers in words, for the alignment only. The text itself never changes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unicode_rbnf import RbnfEngine

_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_YEARS = range(1100, 2100)
_SIGNS = {"en": {"%": " percent ", "&": " and ", "+": " plus ", "@": " at "}, "zh": {"〇": "零"}}


def spoken(text: str, language: str) -> str:
    """Return ``text`` in lower case as it would be said: "20%" becomes "twenty percent".

    Args:
        text: One word as recognised.
        language: ISO 639-1; for one whose numbers nobody has listed, digits stay digits.

    >>> spoken("2024", "en"), spoken("1,000", "en"), spoken("3.5", "zh")
    ('twenty twenty-four', 'one thousand', '三点五')
    """
    text = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    if (engine := _numbers(language)) is not None:
        text = _NUMBER.sub(lambda match: f" {_in_words(match[0], engine)} ", text)
    for sign, words in _SIGNS.get(language, {}).items():
        text = text.replace(sign, words)
    return " ".join(text.split())


def _in_words(number: str, engine: RbnfEngine) -> str:
    from unicode_rbnf import FormatPurpose

    plain = number.replace(",", "")
    year = plain == number and plain.isdigit() and int(plain) in _YEARS
    return engine.format_number(plain, FormatPurpose.YEAR if year else FormatPurpose.CARDINAL).text


@lru_cache(maxsize=8)
def _numbers(language: str) -> RbnfEngine | None:
    from unicode_rbnf import RbnfEngine

    try:
        return RbnfEngine.for_language(language)
    except ValueError:
        return None
