"""What a question costs with a model: GRGA beside the whole transcript as context, on one long meeting.

    python -m benchmarks.llm_cost                                        replayed replies
    python -m benchmarks.llm_cost --base-url http://host:8000/v1 --model NAME

Prints seconds and tokens per phase, the ratio of the tokens sent, and what the same questions cost again.
Both systems' tokens are counted by the same estimate, so the ratio does not depend on the server.

Without a server a scripted one replays a model that needs two rounds for every question: the prompts and
their sizes are real, the seconds hold no model's work, and the answers mean nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.indexing import DATA, one_long_meeting, read_meetings
from grga.agent import make_answerer
from grga.agent.steps import AgentTrace, Observation
from grga.config import LlmConfig
from grga.ingest import index_in_memory
from grga.llm.cache import ReplyCache
from grga.llm.client import ChatClient, Message, Reply
from grga.llm.usage import estimate_tokens
from grga.store import IndexedMeeting
from grga.types import Answer, Meeting, Speaker

SERVER = Path(__file__).resolve().parents[1] / "tests" / "grga" / "llm" / "scripted_server.py"
QUESTIONS = (
    (
        "What did they decide about the buttons of the remote control?",
        ("decide buttons", "fewer buttons agree"),
    ),
    ("Why did the project manager speak about the budget?", ("budget cost", "production price euro")),
    ("Who suggested speech recognition?", ("speech recognition", "voice control suggest")),
    ("How did the group talk about the target market?", ("target market", "young people age")),
)
PHASES = ("decompose", "plan", "execute", "synthesize", "reflect")
EVERYTHING = 200_000


@dataclass
class CountingClient(ChatClient):
    """Counts what is sent, by our own estimate."""

    sent: list[int] = field(default_factory=list)

    def complete(self, messages: Sequence[Message], **more: Any) -> Reply:
        self.sent.append(sum(estimate_tokens(str(message["content"])) for message in messages))
        return super().complete(messages, **more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base-url", help="an OpenAI-compatible server; none replays")
    parser.add_argument("--model", help="its model")
    parser.add_argument("--utterances", type=int, default=900)
    parser.add_argument("--encoder", default="use", help="text encoder of the index")
    options = parser.parse_args()
    if not DATA.is_file():
        sys.exit(f"no real meetings at {DATA}: nothing to measure")
    meeting = indexed(options.utterances, options.encoder)
    print(f"{len(meeting.meeting.utterances)} utterances, {meeting.meeting.duration / 60:.0f} min")
    with tempfile.TemporaryDirectory() as home, server(options.base_url) as address:
        settings = LlmConfig(base_url=address, model=options.model or "scripted", context_tokens=EVERYTHING)

        def run(system: str) -> tuple[list[AgentTrace], int]:
            client = CountingClient(settings, ReplyCache(Path(home)))
            answerer = make_answerer(system, policy="llm", client=client)
            traces = [AgentTrace.collect(answerer.answer(text, meeting)) for text, _ in QUESTIONS]
            return traces, sum(client.sent)

        first, ours = run("grga")
        again, ours_again = run("grga")
        whole, theirs = run("transcript_context")
    print_phases(first)
    count = len(QUESTIONS)
    print(
        f"\ntokens sent per question (estimated): GRGA {ours / count:.0f}, whole transcript {theirs / count:.0f}"
    )
    print(f"ratio GRGA / whole transcript: {ours / theirs:.2f}")
    hits = sum(trace.answer.cost.cache_hits for trace in again)
    calls = sum(trace.answer.cost.llm_calls for trace in again)
    print(f"the same questions again: {calls} calls, {ours_again} tokens, {hits} replies from the cache")
    print(f"seconds per question: GRGA {mean_seconds(first):.2f}, whole transcript {mean_seconds(whole):.2f}")


def indexed(size: int, encoder: str) -> IndexedMeeting:
    from grga.embedding import load_text_encoder

    spoken = one_long_meeting(list(read_meetings()), size)
    names = sorted({one.speaker for one in spoken})
    meeting = Meeting("bench", "Meeting", spoken[-1].end, spoken, tuple(Speaker(n, n) for n in names), "en")
    return index_in_memory(meeting, encoder=load_text_encoder(encoder))


def print_phases(traces: list[AgentTrace]) -> None:
    seconds: dict[str, float] = defaultdict(float)
    tokens: dict[str, list[int]] = {phase: [0, 0, 0] for phase in PHASES}
    names = {
        "decomposition": "decompose",
        "observation": "execute",
        "draft": "synthesize",
        "reflection": "reflect",
    }
    for trace in traces:
        for phase, spent in trace.answer.cost.phases.items():
            seconds[phase] += spent
        for step in trace.steps:
            if isinstance(step, Answer):
                continue
            kind = type(step).__name__.lower()
            row = tokens[names.get(kind, kind)]
            for place, value in enumerate((step.tokens.calls, step.tokens.prompt, step.tokens.completion)):
                row[place] += value
    count = len(traces)
    rounds = sum(trace.rounds for trace in traces) / count
    tools = sum(isinstance(step, Observation) for trace in traces for step in trace.steps) / count
    print(f"per question: {rounds:.1f} rounds, {tools:.1f} tool calls\n")
    print(f"{'phase':<12} {'seconds':>8} {'calls':>6} {'read':>8} {'written':>8}   (as the server counts)")
    for phase in PHASES:
        calls, read, written = (value / count for value in tokens[phase])
        print(f"{phase:<12} {seconds[phase] / count:>8.3f} {calls:>6.1f} {read:>8.0f} {written:>8.0f}")


def mean_seconds(traces: list[AgentTrace]) -> float:
    return sum(trace.answer.cost.seconds for trace in traces) / len(traces)


@contextmanager
def server(address: str | None) -> Iterator[str]:
    """Give the address, or that of a scripted server which lives as long as the block."""
    if address:
        yield address
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as script:
        json.dump({"replies": replayed()}, script)
        script.flush()
        process = subprocess.Popen(
            [sys.executable, str(SERVER), script.name], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().split()[1]}/v1"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def replayed() -> dict[str, list[Any]]:
    """Return the replies of a model that searches, is not content, walks from what it found, and is."""
    empty: dict[str, Any] = {name: [] for name in ("entities", "concepts", "times", "speakers", "acoustic")}
    kinds = {"question_type": "factual", "subtask": "attribute", "form": "what", "language": "en"}
    plans: list[Any] = []
    for text, (words, other) in QUESTIONS:
        search = {"query": text, "limit": 10, "alpha": 0.6}
        first = [
            {"tool": "hybrid_search", "arguments": search, "result": "r1"},
            {"tool": "keyword_search", "arguments": {"query": words, "limit": 10}, "result": "r2"},
        ]
        walk = {"nodes": "r1", "depth": 1, "relations": ["temporal", "reply_to", "entity"], "limit": 20}
        second = [
            {"tool": "semantic_search", "arguments": {"query": other, "limit": 10}, "result": "r3"},
            {"tool": "traverse_relations", "arguments": walk, "result": "r4"},
        ]
        plans += [{"goal": words, "calls": first}, {"goal": other, "calls": second}]
    answer = {"found": False, "sentences": []}
    reject = {"critique": "It does not answer.", "score": 2, "missing": ["the reason"], "weak": []}
    accept = {"critique": "It is supported.", "score": 5, "missing": [], "weak": []}
    return {
        "decompose": [{**empty, **kinds}],
        "plan": plans,
        "answer": [answer],
        "reflection": [reject, accept] * len(QUESTIONS),
    }


if __name__ == "__main__":
    main()
