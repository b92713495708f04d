"""Does GRGA offline answer the questions that are made from the measurements? Its own self-test.

Questions are generated offline from the bundled samples and, where they are at hand, from AMI meetings
(QMSum's timed transcripts and NXT) and from a real AMI recording's transcript. Each has an answer key: a
number, a length, a moment, a person, an utterance. Answers are compared with it exactly; nothing is judged
by a model.

    python -m benchmarks.generated_questions                       all meetings, seed 0
    python -m benchmarks.generated_questions --seed 5 --verbose    others, with a line per wrong answer
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from annotation.generation.keys import judge
from annotation.generation.offline import generate_offline
from annotation.schema import QAItem
from eval.vectors import KeptVectors
from grga import samples
from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, QuestionType
from grga.embedding import load_text_encoder
from grga.ingest import index_in_memory
from grga.speech.transcripts import read_transcript
from grga.store import IndexedMeeting, Store
from grga.types import Meeting

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TIMED = ("ES2002a", "ES2003a", "ES2003b", "IS1004a", "TS3005d")
NXT = ("ES2003a", "ES2004a", "IS1004a", "TS3004a")

Rows = dict[tuple[str, str], list[bool]]


def meetings(data: Path, cache: Path, wanted: list[str] | None) -> Iterator[tuple[str, IndexedMeeting]]:
    """Yield the samples and whatever real meetings are there."""
    with tempfile.TemporaryDirectory() as home:
        store = Store(Path(home))
        for id in samples.install(store):
            if not wanted or any(name in id for name in wanted):
                yield id.rsplit("-", 1)[0], store.load(id)
    encoder = KeptVectors(load_text_encoder(), cache)
    real = [(f"QMSum {name}", data / "qmsum" / "timed" / f"{name}.json", None) for name in TIMED]
    real += [(f"AMI {name}", data / "ami" / "nxt", name) for name in NXT]
    for title, source, meeting in real:
        if source.exists() and (not wanted or any(name in title for name in wanted)):
            read = read_transcript(source, meeting=meeting)
            made = Meeting(
                title.replace(" ", "-"), title, read.duration, read.utterances, read.speakers, read.language
            )
            yield title, index_in_memory(made, encoder=encoder)


def ask(meeting: IndexedMeeting, items: list[QAItem], rows: Rows, *, verbose: bool) -> None:
    """Ask the items and add what came out to ``rows``."""
    answerer = make_answerer()
    for item in items:
        answer = AgentTrace.collect(answerer.answer(item.question, meeting)).answer
        hit = bool({one.utterance for one in answer.citations} & set(item.evidence_nodes))
        rows[item.type, "evidence cited"].append(hit)
        if item.answer_key is None:
            continue
        verdict = judge(item.answer_key, answer, meeting.meeting)
        rows[item.type, item.subtask].append(verdict.right)
        if verbose and not verdict.right:
            print(f"  {item.subtask}: {item.question}\n    expected {item.answer}")
            print(f"    got ({verdict.got}) {answer.text[:300]}")


def table(rows: Rows) -> str:
    """Return one line per subtask."""
    lines = [f"{'type':<15}{'subtask':<38}{'right':>7}{'of':>6}{'share':>8}", "-" * 74]
    for (kind, subtask), right in sorted(rows.items(), key=lambda row: (row[0][0], row[0][1] > "e", row[0])):
        share = f"{sum(right) / len(right):>8.1%}"
        lines.append(f"{kind:<15}{subtask:<38}{sum(right):>7}{len(right):>6}{share}")
    exact = [one for (_, subtask), right in rows.items() if subtask != "evidence cited" for one in right]
    lines.append(f"{'all':<53}{sum(exact):>7}{len(exact):>6}{sum(exact) / max(len(exact), 1):>8.1%}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cache", type=Path, default=Path(".cache") / "qmsum_vectors")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=12, help="questions of each type and meeting")
    parser.add_argument("--meetings", nargs="*", help="only those whose name holds one of these")
    parser.add_argument("--types", nargs="*", type=QuestionType, default=list(QuestionType))
    parser.add_argument("--verbose", action="store_true", help="show every wrong answer")
    options = parser.parse_args()
    rows: Rows = defaultdict(list)
    for title, meeting in meetings(options.data, options.cache, options.meetings):
        made = generate_offline(meeting, dict.fromkeys(options.types, options.count), seed=options.seed)
        counts = {kind: sum(item.type is kind for item in made.items) for kind in options.types}
        shown = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        print(f"{title}: {len(made.items)} questions ({shown})", flush=True)
        ask(meeting, made.items, rows, verbose=options.verbose)
    print(f"\nGRGA offline against the answer keys, seed {options.seed}\n{table(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
