"""``python -m annotation generate`` and ``check``: make questions about a meeting, and look them over."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import ValidationError

from annotation.schema import QAItem, Status
from grga.agent.steps import QuestionType
from grga.cli_options import settings_of, store_of
from grga.errors import AnnotationError

if TYPE_CHECKING:
    from annotation.generation.generate import Progress
    from annotation.generation.quotas import Quota
    from annotation.generation.sinks import Sink
    from grga.config import Config
    from grga.store import IndexedMeeting, Store

Home = Annotated[
    Path | None, typer.Option(help="Folder that holds the meetings [GRGA_HOME, default: .grga].")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Settings as TOML [default: grga.toml, if there].")
]


def generate(
    meeting: Annotated[str, typer.Option(help="Id or title of the meeting.")],
    kinds: Annotated[
        list[QuestionType] | None, typer.Option("--type", help="Only this type; may be repeated.")
    ] = None,
    subtasks: Annotated[
        list[str] | None, typer.Option("--subtask", help="Only this subtask; may be repeated (with a model).")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Questions of each type.")] = 16,
    seed: Annotated[int, typer.Option(help="Another one gives other questions.")] = 0,
    batch: Annotated[str, typer.Option(help="Name of the batch, kept in its questions.")] = "",
    policy: Annotated[
        Literal["offline", "llm"], typer.Option(help="Who writes: the measurements, or a model.")
    ] = "offline",
    base_url: Annotated[
        str | None, typer.Option(help="Model server, for example http://host:8000/v1.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Its model [default: its only one].")] = None,
    api_key: Annotated[str | None, typer.Option(help="Its key [GRGA_LLM__API_KEY].")] = None,
    out: Annotated[Path | None, typer.Option(help="JSON Lines file to add the questions to.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Make questions about a meeting, check them, and print how many of each type there are.

    With ``--out``, what stands in the file already is not asked again, and a stopped run goes on.
    """
    from annotation.generation.quotas import spread
    from annotation.generation.sinks import MemorySink

    settings = settings_of(home, config, llm={"base_url": base_url, "model": model, "api_key": api_key})
    store = store_of(settings)
    loaded = store.load(store.find(meeting).id)
    sink: Sink = MemorySink() if out is None else _opened(out)
    before = {item.key for item in sink.items()}
    wanted = dict.fromkeys(kinds or QuestionType, count)
    if policy == "offline":
        from annotation.generation.offline import generate_offline

        made = generate_offline(loaded, wanted, seed=seed, existing=sink.items(), batch=batch)
        for item in made.items:
            sink.add(item)
    else:
        _by_model(loaded, spread(wanted, subtasks or ()), sink, settings, seed, batch)
    new = [item for item in sink.items() if item.key not in before]
    if out is None:
        for item in new:
            print(item.model_dump_json())
    _report(new, sink.items(), store, {loaded.meeting.id: loaded})


