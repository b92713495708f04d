"""Graph, search and encoder speed on real meetings, as ratios side by side in one run.

    python -m benchmarks.indexing [--encoder]

Needs the meetings of ``../shared/data/qmsum``; they are put one after the other to reach each size.
Times are processor seconds unless said otherwise. The limits: the graph of 900 utterances in 0.2 s; eight times the utterances in at most twelve times the
time; a hybrid search over 900 utterances, question vector given, in about 2 ms.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from grga.graph.build import build_graph
from grga.graph.topics import find_topics
from grga.index.bm25 import BM25Index
from grga.index.dense import DenseIndex
from grga.index.fusion import hybrid, top
from grga.types import EdgeType, Hit, TimeSpan, Utterance

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "qmsum" / "product_timed.jsonl.gz"
SIZES = (900, 1800, 3600, 7200)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", action="store_true", help="also time the text encoder against its wheel")
    options = parser.parse_args()
    if not DATA.is_file():
        sys.exit(f"no real meetings at {DATA}: nothing to measure")
    meetings = list(read_meetings())
    print_graph(meetings)
    print_search(meetings)
    if options.encoder:
        print_encoder(meetings)


def read_meetings() -> Iterator[dict[str, Any]]:
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def one_long_meeting(meetings: list[dict[str, Any]], size: int) -> tuple[Utterance, ...]:
    """Return the first ``size`` turns of the meetings laid end to end, in time order."""
    rows: list[tuple[float, float, str, str]] = []
    offset = 0.0
    for meeting in meetings:
        for turn in meeting["turns"]:
            if turn["start"] is not None:
                start = offset + turn["start"]
                rows.append((start, max(start, offset + turn["end"]), turn["speaker"], turn["text"]))
        offset += meeting["duration_last_word"] + 60
        if len(rows) >= size:
            break
    return tuple(
        Utterance(index, speaker, TimeSpan(start, end), text)
        for index, (start, end, speaker, text) in enumerate(sorted(rows)[:size])
    )


def random_vectors(count: int, dimension: int = 384) -> np.ndarray:
    """Return unit vectors; their values do not change how much work the builders do."""
    rows = np.random.default_rng(0).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least processor time (of this thread) of several runs: other programs disturb it little."""
    times = []
    for _ in range(repeats):
        begin = time.thread_time()
        work()
        times.append(time.thread_time() - begin)
    return min(times)


def median_ms(questions: list[str], work: Callable[[str], object]) -> float:
    return statistics.median(seconds(partial(work, question), 3) for question in questions) * 1000


def print_graph(meetings: list[dict[str, Any]]) -> None:
    print(f"{'utterances':>10} {'graph s':>8} {'x 900':>6} {'topics s':>8} {'edges each':>10}  edges by type")
    first = 0.0
    for size in SIZES:
        spoken = one_long_meeting(meetings, size)
        vectors = random_vectors(size)
        begin = time.perf_counter()
        counts = build_graph(spoken, vectors=vectors).counts()
        cold = time.perf_counter() - begin
        warm = seconds(partial(build_graph, spoken, vectors=vectors))
        first = first or warm
        topics = seconds(partial(find_topics, spoken, vectors=vectors), 2)
        kinds = ", ".join(f"{kind} {counts[kind]}" for kind in EdgeType)
        each = sum(counts.values()) / size
        print(f"{size:>10} {warm:>8.3f} {warm / first:>6.1f} {topics:>8.3f} {each:>10.1f}  {kinds}")
        if size == SIZES[0]:
            print(f"{'':>10} {cold:>8.3f} in the first run of the process, with its imports")


def print_search(meetings: list[dict[str, Any]]) -> None:
    questions = [query["query"] for meeting in meetings[:8] for query in meeting["specific_queries"]][:50]
    print(
        f"\n{'utterances':>10} {'hybrid ms':>9} {'keyword ms':>10} {'dense ms':>9}  median of {len(questions)}"
    )
    vector = random_vectors(1)[0]
    for size in (SIZES[0], SIZES[-1]):
        keyword = BM25Index.build([utterance.text for utterance in one_long_meeting(meetings, size)])
        dense = DenseIndex.build(random_vectors(size))
        figures = (
            median_ms(questions, partial(search, keyword, dense, vector)),
            median_ms(questions, keyword.scores),
            seconds(partial(dense.scores, vector), 50) * 1000,
        )
        print(f"{size:>10} {figures[0]:>9.2f} {figures[1]:>10.2f} {figures[2]:>9.2f}")


def search(keyword: BM25Index, dense: DenseIndex, vector: np.ndarray, question: str) -> list[Hit]:
    return top(hybrid(keyword.scores(question), dense.scores(vector)), 20)


def print_encoder(meetings: list[dict[str, Any]], count: int = 200) -> None:
    from grga.embedding.e5 import E5Encoder, _wheel_engine

    spoken = one_long_meeting(meetings, 900)
    texts = list(dict.fromkeys(f"passage: {utterance.text}" for utterance in spoken))[:count]
    fast, wheel = E5Encoder()._encode, _wheel_engine()
    ours, theirs = fast(texts), wheel(texts)
    print(f"\ne5, {len(texts)} distinct utterances: seconds per 1,000 (processor seconds)")
    for name, encode in (("numpy", fast), ("wheel", wheel)):
        wall, processor = time.perf_counter(), time.process_time()
        encode(texts)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(f"{name:>10} {wall / len(texts) * 1000:>8.1f} ({processor / len(texts) * 1000:.1f})")
    print(f"{'':>10} least cosine between the two {(ours * theirs).sum(axis=1).min():.5f}")


if __name__ == "__main__":
    main()
