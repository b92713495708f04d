"""The command line: ``python -m grga index|import|reindex|meetings|show|ask|enrich|delete`` and edits.

Progress and log lines go to standard error, results to standard output. Exit codes: 0 done,
1 something a person can correct (one sentence says what), 2 a wrong call, 130 interrupted.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grga import __version__
from grga.cli_edits import edits
from grga.cli_models import models
from grga.cli_options import (
    Alignment,
    AsJson,
    Asr,
    ConfigFile,
    Diarization,
    Embedding,
    Emotion,
    Hints,
    Home,
    MeetingName,
    ProfileName,
    Vad,
    backends,
    count,
    print_json,
    run,
    settings_of,
    store_of,
)
from grga.errors import GrgaError, QuestionError, StoreError
from grga.scopes import Limits, clock, parse_limits, parse_scope

if TYPE_CHECKING:
    from grga.agent.steps import Answerer, Step
    from grga.ingest import IngestResult
    from grga.library import LibraryAnswer
    from grga.stages import Progress
    from grga.store import Store
    from grga.types import Answer, Cost, Meeting

app = typer.Typer(
    help="Understand long meetings by ear: index a recording, ask, hear the evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(edits)  # without a name: its verbs are verbs of this one
app.add_typer(models, name="models")

Title = Annotated[str | None, typer.Option(help="Shown name [default: the file's name].")]


def main() -> None:
    """Run the command line and turn errors into one sentence and an exit code."""
    run(app, "grga")


@app.command()
def index(
    recording: Annotated[Path, typer.Argument(help="Audio or video, anything ffmpeg reads.")],
    title: Title = None,
    speakers: Annotated[int | None, typer.Option(min=1, help="Exact number of speakers.")] = None,
    min_speakers: Annotated[int | None, typer.Option(min=1, help="Least number of speakers.")] = None,
    max_speakers: Annotated[int | None, typer.Option(min=1, help="Most speakers.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO code, for example en or zh.")] = None,
    hints: Hints = None,
    profile: ProfileName = None,
    vad: Vad = None,
    asr: Asr = None,
    alignment: Alignment = None,
    diarization: Diarization = None,
    emotion: Emotion = None,
    embedding: Embedding = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Turn a recording into a meeting that can be asked."""
    from grga.ingest import index_recording

    chosen = backends(
        vad=vad,
        asr=asr,
        hints=hints,
        alignment=alignment,
        diarization=diarization,
        emotion=emotion,
        embedding=embedding,
    )
    chosen["diarization"] |= {
        "min_speakers": speakers or min_speakers,
        "max_speakers": speakers or max_speakers,
    }
    chosen["asr"] |= {"language": language}
    settings = settings_of(home, config, profile=profile, **chosen)
    with _progress() as progress:
        result = index_recording(recording, store_of(settings), settings, title=title, progress=progress)
    _print_result(result, as_json)


