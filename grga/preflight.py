"""Before any work starts: is everything that the chosen backends need on this machine?"""

from __future__ import annotations

from collections.abc import Callable

from grga.config import Config
from grga.errors import ModelError
from grga.models import BACKENDS, CARDS, PACKAGED, card_of, here, how_to_get, locate, missing_packages

Say = Callable[[str], None]


def models_of(config: Config, *, recording: bool = True) -> tuple[str, ...]:
    """Return the names of the models that these settings use, in order of the stages.

    Args:
        config: The settings.
        recording: Whether a recording is recognised; a transcript needs only what follows.
    """
    chosen: list[str | None] = []
    if recording:
        chosen = [
            _usual("vad", config.vad.backend),
            recogniser_of(config),
            config.alignment.model or _usual("alignment", config.alignment.backend),
            _usual("diarization", config.diarization.backend),
        ]
    chosen += [
        _usual("emotion", config.emotion.backend),
        _usual("emotion", config.emotion.events),
        _usual("embedding", config.embedding.backend),
    ]
    return tuple(dict.fromkeys(name for name in chosen if name))


def recogniser_of(config: Config) -> str | None:
    """Return the name of the model that recognises words: the one that is named, or the backend's usual one."""
    model, usual = config.asr.model, _usual("asr", config.asr.backend)
    if model is None:
        return usual
    size = f"whisper-{model}"
    return size if config.asr.backend == "whisper" and (size in CARDS or size in PACKAGED) else model


def require(config: Config, *, recording: bool = True, say: Say = lambda line: None) -> None:
    """Fetch what is missing; or name everything that cannot be had, once.

    Args:
        config: The settings.
        recording: As for :func:`models_of`.
        say: Called before each download.

    Raises:
        ModelError: names every model and package that is missing, and how to get it.
    """
    source = config.models.source()
    problems: list[str] = []
    reachable = not source.offline
    for name in models_of(config, recording=recording):
        card = card_of(name)
        if missing := missing_packages(card):
            problems.append(f"{name} needs the package {', '.join(missing)}: {card.install}")
            continue
        if card.comes_with or here(name, source) is not None:
            continue
        if reachable:
            say(f"fetching {name}")
            try:
                locate(name, source)
                continue
            except ModelError:
                reachable = False  # the others would only wait for the same network
        problems.append(f"{name} is not on this machine: {how_to_get(card)}")
    if problems:
        what = "a model is missing" if len(problems) == 1 else f"{len(problems)} models are missing"
        raise ModelError(f"{what}; {'; '.join(problems)}")


def _usual(section: str, backend: str) -> str | None:
    """Return the usual model of a backend; None for one that needs none or that only its stage can judge."""
    return BACKENDS[section].get(backend)
