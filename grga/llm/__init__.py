"""Language models behind an OpenAI-compatible address: one client, typed replies, a cache, audio.

:func:`connect` makes the client that everything else takes. See ``docs/models.md`` for servers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grga.config import LlmConfig
    from grga.llm.client import ChatClient

__all__ = ["connect"]


def connect(settings: LlmConfig, home: Path) -> ChatClient:
    """Return a client of the model that ``settings`` name; replies are kept in ``home/llm_cache``.

    Nothing is sent yet.

    Raises:
        ConfigError: no address is set, or it is not one.
    """
    from grga.llm.cache import ReplyCache
    from grga.llm.client import ChatClient

    return ChatClient(settings, ReplyCache(home / "llm_cache") if settings.cache else None)
