"""Which models judge: named on the command line, or in a TOML file with one ``[[judge]]`` table each."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from eval.scorers.judge import Judge
from grga.config import Config, LlmConfig
from grga.errors import EvaluationError
from grga.llm import connect


def judges_of(config: Config, named: Sequence[str] = (), file: Path | None = None) -> list[Judge]:
    """Return the judges, ready to be asked; without any name or file, the model of the settings.

    Args:
        config: Settings; its home keeps replies, its key goes to its own address and to no other.
        named: ``MODEL@ADDRESS`` each.
        file: TOML whose ``[[judge]]`` tables hold the settings of ``[llm]``.

    Raises:
        EvaluationError: a name or the file cannot be used.
        ConfigError: no address is set.
        ModelServerError: a judge without a model's name does not answer.
    """
    settings = [_named(text, config.llm) for text in named] + (_read(file) if file else [])
    clients = [connect(one, config.home) for one in settings or [config.llm]]
    names = Counter(client.model for client in clients)
    judges = [
        Judge(client.model if names[client.model] == 1 else f"{client.model}@{client.address}", client)
        for client in clients
    ]
    if len({judge.name for judge in judges}) < len(judges):
        raise EvaluationError("the same judge is named twice", fix="name each once")
    return judges


def _named(text: str, llm: LlmConfig) -> LlmConfig:
    model, at, address = text.rpartition("@")
    if not at or not model or not address.startswith(("http://", "https://")):
        raise EvaluationError(f"{text!r} names no judge", expected="MODEL@http://…/v1")
    own = (llm.base_url or "").rstrip("/") == address.rstrip("/")
    return llm.model_copy(
        update={"model": model, "base_url": address, "api_key": llm.api_key if own else None}
    )


def _read(file: Path) -> list[LlmConfig]:
    try:
        return [LlmConfig.model_validate(one) for one in tomllib.loads(file.read_text("utf-8"))["judge"]]
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EvaluationError(
            f"a judge in {file.name} has a wrong setting: {place}: {first['msg']}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise EvaluationError(
            f"the judges in {file} cannot be read: {error}",
            expected="[[judge]] tables with base_url and model",
        ) from None
