"""The command line: ``python -m grga index|import|meetings|show|ask|rename|delete``.

Progress and log lines go to standard error, results to standard output. Exit codes: 0 done,
1 something a person can correct (one sentence says what), 2 a wrong call, 130 interrupted.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grga import __version__
from grga.config import Config, load_config
from grga.errors import GrgaError, StoreError
from grga.scopes import clock, find_speaker, parse_scope

if TYPE_CHECKING:
    from grga.agent.steps import Step
    from grga.ingest import IngestResult
    from grga.stages import Progress
    from grga.store import Store
    from grga.types import Answer, Cost, Meeting

app = typer.Typer(
    help="Understand long meetings by ear: index a recording, ask, hear the evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Home = Annotated[
    Path | None, typer.Option(help="Folder that holds the meetings [GRGA_HOME, default: .grga].")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings as TOML [default: grga.toml, if there].")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Title = Annotated[str | None, typer.Option(help="Shown name [default: the file's name].")]


def main() -> None:
    """Run the command line and turn errors into one sentence and an exit code."""
    # A redirected standard output takes the system's encoding, which may not be able to print names.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except GrgaError as error:
        print(f"grga: {error}", file=sys.stderr)
        sys.exit(1)
    except SystemExit as end:
        # Typer turns Ctrl-C into this exit code and says nothing.
        if end.code == 130:
            print("grga: stopped; run it again to go on from here", file=sys.stderr)
        raise


@app.command()
def index(
    recording: Annotated[Path, typer.Argument(help="Audio or video, anything ffmpeg reads.")],
    title: Title = None,
    speakers: Annotated[int | None, typer.Option(min=1, help="Exact number of speakers.")] = None,
    min_speakers: Annotated[int | None, typer.Option(min=1, help="Least number of speakers.")] = None,
    max_speakers: Annotated[int | None, typer.Option(min=1, help="Most speakers.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO code, for example en or zh.")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Turn a recording into a meeting that can be asked."""
    from grga.ingest import index_recording

    settings = _settings(
        home,
        config,
        diarization={"min_speakers": speakers or min_speakers, "max_speakers": speakers or max_speakers},
        asr={"language": language},
    )
    with _progress() as progress:
        result = index_recording(recording, _store(settings), settings, title=title, progress=progress)
    _print_result(result, as_json)


