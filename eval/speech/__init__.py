"""How well recordings were heard: word, character and diarization errors. Counts are kept and added; rates
are derived last.

The measuring itself is done by jiwer, meeteval and pyannote.metrics, which come with the extra ``eval``.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from grga.errors import EvaluationError


def measuring(module: str) -> ModuleType:
    """Return a module of the packages that measure.

    Raises:
        EvaluationError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise EvaluationError(
            f"the package {(error.name or module).partition('.')[0]} is not installed",
            fix='install what measuring needs: pip install "grga[eval]"',
        ) from None