def check(
    file: Annotated[
        Path | None, typer.Argument(help="JSON Lines file of questions [default: those being verified].")
    ] = None,
    meeting: Annotated[str | None, typer.Option(help="Only the questions about this meeting.")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per question.")] = False,
) -> None:
    """Run the automatic checks on questions, in a file or being verified; exit code 1 when one fails."""
    from annotation.generation.checks import check as run_checks

    settings = settings_of(home, config)
    store = store_of(settings)
    everything = _stored(settings.home) if file is None else read_items(file)
    wanted = store.find(meeting).id if meeting else None
    items = [item for item in everything if wanted in (None, item.meeting)]
    loaded: dict[str, IndexedMeeting] = {}
    if as_json:
        for item in items:
            results = run_checks(item, _loaded(item.meeting, store, loaded), everything)
            found = {one.name: {"passed": one.passed, "reason": one.reason} for one in results}
            print(json.dumps({"key": item.key, "checks": found}, ensure_ascii=False))
        return
    if not _report(items, everything, store, loaded):
        raise typer.Exit(1)


def read_items(file: Path) -> list[QAItem]:
    """Return the questions of a JSON Lines file.

    Raises:
        AnnotationError: no such file, or a line that is no question.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise AnnotationError(f"{file} cannot be read", found=str(error)) from error
    items = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                items.append(QAItem.model_validate_json(line))
            except ValidationError as error:
                problem = error.errors()[0]
                raise AnnotationError(
                    f"line {number} of {file.name} is not a question", found=str(problem["msg"])
                ) from None
    return items


def _stored(home: Path) -> list[QAItem]:
    """Return the questions that are being verified in this home."""
    from annotation import queries
    from annotation.workspace import Workspace

    with Workspace.open(home).reading() as session:
        return queries.items(session)


def _opened(out: Path) -> Sink:
    from annotation.generation.sinks import FileSink

    try:
        return FileSink(out)
    except (OSError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise AnnotationError(
            f"{out} holds something else than questions, or cannot be read", fix="give another --out"
        ) from error


def _by_model(
    meeting: IndexedMeeting, quota: Quota, sink: Sink, settings: Config, seed: int, batch: str
) -> None:
    from annotation.generation.generate import Batch, generate_with_model
    from grga.llm import connect

    def show(state: Progress) -> None:
        used = state.usage
        price = "" if used.price is None else f", {used.price:.4f} paid"
        print(
            f"{state.calls}/{state.of} read: {state.made} made, {state.failed} failed, {used.calls} calls, "
            f"{used.prompt + used.completion} tokens, {used.seconds:.0f} s{price}",
            file=sys.stderr,
        )

    client = connect(settings.llm, settings.home)
    state = generate_with_model(Batch(meeting, quota, seed, batch), client, sink, progress=show)
    if state.dropped:
        print(f"{state.dropped} references to other utterances were removed", file=sys.stderr)


def _report(
    items: Sequence[QAItem], others: Sequence[QAItem], store: Store, loaded: dict[str, IndexedMeeting]
) -> bool:
    """Print a line per type and what failed; return whether everything passed."""
    from annotation.generation.checks import CHECKS
    from annotation.generation.checks import check as run_checks

    kinds: dict[QuestionType, Counter[str]] = {kind: Counter() for kind in QuestionType}
    failing: Counter[str] = Counter()
    problems = []
    for item in items:
        kinds[item.type]["items"] += 1
        if item.status is Status.FAILED:
            kinds[item.type]["failed"] += 1
            problems.append(f"{item.key}: failed: {item.reasoning.splitlines()[0]}")
            continue
        results = run_checks(item, _loaded(item.meeting, store, loaded), others)
        wrong = [one for one in results if not one.passed]
        kinds[item.type]["passed"] += not wrong
        failing.update(one.name for one in wrong)
        problems += [f"{item.key}: {one.name}: {one.reason}" for one in wrong]
    _print_table(kinds)
    for name in CHECKS:
        if failing[name]:
            print(f"  {name}: {failing[name]} failed", file=sys.stderr)
    for problem in problems:
        print(problem, file=sys.stderr)
    return not problems


def _print_table(kinds: dict[QuestionType, Counter[str]]) -> None:
    rows: Iterable[tuple[str, Counter[str]]] = [(str(kind), counts) for kind, counts in kinds.items()]
    total = sum(kinds.values(), Counter[str]())
    print(f"{'type':<15}{'questions':>10}{'all checks passed':>19}{'failed':>8}", file=sys.stderr)
    for name, counts in [*rows, ("all", total)]:
        print(f"{name:<15}{counts['items']:>10}{counts['passed']:>19}{counts['failed']:>8}", file=sys.stderr)


def _loaded(id: str, store: Store, known: dict[str, IndexedMeeting]) -> IndexedMeeting:
    if id not in known:
        known[id] = store.load(id)
    return known[id]
