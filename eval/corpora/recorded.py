"""What corpora of recorded meetings share: a transcript and a recording each, and questions in our own form.

Such a corpus is read in one of two ways: with its own transcripts (the reference, "ami"), or heard by our
pipeline from the recordings alone (the name ends in "-heard", "ami-heard").

Questions lie beside the corpus as ``questions.jsonl``, as ``python -m annotation export`` writes them;
their ``meeting`` is the meeting's name in the corpus or its id in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.corpora import Size, Source
from eval.corpora.longaudioqa import read_questions
from eval.items import EvalItem
from grga.config import Config
from grga.errors import EvaluationError
from grga.ingest import import_transcript, index_recording
from grga.speech.transcripts import read_transcript
from grga.store import Store

QUESTIONS = "questions.jsonl"


@dataclass(frozen=True)
class Recorded:
    """A meeting on disk; ``meeting`` names it within the transcript where that holds several."""

    name: str
    transcript: Path
    recording: Path | None
    meeting: str | None = None

    def source(self, *, heard: bool) -> Source:
        """Return it as a meeting to index."""

        def index(store: Store, config: Config) -> str:
            if heard:
                return index_recording(self._recording(), store, config, title=self.name).meeting
            return import_transcript(
                self.transcript,
                store,
                config,
                recording=self.recording,
                meeting=self.meeting,
                title=self.name,
            ).meeting

        def size() -> Size:
            found = read_transcript(self.transcript, meeting=self.meeting)
            return Size(found.duration, len(found.utterances))

        return Source(self.name, index, size)

    def _recording(self) -> Path:
        if self.recording is None:
            raise EvaluationError(f"the recording of {self.name} is missing", fix="see docs/corpora.md")
        return self.recording


def with_recordings(meetings: Sequence[Recorded], corpus: str, *, heard: bool) -> tuple[Recorded, ...]:
    """Return the meetings if their recordings are all there, or, where nobody listens, none of them.

    Raises:
        EvaluationError: some are missing, or all and they are to be heard.
    """
    missing = [one.name for one in meetings if one.recording is None]
    if missing and (heard or len(missing) < len(meetings)):
        shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
        raise EvaluationError(
            f"{len(missing)} of {len(meetings)} recordings of {corpus} are missing",
            found=f"none of {shown}",
            fix="copy them where docs/corpora.md says"
            + ("" if heard else ", or take all recordings away to use the transcripts alone"),
        )
    return tuple(meetings)


def questions(path: Path, corpus: str, meetings: dict[str, str]) -> list[EvalItem]:
    """Return the questions beside a corpus that are about ``meetings`` (name → id in the store).

    Raises:
        EvaluationError: there are none, or the file is damaged.
    """
    file = path / QUESTIONS
    if not file.is_file():
        raise EvaluationError(
            f"there are no questions about {corpus}",
            expected=str(file),
            fix="write them with `python -m annotation export`",
        )
    ids = {**{id: id for id in meetings.values()}, **meetings}
    return [
        EvalItem.of(item, corpus, ids[item.meeting]) for item in read_questions(file) if item.meeting in ids
    ]


def existing(path: Path, what: str) -> Path:
    """Return a folder that must be there.

    Raises:
        EvaluationError: it is not.
    """
    if not path.is_dir():
        raise EvaluationError(f"{what} is missing", expected=f"a folder {path}", fix="see docs/corpora.md")
    return path
