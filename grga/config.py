"""Settings, one frozen record per stage; from a TOML file and the environment.

Read once in an entry point (CLI, app) by :func:`load_config` and unpacked into plain arguments.
Environment variables win over the file: ``GRGA_HOME=/data``, ``GRGA_ASR__BEAM_SIZE=5``.
"""

from __future__ import annotations

import copy
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from grga.errors import ConfigError
from grga.models import ModelSource

ENV_PREFIX = "GRGA_"
SECRET = ("llm.api_key", "ui.auth")
"""Settings whose value no sentence repeats."""

Profile = Literal["embedded", "full"]
PROFILES: dict[str, dict[str, dict[str, str]]] = {
    "embedded": {},
    "full": {
        "vad": {"backend": "fsmn"},
        "asr": {"backend": "firered", "punctuation": "ct-punc"},
        "alignment": {"backend": "ctc"},
        "diarization": {"backend": "eres2netv2"},
        "emotion": {"backend": "emotion2vec", "events": "sensevoice"},
        "embedding": {"backend": "bge-m3"},
    },
}
"""Backends per profile, beneath what a file, the environment or the command line says. The defaults of
the records below are those of "embedded"; "full" is the paper's front end (section 3.2.1)."""


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PreprocessConfig(_Settings):
    """Decoding. Limits are on decoded length (hours) and file size (MiB).

    ``channels``: "mix" makes one channel of all; "speakers" takes each channel as one speaker's
    microphone, which replaces diarization.
    """

    max_hours: float = Field(6.0, gt=0)
    max_megabytes: int = Field(2048, gt=0)
    channels: Literal["mix", "speakers"] = "mix"


class VadConfig(_Settings):
    """Voice activity detection. Times in seconds.

    ``threshold`` None lets the backend choose one from the recording's level (the choice is
    kept in the manifest).
    """

    backend: str = "silero"
    threshold: float | None = Field(None, gt=0, lt=1)
    min_silence: float = Field(0.2, ge=0)
    pad: float = Field(0.1, ge=0)
    max_clip: float = Field(28.0, gt=1)


