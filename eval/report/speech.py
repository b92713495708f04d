"""Tables of what was misheard, in the shape of the paper's Table 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TypeVar

from eval.report.paper import LABEL, reported
from eval.report.tables import Table, interval, number
from eval.speech.der import SCORINGS, Scoring, SpeakerErrors, speaker_errors
from eval.speech.reading import Said
from eval.speech.wer import Errors, character_errors, cp_errors, in_order, word_errors
from eval.stats import clustered
from grga.errors import EvaluationError
from grga.types import TimeSpan

Pair = tuple[str, list[Said], list[Said]]
"""A recording, what was said, what was heard."""
ALL = "all "
Counts = TypeVar("Counts", Errors, SpeakerErrors)


def word_table(pairs: Sequence[Pair], *, normalised: bool = True) -> Table | None:
    """Return WER, cpWER and CER per recording and in all; None where one side holds no words."""
    sides = ([one for pair in pairs for one in pair[1]], [one for pair in pairs for one in pair[2]])
    if not all(any(one.text for one in side) for side in sides):
        return None

    def words(pair: Pair) -> Errors:
        return word_errors(in_order(pair[1]), in_order(pair[2]), normalised=normalised)

    def characters(pair: Pair) -> Errors:
        return character_errors(in_order(pair[1]), in_order(pair[2]), normalised=normalised)

    def speakers(pair: Pair) -> Errors:
        return cp_errors(pair[1], pair[2], normalised=normalised)

    measured = (_with_sum(pairs, words), _with_sum(pairs, speakers), _with_sum(pairs, characters))
    rows = [
        (
            name,
            *(_rate(found, name) for found in measured),
            *map(str, (one.substitutions, one.deletions, one.insertions, one.length)),
        )
        for name, one in measured[0].items()
    ]
    for name, values in reported()["table4_upstream_percent"].items():
        rows.append((f"{name} ({LABEL})", number(values["WER"]), *["–"] * 6))
    return Table(
        f"Words wrongly heard, per cent, {'normalised' if normalised else 'as written'}; counts of WER",
        ("Recording", "WER", "cpWER", "CER", "Substituted", "Deleted", "Inserted", "Words"),
        tuple(rows),
    )


def speaker_table(pairs: Sequence[Pair], scored: Mapping[str, Sequence[TimeSpan]] | None = None) -> Table:
    """Return the diarization error rate per recording and in all, strictly and with what is usually forgiven.

    Args:
        pairs: Recordings.
        scored: The stretches of each recording to look at; None takes everything.

    Raises:
        EvaluationError: ``scored`` leaves a recording out.
    """
    unknown = [name for name, _, _ in pairs if scored is not None and name not in scored]
    if unknown:
        raise EvaluationError(
            f"the UEM file does not say what to score of {', '.join(unknown)}",
            found=", ".join(scored or ()) or "no recordings",
        )

    def measured_by(how: Scoring) -> dict[str, SpeakerErrors]:
        return _with_sum(
            pairs, lambda pair: speaker_errors(pair[1], pair[2], how, (scored or {}).get(pair[0]))
        )

    measured = [measured_by(how) for how in SCORINGS]
    rows = [
        (
            name,
            *(_rate(found, name) for found in measured),
            *(number(part, 1) for part in (one.missed, one.false_alarm, one.confusion, one.speech)),
        )
        for name, one in measured[0].items()
    ]
    for name, values in reported()["table4_upstream_percent"].items():
        rates = (number(values["DER_collar0"]), number(values["DER_collar0.25"]))
        rows.append((f"{name} ({LABEL})", *rates, *["–"] * 5))
    return Table(
        "Diarization error rate, per cent; parts in seconds without collar",
        ("Recording", *map(str, SCORINGS), "Missed", "False alarm", "Confused", "Speech"),
        tuple(rows),
    )


def _with_sum(pairs: Sequence[Pair], measure: Callable[[Pair], Counts]) -> dict[str, Counts]:
    found = {pair[0]: measure(pair) for pair in pairs}
    return {**found, f"{ALL}{len(found)}": reduce(add, found.values())} if len(found) > 1 else found


def _rate(found: Mapping[str, Counts], name: str) -> str:
    """Return a rate in per cent; of all recordings, with the interval that draws recordings anew."""
    rate = found[name].rate
    if rate is None or not name.startswith(ALL):
        return number(None if rate is None else 100 * rate)
    single = [[one] for label, one in found.items() if label != name and one.rate is not None]
    drawn = clustered(single, lambda some: reduce(add, some).rate or 0.0)
    return interval(100 * rate, 100 * drawn.low, 100 * drawn.high)
