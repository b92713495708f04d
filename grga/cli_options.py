"""What the verbs of the command line share: their common options, settings, and how they print."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grga.config import Config, load_config
from grga.errors import GrgaError

if TYPE_CHECKING:
    from grga.store import Store

MeetingName = Annotated[str, typer.Argument(metavar="MEETING", help="Id, start of the id, or title.")]
Home = Annotated[
    Path | None, typer.Option(help="Folder that holds the meetings [GRGA_HOME, default: .grga].")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings as TOML [default: grga.toml, if there].")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def settings_of(home: Path | None, config: Path | None, **overrides: Any) -> Config:
    """Return the settings of the file and the environment, under the given ones."""
    return load_config(config, overrides={"home": home, **overrides})


def store_of(settings: Config) -> Store:
    """Return the store of these settings."""
    from grga.store import Store

    return Store(settings.home)


def run(app: typer.Typer, name: str) -> None:
    """Run a command line; an error becomes one sentence, led by ``name``, and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except GrgaError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)


def count(number: int, noun: str, many: str | None = None) -> str:
    """Return ``1 line`` or ``3 lines``."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"


def print_json(value: Any) -> None:
    """Print one JSON value, two spaces deep."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
