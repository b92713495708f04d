"""What calls of a model cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Added up over calls.

    Attributes:
        calls: Requests that a server answered (a request that was tried again counts once).
        prompt: Tokens read, as the server counts them (estimated where it does not).
        completion: Tokens written.
        retries: Tries beyond the first, after a busy or failing server.
        cached: Replies that were taken from disk and cost nothing.
        seconds: Time spent waiting for the server.
        price: By the configured prices per 1,000 tokens; None when they are not configured.
    """

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    retries: int = 0
    cached: int = 0
    seconds: float = 0.0
    price: float | None = None

    def __add__(self, other: Usage) -> Usage:
        prices = [one.price for one in (self, other) if one.price is not None]
        return Usage(
            self.calls + other.calls,
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.retries + other.retries,
            self.cached + other.cached,
            self.seconds + other.seconds,
            sum(prices) if prices else None,
        )


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has; rather too many than too few.

    A token holds about three and a half Latin letters with the common tokenizers, and one character of
    scripts such as Han. A number or a mark may be a token by itself, hence three.
    """
    plain = sum(character < "\u0250" for character in text)
    return plain // 3 + (len(text) - plain) + 1
