"""What correcting a long meeting costs, beside indexing it again.

    python -m benchmarks.edits [LINES]

The English sample is repeated to LINES utterances (5000), imported, and corrected. Every row is one
run in this process; "first" reads a meeting that was changed since, "again" one that was not.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grga.config import Config
from grga.edits import EditText, Merge, Rename
from grga.exports import export
from grga.ingest import import_transcript
from grga.paths import assets
from grga.store import MeetingFolder, Store
from grga.types import Meeting, TimeSpan


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    with tempfile.TemporaryDirectory() as home:
        store = Store(Path(home))
        store.encoder("auto")
        transcript = Path(home) / "long.json"
        transcript.write_text(str(export(repeated(count), "json")), "utf-8")
        report("index", lambda: import_transcript(transcript, store, Config()))
        folder = store.folder(store.meetings()[0].id)
        first, second, *_ = folder.read_meeting().speakers
        report("read", folder.read_meeting)
        report("open", lambda: store.load(folder.id))
        report("list", store.meetings)
        print()
        report("name a speaker", lambda: folder.edit(Rename(speaker=first.id, name="Ada")))
        report("read", folder.read_meeting)
        report("open", lambda: store.load(folder.id))
        print()
        report(
            "correct a line", lambda: folder.edit(EditText(utterance=count // 2, text="The zebra ate it."))
        )
        report("read", folder.read_meeting)
        report("open, first", lambda: store.load(folder.id))
        report("open, again", lambda: store.load(folder.id))
        report("list, first", store.meetings)
        report("list, again", store.meetings)
        print()
        report("merge two speakers", lambda: folder.edit(Merge(speaker=first.id, into=second.id)))
        report("read", folder.read_meeting)
        report("open", lambda: store.load(folder.id))
        print()
        for number in range(200):
            folder.edit(EditText(utterance=number, text=f"Corrected line {number}."))
        report("the 204th edit", lambda: folder.edit(EditText(utterance=count - 1, text="The end.")))
        report("history", folder.edits)


def repeated(count: int) -> Meeting:
    """Return the sample said again and again, ``count`` utterances in all."""
    sample = MeetingFolder(assets() / "samples" / "lantern-players" / "store").read_meeting()
    spoken = []
    for id in range(count):
        round, place = divmod(id, len(sample.utterances))
        one, later = sample.utterances[place], round * sample.duration
        spoken.append(
            replace(
                one,
                id=id,
                span=moved(one.span, later),
                words=tuple(replace(word, span=moved(word.span, later)) for word in one.words),
            )
        )
    return replace(sample, title=f"{count} lines", duration=spoken[-1].end, utterances=tuple(spoken))


def moved(span: TimeSpan, seconds: float) -> TimeSpan:
    return TimeSpan(span.start + seconds, span.end + seconds)


def report(what: str, do: Callable[[], object]) -> None:
    begin = time.perf_counter()
    do()
    print(f"{what:20} {time.perf_counter() - begin:7.3f} s")


if __name__ == "__main__":
    main()
