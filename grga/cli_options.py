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
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Backends that go together: embedded or full [embedded].")
]
Vad = Annotated[str | None, typer.Option("--vad", help="What finds speech: silero or fsmn.")]
Asr = Annotated[
    str | None,
    typer.Option("--asr", help="What recognises words, with a model if you like: whisper:small, paraformer."),
]
Hints = Annotated[
    list[str] | None, typer.Option("--hint", help="A name or word of this meeting; may be repeated.")
]
Alignment = Annotated[
    str | None, typer.Option("--alignment", help="What times the words: asr (as recognised), ctc, mfa, …")
]
Diarization = Annotated[
    str | None, typer.Option("--diarization", help="What tells voices apart: ge2e, eres2netv2, campplus, …")
]
Emotion = Annotated[
    str | None, typer.Option("--emotion", help="What hears emotions: none, emotion2vec, sensevoice.")
]
Embedding = Annotated[str | None, typer.Option("--embedding", help="Text encoder: auto, e5, use, bge-m3.")]


def settings_of(home: Path | None, config: Path | None, **overrides: Any) -> Config:
    """Return the settings of the file and the environment, under the given ones."""
    return load_config(config, overrides={"home": home, **overrides})


def backends(
    *,
    vad: str | None = None,
    asr: str | None = None,
    hints: list[str] | None = None,
    alignment: str | None = None,
    diarization: str | None = None,
    emotion: str | None = None,
    embedding: str | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the settings that these options stand for; ``NAME:MODEL`` names a backend's model too."""
    recogniser, _, model = (asr or "").partition(":")
    aligner, _, acoustic = (alignment or "").partition(":")
    return {
        "vad": {"backend": vad},
        "asr": {"backend": recogniser or None, "model": model or None, "hints": hints or None},
        "alignment": {"backend": aligner or None, "model": acoustic or None},
        "diarization": {"backend": diarization},
        "emotion": {"backend": emotion},
        "embedding": {"backend": embedding},
    }


def store_of(settings: Config) -> Store:
    """Return the store of these settings."""
    from grga.store import Store

    return Store(settings.home, settings.models.source())


def run(app: typer.Typer, name: str) -> None:
    """Run a command line; an error becomes one sentence, led by ``name``, and exit code 1."""
    # A redirected standard output takes the system's encoding, which may not be able to print names.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except GrgaError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)
    except SystemExit as end:
        # Typer turns Ctrl-C into this exit code and says nothing.
        if end.code == 130:
            print(f"{name}: stopped; run it again to go on from here", file=sys.stderr)
        raise


def count(number: int, noun: str, many: str | None = None) -> str:
    """Return ``1 line`` or ``3 lines``."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"


def print_json(value: Any) -> None:
    """Print one JSON value, two spaces deep."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
