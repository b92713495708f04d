"""A model server that a visitor names for the time of their visit."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from threading import Lock

from pydantic import SecretStr

from grga.config import Config, LlmConfig
from grga.errors import ConfigError
from grga.llm import connect
from grga.llm.client import ChatClient

LONGEST = 500
KEPT_CLIENTS = 16


@dataclass(frozen=True)
class ModelServer:
    """Where a model answers. It lives in the visitor's session alone: the key is never written down."""

    base_url: str
    model: str = ""
    api_key: str = field(default="", repr=False)


class Clients:
    """Makes a client per server that visitors name, if this host allows that at all.

    Args:
        config: The host's settings; all but address, model and key hold for visitors' servers too.
        public: Whether others than this machine can reach the app.
    """

    def __init__(self, config: Config, *, public: bool) -> None:
        self._llm, self._home = config.llm, config.home
        wanted = config.ui.visitor_models
        self.allowed = wanted == "on" or (wanted == "auto" and not public)
        self._kept: OrderedDict[ModelServer, ChatClient] = OrderedDict()
        self._lock = Lock()

    def of(self, server: ModelServer) -> ChatClient:
        """Return the client of ``server``; the last few are kept. Nothing is sent yet.

        Raises:
            ConfigError: the host does not allow it, or what stands there is no address.
        """
        if not self.allowed:
            raise ConfigError("this page takes no model servers from visitors", fix="ask without one")
        if any(len(value) > LONGEST for value in (server.base_url, server.model, server.api_key)):
            raise ConfigError("address, model or key is too long", expected=f"at most {LONGEST} characters")
        with self._lock:
            if server not in self._kept:
                self._kept[server] = connect(_settings(self._llm, server), _folder(self._home, server))
                while len(self._kept) > KEPT_CLIENTS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(server)
            return self._kept[server]


def _settings(host: LlmConfig, server: ModelServer) -> LlmConfig:
    # The host's own key must never go to an address that somebody else chose.
    key = SecretStr(server.api_key) if server.api_key else None
    # Sound and typed replies are found out anew: what the host fixed holds for its own model.
    given = {"base_url": server.base_url, "model": server.model or None, "api_key": key}
    return host.model_copy(update={**given, "audio": "auto", "structured": "auto"})


def _folder(home: Path, server: ModelServer) -> Path:
    """Replies of one address are kept apart: no visitor's server may answer for another's."""
    return home / "visitor_models" / hashlib.sha256(server.base_url.encode()).hexdigest()[:16]


def is_public(host: str | None, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether an app that listens on ``host`` (None: Gradio's default) can be reached from outside."""
    environment = os.environ if environment is None else environment
    if environment.get("SPACE_ID"):
        return True
    name = host or environment.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    try:
        return not ip_address(name).is_loopback
    except ValueError:
        return name != "localhost"
