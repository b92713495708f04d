"""The command line of human studies: ``python -m eval.human create|open|links|status|close|analyse|export|import``.

Results go to standard output, notes and problems to standard error. Exit codes: 0 done, 1 something a
person can correct (one sentence says what), 2 a wrong call.
"""

from __future__ import annotations

import getpass
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grga.cli_options import AsJson, ConfigFile, Home, count, print_json, run, settings_of
from grga.errors import StudyError

if TYPE_CHECKING:
    from eval.human.desk import Desk

app = typer.Typer(
    help="Blind human evaluation: people rate answers of several systems from 1 to 5.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Key = Annotated[str, typer.Argument(metavar="STUDY", help="Key of the study.")]
By = Annotated[str | None, typer.Option(help="Your name, for the record [your login].")]


def main() -> None:
    """Run the command line."""
    run(app, "eval.human")


@app.command()
def create(
    key: Annotated[str, typer.Argument(metavar="STUDY", help="A short name: a-z, 0-9 and dashes.")],
    answers: Annotated[
        list[Path], typer.Option("--answers", help="JSONL or CSV of answers; may be repeated.")
    ],
    title: Annotated[str | None, typer.Option(help="What raters read at the top.")] = None,
    questions: Annotated[
        int | None, typer.Option(help="How many to take, evenly over type and corpus [all].")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="JSON with training, checks, guidelines, consent, criteria, …")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of sampling and order.")] = 0,
    pilot: Annotated[bool, typer.Option("--pilot", help="A rehearsal, kept apart.")] = False,
    by: By = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Make a study of stored answers, as a draft, and show what may give a system away."""
    from eval.human.answers import sample, study_items
    from eval.human.study import checked
    from eval.records import read_records

    items = study_items(record for file in answers for record in read_records(file))
    if questions is not None:
        items = sample(items, questions, seed)
    values = _known(known) | {"key": key, "title": title or key, "items": items, "seed": seed, "pilot": pilot}
    study = checked(values)
    desk = _open(home, config)
    desk.make(study, _name(by))
    print(f"{key}: {count(len(items), 'question')}, systems {', '.join(study.systems)}; a draft")
    for finding in desk.findings(key):
        where = finding.item or "all answers"
        print(f"  {where} ({finding.system}): {finding.problem}  {finding.excerpt}".rstrip())


def _known(file: Path | None) -> dict[str, object]:
    import json

    if file is None:
        return {}
    try:
        values = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{file} cannot be read as JSON: {error}") from None
    if not isinstance(values, dict):
        raise StudyError(f"{file} must hold one JSON object")
    return values


@app.command("open")
def open_(
    key: Key,
    cleared: Annotated[
        bool, typer.Option("--cleared", help="You have read what may give a system away, and it may stay.")
    ] = False,
    by: By = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Let raters come."""
    _open(home, config).open_study(key, _name(by), cleared=cleared)
    print(f"{key} is open")


@app.command()
def links(
    key: Key,
    raters: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="New raters.")] = None,
    address: Annotated[str, typer.Option(help="Where the app is reached.")] = "http://127.0.0.1:7860",
    revoke: Annotated[list[str] | None, typer.Option(help="Make this rater's link void.")] = None,
    by: By = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Invite raters and print every rater's personal link."""
    desk = _open(home, config)
    for name in raters or []:
        desk.invite(key, name, _name(by))
    for name in revoke or []:
        ids = [line.id for line in desk.raters(key) if line.name == name]
        if not ids:
            raise StudyError(f"nobody called {name!r} was invited to {key!r}")
        desk.revoke(ids[0], _name(by))
    for line in desk.raters(key):
        shown = f"{address.rstrip('/')}/?rate={desk.link(line.id)}" if line.state != "revoked" else "revoked"
        print(f"{line.name}\t{shown}")


@app.command()
def status(
    key: Annotated[str | None, typer.Argument(metavar="[STUDY]", help="Key of one study [all].")] = None,
    home: Home = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List studies, or how far the raters of one have come. Never a score."""
    from eval.human.scores import conduct

    desk = _open(home, config)
    if key is None:
        lines = desk.studies()
        if as_json:
            return print_json([{**asdict(line), "made": line.made.isoformat()} for line in lines])
        for line in lines:
            pilot = ", pilot" if line.pilot else ""
            done = f"{line.finished} of {count(line.raters, 'rater')} finished"
            print(f"{line.key}\t{line.state}{pilot}\t{done}\t{line.title}")
        return None
    raters, ways = desk.raters(key), conduct(desk, key)
    refused = desk.refusals(key)
    if as_json:
        shown = [
            {**asdict(one), "expires": one.expires.isoformat(), **asdict(way)}
            for one, way in zip(raters, ways, strict=True)
        ]
        return print_json({"raters": shown, "refused": len(refused)})
    for one, way in zip(raters, ways, strict=True):
        pace = f"{way.median_seconds:.0f} s each" if way.median_seconds is not None else ""
        print(f"{way.rater}\t{one.name}\t{one.state}\t{one.done} of {one.total}\t{pace}\t{way.excluded}")
    if refused:
        print(f"{count(len(refused), 'attempt')} refused, the last: {refused[-1][2]}", file=sys.stderr)
    return None


@app.command()
def close(key: Key, by: By = None, home: Home = None, config: ConfigFile = None) -> None:
    """Take no more scores."""
    _open(home, config).close(key, _name(by))
    print(f"{key} is closed")


@app.command()
def analyse(
    key: Key,
    out: Annotated[Path, typer.Option(help="Folder for tables and figures.")],
    unblind: Annotated[
        bool, typer.Option("--unblind", help="Look at which answers are whose, for good.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    by: By = None,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Analyse a closed study: tables as Markdown, LaTeX and CSV, the figure as PNG and SVG."""
    from eval.human.analysis import analyse as analysed
    from eval.human.report import tables, write

    desk = _open(home, config)
    if unblind:
        desk.unblind(key, _name(by))
    found = analysed(desk, key, seed=seed)
    files = write(found, out)
    print("\n".join(table.markdown() for table in tables(found)))
    print(f"{count(len(files), 'file')} in {out}", file=sys.stderr)


@app.command()
def export(
    key: Key,
    out: Annotated[Path | None, typer.Option(help="CSV file [standard output].")] = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="Scores of excluded raters too.")] = False,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Write the raw scores of an unblinded study as CSV; raters are numbers."""
    from eval.human.scores import scores, to_csv

    text = to_csv(scores(_open(home, config), key, excluded=everybody))
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        print(f"{count(text.count(chr(10)) - 1, 'score')} in {out}", file=sys.stderr)


@app.command("import")
def import_(
    journal: Annotated[Path, typer.Argument(help="A journal.jsonl of another home, or a backup.")],
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Take over everything in a journal that this home lacks; what is here stays."""
    from eval.human.backup import take_over

    found = take_over(_open(home, config), journal)
    for problem in found.problems:
        print(problem, file=sys.stderr)
    print(count(found.applied, "event"), "taken over")


@app.command()
def power(
    difference: Annotated[float, typer.Argument(help="Points of the 1-5 scale that matter.")],
    raters: Annotated[int, typer.Option(help="People per answer.")] = 3,
    item_spread: Annotated[float, typer.Option(help="SD of the true difference over questions.")] = 0.8,
    score_spread: Annotated[float, typer.Option(help="SD of one score around the truth.")] = 0.9,
    wished: Annotated[float, typer.Option("--power", help="Wished probability of finding it.")] = 0.8,
) -> None:
    """Say how many questions a study needs."""
    from eval.human.power import needed

    try:
        need = needed(
            difference, raters=raters, item_spread=item_spread, score_spread=score_spread, power=wished
        )
    except ValueError as error:
        raise StudyError(str(error)) from None
    print(
        f"{count(need.items, 'question')} rated by {count(raters, 'person', 'people')} each show a difference "
        f"of {difference:g} with probability {need.power:.2f}"
    )


def _open(home: Path | None, config: Path | None) -> Desk:
    from eval.human.desk import Desk
    from grga.db import open_database

    settings = settings_of(home, config)
    url = settings.database_url.get_secret_value() if settings.database_url else None
    return Desk.open(settings.home, engine=open_database(settings.home, url))


def _name(by: str | None) -> str:
    return by or getpass.getuser()
