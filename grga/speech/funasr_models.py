"""Loading models through FunASR: from a folder, never from its own hub, and without its chatter."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from grga.errors import ModelError

THREADS = 2

Result = TypeVar("Result")


def load_funasr(folder: Path, device: str, options: Mapping[str, Any] | None = None) -> Any:
    """Return FunASR's ``AutoModel`` of the model in ``folder``.

    Args:
        folder: As the hub lays it out: ``config.yaml`` (or ``configuration.json``), weights, tokens.
        device: A torch device: "cpu", "cuda:0".
        options: What replaces the folder's own configuration.

    Raises:
        ModelError: FunASR is not installed, or cannot load what lies there.
    """
    settings = {"model": str(folder), **(options or {})}
    try:
        with quiet():
            from funasr import AutoModel

            return AutoModel(
                device=device,
                ncpu=THREADS,
                disable_update=True,
                disable_pbar=True,
                disable_log=True,
                log_level="ERROR",
                **settings,
            )
    except ImportError as error:
        raise ModelError(f"FunASR cannot be used: {error}", fix="pip install 'grga[full]'") from error
    # Configuration, weights and tokens of somebody else: whatever is wrong with them ends here.
    except Exception as error:
        raise ModelError(
            f"the model in {folder} cannot be loaded: {first_line(error)}",
            fix="get it again with `python -m grga models fetch`",
        ) from error


def run_funasr(work: Callable[[], Result], what: str) -> Result:
    """Let a FunASR model work, without its chatter.

    Args:
        work: Calls the model.
        what: Names the model in the sentence about a failure.

    Raises:
        ModelError: it failed.
    """
    try:
        with quiet():
            return work()
    except Exception as error:
        raise ModelError(
            f"{what} failed: {first_line(error)}", fix="look at the log, or choose another"
        ) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, or its kind where it has none."""
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep prints, warnings and log lines of a library to itself, and the root logger as it was."""
    root, out = logging.getLogger(), io.StringIO()
    level, handlers, disabled = root.level, list(root.handlers), logging.root.manager.disable
    stdout, stderr = sys.stdout, sys.stderr
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        root.setLevel(level)
        root.handlers[:] = handlers
        sys.stdout, sys.stderr = stdout, stderr
