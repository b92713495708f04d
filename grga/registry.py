"""Tables of named parts: name -> "module:Attribute", imported only when chosen."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from grga.errors import ConfigError, unknown_name


def load(kind: str, name: str, table: Mapping[str, str]) -> Any:
    """Import and return what ``table`` lists under ``name``.

    Raises:
        ConfigError: no such name; the sentence lists the known ones.
    """
    check(kind, name, table)
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


def check(kind: str, name: str, table: Mapping[str, str]) -> None:
    """Refuse a name that ``table`` does not list; nothing is imported.

    Raises:
        ConfigError: no such name; the sentence lists the known ones.
    """
    if name not in table:
        raise ConfigError(unknown_name(kind, name, list(table)), fix="choose one of these")
