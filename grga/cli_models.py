"""``python -m grga models``: list, fetch and check the models that backends load."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from grga.cli_options import AsJson, ConfigFile, print_json, settings_of
from grga.errors import ModelError
from grga.models import (
    ASSET,
    CARDS,
    PACKAGED,
    ModelCard,
    ModelSource,
    card_of,
    here,
    how_to_get,
    locate,
    missing_packages,
)
from grga.models.integrity import damaged

models = typer.Typer(help="The models that backends load.", no_args_is_help=False)
DAMAGED = "no: damaged"
Names = Annotated[list[str] | None, typer.Argument(help="Names as `models` lists them [default: all].")]


@dataclass(frozen=True)
class State:
    """Whether a model can be used now, in a word or two, and what it takes otherwise."""

    usable: bool
    short: str
    said: str


def state_of(card: ModelCard, source: ModelSource) -> State:
    """Look at packages and files; nothing is imported, nothing fetched."""
    if missing := missing_packages(card):
        return State(False, f"no: needs {', '.join(missing)}", f"needs {', '.join(missing)}: {card.install}")
    if card.comes_with:
        return State(True, "yes", "yes")
    try:
        found = here(card.name, source)
    except ModelError as error:
        return State(False, DAMAGED, str(error))
    if found is not None:
        return State(True, "yes", "yes")
    return State(False, "no: to fetch", f"not fetched: {how_to_get(card)}")


def whole(card: ModelCard, source: ModelSource) -> State:
    """Look at packages and files, and read every byte of what carries a checksum."""
    state = state_of(card, source)
    elsewhere = card.comes_with and card.name not in {**PACKAGED, **ASSET}  # a backend's own package reads it
    folder = here(card.name, source) if state.usable and not elsewhere else None
    if folder is None or not (names := damaged(folder)):
        return state
    said = f"{', '.join(names)} in {folder} changed since the download: delete them, then {how_to_get(card)}"
    return State(False, DAMAGED, said)


@models.callback(invoke_without_command=True)
def list_(context: typer.Context, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List every model: what for, from where, how large, which licence, usable now or not."""
    if context.invoked_subcommand is not None:
        return
    source = settings_of(None, config).models.source()
    states = {card.name: state_of(card, source) for card in CARDS.values()}
    if as_json:
        print_json([_record(card, states[card.name]) for card in CARDS.values()])
        return
    _print_table(states)


@models.command()
def fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Names, or hub ids such as owner/model.")] = None,
    profile: Annotated[str | None, typer.Option(help="All models of a profile: embedded or full.")] = None,
    hub: Annotated[str | None, typer.Option(help="huggingface or modelscope [whichever has it].")] = None,
    config: ConfigFile = None,
) -> None:
    """Download models into the hub's cache; what is there is not fetched again."""
    from grga.preflight import models_of

    settings = settings_of(None, config, profile=profile, models={"hub": hub})
    source = settings.models.source()
    chosen = list(names or ()) or list(models_of(settings))
    problems = []
    for name in chosen:
        card = card_of(name)
        try:
            where = f"comes with {card.comes_with}" if card.comes_with else locate(name, source)
            print(f"{name}: {where}")
        except ModelError as error:
            problems.append(str(error))
    if problems:
        raise ModelError("; ".join(problems))


@models.command()
def check(names: Names = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Look whether models are here and whole; exit code 1 when a named one is not, or any is damaged."""
    source = settings_of(None, config).models.source()
    problems, lines = [], []
    for name in names or list(CARDS):
        try:
            state = whole(card_of(name), source)
        except ModelError as error:
            state = State(False, DAMAGED, str(error))
        lines.append({"name": name, "usable": state.usable, "state": state.said})
        if state.short == DAMAGED or (names and not state.usable):
            problems.append(f"{name}: {state.said}")
    if as_json:
        print_json(lines)
    else:
        for line in lines:
            print(f"{line['name']:<18} {line['state']}")
    if problems:
        raise ModelError("not every model can be used", found="; ".join(problems))


def _record(card: ModelCard, state: State) -> dict[str, object]:
    return {
        "name": card.name,
        "task": card.task,
        "what": card.what,
        "source": card.comes_with or card.ids(),
        "revisions": dict(card.revisions),
        "megabytes": card.megabytes,
        "licence": card.licence,
        "usable": state.usable,
        "state": state.said,
    }


def _print_table(states: dict[str, State]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("task", "name", "MB", "licence", "usable now", "source"):
        table.add_column(
            heading,
            justify="right" if heading == "MB" else "left",
            overflow="fold",
            no_wrap=heading != "source",
        )
    for card in CARDS.values():
        source = card.comes_with or "\n".join(dict.fromkeys(card.ids().values()))
        table.add_row(card.task, card.name, _size(card), card.licence, states[card.name].short, source)
    # A pipe has no width of its own.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(table)
    print("\n`python -m grga models check NAME` says what a model takes, `… models fetch NAME` downloads it.")


def _size(card: ModelCard) -> str:
    if card.megabytes is None:
        return "?"
    return f"{card.megabytes:,.0f}" if card.megabytes >= 10 else f"{card.megabytes:g}"
