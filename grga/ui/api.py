"""The app's endpoints: over HTTP, for ``gradio_client``, and as MCP tools, all under one name each.

Their docstrings are what clients and language models read. Everything they do is done by the same
functions as on the page and on the command line; all other events of the page are private.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

import gradio as gr
from gradio.events import api as add_endpoint
from pydantic import Field, SkipValidation

from grga.agent.steps import EVERYWHERE
from grga.agent.tools.audio import LONGEST_LISTEN, AudioArguments, AudioSegment
from grga.agent.tools.base import Context
from grga.agent.tools.search import HybridArguments, HybridSearch
from grga.errors import QuestionError, StoreError
from grga.exports import export
from grga.exports.answers import library_record
from grga.jobs import Job
from grga.library import LibraryAnswer
from grga.scopes import Limits, parse_span
from grga.types import Meeting, Utterance
from grga.ui import visitors
from grga.ui.asking import Asking, Question
from grga.ui.contenders import contender
from grga.ui.endpoints import endpoint, origin, uploaded
from grga.ui.indexing import plan
from grga.ui.services import Services

System = Literal["grga", "text_rag", "transcript_context"]
Format = Literal["txt", "md", "srt", "vtt", "rttm", "json", "jsonl"]
Caller = Annotated[gr.Request, SkipValidation]
Seconds = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Json = dict[str, Any]

LONGEST_WAIT = 60.0
OF_A_PART = (
    "meeting",
    "title",
    "answer",
    "found",
    "verified",
    "reflection_score",
    "dropped_citations",
    "system",
    "policy",
)
"""What is told of each meeting's own answer."""
NAMES = (
    "list_meetings",
    "index_meeting",
    "indexing_status",
    "ask_meeting",
    "search_meeting",
    "get_transcript",
    "listen",
)
"""What is open to programs: methods of :class:`Endpoints`."""


def register(services: Services) -> None:
    """Add the endpoints to the page that is being built."""
    endpoints = Endpoints(services, Asking(services))
    for name in NAMES:
        # Out of the queue, MCP calls them directly; a job or a thread of Gradio's pool does the work.
        add_endpoint(endpoint(getattr(endpoints, name)), api_name=name, queue=False)


def hide_others(page: gr.Blocks) -> None:
    """Make every other event of a finished page private, also those that Gradio adds when it loads."""
    for event in page.fns.values():
        if event.api_name not in NAMES:
            event.api_visibility = "private"


