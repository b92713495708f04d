"""The data set's card: a README with the front matter that the hub reads."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from annotation.export.statistics import PAPER_TABLE_2, Statistics, figure_2, table_2
from annotation.schema import QAItem

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(
    items: Collection[QAItem],
    found: Statistics,
    splits: Mapping[str, Sequence[str]],
    ratios: Mapping[str, float],
    seed: int,
    clips: int,
) -> str:
    """Return the card.

    Args:
        items: Everything in the data set.
        found: Their figures.
        splits: The meetings of each split that is not empty.
        ratios: The shares of meetings that were asked for.
        seed: Of the splits.
        clips: How many items come with sound.
    """
    shares = ", ".join(f"{name} {share:.0%}" for name, share in ratios.items())
    rows = "\n".join(
        f"| {name} | {len(meetings)} | {', '.join(meetings)} |" for name, meetings in splits.items()
    )
    paper = [(f"{name} (reported by the paper)", row) for name, row in PAPER_TABLE_2.items()]
    missing = (
        f"\nLength and turns of {len(found.missing)} dialogues are not counted: their recordings were not at hand.\n"
        if found.missing
        else ""
    )
    verified = sum(item.verifier is not None for item in items)
    return f"""{_front_matter(items, splits)}
# LongAudioQA made with GRGA

Questions about long meetings. Every answer names the utterances that prove it, with start and end in
seconds, and comes with their sound where the recording is at hand ({clips} of {len(items)} questions).
{verified} of {len(items)} questions were verified by people who heard the evidence.

## Figures

{table_2([("this data set", found), *paper])}

The rows of the paper stand beside for comparison: they describe the paper's own data, not this one.
{missing}
Question mix:

{figure_2(found)}

## Splits

By meeting, never across: no meeting has questions in two splits. Asked for: {shares} of the meetings, seed {seed}.

| split | meetings | which |
|---|---:|---|
{rows}

## Columns

`key`, `meeting`, `type`, `subtask`, `question`, `answer`, `evidence` (utterance id, start and end in seconds,
speaker, text), `clips` (the sound of each piece of evidence, in the same order, 16 kHz mono FLAC), `answer_key`
and `history` (JSON), `reasoning`, `hops` (graph edges that connect the evidence), `answerable`, `language`,
`generator`, `status`, `verifier`, `batch`, `gold`.

The recordings belong to their owners; their licences hold for the clips.
"""


def _front_matter(items: Collection[QAItem], splits: Mapping[str, Sequence[str]]) -> str:
    """YAML whose values are JSON, which YAML reads as it is."""
    languages = sorted({item.language for item in items if item.language})
    size = next((name for limit, name in _SIZES if len(items) < limit), "100K<n<1M")
    files = [{"split": name, "path": f"data/{name}.parquet"} for name in splits]
    lines = {
        "pretty_name": "LongAudioQA (GRGA)",
        "license": "other",
        "language": languages,
        "task_categories": ["question-answering"],
        "tags": ["audio", "meetings", "speech", "evidence"],
        "size_categories": [size],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    body = "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in lines.items() if value
    )
    return f"---\n{body}\n---\n"
