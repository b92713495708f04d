"""What a corpus is made of, in the shape of the paper's Table 2 and Figure 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from annotation.export.statistics import PAPER_TABLE_2, Statistics
from eval.corpora import Corpus, Size, Source
from eval.items import EvalItem
from eval.report.paper import LABEL
from eval.report.tables import Table, number
from grga.agent.steps import QuestionType
from grga.errors import EvaluationError
from grga.store import Store


def measure(
    corpus: Corpus, store: Store, *, limit: int | None = None, say: Callable[[str], None] = print
) -> Statistics:
    """Return the figures of a corpus; nothing is indexed.

    Args:
        corpus: Meetings, with or without questions.
        store: Where to look for meetings whose size only the store knows.
        limit: Only the first so many meetings.
        say: Told that there are no questions.

    Raises:
        EvaluationError: a meeting cannot be read.
    """
    sources = list(corpus.sources())[:limit]
    sizes = [_size(source, store) for source in sources]
    try:
        items: list[EvalItem] = corpus.items({source.name: source.name for source in sources})
    except EvaluationError as error:
        say(str(error))
        items = []
    types = Counter(one.type for one in items)
    subtasks = Counter(f"{one.type}: {one.subtask}" for one in items if one.subtask)
    seconds = sum(one.seconds for one in sizes)
    return Statistics(
        hours=seconds / 3600,
        mean_seconds=seconds / len(sizes) if sizes else 0.0,
        mean_turns=sum(one.turns for one in sizes) / len(sizes) if sizes else 0.0,
        qa=len(items),
        dialogues=len(sizes),
        types={kind.value: types[kind] for kind in QuestionType},
        subtasks=dict(sorted(subtasks.items())),
    )


def _size(source: Source, store: Store) -> Size:
    if source.size is not None:
        return source.size()
    meeting = store.folder(source.name).read_meeting()
    return Size(meeting.duration, len(meeting.utterances))


def table_2(name: str, found: Statistics) -> Table:
    """Return the figures beside the paper's, which are labelled."""
    rows = [(name, found), *((f"{corpus} ({LABEL})", one) for corpus, one in PAPER_TABLE_2.items())]
    return Table(
        "What the corpus is made of (an utterance is a turn)",
        ("Corpus", "Hours", "Mean seconds", "Mean turns", "Questions", "Dialogues"),
        tuple(
            (
                label,
                number(one.hours),
                number(one.mean_seconds, 0),
                number(one.mean_turns, 0),
                str(one.qa),
                str(one.dialogues),
            )
            for label, one in rows
        ),
    )


def figure_2(name: str, found: Statistics) -> Table | None:
    """Return the mix of question types; None where no question has a type."""
    typed = sum(found.types.values())
    if not typed:
        return None
    rows = [(kind, str(count), number(100 * count / typed, 1)) for kind, count in found.types.items()]
    rows += [(f"– {subtask}", str(count), "") for subtask, count in found.subtasks.items()]
    return Table(f"Questions of {name} by type", ("Type", "Questions", "Per cent"), tuple(rows))