@app.command("import")
def import_(
    transcript: Annotated[Path, typer.Argument(help="Transcript file, or an AMI NXT folder.")],
    audio: Annotated[Path | None, typer.Option(help="Its recording, for listening and measuring.")] = None,
    format: Annotated[str | None, typer.Option(help="Name of the format [default: found out].")] = None,
    words: Annotated[Path | None, typer.Option(help="For RTTM: the file that holds the words.")] = None,
    meeting: Annotated[str | None, typer.Option(help="Which one, where a file or folder holds many.")] = None,
    title: Title = None,
    profile: ProfileName = None,
    emotion: Emotion = None,
    embedding: Embedding = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Turn a transcript, with or without its recording, into a meeting that can be asked."""
    from grga.ingest import import_transcript

    chosen = backends(emotion=emotion, embedding=embedding)
    settings = settings_of(home, config, profile=profile, **chosen)
    with _progress() as progress:
        result = import_transcript(
            transcript,
            store_of(settings),
            settings,
            recording=audio,
            format=format,
            words=words,
            meeting=meeting,
            title=title,
            progress=progress,
        )
    _print_result(result, as_json)


@app.command()
def reindex(
    meeting: MeetingName,
    stage: Annotated[
        str, typer.Option(help="Which one, for example diarization or asr; later ones follow where needed.")
    ],
    speakers: Annotated[int | None, typer.Option(min=1, help="Exact number of speakers.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO code, for example en or zh.")] = None,
    hints: Hints = None,
    backend: Annotated[
        str | None, typer.Option(help="What does it, with a model if you like, for example whisper:small.")
    ] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Run one stage of a meeting again, with other settings; the meeting stays open meanwhile."""
    from grga.ingest import STAGES
    from grga.ingest import reindex as run_again

    chosen = backends(hints=hints)
    if backend is not None:
        section = STAGES.get(stage, "")
        if section not in chosen:
            raise StoreError(f"the stage {stage!r} has no backends to choose from", fix="leave out --backend")
        name, _, model = backend.partition(":")
        chosen[section] |= {"backend": name, **({"model": model} if model else {})}
    chosen["diarization"] |= {"min_speakers": speakers, "max_speakers": speakers}
    chosen["asr"] |= {"language": language}
    settings = settings_of(home, config, **chosen)
    store = store_of(settings)
    with _progress() as progress:
        result = run_again(store.find(meeting), store, settings, stage=stage, progress=progress)
    _print_result(result, as_json)


@app.command()
def meetings(home: Home = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the meetings."""
    lines = store_of(settings_of(home, config)).meetings()
    if as_json:
        print_json([{**asdict(line), "created": line.created.isoformat()} for line in lines])
        return
    if not lines:
        print("no meetings yet: add one with `python -m grga index RECORDING`")
    for line in lines:
        state = "".join(f"  #{tag}" for tag in line.tags)
        state += "" if line.finished else f"  ({line.problem or 'not finished'})"
        print(
            f"{line.id}  {clock(line.duration):>8}  {count(line.speakers, 'speaker')}  "
            f"{count(line.utterances, 'utterance')}  {line.title}{state}"
        )


@app.command()
def show(
    meeting: MeetingName,
    format: Annotated[str, typer.Option(help="txt, srt, vtt, rttm, json, md or docx.")] = "txt",
    output: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Print a meeting's transcript in a format of your choice."""
    from grga.exports import export

    content = export(store_of(settings_of(home, config)).find(meeting).read_meeting(), format)
    data = content if isinstance(content, bytes) else content.encode()
    if output is not None:
        try:
            output.write_bytes(data)
        except OSError as error:
            reason = error.strerror or "no reason given"
            raise StoreError(f"{output} cannot be written ({reason})", fix="choose another file") from None
    else:
        sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")


@app.command()
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MEETING] QUESTION",
            help="Id, start of the id, or title; then a question, in plain words.",
        ),
    ],
    more: Annotated[
        list[str] | None, typer.Option("--meeting", help="One more meeting to ask; may be repeated.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Ask every meeting.")] = False,
    system: Annotated[
        str, typer.Option(help="grga, text_rag, audio_rag, transcript_context or speech_context.")
    ] = "grga",
    without: Annotated[str, typer.Option(help="Tools to switch off, separated by commas.")] = "",
    scope: Annotated[
        list[str] | None, typer.Option(help="speaker=NAME or time=START-END; may be repeated.")
    ] = None,
    policy: Annotated[str | None, typer.Option(help="What decides: offline or llm [offline].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Model server, for example http://host:8000/v1.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Its model [default: its only one].")] = None,
    api_key: Annotated[str | None, typer.Option(help="Its key [GRGA_LLM__API_KEY].")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question with citations that can be heard; several meetings answer one by one."""
    from grga.agent import make_answerer
    from grga.agent.steps import AgentTrace, to_dict
    from grga.exports.answers import answer_record
    from grga.llm import connect

    named, question = _asked_of(words, more or [], everything)
    settings = settings_of(
        home,
        config,
        agent={"policy": policy},
        llm={"base_url": base_url, "model": model, "api_key": api_key},
    )
    store = store_of(settings)
    ids = list(dict.fromkeys(store.find(name).id for name in named))
    answerer = make_answerer(
        system,
        policy=settings.agent.policy,
        without=frozenset(name.strip() for name in without.split(",") if name.strip()),
        tau=settings.agent.tau,
        beta=settings.agent.beta,
        k_max=settings.agent.k_max,
        client=connect(settings.llm, settings.home) if settings.agent.policy == "llm" else None,
    )
    if everything or len(ids) > 1:
        _ask_library(store, ids, question, answerer, parse_limits(scope or []), as_json)
        return
    loaded = store.load(ids[0])
    steps: list[Step] = []
    try:
        for step in answerer.answer(question, loaded, parse_scope(scope or [], loaded.meeting)):
            steps.append(step)
    except GrgaError as error:
        # What was found before a model server failed is not lost: the partial trace goes out, exit code 1.
        if as_json and steps:
            done = [to_dict(step) for step in steps]
            print_json({"question": question, "answer": None, "error": str(error), "trace": done})
        elif steps:
            _print_found(steps, loaded.meeting)
        raise
    trace = AgentTrace.collect(steps)
    if as_json:
        print_json(answer_record(trace))
    else:
        _print_answer(trace.answer)


@app.command()
def enrich(
    meeting: MeetingName,
    base_url: Annotated[
        str | None, typer.Option(help="Model server, for example http://host:8000/v1.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Its model [default: its only one].")] = None,
    api_key: Annotated[str | None, typer.Option(help="Its key [GRGA_LLM__API_KEY].")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Let a model describe the speakers, link references and find entities; may be run again at any time."""
    from grga.enrichment import enrich as enrich_meeting
    from grga.llm import connect

    settings = settings_of(home, config, llm={"base_url": base_url, "model": model, "api_key": api_key})
    store = store_of(settings)
    folder = store.find(meeting)
    with _progress() as progress:
        records = enrich_meeting(folder, connect(settings.llm, settings.home), progress)
    speakers = folder.read_meeting().speakers
    if as_json:
        stages = {name: {**record.details, "warnings": record.warnings} for name, record in records.items()}
        print_json({"meeting": folder.id, **stages, "speakers": [asdict(one) for one in speakers]})
        return
    for speaker in speakers:
        print(speaker.name)
        for name, text in speaker.profile.facts.items():
            cited = ", ".join(str(id) for id in speaker.profile.evidence.get(name, ()))
            print(f"  {name}: {text}" + (f"  [utterance {cited}]" if cited else ""))
    links, entities = (records[f"enrich_{name}"].details[name] for name in ("links", "entities"))
    print(f"{count(links, 'reference')} linked, {count(entities, 'entity', 'entities')} found")
    for warning in (warning for record in records.values() for warning in record.warnings):
        print(f"note: {warning}")


@app.command()
def delete(
    meeting: Annotated[str, typer.Argument(help="The whole id.")],
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Remove a meeting and all its files."""
    store = store_of(settings_of(home, config))
    found = store.find(meeting).id
    if found != meeting:
        raise StoreError(f"deleting needs the whole id, which is {found!r}", fix="type it in full")
    store.delete(meeting)
    print(f"deleted {meeting}")


@app.command()
def version() -> None:
    """Print the version."""
    print(__version__)


# --- helpers --------------------------------------------------------------------------------------


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar per stage and the stages' log lines on standard error."""
    from rich.console import Console
    from rich.logging import RichHandler
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    handler = RichHandler(console=console, show_path=False, show_level=False, log_time_format="%H:%M:%S")
    logger = logging.getLogger("grga")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    columns = TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    try:
        with Progress(*columns, console=console, transient=True) as bars:
            tasks: dict[str, Any] = {}

            def report(stage: str, share: float) -> None:
                if stage not in tasks:
                    tasks[stage] = bars.add_task(stage, total=1.0)
                bars.update(tasks[stage], completed=share)

            yield report
    finally:
        logger.removeHandler(handler)


def _print_result(result: IngestResult, as_json: bool) -> None:
    if as_json:
        print_json(asdict(result))
        return
    print(
        f"{result.title}: {clock(result.duration)}, {count(result.speakers, 'speaker')}, "
        f"{count(result.utterances, 'utterance')}"
    )
    for stage, seconds in result.stages.items():
        share = f"{seconds / result.duration:6.3f} × the recording's length" if result.duration else ""
        print(f"  {stage:<12} {'reused' if stage in result.reused else f'{seconds:8.2f} s':>10}  {share}")
    for warning in result.warnings:
        print(f"  note: {warning}")
    for stage, sentence in result.failed.items():
        again = f"python -m grga reindex {result.meeting} --stage {stage}"
        print(f"  {stage} failed ({sentence}); the rest is there. To run it again: {again}")
    print(f'ask with: python -m grga ask {result.meeting} "…"')


def _asked_of(words: list[str], more: list[str], everything: bool) -> tuple[list[str], str]:
    """Return which meetings were named, and the question."""
    *named, question = words
    if len(named) > 1:
        raise typer.BadParameter("put the question in quotation marks")
    if everything and (named or more):
        raise typer.BadParameter("--all asks every meeting: name none beside it")
    if not (everything or named or more):
        raise typer.BadParameter("say which meeting and which question, or use --meeting or --all")
    return named + more, question


def _ask_library(
    store: Store, ids: list[str], question: str, answerer: Answerer, limits: Limits, as_json: bool
) -> None:
    """Ask these meetings, or all, and print their answers; what came before an error is printed too."""
    from grga.exports.answers import library_record
    from grga.library import Candidate, Event, LibraryAnswer, LibraryStep, ask_library

    lines = [line for line in store.meetings() if (line.finished if not ids else line.id in ids)]
    candidates = [Candidate(line.id, line.title, partial(store.load, line.id)) for line in lines]
    steps: list[LibraryStep] = []
    problem: GrgaError | None = None
    try:
        for step in ask_library(question, candidates, answerer.answer, limits):
            steps.append(step)
            if step.event is Event.ASKING:
                print(f"asking {step.number} of {step.total}: {step.title}", file=sys.stderr)
    except GrgaError as error:
        problem = error
    answer = LibraryAnswer.of(question, steps)
    if not (answer.parts or problem):
        problem = QuestionError("no meeting could be asked", fix="look at the reasons, or add a meeting")
    if as_json:
        print_json({**library_record(answer), **({"error": str(problem)} if problem else {})})
    else:
        _print_library(answer)
    if problem:
        raise problem


def _print_library(answer: LibraryAnswer) -> None:
    """Print the answers that say something; the other meetings share a line."""
    found = [part for part in answer.parts if part.answer.found]
    first = 1
    for part in found:
        print(f"{part.title} ({part.meeting_id})")
        _print_answer(part.answer, first, f"{part.title}, ")
        print()
        first += len(part.answer.citations)
    if silent := [part.title for part in answer.parts if not part.answer.found]:
        print(f"nothing about it in: {', '.join(silent)}")
    for note in answer.left_out:
        print(f"not asked: {note.title} ({note.reason})")
    print(f"found in {len(found)} of {count(len(answer.parts), 'meeting')} · {answer.cost.seconds:.2f} s")


def _print_found(steps: list[Step], meeting: Meeting) -> None:
    """Print the utterances that the steps found before something failed, in order of time."""
    from grga.agent.steps import Observation

    ids = {one.id for step in steps if isinstance(step, Observation) for one in step.found}
    if ids:
        print("no answer yet; found so far:")
    for id in sorted(ids):
        utterance = meeting.utterances[id]
        span = f"{clock(utterance.start)}–{clock(utterance.end)}"
        print(f"  {span} {meeting.name_of(utterance)}: {utterance.text}")


def _print_answer(answer: Answer, first: int = 1, place: str = "") -> None:
    """Print an answer; its citations are numbered from ``first`` and begin with ``place``."""
    numbers = {citation.utterance: n for n, citation in enumerate(answer.citations, start=first)}
    for sentence in answer.sentences:
        marks = "".join(f"[{numbers[i]}]" for i in sentence.citations if i in numbers)
        print(f"{sentence.text} {marks}".rstrip())
    print()
    for citation in answer.citations:
        span = f"{clock(citation.span.start)}–{clock(citation.span.end)}"
        print(f"  [{numbers[citation.utterance]}] {place}{span} {citation.speaker}: {citation.text}")
    score = "" if answer.reflection_score is None else f", reflection {answer.reflection_score:g}/5"
    state = "verified" if answer.verified else "unverified"
    if not answer.found:
        state = "not in this meeting"
    print(
        f"\n{state}{score} · {count(answer.cost.tool_calls, 'tool call')} · {_model_cost(answer.cost)}"
        f"{answer.cost.seconds:.2f} s · {answer.system}, {answer.policy} policy"
    )


def _model_cost(cost: Cost) -> str:
    """What a model took; nothing for an answer without one."""
    if not cost.llm_calls and not cost.cache_hits:
        return ""
    kept = f" and {cost.cache_hits} kept" if cost.cache_hits else ""
    price = "" if cost.price is None else f" for {cost.price:.4f}"
    tokens = cost.prompt_tokens + cost.completion_tokens
    return f"{count(cost.llm_calls, 'model call')}{kept}, {tokens} tokens{price} · "
