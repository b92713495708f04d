"""Before any work starts: do the chosen backends exist, and is everything that they need on this machine?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grga import embedding, registry
from grga.config import Config
from grga.errors import ModelError
from grga.models import (
    BACKENDS,
    CARDS,
    PACKAGED,
    ModelCard,
    ModelSource,
    card_of,
    here,
    hub,
    locate,
    missing_packages,
)
from grga.models.hub import UnreachableError
from grga.speech import alignment, asr, diarization, emotion, features, vad

Say = Callable[[str], None]


def check_names(config: Config) -> None:
    """Refuse a backend that does not exist, however late its stage comes.

    Raises:
        ConfigError: an unknown name; the sentence lists the known ones.
    """
    chosen: tuple[tuple[str, str, Mapping[str, str], str], ...] = (
        ("vad backend", config.vad.backend, vad.BACKENDS, ""),
        ("asr backend", config.asr.backend, asr.BACKENDS, ""),
        ("aligner", config.alignment.backend, alignment.BACKENDS, "asr"),
        ("diarizer", config.diarization.backend, {**diarization.ENCODERS, **diarization.DIARIZERS}, ""),
        ("clustering", config.diarization.clustering, diarization.CLUSTERINGS, ""),
        ("emotion recogniser", config.emotion.backend, emotion.RECOGNISERS, "none"),
        ("tagger of sounds", config.emotion.events, emotion.TAGGERS, "none"),
        ("pitch backend", config.acoustics.pitch, features.PITCH_BACKENDS, "none"),
        ("text encoder", config.embedding.backend, embedding.ENCODERS, "auto"),
    )
    for kind, name, table, besides in chosen:
        registry.check(kind, name, {**table, besides: ""} if besides else table)


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
            _punctuation_of(config),
            *_aligners_of(config),
            _usual("diarization", config.diarization.backend),
        ]
    chosen += [
        _usual("emotion", config.emotion.backend),
        _usual("emotion", config.emotion.events),
        _usual("acoustics", config.acoustics.pitch),
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


def _punctuation_of(config: Config) -> str | None:
    """Return the model that sets marks, where the recogniser writes none itself."""
    return None if asr.writes_marks(config.asr.backend) else config.asr.punctuation


def require(config: Config, *, recording: bool = True, say: Say = lambda line: None) -> None:
    """Fetch what is missing; or name everything that cannot be had, once.

    While a package is missing nothing is fetched: gigabytes would come before the error does.

    Args:
        config: The settings.
        recording: As for :func:`models_of`.
        say: Called before each download.

    Raises:
        ConfigError: a backend that does not exist, or does not know the language.
        ModelError: names every model, package and program that is missing, and how to get it.
    """
    check_names(config)
    if recording:
        asr.check_language(config.asr.backend, config.asr.language)
    source = config.models.source()
    cards = [card_of(name) for name in models_of(config, recording=recording)]
    problems = {
        card.name: f"{card.name} needs {', '.join(missing)}: {card.install}"
        for card in cards
        if (missing := missing_packages(card))
    }
    absent = []
    for card in cards:
        try:
            if not card.comes_with and here(card.name, source) is None:
                absent.append(card)
        except ModelError as error:
            problems.setdefault(card.name, str(error))
    unreachable: set[str] = set()
    if not problems and not source.offline:
        absent, unreachable = _fetch(absent, source, problems, say)
    if problems or absent:
        lacking = {*problems, *(card.name for card in absent)}
        what = "a model is missing" if len(lacking) == 1 else f"{len(lacking)} models are missing"
        clauses = [*problems.values(), *([_to_fetch(absent, source, unreachable)] if absent else [])]
        raise ModelError(f"{what}; {'; '.join(clauses)}")


def _fetch(
    absent: Sequence[ModelCard], source: ModelSource, problems: dict[str, str], say: Say
) -> tuple[list[ModelCard], set[str]]:
    """Fetch models; return those that no hub answered for, and these hubs. Other problems are added."""
    left: list[ModelCard] = []
    unreachable: set[str] = set()
    for card in absent:
        hubs = {one for one in card.ids() if source.hub in ("auto", one)}
        if hubs and hubs <= unreachable:  # asking again would only wait for the same network
            left.append(card)
            continue
        say(f"fetching {card.name}")
        try:
            locate(card.name, source)
        except UnreachableError:
            unreachable |= hubs
            left.append(card)
        except ModelError as error:
            problems[card.name] = str(error)
    return left, unreachable


def _to_fetch(cards: Sequence[ModelCard], source: ModelSource, unreachable: set[str]) -> str:
    """Return the clause on weights that are not here: which, why, and the one command that brings them."""
    names = [card.name for card in cards]
    why = ""
    if source.offline:
        why = " and the network is switched off (models.offline)"
    elif unreachable:
        why = f" and {' and '.join(hub.NAMES[one] for one in hub.NAMES if one in unreachable)} cannot be reached"
    gated = [card.name for card in cards if card.gated]
    token = f" (first accept the conditions of {', '.join(gated)} there and set HF_TOKEN)" if gated else ""
    return (
        f"the weights of {', '.join(names)} are not on this machine{why}: "
        f"`python -m grga models fetch {' '.join(names)}`{token}"
    )


def _aligners_of(config: Config) -> list[str | None]:
    """Return the aligner's models; while the language is not known yet, those of each it may turn out to be."""
    settings, language = config.alignment, config.asr.language
    if settings.backend != "ctc":
        return [_usual("alignment", settings.backend)]
    if settings.model is not None:
        return [settings.model]
    usual = {"en": "wav2vec2-en", "zh": "wav2vec2-zh"}
    return list(usual.values()) if language is None else [usual.get(language)]


def _usual(section: str, backend: str) -> str | None:
    """Return the usual model of a backend; None for one that needs none or that only its stage can judge."""
    return BACKENDS[section].get(backend)