class Endpoints:
    """The functions behind the endpoints. See :func:`grga.ui.endpoints.endpoint` for their errors."""

    def __init__(self, services: Services, asking: Asking) -> None:
        self.services, self.asking = services, asking

    def list_meetings(self) -> list[Json]:
        """List the meetings that can be asked, the newest first.

        Returns:
            A list of objects with id, title, created (UTC), duration in seconds, speakers and utterances (counts).
        """
        return [
            {
                "id": one.id,
                "title": one.title,
                "created": one.created.isoformat(),
                "duration": one.duration,
                "speakers": one.speakers,
                "utterances": one.utterances,
            }
            for one in self.services.meetings()
        ]

    def index_meeting(
        self,
        request: Caller,
        file: str | dict[str, Any],
        title: Annotated[str, Field(max_length=200)] | None = None,
        speakers: Annotated[int, Field(ge=1, le=20)] | None = None,
        language: Annotated[str, Field(pattern="^[a-z]{2,3}$")] | None = None,
    ) -> Json:
        """Turn a recording (audio or video) or a transcript into a meeting that can be asked. Returns at once with a job; call indexing_status until it is done.

        Args:
            file: The path returned by POST /gradio_api/upload (form field "files"), or the content as a data: address with base64.
            title: Name to show; by default the file's name.
            speakers: Exact number of speakers, if it is known.
            language: ISO 639-1 code of the language spoken, if it is known, for example en or zh.

        Returns:
            An object with job (its number), title, state, stage, percent, seconds_left, error and meeting (an id once it is done).
        """
        name, path = uploaded(file, title)
        given = {"speakers": speakers, "language": language, "named": title}
        options = {"title": title or Path(name).stem, **given}
        who, stages = visitors.of(request), plan([Path(name)])
        return _job(self.services.jobs.submit([(name, path)], options, visitor=who, stages=stages))

    def indexing_status(
        self, job: int, wait: Annotated[float, Field(ge=0, le=LONGEST_WAIT, allow_inf_nan=False)] = 0.0
    ) -> Json:
        """Tell how far an indexing job is.

        Args:
            job: The number that index_meeting returned.
            wait: Seconds to wait for the job's end before answering, at most 60.

        Returns:
            An object with job, title, state (queued, running, done, failed, cancelled), stage, percent, seconds_left, error and meeting (an id once it is done).
        """
        return _job(self.services.jobs.wait(job, wait))

    def ask_meeting(
        self,
        request: Caller,
        question: str,
        meeting: str = "all",
        speakers: list[str] | None = None,
        time: str = "",
        system: System = "grga",
    ) -> Json:
        """Answer a question about a meeting, or about several, with citations: every sentence names the utterances it rests on, who said them and when. "verified" tells whether a second look accepted the answer; "found" is false when the meeting does not say.

        Args:
            question: A question in plain words, in English or Chinese.
            meeting: Id or title of a meeting, several ids separated by commas, or "all" for the whole library.
            speakers: Use only what these speakers said (names or ids).
            time: Use only this stretch of the recording, for example "10:00-12:30".
            system: What answers: grga (the agent), text_rag, or transcript_context (needs a language model).

        Returns:
            An object with answer (text), sentences (text and numbers of citations), citations (number, meeting, utterance, speaker, start and end in seconds, text, clip), found, verified, reflection_score (1 to 5), cost, parts (by meeting) and permalink.
        """
        by = contender(f"{system}:{self.services.config.agent.policy}")
        limits = Limits(tuple(speakers or ()), parse_span(time) if time.strip() else None)
        asked = Question(question, self._chosen(meeting), limits, by)
        if len(asked.meetings) == 1:
            *_, reply = self.asking.ask(asked)
            answer = LibraryAnswer(question, (self.asking.part(reply),))
        else:
            answer = LibraryAnswer.of(question, self.asking.ask_all(asked))
        home = origin(request)
        record = self._record(answer, home)
        if answer.parts:
            token = self.asking.keep(visitors.of(request), asked, answer.parts).token
            record["permalink"] = f"{home}/?answer={token}"
        return record

    def search_meeting(
        self,
        meeting: str,
        query: Annotated[str, Field(min_length=1, max_length=2000)],
        limit: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> list[Json]:
        """Find the utterances of a meeting that are nearest to a query, by words and by meaning.

        Args:
            meeting: Id or title of a meeting.
            query: What to look for.
            limit: Most utterances to return, at most 100.

        Returns:
            A list of objects with utterance (its id), speaker, start and end in seconds, text, and score (0 to 1), the best first.
        """
        loaded = self.services.load(self._find(meeting))
        found = HybridSearch().run(HybridArguments(query=query, limit=limit), Context(loaded, EVERYWHERE, {}))
        spoken = loaded.meeting.utterances
        return [{**_line(loaded.meeting, spoken[one.id]), "score": one.score} for one in found.found]

    def get_transcript(self, meeting: str, format: Format = "txt", time: str = "") -> str:
        """Get the transcript of a meeting, all of it or a stretch, with speakers and times.

        Args:
            meeting: Id or title of a meeting.
            format: txt, md, srt, vtt, rttm, json, or jsonl (one utterance a line, with its id).
            time: Only this stretch of the recording, for example "10:00-12:30"; by default all of it.

        Returns:
            The transcript as text in that format.
        """
        whole = self.services.page(self._find(meeting)).meeting
        if time.strip():
            span = parse_span(time)
            whole = replace(whole, utterances=tuple(u for u in whole.utterances if span.touches(u.span)))
        if format == "jsonl":
            lines = (json.dumps(_line(whole, one), ensure_ascii=False) for one in whole.utterances)
            return "".join(f"{line}\n" for line in lines)
        text = export(whole, format)
        assert isinstance(text, str)
        return text

    def listen(self, request: Caller, meeting: str, start: Seconds, end: Seconds) -> Json:
        """Measure how something was said: loudness, pitch, rate, overlap and pauses between two seconds of a recording, compared with how each speaker usually sounds; and get the clip to hear.

        Args:
            meeting: Id or title of a meeting.
            start: First second.
            end: Last second, at most 120 after the first.

        Returns:
            An object with start, end, measurements (of the whole span), utterances (each with its measurements and, in words, what is unusual) and clip (address of a WAV file, null without a recording).
        """
        if not 0 < end - start <= LONGEST_LISTEN:
            raise QuestionError(
                "this span cannot be listened to",
                found=f"{start:g} to {end:g} s",
                expected=f"an end after the start, at most {LONGEST_LISTEN:g} s later",
            )
        loaded = self.services.load(self._find(meeting))
        heard = AudioSegment().run(AudioArguments(t_start=start, t_end=end), Context(loaded, EVERYWHERE, {}))
        spoken = loaded.meeting.utterances
        clip = clip_address(loaded.meeting.id, start, end) if loaded.waveform else None
        return {
            "meeting": loaded.meeting.id,
            "start": start,
            "end": end,
            "measurements": dict(heard.measurements),
            "utterances": [
                {**_line(loaded.meeting, spoken[one.id]), "unusual": one.why, **_sound(spoken[one.id])}
                for one in sorted(heard.found, key=lambda one: one.id)
            ],
            "clip": clip and f"{origin(request)}/{clip}",
        }

    # --- helpers ---------------------------------------------------------------------------------

    def _record(self, answer: LibraryAnswer, home: str) -> Json:
        """Return the answer with the addresses of its clips; how it was found is not for a program's eyes."""
        record = library_record(answer)
        record["parts"] = [{name: part[name] for name in OF_A_PART} for part in record["parts"]]
        heard = {part.meeting_id for part in answer.parts if self._has_audio(part.meeting_id)}
        for one in record["citations"]:
            address = clip_address(one["meeting"], one["start"], one["end"])
            one["clip"] = f"{home}/{address}" if one["meeting"] in heard else None
        return record

    def _has_audio(self, meeting: str) -> bool:
        return self.services.store.folder(meeting).audio.is_file()

    def _chosen(self, names: str) -> tuple[str, ...]:
        if names.strip() in ("", "all"):
            ids = tuple(one.id for one in self.services.meetings())
            if not ids:
                raise StoreError("there is no meeting yet", fix="add one with index_meeting")
            return ids
        try:
            return (self._find(names),)  # a title may hold commas
        except StoreError:
            parts = [part for part in names.split(",") if part.strip()]
            if len(parts) < 2:
                raise
            return tuple(dict.fromkeys(self._find(part) for part in parts))

    def _find(self, name: str) -> str:
        try:
            return self.services.store.find(name.strip()).id
        except StoreError as error:
            raise StoreError(error.what, found=error.found, fix="list_meetings names them") from None


def clip_address(meeting: str, start: float, end: float) -> str:
    """Return where :mod:`grga.ui.clip_routes` serves these seconds, relative to the app."""
    end = min(end, start + LONGEST_LISTEN)
    return f"grga/clip/{quote(meeting)}/{start:.3f}-{end:.3f}.wav"


def _line(meeting: Meeting, one: Utterance) -> Json:
    return {
        "utterance": one.id,
        "speaker": meeting.name_of(one),
        "start": one.start,
        "end": one.end,
        "text": one.text,
    }


def _sound(one: Utterance) -> Json:
    return asdict(one.acoustics) if one.acoustics else {}


def _job(job: Job) -> Json:
    return {
        "job": job.id,
        "title": job.title,
        "state": job.state.value,
        "stage": job.stage,
        "percent": round(job.percent, 1),
        "seconds_left": job.seconds_left,
        "error": job.error or None,
        "meeting": job.meeting,
    }
