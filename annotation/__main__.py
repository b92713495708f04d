"""``python -m annotation``: see :mod:`annotation.generation.cli`."""

from __future__ import annotations

import sys

import typer

from annotation.generation.cli import check, generate
from grga.errors import GrgaError

app = typer.Typer(
    help="LongAudioQA: questions about meetings, proposed by a program and verified by people.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(generate)
app.command()(check)


def main() -> None:
    """Run the command line and turn errors into one sentence and an exit code."""
    try:
        app()
    except GrgaError as error:
        print(f"annotation: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
