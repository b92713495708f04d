"""One family of errors, each one clear sentence: what happened, where, what to do."""

from __future__ import annotations


class GrgaError(Exception):
    """Anything that a person can understand and act on.

    Args:
        what: What happened, as one sentence without a final full stop.
        found: What was there, if it helps ("3 channels").
        expected: What would have been right ("1 channel").
        fix: What the person can do now.

    ``str(error)`` is one line, fit for a terminal or a web page (not yet HTML-escaped).
    """

    def __init__(
        self,
        what: str,
        *,
        found: object = None,
        expected: object = None,
        fix: str | None = None,
    ) -> None:
        self.what = what
        self.found = found
        self.expected = expected
        self.fix = fix
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        details = []
        if self.found is not None:
            details.append(f"found {self.found}")
        if self.expected is not None:
            details.append(f"expected {self.expected}")
        sentence = self.what.rstrip(".")
        if details:
            sentence += f" ({', '.join(details)})"
        return f"{sentence}: {self.fix}" if self.fix else sentence


class AudioError(GrgaError):
    """A recording that cannot be decoded or used."""


class TranscriptError(GrgaError):
    """A transcript file that cannot be read."""


class ConfigError(GrgaError):
    """A setting that does not exist or has a value out of range."""


class ModelError(GrgaError):
    """A model whose weights are missing, damaged or unknown."""


class ModelServerError(GrgaError):
    """A language model's server that is not there, refuses, fails, or answers with nothing usable."""


class StoreError(GrgaError):
    """A meeting that does not exist, or whose folder is damaged."""


class JobError(GrgaError):
    """A background job that cannot be started, cancelled or found."""


class QuestionError(GrgaError):
    """A question, scope or tool choice that cannot be used."""


class HistoryError(GrgaError):
    """An answer that is not kept, belongs to another visitor, or cannot be rated like this."""


class AnnotationError(GrgaError):
    """A question, verdict or file of questions that the annotation cannot take."""


class EvaluationError(GrgaError):
    """A corpus, run or score that cannot be used."""


class StudyError(GrgaError):
    """A human evaluation's study, link, task or score that cannot be used."""


def unknown_name(kind: str, name: str, known: list[str] | tuple[str, ...]) -> str:
    """Return the one sentence for a name that no table knows ("unknown vad backend 'x'")."""
    return f"unknown {kind} {name!r} (known: {', '.join(sorted(known))})"