class AsrConfig(_Settings):
    """Speech recognition. ``language`` None detects it once per recording.

    ``model``: a size, name, path or hub id; None takes the backend's usual one. ``hints``: names and
    product words of the meeting, for backends that can listen for them; separated by commas where they
    come as one text. ``punctuation``: the model that sets the marks of sentences for a backend that writes
    none; None leaves them out.
    """

    backend: str = "whisper"
    model: str | None = None
    beam_size: int = Field(1, ge=1)
    language: str | None = None
    hints: tuple[str, ...] = ()
    punctuation: str | None = None

    @field_validator("hints", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return _listed(value) if isinstance(value, str) else value


class AlignmentConfig(_Settings):
    """When each word begins and ends. "asr" keeps the recogniser's own times.

    ``model``: a name, path or hub id; None takes the backend's usual one for the language.
    """

    backend: str = "asr"
    model: str | None = None


class DiarizationConfig(_Settings):
    """Who speaks when. ``eta`` is the cosine below which a new speaker begins (paper 3.2.1).

    ``eta`` None takes the value calibrated for the encoder (0.8 for ERes2NetV2).
    ``min_speakers == max_speakers`` fixes the number of speakers.
    """

    backend: str = "ge2e"
    clustering: str = "incremental"
    eta: float | None = Field(None, gt=-1, lt=1)
    min_speakers: int = Field(1, ge=1)
    max_speakers: int | None = Field(None, ge=1)


class UtteranceConfig(_Settings):
    """Words to speakers and speakers to utterances.

    ``alpha_ovlp``: least share of a word that a speaker segment must cover.
    ``beta_sil``: silence in seconds that ends an utterance of one speaker.
    ``max_seconds``: an utterance longer than this is split at its longest pause.
    """

    alpha_ovlp: float = Field(0.3, ge=0, le=1)
    beta_sil: float = Field(0.8, gt=0)
    max_seconds: float = Field(30.0, gt=1)


class EmotionConfig(_Settings):
    """How utterances sound to a model: ``backend`` names one for emotions, ``events`` one for laughter,
    applause and the like; "none" leaves them empty."""

    backend: str = "none"
    events: str = "none"


class AcousticsConfig(_Settings):
    """Measurements per utterance. ``pitch`` names a backend or "none"."""

    pitch: str = "swift_f0"


class GraphConfig(_Settings):
    """Edges. ``reply_window`` is the paper's Δt in seconds."""

    reply_window: float = Field(5.0, gt=0)


class EmbeddingConfig(_Settings):
    """Dense text encoder: "auto" takes the preferred one that loads (e5, then use)."""

    backend: str = "auto"


class ModelsConfig(_Settings):
    """Where weights come from and where they run.

    ``folder``: people's own copies, one folder per model. ``hub``: "auto" asks each model's own hub first.
    ``offline``: the network is never used. ``device``: "auto" (a GPU when there is one), "cpu", "cuda" or
    "cuda:1". ``idle_minutes``: a model that nothing used for so long is unloaded.
    """

    folder: Path | None = None
    hub: Literal["auto", "huggingface", "modelscope"] = "auto"
    offline: bool = False
    device: str = "auto"
    idle_minutes: float = Field(10.0, gt=0)

    def source(self) -> ModelSource:
        """Return these settings as the plain value that backends take."""
        return ModelSource(folder=self.folder, hub=self.hub, offline=self.offline, device=self.device)


class AgentConfig(_Settings):
    """The loop (paper, appendix H)."""

    policy: str = "offline"
    tau: float = Field(4.0, ge=1, le=5)
    beta: float = Field(0.5, ge=0)
    k_max: int = Field(5, ge=1)


class LlmConfig(_Settings):
    """A language model behind an OpenAI-compatible address, for the policy "llm".

    ``model`` None takes the only one that the server offers. ``timeout`` in seconds per try;
    ``retries`` more tries after a busy or failing server. ``context_tokens`` is what the model reads
    and writes at most, ``max_tokens`` what it writes, ``evidence_tokens`` what it gets of the
    transcript per call. ``structured``: how the reply's JSON schema is given; "auto" tries the server's
    ``json_schema`` first. ``audio``: whether the model hears; "auto" finds out once. ``audio_seconds``:
    longest piece of recording sent. ``speech_space``: folder of the speech-text space that the system
    "audio_rag" searches with. Prices are per 1,000 tokens, in any currency.
    """

    base_url: str | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    timeout: float = Field(120.0, gt=0)
    retries: int = Field(2, ge=0, le=10)
    max_concurrency: int = Field(4, ge=1)
    context_tokens: int = Field(16_384, ge=2_048)
    max_tokens: int = Field(2_048, ge=128)
    evidence_tokens: int = Field(4_000, ge=256)
    structured: Literal["auto", "json_schema", "prompt"] = "auto"
    audio: Literal["auto", "on", "off"] = "auto"
    audio_seconds: float = Field(30.0, gt=0, le=600)
    speech_space: Path | None = None
    cache: bool = True
    price_in: float | None = Field(None, ge=0)
    price_out: float | None = Field(None, ge=0)


class UiConfig(_Settings):
    """The app. ``visitor_models``: whether visitors may name a model server that this machine then calls.

    "auto" allows it only while the app listens to this machine alone: on a public host, anybody could
    reach what only the host can. ``auth`` lists "user:password" pairs; without any, everybody may come in.
    """

    visitor_models: Literal["auto", "on", "off"] = "auto"
    auth: tuple[SecretStr, ...] = ()

    @field_validator("auth", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        """Take the environment's one text: pairs separated by commas."""
        return _listed(value) if isinstance(value, str) else value

    @field_validator("auth")
    @classmethod
    def _pairs(cls, pairs: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if not all(all(pair.get_secret_value().partition(":")) for pair in pairs):
            raise ValueError('each entry must read "user:password"')
        return pairs


class BackupConfig(_Settings):
    """Copies of people's work (verdicts, scores), whose disk may be wiped (a Space's is, at each restart).

    ``folder``: any folder. ``dataset``: a private dataset on the Hugging Face Hub, "name/of-it"; needs
    HF_TOKEN. ``minutes`` between copies. What is missing at the start is fetched from there.
    """

    folder: Path | None = None
    dataset: str | None = None
    minutes: float = Field(5.0, gt=0)


class Config(_Settings):
    """All settings. ``home`` holds meetings, jobs and history.

    ``profile``: which backends the speech stages take where nothing else is said (``PROFILES``).
    ``database_url``: a PostgreSQL server instead of the file in ``home``; also read from DATABASE_URL.
    """

    home: Path = Path(".grga")
    profile: Profile = "embedded"
    database_url: SecretStr | None = None
    backup: BackupConfig = BackupConfig()
    preprocess: PreprocessConfig = PreprocessConfig()
    vad: VadConfig = VadConfig()
    asr: AsrConfig = AsrConfig()
    alignment: AlignmentConfig = AlignmentConfig()
    diarization: DiarizationConfig = DiarizationConfig()
    utterances: UtteranceConfig = UtteranceConfig()
    emotion: EmotionConfig = EmotionConfig()
    acoustics: AcousticsConfig = AcousticsConfig()
    graph: GraphConfig = GraphConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    models: ModelsConfig = ModelsConfig()
    agent: AgentConfig = AgentConfig()
    llm: LlmConfig = LlmConfig()
    ui: UiConfig = UiConfig()


def load_config(
    path: Path | None = None,
    *,
    environment: dict[str, str] | None = None,
    overrides: dict[str, Any] | None = None,
) -> Config:
    """Return the settings from ``path`` (TOML), then the environment, then ``overrides``.

    Args:
        path: A TOML file; None reads ``grga.toml`` in the working directory if there is one.
        environment: Variables to read; None takes the process's own.
        overrides: Nested values from the command line; None values are ignored.

    Raises:
        ConfigError: an unreadable file, an unknown key or a value out of range.
    """
    values: dict[str, Any] = {}
    file = path or Path("grga.toml")
    if path is not None or file.is_file():
        values = _read_toml(file)
    _merge(values, _from_environment(os.environ if environment is None else environment))
    _merge(values, overrides or {})
    values = _profiled(values)
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_first_problem(error), fix="correct or remove this setting") from None


def _profiled(values: dict[str, Any]) -> dict[str, Any]:
    """Put the chosen profile's backends beneath ``values``; an unknown profile is left to be refused."""
    beneath = copy.deepcopy(PROFILES.get(str(values.get("profile")), {}))
    _merge(beneath, values)
    return beneath


def _listed(text: str) -> list[str]:
    """Split at commas, as the environment's one text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise ConfigError(f"the settings file {file} cannot be read", fix="check its path") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", fix="correct that line") from None


def _from_environment(environment: Any) -> dict[str, Any]:
    """Turn ``GRGA_ASR__BEAM_SIZE=5`` into ``{"asr": {"beam_size": "5"}}``."""
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if name == "DATABASE_URL":  # the name that hosts of databases give it
            values.setdefault("database_url", text)
        if not name.startswith(ENV_PREFIX):
            continue
        *groups, key = name.removeprefix(ENV_PREFIX).lower().split("__")
        place = values
        for group in groups:
            place = place.setdefault(group, {})
        place[key] = text
    return values


def _merge(into: dict[str, Any], extra: dict[str, Any]) -> None:
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(into.setdefault(key, {}), dict):
            _merge(into[key], value)
        elif value is not None:
            into[key] = value


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown setting {place!r}"
    why = problem["msg"].lower().removeprefix("value error, ")
    if place.startswith(SECRET):
        return f"setting {place!r} cannot be used: {why}"
    return f"setting {place!r} has the value {problem['input']!r}, but {why}"
