"""What does "verified" mean? How often GRGA offline calls an answer verified that should not be.

Questions about AMI meetings (QMSum, train and validation splits) are asked of the meeting they were written
for, of another meeting, and questions about other domains of all. An answer is right when at least one
citation overlaps an annotated span (within 2 s). The AMI meetings share one scenario, so a question about
another of them can often be answered here as well ("What did they think of the buttons?"): the other domains
show best whether unrelated questions are refused.

    python -m benchmarks.verified                 meetings drawn by seed 3, never those of qmsum_citations
    python -m benchmarks.verified --seed 7        others
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.qmsum_citations import DATA, TOLERANCE, KeptVectors, draw, load
from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Reflection
from grga.embedding import load_text_encoder
from grga.types import TimeSpan

OTHER_MEETINGS = 3
"""Questions taken from each other meeting."""

Rows = dict[str, Counter[str]]


def outcome(trace: AgentTrace) -> str:
    """Return how the answer ended: "verified", "unverified" or "does not say"."""
    if not trace.answer.found:
        return "does not say"
    return "verified" if trace.answer.verified else "unverified"


def is_right(trace: AgentTrace, gold: list[TimeSpan]) -> bool:
    """Return whether a citation lies where people marked the evidence."""
    wide = [span.widened(TOLERANCE) for span in gold]
    return any(citation.span.touches(span) for citation in trace.answer.citations for span in wide)


def table(rows: Rows) -> str:
    """Return one line per kind of question with the share of each outcome."""
    endings = ("verified", "unverified", "does not say")
    head = f"{'question':<42}{'n':>5}" + "".join(f"{name:>14}" for name in endings)
    lines = [head, "-" * len(head)]
    for name, counts in rows.items():
        total = sum(counts.values())
        shares = "".join(f"{counts[ending] / total:>14.0%}" if total else f"{'-':>14}" for ending in endings)
        lines.append(f"{name:<42}{total:>5}{shares}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cache", type=Path, default=Path(".cache") / "qmsum_vectors")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--count", type=int, default=6, help="how many meetings to draw")
    parser.add_argument("--verbose", action="store_true", help="one line per question")
    options = parser.parse_args()
    if options.seed == 0 or not options.data.is_file():
        print("give another seed than 0 and the meetings' place with --data", file=sys.stderr)
        return 1
    with gzip.open(options.data, "rt", encoding="utf-8") as lines:
        by_name = {record["meeting"]: record for record in map(json.loads, lines)}
    names = draw(list(by_name.values()), options.seed, options.count)
    encoder, answerer = KeptVectors(load_text_encoder(), options.cache), make_answerer()
    foreign = [
        (query["query"], [])
        for file in sorted((options.data.parent / "other_domains").glob("*.json"))
        for query in json.loads(file.read_text(encoding="utf-8"))["specific_query_list"]
    ]
    asked = {
        name: [
            (query["query"], [TimeSpan(start, end) for start, end in query["time_spans"]])
            for query in by_name[name]["specific_queries"]
        ]
        for name in names
    }
    own_right, own_wrong = "its own, right citation", "its own, wrong or no citation"
    near, far = "another meeting's, same scenario", "another domain's"
    rows: Rows = {kind: Counter() for kind in (own_right, own_wrong, near, far)}
    for name in names:
        meeting = load(options.data, name, encoder)
        others = [one for other in names if other != name for one in asked[other][:OTHER_MEETINGS]]
        for group, questions in (("own", asked[name]), (near, others), (far, foreign)):
            for question, gold in questions:
                trace = AgentTrace.collect(answerer.answer(question, meeting))
                kind = group if group != "own" else own_right if is_right(trace, gold) else own_wrong
                rows[kind][outcome(trace)] += 1
                if options.verbose:
                    last = next((one for one in reversed(trace.steps) if isinstance(one, Reflection)), None)
                    print(f"{kind} | {outcome(trace)} | {question} | {last.critique if last else ''}")
    print(f"meetings {', '.join(names)}; text encoder {encoder.name}\n")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