@app.command("import")
def import_(
    transcript: Annotated[Path, typer.Argument(help="Transcript file, or an AMI NXT folder.")],
    audio: Annotated[Path | None, typer.Option(help="Its recording, for listening and measuring.")] = None,
    format: Annotated[str | None, typer.Option(help="Name of the format [default: found out].")] = None,
    words: Annotated[Path | None, typer.Option(help="For RTTM: the file that holds the words.")] = None,
    meeting: Annotated[str | None, typer.Option(help="Which one, where a file or folder holds many.")] = None,
    title: Title = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Turn a transcript, with or without its recording, into a meeting that can be asked."""
    from grga.ingest import import_transcript

    settings = _settings(home, config)
    with _progress() as progress:
        result = import_transcript(
            transcript,
            _store(settings),
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
def meetings(home: Home = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the meetings."""
    lines = _store(_settings(home, config)).meetings()
    if as_json:
        _print_json([{**asdict(line), "created": line.created.isoformat()} for line in lines])
        return
    if not lines:
        print("no meetings yet: add one with `python -m grga index RECORDING`")
    for line in lines:
        state = "" if line.finished else f"  ({line.problem or 'not finished'})"
        print(
            f"{line.id}  {clock(line.duration):>8}  {_count(line.speakers, 'speaker')}  "
            f"{_count(line.utterances, 'utterance')}  {line.title}{state}"
        )


@app.command()
def show(
    meeting: Annotated[str, typer.Argument(help="Id, start of the id, or title.")],
    format: Annotated[str, typer.Option(help="txt, srt, vtt, rttm, json, md or docx.")] = "txt",
    output: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Print a meeting's transcript in a format of your choice."""
    from grga.exports import export

    content = export(_store(_settings(home, config)).find(meeting).read_meeting(), format)
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
    meeting: Annotated[str, typer.Argument(help="Id, start of the id, or title.")],
    question: Annotated[str, typer.Argument(help="A question, in plain words.")],
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
    """Answer a question with citations that can be heard."""
    from grga.agent import make_answerer
    from grga.agent.steps import AgentTrace, to_dict
    from grga.llm import connect

    settings = _settings(
        home,
        config,
        agent={"policy": policy},
        llm={"base_url": base_url, "model": model, "api_key": api_key},
    )
    store = _store(settings)
    loaded = store.load(store.find(meeting).id)
    answerer = make_answerer(
        system,
        policy=settings.agent.policy,
        without=frozenset(name.strip() for name in without.split(",") if name.strip()),
        tau=settings.agent.tau,
        beta=settings.agent.beta,
        k_max=settings.agent.k_max,
        client=connect(settings.llm, settings.home) if settings.agent.policy == "llm" else None,
    )
    steps: list[Step] = []
    try:
        for step in answerer.answer(question, loaded, parse_scope(scope or [], loaded.meeting)):
            steps.append(step)
    except GrgaError as error:
        # What was found before a model server failed is not lost: the partial trace goes out, exit code 1.
        if as_json and steps:
            done = [to_dict(step) for step in steps]
            _print_json({"question": question, "answer": None, "error": str(error), "trace": done})
        elif steps:
            _print_found(steps, loaded.meeting)
        raise
    trace = AgentTrace.collect(steps)
    if as_json:
        _print_json(answer_record(trace.answer, trace))
    else:
        _print_answer(trace.answer)


@app.command()
def enrich(
    meeting: Annotated[str, typer.Argument(help="Id, start of the id, or title.")],
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

    settings = _settings(home, config, llm={"base_url": base_url, "model": model, "api_key": api_key})
    store = _store(settings)
    folder = store.find(meeting)
    with _progress() as progress:
        records = enrich_meeting(folder, connect(settings.llm, settings.home), progress)
    speakers = folder.read_meeting().speakers
    if as_json:
        stages = {name: {**record.details, "warnings": record.warnings} for name, record in records.items()}
        _print_json({"meeting": folder.id, **stages, "speakers": [asdict(one) for one in speakers]})
        return
    for speaker in speakers:
        print(speaker.name)
        for name, text in speaker.profile.facts.items():
            cited = ", ".join(str(id) for id in speaker.profile.evidence.get(name, ()))
            print(f"  {name}: {text}" + (f"  [utterance {cited}]" if cited else ""))
    links, entities = (records[f"enrich_{name}"].details[name] for name in ("links", "entities"))
    print(f"{_count(links, 'reference')} linked, {_count(entities, 'entity', 'entities')} found")
    for warning in (warning for record in records.values() for warning in record.warnings):
        print(f"note: {warning}")


@app.command()
def rename(
    meeting: Annotated[str, typer.Argument(help="Id, start of the id, or title.")],
    speaker: Annotated[str, typer.Argument(help="Speaker id, for example S1, or the shown name.")],
    name: Annotated[str, typer.Argument(help="The name to show.")],
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Give a speaker a name; transcript, answers and exports follow."""
    folder = _store(_settings(home, config)).find(meeting)
    folder.rename_speaker(find_speaker(speaker, folder.read_meeting()), name)
    print(f"{speaker} is now {name}")


@app.command()
def delete(
    meeting: Annotated[str, typer.Argument(help="The whole id.")],
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Remove a meeting and all its files."""
    store = _store(_settings(home, config))
    found = store.find(meeting).id
    if found != meeting:
        raise StoreError(f"deleting needs the whole id, which is {found!r}", fix="type it in full")
    store.delete(meeting)
    print(f"deleted {meeting}")


@app.command()
def version() -> None:
    """Print the version."""
    print(__version__)


def answer_record(answer: Answer, trace: Any) -> dict[str, Any]:
    """Return an answer and how it was found as one JSON-able object."""
    record = trace.to_dict()
    return {
        "question": answer.question,
        "answer": answer.text,
        "found": answer.found,
        "verified": answer.verified,
        "reflection_score": answer.reflection_score,
        "sentences": [asdict(sentence) for sentence in answer.sentences],
        "citations": [
            {
                "utterance": citation.utterance,
                "speaker": citation.speaker,
                "start": citation.span.start,
                "end": citation.span.end,
                "text": citation.text,
            }
            for citation in answer.citations
        ],
        "dropped_citations": answer.dropped_citations,
        "system": answer.system,
        "policy": answer.policy,
        "steps": trace.rounds,
        "trace": record["steps"],
        "cost": asdict(answer.cost),
    }


# --- helpers --------------------------------------------------------------------------------------


def _settings(home: Path | None, config: Path | None, **overrides: Any) -> Config:
    return load_config(config, overrides={"home": home, **overrides})


def _store(settings: Config) -> Store:
    from grga.store import Store

    return Store(settings.home)


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


def _count(number: int, noun: str, many: str | None = None) -> str:
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def _print_result(result: IngestResult, as_json: bool) -> None:
    if as_json:
        _print_json(asdict(result))
        return
    print(
        f"{result.title}: {clock(result.duration)}, {_count(result.speakers, 'speaker')}, "
        f"{_count(result.utterances, 'utterance')}"
    )
    for stage, seconds in result.stages.items():
        share = f"{seconds / result.duration:6.3f} × the recording's length" if result.duration else ""
        print(f"  {stage:<12} {'reused' if stage in result.reused else f'{seconds:8.2f} s':>10}  {share}")
    for warning in result.warnings:
        print(f"  note: {warning}")
    print(f'ask with: python -m grga ask {result.meeting} "…"')


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


def _print_answer(answer: Answer) -> None:
    numbers = {citation.utterance: n for n, citation in enumerate(answer.citations, start=1)}
    for sentence in answer.sentences:
        marks = "".join(f"[{numbers[i]}]" for i in sentence.citations if i in numbers)
        print(f"{sentence.text} {marks}".rstrip())
    print()
    for citation in answer.citations:
        span = f"{clock(citation.span.start)}–{clock(citation.span.end)}"
        print(f"  [{numbers[citation.utterance]}] {span} {citation.speaker}: {citation.text}")
    score = "" if answer.reflection_score is None else f", reflection {answer.reflection_score:g}/5"
    state = "verified" if answer.verified else "unverified"
    if not answer.found:
        state = "not in this meeting"
    print(
        f"\n{state}{score} · {_count(answer.cost.tool_calls, 'tool call')} · {_model_cost(answer.cost)}"
        f"{answer.cost.seconds:.2f} s · {answer.system}, {answer.policy} policy"
    )


def _model_cost(cost: Cost) -> str:
    """What a model took; nothing for an answer without one."""
    if not cost.llm_calls and not cost.cache_hits:
        return ""
    kept = f" and {cost.cache_hits} kept" if cost.cache_hits else ""
    price = "" if cost.price is None else f" for {cost.price:.4f}"
    tokens = cost.prompt_tokens + cost.completion_tokens
    return f"{_count(cost.llm_calls, 'model call')}{kept}, {tokens} tokens{price} · "
