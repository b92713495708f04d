"""The command line of the measuring bench: ``python -m eval run|report``; ``python -m eval.human`` for people.

Results go to standard output, progress to standard error. Exit codes: 0 done, 1 something a person can
correct (one sentence says what), 2 a wrong call.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from grga.cli_options import ConfigFile, Home, run, settings_of
from grga.errors import EvaluationError

app = typer.Typer(
    help="Measure GRGA: the same questions for every system, scored from what was stored.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]


def main() -> None:
    """Run the command line."""
    run(app, "eval")


@app.command("run")
def run_(
    corpus: Annotated[str, typer.Option(help="Name of a corpus.")],
    path: Annotated[Path, typer.Option(help="Where it lies.")],
    out: Annotated[Path, typer.Option(help="Folder of the run; an unfinished one goes on.")],
    system: Annotated[
        list[str] | None,
        typer.Option(help="grga, a baseline, or grga-PART without a part; may be repeated [grga, text_rag]."),
    ] = None,
    policy: Annotated[str | None, typer.Option(help="offline or llm.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many meetings.")] = None,
    seed: Annotated[int, typer.Option(help="Kept with the run.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that ask.")] = 1,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Index the meetings of a corpus (once) and ask every question of every system."""
    from eval.corpora import open_corpus
    from eval.run import ask_here, ask_in_processes
    from eval.run import run as ask_all
    from eval.systems import parse_all

    settings = settings_of(home, config, agent={"policy": policy})
    result = ask_all(
        open_corpus(corpus, path),
        path,
        parse_all(system or ["grga", "text_rag"]),
        settings,
        out,
        limit=limit,
        seed=seed,
        engine=ask_in_processes(workers) if workers > 1 else ask_here,
        say=_say,
    )
    manifest = result.manifest()
    failed = sum(bool(record.error) for record in result.records())
    print(
        f"{manifest.items} questions about {len(manifest.meetings)} meetings, "
        f"{len(manifest.systems)} systems; indexing {manifest.index_seconds:.0f} s, asking "
        f"{manifest.ask_seconds:.0f} s, {failed} failed"
    )


@app.command()
def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables as files.")] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
) -> None:
    """Print the tables of a run: citations, paired tests, steps, cost."""
    from eval.report.bench import citation_table, cost_table, paired_table, step_table
    from eval.report.tables import concise
    from eval.runs import Run

    records = [record for record in Run(folder).records() if not record.error]
    if not records:
        raise EvaluationError(f"there are no answers in {folder}", fix="make them with `python -m eval run`")
    tables = {"costs": cost_table(records), "steps": step_table(records)}
    if any(record.item.gold for record in records):
        tables = {
            "citations": citation_table(records, seed=seed),
            "paired": paired_table(records, seed=seed),
            **tables,
        }
    print(concise(list(tables.values())))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            for ending, text in (("md", table.markdown()), ("tex", table.latex()), ("csv", table.csv())):
                (out / f"{name}.{ending}").write_text(text, encoding="utf-8")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
