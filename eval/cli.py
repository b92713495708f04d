"""The command line of the measuring bench: ``python -m eval``; ``python -m eval.human`` for people.

Results go to standard output, progress to standard error. Exit codes: 0 done, 1 something a person can
correct (one sentence says what), 2 a wrong call.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grga.cli_options import ConfigFile, Home, run, settings_of, store_of
from grga.errors import EvaluationError, unknown_name

if TYPE_CHECKING:
    from eval.report.tables import Table

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
    engine: Annotated[str, typer.Option(help="processes, or ray: its workers index too.")] = "processes",
    address: Annotated[str | None, typer.Option(help="With ray: of a running cluster.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Index the meetings of a corpus (once) and ask every question of every system."""
    from contextlib import ExitStack

    from eval.corpora import open_corpus
    from eval.ray_engine import RayPool
    from eval.run import Engine, ask_here, ask_in_processes, index_here
    from eval.run import run as ask_all
    from eval.systems import parse_all

    if engine not in ("processes", "ray"):
        raise EvaluationError(unknown_name("engine", engine, ["processes", "ray"]))
    settings = settings_of(home, config, agent={"policy": policy})
    systems = parse_all(system or ["grga", "text_rag"])
    opened = open_corpus(corpus, path)
    with ExitStack() as pools:
        ask: Engine = ask_in_processes(workers) if workers > 1 else ask_here
        indexer = index_here
        if engine == "ray":
            pool = pools.enter_context(
                RayPool(workers, settings.home, address, source=settings.models.source())
            )
            ask, indexer = pool.ask, pool.index
        result = ask_all(
            opened,
            path,
            systems,
            settings,
            out,
            limit=limit,
            seed=seed,
            engine=ask,
            indexer=indexer,
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
    out: Annotated[Path | None, typer.Option(help="Folder for the tables and figures as files.")] = None,
    html: Annotated[Path | None, typer.Option(help="One page with everything, to be read.")] = None,
    grid: Annotated[
        Path | None, typer.Option("--noise", help="For the page: folder of a noise grid.")
    ] = None,
    growth: Annotated[Path | None, typer.Option("--scaling", help="For the page: folder of scaling.")] = None,
    scored: Annotated[
        bool, typer.Option("--scored", help="For the page: also what `eval score` says; needs the home.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Print the tables of a run: citations, paired tests, ablations, steps, cost."""
    from eval.grid import Grid
    from eval.report.files import figures, tables
    from eval.report.html import page
    from eval.report.tables import concise
    from eval.runs import Run
    from eval.scaling import read_points
    from eval.score import score as score_run

    run_ = Run(folder)
    records = [record for record in run_.records() if not record.error]
    if not records:
        raise EvaluationError(f"there are no answers in {folder}", fix="make them with `python -m eval run`")
    found = tables(records, seed=seed)
    print(concise(list(found.values())))
    _write(found, out)
    if out is not None:
        figures(records, out, seed=seed)
    if html is not None:
        text = page(
            run_,
            grid=Grid(grid) if grid else None,
            points=read_points(growth) if growth else (),
            scored=list(score_run(run_, store_of(settings_of(home, config)), None, seed=seed).values())
            if scored
            else (),
            seed=seed,
        )
        html.write_text(text, encoding="utf-8")
        _say(f"the page is {html}")


@app.command()
def noise(
    out: Annotated[Path, typer.Option(help="Folder of the grid; an unfinished one goes on.")],
    corpus: Annotated[str, typer.Option(help="Name of a corpus.")] = "qmsum",
    path: Annotated[Path | None, typer.Option(help="Where it lies; not needed to report again.")] = None,
    system: Annotated[list[str] | None, typer.Option(help="As for run.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many meetings.")] = None,
    seed: Annotated[int, typer.Option(help="Of the noise and of the bootstrap.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that ask.")] = 1,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Ask with three rates of wrong words × three of wrong speakers; write tables and a figure."""
    from eval.corpora import open_corpus
    from eval.grid import Grid, run_grid
    from eval.report.noise import write
    from eval.systems import parse_all

    grid = Grid(out)
    if path is not None:
        systems = parse_all(system or ["grga", "text_rag"])
        settings = settings_of(home, config)
        grid = run_grid(
            open_corpus(corpus, path),
            path,
            systems,
            settings,
            out,
            limit=limit,
            seed=seed,
            workers=workers,
            say=_say,
        )
    print(write(grid, seed=seed))


@app.command()
def scaling(
    out: Annotated[Path, typer.Option(help="Folder for the measurements, the table and the figure.")],
    meeting: Annotated[
        str | None, typer.Option(help="Id or title of an indexed meeting; not needed to report again.")
    ] = None,
    size: Annotated[list[int] | None, typer.Option(min=1, help="Utterances; may be repeated.")] = None,
    question: Annotated[list[str] | None, typer.Option(help="Asked at every length.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Measure indexing and asking against length, with one meeting repeated; write a table and a figure."""
    from eval.report.figures import save
    from eval.report.scaling import figure, table
    from eval.scaling import QUESTIONS, SIZES, measure, read_points, write_points
    from eval.systems import parse

    if meeting is not None:
        store = store_of(settings_of(home, config))
        clean = store.load(store.find(meeting).id)
        points = []
        for point in measure(clean, parse("grga"), size or SIZES, question or QUESTIONS):
            points.append(point)
            write_points(points, out)
            _say(f"{point.utterances} utterances: {point.embed + point.graph + point.index:.1f} s")
    points = read_points(out)
    found = table(points)
    for ending, text in (("md", found.markdown()), ("tex", found.latex()), ("csv", found.csv())):
        (out / f"scaling.{ending}").write_text(text, encoding="utf-8")
    save(figure(points), out, "scaling")
    print(found.markdown())


@app.command("stats")
def stats_(
    corpus: Annotated[str, typer.Option(help="Name of a corpus.")],
    path: Annotated[Path, typer.Option(help="Where it lies.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many meetings.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the figure of question types.")] = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Print what a corpus is made of: hours, turns, questions; nothing is indexed."""
    from eval.corpora import open_corpus
    from eval.report.figures import distribution_figure, save
    from eval.report.statistics import figure_2, measure, table_2
    from eval.report.tables import concise

    opened = open_corpus(corpus, path)
    found = measure(opened, store_of(settings_of(home, config)), limit=limit, say=_say)
    tables = (table_2(opened.name, found), figure_2(opened.name, found))
    print(concise([table for table in tables if table is not None]))
    if out is not None and any(found.types.values()):
        save(distribution_figure(opened.name, found.types), out, "types")


@app.command()
def judge(
    folder: Folder,
    judge: Annotated[
        list[str] | None, typer.Option(help="MODEL@ADDRESS; may be repeated [the model of the settings].")
    ] = None,
    judges: Annotated[Path | None, typer.Option(help="TOML with a [[judge]] table for each.")] = None,
    swap: Annotated[bool, typer.Option("--swap", help="Also ask with the answer first.")] = False,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Let language models say which answers are right; goes on where it stopped."""
    from eval.runs import Run
    from eval.scorers.judge import FIRST, SWAPPED, judge_run
    from eval.scorers.judges import judges_of

    asked = judges_of(settings_of(home, config), judge or (), judges)
    judge_run(Run(folder), asked, orders=(FIRST, SWAPPED) if swap else (FIRST,), say=_say)
    print(f"judged by {len(asked)}; `python -m eval score {folder}` prints the tables")


@app.command()
def score(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables as files.")] = None,
    people: Annotated[
        Path | None, typer.Option(help="Scores of a human study (CSV or JSONL) to compare judges with.")
    ] = None,
    similarity: Annotated[bool, typer.Option(help="Compare embeddings of answer and reference.")] = True,
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 0,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Print which answers are right: by judges, by answer keys, by stand-ins; and what was retrieved."""
    from eval.report.tables import concise
    from eval.runs import Run
    from eval.score import score as score_run
    from eval.scorers.judge import current, read_judgements

    settings = settings_of(home, config)
    store = store_of(settings)
    encoder = store.encoder(settings.embedding.backend) if similarity else None
    judgements = read_judgements(Run(folder))
    others = len(judgements) - len(current(judgements, None))
    if others:
        _say(f"{others} judgements under other instructions are left out")
    tables = score_run(Run(folder), store, encoder, people=people, seed=seed)
    print(concise(list(tables.values())))
    _write(tables, out)


@app.command()
def speech(
    reference: Annotated[Path, typer.Option(help="What was said: RTTM, STM, CTM, SegLST, TextGrid, ….")],
    hypothesis: Annotated[Path, typer.Option(help="What was heard, in any of these forms.")],
    uem: Annotated[Path | None, typer.Option(help="Which stretches are scored for DER [all].")] = None,
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Count words without normalising.")
    ] = False,
) -> None:
    """Print WER, cpWER, CER and DER of what was heard against what was said."""
    from eval.report.speech import speaker_table, word_table
    from eval.report.tables import concise
    from eval.speech.reading import paired, read_speech, read_uem

    pairs = paired(read_speech(reference), read_speech(hypothesis))
    words = word_table(pairs, normalised=not as_written)
    speakers = speaker_table(pairs, read_uem(uem) if uem else None)
    print(concise([table for table in (words, speakers) if table is not None]))


def _write(tables: dict[str, Table], out: Path | None) -> None:
    """Write each table as Markdown, LaTeX and CSV."""
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        for ending, text in (("md", table.markdown()), ("tex", table.latex()), ("csv", table.csv())):
            (out / f"{name}.{ending}").write_text(text, encoding="utf-8")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
