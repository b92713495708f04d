"""Do the citations lie where people marked the evidence? GRGA offline and Text RAG side by side.

Thirty specific questions about five AMI meetings (QMSum, train and validation splits only), drawn by a
fixed seed. A citation is right when it overlaps an annotated span widened by 2 s; precision = right
citations / citations (none = 0), recall = spans touched / spans, F1 from the two means. Spans are
minutes long, so the time-weighted figures (seconds of overlap) stand beside them.

    python -m benchmarks.qmsum_citations                      the thirty questions
    python -m benchmarks.qmsum_citations --seed 3             thirty others, for development

Vectors are kept in --cache, so that a second run takes seconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from eval.vectors import KeptVectors
from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Answerer
from grga.embedding import load_text_encoder
from grga.ingest import index_in_memory
from grga.speech.transcripts import read_transcript
from grga.store import IndexedMeeting
from grga.types import Meeting, TimeSpan

TOLERANCE = 2.0
QUESTIONS_PER_MEETING = 6
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "qmsum" / "product_timed.jsonl.gz"


@dataclass(frozen=True)
class Result:
    """One question's scores; ``time_precision`` and ``time_recall`` weigh by seconds."""

    precision: float
    recall: float
    time_precision: float
    time_recall: float
    citations: int
    seconds: float


def draw(records: list[dict[str, Any]], seed: int, count: int) -> list[str]:
    """Return the names of ``count`` meetings with enough questions, by the seed alone."""
    names = sorted(
        record["meeting"] for record in records if len(record["specific_queries"]) >= QUESTIONS_PER_MEETING
    )
    if seed == 0:
        return random.Random(0).sample(names, count)
    held_out = set(draw(records, 0, 5))
    return random.Random(seed).sample([name for name in names if name not in held_out], count)


def load(data: Path, name: str, encoder: KeptVectors) -> IndexedMeeting:
    """Index one meeting of the collection in memory."""
    read = read_transcript(data, meeting=name)
    meeting = Meeting(name, name, read.duration, read.utterances, read.speakers, read.language)
    return index_in_memory(meeting, encoder=encoder)


def ask(answerer: Answerer, question: str, meeting: IndexedMeeting, gold: list[TimeSpan]) -> Result:
    """Ask one question and score its citations."""
    began = perf_counter()
    answer = AgentTrace.collect(answerer.answer(question, meeting)).answer
    seconds = perf_counter() - began
    cited = [citation.span for citation in answer.citations]
    wide = [span.widened(TOLERANCE) for span in gold]
    right = [any(span.touches(other) for other in wide) for span in cited]
    touched = [any(span.touches(other) for other in cited) for span in wide]
    shared = sum(max((span.overlap(other) for other in gold), default=0.0) for span in cited)
    cited_seconds, gold_seconds = sum(span.duration for span in cited), sum(span.duration for span in gold)
    return Result(
        precision=sum(right) / len(cited) if cited else 0.0,
        recall=sum(touched) / len(gold),
        time_precision=shared / cited_seconds if cited_seconds else 0.0,
        time_recall=min(1.0, shared / gold_seconds) if gold_seconds else 0.0,
        citations=len(cited),
        seconds=seconds,
    )


def table(results: dict[str, list[Result]]) -> str:
    """Return one line per system."""
    head = f"{'system':<10}{'P':>7}{'R':>7}{'F1':>7}{'hit':>7}{'time P':>8}{'time R':>8}{'cited':>7}{'median s':>10}"
    lines = [head, "-" * len(head)]
    for name, scores in results.items():
        precision = statistics.fmean(one.precision for one in scores)
        recall = statistics.fmean(one.recall for one in scores)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        lines.append(
            f"{name:<10}{precision:>7.3f}{recall:>7.3f}{f1:>7.3f}"
            f"{statistics.fmean(one.recall > 0 for one in scores):>7.2f}"
            f"{statistics.fmean(one.time_precision for one in scores):>8.3f}"
            f"{statistics.fmean(one.time_recall for one in scores):>8.3f}"
            f"{statistics.fmean(one.citations for one in scores):>7.1f}"
            f"{statistics.median(one.seconds for one in scores):>10.3f}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cache", type=Path, default=Path(".cache") / "qmsum_vectors")
    parser.add_argument("--seed", type=int, default=0, help="0: the thirty; others: never those meetings")
    parser.add_argument("--count", type=int, default=5, help="how many meetings to draw")
    parser.add_argument("--meetings", nargs="*", help="these meetings instead of drawn ones")
    parser.add_argument("--systems", nargs="*", default=["grga", "text_rag"])
    parser.add_argument("--verbose", action="store_true", help="one line per question")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"no meetings at {options.data}: give their place with --data", file=sys.stderr)
        return 1
    with gzip.open(options.data, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    names = options.meetings or draw(records, options.seed, options.count)
    by_name = {record["meeting"]: record for record in records}
    results: dict[str, list[Result]] = {}
    for system in options.systems:
        # Encoders remember questions: each system gets its own, so that none is served by another's work.
        encoder = KeptVectors(load_text_encoder(), options.cache)
        answerer = make_answerer(system)
        results[system] = []
        for name in names:
            meeting = load(options.data, name, encoder)
            # The first question may load word lists or encode units: not the usual speed.
            AgentTrace.collect(answerer.answer("What is this about?", meeting))
            for query in by_name[name]["specific_queries"][:QUESTIONS_PER_MEETING]:
                gold = [TimeSpan(start, end) for start, end in query["time_spans"]]
                result = ask(answerer, query["query"], meeting, gold)
                results[system].append(result)
                if options.verbose:
                    print(
                        f"{system:<9}{name:<9}P {result.precision:.2f} R {result.recall:.2f} "
                        f"n {result.citations:<3}{result.seconds:.2f} s  {query['query']}"
                    )
    total = len(next(iter(results.values())))
    print(f"{total} questions about {', '.join(names)}; text encoder {encoder.name}\n")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
