"""The command line: ``python -m annotation generate|check|verify|agreement|export|import|report``.

Results go to standard output, notes and problems to standard error. Exit codes: 0 done, 1 something a
person can correct (one sentence says what), 2 a wrong call.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.generation.cli import check, generate
from annotation.schema import Status
from grga.cli_options import AsJson, ConfigFile, Home, count, print_json, run, settings_of, store_of
from grga.errors import AnnotationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotation.schema import QAItem
    from annotation.workspace import Workspace
    from grga.store import Store

app = typer.Typer(
    help="LongAudioQA: questions about meetings, proposed by a program and verified by people.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(generate)
app.command()(check)

Meetings = Annotated[list[str] | None, typer.Option("--meeting", help="Only this meeting; may be repeated.")]
Batch = Annotated[str | None, typer.Option(help="Only this batch.")]
By = Annotated[str, typer.Option("--by", help="Your name, for the history.")]


def main() -> None:
    """Run the command line."""
    run(app, "annotation")


@app.command()
def verify(
    by: By,
    meeting: Annotated[str | None, typer.Option(help="Only this meeting.")] = None,
    batch: Batch = None,
    adjudicate: Annotated[bool, typer.Option("--adjudicate", help="Settle disputes instead.")] = False,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Judge questions one after the other in the terminal; the page can do more, and plays the evidence."""
    from annotation.terminal import verify_in_terminal

    workspace, store = _open(home, config)
    name = store.find(meeting).id if meeting else None
    verify_in_terminal(workspace, by, name, batch, adjudicating=adjudicate)


@app.command()
def agreement(
    meetings: Meetings = None,
    batch: Batch = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Print how far the annotators agree, with 95 % intervals."""
    from annotation.verdict_agreement import verdict_agreement

    workspace, store = _open(home, config)
    found = verdict_agreement(workspace, meetings=_ids(store, meetings), batch=batch, seed=seed)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found.text())


@app.command()
def report(
    meetings: Meetings = None,
    batch: Batch = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Print which generators survive, what an accepted question costs, and how the annotators do."""
    from annotation.report import report as make_report

    workspace, store = _open(home, config)
    found = make_report(workspace, meetings=_ids(store, meetings), batch=batch)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found.text())


@app.command("export")
def export_(
    output: Annotated[
        Path, typer.Argument(help="FILE.jsonl, FILE.csv or FILE.parquet; with --dataset, a folder.")
    ],
    meetings: Meetings = None,
    batch: Batch = None,
    statuses: Annotated[
        list[Status] | None, typer.Option("--status", help="Only these; may be repeated [dataset: accepted].")
    ] = None,
    dataset: Annotated[
        bool, typer.Option("--dataset", help="A data set: splits by meeting, sound, card.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the splits.")] = 0,
    push: Annotated[
        str | None, typer.Option(help="Also send the data set to OWNER/NAME on the Hugging Face hub.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Let everybody see a new repository.")] = False,
    token: Annotated[str | None, typer.Option(envvar="HF_TOKEN", help="Of the hub.")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Write questions to a file, or as a data set with the sound of their evidence."""
    from annotation import queries
    from annotation.export import dump, format_of
    from annotation.export.hub import push as push_to_hub
    from grga.manifest import saving_to

    if push and not dataset:
        raise AnnotationError("only a data set can be sent to the hub", fix="add --dataset")
    workspace, store = _open(home, config)
    wanted = [Status.ACCEPTED] if dataset and not statuses else statuses
    with workspace.reading() as session:
        items = queries.items(session, meetings=_ids(store, meetings), batch=batch, statuses=wanted)
    address = None
    if dataset:
        _write_dataset(output, items, store, seed)
        address = push_to_hub(output, push, token, private=not public) if push else None
    else:
        content = dump(items, format_of(output.name))
        with saving_to(output.parent):
            output.write_bytes(content)
    if as_json:
        print_json({"questions": len(items), "output": str(output), "hub": address})
    else:
        print(f"{count(len(items), 'question')} written to {output}" + (f" and {address}" if address else ""))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="FILE.jsonl, FILE.csv or FILE.parquet.")],
    by: By = "import",
    update: Annotated[
        bool, typer.Option("--update", help="Replace questions whose keys are known already.")
    ] = False,
    overlap: Annotated[int | None, typer.Option(min=1, help="Annotators per question.")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Take questions in from a file; exit code 1 when some could not be, each named by its line."""
    from annotation.export import format_of
    from annotation.importing import Duplicates, import_items

    try:
        data = file.read_bytes()
    except OSError as error:
        raise AnnotationError(f"{file} cannot be read", found=error.strerror, fix="check the path") from None
    workspace, _ = _open(home, config)
    choice = Duplicates.UPDATE if update else Duplicates.REFUSE
    found = import_items(workspace, data, format_of(file.name), by, duplicates=choice, overlap=overlap)
    if as_json:
        print_json(asdict(found))
    else:
        print(f"{found.added} added, {found.updated} replaced, {found.unchanged} there already")
    for sentence in (*found.problems, *found.notes):
        print(sentence, file=sys.stderr)
    if found.problems:
        raise typer.Exit(1)


# --- helpers ----------------------------------------------------------------------------------------


def _open(home: Path | None, config: Path | None) -> tuple[Workspace, Store]:
    from annotation.workspace import Workspace

    settings = settings_of(home, config)
    store = store_of(settings)
    return Workspace.open(settings.home, store=store), store


def _ids(store: Store, names: list[str] | None) -> list[str] | None:
    """Return the meetings' ids; None for all."""
    return [store.find(name).id for name in names] if names else None


def _write_dataset(folder: Path, items: Sequence[QAItem], store: Store, seed: int) -> None:
    from annotation.export.hub import write_dataset
    from grga.audio import Waveform

    here = {line.id for line in store.meetings() if line.finished}
    used = {item.meeting for item in items} & here
    recordings = {
        name: Waveform.open(audio) for name in used if (audio := store.folder(name).audio).is_file()
    }
    meetings = {name: store.folder(name).read_meeting() for name in used}
    write_dataset(folder, items, meetings, recordings.get, seed=seed)
